//! Directed edges as structures of arrays: one word for each half-edge and each thing that it knows.
//!
//! A layout makes one neighbour of a half-edge implicit. In [`PairedHalfEdges`], which RXMesh 2021 compares with, it is
//! the twin: the half-edges of edge `e` are `2 e` and `2 e + 1`, and edge queries are reads of neighbouring words. In
//! [`TripleHalfEdges`], the one of Campagna et al., it is the successor: the half-edges of face `f` are `3 f` to `3 f +
//! 2`, and face queries are. Meshes are edge-manifold and oriented, and the faces of a vertex are one fan, closed or
//! open.

use core::fmt::Debug;
use rxmesh_kernels::args;
use rxmesh_kernels::mem::{Bind, Global, GlobalMut};

/// "None": no twin, no face, no half-edge.
pub const NONE: u32 = u32::MAX;

/// Layout of directed edges.
///
/// # Safety
///
/// For elements of the mesh that the views hold, methods read only inside the views (contract U4 of
/// docs/inside/unsafe.md), and those that write do so to the places of their index alone (contract U3).
pub unsafe trait HalfEdges: Bind + Copy + Debug + Send + Sync + 'static {
    /// Factor that turns the cross product of two successive neighbours outwards: -1 if a vertex is walked around
    /// clockwise.
    const TURN: f32;

    /// Returns the number of indices for queries of faces, where `n` is their number, and of edges.
    fn face_items(n: u32) -> u32;
    /// Returns the number of indices for queries of edges, where `n` is their number.
    fn edge_items(n: u32) -> u32;

    /// Calls `f` with the neighbours of a vertex in the order of its fan. Returns `true` if the fan is closed.
    fn vertices(&self, v: u32, f: impl FnMut(u32)) -> bool;
    /// Calls `f` with the edges of a vertex.
    fn edges(&self, v: u32, f: impl FnMut(u32));
    /// Calls `f` with the faces of a vertex.
    fn faces(&self, v: u32, f: impl FnMut(u32));

    /// Writes vertices of faces, three for each face.
    fn write_fv(&self, i: u32, values: GlobalMut<u32>);
    /// Writes edges of faces, three for each face.
    fn write_fe(&self, i: u32, values: GlobalMut<u32>);
    /// Writes faces of faces, three places for each face, [`NONE`] at the boundary.
    fn write_ff(&self, i: u32, values: GlobalMut<u32>);
    /// Writes vertices of edges, two for each edge.
    fn write_ev(&self, i: u32, values: GlobalMut<u32>);
    /// Writes faces of edges, two places for each edge, [`NONE`] at the boundary.
    fn write_ef(&self, i: u32, values: GlobalMut<u32>);
}

/// Number of words that one index of a query takes that reads an array in its order.
const WIDE: u32 = 4;

/// Writes `f` of four neighbouring words, or of fewer at the end.
#[inline(always)]
fn map4(from: Global<u32>, to: GlobalMut<u32>, i: u32, f: impl Fn([u32; 4]) -> [u32; 4]) {
    let (first, n) = (WIDE * i, to.len());
    if n - first >= WIDE {
        to.set4(i, f(from.get4(i)));
        return;
    }
    let get = |k: u32| {
        if first + k < n {
            from.get(first + k)
        } else {
            0
        }
    };
    // Written out: an array indexed in a loop would be in local memory on the device.
    let [a, b, c, _] = f([get(0), get(1), get(2), get(3)]);
    to.set(first, a);
    if first + 1 < n {
        to.set(first + 1, b);
    }
    if first + 2 < n {
        to.set(first + 2, c);
    }
}

/// Writes the three words of a row.
#[inline(always)]
fn set3(values: GlobalMut<u32>, row: u32, [a, b, c]: [u32; 3]) {
    values.set(3 * row, a);
    values.set(3 * row + 1, b);
    values.set(3 * row + 2, c);
}

/// Writes the two words of a row in one store.
#[inline(always)]
fn set2(values: GlobalMut<u32>, row: u32, [a, b]: [u32; 2]) {
    let both = u64::from(b) << 32 | u64::from(a);
    values.cast::<u64>().set(row, both);
}

args! {
    /// The layout that RXMesh 2021 compares with: 42 bytes a face. An edge of the boundary has a half-edge without a
    /// face and without a successor, and a vertex there knows the one that leaves it.
    pub struct PairedHalfEdges {
        /// Vertex that each half-edge points to.
        pub tips: Global<u32>,
        /// Successor of each half-edge in its face.
        pub nexts: Global<u32>,
        /// Face of each half-edge.
        pub sides: Global<u32>,
        /// A half-edge that leaves each vertex; [`NONE`] of vertices without faces.
        pub of_vertex: Global<u32>,
        /// A half-edge of each face.
        pub of_face: Global<u32>,
    }
}

impl PairedHalfEdges {
    /// Calls `f` with the half-edges that leave a vertex, clockwise. Returns `true` if the fan is closed.
    #[inline(always)]
    fn leaving(&self, v: u32, mut f: impl FnMut(u32)) -> bool {
        let first = self.of_vertex.get(v);
        let mut h = first;
        while h != NONE {
            f(h);
            h = self.nexts.get(h ^ 1);
            if h == first {
                return true;
            }
        }
        false
    }

    /// Returns the half-edges of a face.
    #[inline(always)]
    fn of(&self, face: u32) -> [u32; 3] {
        let a = self.of_face.get(face);
        let b = self.nexts.get(a);
        [a, b, self.nexts.get(b)]
    }
}

// SAFETY: half-edges, faces and vertices are those of the mesh; each index writes its own row or four words (contracts
// U3, U4).
unsafe impl HalfEdges for PairedHalfEdges {
    const TURN: f32 = -1.0;

    fn face_items(n: u32) -> u32 {
        n
    }

    fn edge_items(n: u32) -> u32 {
        (2 * n).div_ceil(WIDE)
    }

    #[inline(always)]
    fn vertices(&self, v: u32, mut f: impl FnMut(u32)) -> bool {
        self.leaving(v, |h| f(self.tips.get(h)))
    }

    #[inline(always)]
    fn edges(&self, v: u32, mut f: impl FnMut(u32)) {
        self.leaving(v, |h| f(h >> 1));
    }

    #[inline(always)]
    fn faces(&self, v: u32, mut f: impl FnMut(u32)) {
        self.leaving(v, |h| {
            let face = self.sides.get(h);
            if face != NONE {
                f(face);
            }
        });
    }

    #[inline(always)]
    fn write_fv(&self, i: u32, values: GlobalMut<u32>) {
        set3(values, i, self.of(i).map(|h| self.tips.get(h)));
    }

    #[inline(always)]
    fn write_fe(&self, i: u32, values: GlobalMut<u32>) {
        set3(values, i, self.of(i).map(|h| h >> 1));
    }

    #[inline(always)]
    fn write_ff(&self, i: u32, values: GlobalMut<u32>) {
        set3(values, i, self.of(i).map(|h| self.sides.get(h ^ 1)));
    }

    #[inline(always)]
    fn write_ev(&self, i: u32, values: GlobalMut<u32>) {
        // Half-edge `2 e + 1` points to where `2 e` begins.
        map4(self.tips, values, i, |[a, b, c, d]| [b, a, d, c]);
    }

    #[inline(always)]
    fn write_ef(&self, i: u32, values: GlobalMut<u32>) {
        map4(self.sides, values, i, |sides| sides);
    }
}

args! {
    /// The layout of Campagna et al.: 44 bytes a face. A half-edge of the boundary has no twin, and a vertex there
    /// knows the one that leaves it.
    pub struct TripleHalfEdges {
        /// Vertex that each half-edge leaves: the index list of the faces.
        pub tails: Global<u32>,
        /// Twin of each half-edge.
        pub twins: Global<u32>,
        /// Edge of each half-edge.
        pub edge_of: Global<u32>,
        /// A half-edge that leaves each vertex; [`NONE`] of vertices without faces.
        pub of_vertex: Global<u32>,
        /// A half-edge of each edge.
        pub of_edge: Global<u32>,
    }
}

/// Returns the successor of a half-edge in its face.
#[inline(always)]
fn next(h: u32) -> u32 {
    if h % 3 == 2 { h - 2 } else { h + 1 }
}

/// Returns the predecessor of a half-edge in its face.
#[inline(always)]
fn previous(h: u32) -> u32 {
    if h.is_multiple_of(3) { h + 2 } else { h - 1 }
}

/// Returns the face of a half-edge.
#[inline(always)]
fn face(h: u32) -> u32 {
    if h == NONE { NONE } else { h / 3 }
}

impl TripleHalfEdges {
    /// Calls `f` with the half-edges that leave a vertex, counter-clockwise. Returns the half-edge without a twin that
    /// ends an open fan, [`NONE`] for a closed one.
    #[inline(always)]
    fn leaving(&self, v: u32, mut f: impl FnMut(u32)) -> u32 {
        let first = self.of_vertex.get(v);
        if first == NONE {
            return NONE;
        }
        let mut h = first;
        loop {
            f(h);
            let into = previous(h);
            h = self.twins.get(into);
            if h == NONE {
                return into;
            }
            if h == first {
                return NONE;
            }
        }
    }
}

// SAFETY: as above.
unsafe impl HalfEdges for TripleHalfEdges {
    const TURN: f32 = 1.0;

    fn face_items(n: u32) -> u32 {
        (3 * n).div_ceil(WIDE)
    }

    fn edge_items(n: u32) -> u32 {
        n
    }

    #[inline(always)]
    fn vertices(&self, v: u32, mut f: impl FnMut(u32)) -> bool {
        let last = self.leaving(v, |h| f(self.tails.get(next(h))));
        if last == NONE {
            return true;
        }
        f(self.tails.get(last));
        false
    }

    #[inline(always)]
    fn edges(&self, v: u32, mut f: impl FnMut(u32)) {
        let last = self.leaving(v, |h| f(self.edge_of.get(h)));
        if last != NONE {
            f(self.edge_of.get(last));
        }
    }

    #[inline(always)]
    fn faces(&self, v: u32, mut f: impl FnMut(u32)) {
        self.leaving(v, |h| f(face(h)));
    }

    #[inline(always)]
    fn write_fv(&self, i: u32, values: GlobalMut<u32>) {
        map4(self.tails, values, i, |tails| tails);
    }

    #[inline(always)]
    fn write_fe(&self, i: u32, values: GlobalMut<u32>) {
        map4(self.edge_of, values, i, |edges| edges);
    }

    #[inline(always)]
    fn write_ff(&self, i: u32, values: GlobalMut<u32>) {
        map4(self.twins, values, i, |twins| twins.map(face));
    }

    #[inline(always)]
    fn write_ev(&self, i: u32, values: GlobalMut<u32>) {
        let h = self.of_edge.get(i);
        set2(values, i, [self.tails.get(h), self.tails.get(next(h))]);
    }

    #[inline(always)]
    fn write_ef(&self, i: u32, values: GlobalMut<u32>) {
        let h = self.of_edge.get(i);
        set2(values, i, [face(h), face(self.twins.get(h))]);
    }
}
