//! Bilateral mesh denoising (Fleishman, Drori, Cohen-Or 2003, "Bilateral mesh denoising", section 3 and figure 2;
//! RXMesh 2021, section 8.3).
//!
//! Each vertex grows its ball breadth first over the edges inside it, across patches, from one-rings in linear ids. The
//! ball is a list of bounded length in shared memory, a column for each thread; balls that do not fit are noted and
//! done by a second kernel whose lists lie in global memory and are as long as need be. Both visit the ball in the same
//! order, so that a vertex's result does not depend on which of them found it.

use crate::exec::Block;
use crate::kernel;
use crate::kernel::{BlockKernel, FlatKernel};
use crate::math::{exp_fast, hash, length, sqrt};
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::parallel::labels::label_of;
use glam::Vec3;

kernel_list! {
    block filter_balls: FilterBalls;
    flat filter_large: FilterLarge;
}

/// Rule for the ball's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum BallSize {
    /// The same for all of a mesh: [`BallArgs::sigmas`].
    Given = 0,
    /// Mean length of the vertex's edges.
    MeanEdge = 1,
    /// Length of the vertex's shortest edge.
    ShortestEdge = 2,
}

crate::args! {
    /// Arguments of both kernels.
    pub struct BallArgs {
        /// Start of each one-ring.
        pub starts: Global<u32>,
        /// One-rings, in linear ids.
        pub ring: Global<u32>,
        /// Positions.
        pub x: Global<Vec3>,
        /// Unit normals.
        pub normal: Global<Vec3>,
        /// New positions.
        pub y: GlobalMut<Vec3>,
        /// Rule for the ball's size ([`BallSize`]).
        pub size: u32,
        /// Number of the mesh of each vertex; empty for one mesh.
        pub labels: Global<u32>,
        /// For each mesh closeness, for [`BallSize::Given`], and similarity; 0 for the offsets' standard deviation in
        /// each ball.
        pub sigmas: Global<f32>,
    }
}

/// A list of distinct vertices with bounded capacity.
trait List: Copy {
    /// Makes an empty list.
    fn clear(self);
    fn room(self) -> u32;
    fn get(self, k: u32) -> u32;
    /// Appends `v` to the first `n`, unless it is among them or the list is full.
    fn push(self, n: u32, v: u32) -> Push;
}

/// Outcome of adding a vertex to a ball.
enum Push {
    Known,
    Added,
    Full,
}

/// A column of a shared array: neighbouring threads use neighbouring words. Searched from the end, because a vertex is
/// met again soon after it was added.
#[derive(Clone, Copy)]
struct ListColumn {
    words: Shared<u32>,
    at: u32,
    stride: u32,
}

impl List for ListColumn {
    #[inline(always)]
    fn clear(self) {}
    #[inline(always)]
    fn room(self) -> u32 {
        ROOM
    }
    #[inline(always)]
    fn get(self, k: u32) -> u32 {
        self.words.get(k * self.stride + self.at)
    }
    #[inline(always)]
    fn push(self, n: u32, v: u32) -> Push {
        let mut k = n;
        while k > 0 {
            k -= 1;
            if self.get(k) == v {
                return Push::Known;
            }
        }
        if n == ROOM {
            return Push::Full;
        }
        self.words.set(n * self.stride + self.at, v);
        Push::Added
    }
}

/// Returns the number of words of global memory for a list of this capacity: the list, and a hash table twice as long.
pub const fn large_words(room: u32) -> u32 {
    3 * room
}

/// A piece of a global array: a list, and a hash table of its members (linear probing).
#[derive(Clone, Copy)]
struct Hashed {
    list: GlobalMut<u32>,
    table: GlobalMut<u32>,
    room: u32,
}

/// A free place of the hash table.
const FREE: u32 = u32::MAX;

impl List for Hashed {
    #[inline(always)]
    fn clear(self) {
        let mut k = 0;
        while k < 2 * self.room {
            self.table.set(k, FREE);
            k += 1;
        }
    }
    #[inline(always)]
    fn room(self) -> u32 {
        self.room
    }
    #[inline(always)]
    fn get(self, k: u32) -> u32 {
        self.list.get(k)
    }
    #[inline(always)]
    fn push(self, n: u32, v: u32) -> Push {
        let places = 2 * self.room;
        let mut at = hash(v) % places;
        // At most half of the places are taken: the search ends.
        loop {
            let there = self.table.get(at);
            if there == v {
                return Push::Known;
            }
            if there == FREE {
                break;
            }
            at = if at + 1 == places { 0 } else { at + 1 };
        }
        if n == self.room {
            return Push::Full;
        }
        self.table.set(at, v);
        self.list.set(n, v);
        Push::Added
    }
}

impl BallArgs {
    /// Returns the closeness at a vertex.
    #[inline(always)]
    fn closeness(&self, v: u32, x: Vec3, given: f32) -> f32 {
        if self.size == BallSize::Given as u32 {
            return given;
        }
        let (mut k, end) = (self.starts.get(v), self.starts.get(v + 1));
        let n = end - k;
        let (mut sum, mut least) = (0.0, f32::INFINITY);
        while k < end {
            let l = length(self.x.get(self.ring.get(k)) - x);
            sum += l;
            least = if l < least { l } else { least };
            k += 1;
        }
        if n == 0 {
            0.0
        } else if self.size == BallSize::MeanEdge as u32 {
            sum / n as f32
        } else {
            least
        }
    }

    /// Grows the ball around `v` into the list, `v` first. Returns its size, which exceeds the list's capacity if it
    /// does not fit.
    #[inline(always)]
    fn grow(&self, v: u32, x: Vec3, radius2: f32, list: impl List) -> u32 {
        list.clear();
        list.push(0, v);
        let (mut n, mut next) = (1, 0);
        while next < n {
            let from = list.get(next);
            let (mut k, end) = (self.starts.get(from), self.starts.get(from + 1));
            while k < end {
                let w = self.ring.get(k);
                let d = self.x.get(w) - x;
                if d.dot(d) < radius2 {
                    match list.push(n, w) {
                        Push::Known => {}
                        Push::Added => n += 1,
                        Push::Full => return n + 1,
                    }
                }
                k += 1;
            }
            next += 1;
        }
        n
    }

    /// Returns the move of `v` along its normal, given its ball.
    #[inline(always)]
    fn offset(
        &self,
        x: Vec3,
        normal: Vec3,
        [sigma_c, sigma_s]: [f32; 2],
        n: u32,
        list: impl List,
    ) -> f32 {
        let height = |k: u32| normal.dot(self.x.get(list.get(k)) - x);
        let sigma_s = if sigma_s > 0.0 {
            sigma_s
        } else {
            deviation(n, height)
        };
        if sigma_s <= 0.0 || sigma_s.is_nan() {
            return 0.0;
        }
        // Lengths are used, not their squares, which leave `f32` if a ball or its heights are small.
        let (closeness, similarity) = (inverse(sigma_c), inverse(sigma_s));
        let (mut sum, mut weights) = (0.0, 0.0);
        let mut k = 0;
        while k < n {
            let d = self.x.get(list.get(k)) - x;
            let h = normal.dot(d);
            let (near, alike) = (d * closeness, h * similarity);
            let w = exp_fast(-0.5 * (near.dot(near) + alike * alike));
            sum += w * h;
            weights += w;
            k += 1;
        }
        sum / weights
    }

    /// Moves a vertex; `false` when its ball does not fit the list.
    #[inline(always)]
    fn denoise(&self, v: u32, list: impl List) -> bool {
        let (x, normal) = (self.x.get(v), self.normal.get(v));
        let [given, sigma_s] = self.sigmas.several(2 * label_of(self.labels, v));
        let sigma_c = self.closeness(v, x, given);
        let mut y = x;
        if sigma_c > 0.0 && normal != Vec3::ZERO {
            let n = self.grow(v, x, 4.0 * sigma_c * sigma_c, list);
            if n > list.room() {
                return false;
            }
            y = x + normal * self.offset(x, normal, [sigma_c, sigma_s], n, list);
        }
        self.y.set(v, y);
        true
    }
}

/// Returns one over a length, within the range of `f32`.
#[inline(always)]
fn inverse(length: f32) -> f32 {
    let least = 1e-30;
    1.0 / if length > least { length } else { least }
}

/// Returns the standard deviation of the offsets in a ball (the paper's estimate of the noise, section 3.1).
#[inline(always)]
fn deviation(n: u32, height: impl Fn(u32) -> f32) -> f32 {
    let (mut sum, mut squares) = (0.0, 0.0);
    let mut k = 0;
    while k < n {
        let h = height(k);
        sum += h;
        squares += h * h;
        k += 1;
    }
    let mean = sum / n as f32;
    let variance = squares / n as f32 - mean * mean;
    if variance > 0.0 { sqrt(variance) } else { 0.0 }
}

/// Vertices that one block does.
pub const BALLS: u32 = 128;

/// Capacity of a ball in shared memory, in vertices.
pub const ROOM: u32 = 48;

kernel! {
    /// Runs one iteration for balls of up to [`ROOM`] vertices, [`BALLS`] of them a block.
    pub struct FilterBalls: Block {
        /// Arguments of the filter.
        pub args: BallArgs,
        /// Number of linear ids.
        pub n: u32,
        /// The first word counts the balls that did not fit, which the others name.
        pub large: GlobalMut<u32>,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl BlockKernel for FilterBalls {
    const THREADS: u32 = BALLS;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(BALLS * ROOM)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &words: &Shared<u32>) {
        let first = block * BALLS;
        let left = self.n - first;
        b.last_phase(|p| {
            p.each(if left < BALLS { left } else { BALLS }, |i| {
                // One thread alone keeps its list in one piece.
                let (at, stride) = if B::SOLO { (0, 1) } else { (i, BALLS) };
                if !self
                    .args
                    .denoise(first + i, ListColumn { words, at, stride })
                {
                    self.large.set(1 + self.large.fetch_add(0, 1), first + i);
                }
            });
        });
    }
}

kernel! {
    /// Runs one iteration for the balls that did not fit, with lists in global memory.
    pub struct FilterLarge: Flat {
        /// Arguments of the filter.
        pub args: BallArgs,
        /// Vertices with large balls.
        pub vertices: Global<u32>,
        /// One list after the other, [`large_words`] each.
        pub lists: GlobalMut<u32>,
        /// Room of a list.
        pub room: u32,
        /// The first word counts the balls that did not fit, which the others name.
        pub large: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for FilterLarge {
    const THREADS: u32 = 64;

    #[inline(always)]
    fn run(&self, i: u32) {
        let v = self.vertices.get(i);
        let (piece, room) = (self.lists.from(i * large_words(self.room)), self.room);
        let (list, table) = (piece, piece.from(room));
        if !self.args.denoise(v, Hashed { list, table, room }) {
            self.large.set(1 + self.large.fetch_add(0, 1), v);
        }
    }
}
