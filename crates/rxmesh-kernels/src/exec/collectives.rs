//! Collectives over ranges, for any block width.
//!
//! The range is cut into at most `MAX_CHUNKS` chunks, or one a thread when the block is narrower; each chunk
//! is combined by one thread, the chunk results by the lead. On the device the chunks are warps
//! (`cuda.rs`), with the same meaning.

use super::Block;
#[cfg(not(target_arch = "nvptx64"))]
use super::{INTERNAL, MAX_CHUNKS};
use crate::mem::Shared;

#[inline(always)]
pub(super) fn scan<B: Block>(b: B, data: Shared<u32>, n: u32, scratch: Shared<u32>) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    return super::cuda::scan(b, data, n, scratch);
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let chunks = b.size(INTERNAL).min(MAX_CHUNKS);
        let w = n.div_ceil(chunks).max(1);
        let range = |c: u32| ((c * w).min(n), ((c + 1) * w).min(n));
        b.each(chunks, |c| {
            let (lo, hi) = range(c);
            let mut sum = 0;
            for i in lo..hi {
                sum += data.get(i);
            }
            scratch.set(c, sum);
        });
        b.lead(|| {
            let mut sum = 0;
            for c in 0..chunks {
                let x = scratch.get(c);
                scratch.set(c, sum);
                sum += x;
            }
            scratch.set(chunks, sum);
        });
        b.each(chunks, |c| {
            let (lo, hi) = range(c);
            let mut sum = scratch.get(c);
            for i in lo..hi {
                let x = data.get(i);
                data.set(i, sum);
                sum += x;
            }
        });
        let total = scratch.get(chunks);
        // Whoever uses the scratch next must not overwrite the total before all have read it.
        b.sync(INTERNAL);
        total
    }
}

#[inline(always)]
pub(super) fn reduce<B: Block>(
    b: B,
    n: u32,
    scratch: Shared<u32>,
    neutral: f64,
    f: impl Fn(u32) -> f64,
    combine: impl Fn(f64, f64) -> f64,
) -> f64 {
    #[cfg(target_arch = "nvptx64")]
    return super::cuda::reduce(b, n, scratch, neutral, f, combine);
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let scratch = scratch.cast::<f64>();
        let chunks = b.size(INTERNAL).min(MAX_CHUNKS);
        b.each(chunks, |c| {
            // Four running values: the adds of one chunk do not wait for each other.
            let mut acc = [neutral; 4];
            let mut i = c;
            while i + 3 * chunks < n {
                for (k, a) in acc.iter_mut().enumerate() {
                    *a = combine(*a, f(i + k as u32 * chunks));
                }
                i += 4 * chunks;
            }
            while i < n {
                acc[0] = combine(acc[0], f(i));
                i += chunks;
            }
            scratch.set(c, combine(combine(acc[0], acc[1]), combine(acc[2], acc[3])));
        });
        let mut total = neutral;
        for c in 0..chunks {
            total = combine(total, scratch.get(c));
        }
        b.sync(INTERNAL);
        total
    }
}

/// Computes two sums at once; the device has two items' loads in flight before it uses the first.
#[inline(always)]
pub(super) fn sum2<B: Block, T: Copy>(
    b: B,
    n: u32,
    scratch: Shared<u32>,
    load: impl Fn(u32) -> T,
    f: impl Fn(u32, T) -> (f64, f64),
) -> (f64, f64) {
    #[cfg(target_arch = "nvptx64")]
    return super::cuda::sum2(b, n, scratch, load, f);
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let scratch = scratch.cast::<f64>();
        let chunks = b.size(INTERNAL).min(MAX_CHUNKS / 2);
        b.each(chunks, |c| {
            let (mut x, mut y) = (0.0, 0.0);
            let mut i = c;
            while i < n {
                let (p, q) = f(i, load(i));
                x += p;
                y += q;
                i += chunks;
            }
            scratch.set(2 * c, x);
            scratch.set(2 * c + 1, y);
        });
        let mut total = (0.0, 0.0);
        for c in 0..chunks {
            total.0 += scratch.get(2 * c);
            total.1 += scratch.get(2 * c + 1);
        }
        b.sync(INTERNAL);
        total
    }
}

#[inline(always)]
pub(super) fn count<B: Block>(b: B, n: u32, scratch: Shared<u32>, f: impl Fn(u32) -> bool) -> u32 {
    #[cfg(target_arch = "nvptx64")]
    return super::cuda::count(b, n, scratch, f);
    #[cfg(not(target_arch = "nvptx64"))]
    {
        let chunks = b.size(INTERNAL).min(MAX_CHUNKS);
        b.each(chunks, |c| {
            let mut found = 0;
            let mut i = c;
            while i < n {
                found += u32::from(f(i));
                i += chunks;
            }
            scratch.set(c, found);
        });
        let mut total = 0;
        for c in 0..chunks {
            total += scratch.get(c);
        }
        b.sync(INTERNAL);
        total
    }
}

#[inline(always)]
pub(super) fn compact<B: Block>(
    b: B,
    n: u32,
    out: Shared<u32>,
    flags: Shared<u32>,
    scratch: Shared<u32>,
    f: impl Fn(u32) -> bool,
) -> u32 {
    b.each(n, |i| flags.set(i, u32::from(f(i))));
    let total = b.scan(flags, n, scratch);
    b.each(n, |i| {
        let at = flags.get(i);
        let next = if i + 1 < n { flags.get(i + 1) } else { total };
        if next != at {
            out.set(at, i);
        }
    });
    total
}
