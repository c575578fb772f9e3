//! Opening an edit session: patches to flat arrays, and freezing.
//!
//! Launches in order: [`Fill`] of all arrays if there are slots without an element, [`OpenPatches`], [`LinkSides`],
//! [`OpenVertices`], [`Freeze`]. For faces that are in no patches yet the kernels of [`crate::construct`] make edges,
//! and [`OpenFaces`] takes the place of [`OpenPatches`].

use super::flat::{DEAD, FlatMesh, NO_FACE, NONE};
use super::mesh::{HalfEdgeMesh, around_in};
use crate::exec::Block;
use crate::kernel;
use crate::kernel::{FlatKernel, PatchKernel};
use crate::lanes::three;
use crate::mem::{GlobalMut, Plan, Shared};
use crate::topo::{Edge, Face, Kind, Patch, PatchHeader, Vertex};

kernel! {
    /// Writes the same value everywhere.
    pub struct Fill: Flat {
        /// Words to fill.
        pub to: GlobalMut<u32>,
        /// Value to write.
        pub value: u32,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for Fill {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.to.set(i, self.value);
    }
}

/// Bit of the count of a vertex's corners: the vertex is frozen.
const FROZEN: u32 = 1 << 31;

/// Faces at each vertex while a session opens, and the frozen vertices.
pub type Suspects = GlobalMut<u32>;

/// Freezes both ends of an edge.
#[inline(always)]
fn freeze_ends(corners: Suspects, from: u32, to: u32) {
    corners.fetch_or(from, FROZEN);
    corners.fetch_or(to, FROZEN);
}

kernel! {
    /// Writes FE with directions, EV, EF, an edge per vertex and the patch of every owned element, in linear ids; and
    /// the ends of edges that are not manifold and consistently oriented. A patch has all faces of its edges and
    /// vertices, so that all is counted in shared memory.
    pub struct OpenPatches: Patch {
        /// Session's mesh.
        pub mesh: FlatMesh,
        /// One word per vertex, zeroed before.
        pub corners: Suspects,
    }
}

/// Shared memory of [`OpenPatches`], for owned elements.
#[derive(Clone, Copy)]
pub struct OpenTables {
    /// Face of each half-edge.
    ef: Shared<u32>,
    /// An edge of each vertex.
    ve: Shared<u32>,
    /// Faces at each vertex.
    corners: Shared<u32>,
}

// SAFETY: a patch writes its own elements, in phases that barriers part; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for OpenPatches {
    type Tables = OpenTables;

    #[inline(always)]
    fn carve(&mut self, header: &PatchHeader, plan: &mut Plan) -> OpenTables {
        let owned = |kind: Kind| u32::from(header.owned[kind as usize]);
        OpenTables {
            ef: plan.take(2 * owned(Kind::Edge)),
            ve: plan.take(owned(Kind::Vertex)),
            corners: plan.take(owned(Kind::Vertex)),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, t: &OpenTables) {
        let (owned_edges, owned_vertices) = (patch.owned::<Edge>(), patch.owned::<Vertex>());
        b.phase(|p| {
            p.each(2 * owned_edges, |h| t.ef.set(h, NO_FACE));
            p.each(owned_vertices, |v| {
                t.ve.set(v, NONE);
                t.corners.set(v, 0);
            });
        });
        b.each(patch.total::<Face>(), |f| self.count(patch, f, t));
        let (vertices, edges) = (patch.map::<Vertex>(), patch.map::<Edge>());
        let fe = self.mesh.fe.from(3 * patch.base::<Face>());
        let ev = self.mesh.ev.from(2 * patch.base::<Edge>());
        let around = self.mesh.around.from(4 * patch.base::<Edge>());
        let fp = self.mesh.fp.from(patch.base::<Face>());
        let ve = self.mesh.ve.from(patch.base::<Vertex>());
        let corners = self.corners.from(patch.base::<Vertex>());
        let (stored_fe, stored_ev) = (patch.fe(), patch.ev());
        b.last_phase(|p| {
            p.each(3 * patch.owned::<Face>(), |k| {
                let side = u32::from(stored_fe.get(k));
                fe.set(k, edges.linear(side >> 1) << 1 | side & 1);
            });
            p.each(2 * owned_edges, |k| {
                ev.set(k, vertices.linear(u32::from(stored_ev.get(k))));
                around.set(2 * k, t.ef.get(k));
            });
            p.each(patch.owned::<Face>(), |f| fp.set(f, patch.id()));
            p.each(owned_vertices, |v| {
                ve.set(v, t.ve.get(v));
                // Another patch may be marking it.
                corners.fetch_add(v, t.corners.get(v));
            });
        });
    }
}

impl OpenPatches {
    /// Counts a face of the patch, owned or not, at its owned edges and vertices.
    #[inline(always)]
    fn count(&self, patch: &Patch, f: u32, t: &OpenTables) {
        let [a, b, c] = patch.face_edges(f);
        let ends = |side: u32| {
            let (source, target) = patch.edge_vertices(side >> 1);
            if side & 1 == 0 {
                (source, target)
            } else {
                (target, source)
            }
        };
        let (ea, eb, ec) = (ends(a), ends(b), ends(c));
        let repeats = ea.0 == eb.0 || eb.0 == ec.0 || ec.0 == ea.0;
        let (vertices, edges, faces) = (
            patch.map::<Vertex>(),
            patch.map::<Edge>(),
            patch.map::<Face>(),
        );
        let one = |side: u32, (from, to): (u32, u32)| {
            // The lowest of several faces stays, so that the outcome does not depend on the order.
            let taken = side >> 1 < patch.owned::<Edge>()
                && t.ef.fetch_min(side, faces.linear(f)) != NO_FACE;
            if from < patch.owned::<Vertex>() {
                t.ve.fetch_min(from, edges.linear(side >> 1));
                t.corners.fetch_add(from, 1);
            }
            if taken || repeats {
                freeze_ends(self.corners, vertices.linear(from), vertices.linear(to));
            }
        };
        one(a, ea);
        one(b, eb);
        one(c, ec);
    }
}

kernel! {
    /// Writes the face of each half-edge, from FE and EV, and the ends of edges that are not manifold and consistently
    /// oriented: as [`OpenPatches`], for faces that are in no patches. One index per face.
    pub struct OpenFaces: Flat {
        /// Session's mesh. The faces of half-edges are [`NO_FACE`] before.
        pub mesh: FlatMesh,
        /// One word per vertex, zeroed before.
        pub corners: Suspects,
    }
}

// SAFETY: indices of one launch write atomically; the host launches no more of them than the views hold (contracts U3,
// U4).
unsafe impl FlatKernel for OpenFaces {
    #[inline(always)]
    fn run(&self, f: u32) {
        let mesh = &self.mesh;
        let sides = mesh.sides(f);
        let [a, b, c] = three(|k| mesh.origin(sides[k]));
        let repeats = a == b || b == c || c == a;
        let one = |h: u32, from: u32, to: u32| {
            // The lowest of several faces stays, so that the outcome does not depend on the order.
            let taken = mesh.around.fetch_min(2 * h, f) != NO_FACE;
            self.corners.fetch_add(from, 1);
            if taken || repeats {
                freeze_ends(self.corners, from, to);
            }
        };
        one(sides[0], a, b);
        one(sides[1], b, c);
        one(sides[2], c, a);
    }
}

kernel! {
    /// Writes the half-edge before each half-edge in its face, from FE and EF. One index per half-edge.
    pub struct LinkSides: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for LinkSides {
    #[inline(always)]
    fn run(&self, h: u32) {
        let f = self.mesh.face(h);
        let before = if f == NO_FACE {
            NONE
        } else {
            around_in(self.mesh.sides(f), h).1
        };
        self.mesh.around.set(2 * h + 1, before);
    }
}

kernel! {
    /// Freezes vertices whose faces are not one fan or one cycle. One index per vertex slot.
    pub struct OpenVertices: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Results of [`OpenPatches`].
        pub corners: Suspects,
        /// Word 2: not 0 if any vertex is frozen.
        pub frozen: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for OpenVertices {
    #[inline(always)]
    fn run(&self, v: u32) {
        let corners = self.corners.get(v);
        if corners & FROZEN != 0 {
            self.frozen.store(2, 1);
        }
        if corners & FROZEN != 0 || self.mesh.ve.get(v) >= DEAD {
            return;
        }
        if self.faces_of_fan(v, corners) != corners {
            self.corners.set(v, corners | FROZEN);
            self.frozen.store(2, 1);
        }
    }
}

impl OpenVertices {
    /// Counts the faces of the fan that a vertex's edge is in, up to `most`.
    ///
    /// A face that is not the first of those at its side is not found there, and [`HalfEdgeMesh::next`] would continue
    /// in that face: [`HalfEdgeMesh::each_spoke`] may leave the third corner's fan. Only sides at the vertex itself are
    /// followed here, which have no more than one face each.
    #[inline(always)]
    fn faces_of_fan(&self, v: u32, most: u32) -> u32 {
        let mesh = &self.mesh;
        let start = mesh.leaving(v, mesh.ve.get(v));
        let (mut h, mut met, mut back) = (start, 0, false);
        loop {
            // Against the clock the face of the spoke, from the boundary on the one at its other side.
            let side = if back { h ^ 1 } else { h };
            let f = mesh.face(side);
            if f != NO_FACE {
                met += 1;
                let (next, before) = around_in(mesh.sides(f), side);
                h = if back { next } else { before ^ 1 };
                if met > most || h == start {
                    return met;
                }
            } else if back {
                return met;
            } else {
                (h, back) = (start, true);
            }
        }
    }
}

kernel! {
    /// Freezes the faces at frozen vertices permanently, and releases all other claims. One index per face slot.
    pub struct Freeze: Flat {
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Results of [`OpenVertices`].
        pub corners: Suspects,
        /// Claim on each face: [`crate::cavity::FROZEN`] or [`crate::cavity::FREE`] afterwards.
        pub claims: GlobalMut<u64>,
        /// Counts the frozen faces in word 1. Word 2: not 0 if there is any, which saves reading each.
        pub frozen: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for Freeze {
    #[inline(always)]
    fn run(&self, f: u32) {
        let frozen = self.frozen.get(2) != 0 && self.mesh.face_lives(f) && {
            let [a, b, c] = self.mesh.sides(f);
            let at = |h: u32| self.corners.get(self.mesh.origin(h)) & FROZEN != 0;
            at(a) || at(b) || at(c)
        };
        if frozen {
            self.frozen.fetch_add(1, 1);
            self.claims.set(f, crate::cavity::FROZEN);
        } else {
            self.claims.set(f, crate::cavity::FREE);
        }
    }
}
