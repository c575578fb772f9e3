//! Closing a session: patches again.

use super::Column;
use super::session::Session;
use crate::Error;
use crate::mesh::{Extras, TriMesh};
use crate::patch::PatchOptions;
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::attr::Value;
use rxmesh_kernels::edit::{DEAD, NONE};
use rxmesh_kernels::topo::{Edge, Element, Kind, Vertex};
use std::any::Any;
use std::collections::HashMap;

/// A closed session: the new mesh, and the session's columns as its attributes.
pub struct Closed {
    /// The mesh. Its input order is the order of session ids of the live elements.
    pub mesh: RxMesh,
    /// For each vertex, in the new mesh's input order, its session id.
    pub vertex_slots: Vec<u32>,
    /// For each face, in the new mesh's input order, its session id.
    pub face_slots: Vec<u32>,
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
    /// Slots of the live faces, ascending.
    pub face_slots: Vec<u32>,
    /// EV by slot.
    ev: Vec<u32>,
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
        let mut face_slots = Vec::with_capacity(fe.len() / 3);
        for (f, sides) in fe.chunks_exact(3).enumerate() {
            if sides[0] != NONE {
                faces.push([0, 1, 2].map(|k| number[ev[sides[k] as usize] as usize]));
                face_slots.push(f as u32);
            }
        }
        Ok(Snapshot {
            faces,
            vertices,
            face_slots,
            ev,
        })
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

    /// Makes patches of the mesh as it is now, and attributes of the columns.
    ///
    /// # Errors
    ///
    /// What the patcher or the engine says.
    pub fn close(self, options: &PatchOptions) -> Result<Closed, Error> {
        let now = self.snapshot()?;
        let mesh = RxMesh::new(&self.engine, now.vertices.len(), &now.faces, options)?;
        let edges = if self.columns.iter().any(|c| c.kind() == Kind::Edge) {
            edge_slots(&mesh, &now)?
        } else {
            Vec::new()
        };
        let attributes = self.columns.iter().map(|column| {
            let slots = match column.kind() {
                Kind::Vertex => &now.vertices,
                Kind::Edge => &edges,
                Kind::Face => &now.face_slots,
            };
            column.close(&mesh, slots).map(Some)
        });
        let attributes = attributes.collect::<Result<_, _>>()?;
        Ok(Closed {
            mesh,
            vertex_slots: now.vertices,
            face_slots: now.face_slots,
            attributes,
        })
    }
}

/// For each edge of the new mesh, in linear order, its slot in the session: edges are found by their ends.
fn edge_slots(mesh: &RxMesh, now: &Snapshot) -> Result<Vec<u32>, Error> {
    let mut by_ends = HashMap::with_capacity(now.ev.len() / 2);
    for (e, ends) in now.ev.chunks_exact(2).enumerate() {
        if ends[0] != NONE {
            by_ends.insert((ends[0].min(ends[1]), ends[0].max(ends[1])), e as u32);
        }
    }
    let rows = mesh.query::<rxmesh_kernels::query::EV>()?.read()?;
    let slot = |linear: u32| now.vertices[mesh.patch_set().vertex_source[linear as usize] as usize];
    let owned = mesh.patch_set().headers.iter().flat_map(|h| {
        let base = h.base[Edge::KIND as usize] as usize;
        base..base + usize::from(h.owned[Edge::KIND as usize])
    });
    Ok(owned
        .map(|e| {
            let ends = rows.row(e);
            let (a, b) = (slot(ends[0]), slot(ends[1]));
            by_ends[&(a.min(b), a.max(b))]
        })
        .collect())
}
