//! Neighbourhood of each base face: the 16 points of its bicubic patch, and its special corners.
//!
//! A vertex is *regular* when four faces surround it and nothing at it is sharp; then its points at all levels follow
//! from the regular masks. A face with four regular corners is regular: its grid is a bicubic B-spline of 16 points.
//! Rings of special vertices are computed separately ([`super::rings`]). Faces are listed with special ones first, and
//! so are special vertices; the order within each is arbitrary, and no result depends on it.

use super::creases::Creases;
use super::{next, prev};
use crate::build::Neighbourhood;
use crate::topology::{NONE, Topology};
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel::BlockKernel;
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};
use rxmesh_kernels::{args, kernel};

kernel_list! {
    block catmull_clark_special_vertices: FindSpecial;
    block catmull_clark_neighbours: FindNeighbours;
}

/// Number of points of a face: four rows of four.
pub const POINTS: u32 = 16;
/// Number of words of [`FindSpecial::counts`].
pub const COUNT_WORDS: u32 = 5;
/// Index of the number of special vertices. Not word 0: the device compiler takes the very address of an argument for
/// one that could be anywhere.
pub const VERTICES: u32 = 1;
/// Index of the number of corners at special vertices.
pub const CORNERS: u32 = 2;
/// Index of the number of special faces.
pub const FACES: u32 = 3;
/// Index of the number of regular faces.
const OTHERS: u32 = 4;
/// Number of vertices, and of faces, per block.
pub const CHUNK: u32 = 256;

args! {
    /// Neighbourhoods of base faces.
    pub struct Neighbours {
        /// Faces, special ones first.
        pub order: Global<u32>,
        /// [`POINTS`] vertices per face, with those of the face in the middle, row by row; [`NONE`] if there is none,
        /// and across special vertices.
        pub points: Global<u32>,
        /// [`Flags`] of each face.
        pub flags: Global<u32>,
        /// Counts, as [`FindSpecial::counts`].
        pub counts: Global<u32>,
    }
}

/// Groups of four flags: of the corners of a face, or of the edges that leave them.
#[derive(Clone, Copy)]
pub struct Flags(pub u32);

impl Flags {
    /// Returns `true` if a corner is special.
    #[inline(always)]
    pub fn special(self, corner: u32) -> bool {
        self.0 >> corner & 1 != 0
    }

    /// Returns `true` if any corner is special.
    #[inline(always)]
    pub fn any_special(self) -> bool {
        self.0 & 15 != 0
    }

    /// Returns `true` if the face writes the vertex of a corner, which is regular.
    #[inline(always)]
    pub fn owns_vertex(self, corner: u32) -> bool {
        self.0 >> (4 + corner) & 1 != 0
    }

    /// Returns `true` if the edge that leaves a corner starts with this face.
    #[inline(always)]
    pub fn owns_edge(self, corner: u32) -> bool {
        self.0 >> (8 + corner) & 1 != 0
    }
}

kernel! {
    /// Lists special vertices and numbers the corners at them.
    pub struct FindSpecial: Block {
        /// Mesh of quads.
        pub mesh: Topology,
        /// Neighbourhood of each vertex ([`Neighbourhood`]).
        pub around: Global<u32>,
        /// Sharpness of the mesh.
        pub creases: Creases,
        /// Special vertices.
        pub vertices: GlobalMut<u32>,
        /// Number of each corner among those at special vertices, or [`NONE`].
        pub slots: GlobalMut<u32>,
        /// [`COUNT_WORDS`] words, initially zero.
        pub counts: GlobalMut<u32>,
    }
}

impl FindSpecial {
    #[inline(always)]
    fn special(&self, v: u32) -> bool {
        let m = &self.mesh;
        let (first, end) = m.row(v);
        if end - first != 4 || self.around.get(v) != Neighbourhood::Interior as u32 {
            return true;
        }
        if self.creases.smooth != 0 {
            return false;
        }
        let mut sharp = self.creases.base.vertex(v) > 0.0;
        for at in first..end {
            sharp |= self.creases.base.edge(m, m.entries.get(at)) > 0.0;
        }
        sharp
    }
}

/// Shared memory of a block for indices in the lists.
#[derive(Clone, Copy)]
pub struct NeighbourLists {
    marks: Shared<u32>,
    sizes: Shared<u32>,
    scratch: Shared<u32>,
    /// Start of the block's part of each list; from word 1 on.
    starts: Shared<u32>,
}

impl NeighbourLists {
    #[inline(always)]
    fn carve(plan: &mut Plan) -> NeighbourLists {
        NeighbourLists {
            marks: plan.take(CHUNK),
            sizes: plan.take(CHUNK),
            scratch: plan.take(SCRATCH_WORDS),
            starts: plan.take(4),
        }
    }
}

// SAFETY: a block takes its elements of the lists atomically; a row belongs to one vertex; there are no branches around
// phases (contracts U1 to U4).
unsafe impl BlockKernel for FindSpecial {
    const THREADS: u32 = CHUNK;
    type Tables = NeighbourLists;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> NeighbourLists {
        NeighbourLists::carve(plan)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, t: &NeighbourLists) {
        let m = &self.mesh;
        let first = block * CHUNK;
        let count = (m.vertex_count() - first).min(CHUNK);
        b.each(count, |i| {
            let special = self.special(first + i);
            let (from, to) = m.row(first + i);
            t.marks.set(i, u32::from(special));
            t.sizes.set(i, if special { to - from } else { 0 });
        });
        let vertices = b.scan(t.marks, count, t.scratch);
        let corners = b.scan(t.sizes, count, t.scratch);
        b.lead(|| {
            t.starts.set(1, self.counts.fetch_add(VERTICES, vertices));
            t.starts.set(2, self.counts.fetch_add(CORNERS, corners));
        });
        let (vertex, corner) = (t.starts.get(1), t.starts.get(2));
        let next = |list: Shared<u32>, i: u32, all: u32| {
            if i + 1 < count { list.get(i + 1) } else { all }
        };
        b.last_phase(|p| {
            p.each(count, |i| {
                let v = first + i;
                let (from, to) = m.row(v);
                let at = t.marks.get(i);
                let special = next(t.marks, i, vertices) != at;
                if special {
                    self.vertices.set(vertex + at, v);
                }
                let slot = corner + t.sizes.get(i);
                for at in from..to {
                    let s = if special { slot + at - from } else { NONE };
                    self.slots.set(m.entries.get(at), s);
                }
            });
        });
    }
}

kernel! {
    /// Finds the neighbourhood of each face; [`FindSpecial`] has run.
    pub struct FindNeighbours: Block {
        /// Mesh of quads.
        pub mesh: Topology,
        /// Numbers of corners, as [`FindSpecial::slots`].
        pub slots: Global<u32>,
        /// Order of faces, as [`Neighbours::order`].
        pub order: GlobalMut<u32>,
        /// Points of faces, as [`Neighbours::points`].
        pub points: GlobalMut<u32>,
        /// Flags of faces, as [`Neighbours::flags`].
        pub flags: GlobalMut<u32>,
        /// Counts, as [`FindSpecial::counts`].
        pub counts: GlobalMut<u32>,
    }
}

impl FindNeighbours {
    /// Writes the neighbourhood of a face; returns `true` if it is special.
    #[inline(always)]
    fn look(&self, f: u32) -> bool {
        let m = &self.mesh;
        let mut flags = 0;
        let vertex = |h: u32| if h == NONE { NONE } else { m.corners.get(h) };
        let across = |h: u32| if h == NONE { NONE } else { m.twin(h) };
        let mut c = 0;
        while c < 4 {
            let h = 4 * f + c;
            let v = m.corners.get(h);
            let special = self.slots.get(h) != NONE;
            let twin = m.twin(h);
            let owns = !special && m.entries.get(m.starts.get(v)) == h;
            // A half-edge without a twin is lower than `NONE`.
            flags |= u32::from(special) << c
                | u32::from(owns) << (4 + c)
                | u32::from(h < twin) << (8 + c);
            // Vertices beyond this corner and the next one, across the edge between them.
            let beyond = if twin == NONE { NONE } else { next(next(twin)) };
            let far = vertex(beyond);
            let near = vertex(if twin == NONE { NONE } else { prev(twin) });
            let diagonal = if special {
                NONE
            } else {
                let opposite = across(prev(across(prev(h))));
                vertex(next(next(opposite)))
            };
            // Indices of the corner, of the points beyond it and beyond the next corner, and of its diagonal.
            let (own, first, second, corner) = match c {
                0 => (5, 1, 2, 0),
                1 => (6, 7, 11, 3),
                2 => (10, 14, 13, 15),
                _ => (9, 8, 4, 12),
            };
            let to = self.points.from(POINTS * f);
            to.set(own, v);
            // The twin leaves the next corner: its next half-edge leaves this one.
            to.set(first, far);
            to.set(second, near);
            to.set(corner, diagonal);
            c += 1;
        }
        self.flags.set(f, flags);
        Flags(flags).any_special()
    }
}

// SAFETY: a face writes its own rows; a block takes its elements of the list atomically (contracts U1 to U4).
unsafe impl BlockKernel for FindNeighbours {
    const THREADS: u32 = CHUNK;
    type Tables = NeighbourLists;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> NeighbourLists {
        NeighbourLists::carve(plan)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, t: &NeighbourLists) {
        let faces = self.mesh.face_count();
        let first = block * CHUNK;
        let count = (faces - first).min(CHUNK);
        b.each(count, |i| {
            t.marks.set(i, u32::from(self.look(first + i)));
        });
        let special = b.scan(t.marks, count, t.scratch);
        b.lead(|| {
            t.starts.set(1, self.counts.fetch_add(FACES, special));
            t.starts
                .set(2, self.counts.fetch_add(OTHERS, count - special));
        });
        let (front, back) = (t.starts.get(1), t.starts.get(2));
        b.last_phase(|p| {
            p.each(count, |i| {
                let at = t.marks.get(i);
                let after = if i + 1 < count {
                    t.marks.get(i + 1)
                } else {
                    special
                };
                let place = if after != at {
                    front + at
                } else {
                    faces - 1 - (back + i - at)
                };
                self.order.set(place, first + i);
            });
        });
    }
}
