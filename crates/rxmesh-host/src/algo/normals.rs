//! Vertex normals.

use crate::Error;
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::normals::{GatherNormals, VertexNormals};
use rxmesh_kernels::topo::Vertex;

/// Unit vertex normals weighted as in Max 1999 (each corner by its edges' cross product over their squared lengths). A vertex without
/// a face of positive area gets zero. Orientation is the faces' own: on a mesh of mixed orientation contributions cancel.
///
/// # Errors
///
/// A stale attribute, or what the engine says.
pub fn vertex_normals(
    rx: &RxMesh,
    x: &Attribute<Vertex, Vec3>,
    n: &mut Attribute<Vertex, Vec3>,
) -> Result<(), Error> {
    Ok(rx.run(VertexNormals {
        x: x.staged()?,
        n: n.staged_sum()?,
    })?)
}

/// The same normals up to rounding, gathered by each vertex from its corners: no atomics, so that the bits are the same on every run, and faster
/// on a GPU once the relation `Corners` is prepared (see [`RxMesh::set_relation_choice`]).
///
/// # Errors
///
/// As [`vertex_normals`], and as [`RxMesh::run_for_each`].
pub fn gather_vertex_normals(
    rx: &RxMesh,
    x: &Attribute<Vertex, Vec3>,
    n: &mut Attribute<Vertex, Vec3>,
) -> Result<(), Error> {
    rx.run_for_each(GatherNormals {
        x: x.staged()?,
        n: n.write()?,
    })
}
