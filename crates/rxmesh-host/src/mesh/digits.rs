//! Digits of coordinates in text.

use super::Placement;
use super::extent::extent;
use super::placement::{may_need_placement, placement_of_points, shortest};
use crate::par::IntoLean;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// From here on a 32-bit float has at most seven digits after its point: its exact value is short.
const EXACT_IS_SHORT: f32 = (1u32 << 16) as f32;

/// One coordinate as text shall show it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Digits {
    /// Shortest digits that read back as this 32-bit float.
    Single(f32),
    /// Shortest digits that read back as this 64-bit float.
    Double(f64),
}

/// Digits that coordinates of a mesh get in text.
///
/// Text is read with 32 bits by some programs, with 64 by others. In the world the shortest digits of a 32-bit float
/// serve both, except along an axis on which the mesh lies far from the origin: there they may be wrong by a visible
/// part of the mesh when they are read with 64 bits. Such coordinates get their exact value, or where that is long, as
/// few digits as lead to the same 32-bit float, and to the same position in a frame near the mesh. In another frame
/// digits are those of [`Placement::digits`].
#[derive(Debug, Clone, Copy)]
pub(crate) struct CoordinateText {
    placement: Placement,
    /// Frame near a mesh that the world's coordinates place far from the origin.
    near: Placement,
    /// Axes along which such a mesh is far.
    far: [bool; 3],
}

impl CoordinateText {
    /// Returns the text form of the mesh with these positions; `corners` are those of its faces or cells.
    pub(crate) fn of(placement: &Placement, positions: &[Vec3], corners: &[u32]) -> CoordinateText {
        let mut text = CoordinateText {
            placement: *placement,
            near: Placement::default(),
            far: [false; 3],
        };
        if !placement.is_world() || !may_need_placement(positions, corners) {
            return text;
        }
        let points = positions.par_iter().lean().map(|p| p.as_dvec3());
        let points: Vec<DVec3> = points.collect();
        let origin = placement_of_points(&points, corners).origin;
        text.near.origin = origin;
        text.far = origin.to_array().map(|o| o != 0.0);
        // A mesh of one place has no frame near it.
        if extent(positions, corners).is_some_and(|[low, high]| low == high) {
            text.far = [true; 3];
        }
        text
    }

    /// Returns the three coordinates of a position.
    #[inline]
    pub(crate) fn digits(&self, p: Vec3) -> [Digits; 3] {
        if !self.placement.is_world() {
            return self.placement.digits(p).map(Digits::Double);
        }
        if self.far == [false; 3] {
            return p.to_array().map(Digits::Single);
        }
        std::array::from_fn(|axis| match self.far[axis] {
            true => self.far_digits(p[axis], self.near.origin[axis]),
            false => Digits::Single(p[axis]),
        })
    }

    /// Works like [`digits`](Self::digits), as numbers.
    pub(crate) fn numbers(&self, p: Vec3) -> [f64; 3] {
        self.digits(p).map(|d| match d {
            Digits::Single(x) => shortest(f64::from(x), |y| y as f32 == x),
            Digits::Double(x) => x,
        })
    }

    #[cold]
    fn far_digits(&self, x: f32, origin: f64) -> Digits {
        let exact = f64::from(x);
        if x.abs() >= EXACT_IS_SHORT {
            return Digits::Double(exact);
        }
        if origin == 0.0 {
            return Digits::Single(x);
        }
        let local = |y: f64| (y - origin) as f32;
        let near = local(exact);
        Digits::Double(shortest(exact, |y| y as f32 == x && local(y) == near))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mesh_at(by: [f32; 3], size: f32) -> Vec<Vec3> {
        let by = Vec3::from_array(by);
        [
            Vec3::ZERO,
            Vec3::X,
            Vec3::Y,
            Vec3::Z,
            Vec3::new(0.1, 0.3, 0.7),
        ]
        .map(|p| by + size * p)
        .to_vec()
    }

    /// Far along an axis, text read with 64 bits differs from the float by a small part of its last place at most, and
    /// by nothing where the exact value is short.
    #[test]
    fn far_coordinates_read_with_64_bits_are_the_floats() {
        let places = [
            [1_000_012.1, 500_000.1, -70_000.3],
            [1_000.1, -40_000.03, 5_000.7],
            [9.0e6, 1.7e9, 3.0e12],
        ];
        for by in places {
            for size in [1.0, 20.0, 50.0] {
                let positions = mesh_at(by, size);
                let text = CoordinateText::of(&Placement::default(), &positions, &[]);
                for p in &positions {
                    for (d, x) in text.digits(*p).into_iter().zip(p.to_array()) {
                        let Digits::Double(d) = d else {
                            panic!("{by:?} {size}: {x} is not far");
                        };
                        let ulp = f64::from(x.abs().next_up() - x.abs());
                        let off = (d - f64::from(x)).abs();
                        assert_eq!(d as f32, x);
                        assert!(off <= ulp / 8.0, "{d} {x}");
                        assert!(off == 0.0 || x.abs() < EXACT_IS_SHORT, "{d} {x}");
                    }
                }
            }
        }
    }

    /// Elsewhere digits are those of the 32-bit float, also beside an axis along which the mesh is far.
    #[test]
    fn other_coordinates_keep_their_short_digits() {
        let near = mesh_at([3.0, 100.1, 0.1], 80.0);
        let text = CoordinateText::of(&Placement::default(), &near, &[]);
        assert_eq!(text.digits(near[4]), near[4].to_array().map(Digits::Single));
        let far = mesh_at([0.1, 2e6, 0.0], 1.0);
        let text = CoordinateText::of(&Placement::default(), &far, &[]);
        let [x, y, z] = text.digits(far[4]);
        assert_eq!([x, z], [Digits::Single(far[4].x), Digits::Single(far[4].z)]);
        assert_eq!(y, Digits::Double(f64::from(far[4].y)));
        // One that went astray keeps its own digits, too.
        let stray = Vec3::new(0.1, 0.1, 0.1);
        assert!(text.numbers(stray).iter().all(|x| *x as f32 == 0.1));
        let one = [Vec3::new(1_000_012.1, 0.1, 0.0)];
        let text = CoordinateText::of(&Placement::default(), &one, &[]);
        assert_eq!(text.numbers(one[0]), [1_000_012.125, 0.1, 0.0]);
    }
}
