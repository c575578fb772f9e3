//! Time steps.
//!
//! - [`explicit`]: symplectic Euler;
//! - [`linearise`], [`product`], [`newton`]: implicit Euler.

pub mod explicit;
pub mod linearise;
pub mod newton;
pub mod product;

kernel_list! {
    of [
        explicit::KERNELS,
        linearise::KERNELS,
        product::KERNELS,
        newton::KERNELS,
    ];
}
