//! Carries the data of a file through edits with its vertices and faces.

mod borders;
mod corners;
mod fans;
mod groups;
mod map;
mod order;
mod place;

use super::columns::Column;
use super::scheduler::Edits;
use super::session::{Motion, Session};
use crate::Error;
use crate::algo::measure::normals::vertex_normals;
use crate::mesh::{CornerLayer, ElementKind, Extras, NORMAL, Tag, TriMesh};
use crate::par::IntoLean;
use crate::store::RxMesh;
pub use borders::Borders;
pub use map::{ElementMap, GONE};

use corners::charts::CornerValues;
use corners::{Layer, normals};
use fans::SeamFans;
use glam::Vec3;
use order::NewElements;
use place::{InputPoints, InputSurface};
use rayon::prelude::*;
use rxmesh_kernels::algo::improve::remesh::MarkBorders;
use rxmesh_kernels::topo::{Edge, Face, Kind, Vertex};
use std::collections::HashSet;
use std::sync::OnceLock;

/// A mesh in a session, with all its data.
///
/// Vertices and faces that stay keep their order and their values to the last bit; new ones come after the vertices,
/// and after the face that they arise from. New elements get these values:
///
/// - A vertex that is new or was moved gets the values of the input at the closest point ([`Motion::OnSurface`]), or
///   at the point that it was moved with. In columns of floats and of colours these are means of the corners of the
///   face there (rounded to the column's type), in columns of whole numbers the value of the nearest corner.
/// - A new face gets the values, groups and materials of the face that it arises from: that at its first side of the
///   hole that an operator has cut ([`Hole::add_face`](rxmesh_kernels::cavity::Hole::add_face)). The halves of a split
///   face have its values; a flip leaves each of the two faces with those of one.
/// - Texture coordinates and normals of corners stay where a face stays. Other corners have the values of the input at
///   their vertex's place, on the side of the seam that their face comes from.
/// - Normals of vertices are recomputed when anything has changed, and those of corners if the surface was carried
///   away. Faces whose corners shared the face's normal keep such a normal. Normals of faces are left out.
#[derive(Debug)]
pub struct Carried {
    /// Mesh as it came in.
    mesh: TriMesh,
    x: Column<Vertex, Vec3>,
    /// Numbers of the elements that those of the session arose from.
    vertices: Column<Vertex, u32>,
    faces: Column<Face, u32>,
    /// Point on the input of each vertex, if there are values to find there.
    places: Option<Column<Vertex, Vec3>>,
    surface: OnceLock<InputSurface>,
    texcoords: Option<CornerValues>,
    normals: Option<CornerValues>,
    /// Set if the session keeps the seams.
    keeps_seams: OnceLock<()>,
    /// Slot of each vertex at the beginning, if they are followed.
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
        let texcoords = mesh.extras.corner_texcoords.as_ref();
        let texcoords = texcoords.map(|layer| CornerValues::new(&mesh, layer));
        let normals = mesh.extras.corner_normals.as_ref();
        let normals = normals.map(|layer| CornerValues::of_normals(&mesh, layer));
        let of_vertices =
            |c: &crate::mesh::Column| c.element == ElementKind::Vertex && c.name != NORMAL;
        let any = mesh.extras.columns.iter().any(of_vertices);
        let places = if any || texcoords.is_some() || normals.is_some() {
            let places = session.attach(&rx.attribute_from::<Vertex, _>(&mesh.positions)?)?;
            session.interpolate(places)?;
            Some(places)
        } else {
            None
        };
        Ok(Carried {
            mesh,
            x,
            vertices,
            faces,
            places,
            surface: OnceLock::new(),
            texcoords,
            normals,
            keeps_seams: OnceLock::new(),
            followed: None,
        })
    }

    /// Returns the column of positions.
    pub fn positions(&self) -> Column<Vertex, Vec3> {
        self.x
    }

    /// Makes the session keep the borders between faces of different objects, groups or materials
    /// ([`Session::keep_edges`]). Returns the number of these edges. Call it before any change.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn keep_groups<C: Edits>(
        &self,
        session: &mut Session<C>,
        rx: &RxMesh,
    ) -> Result<u32, Error> {
        let (marks, count) = self.mark_groups(session, rx)?;
        session.keep_edges(marks)?;
        Ok(count)
    }

    /// Makes the session hold these borders ([`Session::hold_edges`]); otherwise as [`Carried::keep_groups`].
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn hold_groups<C: Edits>(
        &self,
        session: &mut Session<C>,
        rx: &RxMesh,
    ) -> Result<u32, Error> {
        let (marks, count) = self.mark_groups(session, rx)?;
        session.hold_edges(marks)?;
        Ok(count)
    }

    /// Makes the session keep some edges ([`Session::keep_edges`]). Returns their number. Call it before any change.
    /// Nothing is kept if there are none.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] for a column that the faces do not have, or one of other numbers; any error of the engine.
    pub fn keep<C: Edits>(
        &self,
        session: &mut Session<C>,
        borders: &Borders,
    ) -> Result<u32, Error> {
        let edges = borders.edges(&self.mesh)?;
        if !edges.is_empty() {
            let marks = self.mark(session, &edges)?;
            session.keep_edges(marks)?;
            if borders.seams {
                self.keeps_seams.get_or_init(|| ());
            }
        }
        Ok(edges.len() as u32)
    }

    /// Makes the session hold some edges ([`Session::hold_edges`]); otherwise as [`Carried::keep`].
    ///
    /// # Errors
    ///
    /// As [`Carried::keep`].
    pub fn hold<C: Edits>(
        &self,
        session: &mut Session<C>,
        borders: &Borders,
    ) -> Result<u32, Error> {
        let edges = borders.edges(&self.mesh)?;
        let marks = self.mark(session, &edges)?;
        session.hold_edges(marks)?;
        Ok(edges.len() as u32)
    }

    /// Creates a column with 1 for each of some edges, which are in order and named by their ends in the mesh that came
    /// in.
    fn mark<C: Edits>(
        &self,
        session: &mut Session<C>,
        edges: &[[u32; 2]],
    ) -> Result<Column<Edge, u32>, Error> {
        let marks = session.column::<Edge, u32>()?;
        let vertices = session.values(self.vertices)?.read()?;
        let arrays = session.to_host()?;
        let ends = arrays.ev.as_chunks::<2>().0;
        // Slots that are not used may have ends that are none.
        let number = |v: u32| vertices.get(v as usize).copied().unwrap_or(u32::MAX);
        let mark = |ends: &[u32; 2]| {
            let [a, b] = ends.map(number);
            u32::from(edges.binary_search(&[a.min(b), a.max(b)]).is_ok())
        };
        let mut values: Vec<u32> = ends.par_iter().lean().map(mark).collect();
        values.resize(session.capacity(Kind::Edge) as usize, 0);
        session.set(marks, &values)?;
        Ok(marks)
    }

    /// Marks the edges between faces of different objects, groups or materials. Returns their number, too.
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

    /// Makes simplification record the vertex into which each one is collapsed, for [`Carried::map`]. To be called
    /// before anything is changed, and not if other algorithms change vertices besides.
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

    /// Returns the numbers in [`Carried::mesh`] of the vertices and faces of the input mesh.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn map<C: Edits>(&self, session: &Session<C>) -> Result<ElementMap, Error> {
        let now = session.open_mesh().snapshot()?;
        let vertices = session.values(self.vertices)?.read()?;
        let faces = session.values(self.faces)?.read()?;
        let order = NewElements::new(&self.mesh, &now, &vertices, &faces);
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

    /// Returns the positions and faces of [`Carried::mesh`], and the session ids of its vertices.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn shape<C: Edits>(&self, session: &Session<C>) -> Result<(TriMesh, Vec<u32>), Error> {
        let now = session.open_mesh().snapshot()?;
        let x = session.values(self.x)?.read()?;
        let vertices = session.values(self.vertices)?.read()?;
        let faces = session.values(self.faces)?.read()?;
        let order = NewElements::new(&self.mesh, &now, &vertices, &faces);
        let slots: Vec<u32> = order.vertices.iter().map(|v| v.slot).collect();
        let mesh = TriMesh {
            positions: slots.iter().map(|&v| x[v as usize]).collect(),
            faces: order.faces.iter().map(|f| f.corners).collect(),
            extras: Extras::default(),
            placement: self.mesh.placement,
        };
        Ok((mesh, slots))
    }

    /// Returns the current mesh with all its data, and messages about data that were lost. If nothing was changed it is
    /// the input mesh.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn mesh<C: Edits>(&self, session: &Session<C>) -> Result<(TriMesh, Vec<String>), Error> {
        let now = session.open_mesh().snapshot()?;
        let x = session.values(self.x)?.read()?;
        let vertices = session.values(self.vertices)?.read()?;
        let faces = session.values(self.faces)?.read()?;
        let order = NewElements::new(&self.mesh, &now, &vertices, &faces);
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
        let places = match self.places {
            Some(places) => {
                let come = session.values(places)?.read()?;
                let surface = self.surface.get_or_init(|| InputSurface::new(&self.mesh));
                let motion = session.motion();
                Some(InputPoints::new(
                    &self.mesh, &order, surface, motion, &x, &come,
                ))
            }
            None => None,
        };
        mesh.extras.comments = self.mesh.extras.comments.clone();
        mesh.extras.materials = self.mesh.extras.materials.clone();
        mesh.extras.tags = self.tags(&order);
        self.columns(&order, places.as_ref(), &mut mesh, &mut lost);
        let seams = self.seams(session, &order)?;
        let fans = seams.as_ref().map(|seams| SeamFans::new(&order, seams));
        let layer = |corners: &Option<CornerValues>, old: &Option<CornerLayer>| {
            let (places, surface) = (places.as_ref()?, self.surface.get()?);
            let (corners, old) = (corners.as_ref()?, old.as_ref()?);
            let (mesh, order) = (&self.mesh, &order);
            Some(
                Layer {
                    corners,
                    old,
                    mesh,
                    order,
                    places,
                    surface,
                    fans: fans.as_ref(),
                }
                .make(),
            )
        };
        mesh.extras.corner_texcoords = layer(&self.texcoords, &self.mesh.extras.corner_texcoords);
        mesh.extras.corner_normals = layer(&self.normals, &self.mesh.extras.corner_normals);
        self.normals(session, &order, &mut mesh)?;
        Ok((mesh, lost))
    }

    /// Returns the edges of the new mesh that the session keeps, by the numbers of their ends, the smaller first;
    /// `None` if these are not the seams.
    fn seams<C: Edits>(
        &self,
        session: &Session<C>,
        order: &NewElements,
    ) -> Result<Option<HashSet<[u32; 2]>>, Error> {
        let layers = self.texcoords.is_some() || self.normals.is_some();
        let marks = match (session.kept_edges(), self.keeps_seams.get()) {
            (Some(marks), Some(())) if layers => session.values(marks)?.read()?,
            _ => return Ok(None),
        };
        let arrays = session.to_host()?;
        let mut number = vec![GONE; session.capacity(Kind::Vertex) as usize];
        for (i, v) in order.vertices.iter().enumerate() {
            number[v.slot as usize] = i as u32;
        }
        let ends = arrays.ev.as_chunks::<2>().0.iter().zip(marks);
        let ends = ends.filter(|(_, mark)| *mark != 0).map(|(ends, _)| {
            let [a, b] = ends.map(|v| number.get(v as usize).copied().unwrap_or(GONE));
            [a.min(b), a.max(b)]
        });
        Ok(Some(ends.filter(|[_, b]| *b != GONE).collect()))
    }

    /// Moves each statement to the first face that arose from its own or a later one.
    fn tags(&self, order: &NewElements) -> Vec<Tag> {
        let moved = |tag: &Tag| Tag {
            face: order.faces.partition_point(|f| f.origin < tag.face) as u32,
            ..tag.clone()
        };
        self.mesh.extras.tags.iter().map(moved).collect()
    }

    fn columns(
        &self,
        order: &NewElements,
        places: Option<&InputPoints>,
        mesh: &mut TriMesh,
        lost: &mut Vec<String>,
    ) {
        let vertices: Vec<u32> = order.vertices.iter().map(|v| v.origin).collect();
        let faces: Vec<u32> = order.faces.iter().map(|f| f.origin).collect();
        for column in &self.mesh.extras.columns {
            match column.element {
                _ if column.name == NORMAL && column.width == 3 => {
                    if column.element == ElementKind::Face {
                        lost.push("normals of faces do not fit the result and are left out".into());
                    }
                }
                ElementKind::Face | ElementKind::Cell => {
                    mesh.extras.columns.push(column.gather(&faces))
                }
                ElementKind::Vertex => {
                    let mut new = column.gather(&vertices);
                    if let Some(places) = places {
                        places.put(&self.mesh, order, column, &mut new);
                    }
                    mesh.extras.columns.push(new);
                }
            }
        }
    }

    /// Recomputes the normals of vertices, for a mesh that had some, and those of corners: of unit length, and
    /// recomputed if the surface was carried away.
    fn normals<C: Edits>(
        &self,
        session: &Session<C>,
        order: &NewElements,
        mesh: &mut TriMesh,
    ) -> Result<(), Error> {
        if let Some(mut layer) = mesh.extras.corner_normals.take() {
            if let (Some(old), Some(normals)) = (&self.mesh.extras.corner_normals, &self.normals) {
                normals::make_units(&mut layer, old.entries());
                normals.keep_flat(old, order, mesh, &mut layer);
            }
            if session.motion() == Motion::WithSurface {
                normals::renew_normals(mesh, &mut layer);
            }
            mesh.extras.corner_normals = Some(layer);
        }
        if self.mesh.vertex_normals().is_none() {
            return Ok(());
        }
        let layer = mesh.extras.corner_normals.take();
        let rx = RxMesh::from_mesh(session.engine(), mesh)?;
        let x = rx.attribute_from::<Vertex, Vec3>(&mesh.positions)?;
        let mut n = rx.attribute()?;
        vertex_normals(&rx, &x, &mut n)?;
        mesh.set_vertex_normals(n.to_input(&rx)?)?;
        mesh.extras.corner_normals = layer;
        Ok(())
    }
}
