//! Sharpness of a mesh's edges and vertices, on its engine.

use crate::{Boundary, Mesh};
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine, EngineError};
use rxmesh_host::mesh::{MeshError, PolyMesh};
use rxmesh_kernels::mem::Global;
use rxmesh_subdivision_kernels::catmull_clark::creases::Creases;
use rxmesh_subdivision_kernels::catmull_clark::once::{PartEdges, PartVertices};
use rxmesh_subdivision_kernels::sharpness::{self as kernels, EdgeSharpness, FindEdges};
use rxmesh_subdivision_kernels::sharpness::{INFINITE, VertexSharpness};
use rxmesh_subdivision_kernels::topology::NONE;

const _: () = assert!(INFINITE == PolyMesh::SHARP);

/// Sharpness of a mesh's edges and vertices on its engine. What is smooth everywhere takes no memory.
///
/// Boundary edges are infinitely sharp by rule, and so are vertices of several fans of faces; vertices of one face are
/// with [`Boundary::EdgeAndCorner`].
#[derive(Debug)]
pub struct Sharpness {
    edges: Option<Buffer<f32>>,
    vertices: Option<Buffer<f32>>,
    /// The largest finite sharpness of an edge inside, and of a vertex.
    most: f32,
}

impl Sharpness {
    /// Brings the sharpness that `poly` lists to the engine of `mesh`, which was made of it. Of several values for one
    /// edge or vertex the last counts.
    ///
    /// # Errors
    ///
    /// [`MeshError::Extras`] for two vertices without an edge between them; what the engine says.
    pub fn new(mesh: &Mesh, poly: &PolyMesh, boundary: Boundary) -> Result<Sharpness, Error> {
        let edges = poly.sharp_edges.iter().map(|e| e.sharpness);
        let finite = edges.chain(poly.sharp_vertices.iter().map(|v| v.sharpness));
        Ok(Sharpness {
            most: finite.filter(|&s| s < INFINITE).fold(0.0, f32::max),
            edges: edges_of(mesh, poly)?,
            vertices: vertices_of(mesh, poly, boundary)?,
        })
    }

    /// What one level of Catmull-Clark leaves of it, for the quads that it makes of `before`.
    pub(crate) fn after_one(
        &self,
        before: &Mesh,
        creases: &Creases,
        quads: &Mesh,
    ) -> Result<Sharpness, Error> {
        let engine = before.engine();
        let mut after = Sharpness {
            edges: None,
            vertices: None,
            most: kernels::after(self.most, 1),
        };
        if self.edges.is_some() {
            let out = engine.zeroed(quads.edge_count() as usize)?;
            let kernel = PartEdges {
                before: before.topology(),
                creases: *creases,
                after: quads.topology(),
                out: out.global_mut(),
            };
            engine.launch_flat(quads.edge_count(), kernel)?;
            after.edges = Some(out);
        }
        if self.vertices.is_some() {
            let out = engine.zeroed(quads.vertex_count() as usize)?;
            let kernel = PartVertices {
                creases: *creases,
                out: out.global_mut(),
            };
            engine.launch_flat(before.vertex_count(), kernel)?;
            after.vertices = Some(out);
        }
        Ok(after)
    }

    /// What kernels see.
    pub fn view(&self) -> kernels::Sharpness {
        kernels::Sharpness {
            edges: view(&self.edges),
            vertices: view(&self.vertices),
        }
    }

    /// Whether edges inside are listed as sharp: then [`kernels::Sharpness::edges`] has values.
    pub fn has_edges(&self) -> bool {
        self.edges.is_some()
    }

    /// Whether any vertex is sharp.
    pub fn has_vertices(&self) -> bool {
        self.vertices.is_some()
    }

    /// The largest sharpness that wears off.
    pub fn most(&self) -> f32 {
        self.most
    }

    /// Bytes on the engine.
    pub fn bytes(&self) -> u64 {
        let n = |b: &Option<Buffer<f32>>| b.as_ref().map_or(0, |b| 4 * b.len() as u64);
        n(&self.edges) + n(&self.vertices)
    }

    /// Sharpness of all edges and vertices; no values where all are smooth.
    ///
    /// # Errors
    ///
    /// What the engine says.
    pub fn to_host(&self) -> Result<[Vec<f32>; 2], EngineError> {
        let read =
            |b: &Option<Buffer<f32>>| b.as_ref().map_or(Ok(Vec::new()), |buffer| buffer.read());
        Ok([read(&self.edges)?, read(&self.vertices)?])
    }
}

fn view(buffer: &Option<Buffer<f32>>) -> Global<f32> {
    buffer.as_ref().map_or(Global::empty(), Buffer::global)
}

fn edges_of(mesh: &Mesh, poly: &PolyMesh) -> Result<Option<Buffer<f32>>, Error> {
    let list = &poly.sharp_edges;
    if list.is_empty() {
        return Ok(None);
    }
    let engine: &Engine = mesh.engine();
    let ends: Vec<u32> = list.iter().flat_map(|e| e.ends).collect();
    let values: Vec<f32> = list.iter().map(|e| e.sharpness).collect();
    let (ends, values) = (engine.upload(&ends)?, engine.upload(&values)?);
    let last = engine.zeroed(mesh.edge_count() as usize)?;
    let missing = engine.upload(&[NONE])?;
    engine.launch_flat(
        list.len() as u32,
        FindEdges {
            mesh: mesh.topology(),
            ends: ends.global(),
            last: last.global_mut(),
            missing: missing.global_mut(),
        },
    )?;
    let missing = missing.read()?[0];
    if missing != NONE {
        let [a, b] = list[missing as usize].ends;
        return Err(Error::Mesh(MeshError::Extras {
            what: format!(
                "sharp edge {missing} is between vertices {a} and {b}, but no face has an edge between them (counted \
                    from 0)"
            ),
        }));
    }
    let edges = engine.zeroed(mesh.edge_count() as usize)?;
    engine.launch_flat(
        mesh.edge_count(),
        EdgeSharpness {
            mesh: mesh.topology(),
            last: last.global(),
            values: values.global(),
            edges: edges.global_mut(),
        },
    )?;
    Ok(Some(edges))
}

fn vertices_of(
    mesh: &Mesh,
    poly: &PolyMesh,
    boundary: Boundary,
) -> Result<Option<Buffer<f32>>, Error> {
    let engine = mesh.engine();
    let vertices = if poly.sharp_vertices.is_empty() {
        engine.zeroed(mesh.vertex_count() as usize)?
    } else {
        let mut values = vec![0.0; mesh.vertex_count() as usize];
        for v in &poly.sharp_vertices {
            values[v.vertex as usize] = v.sharpness;
        }
        engine.upload(&values)?
    };
    let any = engine.zeroed(1)?;
    engine.launch_flat(
        mesh.vertex_count(),
        VertexSharpness {
            around: mesh.around(),
            corners: u32::from(boundary == Boundary::EdgeAndCorner),
            vertices: vertices.global_mut(),
            any: any.global_mut(),
        },
    )?;
    let any = any.read()?[0] != 0;
    Ok((any || !poly.sharp_vertices.is_empty()).then_some(vertices))
}
