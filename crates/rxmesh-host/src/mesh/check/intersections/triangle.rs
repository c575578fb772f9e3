//! Triangles and their exact predicates.

use glam::{DVec3, Vec3};
use robust::{Coord, Coord3D, orient2d};

/// Returns `true` unless the corners lie on a line, exactly.
pub(super) fn has_area([a, b, c]: [DVec3; 3]) -> bool {
    // The cross product is exact but where products round: then it is larger than what rounding makes of 0.
    let (u, v) = (b - a, c - a);
    let cross = u.cross(v).abs().max_element();
    cross > 1e-14 * u.length() * v.length()
        || (0..3).any(|axis| orient2d(flat(a, axis), flat(b, axis), flat(c, axis)) != 0.0)
}

/// Returns a point without one of its coordinates.
fn flat(p: DVec3, axis: usize) -> Coord<f64> {
    Coord {
        x: p[(axis + 1) % 3],
        y: p[(axis + 2) % 3],
    }
}

/// Bound of the rounding of [`determinant`] for its terms' sizes (Shewchuk's `o3derrboundA`, with a margin).
pub(super) const SLACK: f64 = 1e-15;

/// Returns six times the volume of a tetrahedron, and the sum of its terms' sizes.
pub(super) fn determinant(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> (f64, f64) {
    let (u, v, w) = (a - d, b - d, c - d);
    let terms = [
        (v.x * w.y, w.x * v.y, u.z),
        (w.x * u.y, u.x * w.y, v.z),
        (u.x * v.y, v.x * u.y, w.z),
    ];
    let det: f64 = terms.iter().map(|(p, q, z)| z * (p - q)).sum();
    let size: f64 = terms
        .iter()
        .map(|(p, q, z)| z.abs() * (p.abs() + q.abs()))
        .sum();
    (det, size)
}

/// Returns a positive number, a negative one or 0 as `d` lies on one side of the plane through the others, on the
/// other, or in it; exactly.
fn side(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> f64 {
    let (det, size) = determinant(a, b, c, d);
    // Also where all points have the same z, so that planes along the axes cost nothing.
    if det.abs() > SLACK * size || size == 0.0 {
        return det;
    }
    let coord = |p: DVec3| Coord3D {
        x: p.x,
        y: p.y,
        z: p.z,
    };
    robust::orient3d(coord(a), coord(b), coord(c), coord(d))
}

/// A triangle with an area.
pub(super) struct Triangle {
    corners: [DVec3; 3],
}

impl Triangle {
    pub(super) fn new(corners: [Vec3; 3]) -> Triangle {
        Triangle {
            corners: corners.map(|p| p.as_dvec3()),
        }
    }

    /// Returns `true` if the two have a point in common beside corners and sides that they share.
    pub(super) fn meets(&self, other: &Triangle) -> bool {
        let (t, s) = (self.corners, other.corners);
        let mut shared: [Option<usize>; 3] = [None; 3];
        for (k, own) in shared.iter_mut().enumerate() {
            *own = (0..3).find(|&l| s[l] == t[k]);
        }
        let rotated = |p: [DVec3; 3], k: usize| [p[k], p[(k + 1) % 3], p[(k + 2) % 3]];
        match shared.iter().flatten().count() {
            0 => {
                !separates(t, s)
                    && !separates(s, t)
                    && ((0..3).any(|k| segment_meets(t[k], t[(k + 1) % 3], s))
                        || (0..3).any(|k| segment_meets(s[k], s[(k + 1) % 3], t)))
            }
            1 => {
                let (k, l) = (0..3)
                    .find_map(|k| shared[k].map(|l| (k, l)))
                    .unwrap_or_default();
                let ([_, a, b], [_, c, d]) = (rotated(t, k), rotated(s, l));
                // The other corners of one, on one side of the plane of the other.
                let apart = |t: [DVec3; 3], p: DVec3, q: DVec3| {
                    let [p, q] = [p, q].map(|x| side(t[0], t[1], t[2], x));
                    p > 0.0 && q > 0.0 || p < 0.0 && q < 0.0
                };
                // Their intersection reaches from the corner to the opposite side of one of them.
                !apart(t, c, d)
                    && !apart(s, a, b)
                    && (segment_meets(a, b, s) || segment_meets(c, d, t))
            }
            2 => {
                let k = (0..3).find(|&k| shared[k].is_none()).unwrap_or(0);
                let l = (0..3).find(|l| !shared.contains(&Some(*l))).unwrap_or(0);
                let [a, b, c] = rotated(t, k);
                let d = s[l];
                if side(a, b, c, d) != 0.0 {
                    return false;
                }
                let axis = axis_of(t);
                let [a, b, c, d] = [a, b, c, d].map(|p| flat(p, axis));
                (orient2d(b, c, a) > 0.0) == (orient2d(b, c, d) > 0.0)
            }
            _ => true,
        }
    }
}

/// Returns `true` if all corners of `s` lie on one side of the plane of `t`.
fn separates(t: [DVec3; 3], s: [DVec3; 3]) -> bool {
    let sides = s.map(|p| side(t[0], t[1], t[2], p));
    sides.iter().all(|&x| x > 0.0) || sides.iter().all(|&x| x < 0.0)
}

/// Returns the axis along which a triangle with an area is seen as one with an area.
fn axis_of(t: [DVec3; 3]) -> usize {
    let normal = (t[1] - t[0]).cross(t[2] - t[0]).abs();
    let mut axes = [0, 1, 2];
    axes.sort_by(|&i, &j| normal[j].total_cmp(&normal[i]));
    let seen = |&axis: &usize| {
        let [a, b, c] = t.map(|p| flat(p, axis));
        orient2d(a, b, c) != 0.0
    };
    axes.into_iter().find(seen).unwrap_or(axes[0])
}

/// Returns `true` if a segment and a triangle have a point in common.
fn segment_meets(p: DVec3, q: DVec3, t: [DVec3; 3]) -> bool {
    let [a, b, c] = t;
    let (sp, sq) = (side(a, b, c, p), side(a, b, c, q));
    if sp > 0.0 && sq > 0.0 || sp < 0.0 && sq < 0.0 {
        return false;
    }
    if sp == 0.0 || sq == 0.0 {
        let axis = axis_of(t);
        let t = t.map(|p| flat(p, axis));
        let (fp, fq) = (flat(p, axis), flat(q, axis));
        return sp == 0.0 && holds(t, fp)
            || sq == 0.0 && holds(t, fq)
            || sp == 0.0 && sq == 0.0 && (0..3).any(|k| crosses(fp, fq, t[k], t[(k + 1) % 3]));
    }
    let around = [side(p, q, a, b), side(p, q, b, c), side(p, q, c, a)];
    around.iter().all(|&x| x >= 0.0) || around.iter().all(|&x| x <= 0.0)
}

/// Returns `true` if a point lies in a triangle or on its border.
fn holds([a, b, c]: [Coord<f64>; 3], p: Coord<f64>) -> bool {
    let around = [orient2d(a, b, p), orient2d(b, c, p), orient2d(c, a, p)];
    around.iter().all(|&x| x >= 0.0) || around.iter().all(|&x| x <= 0.0)
}

/// Returns `true` if two segments pass through each other; ends that lie on the other one are tested elsewhere.
fn crosses(a: Coord<f64>, b: Coord<f64>, c: Coord<f64>, d: Coord<f64>) -> bool {
    let opposite = |x: f64, y: f64| x > 0.0 && y < 0.0 || x < 0.0 && y > 0.0;
    opposite(orient2d(a, b, c), orient2d(a, b, d)) && opposite(orient2d(c, d, a), orient2d(c, d, b))
}
