//! Points around base vertices, through all levels.
//!
//! Each corner h of the mesh stores, in addition to its vertex v, the first point `OUT` along h, the point `ACROSS` the
//! cell at v, and the first point `IN` along the half-edge before h, from v on. The next level's depend only on these
//! and on those of the adjacent corners at the same vertex; so a vertex with all its corners is independent of the
//! rest, and a block takes some vertices through all levels in its shared memory. Regular vertices follow from the
//! faces around them and are left out ([`super::neighbours`]).

use super::creases::Creases;
use super::neighbours::VERTICES;
use super::{ComponentCount, ComponentRows, Output, next, prev};
use crate::topology::{NONE, Topology};
use rxmesh_kernels::args;
use rxmesh_kernels::exec::{Block, Phase};
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
    /// Points around base vertices at all levels before the last.
    pub struct RingPoints {
        /// Values at the base: level 0.
        pub base: ComponentRows,
        /// Number of levels, including the last one.
        pub depth: u32,
        /// Number of each corner among those that are stored.
        pub slots: Global<u32>,
        /// [`POINTS`] points for each stored corner and each level from 1 to `depth` - 1.
        pub corners: Global<f32>,
        /// Points of vertices for each level from 1 to `depth` - 1, of those whose corners are stored.
        pub centres: Global<f32>,
    }
}

/// Returns the offset of the points of a stored corner in [`RingPoints::corners`], for a level from 1 on.
#[inline(always)]
fn of_slot(slot: u32, depth: u32, n: u32, level: u32) -> u32 {
    (slot * (depth - 1) + level - 1) * POINTS * n
}

/// Returns the base vertex that is a point of a corner at level 0.
#[inline(always)]
fn at_base(mesh: &Topology, h: u32, point: u32) -> u32 {
    mesh.corners.get((h & !3) | ((h + 1 + point) & 3))
}

impl RingPoints {
    /// Returns a component of a point of a corner at a level before the last; `n` components are stored.
    #[inline(always)]
    pub fn corner(
        &self,
        mesh: &Topology,
        n: u32,
        h: u32,
        level: u32,
        point: u32,
        component: u32,
    ) -> f32 {
        if level == 0 {
            self.base.get(at_base(mesh, h, point), component)
        } else {
            let at = of_slot(self.slots.get(h), self.depth, n, level);
            self.corners.get(at + point * n + component)
        }
    }

    /// Returns a component of a vertex at a level before the last.
    #[inline(always)]
    pub fn centre(&self, mesh: &Topology, n: u32, v: u32, level: u32, component: u32) -> f32 {
        if level == 0 {
            self.base.get(v, component)
        } else {
            let row = (level - 1) * mesh.vertex_count() + v;
            self.centres.get(row * n + component)
        }
    }
}

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
        /// Numbers of corners, as [`RingPoints::slots`].
        pub slots: Global<u32>,
        /// Points of corners, as [`RingPoints::corners`].
        pub corners: GlobalMut<f32>,
        /// Points of vertices, as [`RingPoints::centres`].
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

impl<N: ComponentCount> RefineRings<N> {
    #[inline(always)]
    fn known(&self) -> RingPoints {
        RingPoints {
            base: self.base,
            depth: self.depth,
            slots: self.slots,
            corners: self.corners.read(),
            centres: self.centres.read(),
        }
    }

    /// Finds the vertices of a block.
    #[inline(always)]
    fn find<B: Block>(&self, p: Phase<B>, block: u32, tables: &VertexTables) {
        p.each(CHUNK, |slot| {
            let at = block * CHUNK + slot;
            let (mut v, mut first, mut n, mut kept) = (NONE, 0, 0, NONE);
            if at < self.counts.get(VERTICES) {
                v = self.vertices.get(at);
                let row = self.mesh.row(v);
                (first, n) = (row.0, row.1 - row.0);
                if n > 0 {
                    kept = self.slots.get(self.mesh.entries.get(first));
                }
            }
            let to = slot * WORDS;
            tables.vertices.set(to, v);
            tables.vertices.set(to + 1, first);
            tables.vertices.set(to + 2, n);
            tables.vertices.set(to + 3, kept);
        });
    }

    #[inline(always)]
    fn vertex(&self, tables: &VertexTables, slot: u32) -> Option<Centre> {
        let word = |i: u32| tables.vertices.get(slot * WORDS + i);
        (word(0) != NONE).then(|| Centre {
            slot,
            v: word(0),
            first: word(1),
            n: word(2),
            kept: word(3),
        })
    }

    /// Calls `f(vertex, place, component)` for `places(vertex)` indices of each vertex.
    #[inline(always)]
    fn each<B: Block>(
        &self,
        p: Phase<B>,
        tables: &VertexTables,
        places: impl Fn(&Centre) -> u32,
        f: impl Fn(Centre, u32, u32),
    ) {
        let lanes = if Phase::<B>::SOLO { 1 } else { LANES };
        p.each(CHUNK * lanes, |i| {
            let Some(centre) = self.vertex(tables, i / lanes) else {
                return;
            };
            let mut at = i % lanes;
            while at < places(&centre) * N::N {
                f(centre, at / N::N, at % N::N);
                at += lanes;
            }
        });
    }

    /// Returns the index in shared memory of a point of the corner at an index of the vertex's row.
    #[inline(always)]
    fn held(centre: &Centre, place: u32, point: u32, k: u32) -> u32 {
        ((centre.slot * ROOM + place) * POINTS + point) * N::N + k
    }

    /// Returns the identifier of a corner of a vertex.
    #[inline(always)]
    fn known_by(&self, centre: &Centre, h: u32) -> u32 {
        if !centre.small() {
            return h;
        }
        let mut place = 0;
        while place + 1 < centre.n && self.mesh.entries.get(centre.first + place) != h {
            place += 1;
        }
        place
    }

    /// Returns a component of a point of a corner.
    #[inline(always)]
    fn at(&self, a: &RingVertex, corner: u32, point: u32, k: u32) -> f32 {
        if a.centre.small() {
            let i = Self::held(&a.centre, corner, point, k);
            if a.level & 1 == 0 {
                a.tables.corners[0].get(i)
            } else {
                a.tables.corners[1].get(i)
            }
        } else {
            self.known()
                .corner(&self.mesh, N::N, corner, a.level, point, k)
        }
    }

    /// Returns a component of the vertex.
    #[inline(always)]
    fn here(&self, a: &RingVertex, k: u32) -> f32 {
        let i = a.centre.slot * N::N + k;
        if a.level & 1 == 0 {
            a.tables.centres[0].get(i)
        } else {
            a.tables.centres[1].get(i)
        }
    }

    /// Returns the adjacent corner at the same vertex, [`NONE`] at a boundary: across the corner's half-edge, or across
    /// the one before.
    #[inline(always)]
    fn beside(&self, a: &RingVertex, corner: u32, link: u32) -> u32 {
        if a.centre.small() {
            let at = (a.centre.slot * ROOM + corner) * LINKS + link;
            a.tables.links.get(at)
        } else {
            self.across(corner, link)
        }
    }

    /// Returns [`RefineRings::beside`] in terms of ids.
    #[inline(always)]
    fn across(&self, h: u32, link: u32) -> u32 {
        if link == 1 {
            return self.mesh.twin(prev(h));
        }
        let twin = self.mesh.twin(h);
        if twin == NONE { NONE } else { next(twin) }
    }

    /// Stores the adjacent corner of a corner, and the sharpness of the edge between them.
    #[inline(always)]
    fn find_link(&self, tables: &VertexTables, c: &Centre, place: u32, link: u32) {
        let m = &self.mesh;
        let h = m.entries.get(c.first + place);
        let other = match self.across(h, link) {
            NONE => NONE,
            g => self.known_by(c, g),
        };
        let to = (c.slot * ROOM + place) * LINKS + link;
        tables.links.set(to, other);
        if self.creases.smooth == 0 {
            let half = if link == 0 { h } else { prev(h) };
            tables.sharp.set(to, self.creases.base.edge(m, half));
        }
    }

    /// Computes the face point of the cell of a corner.
    #[inline(always)]
    fn new_face(&self, a: &RingVertex, corner: u32, k: u32) -> f32 {
        let at = |point| self.at(a, corner, point, k);
        0.25 * (self.here(a, k) + at(OUT) + at(ACROSS) + at(IN))
    }

    /// Returns [`RefineRings::new_face`], from shared memory if the vertex is held there.
    #[inline(always)]
    fn face(&self, a: &RingVertex, corner: u32, k: u32) -> f32 {
        if a.centre.small() {
            a.tables
                .faces
                .get((a.centre.slot * ROOM + corner) * N::N + k)
        } else {
            self.new_face(a, corner, k)
        }
    }

    /// Returns the weight of the crease rule at the next point along one of the two edges of a corner.
    #[inline(always)]
    fn weight(&self, a: &RingVertex, h: u32, corner: u32, link: u32) -> f32 {
        if self.creases.smooth != 0 {
            return 0.0;
        }
        let m = &self.mesh;
        let half = if link == 0 { h } else { prev(h) };
        let s = if a.centre.small() {
            let at = (a.centre.slot * ROOM + corner) * LINKS + link;
            a.tables.sharp.get(at)
        } else {
            self.creases.base.edge(m, half)
        };
        let place = if link == 0 { 1 } else { (2 << a.level) - 1 };
        self.creases.weight(m, half, s, a.level, place)
    }

    /// Computes the next level of a point of a corner along one of its two edges, and with the first also of the one
    /// across.
    #[inline(always)]
    fn refine_corner(&self, a: &RingVertex, place: u32, link: u32, k: u32) {
        let h = self.mesh.entries.get(a.centre.first + place);
        let corner = if a.centre.small() { place } else { h };
        let point = if link == 0 { OUT } else { IN };
        let v = self.here(a, k);
        let face = self.face(a, corner, k);
        let end = self.at(a, corner, point, k);
        let middle = 0.5 * (v + end);
        let other = self.beside(a, corner, link);
        let weight = self.weight(a, h, corner, link);
        let edge = if other == NONE || weight == 1.0 {
            middle
        } else {
            let smooth = 0.25 * (v + end + face + self.face(a, other, k));
            smooth + weight * (middle - smooth)
        };
        let to = of_slot(a.centre.kept + place, self.depth, N::N, a.level + 1) + k;
        let put = |point: u32, x: f32| {
            self.corners.set(to + point * N::N, x);
            if a.centre.small() {
                self.put(a, a.level + 1, place, point, k, x);
            }
        };
        put(point, edge);
        if link == 0 {
            put(ACROSS, face);
        }
    }

    /// Stores a point of a corner in shared memory.
    #[inline(always)]
    fn put(&self, a: &RingVertex, level: u32, place: u32, point: u32, k: u32, x: f32) {
        let i = Self::held(&a.centre, place, point, k);
        if level & 1 == 0 {
            a.tables.corners[0].set(i, x);
        } else {
            a.tables.corners[1].set(i, x);
        }
    }

    /// Stores the vertex in shared memory.
    #[inline(always)]
    fn put_here(&self, a: &RingVertex, level: u32, k: u32, x: f32) {
        let i = a.centre.slot * N::N + k;
        if level & 1 == 0 {
            a.tables.centres[0].set(i, x);
        } else {
            a.tables.centres[1].set(i, x);
        }
    }

    /// Computes the next level of the vertex.
    #[inline(always)]
    fn refine_vertex(&self, a: &RingVertex, k: u32) -> f32 {
        let m = &self.mesh;
        let here = self.here(a, k);
        let n = a.centre.n as f32;
        if a.centre.n == 0 {
            return here;
        }
        let (mut edges, mut faces) = (0.0, 0.0);
        for place in 0..a.centre.n {
            let corner = if a.centre.small() {
                place
            } else {
                m.entries.get(a.centre.first + place)
            };
            edges += self.at(a, corner, OUT, k);
            faces += self.face(a, corner, k);
        }
        let smooth = ((n - 2.0) * here + (edges + faces) / n) / n;
        if self.creases.smooth != 0 {
            smooth
        } else {
            let sharp = |place: u32, h: u32, side: u32| {
                if !a.centre.small() {
                    return self.creases.of_corner(m, h, side);
                }
                let at = (a.centre.slot * ROOM + place) * LINKS + side;
                if side == 1 && a.tables.links.get(at) != NONE {
                    return 0.0;
                }
                a.tables.sharp.get(at)
            };
            let point = |place: u32, h: u32, side: u32| {
                let corner = if a.centre.small() { place } else { h };
                self.at(a, corner, if side == 0 { OUT } else { IN }, k)
            };
            self.creases
                .vertex(m, a.centre.v, a.level, here, smooth, sharp, point)
        }
    }
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
