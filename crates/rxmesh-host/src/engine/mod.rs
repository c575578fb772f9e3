//! Engines: who runs kernels, and where their memory is.
//!
//! | engine | runs a block as | for |
//! | --- | --- | --- |
//! | CPU ([`Engine::cpu`]) | one thread; who launches and rayon's threads share the blocks | users without a GPU |
//! | CUDA (`Engine::cuda`, feature `cuda`) | a thread block | users with one |
//! | shuffled (`Engine::shuffled`, feature `test-engines`) | one thread, each phase in a permuted order | tests: order dependence |
//! | team (`Engine::team`, feature `test-engines`) | real threads with a true barrier | tests: missing barriers |
//!
//! Launches are checked: every piece of memory that a kernel's arguments name must be live on the engine, attributes
//! must belong to the mesh that the kernel runs on, and what the kernel writes must not overlap anything else it names;
//! then the kernel's copy of the arguments is brought to the addresses of what they name. Shared-memory sizes come from
//! the kernel's own plan.
//!
//! Threads may share an engine. On the CPU's, launches run at the same time; two that want the same memory, one of them
//! to write, do not wait for each other: the second gets [`EngineError::Busy`]. On a GPU one stream orders the launches
//! of all threads. A fault comes out at whichever thread asks next.

mod buffer;
mod check;
mod claims;
mod cpu;
mod crew;
#[cfg(feature = "cuda")]
mod cuda;
mod error;
mod foreign;
mod note;
mod pages;
#[cfg(any(feature = "cuda", test))]
mod ptx;
mod staging;
#[cfg(feature = "test-engines")]
mod team;

pub use buffer::Buffer;
pub use error::EngineError;
pub use foreign::Foreign;
pub use note::Note;
pub use staging::StagingChoice;

use check::{Live, Used};
use cpu::{Cpu, Style};
use rxmesh_kernels::kernel::{
    BlockKernel, Entry, FlatKernel, GridKernel, ListedArgs, ListedEntry, PatchArgs, PatchKernel,
};
use rxmesh_kernels::mem::{Bind, FAULT_WORDS, Fault, Global, GlobalMut, Plan};
use rxmesh_kernels::topo::{MeshView, Needs, PatchHeader};
use staging::{Fitting, Stages};
use std::any::TypeId;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// Runs kernels and owns memory. A cheap handle: clones are the same engine.
#[derive(Clone)]
pub struct Engine(Arc<Inner>);

struct Inner {
    kind: Kind,
    live: Live,
    /// A limit below the engine's own.
    shared_limit: AtomicU32,
    /// Most blocks of a grid whose steps one launch runs.
    grid_limit: AtomicU32,
    /// Allocations that are left before memory is said to be used up.
    allocations: AtomicU32,
    /// How far the work is.
    note: Mutex<Option<Note>>,
}

/// A PTX module, for [`Engine::load_ptx`].
#[derive(Clone, Copy, Debug)]
pub enum Ptx<'a> {
    /// The text.
    Text(&'a str),
    /// The text, compressed as zlib does (RFC 1950): a sixth of it or less.
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

enum Kind {
    Cpu(Cpu),
    #[cfg(feature = "cuda")]
    Cuda(Box<cuda::Cuda>),
}

/// What an engine is, for people and records.
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
    fn new(kind: Kind) -> Engine {
        Engine(Arc::new(Inner {
            kind,
            live: Live::default(),
            shared_limit: AtomicU32::new(u32::MAX),
            grid_limit: AtomicU32::new(u32::MAX),
            allocations: AtomicU32::new(u32::MAX),
            note: Mutex::default(),
        }))
    }

    /// The CPU engine on rayon's global pool.
    pub fn cpu() -> Engine {
        Engine::new(Kind::Cpu(Cpu::new(Style::Solo, None)))
    }

    /// The CPU engine on a pool of its own.
    ///
    /// # Errors
    ///
    /// When the threads cannot be started.
    pub fn cpu_with_threads(threads: usize) -> Result<Engine, EngineError> {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .map_err(|e| EngineError::Threads {
                threads,
                why: e.to_string(),
            })?;
        Ok(Engine::new(Kind::Cpu(Cpu::new(Style::Solo, Some(pool)))))
    }

    /// A test engine that permutes the order inside each phase.
    #[cfg(feature = "test-engines")]
    pub fn shuffled(seed: u32) -> Engine {
        Engine::new(Kind::Cpu(Cpu::new(Style::Shuffled(seed), None)))
    }

    /// A test engine that runs each block as `threads` real threads, 1 to 64.
    #[cfg(feature = "test-engines")]
    pub fn team(threads: u32) -> Engine {
        Engine::new(Kind::Cpu(Cpu::new(Style::Team(threads.clamp(1, 64)), None)))
    }

    /// The NVIDIA GPU with the given ordinal, with this library's kernels loaded.
    ///
    /// # Errors
    ///
    /// [`EngineError::NoDriver`] or [`EngineError::NoDevice`] when there is none; [`EngineError::Ptx`] when the kernels
    /// cannot be loaded.
    #[cfg(feature = "cuda")]
    pub fn cuda(ordinal: u32) -> Result<Engine, EngineError> {
        let cuda = cuda::Cuda::new(ordinal)?;
        Ok(Engine::new(Kind::Cuda(Box::new(cuda))))
    }

    /// The GPU if there is one, else the CPU; with the reason why not the GPU.
    pub fn auto() -> (Engine, Option<EngineError>) {
        #[cfg(feature = "cuda")]
        let gpu = Engine::cuda(0);
        #[cfg(not(feature = "cuda"))]
        let gpu = Err(EngineError::NotBuilt);
        match gpu {
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
        let _ = (ptx, fingerprint_symbol, kernels);
        match &self.0.kind {
            Kind::Cpu(_) => Ok(()),
            #[cfg(feature = "cuda")]
            Kind::Cuda(c) => c.load(ptx, fingerprint_symbol, kernels),
        }
    }

    /// Short name: `cpu`, `cuda`, `shuffled`, `team(n)`.
    pub fn name(&self) -> String {
        self.info().engine
    }

    /// What the engine is.
    pub fn info(&self) -> EngineInfo {
        match &self.0.kind {
            Kind::Cpu(c) => c.info(),
            #[cfg(feature = "cuda")]
            Kind::Cuda(c) => c.info(),
        }
    }

    /// Whether the engine is a GPU.
    pub fn is_cuda(&self) -> bool {
        !matches!(self.0.kind, Kind::Cpu(_))
    }

    /// How many rounds of edits are launched before the host looks what became of them. On a GPU a look costs as much
    /// as a round of a small mesh; a CPU's rounds cost as much as the seeds that they might have. The test engines are
    /// as patient as a GPU.
    pub(crate) fn rounds_a_look(&self) -> u32 {
        match &self.0.kind {
            Kind::Cpu(c) if c.is_for_tests() => 3,
            Kind::Cpu(_) => 1,
            #[cfg(feature = "cuda")]
            Kind::Cuda(_) => 4,
        }
    }

    /// How many seeds a round of edits may have so that several rounds are one launch: none on a CPU. The test engines
    /// have some rounds this way and some the other.
    pub(crate) fn seeds_together(&self) -> u32 {
        match &self.0.kind {
            Kind::Cpu(c) if c.is_for_tests() => 1 << 10,
            Kind::Cpu(_) => 0,
            #[cfg(feature = "cuda")]
            Kind::Cuda(_) => 1 << 14,
        }
    }

    /// Whether a block is one thread: some kernels go another way then, and want more work a block.
    pub(crate) fn blocks_are_alone(&self) -> bool {
        match &self.0.kind {
            Kind::Cpu(c) => !c.is_for_tests(),
            #[cfg(feature = "cuda")]
            Kind::Cuda(_) => false,
        }
    }

    /// How many blocks of 256 threads of a grid kernel are good for so many items, where each block takes a share of
    /// them: no more than run at a time ([`Engine::has_room_for_grid`]) if they are not too greedy for registers.
    pub(crate) fn grid_blocks(&self, items: u32) -> u32 {
        let at_a_time = 4 * self.info().units.max(1);
        items.div_ceil(256).clamp(1, at_a_time)
    }

    /// Whether a coefficient of a large system is computed anew each time, since its bytes cost more: so on a GPU, not
    /// on a CPU. The test engines do as a GPU does.
    pub(crate) fn computes_anew(&self) -> bool {
        match &self.0.kind {
            Kind::Cpu(c) => c.is_for_tests(),
            #[cfg(feature = "cuda")]
            Kind::Cuda(_) => true,
        }
    }

    /// A buffer of `n` zeroes.
    ///
    /// # Errors
    ///
    /// [`EngineError::OutOfMemory`].
    pub fn zeroed<T: bytemuck::Pod>(&self, n: usize) -> Result<Buffer<T>, EngineError> {
        Buffer::zeroed(self, n)
    }

    /// A buffer of `n` values that are whatever the memory held; for what kernels write in full before anyone reads it.
    pub(crate) fn uninit<T: bytemuck::Pod>(&self, n: usize) -> Result<Buffer<T>, EngineError> {
        Buffer::uninit(self, n)
    }

    /// A buffer with a copy of `data`.
    ///
    /// # Errors
    ///
    /// [`EngineError::OutOfMemory`].
    pub fn upload<T: bytemuck::Pod>(&self, data: &[T]) -> Result<Buffer<T>, EngineError> {
        let mut buffer = Buffer::uninit(self, data.len())?;
        buffer.write(data)?;
        Ok(buffer)
    }

    /// Launches a patch kernel: one block a patch. The caller, who is of this crate, keeps what
    /// [`RxMesh::run_patches`](crate::store::RxMesh::run_patches) asks for.
    ///
    /// # Errors
    ///
    /// [`EngineError::Needs`], arguments that are not live here, belong to another mesh or overlap, too much shared
    /// memory, or a launch that the driver refuses.
    pub(crate) fn launch_patches<K: PatchKernel + Entry>(
        &self,
        patches: &Patches,
        kernel: K,
    ) -> Result<(), EngineError> {
        let mut args = PatchArgs {
            mesh: patches.view,
            kernel,
        };
        patches.has_for(K::NAME, K::NEEDS)?;
        let _used = self.bind(K::NAME, &mut args, Some(patches.mesh))?;
        if patches.headers.is_empty() {
            return Ok(());
        }
        let (kernel, shared) = self.fit(K::NAME, patches, args.kernel)?;
        let (args, blocks) = (PatchArgs { kernel, ..args }, patches.headers.len() as u32);
        launching(K::NAME, "patches", blocks, shared);
        match &self.0.kind {
            Kind::Cpu(c) => {
                c.run_patches(args, blocks, shared);
                Ok(())
            }
            #[cfg(feature = "cuda")]
            Kind::Cuda(c) => c.run_patches(args, blocks, shared),
        }
    }

    /// Launches a patch kernel on some of the patches, which kernels before it have listed: `list` begins with their
    /// numbers, each once and in any order; the second word of `count` says how many there are.
    ///
    /// # Errors
    ///
    /// As [`Engine::run_blocks`].
    pub(crate) fn launch_listed<K: ListedEntry>(
        &self,
        patches: &Patches,
        list: Global<u32>,
        count: Global<u32>,
        kernel: K,
    ) -> Result<(), EngineError> {
        let mut args = ListedArgs {
            mesh: patches.view,
            list,
            count,
            kernel,
        };
        patches.has_for(K::NAME, K::NEEDS)?;
        let _used = self.bind(K::NAME, &mut args, Some(patches.mesh))?;
        if patches.headers.is_empty() {
            return Ok(());
        }
        let (kernel, shared) = self.fit(K::NAME, patches, args.kernel)?;
        let (args, most) = (ListedArgs { kernel, ..args }, patches.headers.len() as u32);
        launching(K::NAME, "patches at most", most, shared);
        match &self.0.kind {
            Kind::Cpu(c) => {
                c.run_listed(args, shared);
                Ok(())
            }
            #[cfg(feature = "cuda")]
            Kind::Cuda(c) => c.run_listed(args, most, shared),
        }
    }

    /// Checks the arguments of a launch, keeps what they name, and brings them to its addresses.
    fn bind(
        &self,
        name: &'static str,
        arguments: &mut dyn Bind,
        mesh: Option<u64>,
    ) -> Result<Used<'_>, EngineError> {
        let exclusive = !self.is_cuda();
        self.0.live.bind(name, arguments, mesh, exclusive)
    }

    /// Where the memory that an argument names lies, for tables of addresses that kernels read: nothing keeps or checks
    /// that memory when a kernel is launched on such a table.
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

    /// Refuses a kernel that needs more shared memory than there can be.
    fn has_shared(&self, kernel: &'static str, needed: u32) -> Result<(), EngineError> {
        let available = match &self.0.kind {
            Kind::Cpu(_) => MOST_SHARED,
            #[cfg(feature = "cuda")]
            Kind::Cuda(c) => c.shared_limit(),
        };
        if needed > available {
            return Err(EngineError::SharedMemory {
                kernel,
                needed,
                available,
            });
        }
        Ok(())
    }

    /// Has as many of the kernel's staged fields stay in global memory as the mesh's choice wants, or as it takes to
    /// fit the engine.
    fn fit<K: PatchKernel>(
        &self,
        name: &'static str,
        patches: &Patches,
        kernel: K,
    ) -> Result<(K, u32), EngineError> {
        let mut fitted = [kernel; 2];
        let [first, second] = &mut fitted;
        let (which, shared) = self.fit_one_of(name, patches, [first, second])?;
        Ok((fitted[which], shared))
    }

    /// [`Engine::fit`] of a kernel that is there twice, whichever kernel it is; says which of the two to launch.
    fn fit_one_of(
        &self,
        name: &'static str,
        patches: &Patches,
        [first, second]: [&mut dyn Stages; 2],
    ) -> Result<(usize, u32), EngineError> {
        let choice = patches.staging();
        let limit = self.shared_limit();
        let room = match choice {
            StagingChoice::Auto => limit.min(self.shared_of_two()),
            _ => limit,
        };
        let mut fitted = (0, patches.fit(name, first, &choice, room));
        if fitted.1 > room && room < limit {
            // Two blocks have no room whatever stays away.
            fitted = (1, patches.fit(name, second, &choice, limit));
        }
        self.has_shared(name, fitted.1)?;
        Ok(fitted)
    }

    /// Bytes of shared memory that a block can have when a multiprocessor shall run two of them.
    fn shared_of_two(&self) -> u32 {
        match &self.0.kind {
            Kind::Cpu(_) => u32::MAX,
            #[cfg(feature = "cuda")]
            Kind::Cuda(c) => c.shared_of_two(),
        }
    }

    /// Bytes of shared memory that a block can have.
    pub fn shared_limit(&self) -> u32 {
        let own = match &self.0.kind {
            Kind::Cpu(_) => u32::MAX,
            #[cfg(feature = "cuda")]
            Kind::Cuda(c) => c.shared_limit(),
        };
        own.min(self.0.shared_limit.load(Relaxed))
    }

    /// Has launches keep to this many bytes of shared memory a block where the kernel's fields can do with less: to see
    /// what a smaller GPU would do, or to leave more room for other blocks. `None` for the engine's own limit.
    pub fn set_shared_limit(&self, bytes: Option<u32>) {
        self.0
            .shared_limit
            .store(bytes.unwrap_or(u32::MAX), Relaxed);
    }

    /// Has one launch run the steps of grids of at most so many blocks: to see what a smaller GPU would do. `None` for
    /// the engine's own limit.
    pub fn set_grid_limit(&self, blocks: Option<u32>) {
        self.0.grid_limit.store(blocks.unwrap_or(u32::MAX), Relaxed);
    }

    /// Bytes of the buffers that are on the engine now, and the most that they were since it was made, or since
    /// [`Engine::forget_most_allocated`].
    pub fn allocated(&self) -> [u64; 2] {
        self.0.live.bytes()
    }

    /// Counts the most of [`Engine::allocated`] from what there is now.
    pub fn forget_most_allocated(&self) {
        self.0.live.forget_most();
    }

    /// Has all allocations after the next `n` fail, as if memory were used up, until it is called with `None`: for
    /// tests.
    #[doc(hidden)]
    pub fn set_allocations_left(&self, n: Option<u32>) {
        self.0.allocations.store(n.unwrap_or(u32::MAX), Relaxed);
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

    /// Launches `blocks` blocks of a block kernel.
    ///
    /// What the launch can check, it does (see the [module](self)). It cannot know the lengths and contents that a
    /// kernel needs: the kernel's documentation says them. On the host a wrong length panics, a GPU does not look.
    ///
    /// # Errors
    ///
    /// Arguments that are not live here, belong to different meshes or overlap, too much shared memory, or a launch
    /// that the driver refuses.
    ///
    /// # Safety
    ///
    /// The kernel's arguments are as its documentation asks: arrays are as long as its fields say, and what they hold
    /// is what the kernel takes it for (contracts U3 and U4 of docs/inside/unsafe.md). The launch checks the rest.
    pub unsafe fn run_blocks<K: BlockKernel + Entry>(
        &self,
        blocks: u32,
        kernel: K,
    ) -> Result<(), EngineError> {
        self.launch_blocks(blocks, kernel)
    }

    /// [`Engine::run_blocks`], for this crate, which keeps what that asks for.
    pub(crate) fn launch_blocks<K: BlockKernel + Entry>(
        &self,
        blocks: u32,
        kernel: K,
    ) -> Result<(), EngineError> {
        let mut kernel = kernel;
        let _used = self.bind(K::NAME, &mut kernel, None)?;
        if blocks == 0 {
            return Ok(());
        }
        let shared = measure(&mut |plan| {
            let mut kernel = kernel;
            kernel.carve(plan);
        });
        self.has_shared(K::NAME, shared)?;
        launching(K::NAME, "blocks", blocks, shared);
        match &self.0.kind {
            Kind::Cpu(c) => {
                c.run_blocks(blocks, shared, kernel);
                Ok(())
            }
            #[cfg(feature = "cuda")]
            Kind::Cuda(c) => c.run_blocks(blocks, shared, kernel),
        }
    }

    /// Launches steps of a grid kernel. One launch runs all steps on a GPU that has room for all blocks at a
    /// time ([`Engine::has_room_for_grid`]), else each step is a launch.
    ///
    /// What the launch can check, it does (see the [module](self)). It cannot know the lengths and contents that a
    /// kernel needs: the kernel's documentation says them. On the host a wrong length panics, a GPU does not look.
    ///
    /// # Errors
    ///
    /// Arguments that are not live here, belong to different meshes or overlap, too much shared memory, or a launch
    /// that the driver refuses.
    ///
    /// # Safety
    ///
    /// The kernel's arguments are as its documentation asks: arrays are as long as its fields say, and what they hold
    /// is what the kernel takes it for (contracts U3 and U4 of docs/inside/unsafe.md). The launch checks the rest.
    pub unsafe fn run_grid<K: GridKernel + Entry>(
        &self,
        blocks: u32,
        steps: Range<u32>,
        kernel: K,
    ) -> Result<(), EngineError> {
        self.launch_grid(blocks, steps, kernel)
    }

    /// [`Engine::run_grid`], for this crate, which keeps what that asks for.
    pub(crate) fn launch_grid<K: GridKernel + Entry>(
        &self,
        blocks: u32,
        steps: Range<u32>,
        kernel: K,
    ) -> Result<(), EngineError> {
        let mut kernel = kernel;
        let _used = self.bind(K::NAME, &mut kernel, None)?;
        if blocks == 0 || steps.is_empty() {
            return Ok(());
        }
        let shared = shared_of_grid(kernel);
        self.has_shared(K::NAME, shared)?;
        launching(K::NAME, "blocks", blocks, shared);
        match &self.0.kind {
            Kind::Cpu(c) => {
                c.run_grid(blocks, shared, steps, kernel);
                Ok(())
            }
            #[cfg(feature = "cuda")]
            Kind::Cuda(c) => {
                let in_one = steps.len() > 1 && self.has_room_for_grid(blocks, &kernel)?;
                c.run_grid(blocks, shared, steps, in_one, kernel)
            }
        }
    }

    /// Whether one launch runs all steps of a grid kernel with so many blocks. Always on a CPU, which stops after the
    /// step that says so.
    ///
    /// # Errors
    ///
    /// What the driver says.
    pub fn has_room_for_grid<K: GridKernel + Entry>(
        &self,
        blocks: u32,
        kernel: &K,
    ) -> Result<bool, EngineError> {
        if blocks > self.0.grid_limit.load(Relaxed) {
            return Ok(false);
        }
        match &self.0.kind {
            Kind::Cpu(_) => {
                let _ = kernel;
                Ok(true)
            }
            #[cfg(feature = "cuda")]
            Kind::Cuda(c) => c.has_room_for_grid::<K>(blocks, shared_of_grid(*kernel)),
        }
    }

    /// Launches a flat kernel for the indices `0..n`.
    ///
    /// What the launch can check, it does (see the [module](self)). It cannot know the lengths and contents that a
    /// kernel needs: the kernel's documentation says them. On the host a wrong length panics, a GPU does not look.
    ///
    /// # Errors
    ///
    /// Arguments that are not live here, belong to different meshes or overlap, too much shared memory, or a launch
    /// that the driver refuses.
    ///
    /// # Safety
    ///
    /// The kernel's arguments are as its documentation asks: arrays are as long as its fields say for `n` indices, and
    /// what they hold is what the kernel takes it for (contracts U3 and U4 of docs/inside/unsafe.md). The launch checks
    /// the rest.
    ///
    /// ```compile_fail,E0133
    /// # use rxmesh_host::engine::Engine;
    /// use rxmesh_host::kernels::parallel::scan::ScanAdd;
    /// let engine = Engine::cpu();
    /// let (data, starts) = (engine.zeroed::<u32>(4)?, engine.zeroed::<u32>(1)?);
    /// let (data, starts) = (data.global_mut(), starts.global_mut());
    /// // Four words, and four thousand indices.
    /// engine.run_flat(4096, ScanAdd { data, starts })?;
    /// # Ok::<(), rxmesh_host::engine::EngineError>(())
    /// ```
    pub unsafe fn run_flat<K: FlatKernel + Entry>(
        &self,
        n: u32,
        kernel: K,
    ) -> Result<(), EngineError> {
        self.launch_flat(n, kernel)
    }

    /// [`Engine::run_flat`], for this crate, which keeps what that asks for.
    pub(crate) fn launch_flat<K: FlatKernel + Entry>(
        &self,
        n: u32,
        kernel: K,
    ) -> Result<(), EngineError> {
        let mut kernel = kernel;
        let _used = self.bind(K::NAME, &mut kernel, None)?;
        if n == 0 {
            return Ok(());
        }
        launching(K::NAME, "indices", n, 0);
        match &self.0.kind {
            Kind::Cpu(c) => {
                c.run_flat(n, kernel);
                Ok(())
            }
            #[cfg(feature = "cuda")]
            Kind::Cuda(c) => c.run_flat(n, kernel),
        }
    }

    /// Has every patch kernel run with this many threads a block on a GPU, in place of its own number (or more where
    /// there are few patches), to measure which is best; `None` for its own again. Rounded up to whole warps. Nothing
    /// on the other engines.
    pub fn set_block_threads(&self, threads: Option<u32>) {
        let threads = threads.map_or(0, |n| n.clamp(1, 1024));
        match &self.0.kind {
            Kind::Cpu(_) => {
                let _ = threads;
            }
            #[cfg(feature = "cuda")]
            Kind::Cuda(c) => c.set_block_threads(threads),
        }
    }

    /// Waits for all launches and reports the first fault that a kernel raised.
    ///
    /// # Errors
    ///
    /// [`EngineError::Fault`], or what the driver says.
    pub fn synchronize(&self) -> Result<(), EngineError> {
        match &self.0.kind {
            Kind::Cpu(c) => c.take_fault(),
            #[cfg(feature = "cuda")]
            Kind::Cuda(c) => c.take_fault(),
        }
    }

    /// Milliseconds that the launches in `work` take on the engine: device events on a GPU, the clock on a CPU.
    ///
    /// # Errors
    ///
    /// What `work` returns, or what the driver says.
    pub fn time(&self, work: impl FnOnce() -> Result<(), EngineError>) -> Result<f64, EngineError> {
        match &self.0.kind {
            Kind::Cpu(_) => {
                let start = Instant::now();
                work()?;
                Ok(start.elapsed().as_secs_f64() * 1e3)
            }
            #[cfg(feature = "cuda")]
            Kind::Cuda(c) => c.time(work),
        }
    }

    /// Where kernels of this engine report faults.
    pub(crate) fn fault(&self) -> Fault {
        match &self.0.kind {
            Kind::Cpu(c) => c.fault(),
            #[cfg(feature = "cuda")]
            Kind::Cuda(c) => c.fault(),
        }
    }
}

/// Shared memory of a block of the CPU engines, in bytes: a sanity limit, below all that 32 bits could count wrongly.
const MOST_SHARED: u32 = 1 << 30;

/// A fault record over an engine's four words.
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

/// The patches of a mesh on an engine, as launches need them.
pub struct Patches {
    pub(crate) view: MeshView,
    pub(crate) headers: Arc<[PatchHeader]>,
    mesh: u64,
    /// Parts that the mesh keeps.
    has: Needs,
    /// By kernel, [`PatchKernel::plan_key`] and what is staged.
    plans: Mutex<HashMap<(TypeId, u64, u64), u32>>,
    staging: Mutex<StagingChoice>,
}

impl Patches {
    pub(crate) fn new(
        view: MeshView,
        headers: Arc<[PatchHeader]>,
        mesh: u64,
        has: Needs,
    ) -> Patches {
        Patches {
            view,
            headers,
            mesh,
            has,
            plans: Mutex::default(),
            staging: Mutex::default(),
        }
    }

    /// Refuses a kernel or relation that needs parts which the mesh does not keep.
    pub(crate) fn has_for(&self, what: &'static str, needs: Needs) -> Result<(), EngineError> {
        let missing = needs.without(self.has);
        if missing == Needs::NONE {
            return Ok(());
        }
        Err(EngineError::Needs {
            what,
            missing: missing.to_string(),
        })
    }

    /// Parts that the mesh keeps.
    pub(crate) fn has(&self) -> Needs {
        self.has
    }

    /// The most shared memory that any patch needs for a kernel as it is, by the kernel's own plan.
    pub fn shared_bytes<K: PatchKernel>(&self, kernel: &K) -> u32 {
        let mut kernel = *kernel;
        self.shared_bytes_of(&Fitting::new(&mut kernel, &StagingChoice::All))
    }

    fn shared_bytes_of(&self, fitting: &Fitting<'_>) -> u32 {
        let (kernel, plan) = fitting.kernel.key();
        let mut plans = self.plans.lock().unwrap_or_else(PoisonError::into_inner);
        *plans
            .entry((kernel, plan, fitting.staged()))
            .or_insert_with(|| {
                let each = self.headers.iter().map(|h| fitting.kernel.measure(h));
                each.max().unwrap_or(0)
            })
    }

    /// Has as many fields of the kernel staged as `room` has room for, and says how much shared memory it needs then.
    fn fit(&self, name: &str, kernel: &mut dyn Stages, choice: &StagingChoice, room: u32) -> u32 {
        let mut fitting = Fitting::new(kernel, choice);
        let most = self.shared_bytes_of(&fitting);
        let mut shared = most;
        while shared > room {
            let Some(field) = fitting.give_up() else {
                break;
            };
            shared = self.shared_bytes_of(&fitting);
            tracing::info!(
                "{name}: {most} bytes of shared memory are more than {room}; field `{field}` stays in global memory, \
                    which leaves {shared}"
            );
        }
        shared
    }

    /// Which fields are staged.
    pub(crate) fn staging(&self) -> StagingChoice {
        let choice = self.staging.lock().unwrap_or_else(PoisonError::into_inner);
        choice.clone()
    }

    pub(crate) fn set_staging(&self, choice: StagingChoice) {
        *self.staging.lock().unwrap_or_else(PoisonError::into_inner) = choice;
    }
}

/// Says in the trace what is about to run.
fn launching(kernel: &str, what: &str, n: u32, shared: u32) {
    tracing::trace!("{kernel}: {n} {what}, {shared} bytes of shared memory");
}

fn shared_of_grid<K: GridKernel>(mut kernel: K) -> u32 {
    measure(&mut |plan| {
        kernel.carve(plan);
    })
}

fn measure(carve: &mut dyn FnMut(&mut Plan)) -> u32 {
    // SAFETY: `carve` only takes pieces, as its contract says (contract U2 of docs/inside/unsafe.md).
    let mut plan = unsafe { Plan::measure() };
    carve(&mut plan);
    plan.peak()
}
