//! A patch's stored sections in shared memory, loaded 16 bytes at a time.

use crate::exec::{Block, Phase};
use crate::mem::{Global, Plan, Shared};
use crate::topo::{Edge, Element, Face, Map, Patch, PatchHeader};

/// Carves space for `n` words, rounded up to whole 16-byte groups.
#[inline(always)]
fn take_words(plan: &mut Plan, n: u32) -> Shared<u32> {
    plan.take(n.next_multiple_of(4))
}

/// Copies `n` words, rounded up to whole 16-byte groups: sections are padded to that (contract of `PatchHeader`).
#[inline(always)]
fn copy_words<B: Block>(p: Phase<B>, from: Global<u32>, to: Shared<u32>, n: u32) {
    p.each_loaded(n.div_ceil(4), |g| from.get4(g), |g, v| to.set4(g, v));
}

/// EV section in shared memory, for code that reads edges in any order.
#[derive(Clone, Copy, Debug)]
pub struct LocalEv {
    words: Shared<u32>,
}

impl LocalEv {
    /// Carves space for all local edges.
    #[inline(always)]
    pub fn carve(h: &PatchHeader, plan: &mut Plan) -> LocalEv {
        LocalEv {
            words: take_words(plan, u32::from(h.total[1])),
        }
    }

    /// Loads it, inside a phase.
    #[inline(always)]
    pub fn load<B: Block>(self, p: Phase<B>, patch: &Patch) {
        copy_words(p, patch.ev().cast(), self.words, patch.total::<Edge>());
    }

    /// Returns the vertex at which a side of a face (an FE entry) starts.
    #[inline(always)]
    pub fn start(self, side: u32) -> u32 {
        // Entry bit 0 picks source or target: the low or the high half of the word.
        self.words.get(side >> 1) >> (16 * (side & 1)) & 0xffff
    }

    /// Returns the two vertices of a local edge, source first.
    #[inline(always)]
    pub fn edge(self, e: u32) -> (u32, u32) {
        let w = self.words.get(e);
        (w & 0xffff, w >> 16)
    }
}

/// FE section in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct LocalFe {
    entries: Shared<u16>,
}

impl LocalFe {
    /// Carves space for all local faces.
    #[inline(always)]
    pub fn carve(h: &PatchHeader, plan: &mut Plan) -> LocalFe {
        LocalFe {
            entries: take_words(plan, (3 * u32::from(h.total[2])).div_ceil(2)).cast(),
        }
    }

    /// Loads it, inside a phase.
    #[inline(always)]
    pub fn load<B: Block>(self, p: Phase<B>, patch: &Patch) {
        let words = (3 * patch.total::<Face>()).div_ceil(2);
        copy_words(p, patch.fe().cast(), self.entries.cast(), words);
    }

    /// Returns the three sides (FE entries) of a local face.
    #[inline(always)]
    pub fn sides(self, f: u32) -> [u32; 3] {
        [0, 1, 2].map(|k| u32::from(self.entries.get(3 * f + k)))
    }

    /// Returns side `k % 3` of face `k / 3`.
    #[inline(always)]
    pub fn side(self, k: u32) -> u32 {
        u32::from(self.entries.get(k))
    }

    /// Returns the three edges of a local face.
    #[inline(always)]
    pub fn edges(self, f: u32) -> [u32; 3] {
        self.sides(f).map(|side| side >> 1)
    }

    /// Returns the three vertices of a local face, in the input's order.
    #[inline(always)]
    pub fn vertices(self, ev: LocalEv, f: u32) -> [u32; 3] {
        self.sides(f).map(|side| ev.start(side))
    }
}

/// Ribbon map of one kind in shared memory, for kernels that turn many local ids into linear ones.
#[derive(Clone, Copy, Debug)]
pub struct LocalMap {
    ribbon: Shared<u32>,
    base: u32,
    owned: u32,
}

impl LocalMap {
    /// Carves space for the ribbon of a kind.
    #[inline(always)]
    pub fn carve<K: Element>(h: &PatchHeader, plan: &mut Plan) -> LocalMap {
        let owned = h.owned_of(K::KIND);
        LocalMap {
            ribbon: take_words(plan, h.total_of(K::KIND) - owned),
            base: h.base_of(K::KIND),
            owned,
        }
    }

    /// Loads it, inside a phase.
    #[inline(always)]
    pub fn load<K: Element, B: Block>(self, p: Phase<B>, patch: &Patch) {
        let map: Map<K> = patch.map();
        copy_words(
            p,
            map.ribbon(),
            self.ribbon,
            patch.total::<K>() - self.owned,
        );
    }

    /// Returns the linear id of a local id.
    #[inline(always)]
    pub fn linear(self, local: u32) -> u32 {
        if local < self.owned {
            self.base + local
        } else {
            self.ribbon.get(local - self.owned)
        }
    }
}
