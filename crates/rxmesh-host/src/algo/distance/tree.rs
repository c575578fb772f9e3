//! Hierarchies of boxes, made by the host.

use crate::par::IntoLean;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use rxmesh_kernels::algo::distance::curve::{CURVE_CELLS, Curve};
use rxmesh_kernels::algo::distance::search::{LEAF, LEAST_LEAVES};
use rxmesh_kernels::algo::distance::tree::centre;

type Box3 = [Vec3; 2];

const NOTHING: Box3 = [Vec3::INFINITY, Vec3::NEG_INFINITY];

/// A triangle soup with its hierarchy of boxes in the host's memory, for look-ups that choose among triangles.
#[derive(Debug)]
pub(crate) struct HostTree(Built);

/// A place on a triangle of a [`HostTree`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nearest {
    /// Id of the triangle.
    pub(crate) face: u32,
    /// Part of each corner, which add up to 1.
    pub(crate) parts: [f64; 3],
    /// Squared distance to the point.
    pub(crate) square: f64,
}

impl HostTree {
    /// Makes the tree of some of the faces, given by their numbers.
    pub(crate) fn of(x: &[Vec3], faces: &[[u32; 3]], some: Vec<u32>) -> HostTree {
        HostTree(Built::new(x, faces, some))
    }

    /// Returns the place closest to `p` on the triangles that `accepts` names; of equally close ones the triangle with
    /// the smallest number.
    pub(crate) fn nearest(&self, p: DVec3, accepts: impl Fn(u32) -> bool) -> Option<Nearest> {
        let mut best: Option<Nearest> = None;
        self.visit(p, |at| {
            let closer = |b: Nearest| (at.square, at.face) < (b.square, b.face);
            if best.is_none_or(closer) && accepts(at.face) {
                best = Some(at);
            }
            best.map_or(f64::INFINITY, |b| b.square)
        });
        best
    }

    /// Calls `show` with the closest place on each triangle, up to the squared distance that `show` returned last.
    fn visit(&self, p: DVec3, mut show: impl FnMut(Nearest) -> f64) {
        let Built {
            boxes,
            corners,
            order,
            ..
        } = &self.0;
        let mut most = f64::INFINITY;
        let leaves = boxes.len() / 2;
        let distance = |node: usize| {
            let [low, high] = boxes[node].map(|b| b.as_dvec3());
            let d = (low - p).max(p - high).max(DVec3::ZERO);
            d.length_squared()
        };
        let mut stack = vec![(1, distance(1))];
        while let Some((node, near)) = stack.pop() {
            if near > most {
                continue;
            }
            if node < leaves {
                let [a, b] = [2 * node, 2 * node + 1].map(|n| (n, distance(n)));
                stack.extend(if a.1 <= b.1 { [b, a] } else { [a, b] });
                continue;
            }
            let first = (node - leaves) * LEAF as usize;
            for t in first..(first + LEAF as usize).min(order.len()) {
                let x = [0, 1, 2].map(|k| corners[3 * t + k].as_dvec3());
                let (parts, square) = closest_parts(p, x);
                if square <= most {
                    let face = order[t];
                    most = show(Nearest {
                        face,
                        parts,
                        square,
                    });
                }
            }
        }
    }
}

/// Returns the parts of the corners at the point of a triangle that is closest to `p`, and its squared distance
/// (Ericson, "Real-time collision detection", 2005, section 5.1.5).
pub(crate) fn closest_parts(p: DVec3, [a, b, c]: [DVec3; 3]) -> ([f64; 3], f64) {
    let measured = |parts: [f64; 3]| {
        let q = a * parts[0] + b * parts[1] + c * parts[2];
        (parts, q.distance_squared(p))
    };
    let normal = (b - a).cross(c - a);
    let whole = normal.length_squared();
    if whole > 0.0 {
        let part = |u: DVec3, v: DVec3| normal.dot((u - p).cross(v - p)) / whole;
        let parts = [part(b, c), part(c, a), part(a, b)];
        if parts.iter().all(|&x| (0.0..=1.0).contains(&x)) {
            return measured(parts);
        }
    }
    let on_side = |from: DVec3, to: DVec3| {
        let side = to - from;
        let square = side.length_squared();
        match square > 0.0 {
            true => (side.dot(p - from) / square).clamp(0.0, 1.0),
            false => 0.0,
        }
    };
    let (ab, bc, ca) = (on_side(a, b), on_side(b, c), on_side(c, a));
    let sides = [
        [1.0 - ab, ab, 0.0],
        [0.0, 1.0 - bc, bc],
        [ca, 0.0, 1.0 - ca],
    ]
    .map(measured);
    let nearer = |m: ([f64; 3], f64), n: ([f64; 3], f64)| if n.1 < m.1 { n } else { m };
    nearer(nearer(sides[0], sides[1]), sides[2])
}

/// Returns the mean of the values of three corners. Corners that do not count may have no number, and equal values are
/// not rounded.
pub(crate) fn mean(values: [f64; 3], parts: [f64; 3]) -> f64 {
    let mut counted = values.iter().zip(parts).filter(|(_, part)| *part != 0.0);
    let first = counted.clone().next().map_or(f64::NAN, |(x, _)| *x);
    if counted.clone().all(|(x, _)| *x == first) {
        return first;
    }
    counted.by_ref().map(|(x, part)| x * part).sum()
}

/// A tree before it is on an engine.
#[derive(Debug)]
pub(super) struct Built {
    pub(super) boxes: Vec<Box3>,
    pub(super) corners: Vec<Vec3>,
    /// Faces, as the triangles lie.
    pub(super) order: Vec<u32>,
    /// Places along the curve, as the triangles lie.
    pub(super) codes: Vec<u32>,
    /// Place along the curve of the first triangle of each leaf, `u32::MAX` for leaves without triangles.
    pub(super) firsts: Vec<u32>,
    pub(super) curve: Curve,
}

impl Built {
    /// Builds the tree of some of the faces.
    pub(super) fn new(x: &[Vec3], faces: &[[u32; 3]], of: Vec<u32>) -> Built {
        let place = |i: u32| faces[i as usize].map(|v| x[v as usize]);
        let centre = |i: u32| {
            let [a, b, c] = place(i);
            centre(a, b, c)
        };
        let [low, high] = of
            .par_iter()
            .lean()
            .map(|&i| {
                let [a, b, c] = place(i);
                [a.min(b).min(c), a.max(b).max(c)]
            })
            .reduce(|| NOTHING, union);
        let curve = curve(low, high);
        let mut order: Vec<(u32, u32)> = of
            .into_par_iter()
            .lean()
            .map(|i| (curve.code(centre(i)), i))
            .collect();
        order.par_sort_unstable();
        let leaves = leaves_of(order.len() as u32) as usize;
        let (codes, order): (Vec<u32>, Vec<u32>) = order.into_par_iter().lean().unzip();
        let mut firsts: Vec<u32> = codes.iter().step_by(LEAF as usize).copied().collect();
        firsts.resize(leaves, u32::MAX);
        let corners: Vec<Vec3> = order
            .par_iter()
            .lean()
            .flat_map_iter(|&i| place(i))
            .collect();
        Built {
            boxes: boxes_of(&corners, leaves),
            corners,
            order,
            codes,
            firsts,
            curve,
        }
    }
}

fn union(a: Box3, b: Box3) -> Box3 {
    [a[0].min(b[0]), a[1].max(b[1])]
}

/// Returns the boxes of all nodes; node 0 does not exist.
fn boxes_of(corners: &[Vec3], leaves: usize) -> Vec<Box3> {
    let mut boxes = vec![NOTHING; 2 * leaves];
    let (inner, last) = boxes.split_at_mut(leaves);
    last.par_iter_mut()
        .zip(corners.par_chunks(3 * LEAF as usize))
        .lean()
        .for_each(|(b, c)| *b = c.iter().fold(NOTHING, |b, &p| union(b, [p, p])));
    let mut below: &[Box3] = last;
    let mut rest = inner;
    // Level by level: the nodes from n to 2 n are the parents of those from 2 n to 4 n.
    while rest.len() > 1 {
        let (upper, level) = rest.split_at_mut(rest.len() / 2);
        level
            .par_iter_mut()
            .zip(below.par_chunks(2))
            .lean()
            .for_each(|(b, children)| *b = union(children[0], children[1]));
        below = level;
        rest = upper;
    }
    boxes
}

/// Returns the number of leaves of a tree of `n` triangles.
pub(super) fn leaves_of(n: u32) -> u32 {
    n.div_ceil(LEAF).max(LEAST_LEAVES).next_power_of_two()
}

/// Returns the curve through a box.
pub(super) fn curve(low: Vec3, high: Vec3) -> Curve {
    let extent = (high - low).max_element();
    Curve {
        low,
        scale: if extent > 0.0 {
            CURVE_CELLS / extent
        } else {
            0.0
        },
    }
}
