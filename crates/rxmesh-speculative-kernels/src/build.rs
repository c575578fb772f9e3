//! Conversion of the patches of a static mesh to growable patches, and of these to flat arrays.
//!
//! Local ids are kept; ownership follows rules 1 and 2 of [`super::store`]: vertices stay with their patches, an edge
//! goes to the owner of its end of lowest linear id, a face to that of its corner of lowest linear id. Launches:
//! [`NumberVertices`], [`NumberElements`], [`BuildPatches`].

use super::local::LocalPatch;
use super::store::{Entries, PatchStore};
use super::table::RibbonEntry;
use super::tally::Tally;
use rxmesh_kernels::cavity::{FREE, FROZEN};
use rxmesh_kernels::edit::{DEAD, FlatMesh, NONE};
use rxmesh_kernels::exec::Block;
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::{BlockKernel, FlatKernel, PatchKernel};
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};
use rxmesh_kernels::topo::{Edge, Face, Kind, Patch, PatchHeader, Vertex};

kernel! {
    /// Computes the handle of every vertex, by linear id.
    pub struct NumberVertices: Patch {
        /// Capacity for vertices in a patch.
        pub room: u32,
        /// One word per vertex.
        pub handles: GlobalMut<u32>,
    }
}

// SAFETY: a patch writes what it owns, in phases separated by barriers; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for NumberVertices {
    type Tables = ();

    #[inline(always)]
    fn carve(&mut self, _: &PatchHeader, _: &mut Plan) {}

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn run<B: Block>(&self, b: B, patch: &Patch, (): &()) {
        let to = self.handles.from(patch.base::<Vertex>());
        b.last_phase(|p| {
            p.each(patch.owned::<Vertex>(), |v| {
                to.set(v, patch.id() * self.room + v);
            });
        });
    }
}

/// Handles of all elements of a mesh, by linear id.
pub type Handles = GlobalMut<u32>;

kernel! {
    /// Computes the handle of every edge and face, by linear id.
    pub struct NumberElements: Patch {
        /// Capacity for edges in a patch.
        pub edge_room: u32,
        /// Capacity for faces in a patch.
        pub face_room: u32,
        /// One word per edge.
        pub edges: Handles,
        /// One word per face.
        pub faces: Handles,
    }
}

// SAFETY: a patch writes what it owns, in phases separated by barriers; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for NumberElements {
    type Tables = ();

    #[inline(always)]
    fn carve(&mut self, _: &PatchHeader, _: &mut Plan) {}

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn run<B: Block>(&self, b: B, patch: &Patch, (): &()) {
        let map = patch.map::<Vertex>();
        // `true` if this patch owns the vertex of lowest linear id.
        let leads = |v: u32, lowest: u32| map.linear(v) == lowest && v < patch.owned::<Vertex>();
        b.last_phase(|p| {
            p.each(patch.total::<Edge>(), |e| {
                let (u, v) = patch.edge_vertices(e);
                let lowest = map.linear(u).min(map.linear(v));
                if leads(u, lowest) || leads(v, lowest) {
                    self.edges.set(
                        patch.map::<Edge>().linear(e),
                        patch.id() * self.edge_room + e,
                    );
                }
            });
            p.each(patch.total::<Face>(), |f| {
                let [u, v, w] = corners(patch, f);
                let lowest = map.linear(u).min(map.linear(v)).min(map.linear(w));
                if leads(u, lowest) || leads(v, lowest) || leads(w, lowest) {
                    self.faces.set(
                        patch.map::<Face>().linear(f),
                        patch.id() * self.face_room + f,
                    );
                }
            });
        });
    }
}

/// Returns the corners of a local face.
#[inline(always)]
fn corners(patch: &Patch, f: u32) -> [u32; 3] {
    let [a, b, c] = patch.face_edges(f);
    let origin = |side: u32| u32::from(patch.ev().get(side));
    [origin(a), origin(b), origin(c)]
}

kernel! {
    /// Writes the patches. Their masks are initially zero, their tables empty.
    pub struct BuildPatches: Patch {
        /// Patches to write.
        pub store: PatchStore,
        /// Handles of the vertices.
        pub vertices: Global<u32>,
        /// Handles of the edges.
        pub edges: Global<u32>,
        /// Handles of the faces.
        pub faces: Global<u32>,
        /// Claims on faces, which mark the frozen ones.
        pub claims: Global<u64>,
        /// Counters, see [`Tally`].
        pub tally: GlobalMut<u32>,
    }
}

// SAFETY: a patch writes what it owns, in phases separated by barriers; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for BuildPatches {
    type Tables = ();

    #[inline(always)]
    fn carve(&mut self, _: &PatchHeader, _: &mut Plan) {}

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn run<B: Block>(&self, b: B, patch: &Patch, (): &()) {
        let (s, to) = (self.store.shape, self.store.patch(patch.id()));
        let (ev, fe) = (patch.ev(), patch.fe());
        b.phase(|p| {
            p.each(2 * patch.total::<Edge>(), |i| {
                to.topology.put(i, u32::from(ev.get(i)));
            });
            p.each(3 * patch.total::<Face>(), |i| {
                to.topology.put(s.fe() + i, u32::from(fe.get(i)));
            });
            // Faces without an owned corner are not needed here.
            p.each(patch.total::<Face>(), |f| {
                let [u, v, w] = corners(patch, f);
                let owned = patch.owned::<Vertex>();
                if u < owned || v < owned || w < owned {
                    to.enter(s.active(Kind::Face), f);
                    let [x, y, z] = patch.face_edges(f);
                    to.enter(s.active(Kind::Edge), x >> 1);
                    to.enter(s.active(Kind::Edge), y >> 1);
                    to.enter(s.active(Kind::Edge), z >> 1);
                    to.enter(s.active(Kind::Vertex), u);
                    to.enter(s.active(Kind::Vertex), v);
                    to.enter(s.active(Kind::Vertex), w);
                    if self.claims.get(patch.map::<Face>().linear(f)) == FROZEN {
                        to.enter(s.frozen(), f);
                    }
                }
            });
            p.each(patch.owned::<Vertex>(), |v| {
                to.enter(s.active(Kind::Vertex), v);
            });
        });
        b.last_phase(|p| {
            let own = |kind: Kind, i: u32, handle: u32| self.own(patch.id(), kind, i, handle);
            p.each(patch.total::<Vertex>(), |v| {
                own(
                    Kind::Vertex,
                    v,
                    self.vertices.get(patch.map::<Vertex>().linear(v)),
                );
            });
            p.each(patch.total::<Edge>(), |e| {
                own(Kind::Edge, e, self.edges.get(patch.map::<Edge>().linear(e)));
            });
            p.each(patch.total::<Face>(), |f| {
                own(Kind::Face, f, self.faces.get(patch.map::<Face>().linear(f)));
            });
        });
    }
}

impl BuildPatches {
    /// Marks a local element as owned, or stores its owner.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn own(&self, id: u32, kind: Kind, i: u32, handle: u32) {
        let (s, to) = (self.store.shape, self.store.patch(id));
        if !to.is_active(kind, i) {
            return;
        }
        let owner = handle / s.room(kind);
        if owner == id {
            to.enter(s.owned(kind), i);
            return;
        }
        match to.stash().insert(owner) {
            None => {
                self.tally.fetch_add(Tally::Crowded as u32, 1);
            }
            Some(slot) => {
                let at = handle % s.room(kind);
                if !to.table(kind).insert(RibbonEntry { local: i, slot, at }) {
                    self.tally.fetch_add(Tally::Corrupt as u32, 1);
                }
            }
        }
    }
}

kernel! {
    /// Moves the values of an attribute to the handles of the elements. One index per word.
    pub struct PlaceByHandle: Flat {
        /// Handles, by linear id.
        pub handles: Global<u32>,
        /// Words of the attribute.
        pub from: Global<u32>,
        /// Words of the column.
        pub to: GlobalMut<u32>,
        /// Number of words per value.
        pub width: u32,
    }
}

// SAFETY: indices of one launch write disjoint elements or atomically; the host launches no more of them than the views
// can hold (contracts U3, U4).
unsafe impl FlatKernel for PlaceByHandle {
    #[inline(always)]
    fn run(&self, i: u32) {
        let handle = self.handles.get(i / self.width);
        if handle != NONE {
            self.to
                .set(handle * self.width + i % self.width, self.from.get(i));
        }
    }
}

kernel! {
    /// Writes a session's flat arrays, by handle, for code that reads the mesh as a whole. One block per patch.
    pub struct Flatten: Block {
        /// Patches.
        pub store: PatchStore,
        /// Flat arrays to write.
        pub mesh: FlatMesh,
        /// Claims on faces, which mark the frozen ones.
        pub claims: GlobalMut<u64>,
    }
}

// SAFETY: blocks write disjoint elements or atomically, in phases separated by barriers; indices are the launch's
// (contracts U1 to U4).
unsafe impl BlockKernel for Flatten {
    type Tables = LocalPatch;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> LocalPatch {
        // The first word of a plan is one of a set that is never read.
        let _: Shared<u32> = plan.take(4);
        LocalPatch::take(self.store.shape, plan)
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn run<B: Block>(&self, b: B, id: u32, local: &LocalPatch) {
        let (s, parts) = (self.store.shape, local.parts);
        local.load(b, &self.store, id);
        local.derive(b);
        let handle = |kind: Kind, i: u32| parts.handle(id, kind, i);
        let lives = |kind: Kind, i: u32| parts.is_active(kind, i) && parts.is_owned(kind, i);
        let base = |kind: Kind| self.store.base(id, kind);
        b.last_phase(|p| {
            p.each(s.faces, |f| {
                let at = base(Kind::Face) + f;
                let live = lives(Kind::Face, f);
                let side = |k: u32| {
                    let h = parts.side(f, k);
                    if live {
                        2 * handle(Kind::Edge, h >> 1) + (h & 1)
                    } else {
                        NONE
                    }
                };
                self.mesh.fe.set(3 * at, side(0));
                self.mesh.fe.set(3 * at + 1, side(1));
                self.mesh.fe.set(3 * at + 2, side(2));
                self.mesh.fp.set(at, if live { id } else { NONE });
                let frozen = live && parts.is_frozen(f);
                self.claims.set(at, if frozen { FROZEN } else { FREE });
            });
            p.each(2 * s.edges, |h| {
                let at = 2 * base(Kind::Edge) + h;
                let live = lives(Kind::Edge, h >> 1);
                let face = if live { local.face(h) } else { NONE };
                self.mesh.ev.set(
                    at,
                    if live {
                        handle(Kind::Vertex, parts.origin(h))
                    } else {
                        NONE
                    },
                );
                self.mesh.around.set(
                    2 * at,
                    if face == NONE {
                        NONE
                    } else {
                        handle(Kind::Face, face)
                    },
                );
            });
            p.each(s.vertices, |v| {
                let edge = if !lives(Kind::Vertex, v) {
                    DEAD
                } else if local.edge_at(v) == NONE {
                    NONE
                } else {
                    handle(Kind::Edge, local.edge_at(v))
                };
                self.mesh.ve.set(base(Kind::Vertex) + v, edge);
            });
        });
    }
}
