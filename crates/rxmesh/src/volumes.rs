//! Volumes before and after a move.

use crate::text;
use rxmesh_host::Vec3;
use rxmesh_host::mesh::{Placement, TriMesh, volume};
use serde::Serialize;

/// Signed volumes before and after vertices moved, in cubed length; see [`rxmesh_host::mesh::Solid::volume`].
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Volumes {
    volume_before: f64,
    volume_after: f64,
}

impl Volumes {
    /// Computes the volumes before and after a move, in file units, from the positions of [`Volumes::before`].
    pub fn of((positions, place): &(Vec<Vec3>, Placement), mesh: &TriMesh) -> Volumes {
        let unit = |place: &Placement| place.scale.powi(3);
        Volumes {
            volume_before: volume(positions, &mesh.faces) * unit(place),
            volume_after: volume(&mesh.positions, &mesh.faces) * unit(&mesh.placement),
        }
    }

    /// Copies positions and placement of a mesh, for [`Volumes::of`].
    pub fn before(mesh: &TriMesh) -> (Vec<Vec3>, Placement) {
        (mesh.positions.clone(), mesh.placement)
    }

    /// Formats the volumes and their change as a line.
    pub fn line(&self) -> String {
        let (before, after) = (self.volume_before, self.volume_after);
        let change = if before == 0.0 {
            String::new()
        } else {
            format!(" ({:+.3} %)", 100.0 * (after - before) / before.abs())
        };
        format!(
            "\nvolume: {} before, {} after{change}",
            text::number(before),
            text::number(after)
        )
    }
}
