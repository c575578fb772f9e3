//! Quadric error functions (Garland and Heckbert 1997).

use glam::Vec3;

/// How firmly a placement is held at its guess, as a part of the quadric's trace: where faces are nearly parallel the
/// minimum along them is not defined.
const HOLD: f32 = 1e-5;

/// A sum of squared distances to planes, each times a weight, as a function of the offset `u` from a centre:
/// `u A u + 2 b u + c`.
///
/// The centre is the vertex that the quadric belongs to, not the origin. So `c` is what the vertex is off by now, and
/// `f32` has its digits for the differences that decide between edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quadric {
    /// A, diagonal.
    pub diagonal: Vec3,
    /// A: yz, zx, xy.
    pub mixed: Vec3,
    /// b.
    pub linear: Vec3,
    /// c.
    pub constant: f32,
}

/// A quadric as it is stored.
pub type Stored = [f32; 10];

impl Quadric {
    /// Zero everywhere.
    pub const ZERO: Quadric = Quadric {
        diagonal: Vec3::ZERO,
        mixed: Vec3::ZERO,
        linear: Vec3::ZERO,
        constant: 0.0,
    };

    /// The squared distance to the plane through the centre with this normal, times `weight` and the normal's squared
    /// length.
    #[inline(always)]
    pub fn plane(normal: Vec3, weight: f32) -> Quadric {
        let n = normal * weight;
        Quadric {
            diagonal: n * normal,
            mixed: Vec3::new(n.y * normal.z, n.z * normal.x, n.x * normal.y),
            ..Quadric::ZERO
        }
    }

    /// From storage.
    #[inline(always)]
    pub fn load(q: Stored) -> Quadric {
        Quadric {
            diagonal: Vec3::new(q[0], q[1], q[2]),
            mixed: Vec3::new(q[3], q[4], q[5]),
            linear: Vec3::new(q[6], q[7], q[8]),
            constant: q[9],
        }
    }

    /// For storage.
    #[inline(always)]
    pub fn store(self) -> Stored {
        let (d, m, l) = (self.diagonal, self.mixed, self.linear);
        [d.x, d.y, d.z, m.x, m.y, m.z, l.x, l.y, l.z, self.constant]
    }

    /// A times a vector.
    #[inline(always)]
    fn times(&self, u: Vec3) -> Vec3 {
        let (d, m) = (self.diagonal, self.mixed);
        Vec3::new(
            d.x * u.x + (m.z * u.y + m.y * u.z),
            d.y * u.y + (m.z * u.x + m.x * u.z),
            d.z * u.z + (m.y * u.x + m.x * u.y),
        )
    }

    /// The value at an offset from the centre; rounding may not make it negative.
    #[inline(always)]
    pub fn at(&self, u: Vec3) -> f32 {
        let v = self.constant + self.linear.dot(u) + u.dot(self.linear + self.times(u));
        if v > 0.0 { v } else { 0.0 }
    }

    /// The same function seen from a centre moved by `by`.
    #[inline(always)]
    pub fn moved(self, by: Vec3) -> Quadric {
        Quadric {
            linear: self.linear + self.times(by),
            constant: self.at(by),
            ..self
        }
    }

    /// The sum of the weights of its planes whose normals have length one: the trace of A.
    #[inline(always)]
    pub fn weight(&self) -> f32 {
        self.diagonal.element_sum()
    }

    /// The sum of two quadrics with the same centre.
    #[inline(always)]
    pub fn plus(self, q: Quadric) -> Quadric {
        Quadric {
            diagonal: self.diagonal + q.diagonal,
            mixed: self.mixed + q.mixed,
            linear: self.linear + q.linear,
            constant: self.constant + q.constant,
        }
    }

    /// The offset with the least value, held near the centre where that is not defined, and no farther from it than
    /// `limit`.
    #[inline(always)]
    pub fn minimum(&self, limit: f32) -> Vec3 {
        let (m, l) = (self.mixed, -self.linear);
        let trace = self.diagonal.element_sum();
        let d = self.diagonal + Vec3::splat(HOLD * trace);
        // L D L^T: no pivoting is needed, and unlike determinants it loses no digits to cancellation.
        let l10 = m.z / d.x;
        let l20 = m.y / d.x;
        let d1 = d.y - l10 * m.z;
        let e = m.x - l10 * m.y;
        let l21 = e / d1;
        let d2 = d.z - l20 * m.y - l21 * e;
        // Also refuses what is no number.
        if !(d.x > 0.0 && d1 > 0.0 && d2 > 0.0) {
            return Vec3::ZERO;
        }
        let y1 = l.y - l10 * l.x;
        let y2 = l.z - l20 * l.x - l21 * y1;
        let z = y2 / d2;
        let y = y1 / d1 - l21 * z;
        let x = l.x / d.x - l10 * y - l20 * z;
        let u = Vec3::new(x, y, z);
        let square = u.dot(u);
        if square <= limit * limit {
            u
        } else if square < f32::INFINITY {
            u * (limit / crate::math::sqrt(square))
        } else {
            Vec3::ZERO
        }
    }
}
