//! One polygon: its normal, its deviation from a plane, and crossings of its sides.

use glam::{DVec2, DVec3, Vec3};

/// Returns `true` if all corners turn left and they turn once around in all: a star pentagram turns left everywhere,
/// too, but twice.
fn is_convex(p: &[DVec2], corner: impl Fn(usize) -> f64) -> bool {
    let n = p.len();
    let turns_left = (0..n).all(|i| corner(i) >= 0.0);
    let going_up = |i: usize| {
        let d = p[(i + 1) % n] - p[i % n];
        d.y > 0.0 || (d.y == 0.0 && d.x > 0.0)
    };
    turns_left && (0..n).filter(|&i| going_up(i) != going_up(i + 1)).count() <= 2
}

/// Returns the unit Newell normal of a polygon, 0 for one without area.
pub(super) fn newell_normal(points: &[Vec3]) -> DVec3 {
    let origin = points.first().map_or(DVec3::ZERO, |p| p.as_dvec3());
    let local: Vec<DVec3> = points.iter().map(|p| p.as_dvec3() - origin).collect();
    newell(&local)
}

/// Returns the unit Newell normal, 0 for a polygon without area.
pub(super) fn newell(local: &[DVec3]) -> DVec3 {
    let next = local.iter().skip(1).chain(local.first());
    let normal: DVec3 = local.iter().zip(next).map(|(a, b)| a.cross(*b)).sum();
    normal.normalize_or_zero()
}

/// Projects the polygon into the plane of a normal that depends on its corners, which are given as seen from the first.
fn flat(points: &[Vec3], normal: impl FnOnce(&[DVec3]) -> DVec3) -> Vec<DVec2> {
    let origin = points.first().map_or(DVec3::ZERO, |p| p.as_dvec3());
    let local: Vec<DVec3> = points.iter().map(|p| p.as_dvec3() - origin).collect();
    let normal = normal(&local);
    if normal == DVec3::ZERO {
        return vec![DVec2::ZERO; points.len()];
    }
    let x = normal.any_orthonormal_vector();
    let y = normal.cross(x);
    let seen = |p: &DVec3| DVec2::new(p.dot(x), p.dot(y));
    local.iter().map(seen).collect()
}

/// Returns the largest distance of a corner from the plane through the middle of the corners, along the Newell normal;
/// 0 without such a normal.
pub(super) fn off_plane(points: &[Vec3]) -> f64 {
    let middle = points.iter().map(|p| p.as_dvec3()).sum::<DVec3>() / points.len() as f64;
    let local: Vec<DVec3> = points.iter().map(|p| p.as_dvec3() - middle).collect();
    let normal = newell(&local);
    local
        .iter()
        .map(|p| p.dot(normal).abs())
        .fold(0.0, f64::max)
}

/// Returns `true` if two sides that do not follow each other cross, seen along the Newell normal. Polygons that are not
/// convex and have more than `most` corners are not examined: the method is quadratic.
pub(super) fn crosses_itself(points: &[Vec3], most: usize) -> bool {
    let n = points.len();
    let p = flat(points, |local| match newell(local) {
        DVec3::ZERO => largest_turn(local),
        normal => normal,
    });
    let corner = |i: usize| turn(p[(i + n - 1) % n], p[i], p[(i + 1) % n]);
    if n <= 3 || n > most || is_convex(&p, corner) {
        return false;
    }
    let side = |i: usize| (p[i], p[(i + 1) % n]);
    (0..n).any(|i| (i + 2..n).any(|j| (j + 1) % n != i && cross(side(i), side(j))))
}

/// Returns the unit normal of the largest triangle at the first corner: for polygons whose parts cancel, such as a bow
/// tie.
pub(super) fn largest_turn(local: &[DVec3]) -> DVec3 {
    let fan = local.windows(2).map(|w| w[0].cross(w[1]));
    let largest = fan.max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
    largest.unwrap_or(DVec3::ZERO).normalize_or_zero()
}

/// Returns `true` if two segments have a point in common that lies inside of both.
fn cross((a, b): (DVec2, DVec2), (c, d): (DVec2, DVec2)) -> bool {
    turn(a, b, c) * turn(a, b, d) < 0.0 && turn(c, d, a) * turn(c, d, b) < 0.0
}

/// Returns twice the area of a triangle, positive if it runs counter-clockwise.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}
