//! Launches: of patches, listed patches, blocks, grids and flat kernels.

use super::check::Used;
use super::staging::Stages;
use super::{Engine, EngineError, EngineInfo, EngineKind, Patches, Ptx, StagingChoice, on_backend};
use rxmesh_kernels::kernel::{
    BlockKernel, Entry, FlatKernel, GridKernel, KernelInfo, ListedArgs, ListedEntry, PatchArgs,
    PatchKernel,
};
use rxmesh_kernels::mem::{Bind, Global, Plan};
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;

/// Runner of kernels, one for each kind of engine. Arguments that it gets are checked and bound, and shared memory
/// fits.
pub(super) trait Launcher {
    /// Returns the kind of the engine.
    fn kind(&self) -> EngineKind;

    /// Returns the description of the engine.
    fn info(&self) -> EngineInfo;

    /// Runs a kernel on all patches of a mesh, in blocks of at least `threads` threads where blocks have several.
    fn run_patches<K: PatchKernel + Entry>(
        &self,
        args: PatchArgs<K>,
        patches: u32,
        shared: u32,
        threads: u32,
    ) -> Result<(), EngineError>;

    /// Runs a kernel on listed patches, `most` of them at most.
    fn run_listed<K: ListedEntry>(
        &self,
        args: ListedArgs<K>,
        most: u32,
        shared: u32,
    ) -> Result<(), EngineError>;

    /// Runs a block kernel.
    fn run_blocks<K: BlockKernel + Entry>(
        &self,
        blocks: u32,
        shared: u32,
        kernel: K,
    ) -> Result<(), EngineError>;

    /// Runs steps of a grid kernel; in one launch if `in_one` allows it, where that makes a difference.
    fn run_grid<K: GridKernel + Entry>(
        &self,
        blocks: u32,
        shared: u32,
        steps: Range<u32>,
        in_one: bool,
        kernel: K,
    ) -> Result<(), EngineError>;

    /// Returns `true` if one launch can run all steps of a grid kernel with that many blocks.
    fn has_room_for_grid<K: GridKernel + Entry>(
        &self,
        blocks: u32,
        shared: u32,
    ) -> Result<bool, EngineError>;

    /// Runs a flat kernel for the indices `0..n`.
    fn run_flat<K: FlatKernel + Entry>(&self, n: u32, kernel: K) -> Result<(), EngineError>;

    /// Returns the milliseconds that the launches in `work` take.
    fn time(&self, work: impl FnOnce() -> Result<(), EngineError>) -> Result<f64, EngineError>;

    /// Adds a module of kernels, where kernels are not ordinary functions.
    fn load(&self, ptx: Ptx<'_>, symbol: &str, kernels: &[KernelInfo]) -> Result<(), EngineError> {
        let _ = (ptx, symbol, kernels);
        Ok(())
    }

    /// Sets the threads of every patch kernel's block, where blocks have several; 0 for its own number.
    fn set_block_threads(&self, threads: u32) {
        let _ = threads;
    }

    /// Returns the patches of the current launch that are done, and all of them, where that is known.
    fn patches_done(&self) -> Option<(u32, u32)> {
        None
    }
}

impl Engine {
    /// Launches a patch kernel: one block per patch, of at least `threads` threads where blocks have several. The
    /// caller, which is in this crate, meets the requirements of
    /// [`RxMesh::run_patches`](crate::store::RxMesh::run_patches).
    ///
    /// # Errors
    ///
    /// [`EngineError::Needs`], arguments that are not live here, belong to another mesh or overlap, too much shared
    /// memory, or a launch that the driver refuses.
    pub(crate) fn launch_patches<K: PatchKernel + Entry>(
        &self,
        patches: &Patches,
        kernel: K,
        threads: u32,
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
        on_backend!(self, b => b.run_patches(args, blocks, shared, threads))
    }

    /// Launches a patch kernel on some of the patches, which kernels before it have listed: `list` begins with their
    /// numbers, each once and in any order; the second word of `count` is their number.
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
        on_backend!(self, b => b.run_listed(args, most, shared))
    }

    /// Checks the arguments of a launch, keeps the buffers that they name alive, and sets their addresses.
    fn bind(
        &self,
        name: &'static str,
        arguments: &mut dyn Bind,
        mesh: Option<u64>,
    ) -> Result<Used<'_>, EngineError> {
        let exclusive = !self.0.policy.ordered;
        self.0.live.bind(name, arguments, mesh, exclusive)
    }

    /// Refuses a kernel that needs more shared memory than there can be.
    fn has_shared(&self, kernel: &'static str, needed: u32) -> Result<(), EngineError> {
        let available = self.0.policy.most_shared;
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

    /// [`Engine::fit`] for any kernel with two forms; returns the form to launch.
    fn fit_one_of(
        &self,
        name: &'static str,
        patches: &Patches,
        [first, second]: [&mut dyn Stages; 2],
    ) -> Result<(usize, u32), EngineError> {
        let choice = patches.staging();
        let limit = self.shared_limit();
        let policy = &self.0.policy;
        let (room, most_read) = match choice {
            StagingChoice::Auto => (limit.min(policy.shared_of_two), policy.most_staged),
            _ => (limit, u32::MAX),
        };
        let mut fitted = (0, patches.fit(name, first, &choice, [room, most_read]));
        if fitted.1 > room && room < limit {
            // Two blocks do not fit even without any staged field.
            fitted = (1, patches.fit(name, second, &choice, [limit, most_read]));
        }
        self.has_shared(name, fitted.1)?;
        Ok(fitted)
    }

    /// Launches `blocks` blocks of a block kernel.
    ///
    /// The launch checks all that it can (see the [module](crate::engine)). It cannot know the lengths and contents
    /// that a kernel needs: the kernel's documentation gives them. On the host a wrong length panics, a GPU does not
    /// check.
    ///
    /// # Errors
    ///
    /// Arguments that are not live here, belong to different meshes or overlap, too much shared memory, or a launch
    /// that the driver refuses.
    ///
    /// # Safety
    ///
    /// The kernel's arguments are as its documentation requires: arrays are as long as its fields say, and what they
    /// hold is what the kernel takes it for (contracts U3 and U4 of docs/inside/unsafe.md). The launch checks the rest.
    pub unsafe fn run_blocks<K: BlockKernel + Entry>(
        &self,
        blocks: u32,
        kernel: K,
    ) -> Result<(), EngineError> {
        self.launch_blocks(blocks, kernel)
    }

    /// [`Engine::run_blocks`], for this crate, which keeps what that requires.
    pub(crate) fn launch_blocks<K: BlockKernel + Entry>(
        &self,
        blocks: u32,
        kernel: K,
    ) -> Result<(), EngineError> {
        self.launch_blocks_of(None, blocks, kernel)
    }

    /// [`Engine::launch_blocks`] on attributes of a mesh, if one is given.
    pub(crate) fn launch_blocks_of<K: BlockKernel + Entry>(
        &self,
        mesh: Option<u64>,
        blocks: u32,
        kernel: K,
    ) -> Result<(), EngineError> {
        let mut kernel = kernel;
        let _used = self.bind(K::NAME, &mut kernel, mesh)?;
        if blocks == 0 {
            return Ok(());
        }
        let shared = measure(&mut |plan| {
            let mut kernel = kernel;
            kernel.carve(plan);
        });
        self.has_shared(K::NAME, shared)?;
        launching(K::NAME, "blocks", blocks, shared);
        on_backend!(self, b => b.run_blocks(blocks, shared, kernel))
    }

    /// Launches steps of a grid kernel. One launch runs all steps on a GPU that holds all blocks at a time
    /// ([`Engine::has_room_for_grid`]), else each step is a launch.
    ///
    /// The launch checks all that it can (see the [module](crate::engine)). It cannot know the lengths and contents
    /// that a kernel needs: the kernel's documentation gives them. On the host a wrong length panics, a GPU does not
    /// check.
    ///
    /// # Errors
    ///
    /// Arguments that are not live here, belong to different meshes or overlap, too much shared memory, or a launch
    /// that the driver refuses.
    ///
    /// # Safety
    ///
    /// The kernel's arguments are as its documentation requires: arrays are as long as its fields say, and what they
    /// hold is what the kernel takes it for (contracts U3 and U4 of docs/inside/unsafe.md). The launch checks the rest.
    pub unsafe fn run_grid<K: GridKernel + Entry>(
        &self,
        blocks: u32,
        steps: Range<u32>,
        kernel: K,
    ) -> Result<(), EngineError> {
        self.launch_grid(blocks, steps, kernel)
    }

    /// [`Engine::run_grid`], for this crate, which keeps what that requires.
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
        let in_one = steps.len() > 1 && self.has_room_of::<K>(blocks, shared)?;
        on_backend!(self, b => b.run_grid(blocks, shared, steps, in_one, kernel))
    }

    /// Returns `true` if one launch runs all steps of a grid kernel with this number of blocks. A CPU always does, and
    /// stops after the step that requests it.
    ///
    /// # Errors
    ///
    /// Errors of the driver.
    pub fn has_room_for_grid<K: GridKernel + Entry>(
        &self,
        blocks: u32,
        kernel: &K,
    ) -> Result<bool, EngineError> {
        self.has_room_of::<K>(blocks, shared_of_grid(*kernel))
    }

    /// [`Engine::has_room_for_grid`] of a kernel whose blocks have that much shared memory.
    fn has_room_of<K: GridKernel + Entry>(
        &self,
        blocks: u32,
        shared: u32,
    ) -> Result<bool, EngineError> {
        if blocks > self.0.grid_limit.load(Relaxed) {
            return Ok(false);
        }
        on_backend!(self, b => b.has_room_for_grid::<K>(blocks, shared))
    }

    /// Launches a flat kernel for the indices `0..n`.
    ///
    /// The launch checks all that it can (see the [module](crate::engine)). It cannot know the lengths and contents
    /// that a kernel needs: the kernel's documentation gives them. On the host a wrong length panics, a GPU does not
    /// check.
    ///
    /// # Errors
    ///
    /// Arguments that are not live here, belong to different meshes or overlap, too much shared memory, or a launch
    /// that the driver refuses.
    ///
    /// # Safety
    ///
    /// The kernel's arguments are as its documentation requires: arrays are as long as its fields say for `n` indices,
    /// and what they hold is what the kernel takes it for (contracts U3 and U4 of docs/inside/unsafe.md). The launch
    /// checks the rest.
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

    /// [`Engine::run_flat`], for this crate, which keeps what that requires.
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
        on_backend!(self, b => b.run_flat(n, kernel))
    }

    /// Runs every patch kernel with this many threads per block on a GPU, in place of the kernel's number (or more if
    /// there are few patches), to measure which is best; `None` for the kernel's number. Rounded up to whole warps. No
    /// effect on the other engines.
    pub fn set_block_threads(&self, threads: Option<u32>) {
        let threads = threads.map_or(0, |n| n.clamp(1, 1024));
        on_backend!(self, b => b.set_block_threads(threads));
    }
}

/// Traces the launch that is about to run.
fn launching(kernel: &str, what: &str, n: u32, shared: u32) {
    tracing::trace!("{kernel}: {n} {what}, {shared} bytes of shared memory");
}

fn shared_of_grid<K: GridKernel>(mut kernel: K) -> u32 {
    measure(&mut |plan| {
        kernel.carve(plan);
    })
}

pub(super) fn measure(carve: &mut dyn FnMut(&mut Plan)) -> u32 {
    // SAFETY: `carve` only takes pieces, as its contract says (contract U2 of docs/inside/unsafe.md).
    let mut plan = unsafe { Plan::measure() };
    carve(&mut plan);
    plan.peak()
}
