//! Forms of kernels for volumes, and what every volume needs.
//!
//! - [`gather`]: sums over the rows of any relation, of values of any width;
//! - [`words`]: what such sums are taken of;
//! - [`distribute`]: elements give a value to each of their neighbours, which add up without float atomics;
//! - [`boundary`]: what lies on the boundary.

pub mod boundary;
pub mod distribute;
pub mod gather;
mod slots;
pub mod words;

kernel_list! {
    of [
        boundary::KERNELS,
        distribute::KERNELS,
        gather::KERNELS,
    ];
}
