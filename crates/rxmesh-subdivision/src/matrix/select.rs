//! Selections that grow by propagation (section 4.3.3).

use super::has_length;
use crate::Mesh;
use crate::launch::Launch;
use rxmesh_host::Error;
use rxmesh_host::engine::Buffer;
use rxmesh_subdivision_kernels::matrix::{SelectFaces, SelectVertices};

/// Selection of vertices and faces: words that are zero or nonzero.
#[derive(Debug)]
pub struct Selection {
    /// One word per vertex: p.
    pub vertices: Buffer<u32>,
    /// One word per face: f.
    pub faces: Buffer<u32>,
}

impl Selection {
    /// Makes a selection of vertices; no faces are selected yet.
    ///
    /// # Errors
    ///
    /// Another number of vertices; no memory on the engine.
    pub fn new(mesh: &Mesh, vertices: &[u32]) -> Result<Selection, Error> {
        has_length("the selection", vertices.len(), mesh.vertex_count().into())?;
        Ok(Selection {
            vertices: mesh.engine().upload(vertices)?,
            faces: mesh.engine().zeroed(mesh.face_count() as usize)?,
        })
    }

    /// Grows the selection by `rings` rings: each time f = M^T p (4.37), the faces at selected vertices, and p = M f
    /// (4.38), their vertices. Nothing is allocated or waited for.
    ///
    /// # Errors
    ///
    /// A selection of another mesh; any error of the engine.
    pub fn grow(&mut self, mesh: &Mesh, rings: u32) -> Result<(), Error> {
        let (vertices, faces) = (mesh.vertex_count(), mesh.face_count());
        has_length("the selection", self.vertices.len(), vertices.into())?;
        has_length("the selection of faces", self.faces.len(), faces.into())?;
        for _ in 0..rings {
            mesh.engine().launch_flat(
                faces,
                SelectFaces {
                    m: mesh.topology(),
                    vertices: self.vertices.global(),
                    faces: self.faces.global_mut(),
                },
            )?;
            mesh.engine().launch_flat(
                vertices,
                SelectVertices {
                    m: mesh.topology(),
                    faces: self.faces.global(),
                    vertices: self.vertices.global_mut(),
                },
            )?;
        }
        Ok(())
    }
}
