//! The team: a block of real threads with a true barrier, for tests. Solo hides a forgotten barrier, a team shows it.
//! And the team of one that runs the indices of each phase in a permuted order, which shows order dependence inside a
//! phase. Both are one type, because every kernel is compiled for every type of block.

use rxmesh_kernels::exec::{Block, Internal, permute};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU32, fence};
use std::sync::{Condvar, Mutex, OnceLock, PoisonError};

/// One thread of a team.
#[derive(Clone, Copy)]
pub(super) struct TeamThread<'a> {
    rank: u32,
    size: u32,
    /// A team of one has none.
    barrier: Option<&'a Barrier>,
    /// Chooses the order of indices; in theirs if there is none.
    seed: Option<u32>,
}

impl TeamThread<'_> {
    /// Returns a team of one that permutes the indices of its phases.
    pub(super) fn shuffled(seed: u32) -> Self {
        TeamThread {
            rank: 0,
            size: 1,
            barrier: None,
            seed: Some(seed),
        }
    }
}

// SAFETY: a team of one has rank 0 of 1, and a barrier of one thread has nothing to order; `run` starts `size` threads
// with distinct ranks; the barrier's count and generation order what they do before and after it (contract U1 of
// docs/inside/unsafe.md).
// `permute` is a bijection of `0..n`.
unsafe impl Block for TeamThread<'_> {
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
        self.seed.map_or(i, |seed| permuted(i, n, seed))
    }
}

/// `permute`, which every loop of every kernel would otherwise have a copy of.
#[inline(never)]
fn permuted(i: u32, n: u32, seed: u32) -> u32 {
    permute(i, n, seed)
}

/// Number of polls of a member before it yields, if each member has a processor: a phase is often shorter than a system
/// call.
const LOOKS: u32 = 400;

/// Number of yields of a member before it sleeps. The others have mostly arrived by then, and a sleep with its wake-up
/// takes several times as long as a phase.
const PATIENCE: u32 = 256;

/// A barrier that a panicking member breaks, so that the others end too instead of waiting for ever.
struct Barrier {
    size: u32,
    /// See [`LOOKS`]; 0 where members share processors.
    looks: u32,
    waiting: AtomicU32,
    generation: AtomicU32,
    broken: AtomicBool,
    /// Number of members that sleep.
    sleepers: AtomicU32,
    sleep: Mutex<()>,
    changed: Condvar,
}

impl Barrier {
    fn new(size: u32) -> Barrier {
        // To ask takes longer than a small launch.
        static PROCESSORS: OnceLock<usize> = OnceLock::new();
        let processors =
            *PROCESSORS.get_or_init(|| std::thread::available_parallelism().map_or(1, usize::from));
        Barrier {
            size,
            looks: if size as usize <= processors {
                LOOKS
            } else {
                0
            },
            waiting: AtomicU32::new(0),
            generation: AtomicU32::new(0),
            broken: AtomicBool::new(false),
            sleepers: AtomicU32::new(0),
            sleep: Mutex::new(()),
            changed: Condvar::new(),
        }
    }

    /// Returns `true` while the members of a generation wait.
    fn holds(&self, generation: u32) -> bool {
        self.generation.load(Acquire) == generation && !self.broken.load(Acquire)
    }

    #[inline(never)]
    fn wait(&self) {
        // The generation cannot end until this member has arrived.
        let generation = self.generation.load(Acquire);
        if self.waiting.fetch_add(1, AcqRel) + 1 == self.size {
            self.waiting.store(0, Relaxed);
            self.generation.store(generation.wrapping_add(1), Release);
            self.wake();
        } else if (0..self.looks).all(|_| {
            std::hint::spin_loop();
            self.holds(generation)
        }) && (0..PATIENCE).all(|_| {
            std::thread::yield_now();
            self.holds(generation)
        }) {
            let mut sleep = self.sleep.lock().unwrap_or_else(PoisonError::into_inner);
            self.sleepers.fetch_add(1, Relaxed);
            // Either the waking member sees this sleeper, or this one sees the new generation.
            fence(SeqCst);
            while self.holds(generation) {
                sleep = self
                    .changed
                    .wait(sleep)
                    .unwrap_or_else(PoisonError::into_inner);
            }
            self.sleepers.fetch_sub(1, Relaxed);
        }
        let broken = self.broken.load(Acquire);
        assert!(!broken, "another member of the team panicked");
    }

    /// Wakes the sleeping members, if any. A member that is about to sleep holds the mutex and checks once more.
    fn wake(&self) {
        fence(SeqCst);
        if self.sleepers.load(Relaxed) == 0 {
            return;
        }
        drop(self.sleep.lock().unwrap_or_else(PoisonError::into_inner));
        self.changed.notify_all();
    }

    fn break_up(&self) {
        self.broken.store(true, Release);
        self.wake();
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
    work: &(dyn Fn(TeamThread<'_>, u32, *mut u8) + Sync),
) {
    let mut memory = vec![0u128; (shared as usize).div_ceil(16).max(1)];
    let words = memory.len();
    let base = Base(memory.as_mut_ptr().cast());
    let barrier = Barrier::new(size);
    let (barrier, base) = (&barrier, &base);
    let member = move |rank: u32| {
        let _guard = Guard(barrier);
        for block in 0..blocks {
            if rank == 0 {
                // SAFETY: inside `memory`; the others wait at the barrier below.
                unsafe { std::ptr::write_bytes(base.0, 0xa5, 16 * words) };
            }
            barrier.wait();
            work(
                TeamThread {
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
    };
    std::thread::scope(|scope| {
        for rank in 1..size {
            scope.spawn(move || member(rank));
        }
        member(0);
    });
}
