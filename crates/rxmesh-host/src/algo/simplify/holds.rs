//! What may be done to each vertex.

use super::Boundary;
use crate::Error;
use crate::edit::{Cut, Session};
use crate::engine::Buffer;
use rxmesh_kernels::algo::remesh::MarkEnds;
use rxmesh_kernels::algo::simplify::{SimplifyBorders, SimplifyHolds};
use rxmesh_kernels::topo::Kind;

/// What may be done to each vertex, as `QuadricSurface::holds` has it; empty when all may move.
pub(super) fn holds(
    session: &Session,
    boundary: Boundary,
    cut: Option<&Cut>,
) -> Result<Buffer<u32>, Error> {
    let engine = session.engine();
    let any = session.frozen_faces() > 0
        || session.kept_edges().is_some()
        || cut.is_some()
        || boundary == Boundary::Keep;
    if !any {
        return Ok(engine.zeroed(0)?);
    }
    let mut holds = match cut {
        Some(cut) => engine.upload(&cut.places)?,
        None => engine.zeroed(session.capacity(Kind::Vertex) as usize)?,
    };
    if session.frozen_faces() > 0 {
        let kernel = SimplifyHolds {
            mesh: session.mesh()?,
            claims: session.face_claims()?,
            holds: holds.global_mut(),
        };
        engine.launch_flat(session.capacity(Kind::Face), kernel)?;
    }
    if boundary == Boundary::Keep {
        let kernel = SimplifyBorders {
            mesh: session.mesh()?,
            holds: holds.global_mut(),
        };
        engine.launch_flat(session.capacity(Kind::Edge), kernel)?;
    }
    if let Some(marks) = session.kept_edges() {
        let ends = engine.zeroed::<u32>(holds.len())?;
        let kernel = MarkEnds {
            mesh: session.mesh()?,
            marks: session.read(marks)?,
            ends: ends.global_mut(),
        };
        engine.launch_flat(session.capacity(Kind::Edge), kernel)?;
        let (mut both, ends) = (holds.read()?, ends.read()?);
        for (hold, end) in both.iter_mut().zip(ends) {
            *hold = end.max(*hold);
        }
        holds.write(&both)?;
    }
    Ok(holds)
}
