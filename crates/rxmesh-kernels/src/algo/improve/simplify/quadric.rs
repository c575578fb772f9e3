//! Quadric error functions (Garland and Heckbert 1997).

use crate::lanes::{Lanes, Point};
use glam::{Mat4, Vec3, Vec4};

/// Stiffness with which a placement is held at its guess, as a part of the quadric's trace: if faces are nearly
/// parallel the minimum along them is not defined.
const HOLD: f32 = 1e-5;

/// A sum of squared distances to planes, each times a weight, as a function of the offset `u` from a centre:
/// `u A u + 2 b u + c`; or such a sum for each of several lanes.
///
/// The centre is the vertex that the quadric belongs to, not the origin. So `c` is the current deviation of the vertex,
/// and `f32` has its digits for the differences that decide between edges.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Quadric<T = f32> {
    /// A, diagonal.
    pub diagonal: Point<T>,
    /// A: yz, zx, xy.
    pub mixed: Point<T>,
    /// b.
    pub linear: Point<T>,
    /// c.
    pub constant: T,
}

/// A quadric as it is stored.
pub type Stored = [f32; 10];

impl Quadric {
    /// Zero everywhere.
    pub const ZERO: Quadric = Quadric {
        diagonal: Point::new(0.0, 0.0, 0.0),
        mixed: Point::new(0.0, 0.0, 0.0),
        linear: Point::new(0.0, 0.0, 0.0),
        constant: 0.0,
    };

    /// Returns the squared distance to the plane through the centre with this normal, times `weight` and the normal's
    /// squared length.
    #[inline(always)]
    pub fn plane(normal: Vec3, weight: f32) -> Quadric {
        let n = normal * weight;
        Quadric {
            diagonal: (n * normal).into(),
            mixed: Point::new(n.y * normal.z, n.z * normal.x, n.x * normal.y),
            ..Quadric::ZERO
        }
    }

    /// Reads a quadric from storage.
    #[inline(always)]
    pub fn load(q: Stored) -> Quadric {
        Quadric {
            diagonal: Point::new(q[0], q[1], q[2]),
            mixed: Point::new(q[3], q[4], q[5]),
            linear: Point::new(q[6], q[7], q[8]),
            constant: q[9],
        }
    }

    /// Converts the quadric for storage.
    #[inline(always)]
    pub fn store(self) -> Stored {
        let (d, m, l) = (self.diagonal, self.mixed, self.linear);
        [d.x, d.y, d.z, m.x, m.y, m.z, l.x, l.y, l.z, self.constant]
    }
}

impl Quadric<Vec4> {
    /// Reads quadrics from storage, one for each lane.
    #[inline(always)]
    pub fn gather(q: [&Stored; 4]) -> Self {
        let row = |lane: usize, at: usize| {
            let q = q[lane];
            Vec4::new(q[at], q[at + 1], q[at + 2], q[at + 3])
        };
        let columns =
            |at| Mat4::from_cols(row(0, at), row(1, at), row(2, at), row(3, at)).transpose();
        let (a, b, c) = (columns(0), columns(4), columns(6));
        Quadric {
            diagonal: Point::new(a.x_axis, a.y_axis, a.z_axis),
            mixed: Point::new(a.w_axis, b.x_axis, b.y_axis),
            linear: Point::new(c.x_axis, c.y_axis, c.z_axis),
            constant: c.w_axis,
        }
    }
}

impl<T: Lanes> Quadric<T> {
    /// Returns the same quadric in all lanes.
    #[inline(always)]
    pub fn splat(q: Quadric) -> Self {
        let point = |p: Point<f32>| Point::splat(p.into());
        Quadric {
            diagonal: point(q.diagonal),
            mixed: point(q.mixed),
            linear: point(q.linear),
            constant: T::splat(q.constant),
        }
    }

    /// Returns A times a vector.
    #[inline(always)]
    fn times(&self, u: Point<T>) -> Point<T> {
        let (d, m) = (self.diagonal, self.mixed);
        Point::new(
            d.x * u.x + (m.z * u.y + m.y * u.z),
            d.y * u.y + (m.z * u.x + m.x * u.z),
            d.z * u.z + (m.y * u.x + m.x * u.y),
        )
    }

    /// Returns the value at an offset from the centre; rounding may not make it negative.
    #[inline(always)]
    pub fn at(&self, u: Point<T>) -> T {
        let v = self.constant + self.linear.dot(u) + u.dot(self.linear + self.times(u));
        let zero = T::splat(0.0);
        T::choose(v.above(zero), v, zero)
    }

    /// Returns the same function seen from a centre moved by `by`.
    #[inline(always)]
    pub fn moved(self, by: Point<T>) -> Self {
        Quadric {
            linear: self.linear + self.times(by),
            constant: self.at(by),
            ..self
        }
    }

    /// Returns the sum of the weights of its planes whose normals have length one: the trace of A.
    #[inline(always)]
    pub fn weight(&self) -> T {
        self.diagonal.x + self.diagonal.y + self.diagonal.z
    }

    /// Returns the sum of two quadrics with the same centre.
    #[inline(always)]
    pub fn plus(self, q: Self) -> Self {
        Quadric {
            diagonal: self.diagonal + q.diagonal,
            mixed: self.mixed + q.mixed,
            linear: self.linear + q.linear,
            constant: self.constant + q.constant,
        }
    }

    /// Returns the sum of the quadrics of an edge's ends, seen from its middle: `half` is the vector from there to the
    /// second.
    #[inline(always)]
    pub fn of_edge(first: Self, second: Self, half: Point<T>) -> Self {
        first.moved(half).plus(second.moved(-half))
    }

    /// Returns the offset with the least value, held near the centre if that is not defined, and no farther from it
    /// than `limit`.
    #[inline(always)]
    pub fn minimum(&self, limit: T) -> Point<T> {
        let zero = Point::splat(Vec3::ZERO);
        let (m, l) = (self.mixed, -self.linear);
        let hold = T::splat(HOLD) * self.weight();
        let d = self.diagonal + Point::new(hold, hold, hold);
        // L D L^T: no pivoting is needed, and unlike determinants it loses no digits to cancellation.
        let l10 = m.z / d.x;
        let l20 = m.y / d.x;
        let d1 = d.y - l10 * m.z;
        let e = m.x - l10 * m.y;
        let l21 = e / d1;
        let d2 = d.z - l20 * m.y - l21 * e;
        // Also refuses NaN.
        let none = T::splat(0.0);
        let definite = d.x.above(none) & d1.above(none) & d2.above(none);
        if !T::any(definite) {
            return zero;
        }
        let y1 = l.y - l10 * l.x;
        let y2 = l.z - l20 * l.x - l21 * y1;
        let z = y2 / d2;
        let y = y1 / d1 - l21 * z;
        let x = l.x / d.x - l10 * y - l20 * z;
        let u = Point::new(x, y, z);
        let square = u.dot(u);
        let near = square.at_most(limit * limit);
        if T::all(definite & near) {
            return u;
        }
        let cut = u.times(limit / square.sqrt());
        let finite = T::splat(f32::INFINITY).above(square);
        let u = Point::choose(near, u, Point::choose(finite, cut, zero));
        Point::choose(definite, u, zero)
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use crate::lanes::four;

    /// Returns quadrics of all kinds: of faces, flat ones, with digits lost, of nothing, with NaN.
    fn quadrics() -> std::vec::Vec<Quadric> {
        let mut all = std::vec![Quadric::ZERO];
        let mut x = 1u32;
        let mut random = || {
            x = x.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (x >> 8) as f32 / (1u32 << 24) as f32 - 0.5
        };
        for i in 0..200 {
            let mut q = Quadric::ZERO;
            for _ in 0..i % 7 {
                let normal = Vec3::new(
                    random(),
                    random(),
                    random() * if i % 3 == 0 { 1e-6 } else { 1.0 },
                );
                let by = Vec3::new(random(), random(), random());
                q = q.plus(Quadric::plane(normal, 0.1 + random().abs()).moved(by.into()));
            }
            all.push(q);
        }
        for bad in [f32::NAN, f32::INFINITY, -1.0, f32::MAX, 1e-40] {
            let mut q = all[20];
            q.diagonal.y = bad;
            all.push(q);
            let mut q = all[30];
            q.linear.x = bad;
            all.push(q);
        }
        all
    }

    #[test]
    fn four_lanes_are_four_numbers() {
        let all = quadrics();
        let mut cut = 0;
        for (i, some) in all.windows(4).enumerate() {
            let other = &all[(i * 37) % (all.len() - 4)..];
            let half = |k: usize| Vec3::new(0.3, 0.1 * k as f32, -0.2) * [1.0, 1e-3, 1e3][i % 3];
            let stored = four(|k| some[k].store());
            let others = four(|k| other[k].store());
            let halves = Point::gather(four(half));
            let q = Quadric::of_edge(
                Quadric::gather(stored.each_ref()),
                Quadric::gather(others.each_ref()),
                halves,
            );
            let limit = halves.length() * Vec4::splat(2.0);
            let to = q.minimum(limit);
            let (least, weight) = (q.at(to), q.weight());
            for k in 0..4 {
                let h = Point::from(half(k));
                let one = Quadric::of_edge(some[k], other[k], h);
                let limit = 2.0 * h.length();
                let at = one.minimum(limit);
                let bits = |x: f32| if x.is_nan() { 0 } else { x.to_bits() };
                assert_eq!(
                    [to.x[k], to.y[k], to.z[k]].map(bits),
                    [at.x, at.y, at.z].map(bits)
                );
                assert_eq!(bits(least[k]), bits(one.at(at)));
                assert_eq!(bits(weight[k]), bits(one.weight()));
                cut += usize::from((at.length() - limit).abs() < 1e-5 * limit);
            }
        }
        assert!(cut > 10, "{cut} offsets were as long as they may be");
    }
}
