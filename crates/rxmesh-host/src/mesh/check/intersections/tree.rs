//! A tree of boxes over triangles.

use super::Search;
use super::triangle::{SLACK, Triangle, determinant, has_area};
use crate::par::IntoLean;
use glam::Vec3;
use rayon::prelude::*;

/// Triangles in a leaf of the tree.
const LEAF: usize = 4;
/// Limit of the counted partners after a triangle, along the curve that orders them.
const MOST_PARTNERS: usize = 1000;

/// Lowest and highest corner.
#[derive(Clone, Copy)]
struct Bounds {
    low: Vec3,
    high: Vec3,
}

const EMPTY: Bounds = Bounds {
    low: Vec3::INFINITY,
    high: Vec3::NEG_INFINITY,
};

impl Bounds {
    fn of_segment(a: Vec3, b: Vec3) -> Bounds {
        Bounds {
            low: a.min(b),
            high: a.max(b),
        }
    }

    fn of(points: [Vec3; 3]) -> Bounds {
        Bounds {
            low: points[0].min(points[1]).min(points[2]),
            high: points[0].max(points[1]).max(points[2]),
        }
    }

    fn with(self, other: Bounds) -> Bounds {
        Bounds {
            low: self.low.min(other.low),
            high: self.high.max(other.high),
        }
    }

    fn meets(&self, other: &Bounds) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }
}

/// A binary tree of boxes over the triangles with an area.
pub(super) struct Tree {
    /// Triangles along a curve that visits near ones together.
    pub(super) order: Vec<u32>,
    /// Boxes of the triangles, in that order.
    boxes: Vec<Bounds>,
    /// Node 1 is the root, `2 i` and `2 i + 1` lie in node `i`, leaf `k` is node `leaves + k`.
    nodes: Vec<Bounds>,
    leaves: usize,
    /// Pairs are looked for of a triangle below this number and one that is not; of any two if there is none.
    split: Option<u32>,
}

impl Tree {
    pub(super) fn new(positions: &[Vec3], faces: &[[u32; 3]], split: Option<u32>) -> Tree {
        let points = |f: usize| faces[f].map(|v| positions[v as usize]);
        let all = positions
            .par_iter()
            .lean()
            .map(|&p| Bounds { low: p, high: p });
        let all = all.reduce(|| EMPTY, Bounds::with);
        let low = all.low.as_dvec3();
        let size = (all.high.as_dvec3() - low)
            .max_element()
            .max(f64::MIN_POSITIVE);
        let key = |f: usize| {
            let [a, b, c] = points(f).map(|p| p.as_dvec3());
            // Twenty-one bits per axis.
            let at = (((a + b + c) / 3.0 - low) / size * 2_097_151.0).to_array();
            has_area([a, b, c]).then(|| {
                let [x, y, z] = at.map(|x| spread(x as u64));
                (x | y << 1 | z << 2, f as u32)
            })
        };
        let keys = (0..faces.len()).into_par_iter().lean().map(key);
        let mut keys: Vec<(u64, u32)> = keys.collect::<Vec<_>>().into_iter().flatten().collect();
        keys.par_sort_unstable();
        let order: Vec<u32> = keys.into_iter().map(|k| k.1).collect();
        let of = |&f: &u32| Bounds::of(points(f as usize));
        let boxes: Vec<Bounds> = order.par_iter().lean().map(of).collect();
        let leaves = order.len().div_ceil(LEAF).next_power_of_two();
        let mut nodes = vec![EMPTY; 2 * leaves];
        for (node, boxes) in nodes[leaves..].iter_mut().zip(boxes.chunks(LEAF)) {
            *node = boxes.iter().copied().fold(EMPTY, Bounds::with);
        }
        for i in (1..leaves).rev() {
            nodes[i] = nodes[2 * i].with(nodes[2 * i + 1]);
        }
        Tree {
            order,
            boxes,
            nodes,
            leaves,
            split,
        }
    }

    /// Adds the pairs of the triangle at a place in the order with those after it.
    pub(super) fn partners(
        &self,
        place: usize,
        positions: &[Vec3],
        faces: &[[u32; 3]],
        search: &mut Search,
    ) {
        let own = &self.boxes[place];
        let f = self.order[place];
        let corners = |f: u32| faces[f as usize].map(|v| positions[v as usize]);
        let points = corners(f);
        let triangle = Triangle::new(points);
        let mut left = MOST_PARTNERS;
        // Nodes with their number of leaves. Twice the depth of a tree that memory can hold.
        let mut stack = [(0usize, 0usize); 128];
        stack[0] = (1, self.leaves);
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let (i, leaves) = stack[count];
            let first = i * leaves - self.leaves;
            if (first + leaves) * LEAF <= place + 1 || !self.nodes[i].meets(own) {
                continue;
            }
            if leaves > 1 {
                stack[count] = (2 * i + 1, leaves / 2);
                stack[count + 1] = (2 * i, leaves / 2);
                count += 2;
                continue;
            }
            let last = ((first + 1) * LEAF).min(self.order.len());
            for other in (first * LEAF).max(place + 1)..last {
                if !self.boxes[other].meets(own) {
                    continue;
                }
                let g = self.order[other];
                if self.split.is_some_and(|n| (f < n) == (g < n)) {
                    continue;
                }
                let others = corners(g);
                if are_apart((&points, own), (&others, &self.boxes[other])) {
                    continue;
                }
                if search.tests == 0 {
                    search.all = false;
                    return;
                }
                search.tests -= 1;
                if triangle.meets(&Triangle::new(others)) {
                    search.pairs.push([f.min(g), f.max(g)]);
                    left -= 1;
                    if left == 0 {
                        search.all = false;
                        return;
                    }
                }
            }
        }
    }
}

/// Returns `true` for two triangles that certainly have nothing in common beside the corner or the side that they
/// share, each given with its box. It is cheap, as around one vertex or edge there may be thousands of triangles, whose
/// boxes all overlap.
fn are_apart((t, own): (&[Vec3; 3], &Bounds), (s, other): (&[Vec3; 3], &Bounds)) -> bool {
    let (mut shared, mut k, mut l) = (0, 0, 0);
    for (i, p) in t.iter().enumerate() {
        for (j, q) in s.iter().enumerate() {
            if p == q {
                (shared, k, l) = (shared + 1, k + i, l + j);
            }
        }
    }
    match shared {
        // Their intersection reaches from the corner to the opposite side of one of them.
        1 => {
            let [a, b] = [t[(k + 1) % 3], t[(k + 2) % 3]];
            let [c, d] = [s[(l + 1) % 3], s[(l + 2) % 3]];
            !Bounds::of_segment(a, b).meets(other) && !Bounds::of_segment(c, d).meets(own)
        }
        // The corners that are not shared are the third ones, of numbers that add up to 3. They lie in one plane.
        2 => {
            let corners = t.map(|p| p.as_dvec3());
            let [a, b, c] = corners;
            let (det, size) = determinant(a, b, c, s[3 - l].as_dvec3());
            det.abs() > SLACK * size
        }
        _ => false,
    }
}

/// Spreads the lowest 21 bits, two places apart.
fn spread(x: u64) -> u64 {
    let x = x & 0x1f_ffff;
    let x = (x | x << 32) & 0x001f_0000_0000_ffff;
    let x = (x | x << 16) & 0x001f_0000_ff00_00ff;
    let x = (x | x << 8) & 0x100f_00f0_0f00_f00f;
    let x = (x | x << 4) & 0x10c3_0c30_c30c_30c3;
    (x | x << 2) & 0x1249_2492_4924_9249
}
