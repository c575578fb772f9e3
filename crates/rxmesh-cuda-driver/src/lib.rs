//! The CUDA driver API, resolved when the program runs.
//!
//! `cust` declares the functions of the driver (`cuInit`, `cuMemAlloc_v2`, ...) as external symbols, which ordinarily
//! ties a binary to `libcuda.so.1`: it does not start on a machine without an NVIDIA driver. This crate defines all of
//! those symbols itself. Each is a jump through a table; [`load`] fills the table from the driver's library. Without a
//! driver every function returns `CUDA_ERROR_NO_DEVICE` (100), so that `cust::init` reports an error and the program
//! continues with its CPU engine.
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

/// Reason why the CUDA driver cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum DriverError {
    /// The driver's library is not installed or cannot be opened.
    #[error("no CUDA driver: cannot open {library} ({reason}); it comes with the NVIDIA driver")]
    LibraryNotFound {
        /// Requested name.
        library: &'static str,
        /// Message of the system's loader.
        reason: String,
    },
    /// A library of the driver's name exists, but is not a CUDA driver, or is a very old one.
    #[error("{library} is not a usable CUDA driver: it has no symbol {symbol}")]
    MissingSymbol {
        /// Library that was opened.
        library: &'static str,
        /// Symbol that it lacks.
        symbol: &'static str,
    },
    /// CUDA is not supported on this platform.
    #[error("the CUDA driver is supported on x86-64 Linux only")]
    UnsupportedPlatform,
}

/// Opens the CUDA driver and resolves its functions. The first call does the work, later calls return its result.
///
/// Success means that a driver is installed, not that there is a device: see `cust::init` and
/// `cust::device::Device::num_devices`.
pub fn load() -> Result<(), DriverError> {
    resolve::load()
}

/// Returns `true` if [`load`] or a first call of `cuInit` has loaded a driver. Does not try to load one.
pub fn is_loaded() -> bool {
    resolve::is_loaded()
}
