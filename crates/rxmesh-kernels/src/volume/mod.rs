//! Forms of kernels for volumes, and their foundations.
//!
//! - [`gather`]: sums over the rows of any relation, of values of any width;
//! - [`words`]: the values of such sums;
//! - [`distribute`]: elements give a value to each of their neighbours, which add up without float atomics;
//! - [`boundary`]: elements on the boundary.

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
