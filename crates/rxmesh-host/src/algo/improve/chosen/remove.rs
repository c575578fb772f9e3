//! Deletion of elements that a program has chosen, and removal of vertices.

use super::{ChosenColumns, ChosenOutcome, change_listed};
use crate::Error;
use crate::edit::{RunReport, Session};
use rxmesh_kernels::algo::improve::chosen::delete::{DeleteEdges, DeleteFaces, DeleteVertices};
use rxmesh_kernels::algo::improve::chosen::vertices::RemoveVertices;
use rxmesh_kernels::topo::{Element, Kind, Vertex};

/// Deletes chosen vertices, edges or faces, as [`change_edges`](super::change_edges), with the edges and faces that
/// contain them. The holes stay open. Edges without faces go, and vertices without faces stay.
///
/// [`ChosenOutcome::Refused`] besides: an element whose faces are the only ones between others at a vertex, which would
/// have two fans; a vertex without faces. Marks of kept edges ([`Session::keep_edges`]) do not protect their edges.
///
/// # Errors
///
/// [`Error::Options`] for an id beyond the slots; any error of the session.
pub fn delete_elements<K: Element>(
    session: &mut Session,
    columns: ChosenColumns<K>,
    elements: &[u32],
    max_rounds: u32,
) -> Result<(RunReport, Vec<ChosenOutcome>), Error> {
    change_listed(
        session,
        columns,
        elements,
        max_rounds,
        |session, rounds| match K::KIND {
            Kind::Vertex => session.run(rounds, |s| {
                Ok(DeleteVertices {
                    chosen: columns.write(s)?,
                })
            }),
            Kind::Edge => session.run(rounds, |s| {
                Ok(DeleteEdges {
                    chosen: columns.write(s)?,
                })
            }),
            // Sessions have no cells.
            Kind::Face | Kind::Cell => session.run(rounds, |s| {
                Ok(DeleteFaces {
                    chosen: columns.write(s)?,
                })
            }),
        },
    )
}

/// Removes chosen vertices, as [`change_edges`](super::change_edges). The hole of each is filled with triangles that
/// meet in the neighbour of lowest id, or in the first neighbour counter-clockwise if the vertex lies on the boundary.
///
/// [`ChosenOutcome::Refused`] besides: a vertex with fewer than three neighbours, one whose fan would make an edge or a
/// face that exists, and one with a kept edge ([`Session::keep_edges`]).
///
/// # Errors
///
/// [`Error::Options`] for an id beyond the slots; any error of the session.
pub fn remove_vertices(
    session: &mut Session,
    columns: ChosenColumns<Vertex>,
    vertices: &[u32],
    max_rounds: u32,
) -> Result<(RunReport, Vec<ChosenOutcome>), Error> {
    change_listed(session, columns, vertices, max_rounds, |session, rounds| {
        session.run(rounds, |s| {
            Ok(RemoveVertices {
                chosen: columns.write(s)?,
                lines: s.lines()?,
            })
        })
    })
}
