//! Points of 64 bits as positions of a mesh, and places as keys.

use super::Placement;
use super::placement::{may_need_placement, placement_of_points};
use crate::par::IntoLean;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Returns the bits of a place, the same for those that are equal: -0 and 0 are one.
pub(crate) fn place_bits(p: Vec3) -> [u32; 3] {
    p.to_array().map(|x| (x + 0.0).to_bits())
}

/// Rounds points of 64 bits to 32, as readers of files do. They stay in the world, or get a frame near them if they lie
/// so far away that 32-bit floats hold their place and not their shape. `corners` are the vertices of faces or cells;
/// vertices of none do not count.
pub fn round_points(points: &[DVec3], corners: &[u32]) -> (Vec<Vec3>, Placement) {
    let singles: Vec<Vec3> = points.par_iter().lean().map(|p| p.as_vec3()).collect();
    let finite = |(s, p): (&Vec3, &DVec3)| s.is_finite() || !p.is_finite();
    let fits = singles.par_iter().zip(points).lean().all(finite);
    if fits && !may_need_placement(&singles, corners) {
        return (singles, Placement::default());
    }
    match frame_of(&singles, points, corners) {
        Some(frame) => (
            points.par_iter().lean().map(|p| frame.local(*p)).collect(),
            frame,
        ),
        None => (singles, Placement::default()),
    }
}

/// Returns the frame for points of 64 bits, which rounded to 32 are `singles`. If 32-bit floats hold them as they are
/// along all axes on which the frame differs from the world, there is none: the frame would keep no digit more, and
/// lose those of a vertex far from its origin.
pub(crate) fn frame_of(singles: &[Vec3], points: &[DVec3], corners: &[u32]) -> Option<Placement> {
    let placement = placement_of_points(points, corners);
    let differs = [0, 1, 2].map(|axis| placement.scale != 1.0 || placement.origin[axis] != 0.0);
    let exact = |(s, d): (&Vec3, &DVec3)| {
        (0..3).all(|axis| !differs[axis] || f64::from(s[axis]) == d[axis])
    };
    let is_world = placement.is_world() || singles.par_iter().zip(points).lean().all(exact);
    (!is_world).then_some(placement)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_near_the_origin_stay_in_the_world() {
        let points = [DVec3::new(0.1, 0.2, 0.3), DVec3::X, DVec3::Y];
        let (positions, placement) = round_points(&points, &[0, 1, 2]);
        assert!(placement.is_world());
        assert_eq!(positions, points.map(|p| p.as_vec3()));
    }

    #[test]
    fn far_points_keep_their_digits_in_a_frame() {
        let far = DVec3::new(5e5, 5.4e6, 10.0);
        let points = [DVec3::new(0.125, 0.25, 0.3), DVec3::X, DVec3::Y].map(|p| p + far);
        let (positions, placement) = round_points(&points, &[0, 1, 2]);
        assert!(!placement.is_world());
        for (p, point) in positions.iter().zip(points) {
            assert!((placement.world(*p) - point).abs().max_element() < 1e-6);
        }
    }

    #[test]
    fn points_that_are_not_finite_stay_so() {
        let points = [DVec3::new(f64::NAN, 0.0, 0.0), DVec3::X];
        assert!(!round_points(&points, &[]).0[0].is_finite());
        let (positions, placement) = round_points(&[DVec3::splat(1e300), DVec3::ZERO], &[]);
        assert!(positions.iter().all(|p| p.is_finite()) && !placement.is_world());
    }
}
