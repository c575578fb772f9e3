//! Construction of a [`Topology`](crate::topology::Topology) from faces: buckets of half-edges by vertex, twins by
//! comparison within a bucket, edges by a prefix sum. All of it is integer arithmetic in a fixed order, so that every
//! run and engine gives the same result.

pub mod edges;
pub mod rows;
pub mod twins;

use crate::topology::NONE;
use edges::NumberEdges;
use rows::{CountEntries, FillEntries};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::mem::{Global, GlobalMut};
use twins::Twins;

kernel_list! {
    flat topology_count: CountEntries;
    flat topology_fill: FillEntries;
    block topology_twins: Twins;
    block topology_number_edges: NumberEdges;
    flat topology_copy: CopyWords;
}

/// Longest row in which each entry computes its own rank; a block sorts longer rows.
const LONG: u32 = 48;

/// Number of words of a report: errors of faces, and properties of their surface.
pub const REPORT_WORDS: usize = 6;
/// Index of the first half-edge whose edge is not manifold or not oriented consistently, or [`NONE`].
pub const BAD_EDGE: u32 = 0;
/// Index of the first corner whose vertex occurs again in its face, or [`NONE`].
pub const BAD_FACE: u32 = 1;
/// Index of the first corner whose vertex does not exist, or [`NONE`].
pub const BAD_ID: u32 = 2;
/// Index of the number of edges.
pub const EDGES: u32 = 3;
/// Index of 1 if any vertex is [`Neighbourhood::Corner`], else 0.
pub const CORNERS: u32 = 4;
/// Index of 1 if any vertex is [`Neighbourhood::Fans`], else 0.
pub const FANS: u32 = 5;
/// Initial report.
pub const REPORT: [u32; REPORT_WORDS] = [NONE, NONE, NONE, 0, 0, 0];

/// Neighbourhood of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Neighbourhood {
    /// No faces.
    Nothing = 0,
    /// One closed fan of faces.
    Interior = 1,
    /// One open fan of at least two faces.
    Boundary = 2,
    /// One face.
    Corner = 3,
    /// Several fans: the surface is not manifold here, though all edges are.
    Fans = 4,
}

rxmesh_kernels::args! {
    /// Faces and their corners; as in [`Topology`](crate::topology::Topology).
    pub struct FaceColumns {
        /// Number of corners of every face; 0 when they differ.
        pub size: u32,
        /// First corner of each face; empty when all have `size` corners.
        pub offsets: Global<u32>,
        /// Face of each corner; empty when all have `size` corners.
        pub faces: Global<u32>,
        /// Vertex of each corner.
        pub corners: Global<u32>,
    }
}

impl FaceColumns {
    #[inline(always)]
    fn face(&self, h: u32) -> u32 {
        match self.size {
            0 => self.faces.get(h),
            3 => h / 3,
            4 => h / 4,
            n => h / n,
        }
    }

    #[inline(always)]
    fn range(&self, f: u32) -> (u32, u32) {
        if self.size == 0 {
            let first = self.offsets.get(f);
            (first, self.offsets.get(f + 1) - first)
        } else {
            (self.size * f, self.size)
        }
    }

    #[inline(always)]
    fn next(&self, h: u32) -> u32 {
        let (first, n) = self.range(self.face(h));
        if h + 1 == first + n { first } else { h + 1 }
    }

    #[inline(always)]
    fn prev(&self, h: u32) -> u32 {
        let (first, n) = self.range(self.face(h));
        if h == first { first + n - 1 } else { h - 1 }
    }
}

kernel! {
    /// Copies words.
    pub struct CopyWords: Flat {
        /// Source.
        pub from: Global<u32>,
        /// Destination.
        pub to: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl FlatKernel for CopyWords {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.to.set(i, self.from.get(i));
    }
}
