//! The CUDA driver API, resolved when the program runs.
//!
//! `cust` declares the functions of the driver (`cuInit`, `cuMemAlloc_v2`, ...) as external symbols, which ordinarily
//! ties a binary to `libcuda.so.1`: it does not start on a machine without an NVIDIA driver. This crate defines all of
//! those symbols itself. Each is a jump through a table; [`load`] fills the table from the driver's library. Without a
//! driver every function returns `CUDA_ERROR_NO_DEVICE` (100), so that `cust::init` reports an error and the program
//! goes on with its CPU engine.
//!
//! A program only has to depend on this crate and mention it (`use rxmesh_cuda_driver as _;` is enough): `cuInit` calls
//! [`load`] by itself. Calling [`load`] first gives the reason when there is no driver.
//!
//! On targets other than x86-64 Linux the symbols exist and always answer "no device".

#[cfg(all(target_os = "linux", target_arch = "x86_64"))]
mod resolve;
#[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
#[path = "unsupported.rs"]
mod resolve;
mod symbols;

pub mod early;

/// `CUresult` of a function called without a driver: `CUDA_ERROR_NO_DEVICE`.
pub const NO_DEVICE: i32 = 100;

/// `CUresult` of a function that the installed driver does not have: `CUDA_ERROR_NOT_SUPPORTED`.
pub const NOT_SUPPORTED: i32 = 801;

/// Why the CUDA driver cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// The driver's library is not installed or cannot be opened.
    #[error("no CUDA driver: cannot open {library} ({reason}); it comes with the NVIDIA driver")]
    LibraryNotFound {
        /// The name that was looked for.
        library: &'static str,
        /// What the system's loader said.
        reason: String,
    },
    /// A library of the driver's name is there, but it is not a CUDA driver or a very old one.
    #[error("{library} is not a usable CUDA driver: it has no symbol {symbol}")]
    MissingSymbol {
        /// The library that was opened.
        library: &'static str,
        /// The symbol that it lacks.
        symbol: &'static str,
    },
    /// Nothing is known about CUDA on this platform.
    #[error("the CUDA driver is supported on x86-64 Linux only")]
    UnsupportedPlatform,
}

/// Opens the CUDA driver and resolves its functions. The first call does the work, the others return its result.
///
/// This says that a driver is installed, not that there is a device: `cust::init` and
/// `cust::device::Device::num_devices` tell that.
pub fn load() -> Result<(), DriverError> {
    resolve::load()
}

/// Whether a driver has been loaded, by [`load`] or by a first call of `cuInit`. Does not try to.
pub fn is_loaded() -> bool {
    resolve::is_loaded()
}
