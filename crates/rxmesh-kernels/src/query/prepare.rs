//! Makes the tables of prepared relations ([`crate::query::Prepared`]), and writes rows out from them.

use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel::{Entry, PatchKernel};
use crate::mem::{FaultCode, Global, GlobalMut, Plan, Shared};
use crate::query::{
    LocalMap, NONE, Prepared, Relation, Row, TABLE_ALIGN, relation_kernels, table_rows,
};
use crate::topo::{Needs, Patch, PatchHeader};
use core::marker::PhantomData;

relation_kernels!(prepare);

/// Value in place of a size: the patch's rows have more entries than 16 bits can count.
pub const TOO_LARGE: u32 = u32::MAX;

crate::args! {
    /// Computes a relation once and keeps its rows: run with `fill = 0` for the sizes of the patches' tables in
    /// entries, then with `fill = 1` and the places of the tables.
    pub struct PrepareRows<R> {
        /// Size of each patch's table, or [`TOO_LARGE`]; its start, when the tables are filled.
        pub places: GlobalMut<u32>,
        /// Tables; multiples of [`TABLE_ALIGN`] entries.
        pub tables: GlobalMut<u16>,
        /// Nonzero to fill the tables.
        pub fill: u32,
        /// Type of the relation.
        pub relation: PhantomData<R>,
    }
}

// SAFETY: `entries!` compares the name with that of the entry.
unsafe impl<R: Relation> Entry for PrepareRows<R> {
    const NAME: &'static str = R::PREPARE;
}

/// Shared memory of [`PrepareRows`].
#[derive(Clone, Copy)]
pub struct PrepareTables<T> {
    scratch: Shared<u32>,
    lengths: Shared<u32>,
    relation: T,
}

// SAFETY: a patch writes its own elements, in phases that barriers part; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl<R: Relation> PatchKernel for PrepareRows<R> {
    const NEEDS: Needs = R::NEEDS;
    type Tables = PrepareTables<R::Tables>;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Self::Tables {
        PrepareTables {
            scratch: plan.take(SCRATCH_WORDS),
            lengths: plan.take(table_rows::<R>(h)),
            relation: R::carve(h, plan),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, t: &Self::Tables) {
        let (rows, places, id) = (table_rows::<R>(patch.header()), self.places, patch.id());
        b.phase(|p| R::prepare(p, patch, &t.relation));
        R::build(b, patch, &t.relation, t.scratch);
        if let Some(width) = R::FIXED {
            if self.fill == 0 {
                b.lead(|| places.set(id, (rows * width).next_multiple_of(TABLE_ALIGN)));
                return;
            }
            let table = self.tables.from(places.get(id));
            b.each(rows, |i| {
                let row = R::row(patch, &t.relation, i);
                let mut k = 0;
                while k < width {
                    // NONE becomes 0xffff.
                    table.set(i * width + k, row.get(k) as u16);
                    k += 1;
                }
            });
            return;
        }
        let lengths = t.lengths;
        b.each(rows, |i| {
            lengths.set(i, R::row(patch, &t.relation, i).len())
        });
        let total = b.scan(lengths, rows, t.scratch);
        if self.fill == 0 {
            b.lead(|| {
                let size = (rows + total).next_multiple_of(TABLE_ALIGN);
                places.set(
                    id,
                    if total > u32::from(u16::MAX) {
                        TOO_LARGE
                    } else {
                        size
                    },
                );
            });
            return;
        }
        let table = self.tables.from(places.get(id));
        b.each(rows, |i| {
            let mut at = lengths.get(i);
            for v in R::row(patch, &t.relation, i).iter() {
                table.set(rows + at, v as u16);
                at += 1;
            }
            table.set(i, at as u16);
        });
    }
}

crate::args! {
    /// As [`super::rows::WriteRows`], from a prepared relation.
    pub struct WritePrepared<R> {
        /// Start of each row; one more than there are linear ids. Not used for relations with rows of a fixed length.
        pub starts: Global<u32>,
        /// Linear ids of the neighbours.
        pub values: GlobalMut<u32>,
        /// Relation's tables.
        pub relation: Prepared<R>,
    }
}

// SAFETY: a patch writes its own elements, in phases that barriers part; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl<R: Relation> PatchKernel for WritePrepared<R> {
    const NEEDS: Needs = R::NEEDS;
    type Tables = LocalMap;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> LocalMap {
        LocalMap::carve::<R::Target>(h, plan)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, map: &LocalMap) {
        let n = patch.owned::<R::Source>();
        if n == 0 {
            return;
        }
        let table = self.relation.table(patch);
        let base = patch.base::<R::Source>();
        // Values that every thread needs from global memory are loaded before the map, so that both are on their way
        // together.
        let first = match R::FIXED {
            Some(width) => base * width,
            None => self.starts.get(base),
        };
        let room = match R::FIXED {
            Some(width) => n * width,
            None => self.starts.get(base + n) - first,
        };
        let (_, total) = table.bounds(n - 1);
        b.phase(|p| map.load::<R::Target, B>(p, patch));
        if total > room {
            b.lead(|| patch.fault().raise(FaultCode::OutputOverflow, base, total));
            return;
        }
        let values = self.values.from(first);
        b.last_phase(|p| {
            p.each_loaded(
                total,
                |k| table.value(k),
                |k, id| values.set(k, if id == NONE { NONE } else { map.linear(id) }),
            );
        });
    }
}
