//! Flips, splits and contractions of edges that a program has chosen.

use super::{ChosenColumns, ChosenOutcome, change_listed, run_all};
use crate::Error;
use crate::edit::{Column, RunReport, Session};
use crate::engine::Buffer;
use crate::parallel::fill;
use crate::parallel::flags::count;
use glam::Vec3;
use rxmesh_kernels::algo::improve::chosen::edges::{CollapseChosen, FlipChosen, SplitChosen};
use rxmesh_kernels::topo::{Kind, Vertex};

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

/// Outcomes of [`change_flagged_edges`]. Edges that were neither changed nor refused are those in conflict.
#[derive(Debug)]
pub struct FlaggedOutcomes {
    /// Number of edges that were flagged.
    pub asked: u64,
    /// Edges with [`ChosenOutcome::Done`].
    pub done: u64,
    /// Edges with [`ChosenOutcome::Refused`].
    pub refused: u64,
    /// 1 for each edge that was changed, else 0, in the order of the edges before.
    pub changed: Buffer<u32>,
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
) -> Result<(RunReport, Vec<ChosenOutcome>), Error> {
    change_listed(session, columns, edges, max_rounds, |session, rounds| {
        run(session, x, columns, change, rounds)
    })
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
    let report = run_all(session, asked, max_rounds, |session, rounds| {
        run(session, x, columns, change, rounds)
    })?;
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

fn run(
    session: &mut Session,
    x: Column<Vertex, Vec3>,
    columns: ChosenColumns,
    change: EdgeChange,
    max_rounds: u32,
) -> Result<RunReport, Error> {
    match change {
        EdgeChange::Flip => session.run(max_rounds, |s| {
            Ok(FlipChosen {
                edges: columns.write(s)?,
                lines: s.lines()?,
            })
        }),
        EdgeChange::Split => session.run(max_rounds, |s| {
            Ok(SplitChosen {
                edges: columns.write(s)?,
                x: s.write(x)?,
                lines: s.lines()?,
            })
        }),
        EdgeChange::Collapse => session.run(max_rounds, |s| {
            Ok(CollapseChosen {
                edges: columns.write(s)?,
                x: s.write(x)?,
                lines: s.lines()?,
            })
        }),
    }
}
