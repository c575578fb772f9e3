//! Writes the rows of a relation to global memory, in linear ids.

use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel::PatchKernel;
use crate::mem::{Bind, FaultCode, GlobalMut, Piece, Plan, Shared};
use crate::query::{NONE, Relation, Row};
use crate::topo::{Element, Id, Patch, PatchHeader};
use core::marker::PhantomData;

/// Number of neighbours of each element.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct CountRows<R> {
    /// One number a linear id.
    pub counts: GlobalMut<u32>,
    /// The relation.
    pub relation: PhantomData<R>,
}

impl<R> Bind for CountRows<R> {
    #[inline(always)]
    fn bind(&self) {
        self.counts.bind();
    }
    fn visit(&self, piece: &mut dyn FnMut(Piece)) {
        self.counts.visit(piece);
    }
}

/// What both kernels keep in shared memory.
#[derive(Clone, Copy)]
pub struct RowTables<T> {
    scratch: Shared<u32>,
    relation: T,
}

#[inline(always)]
fn carve<R: Relation>(h: &PatchHeader, plan: &mut Plan) -> RowTables<R::Tables> {
    RowTables { scratch: plan.take(SCRATCH_WORDS), relation: R::carve(h, plan) }
}

#[inline(always)]
fn build<R: Relation, B: Block>(b: B, patch: &Patch, tables: &RowTables<R::Tables>) {
    b.phase(|p| R::prepare(p, patch, &tables.relation));
    R::build(b, patch, &tables.relation, tables.scratch);
}

impl<R: Relation> PatchKernel for CountRows<R> {
    type Tables = RowTables<R::Tables>;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Self::Tables {
        carve::<R>(h, plan)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, tables: &Self::Tables) {
        build::<R, B>(b, patch, tables);
        let counts = self.counts.from(patch.base::<R::Source>());
        b.last_phase(|p| {
            p.each(patch.owned::<R::Source>(), |i| counts.set(i, R::row(patch, &tables.relation, i).len()));
        });
    }
}

/// The rows of a relation: `values[starts[i]..starts[i + 1]]` for linear id `i`, or fixed rows when
/// [`Relation::FIXED`] says so (`starts` is then not used). A missing neighbour is `u32::MAX`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct WriteRows<R> {
    /// Where each row starts; one more than there are linear ids. Known before the launch, and written again by it.
    pub starts: GlobalMut<u32>,
    /// Linear ids of the neighbours.
    pub values: GlobalMut<u32>,
    /// The relation.
    pub relation: PhantomData<R>,
}

impl<R> Bind for WriteRows<R> {
    #[inline(always)]
    fn bind(&self) {
        self.starts.bind();
        self.values.bind();
    }
    fn visit(&self, piece: &mut dyn FnMut(Piece)) {
        self.starts.visit(piece);
        self.values.visit(piece);
    }
}

impl<R: Relation> PatchKernel for WriteRows<R> {
    type Tables = RowTables<R::Tables>;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Self::Tables {
        carve::<R>(h, plan)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, tables: &Self::Tables) {
        build::<R, B>(b, patch, tables);
        let (base, n, map) = (patch.base::<R::Source>(), patch.owned::<R::Source>(), patch.map::<R::Target>());
        if n == 0 {
            return;
        }
        let (starts, values) = (self.starts, self.values);
        let linear = |id: u32| if id == NONE { NONE } else { map.linear(id) };
        if let Some(width) = R::FIXED {
            let values = values.from(base * width);
            b.last_phase(|p| {
                p.each(n, |i| {
                    let row = R::row(patch, &tables.relation, i);
                    let mut k = 0;
                    while k < width {
                        values.set(i * width + k, linear(row.get(k)));
                        k += 1;
                    }
                });
            });
            return;
        }
        let first = starts.get(base);
        let room = starts.get(base + n) - first;
        let values = values.from(first);
        if let Some(csr) = R::csr(&tables.relation) {
            // Rows of one patch lie one after the other: neighbouring threads write neighbouring words.
            let total = csr.end(n - 1);
            if total > room {
                b.lead(|| patch.fault().raise(FaultCode::OutputOverflow, base, total));
                return;
            }
            b.last_phase(|p| {
                p.each(total, |k| values.set(k, linear(csr.value(k))));
                p.each(n - 1, |i| starts.set(base + i + 1, first + csr.end(i)));
            });
            return;
        }
        b.last_phase(|p| {
            p.each(n, |i| {
                let (lo, hi) = (starts.get(base + i) - first, starts.get(base + i + 1) - first);
                let mut at = lo;
                for id in R::row(patch, &tables.relation, i).iter() {
                    if at == hi {
                        patch.fault().raise(FaultCode::OutputOverflow, patch.own::<R::Source>(i).linear(), at - lo + 1);
                        break;
                    }
                    values.set(at, linear(id));
                    at += 1;
                }
            });
        });
    }
}

/// The kind of a relation's source, as a number.
pub const fn source_kind<R: Relation>() -> usize {
    <R::Source as Element>::KIND as usize
}
