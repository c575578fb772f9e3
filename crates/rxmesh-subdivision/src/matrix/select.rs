//! Selections that grow by propagation, and the meshes of their faces (section 4.3.3).

use super::has_length;
use crate::Mesh;
use crate::faces::{DeviceFaces, FaceSizes};
use crate::launch::Launch;
use rxmesh_host::Error;
use rxmesh_host::engine::Buffer;
use rxmesh_host::parallel::scan;
use rxmesh_subdivision_kernels::matrix::{
    ExtractFaces, ExtractVertices, ListSelected, SelectFaces, SelectVertices,
};

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

    /// Makes the mesh of the selected faces: the sub-matrix of their columns, and of the rows of their vertices
    /// (Figure 4.17). Faces and vertices keep their order. Waits, for the numbers of them.
    ///
    /// # Errors
    ///
    /// A selection of another mesh; no memory on the engine.
    pub fn extract(&self, mesh: &Mesh) -> Result<ExtractedMesh, Error> {
        let (engine, m) = (mesh.engine(), mesh.topology());
        let (vertices, faces) = (mesh.vertex_count(), mesh.face_count());
        has_length("the selection of faces", self.faces.len(), faces.into())?;
        // The last values become the totals.
        let mut face_numbers = engine.zeroed(faces as usize + 1)?;
        let mut corner_numbers = engine.zeroed(faces as usize + 1)?;
        let mut vertex_numbers = engine.zeroed(vertices as usize + 1)?;
        let list = ListSelected {
            m,
            faces: self.faces.global(),
            face_numbers: face_numbers.global_mut(),
            corner_numbers: corner_numbers.global_mut(),
            vertex_numbers: vertex_numbers.global_mut(),
        };
        engine.launch_flat(faces, list)?;
        let taken = scan::exclusive(engine, &mut face_numbers)?;
        let corner_count = scan::exclusive(engine, &mut corner_numbers)?;
        let of_vertices = scan::exclusive(engine, &mut vertex_numbers)?;
        let (face_ids, vertex_ids) = (
            engine.zeroed(taken as usize)?,
            engine.zeroed(of_vertices as usize)?,
        );
        let offsets = engine.zeroed(taken as usize + 1)?;
        let corners = engine.zeroed(corner_count as usize)?;
        let extract = ExtractFaces {
            m,
            faces: self.faces.global(),
            face_numbers: face_numbers.global(),
            corner_numbers: corner_numbers.global(),
            vertex_numbers: vertex_numbers.global(),
            face_ids: face_ids.global_mut(),
            offsets: offsets.global_mut(),
            corners: corners.global_mut(),
        };
        engine.launch_flat(faces, extract)?;
        let list = ExtractVertices {
            vertex_numbers: vertex_numbers.global(),
            vertex_ids: vertex_ids.global_mut(),
        };
        engine.launch_flat(vertices, list)?;
        let sizes = match mesh.size {
            0 => FaceSizes::Offsets(&offsets),
            n => FaceSizes::Same(n),
        };
        let of_faces = DeviceFaces {
            vertices: of_vertices,
            faces: taken,
            sizes,
            corners: &corners,
        };
        Ok(ExtractedMesh {
            mesh: Mesh::from_faces(engine, &of_faces)?,
            vertices: vertex_ids,
            faces: face_ids,
        })
    }
}

/// Mesh of the selected faces of another one.
#[derive(Debug)]
pub struct ExtractedMesh {
    /// Mesh.
    pub mesh: Mesh,
    /// Vertex of the other mesh for each vertex: rows of values are gathered by it.
    pub vertices: Buffer<u32>,
    /// Face of the other mesh for each face.
    pub faces: Buffer<u32>,
}
