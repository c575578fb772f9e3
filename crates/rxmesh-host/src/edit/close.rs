//! Closing a session: patches again.

use super::Column;
use super::session::Session;
use crate::Error;
use crate::mesh::{Extras, TriMesh};
use crate::repack::{FlatMesh, Renumbering, RepackOptions, Repacked, repack};
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::attr::Value;
use rxmesh_kernels::edit::{DEAD, NONE};
use rxmesh_kernels::topo::{Element, Vertex};
use std::any::Any;

/// A closed session: the new mesh, and the session's columns as its attributes.
pub struct Closed {
    /// The mesh. Its input order is the order of session ids of the live elements.
    pub mesh: RxMesh,
    /// From session ids to the mesh's linear ids.
    pub renumbering: Renumbering,
    attributes: Vec<Option<Box<dyn Any>>>,
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
    /// The attribute that a column has become.
    ///
    /// # Panics
    ///
    /// When the column was taken before or is another session's.
    pub fn take<K: Element, T: Value>(&mut self, column: Column<K, T>) -> Attribute<K, T> {
        let taken = self
            .attributes
            .get_mut(column.index())
            .and_then(Option::take);
        let attribute = taken.and_then(|a| a.downcast::<Attribute<K, T>>().ok());
        *attribute.expect("the column was taken before or belongs to another session")
    }
}

/// Live elements of a session on the host.
pub(crate) struct Snapshot {
    /// Three vertices a live face, numbered as in `vertices`.
    pub faces: Vec<[u32; 3]>,
    /// Slots of the live vertices, ascending.
    pub vertices: Vec<u32>,
}

impl Session {
    /// The live elements, copied to the host.
    ///
    /// # Errors
    ///
    /// What the engine says.
    pub(crate) fn snapshot(&self) -> Result<Snapshot, Error> {
        let (fe, ev, ve) = (
            self.flat.fe.read()?,
            self.flat.ev.read()?,
            self.flat.ve.read()?,
        );
        let mut number = vec![NONE; ve.len()];
        let mut vertices = Vec::new();
        for (v, &edge) in ve.iter().enumerate() {
            if edge != DEAD {
                number[v] = vertices.len() as u32;
                vertices.push(v as u32);
            }
        }
        let mut faces = Vec::with_capacity(fe.len() / 3);
        for sides in fe.chunks_exact(3) {
            if sides[0] != NONE {
                faces.push([0, 1, 2].map(|k| number[ev[sides[k] as usize] as usize]));
            }
        }
        Ok(Snapshot { faces, vertices })
    }

    /// The mesh as it is now, without patches: live vertices and faces in the order of their session ids. Also the session ids of the vertices.
    ///
    /// # Errors
    ///
    /// What the engine says.
    pub fn to_mesh(&self, x: Column<Vertex, Vec3>) -> Result<(TriMesh, Vec<u32>), Error> {
        let now = self.snapshot()?;
        let x = self.values(x).read()?;
        let mesh = TriMesh {
            positions: now.vertices.iter().map(|&v| x[v as usize]).collect(),
            faces: now.faces,
            extras: Extras::default(),
        };
        Ok((mesh, now.vertices))
    }

    /// Makes patches of the mesh as it is now, and attributes of the columns; all of it on the engine ([`repack`]). Faces stay in
    /// the patches they were in or arose in, unless those have become too large or too small.
    ///
    /// # Errors
    ///
    /// As [`repack`].
    pub fn close(self, options: RepackOptions) -> Result<Closed, Error> {
        let flat = FlatMesh {
            fe: &self.flat.fe,
            ev: &self.flat.ev,
            ef: &self.flat.ef,
            ve: &self.flat.ve,
            label: &self.flat.fp,
        };
        let Repacked { mesh, renumbering } = repack(&self.engine, &flat, self.patches, options)?;
        let attributes = self.columns.iter();
        let attributes = attributes.map(|column| column.close(&mesh, &renumbering).map(Some));
        Ok(Closed {
            attributes: attributes.collect::<Result<_, _>>()?,
            mesh,
            renumbering,
        })
    }
}
