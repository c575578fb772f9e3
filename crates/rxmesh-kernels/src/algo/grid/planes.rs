//! The point of the least squared distances from planes.

use crate::math::{add_rounded, dot_rounded, product, sqrt};
use glam::Vec3;

/// Share of the number of planes that holds a vertex at their mean point, where they leave a direction free.
const HOLD: f32 = 0.02;

/// Sums over the planes of a vertex.
#[derive(Clone, Copy)]
pub(super) struct Planes {
    /// Number of planes.
    pub(super) count: f32,
    /// Sum of the points.
    pub(super) points: Vec3,
    /// Sums of the products of normals: xx, yy, zz.
    squares: Vec3,
    /// Sums of the products of normals: yz, xz, xy.
    mixed: Vec3,
    /// Sum of the normals times their products with the points.
    right: Vec3,
}

impl Planes {
    /// No plane.
    pub(super) const NONE: Planes = Planes {
        count: 0.0,
        points: Vec3::ZERO,
        squares: Vec3::ZERO,
        mixed: Vec3::ZERO,
        right: Vec3::ZERO,
    };

    /// Adds a plane by a point of it and its normal.
    #[inline(always)]
    pub(super) fn add(&mut self, p: Vec3, n: Vec3) {
        let times =
            |a: Vec3, b: Vec3| Vec3::new(product(a.x, b.x), product(a.y, b.y), product(a.z, b.z));
        self.count += 1.0;
        self.points += p;
        self.squares += times(n, n);
        self.mixed += times(Vec3::new(n.y, n.x, n.x), Vec3::new(n.z, n.z, n.y));
        self.right = add_rounded(self.right, n, dot_rounded(n, p));
    }

    /// Returns the matrix times a vector.
    #[inline(always)]
    fn times(&self, v: Vec3) -> Vec3 {
        let (s, m) = (self.squares, self.mixed);
        Vec3::new(
            dot_rounded(Vec3::new(s.x, m.z, m.y), v),
            dot_rounded(Vec3::new(m.z, s.y, m.x), v),
            dot_rounded(Vec3::new(m.y, m.x, s.z), v),
        )
    }

    /// Returns the point of the least squared distances, at most `most` from the mean of the points.
    #[inline(always)]
    pub(super) fn solve(&self, most: f32) -> Vec3 {
        let mean = add_rounded(Vec3::ZERO, self.points, 1.0 / self.count);
        let (s, m) = (
            self.squares + Vec3::splat(product(HOLD, self.count)),
            self.mixed,
        );
        let right = self.right - self.times(mean);
        let minor = |a: f32, b: f32, c: f32, d: f32| product(a, b) - product(c, d);
        let x = Vec3::new(
            minor(s.y, s.z, m.x, m.x),
            minor(m.x, m.y, m.z, s.z),
            minor(m.z, m.x, s.y, m.y),
        );
        let y = Vec3::new(x.y, minor(s.x, s.z, m.y, m.y), minor(m.y, m.z, s.x, m.x));
        let z = Vec3::new(x.z, y.z, minor(s.x, s.y, m.z, m.z));
        let whole = dot_rounded(Vec3::new(s.x, m.z, m.y), x);
        let off = Vec3::new(
            dot_rounded(x, right),
            dot_rounded(y, right),
            dot_rounded(z, right),
        ) * (1.0 / whole);
        let length = sqrt(dot_rounded(off, off));
        let part = if length > most { most / length } else { 1.0 };
        add_rounded(mean, off, part)
    }
}
