//! The nearest of many points.

use super::lists::{Items, is_before};
use super::search::{BoxLanes, BoxSearch, TreeView, ordered};
use crate::edit::NONE;
use crate::kernel;
use crate::kernel::FlatKernel;
use crate::math::{dot_rounded, sqrt};
use crate::mem::{Global, GlobalMut};
use glam::{Vec3, Vec4};

kernel_list! {
    flat point_corners: PointCorners;
    flat nearest_points: NearestPoints;
}

kernel! {
    /// Numbers the corners of triangles that are points. One index per point.
    pub struct PointCorners: Flat {
        /// Three corners a triangle.
        pub faces: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for PointCorners {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.faces.set(3 * i, i);
        self.faces.set(3 * i + 1, i);
        self.faces.set(3 * i + 2, i);
    }
}

/// Search for the nearest points: a heap, of which the first one is the farthest.
struct NearestSearch {
    p: Vec3,
    items: Items,
    count: u32,
    most: u32,
    /// The farthest item, once there are enough.
    last: (f32, u32),
}

impl BoxSearch for NearestSearch {
    #[inline(always)]
    fn orders(&self, boxes: &BoxLanes) -> Vec4 {
        boxes.squares_within(self.p, self.last.0)
    }

    #[inline(always)]
    fn keeps(&self, order: f32) -> bool {
        order <= self.last.0
    }

    #[inline(always)]
    fn visit(&mut self, tree: &TreeView, place: u32, [point, _, _]: [Vec3; 3]) -> bool {
        let item = (
            dot_rounded(point - self.p, point - self.p),
            tree.number(place),
        );
        if !is_before(item, self.last) {
            return false;
        }
        if self.count < self.most {
            self.items.set(self.count, item);
            self.count += 1;
            if self.count == self.most {
                self.items.heap(self.most);
                self.last = self.items.get(0);
            }
        } else {
            self.items.set(0, item);
            self.items.sift(0, self.most);
            self.last = self.items.get(0);
        }
        false
    }
}

kernel! {
    /// Finds the points of a tree that are nearest to others, nearest first. One index per point.
    pub struct NearestPoints: Flat {
        /// Tree of points: triangles whose corners are one point.
        pub surface: TreeView,
        /// Points to search from.
        pub points: Global<Vec3>,
        /// Order in which they are looked at; empty for that in which they lie.
        pub order: Global<u32>,
        /// Number of points to find for each.
        pub most: u32,
        /// Distances of those found; infinity where there are fewer.
        pub distances: GlobalMut<f32>,
        /// Numbers of those found; [`NONE`] where there are fewer.
        pub numbers: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for NearestPoints {
    #[inline(always)]
    fn run(&self, i: u32) {
        let i = ordered(self.order, i);
        let items = Items {
            distances: self.distances,
            numbers: self.numbers,
            first: i * self.most,
        };
        let mut search = NearestSearch {
            p: self.points.get(i),
            items,
            count: 0,
            most: self.most,
            last: (f32::INFINITY, 0),
        };
        self.surface.walk(0, &mut search);
        if search.count < self.most {
            items.heap(search.count);
        }
        items.sort_heap(search.count);
        let mut k = 0;
        while k < self.most {
            let item = if k < search.count {
                let (square, number) = items.get(k);
                (sqrt(square), number)
            } else {
                (f32::INFINITY, NONE)
            };
            items.set(k, item);
            k += 1;
        }
    }
}
