//! Energies of a cell: densities of `F = I + D`, where `D` is the gradient of the displacement.
//!
//! All are functions of the singular values of `F` (but for [`Linear`]), so that their Hessians have one form in the
//! frame of its singular vectors ([`Hessian`]; Smith, De Goes and Kim 2019), which is made positive semi-definite
//! there.

mod corotated;
mod linear;
mod neo_hookean;
#[cfg(test)]
mod tests;

pub use corotated::{Arap, Corotated};
pub use linear::Linear;
pub use neo_hookean::NeoHookean;

use crate::material::Lame;
use crate::small::{Svd, Symmetric, svd, without_negative};
use glam::{DMat3, DVec3, Mat3, Vec3};

/// An energy of cells.
pub trait Energy: Copy + Send + Sync + core::fmt::Debug + 'static {
    /// The derivative of the density by `F` (first Piola-Kirchhoff stress), in pascals. Of no displacement it is zero
    /// exactly.
    fn stress(m: Lame, d: Mat3) -> Mat3;
    /// The density in joules a cubic metre; zero of no displacement.
    fn density(m: Lame, d: DMat3) -> f64;
    /// The frame and the second derivatives there, positive semi-definite.
    fn hessian(m: Lame, d: Mat3) -> (Svd, Hessian);
}

/// Second derivatives of a density in the frame of `F = U diag(s) V^T`: how the stress `U^T dP V` follows from `Z = U^T
/// dF V`. Positive semi-definite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hessian {
    /// On the diagonals.
    pub diagonal: Symmetric,
    /// `dP[i][j]` from `Z[i][j]`, for 01, 02, 12.
    pub same: Vec3,
    /// `dP[i][j]` from `Z[j][i]`.
    pub cross: Vec3,
}

impl Hessian {
    /// From values that may be indefinite: each part is replaced by the nearest one that is not.
    #[inline(always)]
    fn projected(diagonal: Symmetric, same: Vec3, cross: Vec3) -> Hessian {
        // Eigenvalues of the symmetric and the skew part of a pair. Not a number counts as negative.
        let positive = |x: f32| if x > 0.0 { x } else { 0.0 };
        let clamp = |v: Vec3| Vec3::new(positive(v.x), positive(v.y), positive(v.z));
        let (flip, twist) = (clamp(same + cross), clamp(same - cross));
        Hessian {
            diagonal: without_negative(diagonal),
            same: (flip + twist) * 0.5,
            cross: (flip - twist) * 0.5,
        }
    }

    /// The change of the stress in the frame, for a change of `F` there.
    #[inline(always)]
    pub fn apply(&self, z: Mat3) -> Mat3 {
        let [xx, yy, zz, xy, xz, yz] = self.diagonal;
        let (s, c) = (self.same, self.cross);
        let (a, b, d) = (z.x_axis, z.y_axis, z.z_axis);
        Mat3::from_cols(
            Vec3::new(
                xx * a.x + xy * b.y + xz * d.z,
                s.x * a.y + c.x * b.x,
                s.y * a.z + c.y * d.x,
            ),
            Vec3::new(
                s.x * b.x + c.x * a.y,
                xy * a.x + yy * b.y + yz * d.z,
                s.z * b.z + c.z * d.y,
            ),
            Vec3::new(
                s.y * d.x + c.y * a.z,
                s.z * d.y + c.z * b.z,
                xz * a.x + yz * b.y + zz * d.z,
            ),
        )
    }

    /// The 3 by 3 block, in the frame of `U`, that couples a corner with itself: `w` is `V^T` times the gradient of the
    /// corner's shape function.
    #[inline(always)]
    pub fn block(&self, w: Vec3) -> Symmetric {
        let [xx, yy, zz, xy, xz, yz] = self.diagonal;
        let (s, c, q) = (self.same, self.cross, w * w);
        [
            xx * q.x + s.x * q.y + s.y * q.z,
            yy * q.y + s.x * q.x + s.z * q.z,
            zz * q.z + s.y * q.x + s.z * q.y,
            (c.x + xy) * w.x * w.y,
            (c.y + xz) * w.x * w.z,
            (c.z + yz) * w.y * w.z,
        ]
    }
}

/// The frame of `I + d`.
#[inline(always)]
fn frame(d: Mat3) -> Svd {
    svd(Mat3::from_cols(
        d.x_axis + Vec3::X,
        d.y_axis + Vec3::Y,
        d.z_axis + Vec3::Z,
    ))
}

/// The frame of no turn.
#[inline(always)]
fn no_turn() -> Svd {
    Svd {
        u: Mat3::IDENTITY,
        s: Vec3::ONE,
        v: Mat3::IDENTITY,
    }
}

/// The squares of all entries.
#[inline(always)]
fn squares(d: DMat3) -> f64 {
    d.x_axis.dot(d.x_axis) + d.y_axis.dot(d.y_axis) + d.z_axis.dot(d.z_axis)
}

/// The three minors on the diagonal.
#[inline(always)]
fn minors(d: DMat3) -> f64 {
    let (a, b, c): (DVec3, DVec3, DVec3) = (d.x_axis, d.y_axis, d.z_axis);
    (a.x * b.y - a.y * b.x) + (a.x * c.z - a.z * c.x) + (b.y * c.z - b.z * c.y)
}

#[inline(always)]
fn trace(d: DMat3) -> f64 {
    d.x_axis.x + d.y_axis.y + d.z_axis.z
}
