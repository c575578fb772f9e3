//! Vertex normals as the bench's rivals compute them, with the weights of Max 1999: over directed edges, and hardwired
//! on the index list of the faces, added with atomics or gathered.

use crate::half_edges::HalfEdges;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::math::{normalize_or_zero, rcp_fast};
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::{Vec3, args, kernel};

/// Returns what a corner with edges `a` and `b` adds to the normal of its vertex: zero in a degenerate face.
#[inline(always)]
fn corner(a: Vec3, b: Vec3) -> Vec3 {
    let (l, m) = (a.dot(a), b.dot(b));
    if l > 0.0 && m > 0.0 {
        a.cross(b) * rcp_fast(l) * rcp_fast(m)
    } else {
        Vec3::ZERO
    }
}

args! {
    /// Computes unit normals of vertices, walking around each.
    pub struct DirectedNormals<M: HalfEdges> {
        /// Mesh.
        pub mesh: M,
        /// Positions.
        pub x: Global<Vec3>,
        /// Unit normals.
        pub n: GlobalMut<Vec3>,
    }
}

// SAFETY: each index writes its own vertex (contracts U3, U4).
unsafe impl<M: HalfEdges> FlatKernel for DirectedNormals<M> {
    #[inline(always)]
    fn run(&self, v: u32) {
        let x = self.x.get(v);
        let (mut first, mut before, mut sum) = (Vec3::ZERO, Vec3::ZERO, Vec3::ZERO);
        let mut begun = false;
        let closed = self.mesh.vertices(v, |w| {
            let here = self.x.get(w) - x;
            if begun {
                sum += corner(before, here);
            } else {
                (first, begun) = (here, true);
            }
            before = here;
        });
        if closed && begun {
            sum += corner(before, first);
        }
        self.n.set(v, normalize_or_zero(sum * M::TURN));
    }
}

entries_by_layout! { DirectedNormals }

kernel! {
    /// Sets words to zero, four at a time.
    pub struct ClearWords: Flat {
        /// Words.
        pub words: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own four words, or the rest (contracts U3, U4).
unsafe impl FlatKernel for ClearWords {
    #[inline(always)]
    fn run(&self, i: u32) {
        let n = self.words.len();
        if n - 4 * i >= 4 {
            self.words.set4(i, [0; 4]);
            return;
        }
        let mut k = 4 * i;
        while k < n {
            self.words.set(k, 0);
            k += 1;
        }
    }
}

kernel! {
    /// Adds the three corners of each face to the normals of its vertices, with three atomic additions each: the
    /// hardwired kernel of RXMesh 2021, section 8.4.
    pub struct AddNormals: Flat {
        /// Vertices of the faces.
        pub faces: Global<u32>,
        /// Positions.
        pub x: Global<Vec3>,
        /// Sums, three floats a vertex, zero before.
        pub n: GlobalMut<f32>,
    }
}

// SAFETY: indices read their own face and write with atomic additions alone (contracts U3, U4).
unsafe impl FlatKernel for AddNormals {
    #[inline(always)]
    fn run(&self, f: u32) {
        let at = |k: u32| self.faces.get(3 * f + k);
        let (a, b, c) = (at(0), at(1), at(2));
        let (x, y, z) = (self.x.get(a), self.x.get(b), self.x.get(c));
        let (ab, bc, ca) = (y - x, z - y, x - z);
        let normal = ca.cross(ab);
        let (lab, lbc, lca) = (ab.dot(ab), bc.dot(bc), ca.dot(ca));
        let (rab, rbc, rca) = (rcp_fast(lab), rcp_fast(lbc), rcp_fast(lca));
        let add = |v: u32, both: bool, one: f32, other: f32| {
            if both {
                let term = normal * one * other;
                self.n.add(3 * v, term.x);
                self.n.add(3 * v + 1, term.y);
                self.n.add(3 * v + 2, term.z);
            }
        };
        add(a, lab > 0.0 && lca > 0.0, rab, rca);
        add(b, lab > 0.0 && lbc > 0.0, rab, rbc);
        add(c, lbc > 0.0 && lca > 0.0, rbc, rca);
    }
}

kernel! {
    /// Scales vectors to unit length; zero vectors stay zero.
    pub struct UnitRows: Flat {
        /// Vectors.
        pub n: GlobalMut<Vec3>,
    }
}

// SAFETY: each index writes its own vector (contracts U3, U4).
unsafe impl FlatKernel for UnitRows {
    #[inline(always)]
    fn run(&self, v: u32) {
        self.n.set(v, normalize_or_zero(self.n.get(v)));
    }
}

kernel! {
    /// Computes unit normals of vertices from a list of their corners, without atomics.
    pub struct CornerNormals: Flat {
        /// Start of each vertex's corners.
        pub starts: Global<u32>,
        /// Both neighbours of each corner, the next vertex of its face in the lower half.
        pub corners: Global<u64>,
        /// Positions.
        pub x: Global<Vec3>,
        /// Unit normals.
        pub n: GlobalMut<Vec3>,
    }
}

// SAFETY: each index writes its own vertex; corners name vertices (contracts U3, U4).
unsafe impl FlatKernel for CornerNormals {
    #[inline(always)]
    fn run(&self, v: u32) {
        let (x, mut sum) = (self.x.get(v), Vec3::ZERO);
        let (mut k, end) = (self.starts.get(v), self.starts.get(v + 1));
        while k < end {
            let both = self.corners.get(k);
            let (next, previous) = (both as u32, (both >> 32) as u32);
            sum += corner(self.x.get(next) - x, self.x.get(previous) - x);
            k += 1;
        }
        self.n.set(v, normalize_or_zero(sum));
    }
}
