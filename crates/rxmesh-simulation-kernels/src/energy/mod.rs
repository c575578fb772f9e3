//! Elastic energies of a cell ([`Model`]): springs along its edges, or densities of `F = I + D`, where `D` is the
//! gradient of the displacement.
//!
//! All densities are functions of the singular values of `F` (except [`Linear`]), so that their Hessians have one form
//! in the frame of its singular vectors ([`Hessian`]; Smith, De Goes and Kim 2019), where they are projected to
//! positive semi-definite.

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
pub use springs::{SpringDerivatives, Springs};

use crate::material::Lame;
use crate::small::{Svd, Symmetric, svd, without_negative};
use glam::{DMat3, DVec3, Mat3, Vec3};

/// Kernels of all energies, a line for each: those of [`crate::force`], [`crate::solve::linearise`] and
/// [`crate::solve::newton`], the last after kernels that have no energy.
macro_rules! energy_kernels {
    ($kernels:ident $({$($more:tt)*})?) => {
        $crate::energy::energy_kernels! { @$kernels $({$($more)*})?
            NeoHookean: sim_force_neo_hookean sim_energy_neo_hookean sim_linearise_neo_hookean
                sim_newton_trial_neo_hookean;
            Corotated: sim_force_corotated sim_energy_corotated sim_linearise_corotated sim_newton_trial_corotated;
            Linear: sim_force_linear sim_energy_linear sim_linearise_linear sim_newton_trial_linear;
            Arap: sim_force_arap sim_energy_arap sim_linearise_arap sim_newton_trial_arap;
            Springs: sim_force_springs sim_energy_springs sim_linearise_springs sim_newton_trial_springs;
        }
    };
    (@forces $($energy:ident: $force:ident $joules:ident $linearise:ident $trial:ident;)*) => {
        kernel_list! {
            $(patch $force: Force<$crate::energy::$energy>;)*
            $(patch $joules: Elastic<$crate::energy::$energy>;)*
        }
    };
    (@linearise $($energy:ident: $force:ident $joules:ident $linearise:ident $trial:ident;)*) => {
        kernel_list! { $(patch $linearise: Linearise<$crate::energy::$energy>;)* }
    };
    (@trials {$($more:tt)*}
        $($energy:ident: $force:ident $joules:ident $linearise:ident $trial:ident;)*
    ) => {
        kernel_list! {
            $($more)*
            $(patch $trial: Trial<$crate::energy::$energy>;)*
        }
    };
}
pub(crate) use energy_kernels;

/// Elastic energy of a cell as kernels use it: a function of its edges at rest from corner 0, and of the displacements
/// of the other corners relative to corner 0.
pub trait Model: Copy + Send + Sync + core::fmt::Debug + 'static {
    /// Derivatives of its forces.
    type Tangent: Tangent;
    /// Computes the forces on corners 1 to 3 in newtons: minus the derivatives of the energy. Exactly zero without
    /// displacement.
    fn forces(m: Lame, rest: [Vec3; 3], d: [Vec3; 3]) -> [Vec3; 3];
    /// Computes the energy in joules; zero without displacement.
    fn joules(m: Lame, rest: [DVec3; 3], d: [DVec3; 3]) -> f64;
    /// Computes the forces, and their derivatives times a factor.
    fn linear(m: Lame, rest: [Vec3; 3], d: [Vec3; 3], factor: f32) -> ([Vec3; 3], Self::Tangent);
}

/// Derivatives of a cell's forces, symmetric and positive semi-definite, in at most [`TANGENT_WORDS`] words.
pub trait Tangent: Copy {
    /// Derivatives of a cell without stiffness.
    const NONE: Self;
    /// Returns minus the change of the forces on corners 1 to 3 when they move by `d` relative to corner 0.
    fn apply(&self, d: [Vec3; 3]) -> [Vec3; 3];
    /// Returns the diagonal block of each corner.
    fn blocks(&self) -> [Symmetric; 4];
    /// Reads the derivatives from words.
    fn read(get: impl Fn(u32) -> f32) -> Self;
    /// Writes the derivatives as words.
    fn write(&self, set: impl Fn(u32, f32));
}

/// Maximum number of words of a [`Tangent`].
pub const TANGENT_WORDS: u32 = 30;

/// Energy density as a function of the displacement gradient.
pub trait Energy: Copy + Send + Sync + core::fmt::Debug + 'static {
    /// Returns the derivative of the density with respect to `F` (first Piola-Kirchhoff stress), in pascals; exactly
    /// zero without displacement.
    fn stress(m: Lame, d: Mat3) -> Mat3;
    /// Returns the density in joules per cubic metre; zero without displacement.
    fn density(m: Lame, d: DMat3) -> f64;
    /// Returns the frame and the second derivatives in it, positive semi-definite.
    fn hessian(m: Lame, d: Mat3) -> (Svd, Hessian);
}

/// Second derivatives of a density in the frame of `F = U diag(s) V^T`: the linear map from `Z = U^T dF V` to the
/// stress `U^T dP V`. Positive semi-definite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hessian {
    /// Coefficients between the diagonals.
    pub diagonal: Symmetric,
    /// Coefficients of `Z[i][j]` in `dP[i][j]`, for 01, 02, 12.
    pub same: Vec3,
    /// Coefficients of `Z[j][i]` in `dP[i][j]`.
    pub cross: Vec3,
}

impl Hessian {
    /// Makes a Hessian from values that may be indefinite: each part is projected to the nearest positive semi-definite
    /// one.
    #[inline(always)]
    fn projected(diagonal: Symmetric, same: Vec3, cross: Vec3) -> Hessian {
        // Eigenvalues of the symmetric and the skew part of a pair. NaN counts as negative.
        let positive = |x: f32| if x > 0.0 { x } else { 0.0 };
        let clamp = |v: Vec3| Vec3::new(positive(v.x), positive(v.y), positive(v.z));
        let (flip, twist) = (clamp(same + cross), clamp(same - cross));
        Hessian {
            diagonal: without_negative(diagonal),
            same: (flip + twist) * 0.5,
            cross: (flip - twist) * 0.5,
        }
    }

    /// Returns the change of the stress in the frame, for a change of `F` there.
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

    /// Returns the 3 by 3 diagonal block of a corner, in the frame of `U`: `w` is `V^T` times the gradient of the
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

/// Returns the frame of `I + d`.
#[inline(always)]
fn frame(d: Mat3) -> Svd {
    svd(Mat3::from_cols(
        d.x_axis + Vec3::X,
        d.y_axis + Vec3::Y,
        d.z_axis + Vec3::Z,
    ))
}

/// Returns the frame of the identity.
#[inline(always)]
fn no_turn() -> Svd {
    Svd {
        u: Mat3::IDENTITY,
        s: Vec3::ONE,
        v: Mat3::IDENTITY,
    }
}

/// Returns the sum of the squares of all entries.
#[inline(always)]
fn squares(d: DMat3) -> f64 {
    d.x_axis.dot(d.x_axis) + d.y_axis.dot(d.y_axis) + d.z_axis.dot(d.z_axis)
}

/// Returns the sum of the three principal minors of order two.
#[inline(always)]
fn minors(d: DMat3) -> f64 {
    let (a, b, c): (DVec3, DVec3, DVec3) = (d.x_axis, d.y_axis, d.z_axis);
    (a.x * b.y - a.y * b.x) + (a.x * c.z - a.z * c.x) + (b.y * c.z - b.z * c.y)
}

#[inline(always)]
fn trace(d: DMat3) -> f64 {
    d.x_axis.x + d.y_axis.y + d.z_axis.z
}
