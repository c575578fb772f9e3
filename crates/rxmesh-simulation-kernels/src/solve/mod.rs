//! Time steps.
//!
//! - [`explicit`]: symplectic Euler;
//! - [`linearise`], [`product`], [`newton`]: implicit Euler;
//! - [`projective`]: projective dynamics, with rotations of [`rotation`];
//! - [`xpbd`]: extended position-based dynamics of cells and cloth;
//! - [`vbd`]: vertex block descent;
//! - [`mpm`]: hybrid material point method, bodies on one grid;
//! - [`motion`], [`shape`]: beginning and end of their steps, shapes of cells.

pub mod explicit;
pub mod linearise;
pub mod motion;
pub mod mpm;
pub mod newton;
pub mod product;
pub mod projective;
pub mod rotation;
pub mod shape;
pub mod vbd;
pub mod xpbd;

kernel_list! {
    of [
        explicit::KERNELS,
        linearise::KERNELS,
        product::KERNELS,
        newton::KERNELS,
        motion::KERNELS,
        projective::KERNELS,
        xpbd::cells::KERNELS,
        xpbd::cloth::KERNELS,
        vbd::KERNELS,
        mpm::KERNELS,
    ];
}
