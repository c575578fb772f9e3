//! Ear clipping (Meisters 1975): the best ear first. Only the neighbours of a clipped ear change.

use super::obstacles::Obstacles;
use super::plane::Plane;
use super::{NONE, TIE};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Up to this many corners are walked along to find the best ear, and corners that are in an ear's way.
const FEW: usize = 24;

/// Rank of a corner: lower ones are clipped first. An ear before corners that are no ears; then the better triangle;
/// then the one whose neighbours were clipped least often, so that regular polygons do not become fans; then the
/// first.
type Rank = (u8, Reverse<u32>, u32, u32);

/// Kinds of corners, in the order in which they are clipped.
const EAR: u8 = 0;
const BLOCKED: u8 = 1;
const STRAIGHT: u8 = 2;
const TURNED: u8 = 3;

/// Ring of corners that are left, with buffers that are kept.
#[derive(Default)]
pub(super) struct Ears {
    next: Vec<u32>,
    prev: Vec<u32>,
    /// Half-edge of a triangle beside the side that leaves a corner.
    beside: Vec<u32>,
    /// Depth of the stack of triangles beside each corner.
    level: Vec<u32>,
    is_reflex: Vec<bool>,
    rank: Vec<Rank>,
    heap: BinaryHeap<Reverse<Rank>>,
    obstacles: Obstacles,
}

impl Ears {
    /// Cuts a polygon of four corners or more: `n - 2` triangles, and for each of their half-edges the one beside it.
    ///
    /// A polygon that crosses itself has no right answer; corners are clipped then so that there is an end.
    pub(super) fn clip(
        &mut self,
        plane: &Plane,
        ids: &[u32],
        triangles: &mut Vec<[u32; 3]>,
        twins: &mut Vec<u32>,
    ) {
        let n = ids.len() as u32;
        self.next.clear();
        self.next.extend((0..n).map(|k| (k + 1) % n));
        self.prev.clear();
        self.prev.extend((0..n).map(|k| (k + n - 1) % n));
        self.beside.clear();
        self.beside.resize(n as usize, NONE);
        self.level.clear();
        self.level.resize(n as usize, 0);
        self.is_reflex.clear();
        let turn = |k: u32| plane.turn([(k + n - 1) % n, k, (k + 1) % n]);
        self.is_reflex.extend((0..n).map(|k| turn(k) <= 0.0));
        let is_large = n as usize > FEW;
        if is_large {
            let reflex = (0..n).filter(|&k| self.is_reflex[k as usize]);
            self.obstacles.set(plane, reflex);
        }
        self.rank.clear();
        self.rank.resize(n as usize, (TURNED, Reverse(0), 0, 0));
        self.heap.clear();
        for k in 0..n {
            self.update(plane, k, is_large);
        }
        triangles.clear();
        twins.clear();
        let mut looks_left = 64 * n as usize;
        let mut at = 0;
        for left in (4..=n).rev() {
            let mut best = self.first(at, left, is_large);
            // Without an ear, ranks may be stale: only neighbours were updated. All are, a bounded number of times.
            if self.rank[best as usize].0 != EAR && looks_left >= left as usize {
                looks_left -= left as usize;
                let mut k = best;
                for _ in 0..left {
                    self.update(plane, k, is_large);
                    k = self.next[k as usize];
                }
                best = self.first(best, left, is_large);
            }
            at = self.clip_one(best, triangles, twins);
            for k in [self.prev[at as usize], at] {
                if self.is_reflex[k as usize] {
                    let t = [self.prev[k as usize], k, self.next[k as usize]];
                    if plane.turn(t) > 0.0 {
                        self.is_reflex[k as usize] = false;
                        if is_large {
                            self.obstacles.remove(k);
                        }
                    }
                }
            }
            // An ear's rank asks which corners are reflex, so these come first.
            for k in [self.prev[at as usize], at] {
                self.update(plane, k, is_large);
            }
        }
        let t = [self.prev[at as usize], at, self.next[at as usize]];
        self.push(t, triangles, twins);
    }

    /// Returns the best corner that is left; `at` is one of them.
    fn first(&mut self, at: u32, left: u32, is_large: bool) -> u32 {
        if is_large {
            while let Some(&Reverse(rank)) = self.heap.peek() {
                let k = rank.3;
                if self.next[k as usize] != NONE && self.rank[k as usize] == rank {
                    return k;
                }
                self.heap.pop();
            }
        }
        let (mut best, mut k) = (at, at);
        for _ in 1..left {
            k = self.next[k as usize];
            if self.rank[k as usize] < self.rank[best as usize] {
                best = k;
            }
        }
        best
    }

    /// Recomputes the rank of a corner.
    fn update(&mut self, plane: &Plane, k: u32, is_large: bool) {
        let t = [self.prev[k as usize], k, self.next[k as usize]];
        let turn = plane.turn(t);
        let quality = plane.quality(t);
        let kind = if turn > 0.0 {
            if self.is_blocked(plane, t, is_large) {
                BLOCKED
            } else {
                EAR
            }
        } else if turn == 0.0 {
            STRAIGHT
        } else {
            TURNED
        };
        // Steps of the tie's width; anything without area has the last one.
        let step = (quality.max(1e-30).ln() / TIE.ln()) as i32;
        let steps = step.wrapping_sub(i32::MIN) as u32;
        let rank = (kind, Reverse(steps), self.level[k as usize], k);
        if is_large && self.rank[k as usize] != rank {
            self.heap.push(Reverse(rank));
        }
        self.rank[k as usize] = rank;
    }

    /// Returns `true` if a corner lies in the triangle of three that follow each other. Corners at the place of one of
    /// the three (a bridge to a hole) do not count.
    fn is_blocked(&mut self, plane: &Plane, t: [u32; 3], is_large: bool) -> bool {
        let [h, _, j] = t;
        if is_large {
            return self.obstacles.is_inside(plane, t);
        }
        let mut k = self.next[j as usize];
        while k != h {
            if self.is_reflex[k as usize] && holds(plane, t, k) {
                return true;
            }
            k = self.next[k as usize];
        }
        false
    }

    /// Clips corner `i` off the ring; returns the one after it.
    fn clip_one(&mut self, i: u32, triangles: &mut Vec<[u32; 3]>, twins: &mut Vec<u32>) -> u32 {
        let (h, j) = (self.prev[i as usize], self.next[i as usize]);
        let half = self.push([h, i, j], triangles, twins);
        self.beside[h as usize] = half;
        self.next[h as usize] = j;
        self.prev[j as usize] = h;
        self.next[i as usize] = NONE;
        if self.is_reflex[i as usize] {
            self.is_reflex[i as usize] = false;
            self.obstacles.remove(i);
        }
        let level = self.level[i as usize] + 1;
        for k in [h, j] {
            self.level[k as usize] = self.level[k as usize].max(level);
        }
        j
    }

    /// Adds the triangle of three corners that follow each other; returns its half-edge from the last to the first.
    fn push(&self, t: [u32; 3], triangles: &mut Vec<[u32; 3]>, twins: &mut Vec<u32>) -> u32 {
        let first = twins.len() as u32;
        triangles.push(t);
        for k in 0..3u32 {
            // The last side belongs to the ring only in the last triangle.
            let is_side = k < 2 || self.next[t[2] as usize] == t[0];
            let twin = if is_side {
                self.beside[t[k as usize] as usize]
            } else {
                NONE
            };
            twins.push(twin);
            if twin != NONE {
                twins[twin as usize] = first + k;
            }
        }
        first + 2
    }
}

/// Returns `true` if corner `k` lies in the triangle or on its border, but not at one of its corners.
pub(super) fn holds(plane: &Plane, t: [u32; 3], k: u32) -> bool {
    let [a, b, c] = t;
    let q = plane.at(k);
    let apart = |v: u32| {
        let p = plane.at(v);
        p.x != q.x || p.y != q.y
    };
    plane.turn([a, b, k]) >= 0.0
        && plane.turn([b, c, k]) >= 0.0
        && plane.turn([c, a, k]) >= 0.0
        && apart(a)
        && apart(b)
        && apart(c)
}
