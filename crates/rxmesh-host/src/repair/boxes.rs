//! A tree of bounding boxes over a list of items.

use glam::DVec3;

/// Smallest and largest corner of a box.
pub(super) type Box3 = (DVec3, DVec3);

/// Around nothing.
const EMPTY: Box3 = (DVec3::INFINITY, DVec3::NEG_INFINITY);

/// A binary tree over items in their order, in which items near in space should be near each other.
pub(super) struct Boxes {
    /// Node 1 is the root, `2 i` and `2 i + 1` are below node `i`; item `t` is node `leaves + t`.
    nodes: Vec<Box3>,
    leaves: usize,
}

impl Boxes {
    pub(super) fn new(things: impl ExactSizeIterator<Item = Box3>) -> Boxes {
        let leaves = things.len().next_power_of_two();
        let mut nodes = vec![EMPTY; 2 * leaves];
        for (leaf, thing) in nodes[leaves..].iter_mut().zip(things) {
            *leaf = thing;
        }
        let mut boxes = Boxes { nodes, leaves };
        (1..leaves).rev().for_each(|i| boxes.join(i));
        boxes
    }

    fn join(&mut self, i: usize) {
        let (a, b) = (self.nodes[2 * i], self.nodes[2 * i + 1]);
        self.nodes[i] = (a.0.min(b.0), a.1.max(b.1));
    }

    /// Removes the box of an item.
    pub(super) fn remove(&mut self, thing: usize) {
        let mut i = self.leaves + thing;
        self.nodes[i] = EMPTY;
        while i > 1 {
            i /= 2;
            self.join(i);
        }
    }

    /// Visits the items whose boxes are not `outside`, in their order, until one of them is `enough`.
    pub(super) fn visit(
        &self,
        outside: impl Fn(Box3) -> bool,
        mut enough: impl FnMut(usize) -> bool,
    ) -> bool {
        // Twice the depth of a tree that memory can hold.
        let mut stack = [0usize; 128];
        let mut count = 1;
        stack[0] = 1;
        while count > 0 {
            count -= 1;
            let i = stack[count];
            let (low, high) = self.nodes[i];
            if low.x > high.x || outside((low, high)) {
                continue;
            }
            if i >= self.leaves {
                if enough(i - self.leaves) {
                    return true;
                }
                continue;
            }
            stack[count] = 2 * i + 1;
            stack[count + 1] = 2 * i;
            count += 2;
        }
        false
    }
}

/// Returns `true` if a box is farther than `reach` from a point along some axis.
pub(super) fn is_far((low, high): Box3, point: DVec3, reach: f64) -> bool {
    (point - high).max(low - point).max_element() > reach
}

/// Returns the numbers of points along a curve that visits near ones together (Morton 1966).
pub(super) fn near_order(points: &[DVec3]) -> Vec<u32> {
    const STEPS: f64 = 1023.0;
    let low = points.iter().copied().fold(DVec3::INFINITY, DVec3::min);
    let high = points.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
    let spread = |x: f64| {
        // Ten bits, two places apart.
        let x = x as u32;
        (0..10).fold(0, |code, bit| code | (x >> bit & 1) << (3 * bit))
    };
    let side = (high - low).max_element();
    let code = |p: DVec3| {
        let at = if side > 0.0 {
            (p - low) / side * STEPS
        } else {
            DVec3::ZERO
        };
        spread(at.x) | spread(at.y) << 1 | spread(at.z) << 2
    };
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_by_cached_key(|&i| code(points[i as usize]));
    order
}
