//! Launches.

use super::CudaEngine;
use super::driver;
use super::modules::Function;
use crate::engine::launch::Launcher;
use crate::engine::memory::Memory as _;
use crate::engine::{EngineError, EngineInfo, EngineKind, Ptx};
use rxmesh_kernels::kernel::{
    BlockArgs, BlockKernel, Entry, FlatArgs, FlatKernel, GridArgs, GridKernel, KernelInfo,
    ListedArgs, ListedEntry, PatchArgs, PatchKernel,
};
use rxmesh_kernels::mem::GlobalMut;
use std::ffi::c_void;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// Most blocks a multiprocessor of a kernel that runs on listed patches.
const LISTED_BLOCKS: u32 = 4;

/// Most threads of a patch unless a kernel requires more: about the number of a patch's faces.
const WIDEST: u32 = 512;

impl Function {
    /// Returns the threads of a patch kernel's block: the kernel's number, or more if there are too few patches to
    /// occupy the multiprocessors. Whole warps.
    fn width(&self, [own, enough]: [u32; 2], blocks: u32, units: u32) -> u32 {
        let each = enough / blocks.div_ceil(units.max(1)).max(1);
        let most = each.min(WIDEST).min(self.threads) / 32 * 32;
        whole_warps(own).max(most)
    }
}

/// Width of the blocks of a launch.
#[derive(Clone, Copy)]
enum Width {
    /// This number of threads.
    Threads(u32),
    /// A patch kernel's own number, and what is enough for a multiprocessor ([`Function::width`]).
    OfPatches([u32; 2]),
}

impl Width {
    fn of<K: PatchKernel>() -> Width {
        Width::OfPatches([K::THREADS, K::ENOUGH_THREADS])
    }
}

impl CudaEngine {
    fn launch<A: Copy>(
        &self,
        entry: (&'static str, Option<u32>),
        blocks: u32,
        width: Width,
        shared: u32,
        args: A,
    ) -> Result<(), EngineError> {
        // SAFETY: the entry takes one parameter of type `A`: the fingerprint checks its layout.
        unsafe { self.launch_with(entry, blocks, width, shared, arguments(&args)) }
    }

    /// [`CudaEngine::launch`] of whichever kernel it is: compiled once, and not for each.
    ///
    /// # Safety
    ///
    /// `args` points to what the entry takes.
    unsafe fn launch_with(
        &self,
        (name, registers): (&'static str, Option<u32>),
        blocks: u32,
        width: Width,
        shared: u32,
        args: *mut c_void,
    ) -> Result<(), EngineError> {
        self.enter()?;
        let function = self.function(name, registers, shared)?;
        let threads = match width {
            Width::Threads(n) => whole_warps(n),
            Width::OfPatches(width) => match self.threads.load(Relaxed) {
                0 => function.width(width, blocks, self.info.units),
                n => whole_warps(n),
            },
        };
        let shape = [blocks, threads, shared];
        // SAFETY: the parameter is the entry's (the caller's), the addresses in it were checked to be live, and the
        // shared memory is what the kernel's plan measures (contracts U2, U4). A function that overlaps waits by itself
        // (`Modules::compile`).
        unsafe {
            if function.overlaps {
                driver::launch_early(function.handle, shape, &self.stream, args)
            } else {
                driver::launch(function.handle, shape, &self.stream, args)
            }
        }
    }
}

impl Launcher for CudaEngine {
    fn kind(&self) -> EngineKind {
        EngineKind::Cuda
    }

    fn info(&self) -> EngineInfo {
        self.info.clone()
    }

    fn run_patches<K: PatchKernel + Entry>(
        &self,
        args: PatchArgs<K>,
        blocks: u32,
        shared: u32,
        threads: u32,
    ) -> Result<(), EngineError> {
        let width = Width::OfPatches([threads, K::ENOUGH_THREADS]);
        self.launch((K::NAME, None), blocks, width, shared, args)
    }

    /// Runs a kernel on listed patches, at most all of the mesh. The grid has the number of blocks that run at a time,
    /// and each block takes one patch after the other.
    fn run_listed<K: ListedEntry>(
        &self,
        args: ListedArgs<K>,
        most: u32,
        shared: u32,
    ) -> Result<(), EngineError> {
        let blocks = most.min(self.info.units * LISTED_BLOCKS);
        self.launch((K::NAME, None), blocks, Width::of::<K>(), shared, args)
    }

    fn run_blocks<K: BlockKernel + Entry>(
        &self,
        blocks: u32,
        shared: u32,
        kernel: K,
    ) -> Result<(), EngineError> {
        let args = BlockArgs {
            fault: self.fault(),
            kernel,
        };
        self.launch(
            (K::NAME, K::REGISTERS),
            blocks,
            Width::Threads(K::THREADS),
            shared,
            args,
        )
    }

    /// Runs the steps in one launch if the GPU holds all blocks at a time, else each in a separate launch.
    fn run_grid<K: GridKernel + Entry>(
        &self,
        blocks: u32,
        shared: u32,
        steps: Range<u32>,
        in_one: bool,
        kernel: K,
    ) -> Result<(), EngineError> {
        let args = |steps: Range<u32>| GridArgs {
            fault: self.fault(),
            // SAFETY: allocated and zeroed in `new`, lives as long as the engine; 0 only where nothing waits.
            arrived: unsafe { GlobalMut::new(self.arrived as *mut u32, 2) },
            first: steps.start,
            end: steps.end,
            kernel,
        };
        let threads = whole_warps(K::THREADS);
        let each_by_itself = |steps: Range<u32>| {
            steps.into_iter().try_for_each(|step| {
                let args = args(step..step + 1);
                self.launch(
                    (K::NAME, None),
                    blocks,
                    Width::Threads(threads),
                    shared,
                    args,
                )
            })
        };
        if !in_one {
            return each_by_itself(steps);
        }
        let function = self.function(K::NAME, None, shared)?;
        let all = args(steps.clone());
        let shape = [blocks, threads, shared];
        // SAFETY: as in `launch`.
        let begun = unsafe {
            driver::launch_cooperative(function.handle, shape, &self.stream, arguments(&all))?
        };
        if begun { Ok(()) } else { each_by_itself(steps) }
    }

    /// Returns `true` if that many blocks of a grid kernel run at a time.
    fn has_room_for_grid<K: GridKernel + Entry>(
        &self,
        blocks: u32,
        shared: u32,
    ) -> Result<bool, EngineError> {
        if self.arrived == 0 || shared > self.shared_limit {
            return Ok(false);
        }
        self.enter()?;
        let function = self.function(K::NAME, None, shared)?;
        let of_one = driver::blocks_of_one(function.handle, whole_warps(K::THREADS), shared)?;
        Ok(u64::from(blocks) <= u64::from(self.info.units) * u64::from(of_one))
    }

    fn run_flat<K: FlatKernel + Entry>(&self, n: u32, kernel: K) -> Result<(), EngineError> {
        let threads = whole_warps(K::THREADS);
        self.launch(
            (K::NAME, None),
            n.div_ceil(threads),
            Width::Threads(threads),
            0,
            FlatArgs { n, kernel },
        )
    }

    fn time(&self, work: impl FnOnce() -> Result<(), EngineError>) -> Result<f64, EngineError> {
        self.enter()?;
        driver::time(&self.stream, work)
    }

    fn load(&self, ptx: Ptx<'_>, symbol: &str, kernels: &[KernelInfo]) -> Result<(), EngineError> {
        self.load_library(ptx, symbol, kernels)
    }

    fn set_block_threads(&self, threads: u32) {
        self.threads.store(threads, Relaxed);
    }
}

/// Returns the address of the arguments of a launch.
fn arguments<A>(args: &A) -> *mut c_void {
    (args as *const A).cast_mut().cast()
}

/// Rounds a number of threads up to whole warps, which collectives need.
const fn whole_warps(threads: u32) -> u32 {
    threads.next_multiple_of(32)
}
