//! Flips of diagonals that make the least angle of their two triangles larger (Lawson 1977). In a plane this ends with
//! the constrained Delaunay triangulation, but for ties.

use super::{NONE, Polygon, TIE};

/// Most flips for each triangle: there are polygons for which flipping takes quadratic time.
const MOST_FLIPS: usize = 64;

/// Flips until nothing becomes better. Each flip makes fewer diagonals that are taken, or the lesser of two grades
/// larger, so there is an end.
pub(super) fn improve(polygon: &Polygon, triangles: &mut [[u32; 3]], twins: &mut [u32]) {
    let mut queue: Vec<u32> = (0..twins.len() as u32)
        .rev()
        .filter(|&e| twins[e as usize] != NONE && twins[e as usize] > e)
        .collect();
    let mut flips_left = MOST_FLIPS * triangles.len();
    while let Some(e) = queue.pop() {
        let twin = twins[e as usize];
        if twin == NONE || !is_better(polygon, triangles, e, twin) {
            continue;
        }
        if flips_left == 0 {
            return;
        }
        flips_left -= 1;
        flip(triangles, twins, e);
        let outer = [e / 3, twin / 3].into_iter().flat_map(|t| 3 * t..3 * t + 3);
        queue.extend(outer.filter(|&o| twins[o as usize] != NONE));
    }
}

/// Returns the first end, second end and opposite corner of a half-edge.
fn corners(triangles: &[[u32; 3]], e: u32) -> [u32; 3] {
    let (t, k) = (triangles[e as usize / 3], e as usize % 3);
    [t[k], t[(k + 1) % 3], t[(k + 2) % 3]]
}

fn is_better(polygon: &Polygon, triangles: &[[u32; 3]], e: u32, twin: u32) -> bool {
    let [a, b, c] = corners(triangles, e);
    let d = corners(triangles, twin)[2];
    let now = polygon.grade([a, b, c]).min(polygon.grade([b, a, d]));
    let then = polygon.grade([a, d, c]).min(polygon.grade([d, b, c]));
    match (polygon.is_taken([a, b]), polygon.is_taken([c, d])) {
        (false, true) => false,
        (true, false) if then > 0.0 => true,
        _ if now > 0.0 => then > now * TIE,
        _ => then > now,
    }
}

/// Replaces the diagonal from `a` to `b` by that from `d` to `c`.
fn flip(triangles: &mut [[u32; 3]], twins: &mut [u32], e: u32) {
    let twin = twins[e as usize];
    let (t, s) = (e / 3, twin / 3);
    let [a, b, c] = corners(triangles, e);
    let d = corners(triangles, twin)[2];
    let side = |half: u32, k: u32| half / 3 * 3 + (half % 3 + k) % 3;
    let old = [side(e, 1), side(e, 2), side(twin, 1), side(twin, 2)].map(|h| twins[h as usize]);
    let [b_c, c_a, a_d, d_b] = old;
    triangles[t as usize] = [a, d, c];
    triangles[s as usize] = [d, b, c];
    let mut join = |half: u32, other: u32| {
        twins[half as usize] = other;
        if other != NONE {
            twins[other as usize] = half;
        }
    };
    join(3 * t, a_d);
    join(3 * t + 1, 3 * s + 2);
    join(3 * t + 2, c_a);
    join(3 * s, d_b);
    join(3 * s + 1, b_c);
}
