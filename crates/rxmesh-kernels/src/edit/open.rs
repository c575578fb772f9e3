//! Opening an edit session: patches to flat arrays, and what must be frozen.
//!
//! Launches in order: [`Fill`] of all arrays, [`OpenPatches`], [`OpenFaces`], [`OpenVertices`], [`Freeze`].

use super::flat::{DEAD, FlatMesh, NO_FACE, NONE};
use crate::exec::Block;
use crate::kernel;
use crate::kernel::{FlatKernel, PatchKernel};
use crate::mem::{GlobalMut, Plan};
use crate::topo::{Edge, Face, Patch, PatchHeader, Vertex};

kernel! {
    /// The same value everywhere.
    pub struct Fill: Flat {
        /// Where.
        pub to: GlobalMut<u32>,
        /// What.
        pub value: u32,
    }
}

impl FlatKernel for Fill {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.to.set(i, self.value);
    }
}

kernel! {
    /// FE with directions, EV and the patch of every owned element, in linear ids. Vertices begin without an edge.
    pub struct OpenPatches: Patch {
        /// The session's mesh, all of it dead.
        pub mesh: FlatMesh,
    }
}

impl PatchKernel for OpenPatches {
    type Tables = ();

    #[inline(always)]
    fn carve(&mut self, _: &PatchHeader, _: &mut Plan) {}

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, (): &()) {
        let (vertices, edges) = (patch.map::<Vertex>(), patch.map::<Edge>());
        let fe = self.mesh.fe.from(3 * patch.base::<Face>());
        let ev = self.mesh.ev.from(2 * patch.base::<Edge>());
        let fp = self.mesh.fp.from(patch.base::<Face>());
        let ve = self.mesh.ve.from(patch.base::<Vertex>());
        let (stored_fe, stored_ev) = (patch.fe(), patch.ev());
        b.last_phase(|p| {
            p.each(3 * patch.owned::<Face>(), |k| {
                let side = u32::from(stored_fe.get(k));
                fe.set(k, edges.linear(side >> 1) << 1 | side & 1);
            });
            p.each(2 * patch.owned::<Edge>(), |k| {
                ev.set(k, vertices.linear(u32::from(stored_ev.get(k))));
            });
            p.each(patch.owned::<Face>(), |f| fp.set(f, patch.id()));
            p.each(patch.owned::<Vertex>(), |v| ve.set(v, NONE));
        });
    }
}

/// In the count of a vertex's corners: the vertex is frozen.
const FROZEN: u32 = 1 << 31;

/// The faces at each vertex while a session opens, and which vertices are frozen.
pub type Suspects = GlobalMut<u32>;

kernel! {
    /// EF and VE from FE, and the ends of edges that are not manifold and consistently oriented. One index a face slot.
    pub struct OpenFaces: Flat {
        /// The mesh.
        pub mesh: FlatMesh,
        /// One word a vertex, zeroed before.
        pub corners: Suspects,
    }
}

impl FlatKernel for OpenFaces {
    #[inline(always)]
    fn run(&self, f: u32) {
        let (mesh, corners) = (self.mesh, self.corners);
        if !mesh.face_lives(f) {
            return;
        }
        let [a, b, c] = mesh.sides(f);
        let ends = [mesh.origin(a), mesh.origin(b), mesh.origin(c)];
        let repeats = ends[0] == ends[1] || ends[1] == ends[2] || ends[2] == ends[0];
        let one = |h: u32, v: u32| {
            // The lowest of several faces stays, so that the outcome does not depend on the order.
            let taken = mesh.ef.fetch_min(h, f) != NO_FACE;
            mesh.ve.fetch_min(v, h >> 1);
            corners.fetch_add(v, 1);
            if taken || repeats {
                corners.fetch_or(v, FROZEN);
                corners.fetch_or(mesh.tip(h), FROZEN);
            }
        };
        one(a, ends[0]);
        one(b, ends[1]);
        one(c, ends[2]);
    }
}

kernel! {
    /// Freezes vertices whose faces are not one fan or one cycle. One index a vertex slot.
    pub struct OpenVertices: Flat {
        /// The mesh.
        pub mesh: FlatMesh,
        /// What [`OpenFaces`] found.
        pub corners: Suspects,
    }
}

impl FlatKernel for OpenVertices {
    #[inline(always)]
    fn run(&self, v: u32) {
        let corners = self.corners.get(v);
        if corners & FROZEN != 0 || self.mesh.ve.get(v) >= DEAD {
            return;
        }
        // Frozen neighbours may lead the walk astray: more faces than there are end it.
        let mut met = 0;
        self.mesh.spokes(v, |h| {
            met += u32::from(self.mesh.face(h) != NO_FACE);
            met <= corners
        });
        if met != corners {
            self.corners.set(v, corners | FROZEN);
        }
    }
}

kernel! {
    /// Freezes the faces at frozen vertices for good, and gives up all other claims. One index a face slot.
    pub struct Freeze: Flat {
        /// The mesh.
        pub mesh: FlatMesh,
        /// What [`OpenVertices`] left.
        pub corners: Suspects,
        /// Who claims each face: [`crate::cavity::FROZEN`] or [`crate::cavity::FREE`] afterwards.
        pub claims: GlobalMut<u64>,
        /// Counts the frozen faces in word 1.
        pub frozen: GlobalMut<u32>,
    }
}

impl FlatKernel for Freeze {
    #[inline(always)]
    fn run(&self, f: u32) {
        let frozen = self.mesh.face_lives(f) && {
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
