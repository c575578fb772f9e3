//! How much of its volume a mesh kept.

use crate::text;
use rxmesh_host::Vec3;
use rxmesh_host::mesh::{TriMesh, volume};
use serde::Serialize;

/// Signed volumes before and after vertices moved, in cubed length; see [`rxmesh_host::mesh::Solid::volume`].
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Volumes {
    volume_before: f64,
    volume_after: f64,
}

impl Volumes {
    /// Of a mesh that lay elsewhere before.
    pub(crate) fn of(before: &[Vec3], mesh: &TriMesh) -> Volumes {
        Volumes {
            volume_before: volume(before, &mesh.faces),
            volume_after: volume(&mesh.positions, &mesh.faces),
        }
    }

    /// A line on it.
    pub(crate) fn line(&self) -> String {
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
