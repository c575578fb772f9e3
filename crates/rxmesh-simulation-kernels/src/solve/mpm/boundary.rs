//! Walls of the grid, and solids in it, as conditions on the velocities of nodes.

use super::grid::Grid;
use crate::contact::Contacts;
use glam::Vec3;
use rxmesh_kernels::math::sqrt;

/// Number of nodes at each side of the grid that form the wall: a particle's stencil has three along an axis.
pub const WALL: u32 = 3;

impl Grid {
    /// Returns the velocity of a node without the part that leaves the grid at its walls, which are frictionless.
    #[inline(always)]
    pub fn keep_in(&self, (x, y, z): (u32, u32, u32), v: Vec3) -> Vec3 {
        let along = |node: u32, nodes: u32, v: f32| {
            let out = node < WALL && v < 0.0 || node + WALL >= nodes && v > 0.0;
            if out { 0.0 } else { v }
        };
        Vec3::new(
            along(x, self.x, v.x),
            along(y, self.y, v.y),
            along(z, self.z, v.z),
        )
    }
}

impl Contacts {
    /// Returns the velocity of a node without the part that goes into a solid around it, and with Coulomb's friction
    /// for that.
    #[inline(always)]
    pub fn keep_out(&self, x: Vec3, mut v: Vec3) -> Vec3 {
        let mut i = 0;
        while i < self.solids.len() {
            let solid = self.solids.get(i);
            let (distance, n) = solid.distance(x, self.grids);
            let along = v - solid.speed(x);
            let into = along.dot(n);
            if distance < 0.0 && into < 0.0 {
                let slip = along - n * into;
                let size = sqrt(slip.dot(slip));
                let most = -into * solid.friction;
                v -= n * into;
                v -= if size > most {
                    slip * (most / size)
                } else {
                    slip
                };
            }
            i += 1;
        }
        v
    }
}
