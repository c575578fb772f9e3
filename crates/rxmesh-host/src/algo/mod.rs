//! Host half of the algorithms; the device half has the same file names in `rxmesh-kernels`.
//!
//! With the feature `serde` options and reports can be serialised; with the feature `cli` options are `clap::Args`,
//! whose help is the documentation of the fields.

// One file an algorithm.
automod::dir!(pub "src/algo");

use crate::Error;

/// Options of an algorithm.
pub trait Options {
    /// Refuses numbers that are out of range on every mesh. Algorithms do so themselves, before anything is changed; a
    /// program may want to know before it reads a mesh.
    ///
    /// # Errors
    ///
    /// [`Error::Options`], which gives the fault and the possible values.
    fn check(&self) -> Result<(), Error>;

    /// Converts to a mesh whose coordinates were multiplied by `factor`: lengths are multiplied by it, areas and other
    /// squares of lengths by its square, inverses of lengths by its inverse. Options without a unit of length stay,
    /// which is the default.
    ///
    /// [`TriMesh::normalise`](crate::mesh::TriMesh::normalise) divides coordinates by the scale of the new placement.
    fn scale(&mut self, factor: f64) {
        let _ = factor;
    }
}

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

/// Options of an algorithm that has none.
impl Options for () {
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}
