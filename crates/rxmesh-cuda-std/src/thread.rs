//! Threads, blocks, the grid; barriers, fences and sleep.

pub use crate::warp::lane_id;

use core::arch::asm;

/// Special registers, which hold one value for a thread throughout a launch.
mod sreg {
    unsafe extern "C" {
        #[link_name = "llvm.nvvm.read.ptx.sreg.tid.x"]
        pub(super) safe fn tid_x() -> i32;
        #[link_name = "llvm.nvvm.read.ptx.sreg.tid.y"]
        pub(super) safe fn tid_y() -> i32;
        #[link_name = "llvm.nvvm.read.ptx.sreg.tid.z"]
        pub(super) safe fn tid_z() -> i32;
        #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.x"]
        pub(super) safe fn ntid_x() -> i32;
        #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.y"]
        pub(super) safe fn ntid_y() -> i32;
        #[link_name = "llvm.nvvm.read.ptx.sreg.ntid.z"]
        pub(super) safe fn ntid_z() -> i32;
        #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.x"]
        pub(super) safe fn ctaid_x() -> i32;
        #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.y"]
        pub(super) safe fn ctaid_y() -> i32;
        #[link_name = "llvm.nvvm.read.ptx.sreg.ctaid.z"]
        pub(super) safe fn ctaid_z() -> i32;
        #[link_name = "llvm.nvvm.read.ptx.sreg.nctaid.x"]
        pub(super) safe fn nctaid_x() -> i32;
        #[link_name = "llvm.nvvm.read.ptx.sreg.nctaid.y"]
        pub(super) safe fn nctaid_y() -> i32;
        #[link_name = "llvm.nvvm.read.ptx.sreg.nctaid.z"]
        pub(super) safe fn nctaid_z() -> i32;
    }
}

unsafe extern "C" {
    #[link_name = "llvm.nvvm.barrier.cta.sync.aligned.all"]
    safe fn barrier_sync(id: i32);
    #[link_name = "llvm.nvvm.membar.cta"]
    safe fn membar_cta();
    #[link_name = "llvm.nvvm.membar.gl"]
    safe fn membar_gl();
    #[link_name = "llvm.nvvm.membar.sys"]
    safe fn membar_sys();
    #[link_name = "llvm.nvvm.nanosleep"]
    safe fn nvvm_nanosleep(nanos: i32);
}

macro_rules! registers {
    ($($(#[$doc:meta])* $name:ident = $register:ident;)*) => {
        $($(#[$doc])* #[inline(always)] pub fn $name() -> u32 { sreg::$register() as u32 })*
    };
}

registers! {
    /// Returns the index of the thread in its block, x.
    thread_idx_x = tid_x;
    /// Returns the index of the thread in its block, y.
    thread_idx_y = tid_y;
    /// Returns the index of the thread in its block, z.
    thread_idx_z = tid_z;
    /// Returns the number of threads of a block, x.
    block_dim_x = ntid_x;
    /// Returns the number of threads of a block, y.
    block_dim_y = ntid_y;
    /// Returns the number of threads of a block, z.
    block_dim_z = ntid_z;
    /// Returns the index of the block in the grid, x.
    block_idx_x = ctaid_x;
    /// Returns the index of the block in the grid, y.
    block_idx_y = ctaid_y;
    /// Returns the index of the block in the grid, z.
    block_idx_z = ctaid_z;
    /// Returns the number of blocks of the grid, x.
    grid_dim_x = nctaid_x;
    /// Returns the number of blocks of the grid, y.
    grid_dim_y = nctaid_y;
    /// Returns the number of blocks of the grid, z.
    grid_dim_z = nctaid_z;
}

/// Returns the index of the thread in a one-dimensional launch.
#[inline(always)]
pub fn index_1d() -> u32 {
    thread_idx_x() + block_idx_x() * block_dim_x()
}

/// Returns the number of threads of a one-dimensional launch: the stride of a grid-stride loop. (Not in rust-cuda.)
#[inline(always)]
pub fn grid_size_1d() -> u32 {
    grid_dim_x() * block_dim_x()
}

/// Waits for all threads of the block. Their earlier writes to shared and global memory are visible to the block
/// afterwards.
///
/// Every thread of the block must reach the same call: in divergent control flow the launch hangs or the threads pair
/// up with the wrong barrier.
#[inline(always)]
pub fn sync_threads() {
    barrier_sync(0);
}

/// Orders this thread's memory accesses as seen by its block (`membar.cta`). (Not in rust-cuda.)
#[inline(always)]
pub fn block_fence() {
    membar_cta();
}

/// Orders this thread's memory accesses as seen by the whole device (`membar.gl`).
#[inline(always)]
pub fn device_fence() {
    membar_gl();
}

/// Acts as [`device_fence`], without ordering a write before a later read of another location, which costs time
/// (`fence.acq_rel.gpu`). (Not in rust-cuda.)
#[inline(always)]
pub fn device_fence_acq_rel() {
    // SAFETY: it accesses nothing; the compiler moves no memory access across it.
    unsafe {
        asm!("fence.acq_rel.gpu;", options(nostack, preserves_flags));
    }
}

/// Orders this thread's memory accesses as seen by the device, other devices and the host (`membar.sys`).
#[inline(always)]
pub fn system_fence() {
    membar_sys();
}

/// Suspends the thread for about `nanos` nanoseconds (between none and twice as many, a millisecond at most).
#[inline(always)]
pub fn nanosleep(nanos: u32) {
    nvvm_nanosleep(nanos as i32);
}
