//! Mesh matrix as a language (Mlakar 2018, chapters 3 to 5), host half; its meaning is documented with the
//! [kernels](rxmesh_subdivision_kernels::matrix).
//!
//! A product is a call with a matrix, which is a small value, and with existing buffers. Nothing is allocated or waited
//! for:
//!
//! ```
//! use rxmesh_host::engine::Engine;
//! use rxmesh_host::mesh::{PolyMesh, generate};
//! use rxmesh_subdivision::Mesh;
//! use rxmesh_subdivision::kernels::matrix::{OverOrder, OverValence};
//! use rxmesh_subdivision::matrix::{Finish, multiply};
//!
//! let engine = Engine::cpu();
//! let poly: PolyMesh = generate::torus(8, 8, 1.0, 0.4)?.into();
//! let mesh = Mesh::new(&engine, &poly)?;
//! let x: Vec<f32> = poly.positions.iter().flat_map(|p| p.to_array()).collect();
//! let x = engine.upload(&x)?;
//! let mut f = engine.zeroed(3 * mesh.face_count() as usize)?;
//! let mut y = engine.zeroed(3 * mesh.vertex_count() as usize)?;
//! // f = M^T{1/c} x: centres of faces. y = M{1/n} f / 2 + x / 2: a step of smoothing.
//! multiply(&engine, mesh.transposed(OverOrder { weight: 1.0 }), 3, &x, &mut f, Finish::default())?;
//! let half = Finish { alpha: 0.5, beta: 0.5, z: Some(&x) };
//! multiply(&engine, mesh.direct(OverValence { weight: 1.0 }), 3, &f, &mut y, half)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod csr;
mod general;
mod levels;
mod multiply;
mod normals;
mod select;

pub use csr::{Csr, HostCsr};
pub use general::{GeneralSubdivision, Listed};
pub use multiply::{Finish, multiply};
pub use normals::{adjacency, face_normals, normals_of_faces, vertex_normals};
pub use select::{ExtractedMesh, Selection};

use crate::Mesh;
use rxmesh_host::Error;
use rxmesh_subdivision_kernels::matrix::{Direct, Gamma, Level, Map, Operand, Pairs, Transposed};

impl Mesh {
    /// Returns M{Q}: from faces to vertices.
    pub fn direct<Q: Map>(&self, map: Q) -> Direct<Q> {
        Direct {
            m: self.topology(),
            map,
            operand: Operand::Columns as u32,
        }
    }

    /// Returns M{Q} on values at entries, which are corners: from corners to vertices.
    pub fn direct_of_entries<Q: Map>(&self, map: Q) -> Direct<Q> {
        Direct {
            operand: Operand::Entries as u32,
            ..self.direct(map)
        }
    }

    /// Returns M^T{Q}: from vertices to faces.
    pub fn transposed<Q: Map>(&self, map: Q) -> Transposed<Q> {
        Transposed {
            m: self.topology(),
            map,
            operand: Operand::Columns as u32,
        }
    }

    /// Returns M^T{Q} on values at entries: from corners to faces.
    pub fn transposed_of_entries<Q: Map>(&self, map: Q) -> Transposed<Q> {
        Transposed {
            operand: Operand::Entries as u32,
            ..self.transposed(map)
        }
    }

    /// Returns M M^T {Q}\[gamma\]: from pairs of corners of a face.
    pub fn pairs<G: Gamma>(&self, gamma: G) -> Pairs<G> {
        Pairs {
            m: self.topology(),
            gamma,
        }
    }

    /// Returns the view of the mesh for the masks of a scheme.
    pub fn level(&self) -> Level {
        Level {
            m: self.topology(),
            around: self.around(),
        }
    }
}

/// Compares the length of an array of values with the required one.
fn has_length(what: &str, got: usize, want: u64) -> Result<(), Error> {
    if got as u64 == want {
        return Ok(());
    }
    Err(Error::Options(format!(
        "{what} has {got} values, but {want} are needed"
    )))
}
