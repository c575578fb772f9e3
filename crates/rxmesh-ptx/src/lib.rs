//! PTX text in the form that rustc writes. All knowledge of that form is here: a line begins with `.version`, `.target`
//! or `.visible .entry`, the brace that opens a kernel's body has a line of its own, the one that closes it begins a
//! line.

mod kernels;
mod line;
mod module;
mod overlap;
#[cfg(any(feature = "pack", feature = "unpack"))]
mod pack;
#[cfg(any(feature = "pack", feature = "unpack"))]
mod recent;

pub use kernels::{Kernels, constant, limit_registers, target};
pub use module::{Param, PtxEntry, PtxError, PtxModule};
pub use overlap::overlapping;
#[cfg(feature = "unpack")]
pub use pack::unpack;
#[cfg(feature = "pack")]
pub use pack::{pack, pack_file};
