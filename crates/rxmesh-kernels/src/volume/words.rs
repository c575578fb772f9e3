//! Values of any width: some numbers for each element, staged or not, dealt out to threads as pairs or singles.

use crate::exec::{Block, Phase};
use crate::mem::{Global, Plan, Shared};
use crate::topo::{Element, Id, Local, Patch, PatchHeader};
use core::marker::PhantomData;

crate::args! {
    /// Values of `width` numbers for all elements of `K`, to read: staged in shared memory for all local elements,
    /// where there is room.
    pub struct Words<K> {
        /// The numbers, by linear id.
        pub data: Global<f32>,
        here: Shared<f32>,
        /// Numbers a value.
        width: u32,
        /// 1 when values are read where they are. The same for all threads.
        direct: u32,
        of: PhantomData<K>,
    }
}

impl<K: Element> Words<K> {
    /// Over values of `width` numbers, not 0, for each element.
    pub fn new(data: Global<f32>, width: u32) -> Self {
        Words {
            data,
            here: Shared::empty(),
            width,
            direct: 0,
            of: PhantomData,
        }
    }

    /// Whether values are read from shared memory.
    #[inline(always)]
    pub fn is_staged(&self) -> bool {
        self.direct == 0
    }

    /// Has values stay where they are.
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

    /// Loads the values of all local elements, inside a phase.
    #[inline(always)]
    pub fn load<B: Block>(&self, p: Phase<B>, patch: &Patch, deal: Deal) {
        if self.direct != 0 {
            return;
        }
        match deal.pairs() {
            true => self.copy::<B, 2>(p, patch, deal),
            false => self.copy::<B, 1>(p, patch, deal),
        }
    }

    #[inline(always)]
    fn copy<B: Block, const N: usize>(&self, p: Phase<B>, patch: &Patch, deal: Deal) {
        let (data, here, width, map) = (self.data, self.here, self.width, patch.map::<K>());
        p.each(patch.total::<K>() * deal.lanes, |k| {
            let (i, c) = deal.of::<N>(k);
            let values = data.several::<N>(map.linear(i) * width + c);
            here.put::<N>(i * width + c, values);
        });
    }

    /// Numbers `c .. c + N` of an element, from shared memory.
    #[inline(always)]
    pub fn staged<const N: usize>(&self, e: Local<K>, c: u32) -> [f32; N] {
        self.here.several(e.local() * self.width + c)
    }

    /// The same from where they are.
    #[inline(always)]
    pub fn there<const N: usize>(&self, e: Local<K>, c: u32) -> [f32; N] {
        self.data.several(e.linear() * self.width + c)
    }
}

crate::args! {
    /// How the numbers of values are dealt out: a thread takes a pair of one value, or a single one where values are of
    /// an odd number.
    pub struct Deal {
        /// Threads a value.
        pub lanes: u32,
        /// 2^31 over `lanes`, rounded up.
        factor: u32,
        width: u32,
    }
}

impl Deal {
    /// For values of `width` numbers, not 0.
    pub fn new(width: u32) -> Deal {
        let lanes = if width.is_multiple_of(2) {
            width / 2
        } else {
            width
        };
        Deal {
            lanes,
            factor: (1u32 << 31).div_ceil(lanes),
            width,
        }
    }

    /// Whether threads take pairs.
    #[inline(always)]
    pub fn pairs(self) -> bool {
        self.width.is_multiple_of(2)
    }

    /// The value, and the first of its numbers, that lane `k` of a patch takes when lanes have `N` numbers.
    ///
    /// Rounding the factor up adds less than `k / 2^31` to the quotient: too little to change it while `k * lanes` is
    /// below 2^31, which it is for the up to 65,535 values of a patch and 181 lanes.
    #[inline(always)]
    pub fn of<const N: usize>(self, k: u32) -> (u32, u32) {
        let i = if self.lanes > 181 {
            k / self.lanes
        } else {
            (u64::from(k) * u64::from(self.factor) >> 31) as u32
        };
        (i, N as u32 * (k - i * self.lanes))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_are_dealt_to_their_values() {
        for width in 1..400 {
            let deal = Deal::new(width);
            let step = if deal.pairs() { 2 } else { 1 };
            assert_eq!(deal.lanes * step, width);
            for value in [0, 1, 2, 1023, 4096, 65_533, 65_534] {
                for lane in [0, deal.lanes / 2, deal.lanes - 1] {
                    let k = value * deal.lanes + lane;
                    let got = if step == 2 {
                        deal.of::<2>(k)
                    } else {
                        deal.of::<1>(k)
                    };
                    assert_eq!(got, (value, step * lane), "{k} of width {width}");
                }
            }
        }
    }
}
