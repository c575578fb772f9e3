//! Relations whose rows are transposed from the rows of other elements.

use super::csr::CsrRow;
use super::{Csr, Relation};
use crate::exec::{Block, Phase};
use crate::mem::{Plan, Shared};
use crate::topo::{Element, Needs, Patch, PatchHeader};

/// Relation whose rows are transposed from the rows of other elements.
///
/// # Safety
///
/// As [`Relation`]: the transposed rows hold local ids of elements of kind `Source` (or [`NONE`](super::NONE)) and
/// `Target`, no more often than [`Transposed::size`] says.
pub unsafe trait Transposed: Copy + core::fmt::Debug + Send + Sync + 'static {
    /// See [`Relation::Source`].
    type Source: Element;
    /// See [`Relation::Target`].
    type Target: Element;
    /// See [`Relation::NAME`].
    const NAME: &'static str;
    /// See [`Relation::PREPARE`].
    const PREPARE: &'static str;
    /// See [`Relation::USUAL`].
    const USUAL: u32;
    /// See [`Relation::NEEDS`].
    const NEEDS: Needs;
    /// See [`Relation::RIBBON_ROWS`].
    const RIBBON_ROWS: bool = false;

    /// Returns the number of rows, and the largest number of entries in all of them.
    fn size(h: &PatchHeader) -> [u32; 2];

    /// Fills the rows.
    fn transpose<B: Block>(b: B, patch: &Patch, csr: Csr, scratch: Shared<u32>);
}

// SAFETY: rows are of the patch's own local ids, and as long as they say (contracts U1 to U4).
unsafe impl<R: Transposed> Relation for R {
    type Source = R::Source;
    type Target = R::Target;
    type Tables = Csr;
    type Row = CsrRow;
    const NAME: &'static str = R::NAME;
    const PREPARE: &'static str = R::PREPARE;
    const USUAL: u32 = R::USUAL;
    const NEEDS: Needs = R::NEEDS;
    const RIBBON_ROWS: bool = R::RIBBON_ROWS;

    #[inline(always)]
    fn carve(h: &PatchHeader, plan: &mut Plan) -> Csr {
        let [rows, entries] = R::size(h);
        Csr::take(plan, rows, entries)
    }
    #[inline(always)]
    fn prepare<B: Block>(p: Phase<B>, _patch: &Patch, csr: &Csr) {
        csr.clear(p);
    }
    #[inline(always)]
    fn build<B: Block>(b: B, patch: &Patch, csr: &Csr, scratch: Shared<u32>) {
        R::transpose(b, patch, *csr, scratch);
    }
    #[inline(always)]
    fn row(_patch: &Patch, csr: &Csr, source: u32) -> CsrRow {
        csr.row(source)
    }
    #[inline(always)]
    fn csr(csr: &Csr) -> Option<Csr> {
        Some(*csr)
    }
}
