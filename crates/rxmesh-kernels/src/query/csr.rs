//! Compressed rows in shared memory, and the transpose that makes them.

use super::Row;
#[cfg(doc)]
use super::NONE;
use crate::exec::{Block, Phase};
use crate::mem::{Plan, Shared};

/// Rows of local ids: row `r` is `values[ends[r - 1]..ends[r]]`, with `ends[-1] = 0`.
#[derive(Clone, Copy, Debug)]
pub struct Csr {
    ends: Shared<u32>,
    values: Shared<u16>,
}

impl Csr {
    /// Takes room for a number of rows with at most `values` values in all.
    #[inline(always)]
    pub fn take(plan: &mut Plan, rows: u32, values: u32) -> Csr {
        Csr { ends: plan.take(rows), values: plan.take(values) }
    }

    /// Zeroes the counters: part of the phase before [`Csr::transpose`].
    #[inline(always)]
    pub fn clear<B: Block>(self, p: Phase<B>) {
        let ends = self.ends;
        p.each(ends.len(), |r| ends.set(r, 0));
    }

    /// Fills the rows: item `i` of `0..items` puts itself into the rows of `emit(i)`, each a pair of a row
    /// and a value. Rows beyond the table ([`NONE`] among them) are left out. Rows come out in ascending order
    /// of the values, except that a block of one thread leaves them in the order of the items.
    #[inline(always)]
    pub fn transpose<B: Block, const N: usize>(
        self,
        b: B,
        items: u32,
        scratch: Shared<u32>,
        emit: impl Fn(u32) -> [(u32, u32); N],
    ) {
        let (ends, values) = (self.ends, self.values);
        let rows = ends.len();
        b.each(items, |i| {
            for (row, _) in emit(i) {
                if row < rows {
                    ends.fetch_add(row, 1);
                }
            }
        });
        b.scan(ends, rows, scratch);
        b.each(items, |i| {
            for (row, value) in emit(i) {
                if row < rows {
                    values.set(ends.fetch_add(row, 1), value as u16);
                }
            }
        });
        // One thread fills in the order of the items; several need a sort to have the same rows on every run.
        if !B::SOLO {
            b.each(rows, |r| self.sort_row(r));
        }
    }

    /// Sorts a short row in place.
    #[inline(always)]
    fn sort_row(self, r: u32) {
        let (lo, hi) = self.range(r);
        let mut i = lo + 1;
        while i < hi {
            let x = self.values.get(i);
            let mut j = i;
            while j > lo && self.values.get(j - 1) > x {
                self.values.set(j, self.values.get(j - 1));
                j -= 1;
            }
            self.values.set(j, x);
            i += 1;
        }
    }

    #[inline(always)]
    fn range(self, r: u32) -> (u32, u32) {
        let lo = if r == 0 { 0 } else { self.ends.get(r - 1) };
        (lo, self.ends.get(r))
    }

    /// Where row `r` ends in [`Csr::value`]'s numbering.
    #[inline(always)]
    pub fn end(self, r: u32) -> u32 {
        self.ends.get(r)
    }

    /// The local id at a place in the concatenated rows.
    #[inline(always)]
    pub fn value(self, at: u32) -> u32 {
        u32::from(self.values.get(at))
    }

    /// Replaces the local id at a place in the concatenated rows.
    #[inline(always)]
    pub(super) fn set_value(self, at: u32, v: u32) {
        self.values.set(at, v as u16);
    }

    /// Row `r`.
    #[inline(always)]
    pub fn row(self, r: u32) -> CsrRow {
        let (lo, hi) = self.range(r);
        CsrRow { values: self.values, lo, hi }
    }

    /// First and last place of row `r` in the concatenated rows.
    #[inline(always)]
    pub(super) fn bounds(self, r: u32) -> (u32, u32) {
        self.range(r)
    }
}

/// A row of a [`Csr`].
#[derive(Clone, Copy, Debug)]
pub struct CsrRow {
    values: Shared<u16>,
    lo: u32,
    hi: u32,
}

impl Row for CsrRow {
    type Iter = CsrRow;
    #[inline(always)]
    fn len(&self) -> u32 {
        self.hi - self.lo
    }
    #[inline(always)]
    fn get(&self, i: u32) -> u32 {
        u32::from(self.values.get(self.lo + i))
    }
    #[inline(always)]
    fn iter(&self) -> CsrRow {
        *self
    }
}

impl Iterator for CsrRow {
    type Item = u32;
    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        if self.lo == self.hi {
            return None;
        }
        self.lo += 1;
        Some(u32::from(self.values.get(self.lo - 1)))
    }
}

/// A row of a fixed number of neighbours, held in registers.
#[derive(Clone, Copy, Debug)]
pub struct FixedRow<const N: usize> {
    values: [u32; N],
    at: u32,
}

impl<const N: usize> FixedRow<N> {
    #[inline(always)]
    pub(super) fn new(values: [u32; N]) -> Self {
        FixedRow { values, at: 0 }
    }
}

impl<const N: usize> Row for FixedRow<N> {
    type Iter = Self;
    #[inline(always)]
    fn len(&self) -> u32 {
        N as u32
    }
    #[inline(always)]
    fn get(&self, i: u32) -> u32 {
        // A chain of selects: an array indexed at run time would go to local memory on the device.
        let mut v = self.values[0];
        let mut k = 1;
        while k < N {
            if i == k as u32 {
                v = self.values[k];
            }
            k += 1;
        }
        v
    }
    #[inline(always)]
    fn iter(&self) -> Self {
        *self
    }
}

impl<const N: usize> Iterator for FixedRow<N> {
    type Item = u32;
    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        if self.at as usize == N {
            return None;
        }
        self.at += 1;
        Some(self.get(self.at - 1))
    }
}
