//! Curves in which planes cut meshes.

use crate::{Error, Mesh, Result};
use rxmesh_host::DVec3;
use rxmesh_host::mesh::{self, Section};

/// Cuts a mesh by the plane through `origin` that is perpendicular to `normal`, of any length: [`mesh::section`] says
/// what the curves are. The host does it.
///
/// ```
/// use rxmesh::{DVec3, Mesh, generate, section};
///
/// # fn main() -> Result<(), rxmesh::Error> {
/// let ring = Mesh::new(generate::torus(40, 20, 1.0, 0.3)?);
/// let found = section(&ring, DVec3::ZERO, DVec3::Z)?;
/// assert_eq!(found.len(), 2);
/// assert!(found.is_closed.iter().all(|&closed| closed));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// A normal without length, numbers that are not finite; errors of the engine, if the mesh is there only.
pub fn section(mesh: &Mesh, origin: DVec3, normal: DVec3) -> Result<Section> {
    if !origin.is_finite() || !normal.is_finite() {
        return Err(Error::Message(
            "the origin and the normal of the plane have to be finite".into(),
        ));
    }
    if normal == DVec3::ZERO {
        return Err(Error::Message(
            "the normal of the plane is zero: it has no direction".into(),
        ));
    }
    Ok(mesh::section(mesh.to_host()?, origin, normal))
}
