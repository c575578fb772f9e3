//! Signed distances on a regular grid around a surface: [`sdf`].

use super::bounds::{self, TriangleBox};
use super::closest::SurfaceTree;
use super::inside::InsideTree;
use crate::Error;
use crate::engine::{Buffer, Engine};
use crate::grid::{Grid, GridError};
use crate::mesh::{Column, ColumnData, ElementKind};
use crate::options::{Options, cells_around, not_negative, positive};
use crate::par::IntoLean;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use rxmesh_kernels::algo::distance::tree::IndexedTriangles;
use std::ops::Range;
use std::sync::Arc;

/// Name of the column of distances.
pub const DISTANCE: &str = "distance";

/// Options of [`sdf`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct SdfOptions {
    /// Number of cells of the grid along the longest side of the mesh's box
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::default().resolution))]
    pub resolution: u32,
    /// Side of a cell, in place of a number of them
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "LENGTH", conflicts_with = "resolution")
    )]
    pub cell: Option<f64>,
    /// Width of the border around the mesh's box; three cells unless given
    #[cfg_attr(feature = "cli", arg(long, value_name = "LENGTH"))]
    pub margin: Option<f64>,
    /// Limit of distances: points that are farther get it, with their sign
    #[cfg_attr(feature = "cli", arg(long, value_name = "LENGTH"))]
    pub band: Option<f64>,
    /// Compute distances without a sign, for surfaces that have no inside
    #[cfg_attr(feature = "cli", arg(long))]
    pub unsigned: bool,
}

units!(SdfOptions {
    cell: Length,
    margin: Length,
    band: Length
});

changeable!(SdfOptions);

/// Width of the border in cells, unless an option gives it.
const MARGIN: f64 = 3.0;

/// Points that are computed at a time: they take some 250 MB on the engine.
const CHUNK: usize = 1 << 22;

/// Points that a task of the host places.
const PLACED: usize = 1 << 14;

impl Default for SdfOptions {
    fn default() -> Self {
        SdfOptions {
            resolution: 128,
            cell: None,
            margin: None,
            band: None,
            unsigned: false,
        }
    }
}

impl Options for SdfOptions {
    fn check(&self) -> Result<(), Error> {
        cells_around(self.resolution, 1, self.cell)?;
        if let Some(band) = self.band {
            positive("the limit of distances (band)", band)?;
        }
        not_negative("the margin", self.margin.unwrap_or(0.0))
    }
}

/// Report of [`sdf`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SdfReport {
    /// Number of points along each axis.
    pub counts: [u32; 3],
    /// Distance of neighbouring points along each axis.
    pub cell: f64,
    /// Number of points.
    pub points: u64,
    /// Number of points inside; none without signs.
    pub inside: Option<u64>,
    /// Number of edges of the surface's boundary, near which signs are those of winding numbers; none without signs.
    pub boundary_edges: Option<u32>,
    /// Least distance.
    pub least: f64,
    /// Greatest distance.
    pub greatest: f64,
}

units!(SdfReport {
    cell: Length,
    least: Length,
    greatest: Length
});

/// Computes distances from triangles of any kind at the points of a grid around them: negative inside, where the
/// winding number is at least one half. The grid has one column, [`DISTANCE`].
///
/// Open surfaces and soups have an inside as well, by their winding numbers ([`InsideTree`]); with
/// [`SdfOptions::unsigned`] no sign is computed. Points are computed in chunks, so that the engine's memory does not
/// limit the size of the grid. Distances have the same bits on every engine; signs of points whose winding number is
/// close to one half may differ.
///
/// # Errors
///
/// [`Error::Options`] for options that make no sense, no triangles, a corner that does not exist or is not finite, or
/// triangles all at one place; [`Error::Grid`] for more points than can be; no memory, or any error of the engine.
pub fn sdf(
    engine: &Engine,
    x: &Buffer<Vec3>,
    faces: &Buffer<[u32; 3]>,
    options: &SdfOptions,
) -> Result<(Grid, SdfReport), Error> {
    options.check()?;
    let triangles = IndexedTriangles {
        x: x.global(),
        faces: faces.global().cast(),
    };
    if triangles.count() == 0 {
        let why = "there are no faces, so there is nothing to measure distances from";
        return Err(Error::Options(why.into()));
    }
    let TriangleBox { low, high, .. } = bounds::checked(engine, triangles)?;
    let mut grid = grid_around(low.as_dvec3(), high.as_dvec3(), options)?;
    let tree = Arc::new(SurfaceTree::on_engine(engine, x, faces)?);
    let inside = match options.unsigned {
        true => None,
        false => Some(InsideTree::new(tree.clone(), x, faces)?),
    };
    let band = options.band.unwrap_or(f64::INFINITY);
    let values = distances_on_grid(&grid, &tree, inside.as_ref(), band)?;
    let limits = [f32::INFINITY, f32::NEG_INFINITY];
    let [least, greatest] = values
        .iter()
        .fold(limits, |[low, high], &d| [low.min(d), high.max(d)]);
    let negative = || values.iter().filter(|d| d.is_sign_negative()).count() as u64;
    let report = SdfReport {
        counts: grid.counts,
        cell: grid.spacing.x,
        points: values.len() as u64,
        inside: inside.as_ref().map(|_| negative()),
        boundary_edges: inside.as_ref().map(InsideTree::boundary_edges),
        least: f64::from(least),
        greatest: f64::from(greatest),
    };
    grid.add_column(Column {
        name: DISTANCE.to_owned(),
        element: ElementKind::Vertex,
        width: 1,
        data: ColumnData::F32(values),
    })?;
    Ok((grid, report))
}

/// Returns a grid of cubes around a box, without columns.
fn grid_around(low: DVec3, high: DVec3, options: &SdfOptions) -> Result<Grid, Error> {
    let extent = high - low;
    let longest = extent.max_element();
    let cell = options
        .cell
        .unwrap_or(longest / f64::from(options.resolution));
    if cell <= 0.0 {
        let why = "all corners are at one place: give the side of a cell (cell)";
        return Err(Error::Options(why.into()));
    }
    let margin = options.margin.unwrap_or(MARGIN * cell);
    // Rounding must not add a cell where whole cells fill the box.
    let cells = (extent + 2.0 * margin) / cell * (1.0 - 1e-9);
    let counts = cells.to_array().map(|n| (n.ceil() + 1.0) as u32);
    match Grid::new(counts, low - margin, DVec3::splat(cell)) {
        Err(e @ GridError::TooLarge { .. }) => Err(Error::Options(format!(
            "{e}: take larger cells (resolution, cell) or a smaller margin"
        ))),
        grid => Ok(grid?),
    }
}

/// Computes the distances of a grid's points from a surface, both in the same frame: negative inside, if it is known
/// what is inside. Distances greater than `band` become `band`, with their sign.
///
/// # Errors
///
/// A grid that is not valid; no memory, or any error of the engine.
pub fn distances_on_grid(
    grid: &Grid,
    tree: &SurfaceTree,
    inside: Option<&InsideTree>,
    band: f64,
) -> Result<Vec<f32>, Error> {
    let (engine, points) = (tree.engine(), grid.points()?);
    let band = band as f32;
    let mut all = Vec::new();
    all.try_reserve_exact(points).map_err(|_| {
        let bytes = points.saturating_mul(size_of::<f32>());
        Error::Options(format!(
            "the values of the grid take {bytes} bytes, which are not there"
        ))
    })?;
    for start in (0..points).step_by(CHUNK) {
        let chunk = start..points.min(start + CHUNK);
        let places = engine.upload(&places(grid, chunk))?;
        let distances = match inside {
            Some(inside) => inside.signed_distances(&places)?.1,
            None => tree.closest(&places)?.distances(&places)?,
        };
        let cut = |d: f32| d.max(-band).min(band);
        all.extend(distances.read()?.into_iter().map(cut));
    }
    Ok(all)
}

/// Returns the places of a range of a grid's points. A kernel that makes them would save the upload, which takes less
/// time than the searches.
fn places(grid: &Grid, points: Range<usize>) -> Vec<Vec3> {
    let [nx, ny, _] = grid.counts.map(|n| n as usize);
    let place = |i: usize| {
        let point = [i % nx, i / nx % ny, i / nx / ny];
        grid.place(point.map(|n| n as u32)).as_vec3()
    };
    let mut places = vec![Vec3::ZERO; points.len()];
    let tasks = places.par_chunks_mut(PLACED).enumerate().lean();
    tasks.for_each(|(task, places)| {
        let first = points.start + task * PLACED;
        let each = places.iter_mut().enumerate();
        each.for_each(|(i, to)| *to = place(first + i));
    });
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{TriMesh, generate};

    fn computed(mesh: &TriMesh, options: &SdfOptions) -> Result<(Grid, SdfReport), Error> {
        let engine = Engine::cpu();
        let x = engine.upload(&mesh.positions)?;
        let faces = engine.upload(&mesh.faces)?;
        sdf(&engine, &x, &faces, options)
    }

    fn values(grid: &Grid) -> &[f32] {
        match &grid.columns[0].data {
            ColumnData::F32(values) => values,
            other => panic!("{other:?}"),
        }
    }

    /// Returns the distance of a point from a triangle, from its plane if the point is above it, else from an edge.
    fn from_triangle(p: DVec3, [a, b, c]: [DVec3; 3]) -> f64 {
        let normal = (b - a).cross(c - a);
        let edges = [(a, b), (b, c), (c, a)];
        let is_above = edges
            .iter()
            .all(|(from, to)| (to - from).cross(p - from).dot(normal) >= 0.0);
        if is_above {
            return (p - a).dot(normal.normalize()).abs();
        }
        let from_edge = |(from, to): (DVec3, DVec3)| {
            let t = (p - from).dot(to - from) / (to - from).length_squared();
            p.distance(from + t.clamp(0.0, 1.0) * (to - from))
        };
        edges
            .map(from_edge)
            .into_iter()
            .fold(f64::INFINITY, f64::min)
    }

    #[test]
    fn a_ball_has_known_distances() {
        let ball = generate::icosphere(5).unwrap();
        let options = SdfOptions::default().with(|o| o.resolution = 20);
        let (grid, report) = computed(&ball, &options).unwrap();
        assert_eq!(grid.counts, [27; 3]);
        assert_eq!(report.counts, grid.counts);
        assert_eq!(report.boundary_edges, Some(0));
        let mut inside = 0;
        for (i, &d) in values(&grid).iter().enumerate() {
            let i = i as u32;
            let p = grid.place([i % 27, i / 27 % 27, i / 27 / 27]);
            let exact = p.length() - 1.0;
            assert!((f64::from(d) - exact).abs() < 2e-3, "{p}: {d}");
            inside += u64::from(d.is_sign_negative());
        }
        assert_eq!(report.inside, Some(inside));
        assert!((report.least + 1.0).abs() < 2e-3 && report.greatest > 1.2);
    }

    #[test]
    fn distances_are_those_of_every_triangle() {
        let ring = generate::torus(12, 6, 1.0, 0.4).unwrap();
        let options = SdfOptions::default().with(|o| o.resolution = 16);
        let (grid, _) = computed(&ring, &options).unwrap();
        let all = places(&grid, 0..grid.points().unwrap());
        for (p, &d) in all.into_iter().zip(values(&grid)) {
            let corner = |v: u32| ring.positions[v as usize].as_dvec3();
            let each = ring
                .faces
                .iter()
                .map(|f| from_triangle(p.as_dvec3(), f.map(corner)));
            let least = each.fold(f64::INFINITY, f64::min);
            assert!(
                (f64::from(d.abs()) - least).abs() < 1e-5,
                "{p}: {d} and {least}"
            );
        }
    }

    #[test]
    fn open_surfaces_bands_and_no_signs() {
        let mut ball = generate::icosphere(4).unwrap();
        let top = |f: &[u32; 3]| f.iter().all(|&v| ball.positions[v as usize].z > 0.9);
        let faces: Vec<[u32; 3]> = ball.faces.iter().filter(|f| !top(f)).copied().collect();
        ball.faces = faces;
        let options = SdfOptions::default().with(|o| {
            o.cell = Some(0.125);
            o.margin = Some(0.5);
            o.band = Some(0.25);
        });
        let (grid, report) = computed(&ball, &options).unwrap();
        assert!(report.boundary_edges.is_some_and(|n| n > 0));
        assert_eq!((report.least, report.greatest), (-0.25, 0.25));
        let [nx, ny, _] = grid.counts;
        for (i, &d) in (0..).zip(values(&grid)) {
            let p = grid.place([i % nx, i / nx % ny, i / nx / ny]);
            // Far from the hole signs are those of the whole ball.
            if p.z < 0.6 && (p.length() - 1.0).abs() > 0.02 {
                assert_eq!(d < 0.0, p.length() < 1.0, "{p}: {d}");
            }
        }
        let plain = options.with(|o| o.unsigned = true);
        let (unsigned, report) = computed(&ball, &plain).unwrap();
        assert_eq!((report.inside, report.boundary_edges), (None, None));
        let both = values(&unsigned).iter().zip(values(&grid));
        both.for_each(|(u, s)| assert_eq!(*u, s.abs()));
    }

    #[test]
    fn chunks_do_not_show() {
        let ball = generate::icosphere(1).unwrap();
        let options = SdfOptions::default().with(|o| o.resolution = 155);
        let (grid, report) = computed(&ball, &options.with(|o| o.unsigned = true)).unwrap();
        assert!(report.points > CHUNK as u64);
        let d = values(&grid);
        let centre = grid.row(grid.counts.map(|n| n / 2)).unwrap();
        assert!(d[centre] > 0.8 && d[0] > 0.7 && d[d.len() - 1] > 0.7);
        assert!((d[0] - d[d.len() - 1]).abs() < 0.02);
    }

    #[test]
    fn wrong_options_are_named() {
        let ball = generate::icosphere(1).unwrap();
        let of = |change: fn(&mut SdfOptions)| {
            let options = SdfOptions::default().with(change);
            computed(&ball, &options).unwrap_err().to_string()
        };
        assert!(of(|o| o.resolution = 0).contains("from 1 to 4096"));
        assert!(of(|o| o.cell = Some(-1.0)).contains("positive"));
        assert!(of(|o| o.band = Some(0.0)).contains("band"));
        assert!(of(|o| o.margin = Some(f64::NAN)).contains("margin"));
        assert!(of(|o| o.cell = Some(1e-5)).contains("take larger cells"));
        let none = TriMesh::default();
        let error = computed(&none, &SdfOptions::default()).unwrap_err();
        assert!(error.to_string().contains("no faces"));
        let mut point = ball.clone();
        point.positions.iter_mut().for_each(|p| *p = Vec3::ONE);
        let error = computed(&point, &SdfOptions::default()).unwrap_err();
        assert!(error.to_string().contains("at one place"));
        let options = SdfOptions::default().with(|o| o.cell = Some(0.5));
        assert_eq!(computed(&point, &options).unwrap().0.counts, [7; 3]);
    }
}
