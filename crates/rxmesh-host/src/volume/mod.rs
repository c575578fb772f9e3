//! Foundations of kernels on volumes: sums over relations, values that elements give their neighbours, the boundary.

pub mod boundary;
mod distribute;
mod entries;
mod gather;

pub use distribute::{DistributeTables, Distributor, PartLists};
pub use entries::EntryValues;
pub use gather::gather;
