//! Device half of the algorithms; the host half has the same submodules and file names in `rxmesh-host`.
//!
//! The submodules are layers, from [`measure`] at the bottom to [`motion`] at the top; their modules are re-exported
//! here.

pub mod distance;
pub mod grid;
pub mod improve;
pub mod measure;
pub mod motion;
pub mod smooth;

#[doc(no_inline)]
pub use self::{distance::*, grid::*, improve::*, measure::*, motion::*, smooth::*};

kernel_list! {
    of [
        distance::KERNELS,
        grid::KERNELS,
        improve::KERNELS,
        measure::KERNELS,
        motion::KERNELS,
        smooth::KERNELS,
    ];
}
