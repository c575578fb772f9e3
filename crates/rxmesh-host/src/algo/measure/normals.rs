//! Vertex normals.

use crate::Error;
use crate::algo::measure::frame::{resize, unit_scale};
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::measure::normals::{GatherNormals, VertexNormals};
use rxmesh_kernels::topo::Vertex;

/// Scales at which the kernel's products of four lengths stay within `f32` without help, for edges down to a millionth
/// of the mesh.
const COMFORTABLE: std::ops::RangeInclusive<f64> = 1e-8..=1e8;

/// Computes unit vertex normals weighted as in Max 1999 (each corner by its edges' cross product over their squared
/// lengths), however small or large the mesh is. A vertex without a face of positive area gets zero. The orientation is
/// that of the faces: on a mesh of mixed orientation contributions cancel, and a vertex whose contributions cancel
/// entirely gets zero.
///
/// Measures the mesh first, which waits for the engine; [`vertex_normals_unscaled`] and [`gather_vertex_normals`] do
/// not.
///
/// # Errors
///
/// [`Error::NotFinite`] for a coordinate that is not finite, and as [`gather_vertex_normals`].
pub fn vertex_normals(
    rx: &RxMesh,
    x: &Attribute<Vertex, Vec3>,
    n: &mut Attribute<Vertex, Vec3>,
) -> Result<(), Error> {
    let scale = unit_scale(rx, x)?;
    if COMFORTABLE.contains(&scale) {
        return gather_vertex_normals(rx, x, n);
    }
    let mut near_one = rx.attribute()?;
    near_one.copy_from(x)?;
    resize(rx, &mut near_one, scale)?;
    gather_vertex_normals(rx, &near_one, n)
}

/// Computes the same for a mesh whose coordinates are known to be neither tiny nor huge (edges between 1e-14 and 1e14),
/// scattered by the faces: one launch, no waiting, nothing prepared. Contributions that cancel may leave their
/// rounding, as a unit vector. On a GPU the last bits differ from run to run.
///
/// # Errors
///
/// A stale attribute, or any error of the engine.
pub fn vertex_normals_unscaled(
    rx: &RxMesh,
    x: &Attribute<Vertex, Vec3>,
    n: &mut Attribute<Vertex, Vec3>,
) -> Result<(), Error> {
    Ok(rx.run(VertexNormals {
        x: x.staged()?,
        n: n.staged_sum()?,
    })?)
}

/// Works like [`vertex_normals_unscaled`] up to rounding, gathered by each vertex from its corners. There are no
/// atomics, so that the bits are the same on every run; contributions that cancel give zero; and it is faster on a GPU
/// once the relation `Corners` is prepared (see [`RxMesh::set_relation_choice`]).
///
/// # Errors
///
/// A stale attribute, and as [`RxMesh::run_for_each`].
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
