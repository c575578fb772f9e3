//! Contact of the edges of a body's surface with solids.

use crate::colour::{Host, each_cell};
use crate::launch::LaunchSimulation;
use crate::{Body, Surroundings};
use rxmesh_host::engine::Buffer;
use rxmesh_host::mesh::CELL_FACES;
use rxmesh_host::store::{Dimension, RxMesh, Surface, Volume};
use rxmesh_host::{Error, Vec3};
use rxmesh_kernels::mem::Global;
use rxmesh_kernels::topo::Kind;
use rxmesh_simulation_kernels::contact::{Edges, KickEdges, TouchEdges};

/// Adjacency of vertices by edges, and buffers for the contact response of edges.
#[derive(Debug)]
pub(crate) struct EdgeContacts {
    starts: Buffer<u32>,
    others: Buffer<u32>,
    mass: Buffer<f32>,
    touch: Buffer<[f32; 10]>,
    kicks: Buffer<Vec3>,
}

/// Positions at which edge contact is evaluated.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Displaced {
    /// Displacement; empty for none.
    pub(crate) u: Global<Vec3>,
    /// Direction that is added to it, `length` times.
    pub(crate) change: Global<Vec3>,
    pub(crate) length: f32,
}

/// Mesh whose surface has edges.
pub(crate) trait Outline: Dimension {
    /// Returns the linear ids of the ends of each edge, the lower first; in any order.
    fn edges(rx: &RxMesh<Self>) -> Result<Vec<[u32; 2]>, Error>;
}

impl Outline for Volume {
    fn edges(rx: &RxMesh<Volume>) -> Result<Vec<[u32; 2]>, Error> {
        let mut faces = Vec::with_capacity(4 * rx.count(Kind::Cell) as usize);
        each_cell(rx, |_, cell| {
            for face in CELL_FACES {
                let mut face = face.map(|k| cell[k]);
                face.sort_unstable();
                faces.push(face);
            }
        });
        faces.sort_unstable();
        let outer = faces.chunk_by(|a, b| a == b).filter(|same| same.len() == 1);
        let mut edges: Vec<[u32; 2]> = outer
            .flat_map(|f| [[f[0][0], f[0][1]], [f[0][0], f[0][2]], [f[0][1], f[0][2]]])
            .collect();
        edges.sort_unstable();
        edges.dedup();
        Ok(edges)
    }
}

impl Outline for Surface {
    fn edges(rx: &RxMesh<Surface>) -> Result<Vec<[u32; 2]>, Error> {
        let host = Host::surface(rx)?;
        let mut edges = Vec::with_capacity(rx.count(Kind::Edge) as usize);
        for h in host.headers {
            let all = &host.topology[h.ev_section() as usize..];
            let owned = &all.as_chunks::<2>().0[..h.owned_of(Kind::Edge) as usize];
            edges.extend(owned.iter().map(|ends| {
                let mut ends = ends.map(|v| host.vertex(h, v.into()));
                ends.sort_unstable();
                ends
            }));
        }
        Ok(edges)
    }
}

impl EdgeContacts {
    /// Makes the tables. Each edge has a part of the masses of its ends: a vertex divides its mass equally among its
    /// edges.
    fn new<D: Outline>(body: &Body<D>) -> Result<EdgeContacts, Error> {
        let (rx, engine) = (body.mesh(), body.engine());
        let n = rx.linear_len(Kind::Vertex) as usize;
        let (edges, masses) = (D::edges(rx)?, body.mass.engine_values()?);
        let mut starts = vec![0u32; n + 1];
        for v in edges.as_flattened() {
            starts[*v as usize + 1] += 1;
        }
        let part = |v: u32| masses[v as usize] / starts[v as usize + 1] as f32;
        let of_edges: Vec<f32> = edges.iter().map(|[a, b]| part(*a) + part(*b)).collect();
        for v in 0..n {
            starts[v + 1] += starts[v];
        }
        let (mut others, mut mass) = (vec![0; 2 * edges.len()], vec![0.0; 2 * edges.len()]);
        let mut next = starts.clone();
        for (&[a, b], m) in edges.iter().zip(of_edges) {
            for (v, other) in [(a, b), (b, a)] {
                let at = &mut next[v as usize];
                (others[*at as usize], mass[*at as usize]) = (other, m);
                *at += 1;
            }
        }
        Ok(EdgeContacts {
            starts: engine.upload(&starts)?,
            others: engine.upload(&others)?,
            mass: engine.upload(&mass)?,
            touch: engine.zeroed(n)?,
            kicks: engine.zeroed(n)?,
        })
    }

    fn view(&self) -> Edges {
        Edges {
            starts: self.starts.global(),
            others: self.others.global(),
            mass: self.mass.global(),
        }
    }
}

/// Returns the edges of a body's surface if a solid needs them; they are made on first use.
fn edges<'a, D: Outline>(
    body: &'a Body<D>,
    around: &Surroundings,
) -> Result<Option<&'a EdgeContacts>, Error> {
    if !around.touches_edges() {
        return Ok(None);
    }
    if body.edges.get().is_none() {
        // If another thread has made them meanwhile, they are equal.
        let _ = body.edges.set(EdgeContacts::new(body)?);
    }
    Ok(body.edges.get())
}

/// Computes the contact response of edges on vertices in an implicit step, one launch; empty if no solid needs edges.
pub(crate) fn touch_edges<D: Outline>(
    body: &Body<D>,
    around: &Surroundings,
    at: Displaced,
    dt: f32,
) -> Result<Global<[f32; 10]>, Error> {
    let Some(edges) = edges(body, around)? else {
        return Ok(Global::empty());
    };
    let kernel = TouchEdges {
        edges: edges.view(),
        contacts: around.contacts(),
        x: body.position.global()?,
        u: at.u,
        change: at.change,
        length: at.length,
        dt,
        to: edges.touch.global_mut(),
    };
    let n = body.mesh().linear_len(Kind::Vertex);
    body.engine().launch_flat(n, kernel)?;
    Ok(edges.touch.global())
}

/// Computes the velocity changes by edges in an explicit step, one launch; empty if no solid needs edges.
pub(crate) fn kick_edges<D: Outline>(
    body: &Body<D>,
    around: &Surroundings,
    dt: f32,
) -> Result<Global<Vec3>, Error> {
    let Some(edges) = edges(body, around)? else {
        return Ok(Global::empty());
    };
    let kernel = KickEdges {
        edges: edges.view(),
        contacts: around.contacts(),
        x: body.position.global()?,
        v: body.velocity.global()?,
        inverse_mass: body.inverse_mass.global()?,
        gravity: around.gravity(),
        dt,
        to: edges.kicks.global_mut(),
    };
    let n = body.mesh().linear_len(Kind::Vertex);
    body.engine().launch_flat(n, kernel)?;
    Ok(edges.kicks.global())
}
