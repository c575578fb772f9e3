//! Closing a session: patches again.

use super::Column;
use super::columns::ClosedColumns;
use super::scheduler::Edits;
use super::session::Session;
use crate::Error;
use crate::mesh::TriMesh;
use crate::repack::{Renumbering, RepackOptions, RepackSource, Repacked, repack_sound};
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::attr::Value;
use rxmesh_kernels::topo::{Element, Vertex};

/// A closed session: the new mesh, and the session's columns as its attributes.
pub struct Closed {
    /// Mesh. Its input order is the order of session ids of the live elements.
    pub mesh: RxMesh,
    /// Map from session ids to the mesh's linear ids.
    pub renumbering: Renumbering,
    attributes: ClosedColumns,
}

impl std::fmt::Debug for Closed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Closed({:?}, {} attributes)",
            self.mesh,
            self.attributes.len()
        )
    }
}

impl Closed {
    /// Returns the attribute that a column has become.
    ///
    /// # Errors
    ///
    /// [`Error::OtherSession`] when the column is another session's, [`Error::ColumnTaken`] when it was taken before.
    pub fn take<K: Element, T: Value>(
        &mut self,
        column: Column<K, T>,
    ) -> Result<Attribute<K, T>, Error> {
        self.attributes.take(column)
    }
}

impl<C: Edits> Session<C> {
    /// Returns the current mesh without patches: live vertices and faces in the order of their session ids; and the
    /// session ids of the vertices.
    ///
    /// # Errors
    ///
    /// Any error of the engine, and those of [`Session::values`].
    pub fn to_mesh(&self, x: Column<Vertex, Vec3>) -> Result<(TriMesh, Vec<u32>), Error> {
        let x = self.values(x)?.read()?;
        let now = self.mesh.snapshot()?;
        let mesh = TriMesh {
            positions: now.vertices.iter().map(|&v| x[v as usize]).collect(),
            faces: now.faces,
            ..TriMesh::default()
        };
        Ok((mesh, now.vertices))
    }

    /// Creates patches of the mesh as it is now, and attributes of the columns, all on the engine
    /// ([`repack`](crate::repack::repack)). Faces stay in the patches they were in or arose in, unless those have
    /// become too large or too small.
    ///
    /// # Errors
    ///
    /// As [`repack`](crate::repack::repack), and [`Error::VoidSession`].
    pub fn close(self, options: RepackOptions) -> Result<Closed, Error> {
        self.sound()?;
        let mesh = &self.mesh;
        let source = RepackSource {
            fe: &mesh.fe,
            ev: &mesh.ev,
            ef: &mesh.around,
            ve: &mesh.ve,
            label: &mesh.fp,
        };
        let Repacked { mesh, renumbering } =
            repack_sound(mesh.engine(), &source, mesh.patches(), options)?;
        Ok(Closed {
            attributes: self.columns.close(&mesh, &renumbering)?,
            mesh,
            renumbering,
        })
    }
}
