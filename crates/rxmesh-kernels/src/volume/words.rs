//! Values of any width: some numbers for each element, staged or not, dealt out to threads as pairs or singles.

use crate::exec::{Block, Phase};
use crate::mem::{Global, Plan, Shared};
use crate::topo::{Element, Id, Local, Patch, PatchHeader};
use core::marker::PhantomData;

crate::args! {
    /// Values of `width` numbers for all elements of `K`, to read: staged in shared memory for all local elements, if
    /// they fit.
    pub struct StagedWords<K> {
        /// Numbers, by linear id.
        pub data: Global<f32>,
        here: Shared<f32>,
        /// Numbers a value.
        width: u32,
        /// 1 when values are read where they are. The same for all threads.
        direct: u32,
        of: PhantomData<K>,
    }
}

impl<K: Element> StagedWords<K> {
    /// Creates a field over values of `width` numbers, 1 to [`MOST_WIDE`], for each element. Those of an odd number are
    /// not staged.
    pub fn new(data: Global<f32>, width: u32) -> Self {
        StagedWords {
            data,
            here: Shared::empty(),
            width,
            direct: width % 2,
            of: PhantomData,
        }
    }

    /// Returns `true` if values are read from shared memory.
    #[inline(always)]
    pub fn is_staged(&self) -> bool {
        self.direct == 0
    }

    /// Leaves values in global memory.
    pub fn unstage(&mut self) {
        self.direct = 1;
    }

    /// Takes the shared memory.
    #[inline(always)]
    pub fn carve(&mut self, header: &PatchHeader, plan: &mut Plan) {
        let n = header.total_of(K::KIND) * self.width;
        // Taken in any case, as `Staged` does.
        self.here = plan.take(if self.direct == 0 { n } else { 0 });
    }

    /// Loads the values of all local elements, inside a phase: pairs, one for each of the lanes of `deal`.
    #[inline(always)]
    pub fn load<B: Block>(&self, p: Phase<B>, patch: &Patch, deal: Deal) {
        if self.direct != 0 {
            return;
        }
        let (data, here, width, map) = (self.data, self.here, self.width, patch.map::<K>());
        let (lanes, by) = (deal.lanes, deal.divide);
        p.each(patch.total::<K>() * lanes, |k| {
            let (i, lane) = split(k, lanes, by);
            let pair = data.several::<2>(map.linear(i) * width + 2 * lane);
            here.put::<2>(i * width + 2 * lane, pair);
        });
    }

    /// Numbers `c .. c + N` of an element, from shared memory.
    #[inline(always)]
    pub fn staged<const N: usize>(&self, e: Local<K>, c: u32) -> [f32; N] {
        self.here.several(e.local() * self.width + c)
    }

    /// Returns the same from global memory.
    #[inline(always)]
    pub fn there<const N: usize>(&self, e: Local<K>, c: u32) -> [f32; N] {
        self.data.several(e.linear() * self.width + c)
    }
}

crate::args! {
    /// Distribution of the numbers of values over threads: a thread takes a pair of one value, or a single one if
    /// values have an odd number of components.
    pub struct Deal {
        /// Threads a value.
        pub lanes: u32,
        /// Divisor for [`split`].
        pub divide: Divide,
        /// Numbers a thread.
        pub step: u32,
    }
}

/// Most numbers that a value may have.
pub const MOST_WIDE: u32 = 8192;

impl Deal {
    /// Creates a distribution for values of `width` numbers, 1 to [`MOST_WIDE`].
    pub fn new(width: u32) -> Deal {
        let step = if width.is_multiple_of(2) { 2 } else { 1 };
        let lanes = width / step;
        let shift = 31 + lanes.ilog2();
        Deal {
            lanes,
            divide: Divide {
                factor: (1u64 << shift).div_ceil(u64::from(lanes)) as u32,
                shift,
            },
            step,
        }
    }
}

crate::args! {
    /// A division by the number of lanes as a multiplication and a shift.
    pub struct Divide {
        /// 2^shift over the number of lanes, rounded up.
        factor: u32,
        /// 31 and the logarithm of the number of lanes, rounded down.
        shift: u32,
    }
}

/// Returns the value that lane `k` of a patch belongs to, and the number of the lane in the value.
///
/// Rounding the factor up adds less than `k / 2^shift` to the quotient: too little to change it while `k * lanes` is
/// below 2^shift, which it is for `k` up to 2^30, more than the up to 65,535 values of a patch with [`MOST_WIDE`]
/// lanes.
#[inline(always)]
pub fn split(k: u32, lanes: u32, by: Divide) -> (u32, u32) {
    let i = ((u64::from(k) * u64::from(by.factor)) >> by.shift) as u32;
    (i, k - i * lanes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_dealt_to_their_values() {
        for width in (1..400).chain([8190, 8191, MOST_WIDE]) {
            let deal = Deal::new(width);
            assert_eq!(deal.lanes * deal.step, width);
            for value in [0, 1, 2, 1023, 4096, 65_533, 65_534] {
                for lane in [0, deal.lanes / 2, deal.lanes - 1] {
                    let k = value * deal.lanes + lane;
                    assert_eq!(
                        split(k, deal.lanes, deal.divide),
                        (value, lane),
                        "{k} of width {width}"
                    );
                }
            }
        }
    }
}
