//! Writes the rows of a relation to global memory, in linear ids.

use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel::PatchKernel;
use crate::mem::{FaultCode, GlobalMut, Plan, Shared};
use crate::query::{Csr, LocalMap, NONE, Relation, Row, relation_kernels};
use crate::topo::{Id, Needs, Patch, PatchHeader};
use core::marker::PhantomData;

relation_kernels!(rows);

crate::args! {
    /// Number of neighbours of each element.
    pub struct CountRows<R> {
        /// One number a linear id.
        pub counts: GlobalMut<u32>,
        /// Type of the relation.
        pub relation: PhantomData<R>,
    }
}

/// Shared memory of both kernels.
#[derive(Clone, Copy)]
pub struct RowTables<T> {
    scratch: Shared<u32>,
    relation: T,
}

#[inline(always)]
fn carve<R: Relation>(h: &PatchHeader, plan: &mut Plan) -> RowTables<R::Tables> {
    RowTables {
        scratch: plan.take(SCRATCH_WORDS),
        relation: R::carve(h, plan),
    }
}

#[inline(always)]
fn build<R: Relation, B: Block>(b: B, patch: &Patch, tables: &RowTables<R::Tables>) {
    b.phase(|p| R::prepare(p, patch, &tables.relation));
    R::build(b, patch, &tables.relation, tables.scratch);
}

// SAFETY: a patch writes its own elements, in phases that barriers part; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl<R: Relation> PatchKernel for CountRows<R> {
    const NEEDS: Needs = R::NEEDS;
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
            p.each(patch.owned::<R::Source>(), |i| {
                counts.set(i, R::row(patch, &tables.relation, i).len())
            });
        });
    }
}

crate::args! {
    /// Rows of a relation: `values[starts[i]..starts[i + 1]]` for linear id `i`, or fixed rows if
    /// [`Relation::FIXED`] is set (`starts` is then not used). A missing neighbour is `u32::MAX`.
    pub struct WriteRows<R> {
        /// Start of each row; one more than there are linear ids. Known before the launch, and written again by it.
        pub starts: GlobalMut<u32>,
        /// Linear ids of the neighbours.
        pub values: GlobalMut<u32>,
        /// Type of the relation.
        pub relation: PhantomData<R>,
    }
}

/// Shared memory of [`WriteRows`].
#[derive(Clone, Copy)]
pub struct WriteTables<T> {
    rows: RowTables<T>,
    map: LocalMap,
    /// Start and capacity of the patch's rows: loaded early, used last.
    place: Shared<u32>,
}

// SAFETY: a patch writes its own elements, in phases that barriers part; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl<R: Relation> PatchKernel for WriteRows<R> {
    const NEEDS: Needs = R::NEEDS;
    type Tables = WriteTables<R::Tables>;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Self::Tables {
        WriteTables {
            map: LocalMap::carve::<R::Target>(h, plan),
            place: plan.take(2),
            rows: carve::<R>(h, plan),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, t: &Self::Tables) {
        let n = patch.owned::<R::Source>();
        if n == 0 {
            return;
        }
        let (base, starts) = (patch.base::<R::Source>(), self.starts);
        b.phase(|p| {
            t.map.load::<R::Target, B>(p, patch);
            if R::FIXED.is_none() {
                p.lead(|| {
                    let first = starts.get(base);
                    t.place.set(0, first);
                    t.place.set(1, starts.get(base + n) - first);
                });
            }
            R::prepare(p, patch, &t.rows.relation);
        });
        R::build(b, patch, &t.rows.relation, t.rows.scratch);
        let linear = |id: u32| if id == NONE { NONE } else { t.map.linear(id) };
        if let Some(4) = R::FIXED {
            // A row in one store: stores are most of the work of such a launch.
            let values = self.values.from(4 * base);
            b.last_phase(|p| {
                p.each(n, |i| {
                    let row = R::row(patch, &t.rows.relation, i);
                    let at = |k: u32| linear(row.get(k));
                    values.set4(i, [at(0), at(1), at(2), at(3)]);
                });
            });
            return;
        }
        if let Some(width) = R::FIXED {
            let values = self.values.from(base * width);
            b.last_phase(|p| {
                p.each_loaded(
                    n * width,
                    |k| R::entry(patch, &t.rows.relation, k),
                    |k, id| values.set(k, linear(id)),
                );
            });
            return;
        }
        let (first, room) = (t.place.get(0), t.place.get(1));
        match R::csr(&t.rows.relation) {
            Some(csr) => self.write_csr(b, patch, csr, n, first, room, linear),
            None => self.write_rows(b, patch, t, n, first, linear),
        }
    }
}

impl<R: Relation> WriteRows<R> {
    /// Writes the rows of one patch one after the other: neighbouring threads write neighbouring words.
    #[inline(always)]
    #[allow(
        clippy::too_many_arguments,
        reason = "one call; the arguments are the patch's place in the output"
    )]
    fn write_csr<B: Block>(
        &self,
        b: B,
        patch: &Patch,
        csr: Csr,
        n: u32,
        first: u32,
        room: u32,
        linear: impl Fn(u32) -> u32,
    ) {
        let (base, starts, values) = (
            patch.base::<R::Source>(),
            self.starts,
            self.values.from(first),
        );
        let total = csr.end(n - 1);
        if total > room {
            b.lead(|| patch.fault().raise(FaultCode::OutputOverflow, base, total));
            return;
        }
        b.last_phase(|p| {
            p.each_loaded(total, |k| csr.value(k), |k, id| values.set(k, linear(id)));
            p.each(n - 1, |i| starts.set(base + i + 1, first + csr.end(i)));
        });
    }

    /// Writes row by row, for relations that compute their rows as they are read.
    #[inline(always)]
    fn write_rows<B: Block>(
        &self,
        b: B,
        patch: &Patch,
        t: &WriteTables<R::Tables>,
        n: u32,
        first: u32,
        linear: impl Fn(u32) -> u32,
    ) {
        let base = patch.base::<R::Source>();
        let (starts, values) = (self.starts, self.values.from(first));
        let bounds = |i: u32| {
            (
                starts.get(base + i) - first,
                starts.get(base + i + 1) - first,
            )
        };
        b.last_phase(|p| {
            p.each(n, |i| {
                let (lo, hi) = bounds(i);
                for (at, id) in (lo..).zip(R::row(patch, &t.rows.relation, i).iter()) {
                    if at == hi {
                        let linear = patch.own::<R::Source>(i).linear();
                        patch
                            .fault()
                            .raise(FaultCode::OutputOverflow, linear, hi - lo + 1);
                        break;
                    }
                    values.set(at, linear(id));
                }
            });
        });
    }
}
