//! The team: a block of real threads with a true barrier, for tests. Solo hides a forgotten barrier, a team shows it.
//! And the team of one that runs the indices of each phase in a permuted order, which shows order dependence inside a
//! phase. Both are one type, because every kernel is compiled for every type of block.

use rxmesh_kernels::exec::{Block, Internal, permute};
use std::sync::{Condvar, Mutex, PoisonError};

/// One thread of a team.
#[derive(Clone, Copy)]
pub(super) struct Member<'a> {
    rank: u32,
    size: u32,
    /// A team of one has none.
    barrier: Option<&'a Barrier>,
    /// Chooses the order of indices; in theirs if there is none.
    seed: Option<u32>,
}

impl Member<'_> {
    /// A team of one that permutes the indices of its phases.
    pub(super) fn shuffled(seed: u32) -> Self {
        Member {
            rank: 0,
            size: 1,
            barrier: None,
            seed: Some(seed),
        }
    }
}

// SAFETY: a team of one has rank 0 of 1, and a barrier of one thread has nothing to order; `run` starts `size` threads
// with distinct ranks; the barrier's mutex orders what they do before and after it (contract U1 of docs/unsafe.md).
// `permute` is a bijection of `0..n`.
unsafe impl Block for Member<'_> {
    const SOLO: bool = false;
    fn rank(self, _: Internal) -> u32 {
        self.rank
    }
    fn size(self, _: Internal) -> u32 {
        self.size
    }
    fn sync(self, _: Internal) {
        if let Some(barrier) = self.barrier {
            barrier.wait();
        }
    }
    fn order(self, i: u32, n: u32, _: Internal) -> u32 {
        self.seed.map_or(i, |seed| permute(i, n, seed))
    }
}

/// A barrier that a panicking member breaks, so that the others end too instead of waiting for ever.
struct Barrier {
    size: u32,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: u32,
    generation: u64,
    broken: bool,
}

impl Barrier {
    fn new(size: u32) -> Barrier {
        Barrier {
            size,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    fn wait(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.waiting += 1;
        if state.waiting == self.size {
            state.waiting = 0;
            state.generation += 1;
            self.changed.notify_all();
        } else {
            let generation = state.generation;
            while state.generation == generation && !state.broken {
                state = self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner);
            }
        }
        let broken = state.broken;
        drop(state);
        assert!(!broken, "another member of the team panicked");
    }

    fn break_up(&self) {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .broken = true;
        self.changed.notify_all();
    }
}

/// Breaks the barrier when its thread unwinds.
struct Guard<'a>(&'a Barrier);

impl Drop for Guard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.break_up();
        }
    }
}

struct Base(*mut u8);
// SAFETY: the address is handed to the team's threads, which share the memory by design.
unsafe impl Sync for Base {}

/// Runs `blocks` blocks one after the other, each by `size` threads. `work` gets the thread's member, the block's index
/// and the shared memory.
pub(super) fn run(
    size: u32,
    blocks: u32,
    shared: u32,
    work: impl Fn(Member<'_>, u32, *mut u8) + Sync,
) {
    let mut memory = vec![0u128; (shared as usize).div_ceil(16).max(1)];
    let words = memory.len();
    let base = Base(memory.as_mut_ptr().cast());
    let barrier = Barrier::new(size);
    std::thread::scope(|scope| {
        for rank in 0..size {
            let (barrier, base, work) = (&barrier, &base, &work);
            scope.spawn(move || {
                let _guard = Guard(barrier);
                for block in 0..blocks {
                    if rank == 0 {
                        // SAFETY: inside `memory`; the others wait at the barrier below.
                        unsafe { std::ptr::write_bytes(base.0, 0xa5, 16 * words) };
                    }
                    barrier.wait();
                    work(
                        Member {
                            rank,
                            size,
                            barrier: Some(barrier),
                            seed: None,
                        },
                        block,
                        base.0,
                    );
                    barrier.wait();
                }
            });
        }
    });
}
