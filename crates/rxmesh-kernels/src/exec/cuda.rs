//! The block on an NVIDIA GPU: a CUDA thread block of whole warps.

use super::{Block, INTERNAL, Internal};
use crate::mem::{GlobalMut, Shared, Words};
use cuda_std::{thread, warp};

/// A CUDA thread block. Its width is a multiple of 32 (the launcher ensures it).
#[derive(Clone, Copy)]
pub struct Cuda;

// SAFETY: rank and size are the hardware's; `bar.sync 0` is a barrier of the whole block that orders
// shared and global accesses among its threads (contract U1).
unsafe impl Block for Cuda {
    const SOLO: bool = false;
    #[inline(always)]
    fn rank(self, _: Internal) -> u32 {
        thread::thread_idx_x()
    }
    #[inline(always)]
    fn size(self, _: Internal) -> u32 {
        thread::block_dim_x()
    }
    #[inline(always)]
    fn sync(self, _: Internal) {
        thread::sync_threads()
    }
}

/// Bit of a counter that turns when all blocks have arrived.
const TURN: u32 = 1 << 31;

impl Cuda {
    /// Waits at a barrier of all blocks of a cooperative launch, which orders their accesses to global memory (contract
    /// U6). Each block adds one to `arrived[1]`, the first the amount that brings the count to the next turn of its top
    /// bit.
    #[inline(always)]
    pub(crate) fn wait_for_grid(self, arrived: GlobalMut<u32>) {
        self.sync(INTERNAL);
        if self.rank(INTERNAL) == 0 {
            let others = thread::grid_dim_x() - 1;
            let by = if thread::block_idx_x() == 0 {
                TURN - others
            } else {
                1
            };
            thread::device_fence_acq_rel();
            let before = arrived.fetch_add(1, by);
            while (before ^ arrived.load(1)) & TURN == 0 {}
            thread::device_fence_acq_rel();
        }
        self.sync(INTERNAL);
    }
}

const ALL: u32 = u32::MAX;

/// Returns the value of the lane `d` below.
#[inline(always)]
fn shuffle_up(v: u32, d: u32) -> u32 {
    // SAFETY: blocks are whole warps and collectives are block-uniform, so all 32 lanes are here (contract U5).
    unsafe { warp::warp_shuffle_up(ALL, v, d, 32) }.0
}

/// Returns the value of a lane.
#[inline(always)]
fn shuffle_idx(v: u32, lane: u32) -> u32 {
    // SAFETY: as `shuffle_up`.
    unsafe { warp::warp_shuffle_idx(ALL, v, lane, 32) }.0
}

/// Returns the value of the lane whose number differs in the bits of `d`.
#[inline(always)]
fn shuffle_xor(v: f64, d: u32) -> f64 {
    // SAFETY: as `shuffle_up`.
    unsafe { warp::warp_shuffle_xor(ALL, v, d, 32) }.0
}

/// Computes the exclusive scan of `v` over the warp's lanes; the second value is the warp's total.
#[inline(always)]
fn warp_scan(v: u32, lane: u32) -> (u32, u32) {
    let mut inclusive = v;
    let mut d = 1;
    while d < 32 {
        let o = shuffle_up(inclusive, d);
        if lane >= d {
            inclusive += o;
        }
        d *= 2;
    }
    (inclusive - v, shuffle_idx(inclusive, 31))
}

pub(super) fn scan<B: Block>(b: B, data: Shared<u32>, n: u32, scratch: Shared<u32>) -> u32 {
    let (t, size) = (b.rank(INTERNAL), b.size(INTERNAL));
    let (lane, warp_id, warps) = (t % 32, t / 32, size / 32);
    let per = n.div_ceil(size);
    let (lo, hi) = ((t * per).min(n), (t * per + per).min(n));
    let mut sum = 0;
    let mut i = lo;
    while i < hi {
        sum += data.get(i);
        i += 1;
    }
    let (before, warp_total) = warp_scan(sum, lane);
    if lane == 31 {
        scratch.set(warp_id, warp_total);
    }
    b.sync(INTERNAL);
    // Every warp scans the warp totals for itself: cheaper than a second barrier.
    let mine = if lane < warps { scratch.get(lane) } else { 0 };
    let (warp_before, total) = warp_scan(mine, lane);
    let mut run = before + shuffle_idx(warp_before, warp_id);
    let mut i = lo;
    while i < hi {
        let x = data.get(i);
        data.set(i, run);
        run += x;
        i += 1;
    }
    b.sync(INTERNAL);
    total
}

pub(super) fn reduce<B: Block>(
    b: B,
    n: u32,
    scratch: Shared<u32>,
    neutral: f64,
    f: impl Fn(u32) -> f64,
    combine: impl Fn(f64, f64) -> f64,
) -> f64 {
    let scratch = scratch.cast::<f64>();
    let (t, size) = (b.rank(INTERNAL), b.size(INTERNAL));
    let (lane, warp_id, warps) = (t % 32, t / 32, size / 32);
    let mut acc = neutral;
    let mut i = t;
    while i < n {
        acc = combine(acc, f(i));
        i += size;
    }
    let across = |mut acc: f64| {
        let mut d = 16;
        while d > 0 {
            acc = combine(acc, shuffle_xor(acc, d));
            d /= 2;
        }
        acc
    };
    acc = across(acc);
    if lane == 0 {
        scratch.set(warp_id, acc);
    }
    b.sync(INTERNAL);
    let mine = if lane < warps {
        scratch.get(lane)
    } else {
        neutral
    };
    let total = across(mine);
    b.sync(INTERNAL);
    total
}

pub(super) fn sum2<B: Block, T: Copy>(
    b: B,
    n: u32,
    scratch: Shared<u32>,
    load: impl Fn(u32) -> T,
    f: impl Fn(u32, T) -> (f64, f64),
) -> (f64, f64) {
    let scratch = scratch.cast::<f64>();
    let (t, size) = (b.rank(INTERNAL), b.size(INTERNAL));
    let (lane, warp_id, warps) = (t % 32, t / 32, size / 32);
    let (mut x, mut y) = (0.0, 0.0);
    let mut i = t;
    while i < n {
        let j = i + size;
        let (first, second) = (load(i), load(if j < n { j } else { i }));
        let (p, q) = f(i, first);
        x += p;
        y += q;
        if j < n {
            let (p, q) = f(j, second);
            x += p;
            y += q;
        }
        i += 2 * size;
    }
    let across = |mut acc: f64| {
        let mut d = 16;
        while d > 0 {
            acc += shuffle_xor(acc, d);
            d /= 2;
        }
        acc
    };
    (x, y) = (across(x), across(y));
    if lane == 0 {
        scratch.set(2 * warp_id, x);
        scratch.set(2 * warp_id + 1, y);
    }
    b.sync(INTERNAL);
    let mine = |k: u32| {
        if lane < warps {
            scratch.get(2 * lane + k)
        } else {
            0.0
        }
    };
    let total = (across(mine(0)), across(mine(1)));
    b.sync(INTERNAL);
    total
}

pub(super) fn count<B: Block>(b: B, n: u32, scratch: Shared<u32>, f: impl Fn(u32) -> bool) -> u32 {
    let (t, size) = (b.rank(INTERNAL), b.size(INTERNAL));
    let (lane, warp_id, warps) = (t % 32, t / 32, size / 32);
    let mut found = 0;
    let mut i = t;
    while i < n {
        found += u32::from(f(i));
        i += size;
    }
    let (_, warp_total) = warp_scan(found, lane);
    if lane == 0 {
        scratch.set(warp_id, warp_total);
    }
    b.sync(INTERNAL);
    let mine = if lane < warps { scratch.get(lane) } else { 0 };
    let (_, total) = warp_scan(mine, lane);
    b.sync(INTERNAL);
    total
}

/// Registers of a thread in which a warp has words that it sorts by itself.
const ROWS: u32 = 4;

/// Words that a warp sorts by itself.
const RUN: u32 = 32 * ROWS;

/// Puts the smaller of two values first.
#[inline(always)]
fn in_order<const N: usize>(v: &mut [u32; N], first: usize, second: usize) {
    let (a, b) = (v[first], v[second]);
    (v[first], v[second]) = (a.min(b), a.max(b));
}

/// Sorts by the network of `sort::network`, most of whose steps need no barrier: those within [`RUN`] words are a
/// warp's, which has them in registers, and the others are done three at a time by a thread that has eight words.
///
/// Words beyond the end count as the largest number and never move.
#[inline(always)]
pub(super) fn sort<B: Block, W: Words>(b: B, data: W, n: u32) {
    let get = |i: u32| if i < n { data.get(i) } else { u32::MAX };
    let set = |i: u32, v: u32| {
        if i < n {
            data.set(i, v);
        }
    };
    let eighths = n.next_power_of_two() / 8;
    // Length of the sorted runs: nothing, then a half of the next.
    let mut half = 0;
    while half < n {
        if half > 0 {
            unite(b, n, half, eighths, get, set);
        }
        sort_runs(b, n, get, set, half == 0);
        half = RUN.max(2 * half);
    }
}

/// Runs the steps of [`sort`] that unite halves, except those within [`RUN`] words.
#[inline(always)]
fn unite<B: Block>(
    b: B,
    n: u32,
    half: u32,
    eighths: u32,
    get: impl Fn(u32) -> u32,
    set: impl Fn(u32, u32),
) {
    let stride = half / 4;
    let shift = stride.trailing_zeros();
    // A half against the other, turned around, then each half's halves and quarters.
    b.each(eighths, |q| {
        let (part, p) = ((q >> shift) * 2 * half, q & (stride - 1));
        let (low, high) = (part + p, part + 2 * half - 1 - p);
        if low >= n {
            return;
        }
        let mut x = [0; 4];
        let mut y = [0; 4];
        for j in 0..4 {
            x[j] = get(low + j as u32 * stride);
            y[j] = get(high - j as u32 * stride);
        }
        for j in 0..4 {
            (x[j], y[j]) = (x[j].min(y[j]), x[j].max(y[j]));
        }
        in_order(&mut x, 0, 2);
        in_order(&mut x, 1, 3);
        in_order(&mut x, 0, 1);
        in_order(&mut x, 2, 3);
        // Those run the other way.
        in_order(&mut y, 2, 0);
        in_order(&mut y, 3, 1);
        in_order(&mut y, 1, 0);
        in_order(&mut y, 3, 2);
        for j in 0..4 {
            set(low + j as u32 * stride, x[j]);
            set(high - j as u32 * stride, y[j]);
        }
    });
    let mut d = half / 8;
    while d >= RUN {
        // Steps that were made before change nothing when they are made again.
        d = d.max(2 * RUN);
        let stride = d / 4;
        let shift = stride.trailing_zeros();
        b.each(eighths, |q| {
            let first = (q >> shift) * 2 * d + (q & (stride - 1));
            if first >= n {
                return;
            }
            let mut x = [0; 8];
            for j in 0..8 {
                x[j] = get(first + j as u32 * stride);
            }
            for i in 0..4 {
                in_order(&mut x, i, i + 4);
            }
            for i in 0..2 {
                in_order(&mut x, i, i + 2);
                in_order(&mut x, i + 4, i + 6);
            }
            for i in 0..4 {
                in_order(&mut x, 2 * i, 2 * i + 1);
            }
            for j in 0..8 {
                set(first + j as u32 * stride, x[j]);
            }
        });
        d /= 8;
    }
}

/// Compares each of a warp's words with that whose number differs in the bits of `by_row`, for its row, and `by`, for
/// its lane, and keeps the smaller or the larger of both. The rows alone decide which one, else `smaller` does.
#[inline(always)]
fn compare(v: &mut [u32; ROWS as usize], by_row: usize, by: u32, smaller: bool) {
    let before = *v;
    for row in 0..ROWS as usize {
        // SAFETY: all lanes are here: the loop around it is the warp's (contract U5).
        let (other, _) = unsafe { warp::warp_shuffle_xor(ALL, before[row ^ by_row], by, 32) };
        let smaller = if by_row == 0 {
            smaller
        } else {
            row < row ^ by_row
        };
        v[row] = if smaller {
            before[row].min(other)
        } else {
            before[row].max(other)
        };
    }
}

/// Sorts each [`RUN`] words, which are in any order or, if not `unsorted`, in that left by the steps between halves.
#[inline(always)]
fn sort_runs<B: Block>(
    b: B,
    n: u32,
    get: impl Fn(u32) -> u32,
    set: impl Fn(u32, u32),
    unsorted: bool,
) {
    let (t, size) = (b.rank(INTERNAL), b.size(INTERNAL));
    let lane = t % 32;
    let mut first = t / 32 * RUN;
    while first < n {
        let at = |row: usize| first + 32 * row as u32 + lane;
        let mut v = [0; ROWS as usize];
        for row in 0..ROWS as usize {
            v[row] = get(at(row));
        }
        if unsorted {
            let mut half = 1;
            while half <= 16 {
                compare(&mut v, 0, 2 * half - 1, lane & half == 0);
                let mut d = half / 2;
                while d > 0 {
                    compare(&mut v, 0, d, lane & d == 0);
                    d /= 2;
                }
                half *= 2;
            }
            compare(&mut v, 1, 31, true);
            let mut d = 16;
            while d > 0 {
                compare(&mut v, 0, d, lane & d == 0);
                d /= 2;
            }
            compare(&mut v, 3, 31, true);
        } else {
            in_order(&mut v, 0, 2);
            in_order(&mut v, 1, 3);
        }
        in_order(&mut v, 0, 1);
        in_order(&mut v, 2, 3);
        let mut d = 16;
        while d > 0 {
            compare(&mut v, 0, d, lane & d == 0);
            d /= 2;
        }
        for row in 0..ROWS as usize {
            set(at(row), v[row]);
        }
        first += size * ROWS;
    }
    b.sync(INTERNAL);
}
