//! Shape of the faces (Verdict library: Stimpson et al. 2007, "The Verdict geometric quality library", section 2).

use crate::attr::{Read, Write};
use crate::kernel;
use crate::kernel::ForEach;
use crate::math::{angle, length};
use crate::query::{FV, Neighbours};
use crate::topo::{Face, Owned, Vertex};
use glam::Vec3;

kernel_list! {
    patch face_quality: FaceShapes;
}

kernel! {
    /// Measures the shape of each face.
    pub struct FaceShapes: ForEach<FV> {
        /// Positions.
        pub x: Read<Vertex, Vec3>,
        /// Twice the inscribed over the circumscribed radius: 1 for an equilateral face, 0 for one without area.
        pub radius_ratio: Write<Face, f32>,
        /// Longest side over the inscribed diameter, over what that is in an equilateral face; infinite without area.
        pub aspect_ratio: Write<Face, f32>,
        /// Smallest angle, in degrees.
        pub smallest_angle: Write<Face, f32>,
        /// Area, in squared length.
        pub area: Write<Face, f32>,
        /// Brings lengths near one.
        pub scale: f32,
    }
}

/// Longest side over the inscribed diameter of an equilateral triangle.
const EQUILATERAL: f32 = 1.732_050_8;

impl ForEach<FV> for FaceShapes {
    #[inline(always)]
    fn run(&self, f: Owned<Face>, v: Neighbours<FV>) {
        let [a, b, c] = [0, 1, 2].map(|k| self.x.get(v.get(k)));
        let sides = [b - a, c - b, a - c].map(|side| side * self.scale);
        // A side of length 0 is the shortest: the angle opposite to it is 0.
        let [l, m, n] = sides.map(length);
        let double = length(sides[0].cross(sides[1]));
        let around = l + m + n;
        let (product, longest) = (l * m * n, l.max(m).max(n));
        let ratio = if double > 0.0 {
            4.0 * double * double / (around * product)
        } else {
            0.0
        };
        // The inscribed diameter is twice the doubled area over the circumference.
        let aspect = if double > 0.0 {
            longest * around / (2.0 * double * EQUILATERAL)
        } else {
            f32::INFINITY
        };
        // The smallest angle is opposite to the shortest side, between the two others.
        let dot = if l <= m && l <= n {
            -sides[1].dot(sides[2])
        } else if m <= n {
            -sides[2].dot(sides[0])
        } else {
            -sides[0].dot(sides[1])
        };
        let degrees = if longest > 0.0 {
            angle(double, dot).to_degrees()
        } else {
            0.0
        };
        self.radius_ratio.set(f, ratio.min(1.0));
        self.aspect_ratio.set(f, aspect.max(1.0));
        self.smallest_angle.set(f, degrees);
        self.area.set(f, 0.5 * double / self.scale / self.scale);
    }
}
