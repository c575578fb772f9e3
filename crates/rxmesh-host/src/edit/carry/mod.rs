//! What came with a file goes through edits with its vertices and faces.

mod blend;
mod corners;
mod groups;
mod map;
mod order;

use super::columns::Column;
use super::engine::Edits;
use super::session::Session;
use crate::Error;
use crate::algo::normals::vertex_normals;
use crate::engine::Engine;
use crate::mesh::{ElementKind, Extras, NORMAL, Tag, TriMesh};
use crate::store::RxMesh;
pub use map::{ElementMap, GONE};

use blend::Blended;
use corners::{Corners, Layer};
use glam::Vec3;
use order::Order;
use rxmesh_kernels::algo::remesh::MarkBorders;
use rxmesh_kernels::topo::{Edge, Face, Kind, Vertex};

/// A mesh with all that it carries, in a session.
///
/// Vertices and faces that stay keep their order and their values to the last bit; new ones come behind the vertices,
/// and behind the face that they arise from. What a new one gets:
///
/// - a new vertex the weighted mean of the values of those it arises from in columns of floats and of colours (rounded
///   to the column's type); in columns of whole numbers the value of the one that counts most;
/// - a new face the values, groups and materials of the face that it arises from: that at its first side of the hole
///   that an operator has cut ([`Hole::add_face`](rxmesh_kernels::cavity::Hole::add_face)). The halves of a split face
///   have its values, a flip leaves each of the two faces with those of one;
/// - normals of vertices are computed anew when anything has changed; those of corners become normals of vertices,
///   those of faces are left out;
/// - texture coordinates of corners stay where a face stays; a face that changed has those of its vertices in the part
///   of the texture that it comes from, and none when one of them has none there.
#[derive(Debug)]
pub struct Carried {
    /// The mesh as it was.
    mesh: TriMesh,
    x: Column<Vertex, Vec3>,
    /// Numbers of the elements that those of the session arose from.
    vertices: Column<Vertex, u32>,
    faces: Column<Face, u32>,
    blended: Blended,
    texcoords: Option<Corners>,
    /// The slot of each vertex at the beginning, if they are followed.
    followed: Option<Vec<u32>>,
}

impl Carried {
    /// Takes a mesh into a session that was opened on `rx`, which holds the same mesh.
    ///
    /// # Errors
    ///
    /// A mesh of other counts, or no memory on the engine.
    pub fn open<C: Edits>(
        session: &mut Session<C>,
        rx: &RxMesh,
        mesh: TriMesh,
    ) -> Result<Carried, Error> {
        mesh.validate()?;
        let numbers = |n: usize| (0..n as u32).collect::<Vec<u32>>();
        let x = session.attach(&rx.attribute_from::<Vertex, _>(&mesh.positions)?)?;
        let vertices = rx.attribute_from::<Vertex, _>(&numbers(mesh.vertex_count()))?;
        let faces = rx.attribute_from::<Face, _>(&numbers(mesh.face_count()))?;
        let (vertices, faces) = (session.attach(&vertices)?, session.attach(&faces)?);
        session.trace(vertices, faces)?;
        let layer = mesh.extras.corner_texcoords.as_ref();
        let texcoords = layer.map(|layer| Corners::new(&mesh, layer));
        let blended = Blended::open(session, rx, &mesh, texcoords.as_ref())?;
        Ok(Carried {
            mesh,
            x,
            vertices,
            faces,
            blended,
            texcoords,
            followed: None,
        })
    }

    /// The positions.
    pub fn positions(&self) -> Column<Vertex, Vec3> {
        self.x
    }

    /// Has the session keep the borders between faces of different objects, groups or materials
    /// ([`Session::keep_edges`]); how many edges these are. To be called before anything is changed.
    ///
    /// # Errors
    ///
    /// What the engine says.
    pub fn keep_groups<C: Edits>(
        &self,
        session: &mut Session<C>,
        rx: &RxMesh,
    ) -> Result<u32, Error> {
        let (marks, count) = self.mark_groups(session, rx)?;
        session.keep_edges(marks)?;
        Ok(count)
    }

    /// Has the session hold these borders ([`Session::hold_edges`]); otherwise as [`Carried::keep_groups`].
    ///
    /// # Errors
    ///
    /// What the engine says.
    pub fn hold_groups<C: Edits>(
        &self,
        session: &mut Session<C>,
        rx: &RxMesh,
    ) -> Result<u32, Error> {
        let (marks, count) = self.mark_groups(session, rx)?;
        session.hold_edges(marks)?;
        Ok(count)
    }

    /// Marks of the edges between faces of different objects, groups or materials, and how many there are.
    fn mark_groups<C: Edits>(
        &self,
        session: &mut Session<C>,
        rx: &RxMesh,
    ) -> Result<(Column<Edge, u32>, u32), Error> {
        let groups = groups::of_faces(&self.mesh);
        let groups = session.attach(&rx.attribute_from::<Face, _>(&groups)?)?;
        let marks = session.column::<Edge, u32>()?;
        let counts = session.engine().zeroed::<u32>(2)?;
        session.engine().launch_flat(
            session.capacity(Kind::Edge),
            MarkBorders {
                mesh: session.mesh()?,
                groups: session.read(groups)?,
                marks: session.write(marks)?,
                counts: counts.global_mut(),
            },
        )?;
        Ok((marks, counts.read()?[1]))
    }

    /// Has simplification remember into which vertex each one was drawn, for [`Carried::map`]. To be called before
    /// anything is changed, and not where other algorithms change vertices besides.
    ///
    /// # Errors
    ///
    /// No memory on the engine.
    pub fn follow<C: Edits>(&mut self, session: &mut Session<C>) -> Result<(), Error> {
        let went = session.column::<Vertex, u32>()?;
        session.follow(went)?;
        let mut slots = vec![0; self.mesh.vertex_count()];
        let now = session.open_mesh().snapshot()?;
        let numbers = session.values(self.vertices)?.read()?;
        for &slot in &now.vertices {
            slots[numbers[slot as usize] as usize] = slot;
        }
        self.followed = Some(slots);
        Ok(())
    }

    /// Where the vertices and faces of the mesh that was taken in are in [`Carried::mesh`].
    ///
    /// # Errors
    ///
    /// What the engine says.
    pub fn map<C: Edits>(&self, session: &Session<C>) -> Result<ElementMap, Error> {
        let now = session.open_mesh().snapshot()?;
        let vertices = session.values(self.vertices)?.read()?;
        let faces = session.values(self.faces)?.read()?;
        let order = Order::new(&self.mesh, &now, &vertices, &faces);
        let [v, f] = [self.mesh.vertex_count(), self.mesh.face_count()];
        let mut map = ElementMap::new(&order, v, f);
        let (Some(slots), Some(went)) = (&self.followed, session.followed()) else {
            return Ok(map);
        };
        let went = session.values(went)?.read()?;
        let mut number = vec![GONE; went.len()];
        for (i, v) in order.vertices.iter().enumerate() {
            number[v.slot as usize] = i as u32;
        }
        // Edits that do not follow give slots to others.
        if went.iter().all(|&w| w == 0) {
            return Ok(map);
        }
        for (to, &slot) in map.vertices.iter_mut().zip(slots) {
            let mut at = slot as usize;
            while number[at] == GONE && went[at] != 0 {
                at = went[at] as usize - 1;
            }
            if *to == GONE {
                *to = number[at];
            }
        }
        Ok(map)
    }

    /// The mesh as it is now with all that it carries, and in words what it lost. When nothing was changed it is the
    /// mesh that was taken in.
    ///
    /// # Errors
    ///
    /// What the engine says.
    pub fn mesh<C: Edits>(&self, session: &Session<C>) -> Result<(TriMesh, Vec<String>), Error> {
        let now = session.open_mesh().snapshot()?;
        let x = session.values(self.x)?.read()?;
        let vertices = session.values(self.vertices)?.read()?;
        let faces = session.values(self.faces)?.read()?;
        let order = Order::new(&self.mesh, &now, &vertices, &faces);
        let slots = order.vertices.iter().map(|v| v.slot as usize);
        let mut mesh = TriMesh {
            positions: slots.map(|v| x[v]).collect(),
            faces: order.faces.iter().map(|f| f.corners).collect(),
            extras: Extras::default(),
            placement: self.mesh.placement,
        };
        if mesh.positions == self.mesh.positions && mesh.faces == self.mesh.faces {
            return Ok((self.mesh.clone(), Vec::new()));
        }
        let mut lost = Vec::new();
        let blended = self.blended.read(session)?;
        mesh.extras.comments = self.mesh.extras.comments.clone();
        mesh.extras.tags = self.tags(&order);
        self.columns(&order, &blended, &mut mesh, &mut lost);
        if let (Some(corners), Some(layer)) = (&self.texcoords, &self.mesh.extras.corner_texcoords)
        {
            let (layer, without) = Layer::new(corners, layer, &self.mesh, &order, &blended).make();
            mesh.extras.corner_texcoords = Some(layer);
            if without > 0 {
                lost.push(format!(
                    "{without} of {} faces are left without texture coordinates: they lie where parts of the texture \
                        meet",
                    mesh.face_count()
                ));
            }
        }
        self.normals(session.engine(), &mut mesh, &mut lost)?;
        Ok((mesh, lost))
    }

    /// Statements hold from the first face on that arose from theirs or a later one.
    fn tags(&self, order: &Order) -> Vec<Tag> {
        let moved = |tag: &Tag| Tag {
            face: order.faces.partition_point(|f| f.origin < tag.face) as u32,
            ..tag.clone()
        };
        self.mesh.extras.tags.iter().map(moved).collect()
    }

    fn columns(
        &self,
        order: &Order,
        blended: &blend::Values,
        mesh: &mut TriMesh,
        lost: &mut Vec<String>,
    ) {
        let vertices: Vec<u32> = order.vertices.iter().map(|v| v.origin).collect();
        let faces: Vec<u32> = order.faces.iter().map(|f| f.origin).collect();
        for (i, column) in self.mesh.extras.columns.iter().enumerate() {
            match column.element {
                _ if column.name == NORMAL && column.width == 3 => {
                    if column.element == ElementKind::Face {
                        lost.push("normals of faces no longer fit and are left out".into());
                    }
                }
                ElementKind::Face | ElementKind::Cell => {
                    mesh.extras.columns.push(column.gather(&faces))
                }
                ElementKind::Vertex => {
                    let mut new = column.gather(&vertices);
                    self.blended.put(i, order, blended, &mut new);
                    mesh.extras.columns.push(new);
                }
            }
        }
    }

    /// Normals of vertices, anew, for a mesh that had some.
    fn normals(
        &self,
        engine: &Engine,
        mesh: &mut TriMesh,
        lost: &mut Vec<String>,
    ) -> Result<(), Error> {
        let corners = self.mesh.extras.corner_normals.is_some();
        if corners {
            lost.push("normals of corners no longer fit; normals of vertices take their place, without creases".into());
        }
        if !corners && self.mesh.vertex_normals().is_none() {
            return Ok(());
        }
        let rx = RxMesh::from_mesh(engine, mesh)?;
        let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions)?;
        let mut n = rx.attribute()?;
        vertex_normals(&rx, &x, &mut n)?;
        Ok(mesh.set_vertex_normals(n.to_input(&rx)?)?)
    }
}
