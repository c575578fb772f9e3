//! Engines under test.

use rxmesh_host::algo::remesh::Remeshes;
use rxmesh_host::edit::Runs;
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::algo::delaunay::DelaunayFlip;
use rxmesh_host::kernels::algo::track::SplitStretched;
use rxmesh_test_kernels::marked::{
    CollapseMarked, FlipMarked, RemoveMarked, SplitFaceMarked, SplitMarked,
};
use std::sync::{Condvar, Mutex, MutexGuard, OnceLock, PoisonError};

/// The tests' own kernels, built by `cargo xtask ptx`.
#[cfg(feature = "cuda")]
const PTX: &str = include_str!("../ptx/rxmesh_test_kernels.ptx");

/// Engine that runs a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The CPU engine.
    Solo,
    /// The CPU engine with permuted phases.
    Shuffled,
    /// A block of real threads.
    Team(u32),
    /// The first GPU.
    Cuda,
}

/// Runs a check on an engine. Without a GPU a CUDA check reports that and passes, unless `RXMESH_REQUIRE_CUDA=1`.
pub fn run(subject: Subject, check: &dyn Fn(&Engine)) {
    let _processors = Processors::take(match subject {
        Subject::Solo | Subject::Shuffled => 1,
        Subject::Team(n) => n as usize,
        Subject::Cuda => 0,
    });
    match subject {
        Subject::Solo => check(&Engine::cpu()),
        Subject::Shuffled => check(&Engine::shuffled(0x5eed)),
        Subject::Team(n) => check(&Engine::team(n)),
        Subject::Cuda => run_cuda(check),
    }
}

/// Processors that a test has to itself among the tests of its program. Members of a team synchronise several times a
/// microsecond: where one of them waits for a processor that another test holds, each barrier takes that test's time
/// slice, and the check ten times as long.
struct Processors(usize);

impl Processors {
    /// Waits for `n` processors, or for all if there are fewer.
    fn take(n: usize) -> Processors {
        // In turns, so that a test that waits for several processors is not starved by tests that need one.
        static TURN: Mutex<()> = Mutex::new(());
        let n = n.min(Self::count());
        if n > 0 {
            let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
            let mut taken = Self::taken();
            while *taken + n > Self::count() {
                let wait = FREED.wait(taken);
                taken = wait.unwrap_or_else(PoisonError::into_inner);
            }
            *taken += n;
        }
        Processors(n)
    }

    fn count() -> usize {
        static COUNT: OnceLock<usize> = OnceLock::new();
        *COUNT.get_or_init(|| std::thread::available_parallelism().map_or(1, |n| n.get()))
    }

    fn taken() -> MutexGuard<'static, usize> {
        static TAKEN: Mutex<usize> = Mutex::new(0);
        TAKEN.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Processors {
    fn drop(&mut self) {
        *Self::taken() -= self.0;
        FREED.notify_all();
    }
}

/// Notification that a test has released processors.
static FREED: Condvar = Condvar::new();

/// Runs a check on the GPU's engine, which all tests of a program share; faults belong to the engine, so one test runs
/// at a time.
fn run_cuda(check: &dyn Fn(&Engine)) {
    static ONE: Mutex<()> = Mutex::new(());
    match cuda() {
        Ok(engine) => {
            let _turn = ONE.lock().unwrap_or_else(PoisonError::into_inner);
            // Faults of a previous test that failed.
            let _ = engine.synchronize();
            check(engine);
            engine.synchronize().expect("no fault is left over");
        }
        Err(why) => {
            assert!(
                std::env::var("RXMESH_REQUIRE_CUDA").as_deref() != Ok("1"),
                "no GPU: {why}"
            );
            println!("skipped: no GPU ({why})");
        }
    }
}

fn cuda() -> Result<&'static Engine, &'static str> {
    static ENGINE: OnceLock<Result<Engine, String>> = OnceLock::new();
    #[cfg(feature = "cuda")]
    let make = || -> Result<Engine, String> {
        use rxmesh_speculative::Speculative;
        use rxmesh_test_kernels::{FINGERPRINT_SYMBOL, KERNELS};
        let engine = Engine::cuda(0).map_err(|e| e.to_string())?;
        // SAFETY: the PTX was built by `cargo xtask ptx` from the listed kernels.
        let loaded = unsafe { engine.load_ptx(PTX, FINGERPRINT_SYMBOL, KERNELS) };
        loaded.expect("the tests' own kernels");
        // Some tests launch its kernels without a session.
        Speculative::load(&engine).expect("the speculative scheduler's kernels");
        Ok(engine)
    };
    #[cfg(not(feature = "cuda"))]
    let make = || Err("built without the feature `cuda`".to_string());
    ENGINE.get_or_init(make).as_ref().map_err(String::as_str)
}

/// Returns `true` if an engine is so slow that it gets only the small meshes.
pub fn is_slow(engine: &Engine) -> bool {
    engine.name().starts_with("team")
}

/// Returns `true` if an engine is very slow: 32 threads on a machine with two cores.
pub fn is_very_slow(engine: &Engine) -> bool {
    engine.name() == "team(32)"
}

/// Returns the size that suits an engine, of three: one thread or a GPU, a team, a team of 32 on a machine with two
/// cores.
pub fn suited<T>(engine: &Engine, [fast, slow, very_slow]: [T; 3]) -> T {
    match (is_very_slow(engine), is_slow(engine)) {
        (true, _) => very_slow,
        (_, true) => slow,
        _ => fast,
    }
}

/// Runs a check twice: where one launch runs all steps of a grid that fits, and where each step has its own launch, as
/// on a GPU that is too small.
pub fn in_one_and_step_by_step(engine: &Engine, check: impl Fn()) {
    for limit in [None, Some(0)] {
        engine.set_grid_limit(limit);
        check();
    }
    engine.set_grid_limit(None);
}

/// Makes a test of each check on every engine: `conformance! { a, b }` gives `solo::a`, `shuffled::a`, `team2::a`,
/// `cuda::a`, and in the long run `team7::a` and `team32::a`, and so on. A check is a function of `&Engine` in the
/// calling module. Wide teams on few cores take ten times as long as two threads, which pass the same barriers.
#[macro_export]
macro_rules! conformance {
    ($($check:ident),* $(,)?) => {
        $crate::conformance!(@all $($check),*);
    };
    (@all $($check:ident),*) => {
        $crate::conformance!(@narrow $($check),*);
        $crate::conformance!(@on team7, Team(7), [#[ignore = "in the long run"]]; $($check)*);
        $crate::conformance!(@on team32, Team(32), [#[ignore = "in the long run"]]; $($check)*);
    };
    (@narrow $($check:ident),*) => {
        $crate::conformance!(@usual $($check),*);
        $crate::conformance!(@on team2, Team(2), []; $($check)*);
    };
    (@usual $($check:ident),*) => {
        $crate::conformance!(@on solo, Solo, []; $($check)*);
        $crate::conformance!(@on shuffled, Shuffled, []; $($check)*);
        $crate::conformance!(@on cuda, Cuda, []; $($check)*);
    };
    (@on $module:ident, $subject:expr, $long:tt; $($check:ident)*) => {
        mod $module {
            use $crate::engines::Subject::*;
            $($crate::conformance! { @test $subject, $long $check })*
        }
    };
    (@test $subject:expr, [$(#[$long:meta])*] $check:ident) => {
        #[test]
        $(#[$long])*
        fn $check() {
            $crate::engines::run($subject, &super::$check);
        }
    };
}

/// Scheduler of edits that runs every operator of the tests, and the applications except for simplification.
pub trait TestScheduler:
    Remeshes
    + Runs<DelaunayFlip>
    + Runs<SplitStretched>
    + Runs<FlipMarked>
    + Runs<SplitMarked>
    + Runs<CollapseMarked>
    + Runs<SplitFaceMarked>
    + Runs<RemoveMarked>
{
}

impl<C> TestScheduler for C where
    C: Remeshes
        + Runs<DelaunayFlip>
        + Runs<SplitStretched>
        + Runs<FlipMarked>
        + Runs<SplitMarked>
        + Runs<CollapseMarked>
        + Runs<SplitFaceMarked>
        + Runs<RemoveMarked>
{
}

/// Does as [`conformance!`], with each scheduler of edits.
///
/// `conformance_of_schedulers! { a }` gives `claims::solo::a`, `speculative::solo::a` and so on. A check is a function
/// of `&Engine`, generic over a scheduler of edits ([`TestScheduler`]).
#[macro_export]
macro_rules! conformance_of_schedulers {
    ($($check:ident),* $(,)?) => {
        $crate::conformance_of_schedulers!(@with claims, rxmesh_host::edit::Claims, all; $($check)*);
        // A visit has hundreds of barriers: wide teams on few cores are too slow for whole applications.
        // `tests/suite/speculative.rs` tests the engine with them.
        $crate::conformance_of_schedulers!(@with speculative, rxmesh_speculative::Speculative, narrow; $($check)*);
    };
    (@with $module:ident, $scheduler:ty, $engines:ident; $($check:ident)*) => {
        mod $module {
            $(fn $check(engine: &rxmesh_host::engine::Engine) {
                super::$check::<$scheduler>(engine);
            })*
            $crate::conformance! { @$engines $($check),* }
        }
    };
}

/// Returns the engine with bitwise equal results: one thread of the CPU engine for all CPU engines, however they run in
/// parallel. A GPU rounds differently (products and sums are fused, roots approximate): there it is the GPU itself, in
/// another run.
pub fn same_rounding(engine: &Engine) -> Engine {
    if engine.is_cuda() {
        engine.clone()
    } else {
        Engine::cpu_with_threads(1).expect("one thread")
    }
}
