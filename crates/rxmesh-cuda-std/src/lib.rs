//! Device intrinsics that `core` lacks: threads and blocks, warps, shared memory, float atomics, wide loads and
//! hardware maths, for rustc's own NVPTX backend.
//!
//! Names and meanings are those of rust-cuda's `cuda_std` wherever it has the function (`thread::thread_idx_x`,
//! `warp::warp_shuffle_up`, `shared::dynamic_shared_mem`), so that the manifest selects one of the two. That crate
//! itself cannot be used with this backend.
//!
//! The crate is empty on every target but `nvptx64-nvidia-cuda`: depend on it from
//! `[target.'cfg(target_arch = "nvptx64")'.dependencies]`.
//!
//! # Convergence
//!
//! Barriers, shuffles and votes must be executed by all participating threads, at the same instruction. Here they are
//! always LLVM intrinsics of the current names, which LLVM knows to be convergent, and never `asm!` (which rustc does
//! not mark as convergent) nor `core::arch::nvptx::_syncthreads` (which declares `llvm.nvvm.barrier0`, a name that LLVM
//! 22 only understands after the first round of optimisation). rustc's own MIR pass JumpThreading must be off as well:
//! `rxmesh-cuda-builder` disables it.
#![no_std]
#![cfg_attr(
    target_arch = "nvptx64",
    feature(asm_experimental_arch, link_llvm_intrinsics)
)]
#![cfg_attr(target_arch = "nvptx64", allow(internal_features))]

#[cfg(target_arch = "nvptx64")]
pub mod atomic;
#[cfg(target_arch = "nvptx64")]
pub mod intrinsics;
#[cfg(target_arch = "nvptx64")]
pub mod mem;
#[cfg(target_arch = "nvptx64")]
pub mod shared;
#[cfg(target_arch = "nvptx64")]
pub mod thread;
#[cfg(target_arch = "nvptx64")]
pub mod warp;

/// Traps. A kernel must not panic; if it does, the launch ends with an error and the context is lost.
#[cfg(all(target_arch = "nvptx64", feature = "panic-handler"))]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    intrinsics::trap()
}
