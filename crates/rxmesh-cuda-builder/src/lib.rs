//! Builds PTX from a Rust crate: rustc's own NVPTX backend behind the interface of rust-cuda's `cuda_builder`.
//!
//! ```no_run
//! use rxmesh_cuda_builder::{CudaBuilder, NvvmArch};
//!
//! let built = CudaBuilder::new("my-kernels")
//!     .arch(NvvmArch::Compute75)
//!     .copy_to("my_kernels.ptx")
//!     .build()?;
//! println!("{} entry points", built.module().entries.len());
//! # Ok::<(), rxmesh_cuda_builder::CudaBuilderError>(())
//! ```
//!
//! The device crate is an ordinary `no_std` library whose entry points are `extern "ptx-kernel"` functions. It needs a
//! compiler that accepts unstable features and has its library source; [`Toolchain::find`] finds one, or reports
//! the packages to install.
//!
//! - [`ptx`] reads PTX text: entry points, parameters, barriers, and constructs to avoid (generic accesses,
//!   local memory, calls).
//! - [`ptxas`] finds NVIDIA's assembler, assembles for real GPUs, and reports registers and spills.
//! - [`fingerprint`] checks that a PTX file under version control was built from the present sources.

mod builder;
pub mod fingerprint;
pub mod ptxas;
mod toolchain;

pub use builder::{BuildOutput, CudaBuilder, CudaBuilderError, NvvmArch};
/// Reader of PTX text.
pub use rxmesh_ptx as ptx;
pub use toolchain::{DEVICE_RUSTC, Origin, Toolchain, ToolchainError};
