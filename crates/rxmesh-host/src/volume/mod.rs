//! Foundations of kernels on volumes: sums over relations, values that elements give their neighbours, the boundary.

pub mod boundary;
mod distribute;
mod gather;

pub use distribute::{DistributeTables, Distributor, PartLists};
pub use gather::gather;
