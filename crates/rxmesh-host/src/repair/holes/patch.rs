//! A hole's surroundings, and the faces and vertices that fill it.

use super::loops::{self, HoleLoop};
use crate::mesh::{EdgeTable, TriMesh};
use crate::repair::boxes::Box3;
use glam::DVec3;
use std::collections::HashMap;

/// Neighbours whose normals lie so (cosine) against the hole's own area make it an outer border: 135 degrees.
const FOLDED: f64 = -std::f64::consts::FRAC_1_SQRT_2;

/// Surroundings that a patch must fit to. Vertices are local: first those of the ring, then the others of the faces
/// around it.
#[derive(Clone, Debug)]
pub(super) struct HoleContext {
    /// Positions of the ring.
    pub(super) points: Vec<DVec3>,
    /// Unit normal of the old face at each side; zero when that face has no area.
    pub(super) normals: Vec<DVec3>,
    /// Mean length of the old edges at each vertex of the ring.
    pub(super) sizes: Vec<f64>,
    /// Positions of the other vertices of the faces around.
    pub(super) outside: Vec<DVec3>,
    /// Old faces that have a vertex of the ring, and those around them.
    pub(super) faces: Vec<[u32; 3]>,
    /// Vertices beside the ring all of whose faces are among these.
    pub(super) whole: Vec<u32>,
}

impl HoleContext {
    pub(super) fn new(mesh: &TriMesh, table: &EdgeTable, ring: &HoleLoop) -> HoleContext {
        let at = |v: u32| mesh.positions[v as usize].as_dvec3();
        let n = ring.vertices.len();
        let mut local: HashMap<u32, u32> = HashMap::with_capacity(4 * n);
        local.extend(ring.vertices.iter().zip(0u32..).map(|(&v, i)| (v, i)));
        let mut outside = Vec::new();
        let mut number = |v: u32| {
            let next = (n + outside.len()) as u32;
            let i = *local.entry(v).or_insert(next);
            if i == next {
                outside.push(at(v));
            }
            i
        };
        let around = loops::faces_around(mesh, table, ring);
        let faces: Vec<[u32; 3]> = around
            .faces
            .iter()
            .map(|&f| mesh.faces[f as usize].map(&mut number))
            .collect();
        let points: Vec<DVec3> = ring.vertices.iter().map(|&v| at(v)).collect();
        let normal = |i: usize| {
            let [a, b, c] = mesh.faces[ring.face(i) as usize].map(at);
            unit_normal(a, b, c)
        };
        let mut made = HoleContext {
            normals: (0..n).map(normal).collect(),
            sizes: Vec::new(),
            points,
            whole: around.whole.iter().map(|&v| number(v)).collect(),
            outside,
            faces,
        };
        made.sizes = made.edge_lengths();
        made
    }

    /// Returns the position of a local vertex.
    pub(super) fn point(&self, v: u32) -> DVec3 {
        let (v, n) = (v as usize, self.points.len());
        if v < n {
            self.points[v]
        } else {
            self.outside[v - n]
        }
    }

    /// Computes the mean length of the edges at each vertex of the ring; an edge of two faces counts twice, as in
    /// Liepa's scheme it may.
    fn edge_lengths(&self) -> Vec<f64> {
        let n = self.points.len();
        let mut sums = vec![(0.0, 0.0); n];
        for f in &self.faces {
            for k in 0..3 {
                let (a, b) = (f[k], f[(k + 1) % 3]);
                let length = self.point(a).distance(self.point(b));
                for v in [a, b] {
                    if let Some(sum) = sums.get_mut(v as usize) {
                        *sum = (sum.0 + length, sum.1 + 1.0);
                    }
                }
            }
        }
        sums.into_iter()
            .map(|(sum, count)| sum / f64::max(count, 1.0))
            .collect()
    }

    /// Returns the ring's bounding box.
    pub(super) fn bounds(&self) -> Box3 {
        let points = || self.points.iter().copied();
        (
            points().fold(DVec3::INFINITY, DVec3::min),
            points().fold(DVec3::NEG_INFINITY, DVec3::max),
        )
    }

    /// Returns twice the area of the ring as a vector: its direction is that in which a flat patch would face.
    pub(super) fn area(&self) -> DVec3 {
        let (n, origin) = (self.points.len(), self.points[0]);
        let part = |i: usize| (self.points[i] - origin).cross(self.points[(i + 1) % n] - origin);
        (0..n).map(part).sum()
    }

    /// Returns `true` if a patch would lie folded back upon the faces around.
    pub(super) fn is_outer(&self) -> bool {
        let n = self.points.len();
        let length = |i: usize| self.points[i].distance(self.points[(i + 1) % n]);
        let facing: DVec3 = (0..n).map(|i| length(i) * self.normals[i]).sum();
        let around: f64 = (0..n).map(length).sum();
        // The mean normal, so that neighbours that face everywhere decide nothing.
        facing.dot(self.area().normalize_or_zero()) < FOLDED * around
    }
}

/// Returns the normal of a triangle, zero when it has no area.
pub(super) fn unit_normal(a: DVec3, b: DVec3, c: DVec3) -> DVec3 {
    (b - a).cross(c - a).normalize_or_zero()
}

/// New faces of a hole. Vertices are local: first those of the ring, then the new ones.
#[derive(Clone, Debug)]
pub(super) struct HolePatch {
    pub(super) points: Vec<DVec3>,
    pub(super) faces: Vec<[u32; 3]>,
    /// Corners of the face in whose middle each new vertex was put.
    pub(super) parents: Vec<[u32; 3]>,
    /// Number of vertices of the ring.
    pub(super) ring: u32,
}

impl HolePatch {
    pub(super) fn new(around: &HoleContext, faces: Vec<[u32; 3]>) -> HolePatch {
        HolePatch {
            points: around.points.clone(),
            faces,
            parents: Vec::new(),
            ring: around.points.len() as u32,
        }
    }

    /// Returns new edges between two vertices of the ring, as vertices of the mesh, the smaller first.
    pub(super) fn chords<'a>(&'a self, ring: &'a HoleLoop) -> impl Iterator<Item = [u32; 2]> + 'a {
        let n = self.ring;
        let edges = self
            .faces
            .iter()
            .flat_map(|f| [[f[0], f[1]], [f[1], f[2]], [f[2], f[0]]]);
        // Each new edge runs once in each direction.
        let inner =
            edges.filter(move |&[a, b]| a < b && b < n && a + 1 != b && !(a == 0 && b == n - 1));
        inner.map(move |[a, b]| {
            let (a, b) = (ring.vertices[a as usize], ring.vertices[b as usize]);
            [a.min(b), a.max(b)]
        })
    }

    /// Rounds positions to those that the mesh can have.
    pub(super) fn round(&mut self) {
        self.points
            .iter_mut()
            .for_each(|p| *p = p.as_vec3().as_dvec3());
    }

    /// Returns `true` if every face has an area.
    pub(super) fn is_solid(&self) -> bool {
        self.faces.iter().all(|f| {
            let [a, b, c] = f.map(|v| self.points[v as usize]);
            unit_normal(a, b, c) != DVec3::ZERO
        })
    }

    /// Returns the sharpest fold between two faces of the patch: the least cosine between normals.
    pub(super) fn sharpest(&self) -> f64 {
        let mut normals: HashMap<[u32; 2], DVec3> = HashMap::with_capacity(3 * self.faces.len());
        let mut sharpest = 1.0;
        for f in &self.faces {
            let [a, b, c] = f.map(|v| self.points[v as usize]);
            let normal = unit_normal(a, b, c);
            for k in 0..3 {
                let (a, b) = (f[k], f[(k + 1) % 3]);
                if let Some(other) = normals.remove(&[b, a]) {
                    sharpest = f64::min(sharpest, normal.dot(other));
                }
                normals.insert([a, b], normal);
            }
        }
        sharpest
    }
}
