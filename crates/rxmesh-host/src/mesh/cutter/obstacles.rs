//! Corners that can lie in an ear's way, in a tree of boxes.

use super::ears::holds;
use super::plane::Plane;
use robust::Coord;

/// Corners in a leaf.
const LEAF: usize = 8;

/// Most tests of corners against triangles for each corner of a polygon: some ten times those that stars take.
const MOST_TESTS: usize = 1000;

#[derive(Clone, Copy)]
struct Node {
    low: [f64; 2],
    high: [f64; 2],
    /// Corners in it that are left.
    count: u32,
}

const EMPTY: Node = Node {
    low: [f64::INFINITY; 2],
    high: [f64::NEG_INFINITY; 2],
    count: 0,
};

/// Reflex corners: a triangle of a polygon that holds a corner holds a reflex one.
#[derive(Default)]
pub(super) struct Obstacles {
    /// Along a curve that visits near ones together.
    corners: Vec<u32>,
    /// Place of each corner in that order.
    place: Vec<u32>,
    is_left: Vec<bool>,
    /// Node 1 is the root, `2 i` and `2 i + 1` lie in node `i`.
    nodes: Vec<Node>,
    leaves: usize,
    tests_left: usize,
}

impl Obstacles {
    pub(super) fn set(&mut self, plane: &Plane, corners: impl Iterator<Item = u32>) {
        self.corners.clear();
        self.corners.extend(corners);
        let mut all = EMPTY;
        self.corners.iter().for_each(|&k| all.add(plane.at(k)));
        let side = (all.high[0] - all.low[0]).max(all.high[1] - all.low[1]);
        let step = |x: f64, low: f64| {
            if side > 0.0 {
                ((x - low) / side * 65535.0) as u32
            } else {
                0
            }
        };
        self.corners.sort_by_cached_key(|&k| {
            let p = plane.at(k);
            let (x, y) = (step(p.x, all.low[0]), step(p.y, all.low[1]));
            (0..16).fold(0, |code, bit| {
                code | (x >> bit & 1) << (2 * bit) | (y >> bit & 1) << (2 * bit + 1)
            })
        });
        let most = self
            .corners
            .iter()
            .copied()
            .max()
            .map_or(0, |k| k as usize + 1);
        self.place.clear();
        self.place.resize(most, 0);
        for (i, &k) in self.corners.iter().enumerate() {
            self.place[k as usize] = i as u32;
        }
        self.is_left.clear();
        self.is_left.resize(self.corners.len(), true);
        self.tests_left = MOST_TESTS * self.corners.len();
        self.leaves = self.corners.len().div_ceil(LEAF).next_power_of_two();
        self.nodes.clear();
        self.nodes.resize(2 * self.leaves, EMPTY);
        for (leaf, corners) in self.corners.chunks(LEAF).enumerate() {
            let node = &mut self.nodes[self.leaves + leaf];
            corners.iter().for_each(|&k| node.add(plane.at(k)));
        }
        for i in (1..self.leaves).rev() {
            self.nodes[i] = self.nodes[2 * i].with(self.nodes[2 * i + 1]);
        }
    }

    /// Removes a corner that has ceased to be reflex or was cut off; does nothing if it is not in the set.
    pub(super) fn remove(&mut self, corner: u32) {
        let Some(&place) = self.place.get(corner as usize) else {
            return;
        };
        let place = place as usize;
        if self.corners.get(place) != Some(&corner) || !self.is_left[place] {
            return;
        }
        self.is_left[place] = false;
        let mut i = self.leaves + place / LEAF;
        while i > 0 {
            self.nodes[i].count -= 1;
            i /= 2;
        }
    }

    /// Returns `true` if one of the corners that are left lies in a triangle that runs counter-clockwise.
    ///
    /// A polygon that crosses itself everywhere would take quadratic time. After [`MOST_TESTS`] for each corner the
    /// answer is `false`, so that the rest is cut without tests.
    pub(super) fn is_inside(&mut self, plane: &Plane, t: [u32; 3]) -> bool {
        if self.corners.is_empty() || self.tests_left == 0 {
            return false;
        }
        let places = t.map(|k| plane.at(k));
        let mut around = EMPTY;
        places.iter().for_each(|&p| around.add(p));
        // Twice the depth of a tree of 2^32 leaves.
        let mut stack = [0usize; 64];
        stack[0] = 1;
        let mut count = 1;
        while count > 0 {
            count -= 1;
            let i = stack[count];
            let node = &self.nodes[i];
            if node.count == 0 || node.is_outside(&around, &places) || node.is_one_of(&places) {
                continue;
            }
            if i < self.leaves {
                stack[count] = 2 * i;
                stack[count + 1] = 2 * i + 1;
                count += 2;
                continue;
            }
            let first = (i - self.leaves) * LEAF;
            let last = (first + LEAF).min(self.corners.len());
            self.tests_left = self.tests_left.saturating_sub(LEAF);
            let found = (first..last).any(|p| {
                self.is_left[p] && !t.contains(&self.corners[p]) && holds(plane, t, self.corners[p])
            });
            if found {
                return true;
            }
            if self.tests_left == 0 {
                return false;
            }
        }
        false
    }
}

impl Node {
    fn add(&mut self, p: Coord<f64>) {
        self.low = [self.low[0].min(p.x), self.low[1].min(p.y)];
        self.high = [self.high[0].max(p.x), self.high[1].max(p.y)];
        self.count += 1;
    }

    fn with(self, other: Node) -> Node {
        Node {
            low: [self.low[0].min(other.low[0]), self.low[1].min(other.low[1])],
            high: [
                self.high[0].max(other.high[0]),
                self.high[1].max(other.high[1]),
            ],
            count: self.count + other.count,
        }
    }

    /// Returns `true` if all corners in the box lie at one corner of a triangle: they are not in its way.
    fn is_one_of(&self, t: &[Coord<f64>; 3]) -> bool {
        self.low == self.high && t.iter().any(|p| [p.x, p.y] == self.low)
    }

    /// Returns `true` if the box surely has no point in common with a triangle: it lies beside the triangle's box, or
    /// to the right of a side.
    fn is_outside(&self, around: &Node, t: &[Coord<f64>; 3]) -> bool {
        /// Bound of the rounding of the two products and their difference, with a margin.
        const SLACK: f64 = 1e-15;
        if self.low[0] > around.high[0]
            || self.high[0] < around.low[0]
            || self.low[1] > around.high[1]
            || self.high[1] < around.low[1]
        {
            return true;
        }
        (0..3).any(|k| {
            let (a, b) = (t[k], t[(k + 1) % 3]);
            let (dx, dy) = (b.x - a.x, b.y - a.y);
            // The corner of the box that lies farthest to the left of the side.
            let x = if dy > 0.0 { self.low[0] } else { self.high[0] };
            let y = if dx > 0.0 { self.high[1] } else { self.low[1] };
            let (up, down) = (dx * (y - a.y), dy * (x - a.x));
            up - down < -SLACK * (up.abs() + down.abs())
        })
    }
}
