//! Kernels that exercise each part by itself, for the conformance suite. They are in the PTX so that the tests also run
//! on a GPU, where there is contention.

use rxmesh_kernels::exec::Block;
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::BlockKernel;
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared, Words};
use rxmesh_speculative_kernels::{
    CuckooTable, EMPTY_SLOT, Locks, OVERFLOW, PatchQueue, RibbonEntry, STASH_SLOTS, Stash,
};

/// Number of results per entry: of inserting it, finding it, removing it, finding it again, inserting it again,
/// replacing it, finding it, and of the inverse look-up.
pub const TABLE_STEPS: u32 = 8;

/// Mark of absent results.
pub const NONE: u32 = u32::MAX;

kernel! {
    /// Fills a table from all threads concurrently and looks everything up again; each block works on its own table.
    pub struct ExerciseTable: Block {
        /// Number of entries per block.
        pub n: u32,
        /// Number of words per table, overflow area included.
        pub words: u32,
        /// Not zero if the table is in shared memory; it is copied to `tables` at the end.
        pub shared: u32,
        /// `n` packed entries per block.
        pub entries: Global<u32>,
        /// `n` other values per block, for [`CuckooTable::replace`]: packed entries of the same keys.
        pub others: Global<u32>,
        /// `words` words per block.
        pub tables: GlobalMut<u32>,
        /// [`TABLE_STEPS`] times `n` results per block.
        pub out: GlobalMut<u32>,
    }
}

/// Returns the packed entry, or [`NONE`].
#[inline(always)]
fn word(entry: Option<RibbonEntry>) -> u32 {
    entry.map_or(NONE, RibbonEntry::pack)
}

impl ExerciseTable {
    #[inline(always)]
    fn exercise<B: Block, W: Words>(&self, b: B, block: u32, words: W) {
        let (n, table) = (self.n, CuckooTable::new(words));
        let entry = |i: u32| RibbonEntry::unpack(self.entries.get(block * n + i));
        let other = |i: u32| RibbonEntry::unpack(self.others.get(block * n + i));
        let out = self.out.from(block * n * TABLE_STEPS);
        let tell = |step: u32, i: u32, v: u32| out.set(step * n + i, v);
        let insert = |e: Option<RibbonEntry>| u32::from(e.is_some_and(|e| table.insert(e)));
        let find = |e: Option<RibbonEntry>| word(e.and_then(|e| table.find(e.local)));
        b.phase(|p| table.clear(p));
        b.each(n, |i| tell(0, i, insert(entry(i))));
        b.each(n, |i| tell(1, i, find(entry(i))));
        b.each(n, |i| {
            let gone = i % 2 == 1 && entry(i).is_some_and(|e| table.remove(e.local));
            tell(2, i, u32::from(gone));
        });
        b.each(n, |i| tell(3, i, find(entry(i))));
        b.each(n, |i| {
            let again = i % 2 == 1;
            tell(4, i, if again { insert(entry(i)) } else { NONE });
        });
        b.each(n, |i| {
            let replaced = other(i).is_some_and(|e| table.replace(e));
            tell(5, i, u32::from(replaced));
        });
        b.each(n, |i| tell(6, i, find(entry(i))));
        b.each(n, |i| {
            // The inverse scans the whole table: only for some.
            let there = if i < 32 {
                other(i).and_then(|e| table.inverse(e.slot, e.at))
            } else {
                None
            };
            tell(7, i, there.unwrap_or(NONE));
        });
    }
}

// SAFETY: blocks write disjoint elements or atomically, in phases separated by barriers; indices are the launch's
// (contracts U1 to U4).
unsafe impl BlockKernel for ExerciseTable {
    const THREADS: u32 = 128;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(if self.shared != 0 { self.words } else { 0 })
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, shared: &Shared<u32>) {
        let global = self.tables.part(block * self.words, self.words);
        debug_assert!(self.words > OVERFLOW);
        if self.shared != 0 {
            self.exercise(b, block, *shared);
            b.each(self.words, |i| global.set(i, shared.get(i)));
        } else {
            self.exercise(b, block, global);
        }
    }
}

kernel! {
    /// Inserts patches into a stash from all threads concurrently, empties the slots with an odd number, and inserts
    /// the patches again; each block works on its own stash.
    pub struct ExerciseStash: Block {
        /// Number of insertions per block.
        pub n: u32,
        /// Not zero if the stash is in shared memory.
        pub shared: u32,
        /// `n` patches per block.
        pub patches: Global<u32>,
        /// [`STASH_SLOTS`] words per block.
        pub stashes: GlobalMut<u32>,
        /// Three times `n` results per block: the slot on insertion, the one found after the removal, the one on the
        /// second insertion. Then three counts.
        pub out: GlobalMut<u32>,
    }
}

impl ExerciseStash {
    #[inline(always)]
    fn exercise<B: Block, W: Words>(&self, b: B, block: u32, words: W) {
        let (n, stash) = (self.n, Stash(words));
        let patch = |i: u32| self.patches.get(block * n + i);
        let out = self.out.from(block * (3 * n + 3));
        let tell = |step: u32, i: u32, slot: Option<u32>| {
            out.set(step * n + i, slot.unwrap_or(NONE));
        };
        b.phase(|p| stash.clear(p));
        b.each(n, |i| tell(0, i, stash.insert(patch(i))));
        b.lead(|| out.set(3 * n, stash.count()));
        b.each(STASH_SLOTS / 2, |i| stash.remove(2 * i + 1));
        b.each(n, |i| tell(1, i, stash.find(patch(i))));
        b.lead(|| out.set(3 * n + 1, stash.count()));
        // In reverse order, so that patches do not simply return to their slots.
        b.each(n, |i| tell(2, n - 1 - i, stash.insert(patch(n - 1 - i))));
        b.lead(|| out.set(3 * n + 2, stash.count()));
        let to = self.stashes.from(block * STASH_SLOTS);
        b.each(STASH_SLOTS, |slot| to.set(slot, stash.get(slot)));
    }
}

// SAFETY: blocks write disjoint elements or atomically, in phases separated by barriers; indices are the launch's
// (contracts U1 to U4).
unsafe impl BlockKernel for ExerciseStash {
    const THREADS: u32 = 128;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(if self.shared != 0 { STASH_SLOTS } else { 0 })
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, shared: &Shared<u32>) {
        if self.shared != 0 {
            self.exercise(b, block, *shared);
        } else {
            let words = self.stashes.part(block * STASH_SLOTS, STASH_SLOTS);
            self.exercise(b, block, words);
        }
    }
}

kernel! {
    /// Takes patches from a queue and returns each until it has been taken often enough. `by_thread` threads of a block
    /// do so independently, or, if it is zero, one for the block.
    pub struct ExerciseQueue: Block {
        /// Number of times that each patch is to be taken.
        pub times: u32,
        /// Most steps of a block, in each of which it tries to take a patch.
        pub steps: u32,
        /// Number of threads that work independently.
        pub by_thread: u32,
        /// Work queue.
        pub queue: PatchQueue,
        /// Number of times that each patch was taken.
        pub taken: GlobalMut<u32>,
        /// Value that the taker of a patch writes before pushing it, and the next taker reads: plain accesses, because
        /// the queue orders them.
        pub baton: GlobalMut<u32>,
        /// Word 1: number of patches that the queue did not accept. Word 2: number of wrong batons.
        pub errors: GlobalMut<u32>,
    }
}

impl ExerciseQueue {
    /// Records that a patch was taken, and returns it to the queue if it is to be taken again.
    #[inline(always)]
    fn took(&self, patch: u32) {
        let before = self.taken.fetch_add(patch, 1);
        if self.baton.get(patch) != before {
            self.errors.fetch_add(2, 1);
        }
        self.baton.set(patch, before + 1);
        if before + 1 < self.times && !self.queue.push(patch) {
            self.errors.fetch_add(1, 1);
        }
    }
}

// SAFETY: blocks write disjoint elements or atomically, in phases separated by barriers; indices are the launch's
// (contracts U1 to U4).
unsafe impl BlockKernel for ExerciseQueue {
    const THREADS: u32 = 64;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(2)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, _block: u32, word: &Shared<u32>) {
        let mut step = 0;
        while step < self.steps {
            if self.by_thread != 0 {
                b.each(self.by_thread, |_| {
                    if let Some(patch) = self.queue.pop() {
                        self.took(patch);
                    }
                });
            } else {
                b.lead(|| word.set(1, self.queue.pop().unwrap_or(EMPTY_SLOT)));
                let patch = word.get(1);
                if patch == EMPTY_SLOT {
                    return;
                }
                b.lead(|| self.took(patch));
            }
            step += 1;
        }
    }
}

/// Number of words that a lock guards in [`ExerciseLocks`].
pub const GUARDED: u32 = 64;

kernel! {
    /// Takes items from a queue, acquires the two locks that each needs, adds to the guarded words, and returns the
    /// item until it has been processed often enough. Guarded words are read and written plainly.
    pub struct ExerciseLocks: Block {
        /// Number of times that each item is to be processed.
        pub times: u32,
        /// Most steps of a block, in each of which it takes an item.
        pub steps: u32,
        /// Owner number of the first block.
        pub first: u32,
        /// Number of attempts for a lock.
        pub tries: u32,
        /// Work queue.
        pub queue: PatchQueue,
        /// Locks.
        pub locks: Locks,
        /// Two locks for each item, in the order in which it takes them; they may be the same lock.
        pub wanted: Global<u32>,
        /// Number of times that each item was processed. Plain, because the queue orders it.
        pub done: GlobalMut<u32>,
        /// [`GUARDED`] words per lock, each incremented every time that it is acquired.
        pub guarded: GlobalMut<u32>,
        /// Word 1: number of items that the queue did not accept. Word 2: number of items whose locks were not
        /// acquired. Word 3: number of locks with a wrong owner.
        pub errors: GlobalMut<u32>,
    }
}

impl ExerciseLocks {
    /// Acquires both locks or none.
    #[inline(always)]
    fn lock_both(&self, a: u32, b: u32, owner: u32) -> bool {
        if !self.locks.try_lock(a, owner, self.tries) {
            return false;
        }
        if a != b && !self.locks.try_lock(b, owner, self.tries) {
            self.locks.unlock(a, owner);
            return false;
        }
        true
    }

    /// Releases both.
    #[inline(always)]
    fn unlock_both(&self, a: u32, b: u32, owner: u32) {
        if self.locks.owner(a) != Some(owner) || self.locks.owner(b) != Some(owner) {
            self.errors.fetch_add(3, 1);
        }
        if a != b {
            self.locks.unlock(b, owner);
        }
        self.locks.unlock(a, owner);
    }

    /// Returns an item to the queue.
    #[inline(always)]
    fn again(&self, item: u32) {
        if !self.queue.push(item) {
            self.errors.fetch_add(1, 1);
        }
    }
}

// SAFETY: blocks write disjoint elements or atomically, in phases separated by barriers; indices are the launch's
// (contracts U1 to U4).
unsafe impl BlockKernel for ExerciseLocks {
    const THREADS: u32 = 64;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(4)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, word: &Shared<u32>) {
        let owner = self.first + block;
        let mut step = 0;
        while step < self.steps {
            b.lead(|| word.set(1, self.queue.pop().unwrap_or(EMPTY_SLOT)));
            let item = word.get(1);
            if item == EMPTY_SLOT {
                return;
            }
            let (first, second) = (self.wanted.get(2 * item), self.wanted.get(2 * item + 1));
            b.lead(|| word.set(2, u32::from(self.lock_both(first, second, owner))));
            if word.get(2) != 0 {
                b.each(GUARDED, |i| {
                    let more = |lock: u32| {
                        let at = lock * GUARDED + i;
                        self.guarded.set(at, self.guarded.get(at) + 1);
                    };
                    more(first);
                    if first != second {
                        more(second);
                    }
                });
                b.lead(|| {
                    self.unlock_both(first, second, owner);
                    let done = self.done.get(item) + 1;
                    self.done.set(item, done);
                    if done < self.times {
                        self.again(item);
                    }
                });
            } else {
                b.lead(|| {
                    self.errors.fetch_add(2, 1);
                    self.again(item);
                });
            }
            step += 1;
        }
    }
}
