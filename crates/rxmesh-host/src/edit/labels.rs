//! Checks of the labels of several meshes that lie in one session.

use super::{Column, Edits, Session};
use crate::Error;
use rxmesh_kernels::algo::improve::simplify::BatchCheck;
use rxmesh_kernels::topo::{Kind, Vertex};

/// Refuses labels of vertices that are no mesh's.
pub(crate) fn check_labels<C: Edits>(
    session: &Session<C>,
    labels: Column<Vertex, u32>,
    count: usize,
) -> Result<(), Error> {
    let wrong = session.engine().zeroed::<u32>(2)?;
    let kernel = BatchCheck {
        mesh: session.mesh()?,
        vertices: session.read(labels)?,
        count: count as u32,
        wrong: wrong.global_mut(),
    };
    session
        .engine()
        .launch_flat(session.capacity(Kind::Vertex), kernel)?;
    match wrong.read()?[1] {
        0 => Ok(()),
        v => Err(Error::Options(format!(
            "the vertex in slot {} is labelled as of a mesh for which there are no options: there are {count}",
            v - 1
        ))),
    }
}

/// Refuses a face whose vertices have different labels: `slot` is its slot and 1, or 0.
pub(crate) fn check_face(slot: u32) -> Result<(), Error> {
    match slot {
        0 => Ok(()),
        f => Err(Error::Options(format!(
            "the vertices of the face in slot {} are labelled as of different meshes",
            f - 1
        ))),
    }
}
