//! Boundary flags: 1 for elements on a boundary, else 0. An edge with exactly one face is a boundary edge; its vertices
//! and its face are boundary vertices and a boundary face (RXMesh 2021, section 2).

use crate::Error;
use crate::store::{Attribute, RxMesh};
use rxmesh_kernels::algo::boundary::{BoundaryEdges, BoundaryFaces, BoundaryVertices};
use rxmesh_kernels::topo::{Edge, Face, Vertex};

/// Flags of the vertices.
///
/// # Errors
///
/// What the engine says.
pub fn vertices(rx: &RxMesh) -> Result<Attribute<Vertex, u32>, Error> {
    let mut flag = rx.attribute()?;
    rx.run(BoundaryVertices {
        flag: flag.write()?,
    })?;
    Ok(flag)
}

/// Flags of the edges.
///
/// # Errors
///
/// What the engine says.
pub fn edges(rx: &RxMesh) -> Result<Attribute<Edge, u32>, Error> {
    let mut flag = rx.attribute()?;
    rx.run(BoundaryEdges {
        flag: flag.write()?,
    })?;
    Ok(flag)
}

/// Flags of the faces.
///
/// # Errors
///
/// What the engine says.
pub fn faces(rx: &RxMesh) -> Result<Attribute<Face, u32>, Error> {
    let mut flag = rx.attribute()?;
    rx.run(BoundaryFaces {
        flag: flag.write()?,
    })?;
    Ok(flag)
}
