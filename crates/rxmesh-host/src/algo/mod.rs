//! Host half of the algorithms; the device half has the same file names in `rxmesh-kernels`.
//!
//! With the feature `serde` options and reports can be serialised; with the feature `cli` options are [`clap::Args`],
//! whose help is the documentation of the fields.

pub mod boundary;
mod cg;
pub mod closest;
pub mod curvature;
pub mod delaunay;
pub mod filter;
pub mod geodesic;
pub mod kring;
pub mod mcf;
mod measure;
pub mod normals;
pub mod reduce;
pub mod remesh;
pub mod scan;
pub mod simplify;
pub mod smooth;
pub mod spring;
pub mod track;

use crate::Error;

/// Options of an algorithm.
pub trait Options {
    /// Refuses numbers that are out of range on every mesh. Algorithms do so themselves, before anything is changed; a
    /// program may want to know before it reads a mesh.
    ///
    /// # Errors
    ///
    /// [`Error::Options`], which says what is wrong and what is possible.
    fn check(&self) -> Result<(), Error>;
}

/// Of an algorithm that has none.
impl Options for () {
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}
