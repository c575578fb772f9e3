//! Boundary flags: 1 for elements on a boundary, else 0. An edge with exactly one face is a boundary edge; its vertices
//! and its face are boundary vertices and a boundary face (RXMesh 2021, section 2).

use crate::Error;
use crate::store::{Attribute, RxMesh};
use rxmesh_kernels::algo::measure::boundary::{BoundaryEdges, BoundaryFaces, BoundaryVertices};
use rxmesh_kernels::topo::{Edge, Face, Vertex};

/// Treatment of the boundary by algorithms that change the connectivity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Boundary {
    /// Keeps its vertices and edges unchanged.
    Keep,
    /// Holds its shape: vertices move along it, and are removed where that hardly changes its course.
    #[default]
    Hold,
    /// Treats it like the interior.
    Free,
}

/// Computes flags of the vertices: 1 on the boundary, 0 elsewhere.
///
/// # Errors
///
/// Any error of the engine.
pub fn vertices(rx: &RxMesh) -> Result<Attribute<Vertex, u32>, Error> {
    let mut flag = rx.attribute()?;
    rx.run(BoundaryVertices {
        flag: flag.write()?,
    })?;
    Ok(flag)
}

/// Computes flags of the edges: 1 on the boundary, 0 elsewhere.
///
/// # Errors
///
/// Any error of the engine.
pub fn edges(rx: &RxMesh) -> Result<Attribute<Edge, u32>, Error> {
    let mut flag = rx.attribute()?;
    rx.run(BoundaryEdges {
        flag: flag.write()?,
    })?;
    Ok(flag)
}

/// Computes flags of the faces: 1 on the boundary, 0 elsewhere.
///
/// # Errors
///
/// Any error of the engine.
pub fn faces(rx: &RxMesh) -> Result<Attribute<Face, u32>, Error> {
    let mut flag = rx.attribute()?;
    rx.run(BoundaryFaces {
        flag: flag.write()?,
    })?;
    Ok(flag)
}
