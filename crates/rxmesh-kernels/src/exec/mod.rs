//! Execution of a kernel: the block, its phases and its collectives.
//!
//! Rules that let one source run on any block width (ARCHITECTURE.md, "Rules of a kernel"): work is phases, each ending
//! in a barrier; a kernel cannot ask which thread it is; data that cross a phase live in shared or global memory;
//! collectives take ranges; a branch around a phase depends on a block-uniform value only.

mod collectives;
#[cfg(target_arch = "nvptx64")]
mod cuda;
mod solo;
mod sort;
mod together;

#[cfg(target_arch = "nvptx64")]
pub use cuda::Cuda;
pub use solo::{Solo, permute};
pub(crate) use sort::network;
pub use together::{InSteps, repeat_together};

use crate::mem::{GlobalMut, Shared, Words};
use core::marker::PhantomData;

/// Proof that a call comes from this module: only it may use ranks and bare barriers.
#[derive(Clone, Copy)]
pub struct Internal(());

pub(crate) const INTERNAL: Internal = Internal(());

/// Words of scratch that a collective needs ([`Block::scan`], [`Block::sum`], ...).
pub const SCRATCH_WORDS: u32 = 2 * MAX_CHUNKS + 2;

/// Most pieces a collective splits its range into before the pieces are combined.
const MAX_CHUNKS: u32 = 64;

/// Most threads a block may have.
pub const MAX_THREADS: u32 = 1024;

/// Threads that work on one patch together.
///
/// # Safety
///
/// `rank(..) < size(..)`, ranks are distinct and cover the range, and `sync` is a barrier of all the
/// block's threads that orders their accesses to shared and global memory (contract U1 of docs/inside/unsafe.md).
pub unsafe trait Block: Copy {
    /// `true` if the block has exactly one thread: copies that only serve sharing can be left out.
    const SOLO: bool;

    /// Returns this thread's place in the block.
    fn rank(self, _: Internal) -> u32;
    /// Returns the number of threads.
    fn size(self, _: Internal) -> u32;
    /// Waits at a barrier of the block.
    fn sync(self, _: Internal);
    /// Returns the index to run in place of `i` of `0..n`: the identity except in the shuffling test engine.
    #[inline(always)]
    fn order(self, i: u32, _n: u32, _: Internal) -> u32 {
        i
    }

    /// Runs one phase: `f(i)` for every `i` in `0..n`, then waits for all.
    #[inline(always)]
    fn each(self, n: u32, f: impl Fn(u32)) {
        Phase { block: self }.each(n, f);
        self.sync(INTERNAL);
    }

    /// Runs one phase of several loops that touch disjoint data: they share one barrier.
    #[inline(always)]
    fn phase(self, f: impl FnOnce(Phase<Self>)) {
        f(Phase { block: self });
        self.sync(INTERNAL);
    }

    /// Runs a last phase: as [`Block::phase`], without the barrier, because nothing in this kernel comes after it.
    #[inline(always)]
    fn last_phase(self, f: impl FnOnce(Phase<Self>)) {
        f(Phase { block: self });
    }

    /// Runs one phase on one thread.
    #[inline(always)]
    fn lead(self, f: impl FnOnce()) {
        if self.rank(INTERNAL) == 0 {
            f();
        }
        self.sync(INTERNAL);
    }

    /// Runs `f` on one thread and gives all threads its result. `word` has two words of which the second counts.
    #[inline(always)]
    fn tell(self, word: Shared<u32>, f: impl FnOnce() -> u32) -> u32 {
        if self.rank(INTERNAL) == 0 {
            // Word 1: the device compiler takes the very address of a plan's first piece for one that could be
            // anywhere.
            word.set(1, f());
        }
        self.sync(INTERNAL);
        let told = word.get(1);
        // Before the word is used again.
        self.sync(INTERNAL);
        told
    }

    /// Runs `f` on one thread, and returns `true` if this is the last of the launch's `blocks` blocks to get here: it
    /// may continue with the values that the `f` of all of them wrote. No block waits for another. `arrived` is two
    /// words of which the second counts: zero before, and zero again afterwards. The words that `f` wrote are read with
    /// atomic loads.
    #[inline(always)]
    fn arrive(
        self,
        arrived: GlobalMut<u32>,
        blocks: u32,
        scratch: Shared<u32>,
        f: impl FnOnce(),
    ) -> bool {
        if self.rank(INTERNAL) == 0 {
            f();
            // Word 1, because the device compiler takes the very address of an argument for one that could be anywhere.
            let last = arrived.arrive(1) + 1 == blocks;
            if last {
                arrived.store(1, 0);
            }
            // Word 1 here too: the scratch may be the first piece of the plan.
            scratch.set(1, u32::from(last));
        }
        self.sync(INTERNAL);
        let last = scratch.get(1) != 0;
        // Before the scratch is used again.
        self.sync(INTERNAL);
        last
    }

    /// Replaces `data[0..n]` by its exclusive prefix sum and returns the total.
    /// `scratch` has [`SCRATCH_WORDS`] words.
    #[inline(always)]
    fn scan(self, data: Shared<u32>, n: u32, scratch: Shared<u32>) -> u32 {
        collectives::scan(self, data, n, scratch)
    }

    /// Computes the sum of `f(i)` over `0..n`, in an order that depends on `n` and the block's width only.
    #[inline(always)]
    fn sum(self, n: u32, scratch: Shared<u32>, f: impl Fn(u32) -> f64) -> f64 {
        collectives::reduce(self, n, scratch, 0.0, f, |a, b| a + b)
    }

    /// Returns the sums of both values of `f(i, load(i))` over `0..n`, in the order of [`Block::sum`]. `load` must not
    /// read words that `f` writes for other items.
    #[inline(always)]
    fn sum2<T: Copy>(
        self,
        n: u32,
        scratch: Shared<u32>,
        load: impl Fn(u32) -> T,
        f: impl Fn(u32, T) -> (f64, f64),
    ) -> (f64, f64) {
        collectives::sum2(self, n, scratch, load, f)
    }

    /// Computes the smallest `f(i)` over `0..n`; infinity for an empty range.
    #[inline(always)]
    fn min(self, n: u32, scratch: Shared<u32>, f: impl Fn(u32) -> f64) -> f64 {
        collectives::reduce(self, n, scratch, f64::INFINITY, f, |a, b| {
            if b < a { b } else { a }
        })
    }

    /// Computes the largest `f(i)` over `0..n`; minus infinity for an empty range.
    #[inline(always)]
    fn max(self, n: u32, scratch: Shared<u32>, f: impl Fn(u32) -> f64) -> f64 {
        collectives::reduce(self, n, scratch, f64::NEG_INFINITY, f, |a, b| {
            if b > a { b } else { a }
        })
    }

    /// Counts the `i` in `0..n` with `f(i)`.
    #[inline(always)]
    fn count(self, n: u32, scratch: Shared<u32>, f: impl Fn(u32) -> bool) -> u32 {
        collectives::count(self, n, scratch, f)
    }

    /// Returns `true` if `f(i)` for any `i` in `0..n`.
    #[inline(always)]
    fn any(self, n: u32, scratch: Shared<u32>, f: impl Fn(u32) -> bool) -> bool {
        collectives::count(self, n, scratch, f) != 0
    }

    /// Sorts `data[0..n]`, ascending.
    #[inline(always)]
    fn sort<W: Words>(self, data: W, n: u32) {
        sort::sort(self, data, n);
    }

    /// Writes the `i` of `0..n` with `f(i)` to `out`, ascending, and returns their number. `out` has capacity for `n +
    /// 1` words.
    #[inline(always)]
    fn compact(
        self,
        n: u32,
        out: Shared<u32>,
        flags: Shared<u32>,
        scratch: Shared<u32>,
        f: impl Fn(u32) -> bool,
    ) -> u32 {
        collectives::compact(self, n, out, flags, scratch, f)
    }
}

/// Work of [`Phase::each_of`] for each index. Both functions are to be `#[inline(always)]`.
pub trait LoadThen {
    /// Value that is loaded.
    type Value: Copy;
    /// Loads the value of an index. Must not depend on what [`LoadThen::then`] does.
    fn load(&self, i: u32) -> Self::Value;
    /// Works on the value of an index.
    fn then(&self, i: u32, value: Self::Value);
}

/// [`LoadThen`] by two closures.
struct Loaded<F, G, T>(F, G, PhantomData<T>);

impl<T: Copy, F: Fn(u32) -> T, G: Fn(u32, T)> LoadThen for Loaded<F, G, T> {
    type Value = T;
    #[inline(always)]
    fn load(&self, i: u32) -> T {
        self.0(i)
    }
    #[inline(always)]
    fn then(&self, i: u32, value: T) {
        self.1(i, value);
    }
}

/// Inside of one phase: loops that run between two barriers.
#[derive(Clone, Copy)]
pub struct Phase<B> {
    block: B,
}

impl<B: Block> Phase<B> {
    /// `true` if the block has one thread.
    pub const SOLO: bool = B::SOLO;

    /// Runs `f(i)` for every `i` in `0..n`, in block-stride order, without a barrier.
    #[inline(always)]
    pub fn each(self, n: u32, f: impl Fn(u32)) {
        let (rank, size) = (self.block.rank(INTERNAL), self.block.size(INTERNAL));
        let mut i = rank;
        while i < n {
            f(self.block.order(i, n, INTERNAL));
            i += size;
        }
    }

    /// Runs `then(i, load(i))` for every `i` in `0..n`. Each thread loads for four indices before it uses the first
    /// value, so that the loads' latencies overlap; `load` must not depend on what `then` does.
    #[inline(always)]
    pub fn each_loaded<T: Copy>(self, n: u32, load: impl Fn(u32) -> T, then: impl Fn(u32, T)) {
        self.each_of(n, &Loaded(load, then, PhantomData));
    }

    /// Works like [`Phase::each_loaded`], for work that is too long for closures: a function called in four places is
    /// inlined only if it must be.
    #[inline(always)]
    pub fn each_of<W: LoadThen>(self, n: u32, work: &W) {
        if B::SOLO {
            let mut i = 0;
            while i < n {
                work.then(i, work.load(i));
                i += 1;
            }
            return;
        }
        let (rank, size) = (self.block.rank(INTERNAL), self.block.size(INTERNAL));
        let at = |i: u32| self.block.order(if i < n { i } else { n - 1 }, n, INTERNAL);
        let mut i = rank;
        while i < n {
            // Written out: an array indexed in a loop would go to local memory on the device.
            let (i0, i1, i2, i3) = (i, i + size, i + 2 * size, i + 3 * size);
            let (v0, v1, v2, v3) = (
                work.load(at(i0)),
                work.load(at(i1)),
                work.load(at(i2)),
                work.load(at(i3)),
            );
            work.then(at(i0), v0);
            if i1 < n {
                work.then(at(i1), v1);
            }
            if i2 < n {
                work.then(at(i2), v2);
            }
            if i3 < n {
                work.then(at(i3), v3);
            }
            i += 4 * size;
        }
    }

    /// Runs `then(i, load(i))` for every `i` in `0..n`. Each thread loads for its next index before it works on this
    /// one, which takes long; `load` must not depend on what `then` does.
    #[inline(always)]
    pub fn each_ahead<T: Copy>(self, n: u32, load: impl Fn(u32) -> T, then: impl Fn(u32, T)) {
        let (rank, size) = (self.block.rank(INTERNAL), self.block.size(INTERNAL));
        if rank >= n {
            return;
        }
        let at = |i: u32| self.block.order(if i < n { i } else { rank }, n, INTERNAL);
        let mut i = rank;
        let mut next = load(at(i));
        while i < n {
            let here = next;
            next = load(at(i + size));
            then(at(i), here);
            i += size;
        }
    }

    /// Runs `f` on one thread, without a barrier.
    #[inline(always)]
    pub fn lead(self, f: impl FnOnce()) {
        if self.block.rank(INTERNAL) == 0 {
            f();
        }
    }
}
