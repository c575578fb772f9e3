//! Compressed rows in shared memory, and the transpose that makes them.

use super::{NONE, Row};
use crate::exec::{Block, Phase, network};
use crate::mem::{Plan, Shared};

/// Longer rows are sorted by all threads of a block: one would take a number of steps that grows with the square.
const LONG_ROW: u32 = 64;

/// Rows of local ids: row `r` is `values[ends[r - 1]..ends[r]]`, with `ends[-1] = 0`.
#[derive(Clone, Copy, Debug)]
pub struct Csr {
    ends: Shared<u32>,
    /// First row that all threads are to sort together.
    long: Shared<u32>,
    values: Shared<u16>,
}

impl Csr {
    /// Carves space for a number of rows with at most `values` values in all.
    #[inline(always)]
    pub fn take(plan: &mut Plan, rows: u32, values: u32) -> Csr {
        Csr {
            ends: plan.take(rows),
            long: plan.take(1),
            values: plan.take(values),
        }
    }

    /// Returns the number of rows.
    #[inline(always)]
    pub fn rows(self) -> u32 {
        self.ends.len()
    }

    /// Zeroes the counters: part of the phase before [`Csr::transpose`].
    #[inline(always)]
    pub fn clear<B: Block>(self, p: Phase<B>) {
        let ends = self.ends;
        p.each(ends.len(), |r| ends.set(r, 0));
    }

    /// Fills the rows: item `i` of `0..items` puts itself into the rows of `emit(i, load(i))`, each a pair of a row
    /// and a value. Rows beyond the table ([`NONE`] among them) are left out. Rows come out in ascending order
    /// of the values, except that a block of one thread leaves them in the order of the items.
    #[inline(always)]
    pub fn transpose<B: Block, T: Copy, const N: usize>(
        self,
        b: B,
        items: u32,
        scratch: Shared<u32>,
        load: impl Fn(u32) -> T,
        emit: impl Fn(u32, T) -> [(u32, u32); N],
    ) {
        b.phase(|p| p.each_loaded(items, &load, |i, item| self.count(emit(i, item))));
        b.scan(self.ends, self.ends.len(), scratch);
        b.phase(|p| {
            p.lead(|| self.long.set(0, NONE));
            p.each_loaded(items, &load, |i, item| self.put(emit(i, item)));
        });
        self.sort(b);
    }

    /// Works like [`Csr::transpose`], for items that come four to a 16-byte access: `load(g)` gives items `4 g .. 4 g +
    /// 4`.
    #[inline(always)]
    pub fn transpose4<B: Block, const N: usize>(
        self,
        b: B,
        items: u32,
        scratch: Shared<u32>,
        load: impl Fn(u32) -> [u32; 4],
        emit: impl Fn(u32, u32) -> [(u32, u32); N],
    ) {
        let four = |g: u32, f: &dyn Fn([(u32, u32); N])| {
            let [a, b, c, d] = load(g);
            f(emit(4 * g, a));
            if 4 * g + 1 < items {
                f(emit(4 * g + 1, b));
            }
            if 4 * g + 2 < items {
                f(emit(4 * g + 2, c));
            }
            if 4 * g + 3 < items {
                f(emit(4 * g + 3, d));
            }
        };
        b.each(items.div_ceil(4), |g| {
            four(g, &|entries| self.count(entries))
        });
        b.scan(self.ends, self.ends.len(), scratch);
        b.phase(|p| {
            p.lead(|| self.long.set(0, NONE));
            p.each(items.div_ceil(4), |g| four(g, &|entries| self.put(entries)));
        });
        self.sort(b);
    }

    /// Counts one item's entries.
    #[inline(always)]
    fn count<const N: usize>(self, entries: [(u32, u32); N]) {
        let mut k = 0;
        while k < N {
            if entries[k].0 < self.ends.len() {
                self.ends.fetch_add(entries[k].0, 1);
            }
            k += 1;
        }
    }

    /// Appends one item's entries to their rows.
    #[inline(always)]
    fn put<const N: usize>(self, entries: [(u32, u32); N]) {
        let mut k = 0;
        while k < N {
            if entries[k].0 < self.ends.len() {
                self.values
                    .set(self.ends.fetch_add(entries[k].0, 1), entries[k].1 as u16);
            }
            k += 1;
        }
    }

    /// Sorts the rows. One thread fills in the order of the items; several need a sort to have the same rows on every
    /// run. A thread sorts a row, and all together sort the long ones.
    #[inline(always)]
    fn sort<B: Block>(self, b: B) {
        if B::SOLO {
            return;
        }
        let (rows, long) = (self.ends.len(), self.long);
        b.each(rows, |r| {
            if self.is_long(r) {
                long.fetch_min(0, r);
            } else {
                self.sort_row(r);
            }
        });
        let mut r = long.get(0);
        while r < rows {
            let (lo, hi) = self.range(r);
            network(b, hi - lo, |low, high| {
                let (x, y) = (self.values.get(lo + low), self.values.get(lo + high));
                if y < x {
                    self.values.set(lo + low, y);
                    self.values.set(lo + high, x);
                }
            });
            b.lead(|| long.set(0, NONE));
            b.each(rows - r - 1, |k| {
                if self.is_long(r + 1 + k) {
                    long.fetch_min(0, r + 1 + k);
                }
            });
            r = long.get(0);
        }
    }

    /// Returns `true` if a row is sorted by all threads together.
    #[inline(always)]
    fn is_long(self, r: u32) -> bool {
        let (lo, hi) = self.range(r);
        hi - lo > LONG_ROW
    }

    /// Sorts a row in place: a network in registers for up to eight values, insertion for more.
    #[inline(always)]
    fn sort_row(self, r: u32) {
        let (lo, hi) = self.range(r);
        let n = hi - lo;
        if n > 8 {
            return self.insertion_sort(lo, hi);
        }
        if n < 2 {
            return;
        }
        let mut v = [0, 1, 2, 3, 4, 5, 6, 7].map(|k| {
            if k < n {
                u32::from(self.values.get(lo + k))
            } else {
                NONE
            }
        });
        sort8(&mut v);
        let mut k = 0;
        while k < 8 {
            if (k as u32) < n {
                self.values.set(lo + k as u32, v[k] as u16);
            }
            k += 1;
        }
    }

    #[inline(always)]
    fn insertion_sort(self, lo: u32, hi: u32) {
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

    /// Returns the end of row `r` in [`Csr::value`]'s numbering.
    #[inline(always)]
    pub fn end(self, r: u32) -> u32 {
        self.ends.get(r)
    }

    /// Returns the local id at a place in the concatenated rows.
    #[inline(always)]
    pub fn value(self, at: u32) -> u32 {
        u32::from(self.values.get(at))
    }

    /// Sets the local id at a place in the concatenated rows.
    #[inline(always)]
    pub(super) fn set_value(self, at: u32, v: u32) {
        self.values.set(at, v as u16);
    }

    /// Returns the ends of the rows, for kernels that fill them in without [`Csr::transpose`].
    #[inline(always)]
    pub(super) fn ends(self) -> Shared<u32> {
        self.ends
    }

    /// Returns row `r`.
    #[inline(always)]
    pub fn row(self, r: u32) -> CsrRow {
        let (lo, hi) = self.range(r);
        CsrRow {
            values: self.values,
            lo,
            hi,
        }
    }

    /// Returns the first and last place of row `r` in the concatenated rows.
    #[inline(always)]
    pub(super) fn bounds(self, r: u32) -> (u32, u32) {
        self.range(r)
    }
}

/// Sorts eight values by Batcher's network (Knuth, The Art of Computer Programming 3, section 5.3.4): 19 comparisons,
/// no branch.
#[inline(always)]
fn sort8(v: &mut [u32; 8]) {
    const PAIRS: [(usize, usize); 19] = [
        (0, 1),
        (2, 3),
        (4, 5),
        (6, 7),
        (0, 2),
        (1, 3),
        (4, 6),
        (5, 7),
        (1, 2),
        (5, 6),
        (0, 4),
        (1, 5),
        (2, 6),
        (3, 7),
        (2, 4),
        (3, 5),
        (1, 2),
        (3, 4),
        (5, 6),
    ];
    let mut k = 0;
    while k < 19 {
        let (i, j) = PAIRS[k];
        let (a, b) = (v[i], v[j]);
        v[i] = if a < b { a } else { b };
        v[j] = if a < b { b } else { a };
        k += 1;
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

/// A row of at most `N` neighbours, a set, held in registers; with gaps, which are passed over.
#[derive(Clone, Copy, Debug)]
pub(super) struct FewRow<const N: usize> {
    values: FixedRow<N>,
}

impl<const N: usize> FewRow<N> {
    /// Creates the row of values in their order: each counts where it comes first, [`NONE`] and the element itself do
    /// not.
    #[inline(always)]
    pub(super) fn new(source: u32, mut values: [u32; N]) -> Self {
        let mut i = 0;
        while i < N {
            let mut new = values[i] != source;
            let mut k = 0;
            while k < i {
                new &= values[k] != values[i];
                k += 1;
            }
            if !new {
                values[i] = NONE;
            }
            i += 1;
        }
        FewRow {
            values: FixedRow::new(values),
        }
    }

    #[inline(always)]
    pub(super) fn len(&self) -> u32 {
        let (mut n, mut k) = (0, 0);
        while k < N {
            n += u32::from(self.values.values[k] != NONE);
            k += 1;
        }
        n
    }

    #[inline(always)]
    pub(super) fn get(&self, i: u32) -> u32 {
        let (mut found, mut n, mut k) = (NONE, 0, 0);
        while k < N {
            let v = self.values.values[k];
            if v != NONE && n == i {
                found = v;
            }
            n += u32::from(v != NONE);
            k += 1;
        }
        found
    }
}

impl<const N: usize> Iterator for FewRow<N> {
    type Item = u32;
    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        self.values.find(|&v| v != NONE)
    }
}

#[cfg(test)]
mod tests {
    use super::sort8;

    #[test]
    fn the_network_sorts_all_zero_one_inputs() {
        // A network that sorts every sequence of zeroes and ones sorts everything (the zero-one principle).
        for bits in 0..256u32 {
            let mut v = [0, 1, 2, 3, 4, 5, 6, 7].map(|k| bits >> k & 1);
            sort8(&mut v);
            assert!(v.is_sorted(), "{bits:08b} gave {v:?}");
        }
    }
}
