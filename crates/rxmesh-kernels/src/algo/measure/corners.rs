//! Corners of triangles (Meyer, Desbrun, Schroeder, Barr 2003, "Discrete differential-geometry operators", sections 3
//! and 4).

use crate::math::rsqrt_fast;
use glam::Vec3;

/// Returns the cotangents and mixed Voronoi areas of a triangle's corners; zero for a degenerate one.
#[inline(always)]
pub fn corner_weights(x: Vec3, y: Vec3, z: Vec3) -> (Vec3, Vec3) {
    let (xy, yz, zx) = (y - x, z - y, x - z);
    let n = xy.cross(yz);
    let n2 = n.dot(n);
    // Not a number counts as degenerate too.
    if n2.is_nan() || n2 <= 0.0 {
        return (Vec3::ZERO, Vec3::ZERO);
    }
    let over_area2 = rsqrt_fast(n2);
    let area2 = n2 * over_area2;
    let cot = Vec3::new(-xy.dot(zx), -xy.dot(yz), -yz.dot(zx)) * over_area2;
    let (lxy, lyz, lzx) = (xy.dot(xy), yz.dot(yz), zx.dot(zx));
    let voronoi = Vec3::new(
        lxy * cot.z + lzx * cot.y,
        lxy * cot.z + lyz * cot.x,
        lyz * cot.x + lzx * cot.y,
    ) * 0.125;
    let obtuse = cot.min_element() < 0.0;
    let share = |c: f32| if c < 0.0 { 0.25 * area2 } else { 0.125 * area2 };
    let area = if obtuse {
        Vec3::new(share(cot.x), share(cot.y), share(cot.z))
    } else {
        voronoi
    };
    (cot, area)
}
