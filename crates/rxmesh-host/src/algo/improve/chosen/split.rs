//! Splits of vertices that a program has chosen.

use super::{ChosenColumns, ChosenOutcome, change_listed};
use crate::Error;
use crate::edit::{Column, RunReport, Session};
use glam::Vec3;
use rxmesh_kernels::algo::improve::chosen::vertices::SplitVertices;
use rxmesh_kernels::topo::{Kind, Vertex};

/// Split of a vertex: the inverse of the contraction of the edge from the new vertex to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VertexSplit {
    /// Vertex, which keeps its id, its position and its values.
    pub vertex: u32,
    /// Two of its neighbours. Those from the first to the second, counter-clockwise, become neighbours of the new
    /// vertex; these two stay neighbours of the vertex as well, and the others are of the vertex alone.
    pub neighbours: [u32; 2],
    /// Position of the new vertex.
    pub place: Vec3,
}

/// Columns of a session for [`split_vertices`].
#[derive(Clone, Copy, Debug)]
pub struct SplitColumns {
    chosen: ChosenColumns<Vertex>,
    first: Column<Vertex, u32>,
    last: Column<Vertex, u32>,
    places: Column<Vertex, Vec3>,
}

impl SplitColumns {
    /// Adds the columns to a session.
    ///
    /// # Errors
    ///
    /// No memory on the engine.
    pub fn new(session: &mut Session) -> Result<SplitColumns, Error> {
        Ok(SplitColumns {
            chosen: ChosenColumns::new(session)?,
            first: session.column()?,
            last: session.column()?,
            places: session.column()?,
        })
    }
}

/// Splits chosen vertices, as [`change_edges`](super::change_edges). Of several splits of one vertex the last counts.
/// Returns the outcome for each split, in order.
///
/// [`ChosenOutcome::Refused`] besides: a split whose neighbours are not two different neighbours of the vertex when its
/// turn comes, after splits around it; a vertex with a kept edge ([`Session::keep_edges`]).
///
/// The new vertex has the interpolated and traced values of the vertex ([`Session::interpolate`]).
///
/// # Errors
///
/// [`Error::Options`] for a vertex beyond the slots; any error of the session.
pub fn split_vertices(
    session: &mut Session,
    x: Column<Vertex, Vec3>,
    columns: SplitColumns,
    splits: &[VertexSplit],
    max_rounds: u32,
) -> Result<(RunReport, Vec<ChosenOutcome>), Error> {
    let slots = session.capacity(Kind::Vertex) as usize;
    let (mut first, mut last) = (vec![0; slots], vec![0; slots]);
    let mut places = vec![Vec3::ZERO; slots];
    for split in splits {
        let v = split.vertex as usize;
        // Ids beyond the slots are reported below.
        if v < slots {
            [first[v], last[v]] = split.neighbours;
            places[v] = split.place;
        }
    }
    session.set(columns.first, &first)?;
    session.set(columns.last, &last)?;
    session.set(columns.places, &places)?;
    let vertices: Vec<u32> = splits.iter().map(|split| split.vertex).collect();
    change_listed(
        session,
        columns.chosen,
        &vertices,
        max_rounds,
        |session, rounds| {
            session.run(rounds, |s| {
                Ok(SplitVertices {
                    chosen: columns.chosen.write(s)?,
                    first: s.write(columns.first)?,
                    last: s.write(columns.last)?,
                    places: s.write(columns.places)?,
                    x: s.write(x)?,
                    lines: s.lines()?,
                })
            })
        },
    )
}
