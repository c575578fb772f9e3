//! Copies of a body of a scene.

use super::spec::BodySpec;
use crate::solve::SolverSpec;
use glam::Vec3;
use rxmesh_host::Error;
use rxmesh_host::mesh::TetMesh;
use serde::{Deserialize, Serialize};

/// Largest number of copies of a body.
const MOST: u64 = 1 << 20;

/// Copies of a body on a lattice; the first one has the position of the body.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Copies {
    /// Number of copies along x, y and z.
    pub count: [u32; 3],
    /// Distances from one copy to the next along x, y and z, in metres.
    pub spacing: [f32; 3],
}

impl Copies {
    /// Refuses values out of range.
    pub(super) fn check(&self, spec: &BodySpec) -> Result<(), Error> {
        let all = self.count.iter().map(|&n| u64::from(n));
        let all = all.fold(1u64, u64::saturating_mul);
        if all == 0 || all > MOST {
            return Err(Error::Options(format!(
                "`copies` are {:?}, which must be 1 to {MOST} in all",
                self.count
            )));
        }
        if self.offsets().any(|o| !o.is_finite()) {
            let why = "the `spacing` of `copies` is not finite, or leads too far";
            return Err(Error::Options(why.into()));
        }
        if !matches!(spec.solver, SolverSpec::Hybrid(_) | SolverSpec::Explicit(_)) {
            let why = "`copies` move by `solver.mpm` or `solver.explicit`, and by no other solver";
            return Err(Error::Options(why.into()));
        }
        Ok(())
    }

    /// Returns the offset of each copy from the first.
    pub(super) fn offsets(&self) -> impl Iterator<Item = Vec3> {
        let ([x, y, z], spacing) = (self.count, Vec3::from(self.spacing));
        let rows = (0..z).flat_map(move |k| (0..y).map(move |j| (j, k)));
        let places = rows.flat_map(move |(j, k)| (0..x).map(move |i| [i, j, k]));
        places.map(move |at| Vec3::from(at.map(|n| n as f32)) * spacing)
    }
}

/// Joins all copies in one mesh, for frames and pins.
pub(super) fn joined(mesh: &TetMesh, offsets: &[Vec3]) -> Result<TetMesh, Error> {
    let n = mesh.vertex_count();
    let fits = n
        .checked_mul(offsets.len())
        .and_then(|n| u32::try_from(n).ok());
    if fits.is_none() {
        let why = format!(
            "{} copies of {n} vertices are more than 32 bits can number",
            offsets.len()
        );
        return Err(Error::Options(why));
    }
    let positions = offsets
        .iter()
        .flat_map(|&o| mesh.positions.iter().map(move |&p| p + o));
    let cells = (0..offsets.len()).flat_map(|k| {
        let first = (k * n) as u32;
        mesh.cells.iter().map(move |cell| cell.map(|v| v + first))
    });
    Ok(TetMesh::new(positions.collect(), cells.collect())?)
}
