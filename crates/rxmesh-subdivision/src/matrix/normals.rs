//! Uses of the mesh matrix beside subdivision: normals and neighbours (section 3.2).

use super::{Csr, Finish, has_length, multiply};
use crate::Mesh;
use crate::launch::Launch;
use rxmesh_host::Error;
use rxmesh_host::engine::Buffer;
use rxmesh_subdivision_kernels::matrix::{Constant, EdgeUses, FaceNormals, Normalise, OverOrder};

/// Computes normals of faces with the length of their areas, three floats per face, from positions of three floats.
///
/// # Errors
///
/// Arrays of other lengths; any error of the engine.
pub fn face_normals(mesh: &Mesh, x: &Buffer<f32>, y: &mut Buffer<f32>) -> Result<(), Error> {
    has_length("positions", x.len(), 3 * u64::from(mesh.vertex_count()))?;
    has_length("normals", y.len(), 3 * u64::from(mesh.face_count()))?;
    let kernel = FaceNormals {
        m: mesh.topology(),
        x: x.global(),
        normals: y.global_mut(),
    };
    Ok(mesh.engine().launch_flat(mesh.face_count(), kernel)?)
}

/// Computes unit normals of vertices: the area-weighted mean of their faces' normals (3.3). `faces` receives the
/// normals of faces.
///
/// # Errors
///
/// Arrays of other lengths; any error of the engine.
pub fn vertex_normals(
    mesh: &Mesh,
    x: &Buffer<f32>,
    faces: &mut Buffer<f32>,
    y: &mut Buffer<f32>,
) -> Result<(), Error> {
    face_normals(mesh, x, faces)?;
    // Normalisation follows, so that the sum replaces the mean.
    let sum = mesh.direct(Constant { value: 1.0 });
    multiply(mesh.engine(), sum, 3, faces, y, Finish::default())?;
    normalise(mesh, mesh.vertex_count(), y)
}

/// Computes unit normals of faces, as means of their corners' normals (3.2).
///
/// # Errors
///
/// Arrays of other lengths; any error of the engine.
pub fn normals_of_faces(
    mesh: &Mesh,
    vertices: &Buffer<f32>,
    y: &mut Buffer<f32>,
) -> Result<(), Error> {
    let mean = mesh.transposed(OverOrder { weight: 1.0 });
    multiply(mesh.engine(), mean, 3, vertices, y, Finish::default())?;
    normalise(mesh, mesh.face_count(), y)
}

fn normalise(mesh: &Mesh, rows: u32, y: &Buffer<f32>) -> Result<(), Error> {
    let rows_of = Normalise {
        rows: y.global_mut(),
    };
    Ok(mesh.engine().launch_flat(rows, rows_of)?)
}

/// Computes the pairs of vertices with a common edge, and the number of faces of that edge: one mapped SpGEMM, E = M
/// M^T{Q + Q^T} (4.16). (S_v of (3.7) has Q alone, and so lacks one side of each boundary edge.)
///
/// # Errors
///
/// Any error of the engine.
pub fn adjacency(mesh: &Mesh) -> Result<Csr<u32>, Error> {
    Csr::new(mesh.engine(), mesh.pairs(EdgeUses {}))
}
