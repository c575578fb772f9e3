//! Threads that run the blocks of a launch on the CPU: the launching thread and threads of rayon's pool, the *helpers*.
//!
//! Waking a thread of a pool takes longer than many a launch on a small mesh. So the launching thread waits for none:
//! it posts the launch and works on it at once, helpers that are awake in time join, and a late one finds nothing
//! posted. Helpers stay awake for a moment after a launch, because the next one mostly follows at once.

use rayon::ThreadPool;
use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release, SeqCst};
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, AtomicU64, AtomicUsize};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Time that a helper stays awake for another launch.
const LINGER: Duration = Duration::from_micros(50);

/// Longest time that a helper stays while launches follow each other. A thread of the pool that waits inside a parallel
/// loop takes the request for a helper as it takes any other work, and has to return to that loop.
const STAY: Duration = Duration::from_millis(1);

/// Number of yields of a thread that waits for helpers before it sleeps.
const PATIENCE: u32 = 256;

/// Length of each sleep of a thread that waits for helpers.
const NAP: Duration = Duration::from_micros(50);

/// Launches of one engine that others can help with at a time; where more threads launch, the rest do without.
const PLACES: usize = 8;

/// In [`JobSlot::state`]: the launch there has blocks to give. Above are the helpers that are at it.
const OPEN: u32 = 1;

/// One helper in [`JobSlot::state`].
const HELPER: u32 = 2;

/// The threads of an engine.
pub(super) struct Crew {
    /// rayon's global pool if there is none.
    pool: Option<ThreadPool>,
    desk: Arc<Desk>,
}

/// Posted launches of an engine.
#[derive(Default)]
struct Desk {
    places: [JobSlot; PLACES],
    /// Number of launches posted so far.
    posted: AtomicU32,
    /// Threads that help, stay awake to help, or have been asked to.
    helpers: AtomicUsize,
}

/// Slot for a posted launch, alone in its cache line.
#[derive(Default)]
#[repr(align(64))]
struct JobSlot {
    /// `true` while a launch has the slot.
    taken: AtomicBool,
    state: AtomicU32,
    /// The posted launch, which lives while [`OPEN`] is set or a helper that found it set is counted (contract U8).
    job: AtomicPtr<Job<'static>>,
}

/// A launch.
struct Job<'a> {
    run: &'a (dyn Fn(u32) + Sync),
    /// Neighbouring blocks, for one thread as far as possible: what a launch leaves in a thread's caches the next one
    /// finds there.
    shares: Vec<Share>,
    /// Payload of the first panic of a helper.
    panic: Mutex<Option<Box<dyn Any + Send>>>,
}

/// Blocks that no thread has taken yet, alone in their cache line.
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

    /// Returns the number of threads.
    pub(super) fn threads(&self) -> usize {
        match &self.pool {
            Some(pool) => pool.current_num_threads(),
            None => rayon::current_num_threads(),
        }
    }

    /// Calls `run` once for each of `0..n`, by several threads and in no order, and comes back when all calls have.
    /// Kernels are long: one that is called where threads help and where none do is compiled once.
    pub(super) fn each(&self, n: u32, run: &(dyn Fn(u32) + Sync)) {
        let threads = self.threads().min(n as usize);
        let place = match threads {
            0 | 1 => None,
            _ => self.desk.places.iter().find(|place| place.take()),
        };
        let Some(place) = place else {
            return (0..n).for_each(run);
        };
        let share = |t: usize| u64::from(n) * t as u64 / threads as u64;
        let job = Job {
            run,
            shares: (0..threads)
                .map(|t| Share {
                    next: AtomicU64::new(share(t)),
                    end: share(t + 1),
                })
                .collect(),
            panic: Mutex::default(),
        };
        {
            let _posted = Posted::new(place, &job);
            self.desk.posted.fetch_add(1, Relaxed);
            self.desk.recruit(threads - 1, |help| match &self.pool {
                Some(pool) => pool.spawn(help),
                None => rayon::spawn(help),
            });
            job.work(place, 0);
        }
        if let Some(panic) = lock(&job.panic).take() {
            resume_unwind(panic);
        }
    }
}

impl Desk {
    /// Asks for one more helper if there are fewer than `wanted`.
    fn recruit(self: &Arc<Self>, wanted: usize, spawn: impl FnOnce(Box<dyn FnOnce() + Send>)) {
        let more = |now: usize| (now < wanted).then_some(now + 1);
        if self.helpers.fetch_update(SeqCst, Relaxed, more).is_ok() {
            let desk = self.clone();
            spawn(Box::new(move || desk.help()));
        }
    }

    /// Helps until nothing has been posted for a while, or until nothing is posted after [`STAY`]: the next launch asks
    /// for a helper again.
    fn help(self: Arc<Self>) {
        let number = rayon::current_thread_index().unwrap_or(0);
        let (mut seen, mut helped) = (0, false);
        let come = Instant::now();
        loop {
            if let Some(place) = self.places.iter().find(|place| place.enter()) {
                // SAFETY: this thread is counted among the helpers (contract U8).
                let job = unsafe { &*place.job.load(Relaxed) };
                for _ in 0..2 {
                    if place.is_open() {
                        self.recruit(job.shares.len() - 1, rayon::spawn);
                    }
                }
                // A thread takes the same share in each launch, for its caches. The first share is the launching
                // thread's.
                let share = 1 + number % (job.shares.len() - 1);
                if let Err(panic) = catch_unwind(AssertUnwindSafe(|| job.work(place, share))) {
                    place.close();
                    lock(&job.panic).get_or_insert(panic);
                }
                // The last access to the job.
                place.leave();
                (seen, helped) = (self.posted.load(Relaxed), true);
            } else if !helped || come.elapsed() > STAY || !self.linger(&mut seen) {
                self.helpers.fetch_sub(1, SeqCst);
                // A launch posted before the decrement found enough helpers and asked for no other in this one's place.
                if !self.places.iter().any(JobSlot::is_open) {
                    return;
                }
                self.helpers.fetch_add(1, SeqCst);
            }
        }
    }

    /// Waits for at most [`LINGER`]. Returns `true` if a launch was posted after the first `seen` launches.
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

impl JobSlot {
    /// Takes the slot if it is free.
    fn take(&self) -> bool {
        !self.taken.load(Relaxed) && !self.taken.swap(true, Acquire)
    }

    fn is_open(&self) -> bool {
        self.state.load(SeqCst) & OPEN != 0
    }

    /// Counts the calling thread among the helpers of the launch here, if that has blocks to give.
    fn enter(&self) -> bool {
        if !self.is_open() {
            return false;
        }
        let open = self.state.fetch_add(HELPER, Acquire) & OPEN != 0;
        if !open {
            self.leave();
        }
        open
    }

    fn leave(&self) {
        self.state.fetch_sub(HELPER, Release);
    }

    /// Tells helpers that the launch has no more blocks.
    fn close(&self) {
        if self.state.load(Relaxed) & OPEN != 0 {
            self.state.fetch_and(!OPEN, Relaxed);
        }
    }
}

impl Job<'_> {
    /// Runs blocks until all are given, those of one share first.
    fn work(&self, place: &JobSlot, share: usize) {
        let n = self.shares.len();
        for k in 0..n {
            let share = &self.shares[(share + k) % n];
            while share.next.load(Relaxed) < share.end && place.is_open() {
                let block = share.next.fetch_add(1, Relaxed);
                if block >= share.end {
                    break;
                }
                (self.run)(block as u32);
            }
        }
        place.close();
    }
}

/// Posted launch. Dropping it closes the slot and waits for the helpers.
struct Posted<'p>(&'p JobSlot);

impl<'p> Posted<'p> {
    /// Posts a launch in a place that was taken for it; `job` must outlive what is returned.
    fn new(place: &'p JobSlot, job: &'p Job<'p>) -> Self {
        place
            .job
            .store(std::ptr::from_ref(job).cast_mut().cast(), Relaxed);
        place.state.fetch_or(OPEN, SeqCst);
        Posted(place)
    }
}

impl Drop for Posted<'_> {
    fn drop(&mut self) {
        // After a panic the remaining blocks are not run.
        self.0.close();
        let mut waits = 0;
        while self.0.state.load(Acquire) != 0 {
            waits += 1;
            if waits < PATIENCE {
                std::thread::yield_now();
            } else {
                std::thread::sleep(NAP);
            }
        }
        self.0.taken.store(false, Release);
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
                crew.each(n, &|i| {
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
            // More than there are places.
            for _ in 0..12 {
                s.spawn(|| {
                    for n in 1..200 {
                        let sum = AtomicU32::new(0);
                        crew.each(n, &|i| {
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
                    crew.each(100, &|i| {
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
        crew.each(3, &|_| {
            met.fetch_add(1, Relaxed);
            while met.load(Relaxed) < 3 {
                assert!(Instant::now() < most, "nobody helps");
                std::thread::yield_now();
            }
        });
    }

    /// A loop of the pool, whose threads help while they wait for its parts, ends although launches continue.
    #[test]
    fn helpers_come_back_to_their_loops() {
        fn part(from: u32, to: u32) -> u64 {
            if to - from < 50 {
                return (from..to).map(|i| u64::from(i.isqrt())).sum();
            }
            let middle = from.midpoint(to);
            let (a, b) = rayon::join(|| part(from, middle), || part(middle, to));
            a + b
        }
        let (crew, loops, rounds) = (&crew(2), &AtomicU32::new(0), 400);
        let most = Duration::from_secs(2);
        std::thread::scope(|s| {
            let launches = s.spawn(move || {
                while loops.load(Relaxed) < rounds {
                    // Launches follow each other until some loops have ended.
                    let (ended, start) = (loops.load(Relaxed) + 3, Instant::now());
                    while loops.load(Relaxed) < ended.min(rounds) {
                        if start.elapsed() > most {
                            return false;
                        }
                        crew.each(4, &|_| {
                            std::hint::black_box((0..500).fold(0u32, |a, b| a ^ b));
                        });
                    }
                    // Helpers go back to the loop meanwhile.
                    std::thread::sleep(Duration::from_micros(500));
                }
                true
            });
            for _ in 0..rounds {
                let pool = crew.pool.as_ref().unwrap();
                std::hint::black_box(pool.install(|| part(0, 100_000)));
                loops.fetch_add(1, Relaxed);
            }
            assert!(
                launches.join().unwrap(),
                "a loop waited for launches to end"
            );
        });
    }

    #[test]
    fn a_panic_comes_back() {
        let crew = crew(2);
        for bad in [0, 50, 99] {
            let run = || {
                crew.each(100, &|i| {
                    std::thread::sleep(Duration::from_micros(20));
                    assert_ne!(i, bad);
                });
            };
            assert!(catch_unwind(AssertUnwindSafe(run)).is_err(), "{bad}");
        }
        crew.each(100, &|_| ());
    }
}
