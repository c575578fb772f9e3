//! The passes of an iteration.

mod growth;
mod marks;
mod operators;
mod smoothing;

use super::RemeshOptions;
use super::goal::LargestMove;
use super::measure::SessionMeshes;
use crate::Error;
use crate::algo::distance::closest::SurfaceTree;
use crate::edit::{Column, Edits, Session};
use crate::engine::Buffer;
use crate::parallel::fill;
use glam::Vec3;
use growth::Guard;
use rxmesh_kernels::algo::distance::tree::IndexedTriangles;
use rxmesh_kernels::algo::improve::remesh::{HintedPoints, ScaleLengths, Sizing};
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::topo::{Edge, Kind, Vertex};

/// Meshes that are left as they are while others continue.
#[derive(Debug)]
struct Resting {
    each: Vec<bool>,
    /// The same for kernels; `None` if none is.
    words: Option<Buffer<u32>>,
    /// Part of the faces that is of the others.
    going: f64,
}

impl Resting {
    /// Returns the words for kernels; empty if no mesh rests.
    fn view(&self) -> Global<u32> {
        self.words.as_ref().map_or(Global::empty(), Buffer::global)
    }
}

/// A session with the data that remeshing keeps between its passes.
#[derive(Debug)]
pub(in crate::algo) struct Remesher {
    pub(super) x: Column<Vertex, Vec3>,
    moved: Column<Vertex, Vec3>,
    deviation: Column<Vertex, u32>,
    marks: Column<Edge, u32>,
    /// `true` if there are marks.
    any: bool,
    pub(super) features: u32,
    /// Input, and the leaf of it near each vertex.
    surface: Option<(SurfaceTree, Column<Vertex, u32>)>,
    /// Lengths by vertex.
    pub(super) lengths: Option<Column<Vertex, f32>>,
    /// Number of the mesh of each vertex, for several meshes.
    pub(super) labels: Option<Column<Vertex, u32>>,
    resting: Resting,
    /// Length of edges, or the factor of lengths by vertex.
    pub(in crate::algo) unit: f32,
    /// Triangles of a shape below this are flipped whatever valences say.
    slender: f32,
    pub(in crate::algo) guard: Guard,
    max_rounds: u32,
    /// See [`CollapseShort::limits`](rxmesh_kernels::algo::improve::remesh::CollapseShort::limits).
    limits: Buffer<f32>,
    no_lengths: Buffer<f32>,
    no_hints: Buffer<u32>,
}

impl Remesher {
    /// Creates a remesher; the unit is 1.
    pub(in crate::algo) fn new<C: Edits>(
        session: &mut Session<C>,
        x: Column<Vertex, Vec3>,
        options: &RemeshOptions,
        meshes: SessionMeshes,
    ) -> Result<Remesher, Error> {
        let surface = match options.project {
            true => Some(surface(session, x, meshes)?),
            false => None,
        };
        let mut remesher = Remesher {
            x,
            moved: session.column()?,
            deviation: session.column()?,
            marks: match session.kept_edges() {
                Some(marks) => marks,
                None => session.column()?,
            },
            any: session.kept_edges().is_some(),
            features: 0,
            surface,
            lengths: None,
            labels: meshes.labels,
            resting: Resting {
                each: vec![false; meshes.count],
                words: None,
                going: 1.0,
            },
            unit: 1.0,
            slender: 0.0,
            guard: Guard {
                most: u64::MAX,
                expected: 0,
            },
            max_rounds: options.max_rounds,
            limits: session.engine().zeroed(3 * meshes.count)?,
            no_lengths: session.engine().zeroed(0)?,
            no_hints: session.engine().zeroed(0)?,
        };
        if let Some(angle) = options.keep_features {
            remesher.features = remesher.mark_features(session, angle)?;
        }
        Ok(remesher)
    }

    /// Returns some part of the length that edges are to have.
    pub(in crate::algo) fn sizing<C: Edits>(
        &self,
        session: &Session<C>,
        part: f32,
    ) -> Result<Sizing, Error> {
        Ok(match self.lengths {
            None => Sizing::uniform(self.no_lengths.global_mut(), self.unit * part),
            Some(lengths) => Sizing {
                lengths: session.write(lengths)?,
                varies: 1,
                factor: self.unit * part,
                labels: self.labels(session)?,
                resting: self.resting.view(),
            },
        })
    }

    /// Leaves some of several meshes, which have lengths by vertex, as they are from now on.
    pub(super) fn rest<C: Edits>(
        &mut self,
        session: &Session<C>,
        meshes: SessionMeshes,
        each: Vec<bool>,
    ) -> Result<(), Error> {
        if self.resting.each == each {
            return Ok(());
        }
        let faces = meshes.counts(session, self.x)?;
        let all: f64 = faces.iter().copied().map(f64::from).sum();
        let others = faces.iter().zip(&each).filter(|(_, rests)| !**rests);
        let going: f64 = others.map(|(&n, _)| f64::from(n)).sum();
        let words: Vec<u32> = each.iter().copied().map(u32::from).collect();
        self.resting = Resting {
            each,
            words: Some(session.engine().upload(&words)?),
            going: going / all.max(1.0),
        };
        Ok(())
    }

    /// Returns the number of the mesh of each vertex; empty for one mesh.
    pub(super) fn labels<C: Edits>(&self, session: &Session<C>) -> Result<GlobalMut<u32>, Error> {
        match self.labels {
            Some(labels) => session.write(labels),
            None => Ok(self.no_hints.global_mut()),
        }
    }

    pub(in crate::algo) fn places<C: Edits>(
        &self,
        session: &Session<C>,
    ) -> Result<HintedPoints, Error> {
        Ok(HintedPoints {
            x: session.write(self.x)?,
            hints: match &self.surface {
                Some((_, hints)) => session.write(*hints)?,
                None => self.no_hints.global_mut(),
            },
            hinted: u32::from(self.surface.is_some()),
        })
    }

    /// Sets one length for all vertices, by vertex.
    pub(super) fn one_length<C: Edits>(&mut self, session: &mut Session<C>) -> Result<(), Error> {
        let lengths = session.column()?;
        let to = session.write(lengths)?.cast();
        fill(session.engine(), to, 1f32.to_bits())?;
        self.lengths = Some(lengths);
        Ok(())
    }

    /// Changes the lengths of each mesh by a factor.
    pub(super) fn scale<C: Edits>(
        &mut self,
        session: &Session<C>,
        factors: &[f32],
    ) -> Result<(), Error> {
        let (Some(labels), Some(lengths)) = (self.labels, self.lengths) else {
            self.unit *= factors[0];
            return Ok(());
        };
        if factors.iter().all(|&f| f == 1.0) {
            return Ok(());
        }
        let factors = session.engine().upload(factors)?;
        let kernel = ScaleLengths {
            mesh: session.mesh()?,
            labels: session.read(labels)?,
            factors: factors.global(),
            lengths: session.write(lengths)?,
        };
        let n = session.capacity(Kind::Vertex);
        Ok(session.engine().launch_flat(n, kernel)?)
    }

    /// Sets how far a contraction may move the surface of each mesh.
    pub(in crate::algo) fn limit<C: Edits>(
        &mut self,
        session: &Session<C>,
        moves: &[LargestMove],
    ) -> Result<(), Error> {
        let of = |m: &LargestMove| [m.always * m.always, m.part * m.part, m.few_faces];
        let limits: Vec<f32> = moves.iter().flat_map(of).collect();
        self.limits = session.engine().upload(&limits)?;
        Ok(())
    }
}

/// Returns the meshes as surfaces, and the leaf of each vertex there.
fn surface<C: Edits>(
    session: &mut Session<C>,
    x: Column<Vertex, Vec3>,
    meshes: SessionMeshes,
) -> Result<(SurfaceTree, Column<Vertex, u32>), Error> {
    if session.engine().is_cuda() && meshes.labels.is_none() {
        return surface_by_kernels(session, x);
    }
    let (mesh, slots) = session.to_mesh(x)?;
    let labels = match meshes.labels {
        Some(labels) => {
            let labels = session.values(labels)?.read()?;
            Some(slots.iter().map(|&v| labels[v as usize]).collect())
        }
        None => None,
    };
    let labels: Option<Vec<u32>> = labels;
    let (tree, leaves) = SurfaceTree::with_leaves(
        session.engine(),
        &mesh.positions,
        &mesh.faces,
        labels.as_deref().map(|labels| (labels, meshes.count)),
    )?;
    let mut hints = vec![0; session.capacity(Kind::Vertex) as usize];
    for (slot, leaf) in slots.into_iter().zip(leaves) {
        hints[slot as usize] = leaf;
    }
    let column = session.column()?;
    session.set(column, &hints)?;
    Ok((tree, column))
}

/// Works like [`surface`] for one mesh, without reading it.
fn surface_by_kernels<C: Edits>(
    session: &mut Session<C>,
    x: Column<Vertex, Vec3>,
) -> Result<(SurfaceTree, Column<Vertex, u32>), Error> {
    let hints = session.column()?;
    let session = &*session;
    let faces = session.live_corners()?;
    let triangles = IndexedTriangles {
        x: session.read(x)?,
        faces: faces.global(),
    };
    let tree = SurfaceTree::by_kernels(session.engine(), triangles, session.write(hints)?)?;
    Ok((tree, hints))
}
