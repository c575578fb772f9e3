//! Work without the interpreter's lock: progress, interruption, and processes that were forked.

use pyo3::prelude::*;
use rxmesh::host::engine::KeptContext;
use rxmesh::{Log, Stage};
use std::cell::RefCell;
use std::process;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

/// Log that calls a function of Python, and ends the work when it raises an exception or the user interrupts it.
pub(super) struct PythonLog {
    progress: Option<Py<PyAny>>,
    /// Warnings so far.
    pub(super) warnings: Vec<String>,
    /// Exception that ends the work.
    pub(super) raised: Option<PyErr>,
}

impl PythonLog {
    pub(super) fn new(progress: Option<Py<PyAny>>) -> PythonLog {
        PythonLog {
            progress,
            warnings: Vec::new(),
            raised: None,
        }
    }

    fn tell(&mut self, stage: Stage, milliseconds: Option<f64>) {
        if self.raised.is_some() {
            return;
        }
        let told = Python::try_attach(|py| {
            py.check_signals()?;
            match &self.progress {
                Some(progress) => progress.call1(py, (stage.name(), milliseconds)).map(drop),
                None => Ok(()),
            }
        });
        if let Some(Err(e)) = told {
            self.raised = Some(e);
        }
    }
}

impl Log for PythonLog {
    fn begin(&mut self, stage: Stage) {
        self.tell(stage, None);
    }

    fn end(&mut self, stage: Stage, milliseconds: f64) {
        self.tell(stage, Some(milliseconds));
    }

    fn warn(&mut self, warning: String) {
        self.warnings.push(crate::keywords::with_keywords(&warning));
    }

    fn is_stopped(&mut self) -> bool {
        self.raised.is_some()
    }
}

/// Process in which the threads of rayon's global pool run.
static HOME: OnceLock<u32> = OnceLock::new();

/// Threads of a process that was forked.
struct ForkedThreads {
    process: u32,
    pool: &'static rayon::ThreadPool,
}

/// Threads of this process, if it was forked: those of its parent are not here. One call runs at a time, since a
/// thread of a pool that waits takes other work.
static FORKED: Mutex<Option<ForkedThreads>> = Mutex::new(None);

/// Runs work without the interpreter's lock. `locks` belong to meshes that it uses: of several calls on one mesh one
/// runs at a time.
pub(super) fn run<T: Send>(
    py: Python<'_>,
    mut locks: Vec<&Mutex<()>>,
    work: impl FnOnce() -> T + Send,
) -> PyResult<T> {
    // Always in the same order, each once.
    locks.sort_by_key(|lock| std::ptr::from_ref(*lock));
    locks.dedup_by_key(|lock| std::ptr::from_ref(*lock));
    let in_use = |lock: &&Mutex<()>| HELD.with_borrow(|held| held.contains(&address(lock)));
    if locks.iter().any(in_use) {
        let why = "the mesh is in use by the call whose progress function this is";
        return Err(super::errors::RxmeshError::new_err(why));
    }
    py.detach(|| {
        let _context = KeptContext::new();
        let _held = HeldLocks::take(locks);
        match *HOME.get_or_init(process::id) == process::id() {
            true => Ok(work()),
            false => forked(work),
        }
    })
}

thread_local! {
    /// Addresses of the locks that this thread holds.
    static HELD: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

fn address(lock: &Mutex<()>) -> usize {
    std::ptr::from_ref(lock).addr()
}

/// Locks of meshes in use.
struct HeldLocks<'a> {
    guards: Vec<MutexGuard<'a, ()>>,
}

impl HeldLocks<'_> {
    fn take(locks: Vec<&Mutex<()>>) -> HeldLocks<'_> {
        let addresses: Vec<usize> = locks.iter().map(|lock| address(lock)).collect();
        let locks = locks.into_iter();
        let guards = locks.map(|lock| lock.lock().unwrap_or_else(PoisonError::into_inner));
        let held = HeldLocks {
            guards: guards.collect(),
        };
        HELD.with_borrow_mut(|all| all.extend(addresses));
        held
    }
}

impl Drop for HeldLocks<'_> {
    fn drop(&mut self) {
        HELD.with_borrow_mut(|all| all.truncate(all.len() - self.guards.len()));
    }
}

fn forked<T: Send>(work: impl FnOnce() -> T + Send) -> PyResult<T> {
    let here = process::id();
    let mut threads = FORKED.lock().unwrap_or_else(PoisonError::into_inner);
    let pool = match &*threads {
        Some(threads) if threads.process == here => threads.pool,
        _ => {
            let pool = rayon::ThreadPoolBuilder::new().build();
            let refused = |e: rayon::ThreadPoolBuildError| {
                super::errors::RxmeshError::new_err(format!("threads cannot be started: {e}"))
            };
            // Another process may have the threads of an older pool: it is never dropped.
            let pool: &'static _ = Box::leak(Box::new(pool.map_err(refused)?));
            *threads = Some(ForkedThreads {
                process: here,
                pool,
            });
            pool
        }
    };
    Ok(pool.install(work))
}
