//! Contractions and splits of faces that a program has chosen.

use super::{ChosenColumns, ChosenOutcome, change_listed};
use crate::Error;
use crate::edit::{Column, RunReport, Session};
use glam::Vec3;
use rxmesh_kernels::algo::improve::chosen::faces::{
    CollapseFaces, SplitFacesInFour, SplitFacesInThree,
};
use rxmesh_kernels::topo::{Face, Vertex};

/// Change of a face.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaceChange {
    /// Its corners become one vertex in its centre: it goes with the faces across its sides.
    Collapse,
    /// A new vertex in its centre divides it.
    SplitInThree,
    /// New vertices at the midpoints of its sides divide it, and the faces across its sides into two each, so that no
    /// face has a vertex inside a side.
    SplitInFour,
}

/// Changes chosen faces, each at most once, as [`change_edges`](super::change_edges). A split in four takes the faces
/// across with it: if they were chosen as well their outcome is [`ChosenOutcome::Conflict`].
///
/// [`ChosenOutcome::Refused`] besides: a contraction of a face whose corners meet no disk of faces, or at a corner of
/// which an edge is kept ([`Session::keep_edges`]); a split in four of a face with an inner corner of three faces, with
/// two faces across that have the same tip, or whose sides are all on the boundary.
///
/// New vertices report where they arise ([`Session::interpolate`]).
///
/// # Errors
///
/// [`Error::Options`] for an id beyond the slots; any error of the session.
pub fn change_faces(
    session: &mut Session,
    x: Column<Vertex, Vec3>,
    columns: ChosenColumns<Face>,
    change: FaceChange,
    faces: &[u32],
    max_rounds: u32,
) -> Result<(RunReport, Vec<ChosenOutcome>), Error> {
    change_listed(
        session,
        columns,
        faces,
        max_rounds,
        |session, rounds| match change {
            FaceChange::Collapse => session.run(rounds, |s| {
                Ok(CollapseFaces {
                    chosen: columns.write(s)?,
                    x: s.write(x)?,
                    lines: s.lines()?,
                })
            }),
            FaceChange::SplitInThree => session.run(rounds, |s| {
                Ok(SplitFacesInThree {
                    chosen: columns.write(s)?,
                    x: s.write(x)?,
                    lines: s.lines()?,
                })
            }),
            FaceChange::SplitInFour => session.run(rounds, |s| {
                Ok(SplitFacesInFour {
                    chosen: columns.write(s)?,
                    x: s.write(x)?,
                    lines: s.lines()?,
                })
            }),
        },
    )
}
