//! Who runs the blocks of a launch on the CPU: the thread that launches, and rayon's threads besides.
//!
//! To wake a thread of a pool takes longer than many a launch on a small mesh. So nobody waits for one: who launches
//! posts the launch and works on it at once, threads that are awake in time help, and one that comes too late finds
//! nothing posted. Helpers stay awake for a moment after a launch, because the next one mostly follows at once.

use rayon::ThreadPool;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How long a helper stays awake for another launch.
const LINGER: Duration = Duration::from_micros(50);

/// How often who waits for helpers gives its processor away before it sleeps.
const PATIENCE: u32 = 256;

/// How long it sleeps then at a time.
const NAP: Duration = Duration::from_micros(50);

/// The threads of an engine.
pub(super) struct Crew {
    /// rayon's global pool if there is none.
    pool: Option<ThreadPool>,
    desk: Arc<Desk>,
}

/// Where launches are posted.
#[derive(Default)]
struct Desk {
    /// Those that may still have blocks to give. What they point to lives while they are here, and while anybody is
    /// counted in `Job::helping` (contract U8).
    jobs: Mutex<Vec<Posted>>,
    /// How many have been posted.
    posted: AtomicU32,
    /// Threads that help, stay awake to help, or have been asked to.
    helpers: AtomicUsize,
}

/// A launch, by address.
#[derive(Clone, Copy)]
struct Posted(*const Job<'static>);

// SAFETY: a `Job` may be shared by threads: its function may, all else are atomics and a mutex.
unsafe impl Send for Posted {}

/// A launch.
struct Job<'a> {
    run: &'a (dyn Fn(u32) + Sync),
    /// Neighbouring blocks, for one thread as far as possible: what a launch leaves in a thread's caches the next one
    /// finds there.
    shares: Vec<Share>,
    /// Whether all blocks have been given.
    given: AtomicBool,
    /// Helpers that are at it.
    helping: AtomicU32,
    /// What a helper has panicked with.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// Blocks that nobody has taken yet, in a cache line of its own.
#[repr(align(64))]
struct Share {
    next: AtomicU64,
    end: u64,
}

impl Crew {
    pub(super) fn new(pool: Option<ThreadPool>) -> Crew {
        Crew {
            pool,
            desk: Arc::default(),
        }
    }

    /// How many threads there are.
    pub(super) fn threads(&self) -> usize {
        match &self.pool {
            Some(pool) => pool.current_num_threads(),
            None => rayon::current_num_threads(),
        }
    }

    /// Calls `run` once for each of `0..n`, by several threads and in no order, and comes back when all calls have.
    pub(super) fn each(&self, n: u32, run: impl Fn(u32) + Sync) {
        let threads = self.threads().min(n as usize);
        if threads <= 1 {
            return (0..n).for_each(run);
        }
        let share = |t: usize| u64::from(n) * t as u64 / threads as u64;
        let job = Job {
            run: &run,
            shares: (0..threads)
                .map(|t| Share {
                    next: AtomicU64::new(share(t)),
                    end: share(t + 1),
                })
                .collect(),
            given: AtomicBool::new(false),
            helping: AtomicU32::new(0),
            panic: Mutex::default(),
        };
        {
            let _open = self.desk.post(&job);
            self.desk.recruit(&job, |help| match &self.pool {
                Some(pool) => pool.spawn(help),
                None => rayon::spawn(help),
            });
            job.work(0);
        }
        if let Some(panic) = lock(&job.panic).take() {
            resume_unwind(panic);
        }
    }
}

impl Desk {
    /// Posts a launch, for as long as what is returned lives; dropping that waits for the helpers.
    fn post<'j>(&'j self, job: &'j Job<'j>) -> Open<'j> {
        let posted = Posted(std::ptr::from_ref(job).cast());
        lock(&self.jobs).push(posted);
        self.posted.fetch_add(1, Relaxed);
        Open {
            desk: self,
            job,
            posted,
        }
    }

    /// Has another thread help, where a launch has use for more than there are.
    fn recruit(self: &Arc<Self>, job: &Job, spawn: impl FnOnce(Box<dyn FnOnce() + Send>)) {
        let wanted = job.shares.len() - 1;
        let more = |now: usize| (now < wanted).then_some(now + 1);
        if !job.given.load(Relaxed) && self.helpers.fetch_update(SeqCst, Relaxed, more).is_ok() {
            let desk = self.clone();
            spawn(Box::new(move || desk.help()));
        }
    }

    /// Helps until nothing has been posted for a while.
    fn help(self: Arc<Self>) {
        // The share of who launches comes last.
        let place = rayon::current_thread_index().map_or(1, |i| i + 1);
        let (mut seen, mut helped) = (0, false);
        loop {
            if let Some(posted) = self.enter() {
                // SAFETY: this thread is counted in `helping` (contract U8).
                let job = unsafe { &*posted.0 };
                for _ in 0..2 {
                    self.recruit(job, |help| rayon::spawn(help));
                }
                if let Err(panic) = catch_unwind(AssertUnwindSafe(|| job.work(place))) {
                    job.given.store(true, Relaxed);
                    lock(&job.panic).get_or_insert(panic);
                }
                // The last access to the job.
                job.helping.fetch_sub(1, AcqRel);
                (seen, helped) = (self.posted.load(Relaxed), true);
            } else if !helped || !self.linger(&mut seen) {
                self.helpers.fetch_sub(1, SeqCst);
                // Who posted a launch before that has not asked for a helper in this one's place.
                if !self.has_work() {
                    return;
                }
                self.helpers.fetch_add(1, SeqCst);
            }
        }
    }

    /// A launch with blocks to give, if there is one, with this thread counted among its helpers.
    fn enter(&self) -> Option<Posted> {
        let jobs = lock(&self.jobs);
        // SAFETY: a job that is posted lives (contract U8).
        let job = |posted: &Posted| unsafe { &*posted.0 };
        let open = jobs.iter().find(|p| !job(p).given.load(Relaxed))?;
        job(open).helping.fetch_add(1, Relaxed);
        Some(*open)
    }

    fn has_work(&self) -> bool {
        let jobs = lock(&self.jobs);
        // SAFETY: as in `enter`.
        jobs.iter()
            .any(|posted| unsafe { !(*posted.0).given.load(Relaxed) })
    }

    /// Waits for a moment; whether something was posted after the first `seen` launches.
    fn linger(&self, seen: &mut u32) -> bool {
        let start = Instant::now();
        loop {
            let posted = self.posted.load(Relaxed);
            if posted != *seen {
                *seen = posted;
                return true;
            }
            if start.elapsed() > LINGER {
                return false;
            }
            std::thread::yield_now();
        }
    }
}

impl Job<'_> {
    /// Runs blocks until all are given, those of one share first.
    fn work(&self, share: usize) {
        let n = self.shares.len();
        for k in 0..n {
            let share = &self.shares[(share + k) % n];
            while !self.given.load(Relaxed) {
                let block = share.next.fetch_add(1, Relaxed);
                if block >= share.end {
                    break;
                }
                (self.run)(block as u32);
            }
        }
        self.given.store(true, Relaxed);
    }
}

/// A launch that is posted.
struct Open<'j> {
    desk: &'j Desk,
    job: &'j Job<'j>,
    posted: Posted,
}

impl Drop for Open<'_> {
    fn drop(&mut self) {
        // Where the work has panicked there is no more of it.
        self.job.given.store(true, Relaxed);
        lock(&self.desk.jobs).retain(|p| p.0 != self.posted.0);
        let mut waits = 0;
        while self.job.helping.load(Acquire) != 0 {
            waits += 1;
            if waits < PATIENCE {
                std::thread::yield_now();
            } else {
                std::thread::sleep(NAP);
            }
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn crew(threads: usize) -> Crew {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        Crew::new(Some(pool.build().unwrap()))
    }

    #[test]
    fn every_block_runs_once() {
        for threads in [1, 2, 5] {
            let crew = crew(threads);
            for n in (0..40).chain([1000]) {
                let ran: Vec<AtomicU32> = (0..n).map(|_| AtomicU32::new(0)).collect();
                crew.each(n, |i| {
                    ran[i as usize].fetch_add(1, Relaxed);
                });
                assert!(ran.iter().all(|r| r.load(Relaxed) == 1), "{threads}, {n}");
            }
        }
    }

    #[test]
    fn several_launch_at_a_time() {
        let crew = &crew(3);
        std::thread::scope(|s| {
            for _ in 0..4 {
                s.spawn(|| {
                    for n in 1..200 {
                        let sum = AtomicU32::new(0);
                        crew.each(n, |i| {
                            sum.fetch_add(i, Relaxed);
                        });
                        assert_eq!(sum.into_inner(), n * (n - 1) / 2);
                    }
                });
            }
        });
    }

    #[test]
    fn threads_of_the_pool_launch_too() {
        let crew = &crew(2);
        let sum = &AtomicU32::new(0);
        crew.pool.as_ref().unwrap().scope(|s| {
            for _ in 0..8 {
                s.spawn(|_| {
                    crew.each(100, |i| {
                        sum.fetch_add(i, Relaxed);
                    });
                });
            }
        });
        assert_eq!(sum.load(Relaxed), 8 * 4950);
    }

    #[test]
    fn others_help() {
        let crew = crew(3);
        // Each of three blocks waits for the other two.
        let (met, most) = (AtomicU32::new(0), Instant::now() + Duration::from_secs(60));
        crew.each(3, |_| {
            met.fetch_add(1, Relaxed);
            while met.load(Relaxed) < 3 {
                assert!(Instant::now() < most, "nobody helps");
                std::thread::yield_now();
            }
        });
    }

    #[test]
    fn a_panic_comes_back() {
        let crew = crew(2);
        for bad in [0, 50, 99] {
            let run = || {
                crew.each(100, |i| {
                    std::thread::sleep(Duration::from_micros(20));
                    assert_ne!(i, bad);
                });
            };
            assert!(catch_unwind(AssertUnwindSafe(run)).is_err(), "{bad}");
        }
        crew.each(100, |_| ());
    }
}
