//! How good the triangles of a mesh are.

use super::{EdgeTable, TriMesh};
use glam::DVec3;

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

impl Spread {
    /// The same values over a length.
    pub fn over(&self, length: f64) -> Spread {
        Spread {
            min: self.min / length,
            mean: self.mean / length,
            max: self.max / length,
        }
    }

    /// The spread of some values.
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
    /// The smallest angle of each face, in degrees.
    pub smallest_angle: Spread,
}

/// Measures a mesh. Faces that repeat a vertex have no edges, and an angle of zero.
pub fn quality(mesh: &TriMesh) -> Quality {
    let table = EdgeTable::new(&mesh.faces, mesh.positions.len());
    let x = |v: u32| mesh.positions[v as usize].as_dvec3();
    let mut valence = vec![0u32; mesh.positions.len()];
    for &[a, b] in &table.edges {
        valence[a as usize] += 1;
        valence[b as usize] += 1;
    }
    Quality {
        vertices: mesh.positions.len() as u64,
        edges: table.len() as u64,
        faces: mesh.faces.len() as u64,
        edge_length: Spread::of(
            table
                .edges
                .iter()
                .map(|&[a, b]| mesh.placement.scale * x(a).distance(x(b))),
        ),
        valence: Spread::of(valence.into_iter().filter(|&n| n > 0).map(f64::from)),
        smallest_angle: Spread::of(mesh.faces.iter().map(|f| smallest_angle(f.map(x)))),
    }
}

/// The smallest angle of a triangle, in degrees.
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
    }
}
