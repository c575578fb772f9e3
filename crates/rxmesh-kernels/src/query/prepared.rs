//! Prepared relations: rows computed once a mesh and kept as local ids in global memory (MeshTaichi 2022, section 5.1).
//!
//! A patch's table starts at a multiple of 16 bytes. Relations with rows of a fixed length keep the values only, 0xffff
//! for a missing one. The others keep the end of each row, then the values: `u16` all. Rows of ribbon elements are kept
//! only for relations whose kernels may read them ([`Relation::RIBBON_ROWS`]).

use super::{NONE, Relation, Row};
use crate::attr::Field;
use crate::mem::{Bind, Global, Piece};
use crate::topo::{Element, Patch, PatchHeader};
use core::marker::PhantomData;
use core::mem::MaybeUninit;

/// Alignment of the start of tables, in entries.
pub const TABLE_ALIGN: u32 = 8;

/// A missing neighbour in a prepared table.
const MISSING: u16 = u16::MAX;

/// A prepared relation, as kernels see it: the tables of all patches.
#[repr(C)]
#[derive(Debug)]
pub struct Prepared<R> {
    /// Start of each patch's table in `tables`, in entries; one more than there are patches.
    starts: Global<u32>,
    tables: Global<u16>,
    of: PhantomData<R>,
}

impl<R> Clone for Prepared<R> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<R> Copy for Prepared<R> {}

// SAFETY: both views.
unsafe impl<R> Bind for Prepared<R> {
    #[inline(always)]
    fn bind(&self) {
        self.starts.bind();
        self.tables.bind();
    }
    unsafe fn visit(&mut self, resolve: &mut dyn FnMut(Piece) -> Option<usize>) {
        // SAFETY: the caller's.
        unsafe {
            self.starts.visit(resolve);
            self.tables.visit(resolve);
        }
    }
}
// SAFETY: no prologue and no epilogue.
unsafe impl<R: Relation> Field for Prepared<R> {}

/// Returns the number of rows that a patch's table of `R` has.
#[inline(always)]
pub fn table_rows<R: Relation>(h: &PatchHeader) -> u32 {
    if R::RIBBON_ROWS {
        h.total_of(R::Source::KIND)
    } else {
        h.owned_of(R::Source::KIND)
    }
}

impl<R: Relation> Prepared<R> {
    /// Wraps tables that [`crate::query::prepare::PrepareRows`] made.
    ///
    /// # Safety
    ///
    /// They are those of `R` on the mesh that kernels are launched on with them, or empty and not used (contract U4).
    pub unsafe fn new(starts: Global<u32>, tables: Global<u16>) -> Self {
        Prepared {
            starts,
            tables,
            of: PhantomData,
        }
    }

    /// Returns no tables: for a field that a kernel does not use.
    pub fn empty() -> Self {
        // SAFETY: empty.
        unsafe { Prepared::new(Global::empty(), Global::empty()) }
    }

    /// Returns the number of entries of all tables.
    pub fn len(self) -> u32 {
        self.tables.len()
    }

    /// Returns `true` if there are none.
    pub fn is_empty(self) -> bool {
        self.tables.is_empty()
    }

    /// Returns the start of a patch's table among all tables: with it a value can be kept for each entry of the
    /// relation.
    #[inline(always)]
    pub fn place(self, patch: &Patch) -> u32 {
        self.starts.get(patch.id())
    }

    /// Returns the table of a patch.
    #[inline(always)]
    pub fn table(self, patch: &Patch) -> PreparedTable<R> {
        let table = self.tables.from(self.starts.get(patch.id()));
        let rows = table_rows::<R>(patch.header());
        PreparedTable {
            rows,
            ends: table,
            values: table.from(if R::FIXED.is_some() { 0 } else { rows }),
            of: PhantomData,
        }
    }
}

/// Rows of one patch.
#[derive(Clone, Copy, Debug)]
pub struct PreparedTable<R> {
    rows: u32,
    ends: Global<u16>,
    values: Global<u16>,
    of: PhantomData<R>,
}

impl<R: Relation> PreparedTable<R> {
    /// Returns the first and last place of a row in the concatenated rows.
    #[inline(always)]
    pub fn bounds(self, source: u32) -> (u32, u32) {
        match R::FIXED {
            Some(width) => (source * width, (source + 1) * width),
            None => {
                let lo = if source == 0 {
                    0
                } else {
                    u32::from(self.ends.get(source - 1))
                };
                (lo, u32::from(self.ends.get(source)))
            }
        }
    }

    /// Returns the local id at a place in the concatenated rows, or [`NONE`].
    #[inline(always)]
    pub fn value(self, at: u32) -> u32 {
        let v = self.values.get(at);
        if R::FIXED.is_some() && v == MISSING {
            NONE
        } else {
            u32::from(v)
        }
    }

    /// Returns the row of a local element; empty for a ribbon element whose row is not kept.
    #[inline(always)]
    pub fn row(self, source: u32) -> PreparedRow<R> {
        let (lo, hi) = if source < self.rows {
            self.bounds(source)
        } else {
            (0, 0)
        };
        PreparedRow {
            table: self,
            lo,
            hi,
        }
    }
}

/// A row of a prepared relation.
#[derive(Clone, Copy, Debug)]
pub struct PreparedRow<R> {
    table: PreparedTable<R>,
    lo: u32,
    hi: u32,
}

impl<R: Relation> Row for PreparedRow<R> {
    type Iter = Self;
    #[inline(always)]
    fn len(&self) -> u32 {
        self.hi - self.lo
    }
    #[inline(always)]
    fn get(&self, i: u32) -> u32 {
        self.table.value(self.lo + i)
    }
    #[inline(always)]
    fn iter(&self) -> Self {
        *self
    }
}

impl<R: Relation> PreparedRow<R> {
    /// Runs `f` on `load(id)` for every neighbour, in order, several loads at a time.
    #[inline(always)]
    pub fn each_loaded<T: Copy>(self, load: impl Fn(u32) -> T, f: impl FnMut(T)) {
        let (lo, hi) = (self.lo, self.hi);
        let load = |at| load(self.table.value(at));
        match R::USUAL {
            0..=2 => each_of::<2, T>(lo, hi, load, f),
            3 => each_of::<3, T>(lo, hi, load, f),
            4..=5 => each_of::<4, T>(lo, hi, load, f),
            6..=7 => each_of::<6, T>(lo, hi, load, f),
            _ => each_of::<8, T>(lo, hi, load, f),
        }
    }
}

impl<R: Relation> Iterator for PreparedRow<R> {
    type Item = u32;
    #[inline(always)]
    fn next(&mut self) -> Option<u32> {
        if self.lo == self.hi {
            return None;
        }
        self.lo += 1;
        Some(self.table.value(self.lo - 1))
    }
}

/// Runs `f` on `load(at)` for every place of a row, in order. On the device the loads of six places, a usual valence,
/// are on their way before the first is used.
#[inline(always)]
pub fn each_place<T: Copy>(lo: u32, hi: u32, load: impl Fn(u32) -> T, mut f: impl FnMut(T)) {
    let mut at = lo;
    if cfg!(not(target_arch = "nvptx64")) {
        while at < hi {
            f(load(at));
            at += 1;
        }
        return;
    }
    while at < hi {
        let here = |k: u32| load(if at + k < hi { at + k } else { hi - 1 });
        let (a, b, c, d, e, g) = (here(0), here(1), here(2), here(3), here(4), here(5));
        f(a);
        if at + 1 < hi {
            f(b);
        }
        if at + 2 < hi {
            f(c);
        }
        if at + 3 < hi {
            f(d);
        }
        if at + 4 < hi {
            f(e);
        }
        if at + 5 < hi {
            f(g);
        }
        at += 6;
    }
}

/// Works like [`each_place`], with the loads of `N` places in flight: for bodies so short that the compiler unrolls
/// their loops.
#[inline(always)]
pub fn each_of<const N: usize, T: Copy>(
    lo: u32,
    hi: u32,
    load: impl Fn(u32) -> T,
    mut f: impl FnMut(T),
) {
    let mut at = lo;
    if cfg!(not(target_arch = "nvptx64")) {
        while at < hi {
            f(load(at));
            at += 1;
        }
        return;
    }
    while at < hi {
        // Each closure in one place, so that it is inlined.
        let mut here = [const { MaybeUninit::uninit() }; N];
        let mut k = 0;
        while k < N {
            let place = at + k as u32;
            here[k] = MaybeUninit::new(load(if place < hi { place } else { hi - 1 }));
            k += 1;
        }
        k = 0;
        while k < N {
            if at + (k as u32) < hi {
                // SAFETY: the loop before has written all places.
                f(unsafe { here[k].assume_init() });
            }
            k += 1;
        }
        at += N as u32;
    }
}

crate::hashed! { [R] Prepared<R> }
