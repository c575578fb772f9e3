//! Sharpness of a mesh's edges and vertices, on its engine.

use crate::faces::Extras;
use crate::growable::GrowableBuffer;
use crate::launch::Launch;
use crate::{Boundary, Mesh};
use rxmesh_host::Error;
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::mesh::{MeshError, PolyMesh};
use rxmesh_subdivision_kernels::catmull_clark::creases::Creases;
use rxmesh_subdivision_kernels::catmull_clark::once::{PartEdges, PartVertices};
use rxmesh_subdivision_kernels::sharpness::{self as kernels, EdgeSharpness, FindEdges};
use rxmesh_subdivision_kernels::sharpness::{INFINITE, VertexSharpness};
use rxmesh_subdivision_kernels::topology::NONE;

const _: () = assert!(INFINITE == PolyMesh::SHARP);

/// Sharpness of a mesh's edges and vertices on its engine. A smooth mesh takes no memory.
///
/// Boundary edges are infinitely sharp by rule, and so are vertices of several fans of faces; vertices of one face are
/// infinitely sharp with [`Boundary::EdgeAndCorner`].
#[derive(Debug)]
pub struct Sharpness {
    edges: GrowableBuffer<f32>,
    vertices: GrowableBuffer<f32>,
    /// Largest finite sharpness of an interior edge or a vertex.
    most: f32,
    lists: SharpnessLists,
}

/// Listed sharpness on the engine.
#[derive(Debug)]
struct SharpnessLists {
    ends: GrowableBuffer<u32>,
    values: GrowableBuffer<f32>,
    /// Buffer of [`FindEdges::last`].
    last: GrowableBuffer<u32>,
    /// Buffer of [`FindEdges::missing`].
    missing: GrowableBuffer<u32>,
}

impl Sharpness {
    /// Uploads the sharpness that `poly` lists to the engine of `mesh`, which was made of it. The last of several
    /// values for one edge or vertex is used.
    ///
    /// # Errors
    ///
    /// [`MeshError::Extras`] for two vertices without an edge between them; any error of the engine.
    pub fn new(mesh: &Mesh, poly: &PolyMesh, boundary: Boundary) -> Result<Sharpness, Error> {
        let mut sharpness = Sharpness::empty(mesh.engine())?;
        sharpness.make(mesh, &Extras::of(poly), boundary)?;
        Ok(sharpness)
    }

    /// Makes the sharpness of a smooth mesh.
    pub(crate) fn empty(engine: &Engine) -> Result<Sharpness, Error> {
        Ok(Sharpness {
            edges: GrowableBuffer::empty(engine)?,
            vertices: GrowableBuffer::empty(engine)?,
            most: 0.0,
            lists: SharpnessLists {
                ends: GrowableBuffer::empty(engine)?,
                values: GrowableBuffer::empty(engine)?,
                last: GrowableBuffer::empty(engine)?,
                missing: GrowableBuffer::empty(engine)?,
            },
        })
    }

    /// Sets the sharpness as [`Sharpness::new`], in existing memory. Nothing is launched if nothing is sharp.
    pub(crate) fn make(
        &mut self,
        mesh: &Mesh,
        extras: &Extras,
        boundary: Boundary,
    ) -> Result<(), Error> {
        let edges = extras.sharp_edges.iter().map(|e| e.sharpness);
        let finite = edges.chain(extras.sharp_vertices.iter().map(|v| v.sharpness));
        self.most = finite.filter(|&s| s < INFINITE).fold(0.0, f32::max);
        self.make_edges(mesh, extras)?;
        self.make_vertices(mesh, extras, boundary)
    }

    fn make_edges(&mut self, mesh: &Mesh, extras: &Extras) -> Result<(), Error> {
        let list = extras.sharp_edges;
        self.edges.shrink(0);
        if list.is_empty() {
            return Ok(());
        }
        let engine = mesh.engine();
        let lists = &mut self.lists;
        let ends: Vec<u32> = list.iter().flat_map(|e| e.ends).collect();
        let values: Vec<f32> = list.iter().map(|e| e.sharpness).collect();
        lists.ends.fill(&ends)?;
        lists.values.fill(&values)?;
        lists.last.set_len(mesh.edge_count() as usize)?;
        lists.last.clear()?;
        lists.missing.fill(&[NONE])?;
        engine.launch_flat(
            list.len() as u32,
            FindEdges {
                mesh: mesh.topology(),
                ends: lists.ends.global(),
                last: lists.last.global_mut(),
                missing: lists.missing.global_mut(),
            },
        )?;
        let missing = lists.missing.read()?[0];
        if missing != NONE {
            let [a, b] = list[missing as usize].ends;
            return Err(Error::Mesh(MeshError::Extras {
                what: format!(
                    "sharp edge {missing} is between vertices {a} and {b}, but no face has an edge between them \
                        (counted from 0)"
                ),
            }));
        }
        self.edges.set_len(mesh.edge_count() as usize)?;
        engine.launch_flat(
            mesh.edge_count(),
            EdgeSharpness {
                mesh: mesh.topology(),
                last: lists.last.global(),
                values: lists.values.global(),
                edges: self.edges.global_mut(),
            },
        )?;
        Ok(())
    }

    fn make_vertices(
        &mut self,
        mesh: &Mesh,
        extras: &Extras,
        boundary: Boundary,
    ) -> Result<(), Error> {
        let list = extras.sharp_vertices;
        let corners = boundary == Boundary::EdgeAndCorner;
        let by_rule = mesh.special.fans || corners && mesh.special.corners;
        self.vertices.shrink(0);
        if list.is_empty() && !by_rule {
            return Ok(());
        }
        let n = mesh.vertex_count();
        if list.is_empty() {
            self.vertices.set_len(n as usize)?;
            self.vertices.clear()?;
        } else {
            let mut values = vec![0.0; n as usize];
            for v in list {
                values[v.vertex as usize] = v.sharpness;
            }
            self.vertices.fill(&values)?;
        }
        if by_rule {
            let kernel = VertexSharpness {
                around: mesh.around(),
                corners: u32::from(corners),
                vertices: self.vertices.global_mut(),
            };
            mesh.engine().launch_flat(n, kernel)?;
        }
        Ok(())
    }

    /// Computes the sharpness after one Catmull-Clark level of `base`, for the quads that it makes of `before`.
    pub(crate) fn make_after_one(
        &mut self,
        base: &Sharpness,
        before: &Mesh,
        creases: &Creases,
        quads: &Mesh,
    ) -> Result<(), Error> {
        let engine = before.engine();
        self.most = kernels::after(base.most, 1);
        self.edges.shrink(0);
        self.vertices.shrink(0);
        if base.has_edges() {
            self.edges.set_len(quads.edge_count() as usize)?;
            let kernel = PartEdges {
                before: before.topology(),
                creases: *creases,
                after: quads.topology(),
                out: self.edges.global_mut(),
            };
            engine.launch_flat(quads.edge_count(), kernel)?;
        }
        if base.has_vertices() {
            self.vertices.set_len(quads.vertex_count() as usize)?;
            self.vertices.clear()?;
            let kernel = PartVertices {
                creases: *creases,
                out: self.vertices.global_mut(),
            };
            engine.launch_flat(before.vertex_count(), kernel)?;
        }
        Ok(())
    }

    /// Returns the view for kernels.
    pub fn view(&self) -> kernels::Sharpness {
        kernels::Sharpness {
            edges: self.edges.global(),
            vertices: self.vertices.global(),
        }
    }

    /// Returns `true` if interior edges are listed as sharp: then [`kernels::Sharpness::edges`] has values.
    pub fn has_edges(&self) -> bool {
        self.edges.len() > 0
    }

    /// Returns `true` if any vertex is sharp.
    pub fn has_vertices(&self) -> bool {
        self.vertices.len() > 0
    }

    /// Returns the largest finite sharpness.
    pub fn most(&self) -> f32 {
        self.most
    }

    /// Returns the number of bytes on the engine.
    pub fn bytes(&self) -> u64 {
        let lists = &self.lists;
        let floats = [&self.edges, &self.vertices, &lists.values];
        let words = [&lists.ends, &lists.last, &lists.missing];
        let floats: u64 = floats.iter().map(|r| r.bytes()).sum();
        floats + words.iter().map(|r| r.bytes()).sum::<u64>()
    }

    /// Returns the sharpness of all edges and vertices; no values if all are smooth.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn to_host(&self) -> Result<[Vec<f32>; 2], EngineError> {
        Ok([self.edges.read()?, self.vertices.read()?])
    }
}
