//! Bodies of the PTX entries.

use super::{
    BlockArgs, BlockKernel, FlatArgs, FlatKernel, GridArgs, GridKernel, ListedArgs, Next,
    PatchArgs, PatchKernel,
};
use crate::exec::{Block, Cuda};
use crate::mem::{Bind, Fault, FaultCode, Plan};
use crate::topo::Patch;
use cuda_std::{shared, thread};

/// Returns `true` if the launch gave enough shared memory for the plan; reports a fault if not.
#[inline(always)]
fn fits(plan: &Plan, fault: Fault, block: u32) -> bool {
    if plan.peak() <= shared::dynamic_shared_size() {
        return true;
    }
    if thread::thread_idx_x() == 0 {
        fault.raise(FaultCode::SharedMemory, block, plan.peak());
    }
    false
}

/// Runs a patch kernel's block.
///
/// # Safety
///
/// Called from a PTX entry that the host launched with the kernel's parameters (contracts U2, U4).
#[inline(always)]
pub unsafe fn run_patch<K: PatchKernel>(mut args: PatchArgs<K>) {
    args.mesh.bind();
    args.kernel.bind();
    // SAFETY: the host bound the mesh that it launches a block per patch for (contract U4).
    let patch = unsafe { Patch::new(args.mesh, thread::block_idx_x()) };
    // SAFETY: the block's dynamic shared memory; `fits` checks its size before anything is accessed.
    let mut plan = unsafe { Plan::carve(shared::dynamic_shared_mem::<u8>()) };
    let tables = args.kernel.carve(patch.header(), &mut plan);
    if fits(&plan, patch.fault(), patch.id()) {
        args.kernel.run(Cuda, &patch, &tables);
    }
}

/// Runs a patch kernel's block on listed patches, one after the other: the host does not know their number.
///
/// # Safety
///
/// As [`run_patch`]; the list names patches of the mesh, each once.
#[inline(always)]
pub unsafe fn run_listed<K: PatchKernel>(args: ListedArgs<K>) {
    args.mesh.bind();
    args.list.bind();
    args.count.bind();
    args.kernel.bind();
    // Word 1, because the device compiler takes the very address of an argument for one that could be anywhere.
    let count = args.count.get(1);
    let mut i = thread::block_idx_x();
    while i < count {
        // SAFETY: the host bound the mesh, whose patches are listed (contract U4).
        let patch = unsafe { Patch::new(args.mesh, args.list.get(i)) };
        // SAFETY: as in `run_patch`.
        let mut plan = unsafe { Plan::carve(shared::dynamic_shared_mem::<u8>()) };
        let mut kernel = args.kernel;
        let tables = kernel.carve(patch.header(), &mut plan);
        if !fits(&plan, patch.fault(), patch.id()) {
            return;
        }
        kernel.run(Cuda, &patch, &tables);
        // The next patch has the same shared memory.
        Cuda.phase(|_| ());
        i += thread::grid_dim_x();
    }
}

/// Runs a block kernel's block.
///
/// # Safety
///
/// As [`run_patch`].
#[inline(always)]
pub unsafe fn run_block<K: BlockKernel>(mut args: BlockArgs<K>) {
    args.fault.bind();
    args.kernel.bind();
    let block = thread::block_idx_x();
    // SAFETY: as in `run_patch`.
    let mut plan = unsafe { Plan::carve(shared::dynamic_shared_mem::<u8>()) };
    let tables = args.kernel.carve(&mut plan);
    if fits(&plan, args.fault, block) {
        args.kernel.run(Cuda, block, &tables);
    }
}

/// Runs a grid kernel's block through its steps, with a barrier of all blocks between them, or of this one alone.
///
/// # Safety
///
/// As [`run_patch`]; a launch of more than one step is a cooperative one.
#[inline(always)]
pub unsafe fn run_grid<K: GridKernel>(mut args: GridArgs<K>) {
    args.fault.bind();
    args.arrived.bind();
    args.kernel.bind();
    let block = thread::block_idx_x();
    // SAFETY: as in `run_patch`.
    let mut plan = unsafe { Plan::carve(shared::dynamic_shared_mem::<u8>()) };
    let tables = args.kernel.carve(&mut plan);
    // All blocks have the same plan: none waits for one that left here.
    if !fits(&plan, args.fault, block) {
        return;
    }
    args.kernel.load(Cuda, block, &tables);
    let mut step = args.first;
    loop {
        let next = args.kernel.step(Cuda, block, step, &tables);
        step += 1;
        if next == Next::End || step == args.end {
            return;
        }
        if next == Next::Alone {
            Cuda.each(0, |_| {});
        } else {
            Cuda.wait_for_grid(args.arrived);
        }
    }
}

/// Runs a flat kernel's thread.
///
/// # Safety
///
/// As [`run_patch`].
#[inline(always)]
pub unsafe fn run_flat<K: FlatKernel>(args: FlatArgs<K>) {
    args.kernel.bind();
    let i = thread::block_idx_x() * thread::block_dim_x() + thread::thread_idx_x();
    if i < args.n {
        args.kernel.run(i);
    }
}
