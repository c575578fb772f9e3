//! Signed distances on a grid, and their computation from a surface.

use super::positive;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use rxmesh_host::Error;
use rxmesh_host::algo::closest::SurfaceTree;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::TriMesh;

/// Largest number of points of a grid: 1 GiB of distances.
const MOST: f64 = (1u64 << 28) as f64;

/// Points that are uploaded to the engine at a time.
const BATCH: usize = 1 << 20;

/// Signed distances on a regular grid, negative inside, interpolated linearly between its points.
#[derive(Clone, Debug, PartialEq)]
pub struct DistanceGrid {
    /// Number of points along x, y and z: 2 or more.
    pub points: [u32; 3],
    /// Distance of neighbouring points in metres.
    pub spacing: f32,
    /// Position of the first point in the shape's frame, in metres.
    pub origin: Vec3,
    /// Distances in metres, ordered along x first, then y, then z.
    pub distances: Vec<f32>,
}

impl DistanceGrid {
    /// Samples a distance function at the points of a grid whose first point is the origin.
    pub fn of(points: [u32; 3], spacing: f32, distance: impl Fn(Vec3) -> f32) -> DistanceGrid {
        let mut grid = DistanceGrid {
            points,
            spacing,
            origin: Vec3::ZERO,
            distances: Vec::new(),
        };
        grid.distances = (0..grid.len()).map(|k| distance(grid.place(k))).collect();
        grid
    }

    /// Computes the distances from a closed surface, on a grid that reaches `margin` metres and one point beyond it.
    /// Mesh coordinates in the world are metres and those of the shape's frame.
    ///
    /// Inside are the points with a non-zero winding number, whichever way the faces are oriented: where closed
    /// surfaces overlap, their union. Windings are counted along the rows of the grid, with signs of areas that are
    /// exact for coordinates within a factor of 2^28 of each other, so that no row can slip through between two faces.
    /// Distances are exact but for rounding.
    ///
    /// # Errors
    ///
    /// A mesh that is not valid, has no faces or is not closed (the error names an edge), a spacing that is not
    /// positive, more than 2^28 points, or an error of the engine.
    pub fn from_mesh(
        engine: &Engine,
        mesh: &TriMesh,
        spacing: f32,
        margin: f32,
    ) -> Result<DistanceGrid, Error> {
        mesh.validate()?;
        positive("a grid's spacing", spacing)?;
        if !(margin >= 0.0 && margin.is_finite()) {
            return Err(Error::Options(format!(
                "a grid's margin is {margin} m, but must be a number, 0 or more"
            )));
        }
        closed(&mesh.faces)?;
        let x: Vec<Vec3> = (0..mesh.vertex_count())
            .map(|v| mesh.world(v).as_vec3())
            .collect();
        let mut grid = DistanceGrid::around(&x, &mesh.faces, spacing, margin)?;
        grid.distances = grid.measure(engine, &x, &mesh.faces)?;
        let inside = grid.inside(&x, &mesh.faces);
        for (d, inside) in grid.distances.iter_mut().zip(inside) {
            *d = if inside { -*d } else { *d };
        }
        Ok(grid)
    }

    /// Returns the longest side of the bounding box of a surface's faces, in metres.
    pub(crate) fn extent(mesh: &TriMesh) -> f32 {
        let [low, high] = bounds((mesh.faces.iter().flatten()).map(|&v| mesh.world(v as usize)));
        (high - low).max_element().max(0.0) as f32
    }

    /// Makes a grid around some faces, without distances.
    fn around(
        x: &[Vec3],
        faces: &[[u32; 3]],
        spacing: f32,
        margin: f32,
    ) -> Result<DistanceGrid, Error> {
        let corners = faces.iter().flatten().map(|&v| x[v as usize].as_dvec3());
        let [low, high] = bounds(corners);
        let (step, border) = (f64::from(spacing), f64::from(margin) + f64::from(spacing));
        let points = ((high - low + 2.0 * border) / step).ceil() + 1.0;
        let many = points.element_product();
        if many.is_nan() || many > MOST {
            return Err(Error::Options(format!(
                "a grid of {} by {} by {} points has more than {MOST}: its spacing of {spacing} m is too fine",
                points.x, points.y, points.z
            )));
        }
        Ok(DistanceGrid {
            points: points.to_array().map(|n| n as u32),
            spacing,
            origin: (low - border).as_vec3(),
            distances: Vec::new(),
        })
    }

    fn len(&self) -> usize {
        self.points.iter().map(|&n| n as usize).product()
    }

    /// Returns the coordinate of layer `i` of the grid along an axis.
    fn layer(&self, axis: usize, i: usize) -> f32 {
        self.origin[axis] + i as f32 * self.spacing
    }

    /// Returns the position of point `k`.
    fn place(&self, k: usize) -> Vec3 {
        let [x, y, _] = self.points.map(|n| n as usize);
        let at = [k % x, k / x % y, k / (x * y)];
        Vec3::from_array([0, 1, 2].map(|axis| self.layer(axis, at[axis])))
    }

    /// Computes the unsigned distances.
    fn measure(&self, engine: &Engine, x: &[Vec3], faces: &[[u32; 3]]) -> Result<Vec<f32>, Error> {
        let tree = SurfaceTree::new(engine, x, faces)?;
        let (n, mut all) = (self.len(), Vec::with_capacity(self.len()));
        while all.len() < n {
            let part = all.len()..n.min(all.len() + BATCH);
            let points: Vec<Vec3> = part.into_par_iter().map(|k| self.place(k)).collect();
            let points = engine.upload(&points)?;
            all.extend(tree.closest(&points)?.distances(&points)?.read()?);
        }
        Ok(all)
    }

    /// Returns `true` for each point that the surface winds round: sums the signed crossings with the grid's rows along
    /// x.
    fn inside(&self, x: &[Vec3], faces: &[[u32; 3]]) -> Vec<bool> {
        let [nx, ny, nz] = self.points.map(|n| n as usize);
        let mut crossings = vec![0i32; self.len()];
        for face in faces {
            let corners = face.map(|v| x[v as usize]);
            for k in self.layers(2, nz, corners) {
                for j in self.layers(1, ny, corners) {
                    let row = [self.layer(1, j), self.layer(2, k)].map(f64::from);
                    let Some((sign, at)) = crossing(*face, corners, row) else {
                        continue;
                    };
                    if let Some(i) = self.beyond(at) {
                        crossings[i + nx * (j + ny * k)] += sign;
                    }
                }
            }
        }
        crossings.par_chunks_mut(nx).for_each(|row| {
            let mut sum = 0;
            for n in row {
                sum += *n;
                *n = sum;
            }
        });
        crossings.into_iter().map(|n| n != 0).collect()
    }

    /// Returns the first point of a row along x that lies beyond a coordinate.
    fn beyond(&self, x: f64) -> Option<usize> {
        let (n, step) = (self.points[0] as usize, f64::from(self.spacing));
        let guess = ((x - f64::from(self.origin.x)) / step).floor() - 1.0;
        let first = guess.max(0.0) as usize;
        (first..n).find(|&i| f64::from(self.layer(0, i)) > x)
    }

    /// Returns the layers along an axis that a triangle may reach.
    fn layers(&self, axis: usize, n: usize, corners: [Vec3; 3]) -> std::ops::Range<usize> {
        let along = corners.map(|c| (c[axis] - self.origin[axis]) / self.spacing);
        let low = along.iter().copied().fold(f32::INFINITY, f32::min);
        let high = along.iter().copied().fold(f32::NEG_INFINITY, f32::max);
        // One more on either side, against rounding.
        let first = (low.floor() - 1.0).max(0.0) as usize;
        first..n.min((high.ceil() + 2.0).max(0.0) as usize)
    }

    pub(super) fn check(&self) -> Result<(), Error> {
        let few = self.points.iter().any(|&n| n < 2);
        let many = self.points.iter().map(|&n| f64::from(n)).product::<f64>();
        if few || many != self.distances.len() as f64 || many > MOST {
            return Err(Error::Options(format!(
                "a grid of {:?} points with {} distances: there must be 2 points along each axis or more, {MOST} in \
                    all or fewer, and a distance for each",
                self.points,
                self.distances.len()
            )));
        }
        if let Some(at) = self.distances.iter().position(|d| !d.is_finite()) {
            return Err(Error::Options(format!(
                "distance {at} of a grid is not finite"
            )));
        }
        if !self.origin.is_finite() {
            return Err(Error::Options("a grid's origin is not finite".into()));
        }
        positive("a grid's spacing", self.spacing)
    }
}

fn bounds(points: impl Iterator<Item = DVec3>) -> [DVec3; 2] {
    let nothing = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    points.fold(nothing, |[low, high], p| [low.min(p), high.max(p)])
}

/// Refuses faces with an edge that does not run equally often in both directions: such a surface has no inside.
fn closed(faces: &[[u32; 3]]) -> Result<(), Error> {
    if faces.is_empty() {
        return Err(Error::Options("the surface has no faces".into()));
    }
    let sides = |f: &[u32; 3]| [[f[0], f[1]], [f[1], f[2]], [f[2], f[0]]];
    let mut halves: Vec<([u32; 2], i32)> = (faces.par_iter())
        .flat_map_iter(sides)
        .filter(|[a, b]| a != b)
        .map(|[a, b]| if a < b { ([a, b], 1) } else { ([b, a], -1) })
        .collect();
    halves.par_sort_unstable();
    for edge in halves.chunk_by(|a, b| a.0 == b.0) {
        let (ends, sum) = (edge[0].0, edge.iter().map(|h| h.1).sum::<i32>());
        if sum != 0 {
            return Err(Error::Options(format!(
                "the surface is not closed: the edge of vertices {} and {} has {} on it, which do not run both ways \
                    equally often",
                ends[0],
                ends[1],
                match edge.len() {
                    1 => "1 face".to_owned(),
                    n => format!("{n} faces"),
                }
            )));
        }
    }
    Ok(())
}

/// Returns the intersection of a row along x with a face, if any, and 1 if the row enters or -1 if it leaves. A row
/// that meets an edge or a vertex is shifted infinitesimally, always in the same direction, so that it meets as many
/// faces as it crosses.
fn crossing(face: [u32; 3], corners: [Vec3; 3], row: [f64; 2]) -> Option<(i32, f64)> {
    let side = |k: usize| {
        let (from, to) = ((k + 1) % 3, (k + 2) % 3);
        // Always from the lower vertex to the higher: both faces of an edge compute the same.
        if face[from] < face[to] {
            beside([corners[from], corners[to]], row)
        } else {
            let (sign, area) = beside([corners[to], corners[from]], row);
            (-sign, -area)
        }
    };
    let sides = [side(0), side(1), side(2)];
    let sign = sides[0].0;
    if sign == 0 || sides.iter().any(|s| s.0 != sign) {
        return None;
    }
    let whole: f64 = sides.iter().map(|s| s.1).sum();
    let at = (sides.iter().zip(corners)).map(|((_, area), c)| area / whole * f64::from(c.x));
    // The normal of a face that is counter-clockwise seen from the +x side points towards +x: the row leaves.
    Some((-sign, at.sum()))
}

/// Returns the side of a line on which the row is, and twice the area of their triangle.
fn beside([a, b]: [Vec3; 2], [y, z]: [f64; 2]) -> (i32, f64) {
    let wide = |v: Vec3| [f64::from(v.y), f64::from(v.z)];
    let (a, b) = (wide(a), wide(b));
    let along = [b[0] - a[0], b[1] - a[1]];
    let area = along[0] * (z - a[1]) - along[1] * (y - a[0]);
    let sign = |x: f64| i32::from(x > 0.0) - i32::from(x < 0.0);
    // On the line: as if it were shifted along y by a little, and along z by less.
    let signs = [sign(area), sign(-along[1]), sign(along[0])];
    (signs.into_iter().find(|s| *s != 0).unwrap_or(0), area)
}
