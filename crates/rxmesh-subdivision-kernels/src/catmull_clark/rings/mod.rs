//! Points around base vertices, through all levels.
//!
//! Each corner h of the mesh stores, in addition to its vertex v, the first point `OUT` along h, the point `ACROSS` the
//! cell at v, and the first point `IN` along the half-edge before h, from v on. The next level's depend only on these
//! and on those of the adjacent corners at the same vertex; so a vertex with all its corners is independent of the
//! rest, and a block takes some vertices through all levels in its shared memory. Regular vertices follow from the
//! faces around them and are left out ([`super::neighbours`]).

pub mod points;
mod refine;
mod tables;

use super::creases::Creases;
use super::{ComponentCount, ComponentRows, Output};
use crate::topology::Topology;
use points::at_base;
use rxmesh_kernels::args;
use rxmesh_kernels::exec::Block;
use rxmesh_kernels::kernel::BlockKernel;
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};

kernel_list! {
    block catmull_clark_rings3: RefineRings<super::Three>;
    block catmull_clark_rings1: RefineRings<super::One>;
}

/// Number of vertices per block.
pub const CHUNK: u32 = 8;
/// Maximum number of corners of a vertex that is held in shared memory.
const ROOM: u32 = 16;
/// Number of indices of a phase per vertex: one row of them per step.
const LANES: u32 = 32;
/// Number of points of a corner.
pub const POINTS: u32 = 3;
/// Index of the first point along the half-edge of a corner.
pub const OUT: u32 = 0;
/// Index of the point across the cell at a corner.
pub const ACROSS: u32 = 1;
/// Index of the first point along the half-edge before a corner.
pub const IN: u32 = 2;

args! {
    /// Takes [`CHUNK`] vertices and their corners through all levels.
    pub struct RefineRings<N: ComponentCount> {
        /// Mesh of quads.
        pub mesh: Topology,
        /// Sharpness of the mesh.
        pub creases: Creases,
        /// Values at the base.
        pub base: ComponentRows,
        /// Number of levels.
        pub depth: u32,
        /// Vertices.
        pub vertices: Global<u32>,
        /// Word [`VERTICES`] is their number.
        pub counts: Global<u32>,
        /// Numbers of corners, as [`RingPoints::slots`](points::RingPoints::slots).
        pub slots: Global<u32>,
        /// Points of corners, as [`RingPoints::corners`](points::RingPoints::corners).
        pub corners: GlobalMut<f32>,
        /// Points of vertices, as [`RingPoints::centres`](points::RingPoints::centres).
        pub centres: GlobalMut<f32>,
        /// Result, whose first rows are the base vertices.
        pub out: Output,
        /// Number of components.
        pub components: N,
    }
}

/// Shared memory for the vertices of a block: this level and the next, double-buffered.
#[derive(Clone, Copy)]
pub struct VertexTables {
    /// For each vertex its id, first entry, number of entries, and the number of its first corner among those stored.
    vertices: Shared<u32>,
    corners: [Shared<f32>; 2],
    centres: [Shared<f32>; 2],
    /// Face points of this level's cells, one per corner.
    faces: Shared<f32>,
    /// For each corner the adjacent corners at the same vertex: [`LINKS`] indices in its row.
    links: Shared<u32>,
    /// Sharpness of the two edges of each corner at the base.
    sharp: Shared<f32>,
}

/// Number of words of a vertex in [`VertexTables::vertices`].
const WORDS: u32 = 4;
/// Number of links of a corner.
const LINKS: u32 = 2;

/// Vertex of a block.
#[derive(Clone, Copy)]
struct Centre {
    /// Number in the block.
    slot: u32,
    v: u32,
    /// First entry, and number of entries.
    first: u32,
    n: u32,
    /// Number of its first corner among those that are stored.
    kept: u32,
}

impl Centre {
    /// Returns `true` if its corners fit into shared memory. They are then identified by their indices in its row, else
    /// by their ids.
    #[inline(always)]
    fn small(&self) -> bool {
        self.n <= ROOM
    }
}

/// Vertex at one level, with its buffers.
#[derive(Clone, Copy)]
struct RingVertex<'a> {
    tables: &'a VertexTables,
    centre: Centre,
    level: u32,
}

// SAFETY: a block writes the elements of its vertices and their corners, and reads no others that are written; what it
// reads of a level was written before a barrier, and branches around phases depend on the level (contracts U1 to U4).
unsafe impl<N: ComponentCount> BlockKernel for RefineRings<N> {
    const THREADS: u32 = CHUNK * LANES;
    type Tables = VertexTables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> VertexTables {
        let corners = CHUNK * ROOM;
        VertexTables {
            vertices: plan.take(CHUNK * WORDS),
            corners: [
                plan.take(corners * POINTS * N::N),
                plan.take(corners * POINTS * N::N),
            ],
            centres: [plan.take(CHUNK * N::N), plan.take(CHUNK * N::N)],
            faces: plan.take(corners * N::N),
            links: plan.take(corners * LINKS),
            sharp: plan.take(corners * LINKS),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, tables: &VertexTables) {
        let m = &self.mesh;
        let small = |c: &Centre| if c.small() { c.n } else { 0 };
        let at = |centre: Centre, level: u32| RingVertex {
            tables,
            centre,
            level,
        };
        b.phase(|p| self.find(p, block, tables));
        b.phase(|p| {
            let one = |_: &Centre| 1;
            self.each(p, tables, one, |c, _, k| {
                self.put_here(&at(c, 0), 0, k, self.base.get(c.v, k));
            });
            self.each(p, tables, small, |c, place, k| {
                let h = m.entries.get(c.first + place);
                for point in 0..POINTS {
                    let x = self.base.get(at_base(m, h, point), k);
                    self.put(&at(c, 0), 0, place, point, k, x);
                }
            });
            // One link per component: there are enough indices, and the loop is the same.
            let links = |c: &Centre| (small(c) * LINKS).div_ceil(N::N);
            self.each(p, tables, links, |c, row, k| {
                let i = row * N::N + k;
                let (place, link) = (i / LINKS, i % LINKS);
                if place < c.n {
                    self.find_link(tables, &c, place, link);
                }
            });
        });
        for level in 0..self.depth {
            let done = level + 1 == self.depth;
            b.phase(|p| {
                self.each(p, tables, small, |c, place, k| {
                    let x = self.new_face(&at(c, level), place, k);
                    tables.faces.set((c.slot * ROOM + place) * N::N + k, x);
                });
            });
            b.phase(|p| {
                let points = |c: &Centre| if done { 1 } else { 1 + LINKS * c.n };
                self.each(p, tables, points, |c, i, k| {
                    let a = at(c, level);
                    if i > 0 {
                        return self.refine_corner(&a, (i - 1) / LINKS, (i - 1) % LINKS, k);
                    }
                    let x = self.refine_vertex(&a, k);
                    if done {
                        self.out.set(c.v, k, x);
                    } else {
                        let row = level * m.vertex_count() + c.v;
                        self.centres.set(row * N::N + k, x);
                        self.put_here(&a, level + 1, k, x);
                    }
                });
            });
        }
    }
}
