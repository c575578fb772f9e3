//! Sums over the slots of a patch's targets: see [`super::distribute`].

use crate::mem::{Global, GlobalMut, Shared};
use crate::query::each_of;

/// Slots of a patch's targets, and the values that are there now: those of slots `from..to`.
#[derive(Clone, Copy)]
pub(super) struct SlotRows {
    pub(super) ends: Global<u16>,
    pub(super) slots: Global<u16>,
    pub(super) values: Shared<f32>,
    pub(super) words: u32,
    pub(super) from: u32,
    pub(super) to: u32,
}

impl SlotRows {
    /// Adds number `k % words` of the values of target `k / words` to a sum.
    #[inline(always)]
    pub(super) fn add(self, k: u32, sum: f32) -> f32 {
        let [sum] = self.sum(k / self.words, k % self.words, [sum]);
        sum
    }

    /// Adds numbers `c .. c + N` of the values of a target to sums.
    #[inline(always)]
    fn sum<const N: usize>(self, target: u32, c: u32, mut sum: [f32; N]) -> [f32; N] {
        let first = if target == 0 {
            0
        } else {
            u32::from(self.ends.get(target - 1))
        };
        each_of::<4, _>(
            first,
            u32::from(self.ends.get(target)),
            |at| {
                let slot = u32::from(self.slots.get(at));
                let here = slot >= self.from && slot < self.to;
                let from = if here { slot - self.from } else { 0 };
                (here, self.values.several::<N>(from * self.words + c))
            },
            |(here, value)| {
                let mut k = 0;
                while here && k < N {
                    sum[k] += value[k];
                    k += 1;
                }
            },
        );
        sum
    }
}

/// Work of one thread alone: a target after the other, up to eight numbers at a time.
#[derive(Clone, Copy)]
pub(super) struct SlotSums {
    pub(super) rows: SlotRows,
    /// Sums of earlier parts.
    pub(super) before: Option<Shared<f32>>,
    pub(super) owned: u32,
    /// Destination of complete sums: those of owned targets, and the patch's parts of the others.
    pub(super) to: Option<(GlobalMut<f32>, GlobalMut<f32>)>,
    /// Buffer in which sums wait for the next part.
    pub(super) between: Shared<f32>,
}

impl SlotSums {
    #[inline(always)]
    pub(super) fn target(self, target: u32) {
        let words = self.rows.words;
        let mut c = 0;
        while c + 8 <= words {
            self.some::<8>(target, c);
            c += 8;
        }
        if words & 4 != 0 {
            self.some::<4>(target, c);
            c += 4;
        }
        if words & 2 != 0 {
            self.some::<2>(target, c);
            c += 2;
        }
        if words & 1 != 0 {
            self.some::<1>(target, c);
        }
    }

    /// Numbers `c .. c + N` of a target.
    #[inline(always)]
    fn some<const N: usize>(self, target: u32, c: u32) {
        let k = target * self.rows.words + c;
        let before = self.before.map_or([0.0; N], |before| before.several(k));
        let sum = self.rows.sum(target, c, before);
        match self.to {
            None => self.between.put(k, sum),
            Some((sums, _)) if target < self.owned => sums.put(k, sum),
            Some((_, parts)) => parts.put(k - self.owned * self.rows.words, sum),
        }
    }
}
