//! Rotation of a deformation gradient without a singular value decomposition: Newton steps on the sphere of quaternions
//! from the previous rotation (Kugelstadt et al., "Fast Corotated FEM using Operator Splitting", 2018, section 4.2). An
//! inverted cell gets a rotation too, the one nearest to its previous rotation.

use super::shape::ColumnMatrix;
use rxmesh_kernels::Vec3;
use rxmesh_kernels::math::rsqrt_fast;

/// Newton steps per call: the rotation continues from call to call, and within one it turns by half a turn at most.
pub const STEPS: u32 = 4;

/// Rotation as a quaternion `(x, y, z, w)` of length one.
#[derive(Clone, Copy, Debug)]
pub struct Rotation {
    v: Vec3,
    w: f32,
}

impl Rotation {
    /// Makes a rotation from the words of [`Rotation::words`]; the identity if all are zero, as in memory that was
    /// never written.
    #[inline(always)]
    pub fn new(q: [f32; 4]) -> Rotation {
        let v = Vec3::new(q[0], q[1], q[2]);
        let l2 = v.dot(v) + q[3] * q[3];
        // NaN counts as never written.
        if !(l2 > 0.25 && l2 < 4.0) {
            return Rotation {
                v: Vec3::ZERO,
                w: 1.0,
            };
        }
        let scale = rsqrt_fast(l2);
        Rotation {
            v: v * scale,
            w: q[3] * scale,
        }
    }

    /// Returns the quaternion.
    #[inline(always)]
    pub fn words(self) -> [f32; 4] {
        [self.v.x, self.v.y, self.v.z, self.w]
    }

    /// Returns the matrix.
    #[inline(always)]
    pub fn matrix(self) -> ColumnMatrix {
        let (v, w) = (self.v, self.w);
        let (d, s) = (v + v, (v + v) * w);
        let (xx, yy, zz) = (v.x * d.x, v.y * d.y, v.z * d.z);
        let (xy, xz, yz) = (v.x * d.y, v.x * d.z, v.y * d.z);
        ColumnMatrix {
            x: Vec3::new(1.0 - yy - zz, xy + s.z, xz - s.y),
            y: Vec3::new(xy - s.z, 1.0 - xx - zz, yz + s.x),
            z: Vec3::new(xz + s.y, yz - s.x, 1.0 - xx - yy),
        }
    }

    /// Rotates by the Cayley map of `turn`, in the frame of the rotation.
    #[inline(always)]
    fn turned(self, turn: Vec3) -> Rotation {
        let scale = rsqrt_fast(1.0 + turn.dot(turn));
        let (a, s) = (turn * scale, scale);
        let v = self.v * s + a * self.w + self.v.cross(a);
        let w = self.w * s - self.v.dot(a);
        let scale = rsqrt_fast(v.dot(v) + w * w);
        Rotation {
            v: v * scale,
            w: w * scale,
        }
    }

    /// Returns the rotation `R` nearest to `f`, which maximises `tr(R^T f)`, starting from this one.
    #[inline(always)]
    pub fn toward(self, f: ColumnMatrix) -> Rotation {
        // The rotation does not depend on the scale of `f`: scaled to about one, products stay in range.
        let most = f.x.abs().max(f.y.abs()).max(f.z.abs()).max_element();
        if !(most > 0.0 && most < f32::INFINITY) {
            return self;
        }
        let f = f.scaled(1.0 / most);
        let (mut r, mut step) = (self, 0);
        while step < STEPS {
            r = r.step(f);
            step += 1;
        }
        r
    }

    /// Runs one Newton step; a gradient step if the Hessian is not positive definite.
    #[inline(always)]
    fn step(self, f: ColumnMatrix) -> Rotation {
        let m = self.matrix();
        let (a, b, c) = (
            m.transposed_times(f.x),
            m.transposed_times(f.y),
            m.transposed_times(f.z),
        );
        // Twice the axial vector of the matrix (a b c): the gradient of `tr(R^T f)` with respect to a small rotation.
        let axial = Vec3::new(b.z - c.y, c.x - a.z, a.y - b.x);
        // The Hessian of minus `tr(R^T f)`: `tr(S) - S` with the symmetric part `S`.
        let (h00, h11, h22) = (b.y + c.z, a.x + c.z, a.x + b.y);
        let (h01, h02, h12) = (-0.5 * (b.x + a.y), -0.5 * (c.x + a.z), -0.5 * (c.y + b.z));
        let (i0, i1, i2) = (
            h11 * h22 - h12 * h12,
            h02 * h12 - h01 * h22,
            h01 * h12 - h02 * h11,
        );
        let det = h00 * i0 + h01 * i1 + h02 * i2;
        let newton = Vec3::new(
            i0 * axial.x + i1 * axial.y + i2 * axial.z,
            i1 * axial.x + (h00 * h22 - h02 * h02) * axial.y + (h01 * h02 - h00 * h12) * axial.z,
            i2 * axial.x + (h01 * h02 - h00 * h12) * axial.y + (h00 * h11 - h01 * h01) * axial.z,
        );
        // Positive definiteness by leading minors.
        let good = h00 > 0.0 && h00 * h11 - h01 * h01 > 0.0 && det > 1e-9;
        // The Cayley map of half the angle's vector rotates by about the angle.
        let turn = if good {
            newton * (0.5 / det)
        } else {
            axial * 0.5
        };
        // At most a quarter turn at a time: tan(pi / 8).
        let l2 = turn.dot(turn);
        let turn = if l2 > LONGEST * LONGEST {
            turn * (LONGEST * rsqrt_fast(l2))
        } else {
            turn
        };
        self.turned(turn)
    }
}

/// tan(pi / 8), the length of the Cayley vector of a rotation by 45 degrees.
const LONGEST: f32 = 0.414_213_57;

#[cfg(test)]
mod tests {
    use super::*;

    fn turned_by(axis: Vec3, half: f32) -> Rotation {
        let v = axis * (half.sin() / axis.dot(axis).sqrt());
        Rotation { v, w: half.cos() }
    }

    /// Returns the distance of two rotations, up to the sign of the quaternion.
    fn apart(a: Rotation, b: Rotation) -> f32 {
        1.0 - (a.v.dot(b.v) + a.w * b.w).abs()
    }

    /// Returns `r` times a stretch along the axes.
    fn stretched(r: Rotation, s: Vec3) -> ColumnMatrix {
        let m = r.matrix();
        ColumnMatrix {
            x: m.x * s.x,
            y: m.y * s.y,
            z: m.z * s.z,
        }
    }

    #[test]
    fn a_rotation_and_a_stretch_are_parted() {
        for half in [0.0, 0.3, 0.7, 1.2, 1.5] {
            let want = turned_by(Vec3::new(0.3, -0.8, 0.5), half);
            let f = stretched(want, Vec3::new(1.7, 0.6, 1.1));
            let mut r = Rotation::new([0.0; 4]);
            for _ in 0..3 {
                r = r.toward(f);
            }
            assert!(
                apart(r, want) < 1e-6,
                "half a turn of {half}: {r:?} for {want:?}"
            );
        }
    }

    #[test]
    fn an_inverted_cell_turns_along_its_least_stretch() {
        // The rotation nearest to a reflection along z with the least stretch along it is the identity.
        let f = stretched(Rotation::new([0.0; 4]), Vec3::new(1.0, 1.2, -0.5));
        let r = turned_by(Vec3::new(1.0, 2.0, -1.0), 0.3)
            .toward(f)
            .toward(f);
        assert!(apart(r, Rotation::new([0.0; 4])) < 1e-5, "{r:?}");
    }

    #[test]
    fn what_is_no_matrix_leaves_the_rotation() {
        let start = turned_by(Vec3::X, 0.4);
        let zero = ColumnMatrix {
            x: Vec3::ZERO,
            y: Vec3::ZERO,
            z: Vec3::ZERO,
        };
        let none = zero.scaled(f32::NAN);
        let line = ColumnMatrix { x: Vec3::Y, ..zero };
        for f in [zero, none] {
            assert!(apart(start.toward(f), start) < 1e-6);
        }
        assert!(start.toward(line).words().iter().all(|w| w.is_finite()));
        // Tiny and huge cells rotate alike.
        let f = stretched(start, Vec3::new(1.1, 0.9, 1.0));
        for scale in [1e-30, 1e30] {
            let r = Rotation::new([0.0; 4]).toward(f.scaled(scale));
            assert!(apart(r, start) < 1e-5, "{scale}: {r:?}");
        }
    }
}
