//! Quality of the triangles of a mesh.

use super::TriMesh;
use super::edges::unique_edges;
use crate::par::IntoLean;
use crate::units::{Quantity, QuantityKind};
use glam::DVec3;
use rayon::prelude::*;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

/// Smallest, mean and largest of some values; zeroes when there is none.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Spread {
    /// Smallest.
    pub min: f64,
    /// Mean.
    pub mean: f64,
    /// Largest.
    pub max: f64,
}

/// Values of one kind.
impl Quantity for Spread {
    fn scale_as(&mut self, kind: QuantityKind, factor: f64) {
        for value in [&mut self.min, &mut self.mean, &mut self.max] {
            value.scale_as(kind, factor);
        }
    }
}

impl Spread {
    /// Divides the values by a length.
    pub fn over(&self, length: f64) -> Spread {
        Spread {
            min: self.min / length,
            mean: self.mean / length,
            max: self.max / length,
        }
    }

    /// Computes the spread of some values.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Spread {
        let (mut n, mut sum, mut min, mut max) = (0u64, 0.0, f64::INFINITY, f64::NEG_INFINITY);
        for v in values {
            (n, sum, min, max) = (n + 1, sum + v, min.min(v), max.max(v));
        }
        if n == 0 {
            return Spread::default();
        }
        Spread {
            min,
            mean: sum / n as f64,
            max,
        }
    }
}

/// Measures that mesh improvement is judged by.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Quality {
    /// Number of vertices.
    pub vertices: u64,
    /// Number of edges.
    pub edges: u64,
    /// Number of faces.
    pub faces: u64,
    /// Lengths of edges, in the world.
    pub edge_length: Spread,
    /// Edges at each vertex that has any.
    pub valence: Spread,
    /// Smallest angle of each face, in degrees.
    pub smallest_angle: Spread,
    /// Area, in squares of the unit of the world.
    pub area: f64,
    /// Volume that a closed mesh encloses, below 0 if it is inside out; `None` for a mesh with a boundary.
    pub volume: Option<f64>,
}

/// Largest sum of the area vectors of a closed mesh, as a part of its area: that of rounding.
const NEARLY_CLOSED: f64 = 1e-6;

/// Values that one thread takes at a time. The same for any number of threads, so that sums have the same bits.
const CHUNK: usize = 1 << 14;

impl Spread {
    /// Computes the spread of the values of `0..n`, in parallel; those that are `None` do not count.
    fn of_each(n: usize, value: impl Fn(usize) -> Option<f64> + Sync) -> Spread {
        let parts: Vec<(u64, f64, f64, f64)> = (0..n.div_ceil(CHUNK))
            .into_par_iter()
            .lean()
            .map(|chunk| {
                let range = chunk * CHUNK..n.min((chunk + 1) * CHUNK);
                let none = (0, 0.0, f64::INFINITY, f64::NEG_INFINITY);
                range
                    .filter_map(&value)
                    .fold(none, |(n, sum, min, max), v| {
                        (n + 1, sum + v, min.min(v), max.max(v))
                    })
            })
            .collect();
        let (mut n, mut sum, mut min, mut max) = (0u64, 0.0, f64::INFINITY, f64::NEG_INFINITY);
        for (count, part, low, high) in parts {
            (n, sum, min, max) = (n + count, sum + part, min.min(low), max.max(high));
        }
        if n == 0 {
            return Spread::default();
        }
        Spread {
            min,
            mean: sum / n as f64,
            max,
        }
    }
}

/// Measures a mesh. Faces that repeat a vertex have no edges, and an angle of zero.
pub fn quality(mesh: &TriMesh) -> Quality {
    let edges = unique_edges(&mesh.faces);
    let x = |v: u32| mesh.positions[v as usize].as_dvec3();
    let valence: Vec<AtomicU32> = (0..mesh.positions.len())
        .map(|_| AtomicU32::new(0))
        .collect();
    edges.par_iter().lean().flatten().for_each(|v| {
        valence[*v as usize].fetch_add(1, Relaxed);
    });
    let length = |e: usize| {
        let [a, b] = edges[e].map(x);
        Some(mesh.placement.scale * a.distance(b))
    };
    let valence_of = |v: usize| match valence[v].load(Relaxed) {
        0 => None,
        n => Some(f64::from(n)),
    };
    let angle = |f: usize| Some(smallest_angle(mesh.faces[f].map(x)));
    let n = mesh.faces.len();
    let sum = |of: &(dyn Fn([DVec3; 3]) -> f64 + Sync)| {
        Spread::of_each(n, |f| Some(of(mesh.faces[f].map(x)))).mean * n as f64
    };
    let normal = |[a, b, c]: [DVec3; 3]| (b - a).cross(c - a) * 0.5;
    let area = sum(&|x| normal(x).length());
    // Each side of a closed mesh has another one, and its area vectors add up to nothing.
    let leaves = (0..3).any(|k| sum(&|x| normal(x)[k]).abs() > NEARLY_CLOSED * area);
    let closed = n > 0 && 2 * edges.len() == 3 * n && !leaves;
    let scale = mesh.placement.scale;
    let first = mesh.faces.first().map_or(DVec3::ZERO, |f| x(f[0]));
    let cone = |[a, b, c]: [DVec3; 3]| (a - first).dot((b - first).cross(c - first)) / 6.0;
    Quality {
        vertices: mesh.positions.len() as u64,
        edges: edges.len() as u64,
        faces: mesh.faces.len() as u64,
        edge_length: Spread::of_each(edges.len(), length),
        valence: Spread::of_each(valence.len(), valence_of),
        smallest_angle: Spread::of_each(mesh.faces.len(), angle),
        area: area * scale * scale,
        volume: closed.then(|| sum(&cone) * scale * scale * scale),
    }
}

/// Returns the smallest angle of a triangle, in degrees.
fn smallest_angle(x: [DVec3; 3]) -> f64 {
    let angle = |k: usize| {
        let (u, v) = (x[(k + 1) % 3] - x[k], x[(k + 2) % 3] - x[k]);
        u.cross(v).length().atan2(u.dot(v)).to_degrees()
    };
    (0..3).map(angle).fold(f64::INFINITY, f64::min)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate;

    #[test]
    fn a_grid_has_right_triangles() {
        let q = quality(&generate::grid(4, 4).unwrap());
        assert_eq!((q.vertices, q.edges, q.faces), (25, 56, 32));
        assert!(
            (q.smallest_angle.min - 45.0).abs() < 1e-4
                && (q.smallest_angle.max - 45.0).abs() < 1e-4
        );
        assert!(
            (q.edge_length.min - 0.25).abs() < 1e-6
                && (q.edge_length.max - 0.125f64.sqrt()).abs() < 1e-6
        );
        assert_eq!((q.valence.min, q.valence.max), (2.0, 6.0));
        assert_eq!(quality(&TriMesh::default()), Quality::default());
        assert!((q.area - 1.0).abs() < 1e-6 && q.volume.is_none());
    }

    #[test]
    fn a_closed_mesh_has_a_volume_and_one_inside_out_a_negative_one() {
        let mut torus = generate::torus(120, 60, 1.0, 0.4).unwrap();
        let exact = std::f64::consts::PI.powi(2) * 2.0 * 0.16;
        torus.placement.scale = 2.0;
        let q = quality(&torus);
        assert!((q.volume.unwrap() / (8.0 * exact) - 1.0).abs() < 0.01);
        assert!((q.area / (4.0 * exact / 0.2) - 1.0).abs() < 0.01);
        for f in &mut torus.faces {
            f.swap(0, 1);
        }
        assert!((quality(&torus).volume.unwrap() + q.volume.unwrap()).abs() < 1e-9);
        torus.faces.pop();
        assert_eq!(quality(&torus).volume, None);
    }
}
