//! Sums over the slots of a patch's targets: see [`super::distribute`].

use crate::attr::Sum;
use crate::mem::{Global, GlobalMut, Shared};

/// Values that a batch of elements gives to its neighbours, in shared memory: `W` for each element.
///
/// On a GPU, pairs of numbers (single ones if values have an odd number) of adjacent elements are adjacent, so that
/// adjacent threads access different banks. A thread alone has the numbers of a value side by side.
#[derive(Clone, Copy)]
pub struct GivenValues {
    pub(super) at: Shared<f32>,
    /// Number of elements.
    pub(super) count: u32,
    /// Neighbours of an element.
    pub(super) width: u32,
    /// Numbers of a value.
    pub(super) words: u32,
    /// `true` for a block of one thread.
    pub(super) alone: bool,
}

impl GivenValues {
    /// Returns the place of number `c` of the value that element `i` gives to its neighbour `k`.
    #[inline(always)]
    fn place(self, i: u32, k: u32, c: u32) -> u32 {
        if self.alone {
            return (i * self.width + k) * self.words + c;
        }
        let step = if self.words.is_multiple_of(2) { 2 } else { 1 };
        ((c / step * self.width + k) * self.count + i) * step + c % step
    }

    /// Sets the values that element `i` gives.
    #[inline(always)]
    pub fn put<T: Sum, const W: usize>(self, i: u32, values: [T; W]) {
        let mut k = 0;
        while k < W {
            let mut c = 0;
            while c < T::COMPONENTS {
                let place = self.place(i, k as u32, c);
                if !self.alone && T::COMPONENTS.is_multiple_of(2) {
                    let pair = [values[k].component(c), values[k].component(c + 1)];
                    self.at.put::<2>(place, pair);
                    c += 2;
                } else {
                    self.at.set(place, values[k].component(c));
                    c += 1;
                }
            }
            k += 1;
        }
    }

    /// Returns numbers `c .. c + N` of the value in a slot; as many as lie side by side.
    #[inline(always)]
    fn get<const N: usize>(self, slot: u32, c: u32) -> [f32; N] {
        let place = self.place(slot / self.width, slot % self.width, c);
        self.at.several::<N>(place)
    }
}

/// Rows of slots of a patch's targets, and the values of a batch of elements.
#[derive(Clone, Copy)]
pub(super) struct SlotRows {
    pub(super) ends: Global<u16>,
    pub(super) slots: Global<u16>,
    pub(super) values: GivenValues,
    /// First element of the batch.
    pub(super) first: u32,
}

/// More than any slot.
const NO_SLOT: u32 = u32::MAX;

impl SlotRows {
    /// Returns the first entry of a target's row.
    #[inline(always)]
    pub(super) fn start(self, target: u32) -> u32 {
        if target == 0 {
            0
        } else {
            u32::from(self.ends.get(target - 1))
        }
    }

    #[inline(always)]
    fn slot(self, at: u32, end: u32) -> u32 {
        if at < end {
            u32::from(self.slots.get(at))
        } else {
            NO_SLOT
        }
    }

    /// Adds numbers `c .. c + N` of the batch's values of a target to its sum, which is at `to` from `k` on; the first
    /// batch sets it. `at` is the entry of the target's row whose slot is the first of the batch or after it; returns
    /// that of the next batch: slots ascend.
    #[inline(always)]
    pub(super) fn add<const N: usize>(
        self,
        [target, c]: [u32; 2],
        at: u32,
        to: GlobalMut<f32>,
        k: u32,
    ) -> u32 {
        let end = u32::from(self.ends.get(target));
        let from = self.values.width * self.first;
        let last = from + self.values.width * self.values.count;
        let (mut at, mut slot) = (at, self.slot(at, end));
        if self.first > 0 && slot >= last {
            return at;
        }
        let mut sum = match self.first {
            0 => [0.0; N],
            _ => to.read().several::<N>(k),
        };
        while slot < last {
            at += 1;
            let (here, next) = (slot - from, self.slot(at, end));
            let value = self.values.get::<N>(here, c);
            let mut i = 0;
            while i < N {
                sum[i] += value[i];
                i += 1;
            }
            slot = next;
        }
        to.put::<N>(k, sum);
        at
    }

    /// Does as [`SlotRows::add`] for all numbers of a target, one thread alone.
    #[inline(always)]
    pub(super) fn add_all(self, target: u32, at: u32, to: GlobalMut<f32>, row: u32) -> u32 {
        let words = self.values.words;
        let (mut c, mut next) = (0, at);
        while c + 8 <= words {
            next = self.add::<8>([target, c], at, to, row * words + c);
            c += 8;
        }
        if words & 4 != 0 {
            next = self.add::<4>([target, c], at, to, row * words + c);
            c += 4;
        }
        if words & 2 != 0 {
            next = self.add::<2>([target, c], at, to, row * words + c);
            c += 2;
        }
        if words & 1 != 0 {
            next = self.add::<1>([target, c], at, to, row * words + c);
        }
        next
    }
}
