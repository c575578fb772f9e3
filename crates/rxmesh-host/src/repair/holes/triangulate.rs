//! Triangulation of a loop in space: the one whose sharpest fold is least, then the smallest (Barequet and Sharir 1995;
//! Liepa 2003).

use super::ears;
use super::patch::{HoleContext, unit_normal};
use glam::DVec3;

/// Most vertices that are triangulated all at once: time grows with the third power, to 0.1 s here.
pub(super) const MOST: usize = 200;

/// Steps from no fold to a fold by 180 degrees: equal steps of the cosine, so that folds below 7 degrees are all alike
/// and numbers that differ by rounding do not decide.
const FOLD_STEPS: f64 = 256.0;

/// Weight of the squares of new edges beside areas: flat patches all have one area.
const EDGE_PART: f64 = 0.1;

/// Returns faces between the vertices of a ring: `None` if there are none without faces that have no area and without
/// edges that exist already (`is_there`, for two vertices that are no neighbours on the ring).
pub(super) fn triangulate(
    around: &HoleContext,
    is_there: &dyn Fn(u32, u32) -> bool,
) -> Option<Vec<[u32; 3]>> {
    let n = around.points.len();
    if n <= MOST {
        let all: Vec<u32> = (0..n as u32).collect();
        return least(around, &all, &around.normals, is_there);
    }
    let cut = ears::cut(around, is_there)?;
    let mut faces = cut.faces;
    faces.extend(least(around, &cut.left, &cut.normals, is_there)?);
    Some(faces)
}

/// Weight of a triangulation: the sharpest fold in it, then its size.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Weight(u32, f64);

const NEVER: Weight = Weight(u32::MAX, f64::INFINITY);

/// Best triangulation of the part of the ring from one vertex to another.
#[derive(Clone, Copy)]
struct Best {
    weight: Weight,
    /// Third vertex of the face at the chord between the two.
    third: u32,
    /// Normal of that face; for sides of the ring that of the old face.
    normal: DVec3,
}

/// Returns the sharpness of the fold between two faces; 0 for faces without an area.
fn fold(a: DVec3, b: DVec3) -> u32 {
    if a == DVec3::ZERO || b == DVec3::ZERO {
        return 0;
    }
    ((1.0 - a.dot(b)).max(0.0) * FOLD_STEPS / 2.0) as u32
}

/// Finds the best triangulation of a polygon whose corners are local vertices; `normals` are those beyond its sides.
pub(super) fn least(
    around: &HoleContext,
    corners: &[u32],
    normals: &[DVec3],
    is_there: &dyn Fn(u32, u32) -> bool,
) -> Option<Vec<[u32; 3]>> {
    let n = corners.len();
    let x: Vec<DVec3> = corners.iter().map(|&v| around.points[v as usize]).collect();
    let is_side = |i: usize, k: usize| k == i + 1 || (i == 0 && k == n - 1);
    let nothing = Best {
        weight: NEVER,
        third: 0,
        normal: DVec3::ZERO,
    };
    let mut table = vec![nothing; n * n];
    for i in 0..n - 1 {
        table[i * n + i + 1] = Best {
            weight: Weight(0, 0.0),
            third: 0,
            normal: normals[i],
        };
    }
    for span in 2..n {
        for i in 0..n - span {
            let k = i + span;
            if !is_side(i, k) && is_there(corners[i], corners[k]) {
                continue;
            }
            let mut best = nothing;
            for m in i + 1..k {
                let (left, right) = (&table[i * n + m], &table[m * n + k]);
                let sharpest = left.weight.0.max(right.weight.0);
                if sharpest > best.weight.0 {
                    continue;
                }
                let cross = (x[m] - x[i]).cross(x[k] - x[i]);
                let length = cross.length();
                if !is_solid(length, x[i], x[m], x[k]) {
                    continue;
                }
                let normal = cross / length;
                let mut folds = fold(normal, left.normal).max(fold(normal, right.normal));
                if i == 0 && k == n - 1 {
                    folds = folds.max(fold(normal, normals[n - 1]));
                }
                let size = left.weight.1
                    + right.weight.1
                    + 0.5 * length
                    + EDGE_PART * x[i].distance_squared(x[k]);
                let weight = Weight(sharpest.max(folds), size);
                if weight < best.weight {
                    best = Best {
                        weight,
                        third: m as u32,
                        normal,
                    };
                }
            }
            table[i * n + k] = best;
        }
    }
    if table[n - 1].weight == NEVER {
        return None;
    }
    let mut faces = Vec::with_capacity(n - 2);
    let mut parts = vec![(0, n - 1)];
    while let Some((i, k)) = parts.pop() {
        if k > i + 1 {
            let m = table[i * n + k].third as usize;
            faces.push([corners[i], corners[m], corners[k]]);
            parts.extend([(m, k), (i, m)]);
        }
    }
    Some(faces)
}

/// Returns `true` if a triangle with twice the area `cross` has an area above the rounding of this arithmetic.
pub(super) fn is_solid(cross: f64, a: DVec3, b: DVec3, c: DVec3) -> bool {
    let longest = a
        .distance_squared(b)
        .max(b.distance_squared(c))
        .max(c.distance_squared(a));
    cross > f64::EPSILON.sqrt() * longest && unit_normal(a, b, c) != DVec3::ZERO
}
