//! Engines: they run kernels and own the memory that kernels use.
//!
//! | engine | runs a block as | for |
//! | --- | --- | --- |
//! | CPU ([`Engine::cpu`]) | one thread; the launching thread and rayon's threads share the blocks | users without a GPU |
//! | CUDA (`Engine::cuda`, feature `cuda`) | a thread block | users with one |
//! | shuffled (`Engine::shuffled`, feature `test-engines`) | one thread, each phase in a permuted order | tests: order dependence |
//! | team (`Engine::team`, feature `test-engines`) | real threads with a true barrier | tests: missing barriers |
//!
//! Launches are checked: every piece of memory that a kernel's arguments name must be live on the engine, attributes
//! must belong to the mesh that the kernel runs on, and what the kernel writes must not overlap anything else it names;
//! then the kernel's copy of the arguments is brought to the addresses of what they name. Shared-memory sizes come from
//! the kernel's own plan.
//!
//! Threads may share an engine. On the CPU's, launches run at the same time; two that need the same memory, one of them
//! to write, do not wait for each other: the second gets [`EngineError::Busy`]. On a GPU one stream orders the launches
//! of all threads. A fault comes out at whichever thread asks next.

mod buffer;
mod check;
mod claims;
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod error;
mod foreign;
mod kind;
mod launch;
mod memory;
mod note;
mod patches;
mod policy;
#[cfg(any(feature = "cuda", test))]
mod ptx;
mod staging;

pub use buffer::Buffer;
pub use error::EngineError;
pub use foreign::{Foreign, KeptContext};
pub use kind::{EngineChoice, EngineKind};
pub use note::Note;
pub use patches::Patches;
pub use staging::StagingChoice;

use check::Live;
use cpu::{Cpu, Style};
use launch::Launcher as _;
use memory::Memory;
use policy::Policy;
use rxmesh_kernels::mem::{Bind, FAULT_WORDS, Fault, GlobalMut};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// Runs kernels and owns memory. A cheap handle: clones are the same engine.
#[derive(Clone)]
pub struct Engine(Arc<Inner>);

struct Inner {
    backend: Backend,
    policy: Policy,
    live: Live,
    /// A limit below the engine's own.
    shared_limit: AtomicU32,
    /// Most blocks of a grid whose steps one launch runs.
    grid_limit: AtomicU32,
    /// Allocations that are left before memory is said to be used up.
    allocations: AtomicU32,
    /// Bytes that the host has copied to the engine, and back.
    copied: [AtomicU64; 2],
    /// Progress of the work.
    note: Mutex<Option<Note>>,
}

/// A PTX module, for [`Engine::load_ptx`].
#[derive(Clone, Copy, Debug)]
pub enum Ptx<'a> {
    /// The text.
    Text(&'a str),
    /// The text, packed by `rxmesh_ptx::pack` or, in a build script, `rxmesh_ptx::pack_file`: a twelfth of it or less.
    Packed(&'a [u8]),
}

impl<'a> From<&'a str> for Ptx<'a> {
    fn from(text: &'a str) -> Ptx<'a> {
        Ptx::Text(text)
    }
}

impl<'a> From<&'a String> for Ptx<'a> {
    fn from(text: &'a String) -> Ptx<'a> {
        Ptx::Text(text)
    }
}

/// Runner of kernels, which owns memory: a [`Launcher`](launch::Launcher) and [`Memory`].
enum Backend {
    Cpu(Cpu),
    #[cfg(feature = "cuda")]
    Cuda(Box<cuda::CudaEngine>),
}

/// Bytes that were copied between the host and an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Traffic {
    /// To the engine.
    pub to_engine: u64,
    /// Back to the host.
    pub to_host: u64,
}

/// Calls a method of whichever backend an engine has. Launches are generic over the kernel, so that no virtual call can
/// do it.
macro_rules! on_backend {
    ($engine:expr, $backend:ident => $call:expr) => {
        match &$engine.0.backend {
            $crate::engine::Backend::Cpu($backend) => $call,
            #[cfg(feature = "cuda")]
            $crate::engine::Backend::Cuda($backend) => {
                let $backend = &**$backend;
                $call
            }
        }
    };
}
use on_backend;

/// Description of an engine, for people and records.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct EngineInfo {
    /// `cpu`, `cuda`, or a test engine's name.
    pub engine: String,
    /// The processor or GPU.
    pub device: String,
    /// Threads of a CPU engine, multiprocessors of a GPU.
    pub units: u32,
}

impl std::fmt::Debug for Engine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Engine({})", self.name())
    }
}

impl Engine {
    fn new(backend: Backend, policy: Policy) -> Engine {
        Engine(Arc::new(Inner {
            backend,
            policy,
            live: Live::default(),
            shared_limit: AtomicU32::new(u32::MAX),
            grid_limit: AtomicU32::new(u32::MAX),
            allocations: AtomicU32::new(u32::MAX),
            copied: Default::default(),
            note: Mutex::default(),
        }))
    }

    fn on_cpu(style: Style, pool: Option<rayon::ThreadPool>) -> Engine {
        let cpu = Cpu::new(style, pool);
        let policy = Policy::of_cpu(cpu.is_for_tests());
        Engine::new(Backend::Cpu(cpu), policy)
    }

    /// Returns the CPU engine on rayon's global pool.
    pub fn cpu() -> Engine {
        Engine::on_cpu(Style::Solo, None)
    }

    /// Returns the CPU engine on a separate thread pool.
    ///
    /// # Errors
    ///
    /// An error if the threads cannot be started.
    pub fn cpu_with_threads(threads: usize) -> Result<Engine, EngineError> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|e| EngineError::Threads {
                threads,
                why: e.to_string(),
            })?;
        Ok(Engine::on_cpu(Style::Solo, Some(pool)))
    }

    /// Returns a test engine that permutes the order inside each phase.
    #[cfg(feature = "test-engines")]
    pub fn shuffled(seed: u32) -> Engine {
        Engine::on_cpu(Style::Shuffled(seed), None)
    }

    /// Returns a test engine that runs each block as `threads` real threads, 1 to 64.
    #[cfg(feature = "test-engines")]
    pub fn team(threads: u32) -> Engine {
        Engine::on_cpu(Style::Team(threads.clamp(1, 64)), None)
    }

    /// Returns the NVIDIA GPU with the given ordinal, with this library's kernels loaded.
    ///
    /// # Errors
    ///
    /// [`EngineError::NoDriver`] or [`EngineError::NoDevice`] when there is none; [`EngineError::Ptx`] when the kernels
    /// cannot be loaded.
    #[cfg(feature = "cuda")]
    pub fn cuda(ordinal: u32) -> Result<Engine, EngineError> {
        let (cuda, policy) = cuda::CudaEngine::new(ordinal)?;
        Ok(Engine::new(Backend::Cuda(Box::new(cuda)), policy))
    }

    /// Starts all NVIDIA GPUs of this machine: an engine, or the reason why there is none, for each number from 0 on.
    /// Without a driver, or in a build without CUDA, the one reason.
    pub fn gpus() -> Vec<Result<Engine, EngineError>> {
        #[cfg(feature = "cuda")]
        return match cuda::count() {
            Ok(count) => std::thread::scope(|scope| {
                // A context takes tenths of a second: all are made at the same time.
                let start = |number| scope.spawn(move || Engine::cuda(number));
                let threads: Vec<_> = (0..count).map(start).collect();
                let ends = threads.into_iter().map(|thread| thread.join());
                ends.map(|end| end.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
                    .collect()
            }),
            Err(why) => vec![Err(why)],
        };
        #[cfg(not(feature = "cuda"))]
        return vec![Err(EngineError::NotBuilt)];
    }

    /// Returns the GPU if there is one, else the CPU with the reason.
    pub fn auto() -> (Engine, Option<EngineError>) {
        match EngineKind::Cuda.start() {
            Ok(engine) => (engine, None),
            Err(why) => (Engine::cpu(), Some(why)),
        }
    }

    /// Adds a module of a downstream crate's kernels (PTX, as text or packed) to a CUDA engine; nothing on the others,
    /// whose kernels are ordinary functions. `kernels` is the list that the crate's `kernels!` made. A module that the
    /// engine has already is not loaded again.
    ///
    /// # Errors
    ///
    /// [`EngineError::Ptx`] when the text does not load or does not belong to the list.
    ///
    /// # Safety
    ///
    /// The PTX was compiled from the sources of the listed kernels: it is device code, and runs whatever it holds
    /// (contract U4 of docs/inside/unsafe.md). The fingerprint tells an old list, not an old body.
    ///
    /// ```compile_fail,E0133
    /// # use rxmesh_host::engine::Engine;
    /// let _ = Engine::cpu().load_ptx("", "my_fingerprint", &[]);
    /// ```
    pub unsafe fn load_ptx<'a>(
        &self,
        ptx: impl Into<Ptx<'a>>,
        fingerprint_symbol: &str,
        kernels: &[rxmesh_kernels::kernel::KernelInfo],
    ) -> Result<(), EngineError> {
        let ptx = ptx.into();
        on_backend!(self, b => b.load(ptx, fingerprint_symbol, kernels))
    }

    /// Returns the short name: `cpu`, `cuda`, `shuffled`, `team(n)`.
    pub fn name(&self) -> String {
        self.info().engine
    }

    /// Returns the description of the engine.
    pub fn info(&self) -> EngineInfo {
        on_backend!(self, b => b.info())
    }

    /// Returns the kind.
    pub fn kind(&self) -> EngineKind {
        on_backend!(self, b => b.kind())
    }

    /// Returns `true` if the engine is a GPU.
    pub fn is_cuda(&self) -> bool {
        self.kind() == EngineKind::Cuda
    }

    fn memory(&self) -> &dyn Memory {
        on_backend!(self, b => b)
    }

    /// Returns a buffer of `n` zeroes.
    ///
    /// # Errors
    ///
    /// [`EngineError::OutOfMemory`].
    pub fn zeroed<T: bytemuck::Pod>(&self, n: usize) -> Result<Buffer<T>, EngineError> {
        Buffer::zeroed(self, n)
    }

    /// Returns a buffer of `n` undefined values, for kernels that write all of them before the first read.
    pub(crate) fn uninit<T: bytemuck::Pod>(&self, n: usize) -> Result<Buffer<T>, EngineError> {
        Buffer::uninit(self, n)
    }

    /// Returns a buffer with a copy of `data`.
    ///
    /// # Errors
    ///
    /// [`EngineError::OutOfMemory`].
    pub fn upload<T: bytemuck::Pod>(&self, data: &[T]) -> Result<Buffer<T>, EngineError> {
        let mut buffer = Buffer::uninit(self, data.len())?;
        buffer.write(data)?;
        Ok(buffer)
    }

    /// Returns the address of the memory that an argument names, for tables of addresses that kernels read: nothing
    /// keeps or checks that memory when a kernel is launched on such a table.
    ///
    /// # Errors
    ///
    /// [`EngineError::NotLive`].
    pub fn address<T: bytemuck::Pod>(&self, mut view: GlobalMut<T>) -> Result<usize, EngineError> {
        let mut found = None;
        // SAFETY: the view is a copy and stays unbound.
        unsafe {
            view.visit(&mut |piece| {
                found = self.0.live.address(piece);
                None
            });
        }
        found.ok_or(EngineError::NotLive { kernel: "(table)" })
    }

    /// Returns the bytes of shared memory that a block can have.
    pub fn shared_limit(&self) -> u32 {
        let own = self.0.policy.shared_limit;
        own.min(self.0.shared_limit.load(Relaxed))
    }

    /// Returns the bytes of the buffers that are on the engine now, and the most that they were since it was made, or
    /// since [`Engine::forget_most_allocated`].
    pub fn allocated(&self) -> [u64; 2] {
        self.0.live.bytes()
    }

    /// Restarts the peak of [`Engine::allocated`] at the current amount.
    pub fn forget_most_allocated(&self) {
        self.0.live.forget_most();
    }

    /// Gives memory back to the system that the engine keeps for later buffers, after the launches so far, and returns
    /// the number of bytes. A GPU keeps memory of buffers that were dropped, because taking it from the driver again is
    /// slower; a CPU engine keeps none.
    ///
    /// # Errors
    ///
    /// Errors of the driver.
    pub fn trim(&self) -> Result<u64, EngineError> {
        self.memory().trim()
    }

    /// Bytes that the host has copied to the engine's buffers and back from them, since the engine was made. Parameters
    /// of launches do not count.
    pub fn traffic(&self) -> Traffic {
        let [to_engine, to_host] = self.0.copied.each_ref().map(|bytes| bytes.load(Relaxed));
        Traffic { to_engine, to_host }
    }

    /// Counts an allocation.
    fn take_allocation(&self, bytes: usize) -> Result<(), EngineError> {
        let take = |left: u32| match left {
            u32::MAX => Some(left),
            _ => left.checked_sub(1),
        };
        let taken = self.0.allocations.fetch_update(Relaxed, Relaxed, take);
        taken.map(|_| ()).map_err(|_| EngineError::OutOfMemory {
            engine: "the test",
            bytes,
        })
    }

    /// Waits for all launches and reports the first fault that a kernel raised.
    ///
    /// # Errors
    ///
    /// [`EngineError::Fault`], or what the driver says.
    pub fn synchronize(&self) -> Result<(), EngineError> {
        self.memory().take_fault()
    }

    /// Milliseconds that the launches in `work` take on the engine: device events on a GPU, the clock on a CPU.
    ///
    /// # Errors
    ///
    /// Errors of `work`, and of the driver.
    pub fn time(&self, work: impl FnOnce() -> Result<(), EngineError>) -> Result<f64, EngineError> {
        on_backend!(self, b => b.time(work))
    }

    /// Returns the word in which kernels of this engine report faults.
    pub(crate) fn fault(&self) -> Fault {
        self.memory().fault()
    }
}

/// Returns a fault record over an engine's four words.
///
/// # Safety
///
/// `words` points to [`FAULT_WORDS`] zeroed words that live as long as the engine.
unsafe fn fault_over(words: *mut u32) -> Fault {
    // SAFETY: the caller's.
    unsafe { Fault::new(GlobalMut::new(words, FAULT_WORDS as u32)) }
}

/// A fault record's words as an error.
fn fault_error(words: [u32; FAULT_WORDS]) -> Result<(), EngineError> {
    use rxmesh_kernels::mem::FaultCode;
    match words[1] {
        0 => Ok(()),
        code => Err(EngineError::Fault {
            code: FaultCode::from_word(code),
            word: code,
            details: [words[2], words[3]],
        }),
    }
}
