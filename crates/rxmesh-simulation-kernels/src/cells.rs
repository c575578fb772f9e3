//! Cells at rest and deformed: gradients of shape functions and of the displacement, and forces on corners.
//!
//! Nothing of the rest shape is stored: it is computed from the rest positions each time, which is a fifth of the
//! memory traffic. Volume and inverse cancel where possible, so that cells of any size work.

use crate::small::add_outer;
use glam::{DMat3, DVec3, Mat3, Vec3};

/// Rest shape of a cell.
#[derive(Clone, Copy, Debug)]
pub struct RestCell {
    /// Cofactors of the three edges from corner 0: the gradients of the other corners' shape functions times six times
    /// the volume.
    pub cofactors: Mat3,
    /// Six times the volume.
    pub six: f32,
}

impl RestCell {
    /// Computes the shape from the edges from corner 0 to the others.
    #[inline(always)]
    pub fn new([a, b, c]: [Vec3; 3]) -> RestCell {
        let bc = b.cross(c);
        RestCell {
            cofactors: Mat3::from_cols(bc, c.cross(a), a.cross(b)),
            six: a.dot(bc),
        }
    }

    /// Returns the gradient of a displacement that is zero at corner 0 and has these values at the others.
    #[inline(always)]
    pub fn gradient(&self, [a, b, c]: [Vec3; 3]) -> Mat3 {
        let inverse = 1.0 / self.six;
        let k = self.cofactors;
        let d = add_outer(Mat3::ZERO, a, k.x_axis * inverse);
        let d = add_outer(d, b, k.y_axis * inverse);
        add_outer(d, c, k.z_axis * inverse)
    }

    /// Returns the forces on corners 1 to 3 for a stress: minus the derivatives of the cell's energy.
    #[inline(always)]
    pub fn forces(&self, stress: Mat3) -> [Vec3; 3] {
        let k = self.cofactors;
        let times = |v: Vec3| {
            (stress.x_axis * v.x + stress.y_axis * v.y + stress.z_axis * v.z) * (-1.0 / 6.0)
        };
        [times(k.x_axis), times(k.y_axis), times(k.z_axis)]
    }
}

/// Computes [`RestCell::gradient`] in double precision, and six times the volume, from the edges at rest and the
/// displacements.
#[inline(always)]
pub fn gradient64(rest: [DVec3; 3], d: [DVec3; 3]) -> (DMat3, f64) {
    let [a, b, c] = rest;
    let bc = b.cross(c);
    let six = a.dot(bc);
    let inverse = 1.0 / six;
    let rows = [bc * inverse, c.cross(a) * inverse, a.cross(b) * inverse];
    let outer = |d: DVec3, r: DVec3| DMat3::from_cols(d * r.x, d * r.y, d * r.z);
    let sum = outer(d[0], rows[0]) + outer(d[1], rows[1]) + outer(d[2], rows[2]);
    (sum, six)
}

/// Returns the values of corners 1 to 3, with one for corner 0 such that all four sum to zero.
#[inline(always)]
pub fn balanced([a, b, c]: [Vec3; 3]) -> [Vec3; 4] {
    [-(a + b + c), a, b, c]
}
