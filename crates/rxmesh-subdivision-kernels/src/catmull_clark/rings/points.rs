//! Points around base vertices, as they are stored.

use super::super::ComponentRows;
use super::POINTS;
use crate::topology::Topology;
use rxmesh_kernels::args;
use rxmesh_kernels::mem::Global;

args! {
    /// Points around base vertices at all levels before the last.
    pub struct RingPoints {
        /// Values at the base: level 0.
        pub base: ComponentRows,
        /// Number of levels, including the last one.
        pub depth: u32,
        /// Number of each corner among those that are stored.
        pub slots: Global<u32>,
        /// [`POINTS`] points for each stored corner and each level from 1 to `depth` - 1.
        pub corners: Global<f32>,
        /// Points of vertices for each level from 1 to `depth` - 1, of those whose corners are stored.
        pub centres: Global<f32>,
    }
}

/// Returns the offset of the points of a stored corner in [`RingPoints::corners`], for a level from 1 on.
#[inline(always)]
pub(super) fn of_slot(slot: u32, depth: u32, n: u32, level: u32) -> u32 {
    (slot * (depth - 1) + level - 1) * POINTS * n
}

/// Returns the base vertex that is a point of a corner at level 0.
#[inline(always)]
pub(super) fn at_base(mesh: &Topology, h: u32, point: u32) -> u32 {
    mesh.corners.get((h & !3) | ((h + 1 + point) & 3))
}

impl RingPoints {
    /// Returns a component of a point of a corner at a level before the last; `n` components are stored.
    #[inline(always)]
    pub fn corner(
        &self,
        mesh: &Topology,
        n: u32,
        h: u32,
        level: u32,
        point: u32,
        component: u32,
    ) -> f32 {
        if level == 0 {
            self.base.get(at_base(mesh, h, point), component)
        } else {
            let at = of_slot(self.slots.get(h), self.depth, n, level);
            self.corners.get(at + point * n + component)
        }
    }

    /// Returns a component of a vertex at a level before the last.
    #[inline(always)]
    pub fn centre(&self, mesh: &Topology, n: u32, v: u32, level: u32, component: u32) -> f32 {
        if level == 0 {
            self.base.get(v, component)
        } else {
            let row = (level - 1) * mesh.vertex_count() + v;
            self.centres.get(row * n + component)
        }
    }
}
