//! Device half of the algorithms; the host half has the same rooms and file names in `rxmesh-host`.
//!
//! Rooms stand on floors, from [`measure`] up to [`motion`]; their modules are names of this module too.

pub mod distance;
pub mod improve;
pub mod measure;
pub mod motion;
pub mod smooth;

#[doc(no_inline)]
pub use self::{distance::*, improve::*, measure::*, motion::*, smooth::*};

kernel_list! {
    of [
        distance::KERNELS,
        improve::KERNELS,
        measure::KERNELS,
        motion::KERNELS,
        smooth::KERNELS,
    ];
}
