//! Local changes of elements that a program has chosen: edges, faces and vertices.
//!
//! Elements are named by their session ids. Changes that do not overlap are carried out in one round; of those that
//! overlap one is carried out, by the order of hashes, and the others are tried again in the next round, if their
//! elements are still there. No positions are compared: a change may fold the surface. Frozen faces, at places that are
//! not manifold, stay.

mod edges;
mod faces;
mod remove;
mod split;

pub use edges::{EdgeChange, FlaggedOutcomes, change_edges, change_flagged_edges};
pub use faces::{FaceChange, change_faces};
pub use remove::{delete_elements, remove_vertices};
pub use split::{SplitColumns, VertexSplit, split_vertices};

use crate::Error;
use crate::edit::{Column, RunReport, Session};
use rxmesh_kernels::algo::improve::chosen::ChosenElements;
use rxmesh_kernels::topo::{Edge, Element};

/// Outcome of the change of a chosen element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChosenOutcome {
    /// The element was changed.
    Done,
    /// The change is not possible, and the element is still there: it is frozen, or the change would not leave a
    /// surface without double edges and faces. The functions say what else they refuse.
    Refused,
    /// The change overlapped others: one of them has taken the element, or the rounds were over.
    Conflict,
}

/// Columns of a session for changes of chosen elements of a kind.
#[derive(Debug)]
pub struct ChosenColumns<K: Element = Edge> {
    asked: Column<K, u32>,
    done: Column<K, u32>,
}

impl<K: Element> Clone for ChosenColumns<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: Element> Copy for ChosenColumns<K> {}

impl<K: Element> ChosenColumns<K> {
    /// Adds the columns to a session.
    ///
    /// # Errors
    ///
    /// No memory on the engine.
    pub fn new(session: &mut Session) -> Result<ChosenColumns<K>, Error> {
        Ok(ChosenColumns {
            asked: session.column()?,
            done: session.column()?,
        })
    }

    /// Returns the columns as a field of kernels.
    fn write(&self, session: &Session) -> Result<ChosenElements, Error> {
        Ok(ChosenElements {
            asked: session.write(self.asked)?,
            done: session.write(self.done)?,
        })
    }
}

/// Changes listed elements, each at most once, by `run`, which runs an operator for some rounds. Returns the outcome
/// for each element, in order.
fn change_listed<K: Element>(
    session: &mut Session,
    columns: ChosenColumns<K>,
    chosen: &[u32],
    max_rounds: u32,
    run: impl FnMut(&mut Session, u32) -> Result<RunReport, Error>,
) -> Result<(RunReport, Vec<ChosenOutcome>), Error> {
    let kind = K::KIND;
    let slots = session.capacity(kind) as usize;
    let mut asked = vec![0u32; slots];
    for &id in chosen {
        let Some(asked) = asked.get_mut(id as usize) else {
            return Err(Error::Options(format!(
                "there is no {} {id}",
                name_of::<K>()
            )));
        };
        *asked = 1;
    }
    session.set(columns.asked, &asked)?;
    session.set(columns.done, &vec![0; slots])?;
    let report = run_all(session, chosen.len() as u64, max_rounds, run)?;
    let done = session.values(columns.done)?.read()?;
    let mut outcomes: Vec<ChosenOutcome> = chosen
        .iter()
        .map(|&id| match done[id as usize] {
            0 => ChosenOutcome::Conflict,
            _ => ChosenOutcome::Done,
        })
        .collect();
    if report.finished && outcomes.contains(&ChosenOutcome::Conflict) {
        let asked = session.values(columns.asked)?.read()?;
        let arrays = session.to_host()?;
        for (outcome, &id) in outcomes.iter_mut().zip(chosen) {
            let is_there = arrays.lives(kind, id) && asked[id as usize] != 0;
            if *outcome == ChosenOutcome::Conflict && is_there {
                *outcome = ChosenOutcome::Refused;
            }
        }
    }
    Ok((report, outcomes))
}

/// Returns the word for elements of a kind in messages.
fn name_of<K: Element>() -> &'static str {
    use rxmesh_kernels::topo::Kind;
    match K::KIND {
        Kind::Vertex => "vertex",
        Kind::Edge => "edge",
        Kind::Face => "face",
        Kind::Cell => "cell",
    }
}

/// Runs the rounds of a change of `chosen` elements, `max_rounds` at most.
fn run_all(
    session: &mut Session,
    chosen: u64,
    max_rounds: u32,
    mut run: impl FnMut(&mut Session, u32) -> Result<RunReport, Error>,
) -> Result<RunReport, Error> {
    let mut report = RunReport {
        finished: chosen == 0,
        ..RunReport::default()
    };
    while chosen > 0 && report.rounds < max_rounds {
        let pass = run(session, max_rounds - report.rounds)?;
        report.merge(&pass);
        // A change that was refused may be possible once others are done.
        if pass.done == 0 || !pass.finished {
            break;
        }
    }
    Ok(report)
}
