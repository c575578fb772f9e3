//! Flips, splits and contractions of edges that a program has chosen.

use crate::Error;
use crate::edit::{Column, RunReport, Session};
use crate::engine::Buffer;
use crate::parallel::fill;
use crate::parallel::flags::count;
use glam::Vec3;
use rxmesh_kernels::algo::improve::chosen::{ChosenEdges, CollapseChosen, FlipChosen, SplitChosen};
use rxmesh_kernels::topo::{Edge, Kind, Vertex};

/// Change of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeChange {
    /// The other diagonal of the two faces takes its place.
    Flip,
    /// A new vertex in its middle divides it, and its faces.
    Split,
    /// Its ends become one vertex: in the middle, or where the boundary or a line holds one of them.
    Collapse,
}

/// Outcome of the change of an edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeOutcome {
    /// The edge was changed.
    Done,
    /// The change is not possible, and the edge is still there: it is frozen, a flip of it would make an edge that
    /// exists, is on the boundary or a line, or a contraction would change the topology or join lines (link
    /// condition).
    Refused,
    /// The change overlapped others: a contraction has taken an end of the edge, or the rounds were over.
    Conflict,
}

/// Outcomes of [`change_flagged_edges`]. Edges that were neither changed nor refused are those in conflict.
#[derive(Debug)]
pub struct FlaggedOutcomes {
    /// Number of edges that were flagged.
    pub asked: u64,
    /// Edges with [`EdgeOutcome::Done`].
    pub done: u64,
    /// Edges with [`EdgeOutcome::Refused`].
    pub refused: u64,
    /// 1 for each edge that was changed, else 0, in the order of the edges before.
    pub changed: Buffer<u32>,
}

/// Columns of a session for [`change_edges`].
#[derive(Clone, Copy, Debug)]
pub struct ChosenColumns {
    asked: Column<Edge, u32>,
    done: Column<Edge, u32>,
}

impl ChosenColumns {
    /// Adds the columns to a session.
    ///
    /// # Errors
    ///
    /// No memory on the engine.
    pub fn new(session: &mut Session) -> Result<ChosenColumns, Error> {
        Ok(ChosenColumns {
            asked: session.column()?,
            done: session.column()?,
        })
    }
}

/// Changes chosen edges, which are named by their session ids, each at most once. Of changes that overlap, one is
/// carried out in a round, by the order of hashes, and the others are tried again in the next round, if their edges are
/// still there. Returns the outcome for each edge, in order.
///
/// New vertices report where they arise ([`Session::interpolate`]); kept lines continue ([`Session::keep_edges`]). No
/// positions are compared: a flip or a contraction may fold the surface.
///
/// # Errors
///
/// [`Error::Options`] for an id that no live edge has; any error of the session.
pub fn change_edges(
    session: &mut Session,
    x: Column<Vertex, Vec3>,
    columns: ChosenColumns,
    change: EdgeChange,
    edges: &[u32],
    max_rounds: u32,
) -> Result<(RunReport, Vec<EdgeOutcome>), Error> {
    let slots = session.capacity(Kind::Edge) as usize;
    let mut asked = vec![0u32; slots];
    for &edge in edges {
        let Some(asked) = asked.get_mut(edge as usize) else {
            return Err(Error::Options(format!("there is no edge {edge}")));
        };
        *asked = 1;
    }
    session.set(columns.asked, &asked)?;
    session.set(columns.done, &vec![0; slots])?;
    let report = run_all(session, x, columns, change, edges.len() as u64, max_rounds)?;
    let done = session.values(columns.done)?.read()?;
    let mut outcomes: Vec<EdgeOutcome> = edges
        .iter()
        .map(|&edge| match done[edge as usize] {
            0 => EdgeOutcome::Conflict,
            _ => EdgeOutcome::Done,
        })
        .collect();
    if report.finished && outcomes.contains(&EdgeOutcome::Conflict) {
        let asked = session.values(columns.asked)?.read()?;
        let ends = session.to_host()?.ev;
        for (outcome, &edge) in outcomes.iter_mut().zip(edges) {
            let is_there = ends[2 * edge as usize] != u32::MAX && asked[edge as usize] != 0;
            if *outcome == EdgeOutcome::Conflict && is_there {
                *outcome = EdgeOutcome::Refused;
            }
        }
    }
    Ok((report, outcomes))
}

/// Changes edges on the engine, as [`change_edges`]: those whose flag is 1, of a flag for each live edge, in the order
/// of [`Session::to_engine_edges`]. The host reads counts only.
///
/// # Errors
///
/// [`Error::Options`] for another number of flags; any error of the session.
pub fn change_flagged_edges(
    session: &mut Session,
    x: Column<Vertex, Vec3>,
    columns: ChosenColumns,
    change: EdgeChange,
    edges: &Buffer<u32>,
    max_rounds: u32,
) -> Result<(RunReport, FlaggedOutcomes), Error> {
    let before = session.live_slots(Kind::Edge)?;
    if edges.len() != before.count as usize {
        let (flags, count) = (edges.len(), before.count);
        let what = format!("there are {flags} flags, and {count} edges");
        return Err(Error::Options(what));
    }
    before.write(edges, session.write(columns.asked)?)?;
    fill(session.engine(), session.write(columns.done)?, 0)?;
    let asked = count(edges)?;
    let report = run_all(session, x, columns, change, asked, max_rounds)?;
    let changed = before.values(session.read(columns.done)?, 1)?;
    let done = count(&changed)?;
    // New edges are not chosen: those that still are were refused.
    let left = match report.finished && done < asked {
        true => {
            let now = session.live_slots(Kind::Edge)?;
            count(&now.values(session.read(columns.asked)?, 1)?)?
        }
        false => 0,
    };
    let outcomes = FlaggedOutcomes {
        asked,
        done,
        refused: left,
        changed,
    };
    Ok((report, outcomes))
}

/// Runs the rounds of a change of so many edges, at most as many as are allowed.
fn run_all(
    session: &mut Session,
    x: Column<Vertex, Vec3>,
    columns: ChosenColumns,
    change: EdgeChange,
    edges: u64,
    max_rounds: u32,
) -> Result<RunReport, Error> {
    let mut report = RunReport {
        finished: edges == 0,
        ..RunReport::default()
    };
    while edges > 0 && report.rounds < max_rounds {
        let left = max_rounds - report.rounds;
        let pass = run(session, x, columns, change, left)?;
        report.merge(&pass);
        // A change that was refused may be possible once others are done.
        if pass.done == 0 || !pass.finished {
            break;
        }
    }
    Ok(report)
}

fn run(
    session: &mut Session,
    x: Column<Vertex, Vec3>,
    columns: ChosenColumns,
    change: EdgeChange,
    max_rounds: u32,
) -> Result<RunReport, Error> {
    let chosen = |s: &Session| -> Result<ChosenEdges, Error> {
        Ok(ChosenEdges {
            asked: s.write(columns.asked)?,
            done: s.write(columns.done)?,
        })
    };
    match change {
        EdgeChange::Flip => session.run(max_rounds, |s| {
            Ok(FlipChosen {
                edges: chosen(s)?,
                lines: s.lines()?,
            })
        }),
        EdgeChange::Split => session.run(max_rounds, |s| {
            Ok(SplitChosen {
                edges: chosen(s)?,
                x: s.write(x)?,
                lines: s.lines()?,
            })
        }),
        EdgeChange::Collapse => session.run(max_rounds, |s| {
            Ok(CollapseChosen {
                edges: chosen(s)?,
                x: s.write(x)?,
                lines: s.lines()?,
            })
        }),
    }
}
