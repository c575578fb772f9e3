//! Freedom of each vertex to move.

use crate::Error;
use crate::edit::{Cut, Session};
use crate::engine::Buffer;
use rxmesh_kernels::algo::improve::remesh::{MARKED, MarkEnds};
use rxmesh_kernels::algo::improve::simplify::{
    FREE_TO_MOVE, LOCKED, ON_LINE, STAYS, SimplifyBorders,
};
use rxmesh_kernels::edit::MarkFrozen;
use rxmesh_kernels::mem::Global;
use rxmesh_kernels::topo::Kind;

/// Returns the freedom of each vertex to move, as `QuadricSurface::holds` has it; empty if all may move. `keep` is
/// given if the boundary of a mesh is kept: `QuadricSurface::rules` and `QuadricSurface::parts`.
pub(super) fn holds(
    session: &Session,
    keep: Option<(Global<f32>, Global<u32>)>,
    cut: Option<&Cut>,
) -> Result<Buffer<u32>, Error> {
    let engine = session.engine();
    let any = session.frozen_faces() > 0
        || session.kept_edges().is_some()
        || cut.is_some()
        || keep.is_some();
    if !any {
        return Ok(engine.zeroed(0)?);
    }
    let mut holds = match cut {
        Some(cut) => engine.upload(&cut.places)?,
        None => engine.zeroed(session.capacity(Kind::Vertex) as usize)?,
    };
    if session.frozen_faces() > 0 {
        let kernel = MarkFrozen {
            mesh: session.mesh()?,
            claims: session.face_claims()?,
            marks: holds.global_mut(),
            mark: LOCKED,
        };
        engine.launch_flat(session.capacity(Kind::Face), kernel)?;
    }
    if let Some((rules, parts)) = keep {
        let kernel = SimplifyBorders {
            mesh: session.mesh()?,
            rules,
            parts,
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
            // Vertices where lines end, branch or meet the boundary stay.
            if *hold == FREE_TO_MOVE && end >= MARKED {
                *hold = if end == 2 * (1 + MARKED) {
                    ON_LINE
                } else {
                    STAYS
                };
            }
        }
        holds.write(&both)?;
    }
    Ok(holds)
}
