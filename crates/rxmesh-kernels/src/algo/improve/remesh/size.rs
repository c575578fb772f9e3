//! Measures of a mesh: lengths of its edges, and its area as a number of triangles of a length.

use super::Sizing;
use crate::edit::{FlatMesh, HalfEdgeMesh, NONE};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::{BlockKernel, FlatKernel};
use crate::lanes::three;
use crate::math::length;
use crate::mem::{Global, GlobalMut, Plan, Shared};
use glam::Vec3;

/// Edge or face slots that one block sums.
pub const LENGTH_CHUNK: u32 = 4096;

kernel! {
    /// Sums the lengths of the live edges of each chunk of slots, counts them, and finds the longest.
    pub struct SumLengths: Block {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Positions.
        pub x: Global<Vec3>,
        /// Unit of the lengths.
        pub unit: Sizing,
        /// A sum a chunk.
        pub lengths: GlobalMut<f64>,
        /// A number of edges a chunk.
        pub edges: GlobalMut<f64>,
        /// Greatest length of a chunk; minus infinity without an edge.
        pub longest: GlobalMut<f64>,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for SumLengths {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let first = block * LENGTH_CHUNK;
        let n = (self.mesh.edge_capacity() - first).min(LENGTH_CHUNK);
        let (ev, x, unit) = (self.mesh.ev.from(2 * first), self.x, self.unit);
        let lives = |i: u32| ev.get(2 * i) != NONE;
        let of = |i: u32| {
            let (u, v) = (ev.get(2 * i), ev.get(2 * i + 1));
            f64::from(length(x.get(u) - x.get(v)) / unit.length(u, v))
        };
        let total = b.sum(n, scratch, |i| if lives(i) { of(i) } else { 0.0 });
        let most = b.max(
            n,
            scratch,
            |i| {
                if lives(i) { of(i) } else { f64::NEG_INFINITY }
            },
        );
        let edges = b.count(n, scratch, lives);
        let (lengths, counts, longest) = (self.lengths, self.edges, self.longest);
        b.last_phase(|p| {
            p.lead(|| {
                lengths.set(block, total);
                counts.set(block, f64::from(edges));
                longest.set(block, most);
            });
        });
    }
}

kernel! {
    /// Sums the areas of the live faces of each chunk of slots, in squares of a length, and the volumes under them.
    pub struct SumAreas: Block {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Positions.
        pub x: Global<Vec3>,
        /// Length with which others are compared.
        pub unit: Sizing,
        /// A sum of areas a chunk.
        pub areas: GlobalMut<f64>,
        /// A sum of volumes a chunk, of the cones from the origin over the faces: those of a closed mesh make up the
        /// enclosed volume. Empty if they are not requested.
        pub volumes: GlobalMut<f64>,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for SumAreas {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let first = block * LENGTH_CHUNK;
        let n = (self.mesh.face_capacity() - first).min(LENGTH_CHUNK);
        let (mesh, x, unit) = (self.mesh, self.x, self.unit);
        let of = |i: u32| match mesh.face_lives(first + i) {
            true => area(&mesh, x, unit, first + i),
            false => 0.0,
        };
        let total = b.sum(n, scratch, of);
        let (areas, volumes) = (self.areas, self.volumes);
        if volumes.is_empty() {
            return b.last_phase(|p| p.lead(|| areas.set(block, total)));
        }
        // Rounded, so that sums have no rounding, whatever their order is.
        let volume = |i: u32| match mesh.face_lives(first + i) {
            true => f64::from(cone(&mesh, x, first + i) as f32),
            false => 0.0,
        };
        let volume = b.sum(n, scratch, volume);
        b.last_phase(|p| {
            p.lead(|| {
                areas.set(block, total);
                volumes.set(block, volume);
            });
        });
    }
}

/// Returns the area of a live face in squares of a length.
#[inline(always)]
fn area(mesh: &FlatMesh, x: Global<Vec3>, unit: Sizing, f: u32) -> f64 {
    let sides = mesh.sides(f);
    let [a, b, c] = three(|k| mesh.origin(sides[k]));
    let area = 0.5 * length((x.get(b) - x.get(a)).cross(x.get(c) - x.get(a)));
    let l = f64::from((unit.at(a) + unit.at(b) + unit.at(c)) * (1.0 / 3.0));
    f64::from(area) / (l * l)
}

/// Returns the volume of the cone from the origin over a live face, positive if its normal points away from the origin.
#[inline(always)]
fn cone(mesh: &FlatMesh, x: Global<Vec3>, f: u32) -> f64 {
    let sides = mesh.sides(f);
    let [a, b, c] = three(|k| x.get(mesh.origin(sides[k])));
    let minor =
        |p: f32, q: f32, r: f32, s: f32| f64::from(p) * f64::from(q) - f64::from(r) * f64::from(s);
    let volume = f64::from(a.x) * minor(b.y, c.z, b.z, c.y)
        + f64::from(a.y) * minor(b.z, c.x, b.x, c.z)
        + f64::from(a.z) * minor(b.x, c.y, b.y, c.x);
    volume / 6.0
}

kernel! {
    /// Computes the length of each edge in units, and the number of its mesh. One index per edge slot.
    pub struct LabelLengths: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Positions.
        pub x: Global<Vec3>,
        /// Unit, with the labels of the vertices.
        pub unit: Sizing,
        /// Length at each vertex.
        pub lengths: GlobalMut<f32>,
        /// Labels; [`NONE`] if no edge lives.
        pub labels: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for LabelLengths {
    #[inline(always)]
    fn run(&self, e: u32) {
        let (u, v) = (self.mesh.ev.get(2 * e), self.mesh.ev.get(2 * e + 1));
        if u == NONE {
            return self.labels.set(e, NONE);
        }
        let l = length(self.x.get(u) - self.x.get(v)) / self.unit.length(u, v);
        self.lengths.set(e, l);
        self.labels.set(e, self.unit.label(u));
    }
}

kernel! {
    /// Computes the area of each face in squares of a length, and the number of its mesh. One index per face slot.
    pub struct LabelAreas: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Positions.
        pub x: Global<Vec3>,
        /// Length, with the labels of the vertices.
        pub unit: Sizing,
        /// Area of each mesh.
        pub areas: GlobalMut<f32>,
        /// Volumes of the cones from the origin over the faces whose normals point away from it, and over those whose
        /// normals point to it; 0 for all others. Empty if they are not requested.
        pub outside: GlobalMut<f32>,
        /// See [`LabelAreas::outside`].
        pub inside: GlobalMut<f32>,
        /// Labels; [`NONE`] if no face lives.
        pub labels: GlobalMut<u32>,
        /// Word 1: the largest slot of a face whose vertices differ, and 1.
        pub wrong: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for LabelAreas {
    #[inline(always)]
    fn run(&self, f: u32) {
        if !self.mesh.face_lives(f) {
            return self.labels.set(f, NONE);
        }
        let area = area(&self.mesh, self.x, self.unit, f);
        self.areas.set(f, area as f32);
        if !self.outside.is_empty() {
            let volume = cone(&self.mesh, self.x, f) as f32;
            self.outside.set(f, volume.max(0.0));
            self.inside.set(f, (-volume).max(0.0));
        }
        let [a, b, c] = self
            .mesh
            .sides(f)
            .map(|h| self.unit.label(self.mesh.origin(h)));
        if a != b || a != c {
            self.wrong.raise(1, f + 1);
        }
        self.labels.set(f, a);
    }
}

kernel! {
    /// Multiplies the lengths at the vertices of each mesh by a separate factor. One index per vertex slot.
    pub struct ScaleLengths: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Number of the mesh of each vertex.
        pub labels: Global<u32>,
        /// Factor of each mesh.
        pub factors: Global<f32>,
        /// Length at each vertex.
        pub lengths: GlobalMut<f32>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for ScaleLengths {
    #[inline(always)]
    fn run(&self, v: u32) {
        if self.mesh.vertex_lives(v) {
            let factor = self.factors.get(self.labels.get(v));
            self.lengths.set(v, self.lengths.get(v) * factor);
        }
    }
}
