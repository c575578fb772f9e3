//! One polygon: cut into triangles (a fan where that is right, ear clipping where it is not), how flat it is, whether
//! its sides cross.

use glam::{DVec2, DVec3, Vec3};

/// Most corners a polygon that needs ear clipping may have; the method is quadratic.
const MOST_CORNERS: usize = 20_000;

/// Triangles that cover the polygon, as positions in `points`, in its orientation.
///
/// The polygon is looked at along its Newell normal. One that is convex there (or has no area) becomes a fan around its
/// first corner; otherwise ears are clipped (Meisters 1975, with the bookkeeping of O'Rourke 1998: only the neighbours
/// of a clipped ear change). A polygon that crosses itself has no right answer; it still yields n - 2 triangles.
pub(super) fn triangulate(points: &[Vec3]) -> Result<Vec<[u32; 3]>, String> {
    let n = points.len();
    let flat = project(points);
    let corner = |i: usize| turn(flat[(i + n - 1) % n], flat[i], flat[(i + 1) % n]);
    if n <= 3 || is_convex(&flat, corner) {
        return Ok((1..n as u32 - 1).map(|k| [0, k, k + 1]).collect());
    }
    if n > MOST_CORNERS {
        return Err(format!(
            "a polygon with {n} corners that is not convex cannot be cut; {MOST_CORNERS} corners are possible"
        ));
    }
    Ok(Clip::new(&flat).run())
}

/// All corners turn left and they turn once around in all: a star pentagram turns left everywhere, too, but twice.
fn is_convex(p: &[DVec2], corner: impl Fn(usize) -> f64) -> bool {
    let n = p.len();
    let turns_left = (0..n).all(|i| corner(i) >= 0.0);
    let going_up = |i: usize| {
        let d = p[(i + 1) % n] - p[i % n];
        d.y > 0.0 || (d.y == 0.0 && d.x > 0.0)
    };
    turns_left && (0..n).filter(|&i| going_up(i) != going_up(i + 1)).count() <= 2
}

/// The unit Newell normal of a polygon, 0 of one without area.
pub(super) fn newell_normal(points: &[Vec3]) -> DVec3 {
    let origin = points.first().map_or(DVec3::ZERO, |p| p.as_dvec3());
    let local: Vec<DVec3> = points.iter().map(|p| p.as_dvec3() - origin).collect();
    newell(&local)
}

/// The unit Newell normal, 0 of a polygon without area.
fn newell(local: &[DVec3]) -> DVec3 {
    let next = local.iter().skip(1).chain(local.first());
    let normal: DVec3 = local.iter().zip(next).map(|(a, b)| a.cross(*b)).sum();
    normal.normalize_or_zero()
}

/// The polygon in the plane of its Newell normal, seen so that it runs counter-clockwise.
fn project(points: &[Vec3]) -> Vec<DVec2> {
    flat(points, newell)
}

/// The polygon in the plane of a normal that depends on its corners, which are given as seen from the first.
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

/// Largest distance of a corner from the plane through the middle of the corners, along the Newell normal; 0 without
/// such a normal.
pub(super) fn off_plane(points: &[Vec3]) -> f64 {
    let middle = points.iter().map(|p| p.as_dvec3()).sum::<DVec3>() / points.len() as f64;
    let local: Vec<DVec3> = points.iter().map(|p| p.as_dvec3() - middle).collect();
    let normal = newell(&local);
    local
        .iter()
        .map(|p| p.dot(normal).abs())
        .fold(0.0, f64::max)
}

/// Whether two sides that do not follow each other cross, seen along the Newell normal. Polygons that are not
/// convex and have more than `most` corners are not looked at: the method is quadratic.
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

/// The unit normal of the largest triangle at the first corner: for polygons whose parts cancel, such as a bow tie.
fn largest_turn(local: &[DVec3]) -> DVec3 {
    let fan = local.windows(2).map(|w| w[0].cross(w[1]));
    let largest = fan.max_by(|a, b| a.length_squared().total_cmp(&b.length_squared()));
    largest.unwrap_or(DVec3::ZERO).normalize_or_zero()
}

/// Whether two segments have a point in common that lies inside of both.
fn cross((a, b): (DVec2, DVec2), (c, d): (DVec2, DVec2)) -> bool {
    turn(a, b, c) * turn(a, b, d) < 0.0 && turn(c, d, a) * turn(c, d, b) < 0.0
}

/// Twice the area of a triangle, positive when it runs counter-clockwise.
fn turn(a: DVec2, b: DVec2, c: DVec2) -> f64 {
    (b - a).perp_dot(c - a)
}

/// Ear clipping: what is left of the polygon is a ring of corners.
struct Clip<'a> {
    p: &'a [DVec2],
    next: Vec<usize>,
    prev: Vec<usize>,
    is_ear: Vec<bool>,
}

impl<'a> Clip<'a> {
    fn new(p: &'a [DVec2]) -> Clip<'a> {
        let n = p.len();
        let next = (0..n).map(|i| (i + 1) % n).collect();
        let prev = (0..n).map(|i| (i + n - 1) % n).collect();
        let mut clip = Clip {
            p,
            next,
            prev,
            is_ear: vec![false; n],
        };
        (0..n).for_each(|i| clip.is_ear[i] = clip.ear(i));
        clip
    }

    fn run(mut self) -> Vec<[u32; 3]> {
        let n = self.p.len();
        let mut triangles = Vec::with_capacity(n - 2);
        let mut at = 0;
        for left in (3..=n).rev() {
            // Without an ear (the polygon crosses itself) any corner has to do, so that there is an end.
            let mut tried = 0;
            while !self.is_ear[at] && tried < left {
                at = self.next[at];
                tried += 1;
            }
            let (before, after) = (self.prev[at], self.next[at]);
            triangles.push([before as u32, at as u32, after as u32]);
            self.next[before] = after;
            self.prev[after] = before;
            self.is_ear[before] = self.ear(before);
            self.is_ear[after] = self.ear(after);
            // Going on with the one after next keeps slivers from piling up around one corner.
            at = self.next[after];
        }
        triangles
    }

    /// Corner `i` turns left and no other corner lies in its triangle.
    fn ear(&self, i: usize) -> bool {
        let (h, j) = (self.prev[i], self.next[i]);
        let (a, b, c) = (self.p[h], self.p[i], self.p[j]);
        if turn(a, b, c) <= 0.0 {
            return false;
        }
        let mut k = self.next[j];
        while k != h {
            let q = self.p[k];
            let inside = turn(a, b, q) >= 0.0 && turn(b, c, q) >= 0.0 && turn(c, a, q) >= 0.0;
            // A corner at the same place (a bridge to a hole) is in nobody's way.
            if inside && q != a && q != b && q != c {
                return false;
            }
            k = self.next[k];
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::{ProptestConfig, prop, prop_assert, prop_assert_eq, proptest};

    fn area(points: &[Vec3], t: &[u32; 3]) -> f64 {
        let [a, b, c] = t.map(|k| points[k as usize].as_dvec3());
        (b - a).cross(c - a).dot(DVec3::new(0.48, 0.6, 0.64)) / 2.0
    }

    /// A polygon whose corners lie at increasing angles around the origin of a tilted plane; any radii give a simple
    /// one.
    fn star(radii: &[f32]) -> Vec<Vec3> {
        let normal = Vec3::new(0.48, 0.6, 0.64);
        let x = normal.any_orthonormal_vector();
        let y = normal.cross(x);
        let turn = std::f32::consts::TAU / radii.len() as f32;
        let at = |(i, r): (usize, &f32)| {
            *r * ((i as f32 * turn).cos() * x + (i as f32 * turn).sin() * y)
        };
        radii.iter().enumerate().map(at).collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn stars_are_covered_once(radii in prop::collection::vec(0.2f32..3.0, 4..40)) {
            let points = star(&radii);
            let triangles = triangulate(&points).unwrap();
            prop_assert_eq!(triangles.len(), points.len() - 2);
            let n = points.len() as u32;
            let whole: f64 = (1..n - 1).map(|k| area(&points, &[0, k, k + 1])).sum();
            let each: Vec<f64> = triangles.iter().map(|t| area(&points, t)).collect();
            prop_assert!(each.iter().all(|a| *a > -1e-5), "{each:?}");
            prop_assert!((each.iter().sum::<f64>() - whole).abs() < 1e-4);
        }
    }

    #[test]
    fn degenerate_polygons_still_give_triangles() {
        assert_eq!(triangulate(&[Vec3::ZERO; 5]).unwrap().len(), 3);
        let pentagram = star(&[1.0; 5]);
        let crossed = [0, 2, 4, 1, 3].map(|i: usize| pentagram[i]);
        assert_eq!(triangulate(&crossed).unwrap().len(), 3);
    }
}
