//! Forms of kernels for volumes, and their foundations.
//!
//! - [`gather`]: sums over the rows of any relation, of values of any width;
//! - [`words`]: the values of such sums;
//! - [`distribute`]: elements give values to their smaller parts, which add up in shared memory;
//! - [`entries`]: elements give a value to each of their neighbours, over any relation;
//! - [`boundary`]: elements on the boundary.

pub mod boundary;
pub mod distribute;
pub mod entries;
pub mod gather;
mod slots;
pub mod words;

kernel_list! {
    of [
        boundary::KERNELS,
        distribute::KERNELS,
        entries::KERNELS,
        gather::KERNELS,
    ];
}
