//! One iteration of the bilateral filter (Fleishman, Drori and Cohen-Or 2003) over directed edges: the balls by the
//! shortest edge of [`rxmesh_kernels::algo::filter`], grown by walking around vertices.

use crate::half_edges::HalfEdges;
use rxmesh_kernels::exec::Block;
use rxmesh_kernels::kernel::{BlockKernel, FlatKernel};
use rxmesh_kernels::math::{exp_fast, length, sqrt};
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};
use rxmesh_kernels::{Vec3, args};

/// Number of vertices that a block takes.
pub const BALLS: u32 = 128;

/// Capacity of a ball in shared memory, in vertices.
pub const ROOM: u32 = 48;

args! {
    /// Arguments of both kernels.
    pub struct DirectedBall<M: HalfEdges> {
        /// Mesh.
        pub mesh: M,
        /// Positions.
        pub x: Global<Vec3>,
        /// Unit normals.
        pub normal: Global<Vec3>,
        /// New positions.
        pub y: GlobalMut<Vec3>,
        /// The first word counts the balls that did not fit, which the others name.
        pub large: GlobalMut<u32>,
    }
}

/// List of the vertices of a ball.
trait BallList: Copy {
    fn capacity(self) -> u32;
    fn get(self, k: u32) -> u32;
    fn set(self, k: u32, v: u32);
}

/// Column of a shared array: neighbouring threads use neighbouring words.
#[derive(Clone, Copy)]
struct SharedColumn {
    words: Shared<u32>,
    at: u32,
    stride: u32,
}

impl BallList for SharedColumn {
    #[inline(always)]
    fn capacity(self) -> u32 {
        ROOM
    }
    #[inline(always)]
    fn get(self, k: u32) -> u32 {
        self.words.get(k * self.stride + self.at)
    }
    #[inline(always)]
    fn set(self, k: u32, v: u32) {
        self.words.set(k * self.stride + self.at, v);
    }
}

/// Piece of a global array.
#[derive(Clone, Copy)]
struct GlobalPiece {
    words: GlobalMut<u32>,
    capacity: u32,
}

impl BallList for GlobalPiece {
    #[inline(always)]
    fn capacity(self) -> u32 {
        self.capacity
    }
    #[inline(always)]
    fn get(self, k: u32) -> u32 {
        self.words.get(k)
    }
    #[inline(always)]
    fn set(self, k: u32, v: u32) {
        self.words.set(k, v);
    }
}

impl<M: HalfEdges> DirectedBall<M> {
    /// Returns the length of the shortest edge of a vertex; 0 without edges.
    #[inline(always)]
    fn shortest(&self, v: u32, x: Vec3) -> f32 {
        let mut least = f32::INFINITY;
        self.mesh.vertices(v, |w| {
            let l = length(self.x.get(w) - x);
            least = if l < least { l } else { least };
        });
        if least < f32::INFINITY { least } else { 0.0 }
    }

    /// Grows the ball around `v` into the list, `v` first. Returns its size, which exceeds the capacity if it does not
    /// fit.
    #[inline(always)]
    fn grow(&self, v: u32, x: Vec3, radius2: f32, list: impl BallList) -> u32 {
        list.set(0, v);
        let (mut n, mut next) = (1, 0);
        while next < n && n <= list.capacity() {
            self.mesh.vertices(list.get(next), |w| {
                let d = self.x.get(w) - x;
                if d.dot(d) >= radius2 || n > list.capacity() {
                    return;
                }
                // From the end: a vertex is met again soon after it was added.
                let mut k = n;
                while k > 0 {
                    k -= 1;
                    if list.get(k) == w {
                        return;
                    }
                }
                if n < list.capacity() {
                    list.set(n, w);
                }
                n += 1;
            });
            next += 1;
        }
        n
    }

    /// Returns the move of a vertex along its normal, given its ball.
    #[inline(always)]
    fn offset(&self, x: Vec3, normal: Vec3, sigma_c: f32, n: u32, list: impl BallList) -> f32 {
        let (mut sum, mut squares) = (0.0, 0.0);
        let mut k = 0;
        while k < n {
            let h = normal.dot(self.x.get(list.get(k)) - x);
            sum += h;
            squares += h * h;
            k += 1;
        }
        let mean = sum / n as f32;
        let variance = squares / n as f32 - mean * mean;
        let sigma_s = if variance > 0.0 { sqrt(variance) } else { 0.0 };
        if sigma_s <= 0.0 || sigma_s.is_nan() {
            return 0.0;
        }
        let (closeness, similarity) = (inverse(sigma_c), inverse(sigma_s));
        let (mut heights, mut weights) = (0.0, 0.0);
        k = 0;
        while k < n {
            let d = self.x.get(list.get(k)) - x;
            let h = normal.dot(d);
            let (near, alike) = (d * closeness, h * similarity);
            let w = exp_fast(-0.5 * (near.dot(near) + alike * alike));
            heights += w * h;
            weights += w;
            k += 1;
        }
        heights / weights
    }

    /// Moves a vertex; `false` when its ball does not fit the list.
    #[inline(always)]
    fn denoise(&self, v: u32, list: impl BallList) -> bool {
        let (x, normal) = (self.x.get(v), self.normal.get(v));
        let sigma_c = self.shortest(v, x);
        let mut y = x;
        if sigma_c > 0.0 && normal != Vec3::ZERO {
            let n = self.grow(v, x, 4.0 * sigma_c * sigma_c, list);
            if n > list.capacity() {
                return false;
            }
            y = x + normal * self.offset(x, normal, sigma_c, n, list);
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

args! {
    /// Runs one iteration for balls of up to [`ROOM`] vertices, [`BALLS`] of them a block.
    pub struct DirectedBalls<M: HalfEdges> {
        /// Arguments of the filter.
        pub ball: DirectedBall<M>,
        /// Number of vertices.
        pub n: u32,
    }
}

// SAFETY: blocks write apart or atomically, in phases that barriers part; indices are the launch's (contracts U1 to
// U4).
unsafe impl<M: HalfEdges> BlockKernel for DirectedBalls<M> {
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
                let column = SharedColumn { words, at, stride };
                if !self.ball.denoise(first + i, column) {
                    let large = self.ball.large;
                    large.set(1 + large.fetch_add(0, 1), first + i);
                }
            });
        });
    }
}

args! {
    /// Runs one iteration for the balls that did not fit, with lists in global memory.
    pub struct LargeBalls<M: HalfEdges> {
        /// Arguments of the filter, with another list of balls that do not fit.
        pub ball: DirectedBall<M>,
        /// Vertices with large balls.
        pub vertices: Global<u32>,
        /// One list after the other.
        pub lists: GlobalMut<u32>,
        /// Capacity of a list.
        pub capacity: u32,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl<M: HalfEdges> FlatKernel for LargeBalls<M> {
    const THREADS: u32 = 64;

    #[inline(always)]
    fn run(&self, i: u32) {
        let v = self.vertices.get(i);
        let words = self.lists.from(i * self.capacity);
        let capacity = self.capacity;
        if !self.ball.denoise(v, GlobalPiece { words, capacity }) {
            let large = self.ball.large;
            large.set(1 + large.fetch_add(0, 1), v);
        }
    }
}

entries_by_layout! { DirectedBalls LargeBalls }
