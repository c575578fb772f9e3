//! Host half of the algorithms; the device half has the same submodules and file names in `rxmesh-kernels`.
//!
//! The submodules are layers, from [`measure`] at the bottom to [`motion`] at the top; their modules are re-exported
//! here.
//!
//! With the feature `serde` options and reports can be serialised; with the feature `cli` options are `clap::Args`,
//! whose help is the documentation of the fields.

pub mod distance;
pub mod grid;
pub mod improve;
pub mod measure;
pub mod motion;
pub mod smooth;

pub use crate::options::Options;
#[doc(no_inline)]
pub use {distance::*, grid::*, improve::*, measure::*, motion::*, smooth::*};

use crate::Error;

/// Checks the options of several meshes, and that `shared`, which `what` names, is the same in all of them. Errors
/// begin with the number of the mesh.
fn check_each<O: Options, S: PartialEq>(
    each: &[O],
    shared: impl Fn(&O) -> S,
    what: &str,
) -> Result<(), Error> {
    for (i, options) in each.iter().enumerate() {
        options.check().map_err(|e| of_mesh(i, e))?;
        if shared(options) != shared(&each[0]) {
            let why = format!("all meshes share {what}");
            return Err(of_mesh(i, Error::Options(why)));
        }
    }
    Ok(())
}

/// Returns an error about the options or the numbers of one of several meshes, with its number.
fn of_mesh(mesh: usize, error: Error) -> Error {
    match error {
        Error::Options(why) => Error::Options(format!("mesh {mesh}: {why}")),
        error @ Error::NotFinite { .. } => Error::OfMesh {
            mesh,
            error: Box::new(error),
        },
        error => error,
    }
}
