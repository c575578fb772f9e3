//! Volumes before and after a move.

use crate::text;
use rxmesh_host::units;
use serde::Serialize;

/// Signed volumes before and after vertices moved, in cubed length; see [`rxmesh_host::mesh::Solid::volume`].
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Volumes {
    volume_before: f64,
    volume_after: f64,
}

units!(Volumes {
    volume_before: Volume,
    volume_after: Volume
});

impl Volumes {
    /// Takes the volumes before and after a move ([`Vertices::volume`](crate::on::Vertices::volume)).
    pub fn new(before: f64, after: f64) -> Volumes {
        Volumes {
            volume_before: before,
            volume_after: after,
        }
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
