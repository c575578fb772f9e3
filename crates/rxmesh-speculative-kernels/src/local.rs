//! Copy of a patch in shared memory, and the mesh that operators see in it.

use super::stash::STASH_SLOTS;
use super::store::{ColumnList, Entries, PatchArrays, PatchCapacity, PatchStore, each_kind};
use rxmesh_kernels::edit::{DEAD, HalfEdgeMesh, HalfEdgeMeshMut, LOST, NO_FACE, NONE, lost};
use rxmesh_kernels::exec::{Block, Phase};
use rxmesh_kernels::mem::{Plan, Shared};
use rxmesh_kernels::topo::Kind;

/// Arrays of a patch in shared memory.
pub type LocalParts = PatchArrays<Shared<u16>, Shared<u32>>;

/// Patch in shared memory, with relations that are derived from its faces.
#[derive(Clone, Copy, Debug)]
pub struct LocalPatch {
    /// Arrays that are stored.
    pub parts: LocalParts,
    /// Lowest face of each half-edge.
    ef: Shared<u32>,
    /// Lowest edge of each vertex.
    ve: Shared<u32>,
}

impl LocalPatch {
    /// Reserves the shared memory.
    #[inline(always)]
    pub fn take(shape: PatchCapacity, plan: &mut Plan) -> LocalPatch {
        let topology = plan.take(shape.topology());
        let masks = plan.take(shape.masks());
        let ribbons = plan.take(shape.ribbons());
        LocalPatch {
            parts: PatchArrays {
                shape,
                topology,
                masks,
                ribbons,
            },
            ef: plan.take(2 * shape.edges),
            ve: plan.take(shape.vertices),
        }
    }

    /// Copies a patch from global memory. Its lock is held, or nothing that changes patches runs concurrently.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn load<B: Block>(&self, b: B, store: &PatchStore, id: u32) {
        let (from, to, s) = (store.patch(id), self.parts, store.shape);
        b.phase(|p| {
            copy_entries(p, s.topology(), from.topology, to.topology);
            p.each(s.masks(), |i| to.masks.set(i, from.masks.get(i)));
            p.each(s.ribbons(), |i| to.ribbons.set(i, from.ribbons.get(i)));
        });
    }

    /// Writes the patch back.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn commit<B: Block>(&self, b: B, store: &PatchStore, id: u32) {
        let (from, to, s) = (self.parts, store.patch(id), store.shape);
        b.phase(|p| {
            p.each(s.topology() / 2, |i| {
                let (source, target) = (from.topology.cast::<u32>(), to.topology.cast::<u32>());
                target.set(i, source.get(i));
            });
            p.each(s.masks(), |i| to.masks.set(i, from.masks.get(i)));
            p.each(s.ribbons(), |i| to.ribbons.set(i, from.ribbons.get(i)));
        });
    }

    /// Makes an empty patch.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn clear<B: Block>(&self, b: B) {
        let (to, s) = (self.parts, self.parts.shape);
        b.phase(|p| {
            p.each(s.masks(), |i| to.masks.set(i, 0));
            p.each(s.ribbons(), |i| to.ribbons.set(i, NONE));
        });
    }

    /// Derives the faces of half-edges and the edges of vertices.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn derive<B: Block>(&self, b: B) {
        let (parts, s) = (&self.parts, self.parts.shape);
        b.phase(|p| {
            p.each(2 * s.edges, |h| self.ef.set(h, NO_FACE));
            p.each(s.vertices, |v| self.ve.set(v, NONE));
        });
        b.each(s.faces, |f| {
            if parts.is_active(Kind::Face, f) {
                let mut k = 0;
                while k < 3 {
                    let h = parts.side(f, k);
                    self.ef.fetch_min(h, f);
                    self.ve.fetch_min(parts.origin(h), h >> 1);
                    k += 1;
                }
            }
        });
    }

    /// Copies the attributes of all elements that are not owned from their owners' handles to this patch's, so that the
    /// attributes of every local element are at the patch's base plus its local id.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn fetch_ghosts<B: Block>(&self, b: B, id: u32, columns: &ColumnList) {
        b.phase(|p| {
            each_kind(|kind| self.fetch_kind(p, id, columns, kind));
        });
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn fetch_kind<B: Block>(&self, p: Phase<B>, id: u32, columns: &ColumnList, kind: Kind) {
        let (parts, table) = (self.parts, self.parts.table(kind));
        let base = id * parts.shape.room(kind);
        p.each(table.len(), |i| {
            if let Some(entry) = table.entry(i) {
                columns.copy(kind, parts.handle_of(kind, entry), base + entry.local);
            }
        });
    }

    /// Empties the slots of the stash that no table uses. `used` has two words.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub fn sweep_stash<B: Block>(&self, b: B, used: Shared<u32>) {
        let parts = &self.parts;
        b.phase(|p| p.each(2, |i| used.set(i, 0)));
        b.phase(|p| {
            each_kind(|kind| {
                let table = parts.table(kind);
                p.each(table.len(), |i| {
                    if let Some(entry) = table.entry(i) {
                        used.fetch_or(entry.slot / 32, 1 << (entry.slot % 32));
                    }
                });
            });
        });
        b.each(STASH_SLOTS, |slot| {
            if used.load(slot / 32) >> (slot % 32) & 1 == 0 {
                parts.stash().remove(slot);
            }
        });
    }

    /// Returns the lowest face of a half-edge.
    #[inline(always)]
    pub fn face(&self, h: u32) -> u32 {
        self.ef.get(h)
    }

    /// Returns the lowest edge of a vertex.
    #[inline(always)]
    pub fn edge_at(&self, v: u32) -> u32 {
        self.ve.get(v)
    }
}

/// Copies an even number of 16-bit entries, two at a time.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
fn copy_entries<B: Block>(
    p: Phase<B>,
    n: u32,
    from: rxmesh_kernels::mem::GlobalMut<u16>,
    to: Shared<u16>,
) {
    let (from, to) = (from.cast::<u32>(), to.cast::<u32>());
    p.each(n / 2, |i| to.set(i, from.get(i)));
}

/// Records of seeds and vertices that are made while operators read the mesh.
#[derive(Clone, Copy, Debug)]
pub struct Misses {
    /// Seeds that asked for elements unknown to the patch, one bit each.
    pub seeds: Shared<u32>,
    /// Vertices that the patch should own, one bit each.
    pub wanted: Shared<u32>,
}

impl Misses {
    /// Returns `true` if a seed asked for unknown elements.
    #[inline(always)]
    pub fn has(&self, seed: u32) -> bool {
        self.seeds.load(seed / 32) >> (seed % 32) & 1 != 0
    }

    /// Records that a vertex would have to be owned for a seed.
    #[inline(always)]
    pub fn note(&self, seed: u32, vertex: u32) {
        self.seeds.fetch_or(seed / 32, 1 << (seed % 32));
        self.wanted.fetch_or(vertex / 32, 1 << (vertex % 32));
    }
}

/// Mesh that operators see: the elements of a patch, by the patch's base plus local id. Everything about owned vertices
/// is known; a query about others returns an arbitrary answer and is recorded.
#[derive(Clone, Copy, Debug)]
pub struct PatchMesh {
    /// Patch.
    pub local: LocalPatch,
    /// Ids of the patch's elements with local id 0, by kind.
    pub base: [u32; 3],
    /// Id of the patch.
    pub id: u32,
    /// Local seed that asks.
    pub seed: u32,
    /// Records of queries that the patch cannot answer.
    pub misses: Misses,
}

impl PatchMesh {
    /// Makes the mesh of a patch, for seed 0.
    #[inline(always)]
    pub fn new(local: LocalPatch, id: u32, misses: Misses) -> PatchMesh {
        let s = local.parts.shape;
        PatchMesh {
            local,
            base: [id * s.vertices, id * s.edges, id * s.faces],
            id,
            seed: 0,
            misses,
        }
    }

    /// Returns the mesh for a seed, by its local id.
    #[inline(always)]
    pub fn of(self, seed: u32) -> PatchMesh {
        PatchMesh { seed, ..self }
    }

    /// Returns the local id of a vertex.
    #[inline(always)]
    pub fn vertex(&self, v: u32) -> u32 {
        v - self.base[0]
    }

    /// Returns the local id of an edge.
    #[inline(always)]
    pub fn edge(&self, e: u32) -> u32 {
        e - self.base[1]
    }

    /// Returns the local id of a half-edge.
    #[inline(always)]
    pub fn half(&self, h: u32) -> u32 {
        h - 2 * self.base[1]
    }

    /// Returns the local id of a face.
    #[inline(always)]
    pub fn local_face(&self, f: u32) -> u32 {
        f - self.base[2]
    }

    /// Records a vertex unless it is owned; returns `true` if it is.
    #[inline(always)]
    pub fn wants(&self, v: u32) -> bool {
        let local = self.vertex(v);
        let owned = self.local.parts.is_owned(Kind::Vertex, local);
        if !owned {
            self.misses.note(self.seed, local);
        }
        owned
    }
}

impl HalfEdgeMesh for PatchMesh {
    #[inline(always)]
    fn origin(&self, h: u32) -> u32 {
        self.base[0] + self.local.parts.origin(self.half(h))
    }

    #[inline(always)]
    fn face(&self, h: u32) -> u32 {
        let at = self.half(h);
        let f = self.local.face(at);
        if f != NO_FACE {
            return self.base[2] + f;
        }
        // There is none if the patch owns an end; otherwise this is unknown.
        let parts = &self.local.parts;
        let (a, b) = (parts.origin(at), parts.origin(at ^ 1));
        if !parts.is_owned(Kind::Vertex, a) && !parts.is_owned(Kind::Vertex, b) {
            self.misses.note(self.seed, a);
        }
        NO_FACE
    }

    #[inline(always)]
    fn sides(&self, f: u32) -> [u32; 3] {
        let (parts, f, base) = (&self.local.parts, self.local_face(f), 2 * self.base[1]);
        [
            base + parts.side(f, 0),
            base + parts.side(f, 1),
            base + parts.side(f, 2),
        ]
    }

    #[inline(always)]
    fn edge_at(&self, v: u32) -> u32 {
        if !self.wants(v) {
            return NONE;
        }
        let v = self.vertex(v);
        if !self.local.parts.is_active(Kind::Vertex, v) {
            return DEAD;
        }
        match self.local.edge_at(v) {
            NONE => NONE,
            e => self.base[1] + e,
        }
    }

    #[inline(always)]
    fn face_lives(&self, f: u32) -> bool {
        self.local.parts.is_active(Kind::Face, self.local_face(f))
    }

    #[inline(always)]
    fn edge_lives(&self, e: u32) -> bool {
        self.local.parts.is_active(Kind::Edge, self.edge(e))
    }

    #[inline(always)]
    fn vertex_lives(&self, v: u32) -> bool {
        self.local.parts.is_active(Kind::Vertex, self.vertex(v))
    }

    #[inline(always)]
    fn turn_limit(&self) -> u32 {
        self.local.parts.shape.faces
    }
}

impl HalfEdgeMeshMut for PatchMesh {
    #[inline(always)]
    fn set_sides(&self, f: u32, sides: [u32; 3]) {
        let (parts, f) = (&self.local.parts, self.local_face(f));
        let at = parts.shape.fe() + 3 * f;
        let put = |k: u32, side: u32| {
            let h = self.half(side);
            parts.topology.put(at + k, h);
            self.local.ef.set(h, f);
        };
        put(0, sides[0]);
        put(1, sides[1]);
        put(2, sides[2]);
        parts.bear(Kind::Face, f);
        parts.leave(parts.shape.frozen(), f);
    }

    #[inline(always)]
    fn set_ends(&self, e: u32, ends: [u32; 2]) {
        let (parts, e) = (&self.local.parts, self.edge(e));
        parts.topology.put(2 * e, self.vertex(ends[0]));
        parts.topology.put(2 * e + 1, self.vertex(ends[1]));
        parts.bear(Kind::Edge, e);
    }

    #[inline(always)]
    fn leave_face(&self, h: u32) {
        self.local.ef.set(self.half(h), NO_FACE);
    }

    #[inline(always)]
    fn lose_face(&self, h: u32) {
        let at = self.half(h);
        self.local.ef.set(at, self.local.face(at) | LOST);
    }

    #[inline(always)]
    fn lost_face(&self, h: u32) -> u32 {
        match lost(self.local.face(self.half(h))) {
            NONE => NONE,
            f => self.base[2] + f,
        }
    }

    #[inline(always)]
    fn set_edge_at(&self, v: u32, e: u32) {
        let v = self.vertex(v);
        self.local.ve.set(v, self.edge_or_none(e));
        self.local.parts.bear(Kind::Vertex, v);
    }

    #[inline(always)]
    fn store_edge_at(&self, v: u32, e: u32) {
        self.local.ve.swap(self.vertex(v), self.edge_or_none(e));
    }

    #[inline(always)]
    fn load_edge_at(&self, v: u32) -> u32 {
        match self.local.ve.load(self.vertex(v)) {
            NONE => NONE,
            e => self.base[1] + e,
        }
    }

    #[inline(always)]
    fn bury_face(&self, f: u32) {
        self.local.parts.bury(Kind::Face, self.local_face(f));
    }

    #[inline(always)]
    fn bury_edge(&self, e: u32) {
        let e = self.edge(e);
        self.local.ef.set(2 * e, NO_FACE);
        self.local.ef.set(2 * e + 1, NO_FACE);
        self.local.parts.bury(Kind::Edge, e);
    }

    #[inline(always)]
    fn bury_vertex(&self, v: u32) {
        self.local.parts.bury(Kind::Vertex, self.vertex(v));
    }

    #[inline(always)]
    fn label(&self, _: u32) -> u32 {
        self.id
    }

    #[inline(always)]
    fn set_label(&self, _: u32, _: u32) {}
}

impl PatchMesh {
    #[inline(always)]
    fn edge_or_none(&self, e: u32) -> u32 {
        if e == NONE { NONE } else { self.edge(e) }
    }
}
