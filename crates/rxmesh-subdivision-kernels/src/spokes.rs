//! Edges at each vertex in cyclic order, and neighbours of a triangle across its sides.

use crate::build::Neighbourhood;
use crate::catmull_clark::creases::{Creases, row_length};
use crate::sharpness::{INFINITE, Sharpness, after};
use crate::topology::{NONE, Topology};
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::{args, kernel, kernel::FlatKernel};

kernel_list! {
    flat spokes_count: CountSpokes;
    flat spokes_order: OrderSpokes;
    flat spokes_lines: NumberLines;
}

/// Marks the last spoke of a fan in [`Spokes::targets`].
pub const LAST: u32 = 1 << 31;

/// Number of words of a half-edge in [`OrderSpokes::halo`].
pub const HALO_WORDS: u32 = 4;
/// Index in a half-edge's words of the vertex across, [`NONE`] at a boundary.
pub const ACROSS: u32 = 0;
/// Index of the spoke at its origin that comes before it (clockwise), [`NONE`] at a boundary.
pub const NEAR: u32 = 1;
/// Index of the spoke at its target that comes after it (counter-clockwise), [`NONE`] at a boundary.
pub const FAR: u32 = 2;
/// Index of the bits of its edge's sharpness.
pub const SHARP: u32 = 3;

/// Rule of a vertex.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum SpokeKind {
    /// One closed fan, nothing sharp.
    Smooth = 0,
    /// One fan, or none.
    Fan = 1,
    /// Several fans.
    Fans = 2,
}

args! {
    /// Edges by vertex: an edge is a spoke of both its ends. Those of a vertex are stored counter-clockwise, fan after
    /// fan.
    pub struct Spokes {
        /// Start of each vertex's spokes, V + 1 values.
        pub starts: Global<u32>,
        /// Vertex at the other end of each spoke; with [`LAST`] at the end of a fan.
        pub targets: Global<u32>,
        /// Twice the edge of each spoke, plus 1 if it leaves the target of the edge's lower half-edge.
        pub edges: Global<u32>,
        /// Sharpness of each spoke.
        pub sharpness: Global<f32>,
        /// A [`SpokeKind`] per vertex.
        pub kinds: Global<u32>,
    }
}

impl Spokes {
    /// Returns the vertex at the other end of a spoke.
    #[inline(always)]
    pub fn target(&self, spoke: u32) -> u32 {
        self.targets.get(spoke) & !LAST
    }

    /// Returns the sharpness of the part of a spoke that is next to its vertex, after some levels.
    #[inline(always)]
    pub fn sharpness_at(&self, creases: &Creases, spoke: u32, level: u32) -> f32 {
        let s = self.sharpness.get(spoke);
        if s <= 0.0 || s >= INFINITE || creases.rows.is_empty() {
            return after(s, level);
        }
        let edge = self.edges.get(spoke);
        let row = creases.rows.get(edge >> 1) * row_length(creases.depth);
        let last = (1 << level) - 1;
        creases.table.get(row + last + last * (edge & 1))
    }
}

kernel! {
    /// Counts the spokes of each vertex.
    pub struct CountSpokes: Flat {
        /// Mesh.
        pub mesh: Topology,
        /// Number of spokes of each vertex.
        pub counts: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl FlatKernel for CountSpokes {
    #[inline(always)]
    fn run(&self, v: u32) {
        let (first, end) = self.mesh.row(v);
        let mut n = end - first;
        // An open fan has one edge more than faces.
        for at in first..end {
            n += u32::from(self.mesh.twin(self.mesh.entries.get(at)) == NONE);
        }
        self.counts.set(v, n);
    }
}

kernel! {
    /// Sorts the spokes of each vertex in cyclic order, and stores the neighbours across each half-edge. Faces are
    /// triangles.
    pub struct OrderSpokes: Flat {
        /// Mesh.
        pub mesh: Topology,
        /// Sharpness of the mesh.
        pub sharpness: Sharpness,
        /// Neighbourhood of each vertex.
        pub around: Global<u32>,
        /// Start of each vertex's spokes.
        pub starts: Global<u32>,
        /// Targets, as [`Spokes::targets`].
        pub targets: GlobalMut<u32>,
        /// Edges, as [`Spokes::edges`].
        pub edges: GlobalMut<u32>,
        /// Sharpness of spokes, as [`Spokes::sharpness`].
        pub sharp: GlobalMut<f32>,
        /// Kinds, as [`Spokes::kinds`].
        pub kinds: GlobalMut<u32>,
        /// [`HALO_WORDS`] words per half-edge.
        pub halo: GlobalMut<u32>,
    }
}

// SAFETY: a vertex writes its own spokes, and of each half-edge the words that belong to one spoke of one vertex; walks
// end, because a twin's twin is the half-edge itself (contracts U3, U4).
unsafe impl FlatKernel for OrderSpokes {
    #[inline(always)]
    fn run(&self, v: u32) {
        let (first, end) = self.mesh.row(v);
        let around = self.around.get(v);
        let mut at = self.starts.get(v);
        let mut smooth = self.sharpness.vertex(v) <= 0.0;
        for i in first..end {
            let h = self.mesh.entries.get(i);
            let leads = if around == Neighbourhood::Interior as u32 {
                i == first
            } else {
                self.mesh.twin(h) == NONE
                    || around == Neighbourhood::Fans as u32 && self.leads_closed(h)
            };
            if leads {
                let (next, all_smooth) = self.fan(h, at);
                at = next;
                smooth &= all_smooth;
            }
        }
        let kind = match around {
            a if a == Neighbourhood::Fans as u32 => SpokeKind::Fans,
            a if a == Neighbourhood::Interior as u32 && smooth => SpokeKind::Smooth,
            _ => SpokeKind::Fan,
        };
        self.kinds.set(v, kind as u32);
    }
}

impl OrderSpokes {
    /// Returns `true` if a half-edge is the lowest of a closed fan.
    #[inline(always)]
    fn leads_closed(&self, h: u32) -> bool {
        let mut g = self.mesh.twin(self.mesh.prev(h));
        while g != NONE && g > h {
            g = self.mesh.twin(self.mesh.prev(g));
        }
        g == h
    }

    /// Writes the fan that starts with half-edge `start`; returns the index after it, and `true` if nothing is sharp.
    #[inline(always)]
    fn fan(&self, start: u32, begin: u32) -> (u32, bool) {
        let m = self.mesh;
        let (mut h, mut at, mut smooth) = (start, begin, true);
        loop {
            let back = m.prev(h);
            let (twin, across) = (m.twin(h), m.twin(back));
            let closes = across == start;
            let sharp = self.spoke(at, h, m.target(h), closes, 0);
            smooth &= sharp <= 0.0;
            let words = |g: u32| HALO_WORDS * g;
            self.halo.set(words(h) + SHARP, sharp.to_bits());
            if twin == NONE {
                self.halo.set(words(h) + ACROSS, NONE);
                self.halo.set(words(h) + NEAR, NONE);
                self.halo.set(words(h) + FAR, NONE);
            } else {
                self.halo.set(words(twin) + ACROSS, m.origin(back));
                let next = if closes { begin } else { at + 1 };
                self.halo.set(words(twin) + FAR, next);
            }
            if across != NONE {
                self.halo.set(words(across) + NEAR, at);
            }
            at += 1;
            if closes {
                return (at, smooth);
            }
            if across == NONE {
                self.spoke(at, back, m.origin(back), true, 1);
                return (at + 1, false);
            }
            h = across;
        }
    }

    /// Writes a spoke that runs along half-edge `h` (`turned`: against it); returns its sharpness.
    #[inline(always)]
    fn spoke(&self, at: u32, h: u32, target: u32, last: bool, turned: u32) -> f32 {
        let edge = self.mesh.edges.get(h);
        let upper = u32::from(self.mesh.halves.get(edge) != h);
        let sharp = self.sharpness.edge(&self.mesh, h).min(INFINITE);
        self.targets
            .set(at, if last { target | LAST } else { target });
        self.edges.set(at, 2 * edge + (upper ^ turned));
        self.sharp.set(at, sharp);
        sharp
    }
}

kernel! {
    /// Computes the line of each half-edge, as [`TriangleGrid::lines`](crate::barycentric::TriangleGrid::lines).
    pub struct NumberLines: Flat {
        /// Mesh.
        pub mesh: Topology,
        /// Line of each half-edge.
        pub lines: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl FlatKernel for NumberLines {
    #[inline(always)]
    fn run(&self, h: u32) {
        let upper = u32::from(self.mesh.twin(h) < h);
        self.lines.set(h, 2 * self.mesh.edges.get(h) + upper);
    }
}
