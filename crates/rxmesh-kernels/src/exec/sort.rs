//! Sorting inside a block.

use super::Block;
use crate::mem::Words;

/// Sorts words.
#[inline(always)]
pub(super) fn sort<B: Block, W: Words>(b: B, data: W, n: u32) {
    #[cfg(target_arch = "nvptx64")]
    if W::SHARED {
        // Longer lists, in global memory, are rare, and the code for them is short.
        super::cuda::sort(b, data, n);
        return;
    }
    #[cfg(not(target_arch = "nvptx64"))]
    if B::SOLO {
        data.sort_alone(n);
        return;
    }
    network(b, n, |low, high| {
        let (x, y) = (data.get(low), data.get(high));
        if y < x {
            data.set(low, y);
            data.set(high, x);
        }
    });
}

/// Runs Batcher's bitonic network in the form whose comparators all put the smaller value at the lower index, so that a
/// length that is no power of two needs no padding: values beyond the end count as infinite and never move. `order(low,
/// high)` has to swap the values at two places if they are in the wrong order.
#[inline(always)]
pub(crate) fn network<B: Block>(b: B, n: u32, order: impl Fn(u32, u32)) {
    let order = |low: u32, high: u32| {
        if high < n {
            order(low, high);
        }
    };
    let size = n.next_power_of_two();
    let mut half = 1;
    while half < size {
        b.each(size / 2, |t| {
            let (group, i) = (2 * (t & !(half - 1)), t & (half - 1));
            order(group + i, group + 2 * half - 1 - i);
        });
        let mut d = half / 2;
        while d > 0 {
            b.each(size / 2, |t| {
                let low = 2 * (t & !(d - 1)) + (t & (d - 1));
                order(low, low + d);
            });
            d /= 2;
        }
        half *= 2;
    }
}
