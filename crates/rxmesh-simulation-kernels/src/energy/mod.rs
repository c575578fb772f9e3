//! Energies of a cell ([`Model`]): springs along its edges, or densities of `F = I + D`, where `D` is the gradient of
//! the displacement.
//!
//! All densities are functions of the singular values of `F` (but for [`Linear`]), so that their Hessians have one form
//! in the frame of its singular vectors ([`Hessian`]; Smith, De Goes and Kim 2019), which is made positive
//! semi-definite there.

mod corotated;
mod framed;
mod linear;
mod neo_hookean;
mod springs;
#[cfg(test)]
mod tests;

pub use corotated::{Arap, Corotated};
pub use framed::InFrame;
pub use linear::Linear;
pub use neo_hookean::NeoHookean;
pub use springs::{Lines, Springs};

use crate::material::Lame;
use crate::small::{Svd, Symmetric, svd, without_negative};
use glam::{DMat3, DVec3, Mat3, Vec3};

/// How a cell resists, as kernels over cells ask: of its edges at rest from corner 0, and the displacements of the
/// other corners relative to that one.
pub trait Model: Copy + Send + Sync + core::fmt::Debug + 'static {
    /// The derivatives of its forces.
    type Tangent: Tangent;
    /// The forces of corners 1 to 3 in newtons: minus the derivatives of the energy. Of no displacement zero exactly.
    fn forces(m: Lame, rest: [Vec3; 3], d: [Vec3; 3]) -> [Vec3; 3];
    /// The energy in joules; zero of no displacement.
    fn joules(m: Lame, rest: [DVec3; 3], d: [DVec3; 3]) -> f64;
    /// The forces and their derivatives, these times a factor.
    fn linear(m: Lame, rest: [Vec3; 3], d: [Vec3; 3], factor: f32) -> ([Vec3; 3], Self::Tangent);
}

/// The derivatives of a cell's forces, symmetric and positive semi-definite, in [`TANGENT_WORDS`] words or fewer.
pub trait Tangent: Copy {
    /// Of a cell without stiffness.
    const NONE: Self;
    /// Minus the change of the corners' forces (1 to 3) when they move by `d` relative to corner 0.
    fn apply(&self, d: [Vec3; 3]) -> [Vec3; 3];
    /// The blocks that couple each corner with itself.
    fn blocks(&self) -> [Symmetric; 4];
    /// From words.
    fn read(get: impl Fn(u32) -> f32) -> Self;
    /// As words.
    fn write(&self, set: impl Fn(u32, f32));
}

/// Most words of a [`Tangent`].
pub const TANGENT_WORDS: u32 = 30;

/// A density of the displacement's gradient.
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
