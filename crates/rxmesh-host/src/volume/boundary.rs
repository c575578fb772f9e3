//! The boundary of a volume: a face with exactly one cell is a boundary face, its vertices are boundary vertices.

use crate::Error;
use crate::store::{Attribute, RxMesh, Volume};
use rxmesh_kernels::query::FV;
use rxmesh_kernels::topo::{Face, Vertex};
use rxmesh_kernels::volume::boundary::{BoundaryFaces, BoundaryVertices};

/// Flags the faces: 1 for boundary faces, else 0. The mesh keeps faces.
///
/// # Errors
///
/// [`EngineError::Needs`](crate::engine::EngineError::Needs), or any error of the engine.
pub fn faces(rx: &RxMesh<Volume>) -> Result<Attribute<Face, u32>, Error> {
    let mut flag = rx.attribute()?;
    rx.run_for_each(BoundaryFaces {
        flag: flag.write()?,
    })?;
    Ok(flag)
}

/// Flags the vertices: 1 for boundary vertices, else 0. The mesh keeps faces.
///
/// # Errors
///
/// As [`faces`].
pub fn vertices(rx: &RxMesh<Volume>) -> Result<Attribute<Vertex, u32>, Error> {
    let mut flag = rx.attribute()?;
    rx.run_for_each(BoundaryVertices {
        flag: flag.write()?,
    })?;
    Ok(flag)
}

/// Returns the boundary faces as triangles of input vertices, counter-clockwise seen from outside if cells are of
/// positive orientation. The mesh keeps faces.
///
/// # Errors
///
/// As [`faces`].
pub fn triangles(rx: &RxMesh<Volume>) -> Result<Vec<[u32; 3]>, Error> {
    let mut flag = faces(rx)?;
    flag.download()?;
    let rows = rx.query::<FV>()?.read()?;
    let corners = rows.values.as_chunks::<3>().0.iter().zip(flag.host()?);
    let source = &rx.volume_set().vertex_source;
    let on = corners.filter(|&(_, &on)| on == 1);
    Ok(on
        .map(|(face, _)| face.map(|v| source[v as usize]))
        .collect())
}
