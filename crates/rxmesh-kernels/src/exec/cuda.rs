//! The block on an NVIDIA GPU: a CUDA thread block of whole warps.

use super::{Block, INTERNAL, Internal};
use crate::mem::{GlobalMut, Shared};
use cuda_std::{thread, warp};

/// A CUDA thread block. Its width is a multiple of 32 (the launcher sees to it).
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

/// The bit of a counter that turns when all blocks have arrived.
const TURN: u32 = 1 << 31;

impl Cuda {
    /// A barrier of all blocks of a cooperative launch, which orders their accesses to global memory (contract U6).
    /// Each block adds one to `arrived[1]`, the first as much as brings the count to the next turn of its top bit.
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

/// The value of the lane `d` below.
#[inline(always)]
fn shuffle_up(v: u32, d: u32) -> u32 {
    // SAFETY: blocks are whole warps and collectives are block-uniform, so all 32 lanes are here (contract U5).
    unsafe { warp::warp_shuffle_up(ALL, v, d, 32) }.0
}

/// The value of a lane.
#[inline(always)]
fn shuffle_idx(v: u32, lane: u32) -> u32 {
    // SAFETY: as `shuffle_up`.
    unsafe { warp::warp_shuffle_idx(ALL, v, lane, 32) }.0
}

/// The value of the lane whose number differs in the bits of `d`.
#[inline(always)]
fn shuffle_xor(v: f64, d: u32) -> f64 {
    // SAFETY: as `shuffle_up`.
    unsafe { warp::warp_shuffle_xor(ALL, v, d, 32) }.0
}

/// Exclusive scan of `v` over the warp's lanes; the second value is the warp's total.
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
