//! Headers and the patches' parts.

use super::elements::PATCHES;
use super::ribbon::{LIST_WORDS, place_of};
use super::{RepackArrays, RepackMesh, Stat};
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::BlockKernel;
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::topo::{Kind, PatchHeader};

kernel_list! {
    block repack_headers: RepackHeaders;
    block repack_write: RepackWrite;
}

kernel! {
    /// Writes all headers: one block. Patches of isolated vertices come last.
    pub struct RepackHeaders: Block {
        /// Shared arrays of the repack.
        pub work: RepackArrays,
        /// Numbers of ribbon vertices, edges and faces of each patch.
        pub sizes: GlobalMut<u32>,
        /// Header of each patch.
        pub headers: GlobalMut<PatchHeader>,
        /// Number of isolated vertices.
        pub isolated: u32,
        /// Most isolated vertices in one patch.
        pub isolated_room: u32,
    }
}

impl RepackHeaders {
    /// Returns the header of a patch without the offsets of its parts.
    #[inline(always)]
    fn header(&self, patch: u32) -> PatchHeader {
        let w = &self.work;
        let patches = w.stat(Stat::Patches);
        let mut h = PatchHeader::default();
        if patch >= patches {
            let before = (patch - patches) * self.isolated_room;
            let n = (self.isolated - before).min(self.isolated_room) as u16;
            let [vertices, edges, faces] = [
                w.stat(Stat::Vertices),
                w.stat(Stat::Edges),
                w.stat(Stat::Faces),
            ];
            h.base = [vertices + before, edges, faces];
            h.owned = [n, 0, 0];
            h.total = h.owned;
            h.capacity = h.owned;
            return h;
        }
        let (vertex, edge, face) = (
            w.patch_vertex.get(patch),
            w.patch_edge.get(patch),
            w.patch_face.get(patch),
        );
        let (vertices, edges, faces) = (
            w.patch_vertex.get(patch + 1) - vertex,
            w.patch_edge.get(patch + 1) - edge,
            w.patch_face.get(patch + 1) - face,
        );
        let all = [
            vertices + self.sizes.get(3 * patch),
            edges + self.sizes.get(3 * patch + 1),
            faces + self.sizes.get(3 * patch + 2),
        ];
        let most = PatchHeader::MAX_ELEMENTS;
        if all[0] > most || all[1] > PatchHeader::MAX_EDGES || all[2] > most {
            w.stats.raise(Stat::TooLarge as u32, patch + 1);
        }
        h.base = [vertex, edge, face];
        h.owned = [vertices as u16, edges as u16, faces as u16];
        h.total = [all[0] as u16, all[1] as u16, all[2] as u16];
        h.capacity = h.total;
        h
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for RepackHeaders {
    const THREADS: u32 = 512;
    type Tables = ([Shared<u32>; 3], Shared<u32>);

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables {
        (
            [plan.take(PATCHES), plan.take(PATCHES), plan.take(PATCHES)],
            plan.take(SCRATCH_WORDS),
        )
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, _: u32, &([t, m, r], scratch): &Self::Tables) {
        let (w, headers) = (self.work, self.headers);
        let patches = headers.len();
        let (mut topology, mut mask, mut ribbon) = (0u32, 0u32, 0u32);
        let mut from = 0;
        while from < patches {
            let n = (patches - from).min(PATCHES);
            b.each(n, |i| {
                let h = self.header(from + i);
                t.set(i, h.topology_len());
                m.set(i, h.mask_len());
                r.set(i, h.ribbon_len());
            });
            let more = [
                b.scan(t, n, scratch),
                b.scan(m, n, scratch),
                b.scan(r, n, scratch),
            ];
            let (topology_here, mask_here, ribbon_here) = (topology, mask, ribbon);
            b.each(n, |i| {
                let mut h = self.header(from + i);
                h.topology = topology_here.wrapping_add(t.get(i));
                h.mask = mask_here.wrapping_add(m.get(i));
                h.ribbon = ribbon_here.wrapping_add(r.get(i));
                headers.set(from + i, h);
            });
            if topology.checked_add(more[0]).is_none() || ribbon.checked_add(more[2]).is_none() {
                b.lead(|| w.stats.set(Stat::Offsets as u32, 1));
            }
            topology = topology.wrapping_add(more[0]);
            mask = mask.wrapping_add(more[1]);
            ribbon = ribbon.wrapping_add(more[2]);
            from += PATCHES;
        }
    }
}

kernel! {
    /// Writes the sections, masks and lists of every patch, into zeroed memory.
    pub struct RepackWrite: Block {
        /// Mesh as flat arrays.
        pub flat: RepackMesh,
        /// Shared arrays of the repack.
        pub work: RepackArrays,
        /// Ribbons as [`super::ribbon::RepackRibbon`] left them.
        pub lists: Global<u32>,
        /// Header of each patch.
        pub headers: Global<PatchHeader>,
        /// Sections EV and FE.
        pub topology: GlobalMut<u16>,
        /// Masks.
        pub masks: GlobalMut<u32>,
        /// Linear ids of the ribbons.
        pub ribbons: GlobalMut<u32>,
        /// Most ribbon vertices and edges, together, that are kept in shared memory.
        pub room: u32,
    }
}

/// Turns linear ids of one kind into a patch's local ids.
#[derive(Clone, Copy)]
struct Locals<F> {
    base: u32,
    owned: u32,
    ribbon: F,
    n: u32,
}

impl<F: Fn(u32) -> u32> Locals<F> {
    #[inline(always)]
    fn new(h: &PatchHeader, kind: Kind, ribbon: F) -> Self {
        let k = kind as usize;
        Locals {
            base: h.base[k],
            owned: u32::from(h.owned[k]),
            ribbon,
            n: u32::from(h.total[k] - h.owned[k]),
        }
    }

    #[inline(always)]
    fn local(&self, linear: u32) -> u32 {
        let own = linear.wrapping_sub(self.base);
        if own < self.owned {
            own
        } else {
            self.owned + place_of(&self.ribbon, self.n, linear)
        }
    }

    #[inline(always)]
    fn linear(&self, local: u32) -> u32 {
        if local < self.owned {
            self.base + local
        } else {
            (self.ribbon)(local - self.owned)
        }
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for RepackWrite {
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(self.room)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: u32, &here: &Shared<u32>) {
        let h = self.headers.get(patch);
        let [vertices, edges] = [0, 1].map(|k: usize| u32::from(h.total[k] - h.owned[k]));
        if h.owned[2] == 0 {
            b.last_phase(|p| self.masks(p, &h));
            return;
        }
        let start = self.work.told_start.get(patch);
        let n = self.work.told_start.get(patch + 1) - start;
        let lists = self.lists.from(LIST_WORDS * start);
        let (edge_list, vertex_list) = (lists.from(n), lists.from(4 * n));
        let room = vertices + edges <= self.room;
        b.phase(|p| {
            self.masks(p, &h);
            let faces = u32::from(h.total[2] - h.owned[2]);
            self.copy(p, h.ribbon_section(Kind::Face), faces, lists);
            self.copy(p, h.ribbon_section(Kind::Edge), edges, edge_list);
            self.copy(p, h.ribbon_section(Kind::Vertex), vertices, vertex_list);
            if room {
                p.each(edges, |i| here.set(i, edge_list.get(i)));
                p.each(vertices, |i| here.set(edges + i, vertex_list.get(i)));
            }
        });
        let face_list = |i: u32| lists.get(i);
        if room {
            self.topology(
                b,
                &h,
                Locals::new(&h, Kind::Vertex, |i| here.get(edges + i)),
                Locals::new(&h, Kind::Edge, |i| here.get(i)),
                Locals::new(&h, Kind::Face, face_list),
            );
        } else {
            self.topology(
                b,
                &h,
                Locals::new(&h, Kind::Vertex, |i| vertex_list.get(i)),
                Locals::new(&h, Kind::Edge, |i| edge_list.get(i)),
                Locals::new(&h, Kind::Face, face_list),
            );
        }
    }
}

impl RepackWrite {
    #[inline(always)]
    fn copy<B: Block>(&self, p: crate::exec::Phase<B>, at: u32, n: u32, list: Global<u32>) {
        let ribbons = self.ribbons.from(at);
        p.each(n, |i| ribbons.set(i, list.get(i)));
    }

    /// Sets the bits of owned and of all local elements.
    #[inline(always)]
    fn masks<B: Block>(&self, p: crate::exec::Phase<B>, h: &PatchHeader) {
        let fill = |kind: Kind| {
            let k = kind as usize;
            for (at, count) in [
                (h.owned_mask(kind), u32::from(h.owned[k])),
                (h.active_mask(kind), u32::from(h.total[k])),
            ] {
                let words = self.masks.from(at);
                p.each(h.mask_words(kind), |w| {
                    let bits = count.saturating_sub(32 * w).min(32);
                    let word = if bits == 32 {
                        u32::MAX
                    } else {
                        (1 << bits) - 1
                    };
                    words.set(w, word);
                });
            }
        };
        fill(Kind::Vertex);
        fill(Kind::Edge);
        fill(Kind::Face);
    }

    /// Writes sections FE and EV.
    #[inline(always)]
    fn topology<B: Block>(
        &self,
        b: B,
        h: &PatchHeader,
        vertices: Locals<impl Fn(u32) -> u32>,
        edges: Locals<impl Fn(u32) -> u32>,
        faces: Locals<impl Fn(u32) -> u32>,
    ) {
        let (flat, w) = (self.flat, self.work);
        let fe = self.topology.from(h.fe_section());
        let ev = self.topology.from(h.ev_section()).cast::<u32>();
        b.last_phase(|p| {
            p.each(3 * u32::from(h.total[2]), |i| {
                let face = w.face_session.get(faces.linear(i / 3));
                let side = flat.fe.get(3 * face + i % 3);
                let edge = edges.local(w.edge_linear.get(side >> 1));
                fe.set(i, (edge << 1 | side & 1) as u16);
            });
            p.each(u32::from(h.total[1]), |i| {
                let edge = w.edge_session.get(edges.linear(i));
                let (s, t) = (flat.ev.get(2 * edge), flat.ev.get(2 * edge + 1));
                let s = vertices.local(w.vertex_linear.get(s));
                let t = vertices.local(w.vertex_linear.get(t));
                ev.set(i, s | t << 16);
            });
        });
    }
}
