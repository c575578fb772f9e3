//! The camera: where it stands so that the mesh fills its part of the picture, and where points are seen.
//!
//! Every step is a sum, product, quotient or root of doubles, in a fixed order, so the result has the same bits on
//! every machine. Largest values are reduced in any order: they are exact.

use crate::options::{PictureOptions, UpAxis, Viewpoint};
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use rxmesh_host::TriMesh;
use rxmesh_host::mesh::UsedVertices;
use std::borrow::Cow;

/// Units of the fixed-point coordinates in a pixel.
pub(crate) const SUBPIXELS: i32 = 256;

/// Half the angle of view of the shorter side, as a tangent: that of a long lens, which distorts little.
const TANGENT: f64 = 0.26;

/// Free border round the mesh, as a share of the shorter side.
const BORDER: f64 = 0.06;

/// Part of the picture that the mesh is drawn in, in pixels: left, top, width, height.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Viewport {
    pub(crate) left: f64,
    pub(crate) top: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// A vertex as the picture sees it.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(crate) struct Spot {
    /// Pixels from the left, in units of [`SUBPIXELS`].
    pub(crate) x: i32,
    /// Pixels from the top, in the same units.
    pub(crate) y: i32,
    /// Inverse of the distance from the camera along its axis; larger is nearer.
    pub(crate) near: f32,
}

/// Directions of the picture in the mesh's space.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Axes {
    pub(crate) right: DVec3,
    pub(crate) up: DVec3,
    pub(crate) toward: DVec3,
}

impl Axes {
    fn new(up: UpAxis, view: Viewpoint) -> Axes {
        let (sin_a, cos_a) = sin_cos(view.azimuth);
        let (sin_e, cos_e) = sin_cos(view.elevation);
        // The front of a mesh whose z points upwards looks along -y, as in CAD.
        let turn = |right: f64, front: f64, high: f64| match up {
            UpAxis::Y => DVec3::new(right, high, front),
            UpAxis::Z => DVec3::new(right, -front, high),
        };
        let toward = turn(sin_a * cos_e, cos_a * cos_e, sin_e);
        let right = turn(cos_a, -sin_a, 0.0);
        Axes {
            right,
            up: toward.cross(right),
            toward,
        }
    }
}

/// Returns sine and cosine of an angle in degrees; exact for multiples of a quarter turn.
fn sin_cos(degrees: f64) -> (f64, f64) {
    let turned = degrees % 360.0;
    let quarters = libm::round(turned / 90.0);
    let rest = (turned - 90.0 * quarters) * (std::f64::consts::PI / 180.0);
    let (sin, cos) = (libm::sin(rest), libm::cos(rest));
    match quarters.rem_euclid(4.0) as u32 {
        0 => (sin, cos),
        1 => (cos, -sin),
        2 => (-sin, -cos),
        _ => (-cos, sin),
    }
}

/// The camera.
#[derive(Debug, Clone)]
pub(crate) struct Camera {
    pub(crate) axes: Axes,
    /// Middle of the mesh's box, and the inverse of half its diagonal: what is drawn lies in the unit ball round it.
    middle: DVec3,
    shrink: f64,
    /// Place of the camera's axis, and the camera's distance, in the unit ball's frame turned by the axes.
    axis: [f64; 2],
    distance: f64,
    /// Pixels of a length of 1 at distance 1.
    pub(crate) focal: f64,
    /// Pixel that the axis meets.
    pub(crate) centre: [f64; 2],
}

impl Camera {
    /// Returns the camera that has all meshes in its viewport.
    pub(crate) fn new(
        meshes: &[Cow<'_, TriMesh>],
        options: &PictureOptions,
        port: Viewport,
    ) -> Camera {
        let axes = Axes::new(options.up, options.view);
        let used: Vec<UsedVertices> = meshes.iter().map(|mesh| mesh.used_vertices()).collect();
        let (low, high) = bounds(meshes, &used);
        let diagonal = (high - low).length();
        let shrink = match diagonal > 0.0 {
            true => 2.0 / diagonal,
            false => 1.0,
        };
        let side = port.width.min(port.height).max(1.0);
        let focal = 0.5 * side / TANGENT;
        let tangents = [port.width, port.height].map(|size| (0.5 * size - BORDER * side) / focal);
        let mut camera = Camera {
            axes,
            middle: 0.5 * low + 0.5 * high,
            shrink,
            axis: [0.0; 2],
            distance: 0.0,
            focal: focal * options.zoom,
            centre: [port.left + 0.5 * port.width, port.top + 0.5 * port.height],
        };
        camera.fit(meshes, &used, tangents);
        camera
    }

    /// Moves the camera back until every point is between the four planes that bound the view.
    fn fit(&mut self, meshes: &[Cow<'_, TriMesh>], used: &[UsedVertices], [tx, ty]: [f64; 2]) {
        // For each plane, how far its outermost point is out; then the nearest and the farthest point.
        let reach = |p: Vec3| {
            let [x, y, z] = self.turned(p);
            [x + tx * z, -x + tx * z, y + ty * z, -y + ty * z, z, -z]
        };
        let none = [f64::NEG_INFINITY; 6];
        let larger = |a: [f64; 6], b: [f64; 6]| std::array::from_fn(|i| a[i].max(b[i]));
        let most = |mesh: &TriMesh, used: &UsedVertices| {
            let indices = (0..mesh.positions.len())
                .into_par_iter()
                .with_min_len(1 << 14);
            let used = indices.filter(|&v| used.contains(v));
            let most = used.fold(|| none, |most, v| larger(most, reach(mesh.positions[v])));
            most.reduce(|| none, larger)
        };
        let each = meshes.iter().zip(used).map(|(mesh, used)| most(mesh, used));
        let [right, left, above, below, front, back] = each.fold(none, larger);
        self.axis = [0.5 * (right - left), 0.5 * (above - below)];
        let fits = (0.5 * (right + left) / tx).max(0.5 * (above + below) / ty);
        // A mesh without width is still in front of the camera.
        self.distance = fits.max(front + 0.25 * (front + back).max(1.0));
    }

    /// Returns a point in the frame of the picture: right, up, toward the viewer, in a ball of about 1.
    pub(crate) fn turned(&self, p: Vec3) -> [f64; 3] {
        let p = self.ball(p);
        let Axes { right, up, toward } = &self.axes;
        [p.dot(*right), p.dot(*up), p.dot(*toward)]
    }

    /// Returns a point in the unit ball round the mesh, along the mesh's axes.
    pub(crate) fn ball(&self, p: Vec3) -> DVec3 {
        (p.as_dvec3() - self.middle) * self.shrink
    }

    /// Returns the camera's place and the direction that is seen at a place of the picture, in the unit ball's frame.
    pub(crate) fn ray(&self, x: f64, y: f64) -> (DVec3, DVec3) {
        let Axes { right, up, toward } = self.axes;
        let origin = right * self.axis[0] + up * self.axis[1] + toward * self.distance;
        let across = right * ((x - self.centre[0]) / self.focal);
        (
            origin,
            across + up * ((self.centre[1] - y) / self.focal) - toward,
        )
    }

    /// Returns the places of the vertices of a mesh in the picture.
    pub(crate) fn spots(&self, mesh: &TriMesh) -> Vec<Spot> {
        let positions = mesh.positions.par_iter().with_min_len(1 << 12);
        positions.map(|p| self.see(*p)).collect()
    }

    /// Returns the place of a point in the picture.
    pub(crate) fn see(&self, p: Vec3) -> Spot {
        self.project(self.turned(p))
    }

    /// Returns the place of a point of the turned frame in the picture.
    pub(crate) fn project(&self, [x, y, z]: [f64; 3]) -> Spot {
        let near = 1.0 / (self.distance - z);
        let scale = self.focal * near * f64::from(SUBPIXELS);
        Spot {
            x: fixed(self.centre[0] * f64::from(SUBPIXELS) + (x - self.axis[0]) * scale),
            y: fixed(self.centre[1] * f64::from(SUBPIXELS) - (y - self.axis[1]) * scale),
            near: near as f32,
        }
    }

    /// Returns a length of the mesh in the units of [`turned`](Self::turned).
    pub(crate) fn length(&self, length: f64) -> f64 {
        length * self.shrink
    }
}

/// Rounds to a whole number. Places far outside the picture stay outside.
fn fixed(x: f64) -> i32 {
    /// Farthest place: products of two differences fit into 64 bits.
    const FAR: f64 = (1u64 << 29) as f64;
    (x + (FAR + 0.5)).clamp(0.0, 2.0 * FAR) as i32 - FAR as i32
}

/// Returns the corners of the box round all meshes.
fn bounds(meshes: &[Cow<'_, TriMesh>], used: &[UsedVertices]) -> (DVec3, DVec3) {
    let none = || (Vec3::INFINITY, Vec3::NEG_INFINITY);
    let join = |a: (Vec3, Vec3), b: (Vec3, Vec3)| (a.0.min(b.0), a.1.max(b.1));
    let of = |mesh: &TriMesh, used: &UsedVertices| {
        let indices = (0..mesh.positions.len())
            .into_par_iter()
            .with_min_len(1 << 14);
        let used = indices.filter(|&v| used.contains(v));
        let boxes = used.fold(none, |all, v| {
            join(all, (mesh.positions[v], mesh.positions[v]))
        });
        boxes.reduce(none, join)
    };
    let each = meshes.iter().zip(used).map(|(mesh, used)| of(mesh, used));
    let (low, high) = each.fold(none(), join);
    (low.as_dvec3(), high.as_dvec3())
}
