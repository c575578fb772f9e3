//! Lists of all that queries find, one list a query, nearest first.

use super::closest::closest_within;
use super::rays::{Ray, RayList};
use super::search::{Bounds, BoxLanes, BoxSearch, TreeView, ordered};
use crate::kernel::FlatKernel;
use crate::math::sqrt;
use crate::mem::{Global, GlobalMut};
use crate::{args, kernel};
use glam::{Vec3, Vec4};

kernel_list! {
    flat list_hits: ListHits;
    flat list_near: ListNear;
}

args! {
    /// Lists, one after the other. They are counted by one launch, and written by the next.
    pub struct FoundLists {
        /// First place of each list, and that after the last one; empty to count.
        pub starts: Global<u32>,
        /// Length of each list, if it is counted.
        pub counts: GlobalMut<u32>,
        /// Distance of each item.
        pub distances: GlobalMut<f32>,
        /// Triangle of each item.
        pub triangles: GlobalMut<u32>,
    }
}

/// Items with distances, somewhere in arrays.
#[derive(Clone, Copy)]
pub(super) struct Items {
    pub(super) distances: GlobalMut<f32>,
    pub(super) numbers: GlobalMut<u32>,
    /// Place of the first item.
    pub(super) first: u32,
}

/// Returns `true` if an item is before another: nearer, or as near with a smaller number.
#[inline(always)]
pub(super) fn is_before(a: (f32, u32), b: (f32, u32)) -> bool {
    a.0 < b.0 || a.0 == b.0 && a.1 < b.1
}

impl Items {
    #[inline(always)]
    pub(super) fn get(&self, i: u32) -> (f32, u32) {
        let at = self.first + i;
        (self.distances.get(at), self.numbers.get(at))
    }

    #[inline(always)]
    pub(super) fn set(&self, i: u32, (distance, number): (f32, u32)) {
        self.distances.set(self.first + i, distance);
        self.numbers.set(self.first + i, number);
    }

    /// Makes a heap of the items, the last one in their order first (heapsort, Williams 1964, Floyd 1964).
    #[inline(always)]
    pub(super) fn heap(&self, count: u32) {
        let mut root = count / 2;
        while root > 0 {
            root -= 1;
            self.sift(root, count);
        }
    }

    /// Sorts the items of a heap.
    #[inline(always)]
    pub(super) fn sort_heap(&self, count: u32) {
        let mut end = count;
        while end > 1 {
            end -= 1;
            let (greatest, last) = (self.get(0), self.get(end));
            self.set(0, last);
            self.set(end, greatest);
            self.sift(0, end);
        }
    }

    /// Moves an item down the heap of the first `end` items, below those that come after it.
    #[inline(always)]
    pub(super) fn sift(&self, from: u32, end: u32) {
        let (mut at, item) = (from, self.get(from));
        loop {
            let mut child = 2 * at + 1;
            if child >= end {
                break;
            }
            let mut greater = self.get(child);
            if child + 1 < end {
                let right = self.get(child + 1);
                if is_before(greater, right) {
                    greater = right;
                    child += 1;
                }
            }
            if !is_before(item, greater) {
                break;
            }
            self.set(at, greater);
            at = child;
        }
        self.set(at, item);
    }
}

/// A list that is being made.
struct FoundList<'a> {
    all: &'a FoundLists,
    items: Items,
    count: u32,
}

impl FoundLists {
    #[inline(always)]
    fn list(&self, i: u32) -> FoundList<'_> {
        FoundList {
            all: self,
            items: Items {
                distances: self.distances,
                numbers: self.triangles,
                first: if self.starts.is_empty() {
                    0
                } else {
                    self.starts.get(i)
                },
            },
            count: 0,
        }
    }
}

impl FoundList<'_> {
    /// Adds an item.
    #[inline(always)]
    fn add(&mut self, distance: f32, triangle: u32) {
        if !self.all.starts.is_empty() {
            self.items.set(self.count, (distance, triangle));
        }
        self.count += 1;
    }

    /// Writes the count, or sorts the items.
    #[inline(always)]
    fn end(&self, i: u32) {
        if self.all.starts.is_empty() {
            self.all.counts.set(i, self.count);
        } else {
            self.items.heap(self.count);
            self.items.sort_heap(self.count);
        }
    }
}

/// Search for all hits of a ray.
struct HitSearch<'a> {
    ray: Ray,
    list: FoundList<'a>,
}

impl BoxSearch for HitSearch<'_> {
    #[inline(always)]
    fn orders(&self, boxes: &BoxLanes) -> Vec4 {
        self.ray.entries(boxes, self.ray.limit)
    }

    #[inline(always)]
    fn visit(&mut self, tree: &TreeView, place: u32, corners: [Vec3; 3]) -> bool {
        if let Some(t) = self.ray.hit_once(corners) {
            self.list.add(t, tree.number(place));
        }
        false
    }
}

kernel! {
    /// Lists the hits of rays, by place on the ray. Where a ray passes through an edge or a vertex, one triangle of
    /// those that share it is listed for each side of the surface. One index per ray.
    pub struct ListHits: Flat {
        /// Tree of the surface.
        pub surface: TreeView,
        /// Rays.
        pub rays: RayList,
        /// Order in which rays are looked at; empty for that in which they lie.
        pub order: Global<u32>,
        /// Lists.
        pub found: FoundLists,
    }
}

// SAFETY: indices of one launch write apart, because starts are prefix sums of the counts that the same search gave;
// the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for ListHits {
    #[inline(always)]
    fn run(&self, i: u32) {
        let i = ordered(self.order, i);
        let list = self.found.list(i);
        let Some(ray) = self.rays.ray(i) else {
            list.end(i);
            return;
        };
        let mut search = HitSearch { ray, list };
        self.surface.walk(0, &mut search);
        search.list.end(i);
    }
}

/// Search for all triangles near a point.
struct NearSearch<'a> {
    p: Vec3,
    square: f32,
    list: FoundList<'a>,
}

impl BoxSearch for NearSearch<'_> {
    #[inline(always)]
    fn orders(&self, boxes: &BoxLanes) -> Vec4 {
        boxes.squares_within(self.p, self.square)
    }

    #[inline(always)]
    fn takes(&self, boxes: &BoxLanes) -> bool {
        boxes.are_within(self.p, self.square)
    }

    #[inline(always)]
    fn is_due(&self, corners: [Vec3; 3]) -> bool {
        Bounds::of(corners).square_within(self.p, self.square) < f32::INFINITY
    }

    #[inline(always)]
    fn visit(&mut self, tree: &TreeView, place: u32, corners: [Vec3; 3]) -> bool {
        let (_, square) = closest_within(self.p, corners);
        if square <= self.square {
            self.list.add(sqrt(square), tree.number(place));
        }
        false
    }
}

kernel! {
    /// Lists the triangles that are at most as far from points as a radius, by their distance. One index per point.
    pub struct ListNear: Flat {
        /// Tree of the surface.
        pub surface: TreeView,
        /// Points.
        pub points: Global<Vec3>,
        /// Order in which points are looked at; empty for that in which they lie.
        pub order: Global<u32>,
        /// Square of the radius.
        pub square: f32,
        /// Lists.
        pub found: FoundLists,
    }
}

// SAFETY: as for [`ListHits`].
unsafe impl FlatKernel for ListNear {
    #[inline(always)]
    fn run(&self, i: u32) {
        let i = ordered(self.order, i);
        let mut search = NearSearch {
            p: self.points.get(i),
            square: self.square,
            list: self.found.list(i),
        };
        self.surface.walk(0, &mut search);
        search.list.end(i);
    }
}
