//! Faces that intersect, of one mesh or of two.

use crate::{Mesh, Result};
use rxmesh_host::Error;
use rxmesh_host::mesh::{self, FacePairs};

/// Finds the pairs of faces of a mesh that intersect, the lower face first, with exact predicates
/// ([`mesh::self_intersections`] says what counts). The host does it.
///
/// # Errors
///
/// Errors of the engine, if the mesh is there only.
pub fn self_intersections(mesh: &Mesh) -> Result<FacePairs> {
    Ok(mesh::self_intersection_pairs(mesh.to_host()?))
}

/// Finds the pairs of a face of one mesh and a face of another one that intersect, as [`self_intersections`].
///
/// ```
/// use rxmesh::{Mesh, generate, intersections};
///
/// # fn main() -> Result<(), rxmesh::Error> {
/// let (ball, small) = (generate::icosphere(3)?, generate::torus(16, 8, 1.0, 0.2)?);
/// let found = intersections(&Mesh::new(ball), &Mesh::new(small))?;
/// assert!(found.is_complete && !found.pairs.is_empty());
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// More vertices or faces together than ids; errors of the engine, if a mesh is there only.
pub fn intersections(first: &Mesh, second: &Mesh) -> Result<FacePairs> {
    let found = mesh::intersection_pairs(first.to_host()?, second.to_host()?);
    Ok(found.map_err(Error::from)?)
}
