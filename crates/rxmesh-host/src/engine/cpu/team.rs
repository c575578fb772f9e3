//! The team: a block of real threads with a true barrier, for tests. Solo hides a forgotten barrier, a team shows it.
//! And the team of one that runs the indices of each phase in a permuted order, which shows order dependence inside a
//! phase. Both are one type, because every kernel is compiled for every type of block.

use rxmesh_kernels::exec::{Block, Internal, permute};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, fence};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::thread::JoinHandle;

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

// SAFETY: a team of one has rank 0 of 1, and a barrier of one thread has nothing to order; a `Team` starts threads with
// distinct ranks below `size`; the barrier's count and generation order what they do before and after it (contract U1
// of docs/inside/unsafe.md). `permute` is a bijection of `0..n`.
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

/// Work of the members of a team in a launch.
struct Job<'a> {
    blocks: u32,
    /// The block's shared memory, of `words` words of 16 bytes.
    base: *mut u8,
    words: usize,
    /// Gets the thread's member, the block's index and the shared memory.
    work: &'a (dyn Fn(TeamThread<'_>, u32, *mut u8) + Sync),
}

/// Barrier and job that the members share.
struct Post {
    barrier: Barrier,
    /// The job of the launch that begins at the next barrier; null ends the members.
    job: AtomicPtr<Job<'static>>,
}

impl Post {
    /// Runs a job's blocks one after the other, as member `rank`.
    fn run(&self, rank: u32, job: &Job<'_>) {
        let Self { barrier, .. } = self;
        let member = TeamThread {
            rank,
            size: barrier.size,
            barrier: Some(barrier),
            seed: None,
        };
        for block in 0..job.blocks {
            if rank == 0 {
                // SAFETY: the memory of the job; the others wait at the barrier below.
                unsafe { std::ptr::write_bytes(job.base, 0xa5, 16 * job.words) };
            }
            barrier.wait();
            (job.work)(member, block, job.base);
            barrier.wait();
        }
    }

    /// Waits for jobs and runs them, as a member other than the first.
    fn serve(&self, rank: u32) {
        let _guard = Guard(&self.barrier);
        loop {
            self.barrier.wait();
            // SAFETY: `Team::launch` keeps the job until every member has passed the last barrier of its last block,
            // or has ended.
            match unsafe { self.job.load(Acquire).as_ref() } {
                Some(job) => self.run(rank, job),
                None => return,
            }
        }
    }
}

/// Threads that stay from launch to launch: to start one takes longer than most launches.
struct Team {
    post: Arc<Post>,
    others: Vec<JoinHandle<()>>,
    memory: Vec<u128>,
}

impl Team {
    fn new(size: u32) -> Team {
        let post = Arc::new(Post {
            barrier: Barrier::new(size),
            job: AtomicPtr::default(),
        });
        let others = (1..size).map(|rank| {
            let post = Arc::clone(&post);
            std::thread::spawn(move || post.serve(rank))
        });
        Team {
            others: others.collect(),
            post,
            memory: Vec::new(),
        }
    }

    /// Runs a job. After an error, which is a member's panic, the members have ended, and so has the team.
    fn launch(
        &mut self,
        blocks: u32,
        shared: u32,
        work: &(dyn Fn(TeamThread<'_>, u32, *mut u8) + Sync),
    ) -> std::thread::Result<()> {
        if blocks == 0 {
            // The job has to outlive the members' look at it, and only blocks make the first member wait.
            return Ok(());
        }
        let words = (shared as usize).div_ceil(16).max(1);
        if self.memory.len() < words {
            self.memory.resize(words, 0);
        }
        let job = &Job {
            blocks,
            base: self.memory.as_mut_ptr().cast(),
            words,
            work,
        };
        let post = &*self.post;
        post.job
            .store(std::ptr::from_ref(job).cast_mut().cast(), Release);
        let done = catch_unwind(AssertUnwindSafe(|| {
            let _guard = Guard(&post.barrier);
            post.barrier.wait();
            post.run(0, job);
        }));
        if done.is_err() {
            self.join();
        }
        done
    }

    /// Waits for the members to end.
    fn join(&mut self) {
        // A member that panicked has said so.
        self.others.drain(..).for_each(|member| drop(member.join()));
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        if !self.others.is_empty() {
            self.post.job.store(std::ptr::null_mut(), Release);
            self.post.barrier.wait();
            self.join();
        }
    }
}

/// The team of an engine, which its first launch starts and a panic ends.
#[derive(Default)]
pub(super) struct Teams(Mutex<Option<Team>>);

impl Teams {
    /// Runs `blocks` blocks one after the other, each by `size` threads. `work` gets the thread's member, the block's
    /// index and the shared memory.
    pub(super) fn run(
        &self,
        size: u32,
        blocks: u32,
        shared: u32,
        work: &(dyn Fn(TeamThread<'_>, u32, *mut u8) + Sync),
    ) {
        let mut team = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let done = team
            .get_or_insert_with(|| Team::new(size))
            .launch(blocks, shared, work);
        if let Err(panic) = done {
            *team = None;
            drop(team);
            resume_unwind(panic);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_stay_from_launch_to_launch() {
        let teams = Teams::default();
        let ids = Mutex::new(Vec::new());
        for blocks in [3, 0, 2] {
            teams.run(2, blocks, 40, &|member, block, memory| {
                assert!(block < blocks && !memory.is_null());
                let id = (member.rank, std::thread::current().id());
                ids.lock().unwrap().push(id);
            });
        }
        let mut ids = ids.into_inner().unwrap();
        assert_eq!(ids.len(), 10);
        ids.sort_by_key(|&(rank, _)| rank);
        ids.dedup();
        assert_eq!(ids.len(), 2, "each member is one thread");
    }

    #[test]
    fn a_panic_ends_the_team_and_the_next_launch_has_another() {
        let teams = Teams::default();
        for rank in [0, 1] {
            let result = catch_unwind(AssertUnwindSafe(|| {
                teams.run(2, 5, 0, &|member, block, _| {
                    assert!(member.rank != rank || block < 2, "as intended");
                });
            }));
            assert!(result.is_err());
            let count = AtomicU32::new(0);
            teams.run(2, 5, 0, &|_, _, _| {
                count.fetch_add(1, Relaxed);
            });
            assert_eq!(count.load(Relaxed), 10);
        }
    }
}
