//! Meshes that are open for changes of single edges.

use crate::on::{AnySession, Connectivity, Keep, Seams};
use crate::{Error, Log, Mesh, Opens, Result, Silent};
use rxmesh_host::algo::chosen::{
    ChosenColumns, ChosenOutcome, EdgeChange, change_edges, change_flagged_edges,
};
use rxmesh_host::edit::{Carried, Column, Session, SessionFault};
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_host::kernels::topo::{Kind, Vertex};
use rxmesh_host::mesh::{Placement, Quality, TriMesh};
use rxmesh_host::{Error as HostError, Vec3};
use std::rc::Rc;

/// Mesh that is open on its engine for flips, splits and contractions of edges that the program chooses. Attributes go
/// along, and borders between groups and seams are kept. The result is the same on every run of an engine. Numbers of
/// edges, and which of changes that overlap comes first, depend on the patches: those of a GPU and of the CPU differ.
///
/// ```
/// use rxmesh::{Edit, EdgeChange, Engine, Mesh, generate};
///
/// # fn main() -> Result<(), rxmesh::Error> {
/// let ball = Mesh::on(generate::icosphere(2)?, Engine::cpu());
/// let mut edit = Edit::new(&ball)?;
/// let elements = edit.elements()?;
/// let x = &elements.mesh.positions;
/// let upper: Vec<u32> = (0..)
///     .zip(&elements.edges)
///     .filter(|(_, ends)| ends.iter().all(|&v| x[v as usize].z > 0.5))
///     .map(|(edge, _)| edge)
///     .collect();
/// let report = edit.change(EdgeChange::Split, &upper, None)?;
/// assert_eq!(report.done as usize, upper.len());
/// let finer = edit.finish()?;
/// assert_eq!(finer.vertex_count(), ball.vertex_count() + upper.len());
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Edit {
    engine: Engine,
    session: Session,
    x: Column<Vertex, Vec3>,
    /// Attributes; `None` of arrays on an engine, which have none.
    carried: Option<Carried>,
    /// Split vertices, which are joined here.
    seams: Option<Seams>,
    before: Quality,
    home: Placement,
    unit: f64,
    device_bytes: usize,
    columns: ChosenColumns,
    /// Elements since the last change.
    elements: Option<EditElements>,
    /// Messages for people about the mesh.
    pub warnings: Vec<String>,
}

/// Vertices, edges and faces of an [`Edit`] at one time.
#[derive(Clone, Debug)]
pub struct EditElements {
    /// Positions and faces.
    pub mesh: TriMesh,
    /// Ends of each edge: numbers of vertices.
    pub edges: Vec<[u32; 2]>,
    /// Session id of each edge.
    slots: Vec<u32>,
}

/// Result of [`Edit::change`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EdgeReport {
    /// Number of edges that were chosen, each counted once.
    pub asked: u64,
    /// Edges that were changed.
    pub done: u64,
    /// Edges whose change is not possible: an edge on the boundary or a line, or one that exists already (flips); the
    /// link condition, or lines that would meet (contractions); places that are not manifold.
    pub refused: u64,
    /// Edges whose change overlapped others: a contraction took an end of the edge, or the rounds were over.
    pub conflicts: u64,
    /// Number of rounds.
    pub rounds: u32,
    /// `true` for each edge that was changed, in the order of the edges before; empty of
    /// [`EngineEdit::change`].
    pub changed: Vec<bool>,
}

impl Edit {
    /// Opens a mesh. Vertices that a file has split along seams are joined until the end. The mesh itself stays as it
    /// is.
    ///
    /// # Errors
    ///
    /// A mesh that is not sound, and those of the engine.
    pub fn new(mesh: &Mesh) -> Result<Edit> {
        let mut log = Silent::default();
        let on = mesh.open(Keep::default().lines(false, true), true, &mut log)?;
        let session = on.session.into_claims();
        let mut session = session
            .ok_or_else(|| Error::Message("edits run under the scheduler of claims".into()))?;
        Ok(Edit {
            engine: mesh.engine().clone(),
            columns: ChosenColumns::new(&mut session)?,
            session,
            x: on.x,
            carried: on.carried.and_then(Rc::into_inner),
            seams: on.seams.and_then(Rc::into_inner),
            before: on.before,
            home: on.home,
            unit: on.unit,
            device_bytes: on.device_bytes,
            elements: None,
            warnings: log.warnings,
        })
    }

    /// Returns the engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Returns the vertices, edges and faces as they are now. Vertices of the input that are left come first, in its
    /// order, then new ones; of arrays on an engine, and of edges, the order is that of session ids. Edges that are
    /// left keep their order.
    ///
    /// # Errors
    ///
    /// Errors of the engine.
    pub fn elements(&mut self) -> Result<&EditElements> {
        let elements = match self.elements.take() {
            Some(elements) => elements,
            None => self.read_elements()?,
        };
        Ok(self.elements.insert(elements))
    }

    fn read_elements(&self) -> Result<EditElements> {
        let (mut mesh, vertices) = match &self.carried {
            Some(carried) => carried.shape(&self.session)?,
            None => self.session.to_mesh(self.x)?,
        };
        mesh.return_to(self.home);
        let ends = self.session.to_host()?.ev;
        let mut number = vec![u32::MAX; vertices.iter().max().map_or(0, |&v| v as usize + 1)];
        for (at, &slot) in (0..).zip(&vertices) {
            number[slot as usize] = at;
        }
        let (mut edges, mut slots) = (Vec::new(), Vec::new());
        for (slot, &[a, b]) in (0..).zip(ends.as_chunks::<2>().0) {
            // A slot without an edge names no vertex.
            if a != u32::MAX {
                edges.push([a, b].map(|v| number[v as usize]));
                slots.push(slot);
            }
        }
        Ok(EditElements { mesh, edges, slots })
    }

    /// Changes edges, which are named by their place in [`EditElements::edges`], each at most once: of changes that
    /// overlap one is carried out in a round, and the others are tried again in the next one, if their edges are still
    /// there; `max_rounds` limits them. Contractions are independent of each other: edges at an end of a contracted one
    /// are not contracted by the same call. No shapes are compared, so that a flip or a contraction may fold the
    /// surface.
    ///
    /// # Errors
    ///
    /// A number that no edge has: nothing is changed. Errors of the engine.
    pub fn change(
        &mut self,
        change: EdgeChange,
        edges: &[u32],
        max_rounds: Option<u32>,
    ) -> Result<EdgeReport> {
        let elements = self.elements()?;
        let mut changed = vec![false; elements.slots.len()];
        for &edge in edges {
            let Some(chosen) = changed.get_mut(edge as usize) else {
                let what = format!("there is no edge {edge}, but {} edges", changed.len());
                return Err(HostError::Options(what).into());
            };
            *chosen = true;
        }
        let chosen: Vec<usize> = (0..changed.len()).filter(|&edge| changed[edge]).collect();
        let slots: Vec<u32> = chosen.iter().map(|&edge| elements.slots[edge]).collect();
        let rounds = max_rounds.unwrap_or(u32::MAX);
        self.elements = None;
        let (session, columns) = (&mut self.session, self.columns);
        let (run, outcomes) = change_edges(session, self.x, columns, change, &slots, rounds)?;
        let count = |wanted| outcomes.iter().filter(|o| **o == wanted).count() as u64;
        let mut report = EdgeReport {
            asked: slots.len() as u64,
            done: count(ChosenOutcome::Done),
            refused: count(ChosenOutcome::Refused),
            conflicts: count(ChosenOutcome::Conflict),
            rounds: run.rounds,
            changed,
        };
        for (edge, outcome) in chosen.into_iter().zip(outcomes) {
            report.changed[edge] = outcome == ChosenOutcome::Done;
        }
        Ok(report)
    }

    /// Returns the edit of a mesh of arrays in the engine's memory, which stay there; `None` of other meshes.
    pub fn on_engine(&mut self) -> Option<EngineEdit<'_>> {
        self.carried.is_none().then_some(EngineEdit(self))
    }

    /// Returns the faults of the connectivity, of which there are none unless this library has a bug.
    ///
    /// # Errors
    ///
    /// Errors of the engine.
    pub fn validate(&self) -> Result<Vec<SessionFault>> {
        Ok(self.session.validate()?)
    }

    /// Returns the result.
    ///
    /// # Errors
    ///
    /// Positions that are not finite, and those of the engine.
    pub fn finish(self) -> Result<Mesh> {
        self.finish_with(&mut Silent::default())
    }

    /// Returns the result, and tells a log about places that stayed because they are not manifold, and about what could
    /// not be carried.
    ///
    /// # Errors
    ///
    /// As [`Edit::finish`].
    pub fn finish_with(self, log: &mut dyn Log) -> Result<Mesh> {
        let on = Connectivity {
            session: AnySession::Claims(self.session),
            x: self.x,
            carried: self.carried.map(Rc::new),
            several: None,
            seams: self.seams.map(Rc::new),
            before: self.before,
            target_length: None,
            validates_frames: false,
            frames: None,
            wants_frame: None,
            home: self.home,
            unit: self.unit,
            device_bytes: self.device_bytes,
        };
        on.close(&self.engine, log)
    }
}

/// [`Edit`] of a mesh of arrays in the engine's memory. Elements and chosen edges stay there: the host reads counts
/// only. They have the order of [`Edit::elements`], and a change has the outcome of [`Edit::change`].
#[derive(Debug)]
pub struct EngineEdit<'a>(&'a mut Edit);

impl EngineEdit<'_> {
    /// Returns the engine.
    pub fn engine(&self) -> &Engine {
        &self.0.engine
    }

    /// Returns the numbers of vertices, edges and faces as they are now.
    ///
    /// # Errors
    ///
    /// Errors of the engine.
    pub fn counts(&self) -> Result<[usize; 3]> {
        let count = |kind| self.0.session.live_count(kind).map(|n| n as usize);
        Ok([count(Kind::Vertex)?, count(Kind::Edge)?, count(Kind::Face)?])
    }

    /// Returns the positions as they are now.
    ///
    /// # Errors
    ///
    /// Errors of the engine.
    pub fn positions(&self) -> Result<Buffer<Vec3>> {
        Ok(self.0.session.to_engine_values(self.0.x)?)
    }

    /// Returns the corners of the faces as they are now: rows of [`EngineEdit::positions`].
    ///
    /// # Errors
    ///
    /// Errors of the engine.
    pub fn faces(&self) -> Result<Buffer<[u32; 3]>> {
        Ok(self.0.session.to_engine_faces()?)
    }

    /// Returns the ends of the edges as they are now: rows of [`EngineEdit::positions`].
    ///
    /// # Errors
    ///
    /// Errors of the engine.
    pub fn edges(&self) -> Result<Buffer<[u32; 2]>> {
        Ok(self.0.session.to_engine_edges()?)
    }

    /// Changes the edges whose flag is 1, of a flag for each edge in the order of [`EngineEdit::edges`]; other flags
    /// are 0. Returns the flags of the edges that were changed, in the same order, beside the report.
    ///
    /// # Errors
    ///
    /// Another number of flags: nothing is changed. Errors of the engine.
    pub fn change(
        &mut self,
        change: EdgeChange,
        edges: &Buffer<u32>,
        max_rounds: Option<u32>,
    ) -> Result<(EdgeReport, Buffer<u32>)> {
        let Edit {
            session,
            x,
            columns,
            elements,
            ..
        } = &mut *self.0;
        *elements = None;
        let rounds = max_rounds.unwrap_or(u32::MAX);
        let changed = change_flagged_edges(session, *x, *columns, change, edges, rounds);
        let (run, outcomes) = changed?;
        let report = EdgeReport {
            asked: outcomes.asked,
            done: outcomes.done,
            refused: outcomes.refused,
            conflicts: outcomes.asked - outcomes.done - outcomes.refused,
            rounds: run.rounds,
            changed: Vec::new(),
        };
        Ok((report, outcomes.changed))
    }
}
