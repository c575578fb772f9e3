//! Sums over the rows of a relation (MeshTaichi 2022, section 8.7, the gathering half).

use super::words::{Deal, StagedWords, split};
use crate::attr::StagedField;
use crate::exec::{Block, LoadThen, Phase};
use crate::kernel::{Fields, ForEachTables, OverRelations, PatchKernel, carve_for_each};
use crate::mem::{GlobalMut, Plan};
use crate::query::{Relation, Relations, Source, relation_kernels};
use crate::topo::{Element, Local, Needs, Patch, PatchHeader};

relation_kernels!(gather);

crate::args! {
    /// Computes the sum of the values of each element's neighbours, of some numbers each. A thread adds up a pair of
    /// numbers of one element in the order of the row, so that the bits are the same on every run, and neighbouring
    /// threads read neighbouring words.
    pub struct Gather<R: Relation> {
        /// Values of the relation's targets.
        pub x: StagedWords<R::Target>,
        /// Sums of its sources, by linear id.
        pub y: GlobalMut<f32>,
        /// Distribution of numbers over threads.
        pub deal: Deal,
        /// Numbers a value.
        pub width: u32,
    }
}

// SAFETY: the one field that has shared memory does all that there is to do.
unsafe impl<R: Relation> Fields for Gather<R> {
    const STORES: bool = false;
    fn is_plain(&self) -> bool {
        self.x.is_staged()
    }
    unsafe fn assume_plain(self) -> Self {
        self
    }
    fn staged(&self, f: &mut dyn FnMut(StagedField)) {
        if self.x.is_staged() {
            f(StagedField {
                name: "x",
                kind: <R::Target as Element>::KIND,
                bytes: 4 * self.width,
                sums: false,
            });
        }
    }
    fn unstage(&mut self, name: &str) {
        if name == "x" {
            self.x.unstage();
        }
    }
    #[inline(always)]
    fn carve(&mut self, header: &PatchHeader, plan: &mut Plan) {
        self.x.carve(header, plan);
    }
    #[inline(always)]
    fn load<B: Block>(&self, p: Phase<B>, patch: &Patch) {
        self.x.load(p, patch, self.deal);
    }
    #[inline(always)]
    fn store<B: Block>(&self, _: Phase<B>, _: &Patch) {}
}

// SAFETY: a patch writes its own elements; ids and sections are the mesh's (contracts U1 to U4).
unsafe impl<R: Relation> PatchKernel for Gather<R> {
    const THREADS: u32 = THREADS;
    const NEEDS: Needs = <R as Relation>::NEEDS;
    type Tables = ForEachTables<Source<R>>;
    const OFTEN: u8 = <R as Relations>::OFTEN;
    fn staged(&self, f: &mut dyn FnMut(StagedField)) {
        Fields::staged(self, f);
    }
    fn unstage(&mut self, name: &str) {
        Fields::unstage(self, name);
    }
    fn plan_key(&self) -> u64 {
        OverRelations::plan_key(self)
    }
    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Self::Tables {
        carve_for_each::<R, Self>(self, h, plan, None)
    }
    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, tables: &Self::Tables) {
        self.over::<B, false>(b, patch, tables);
    }
}

/// Threads of a CUDA block: few patches at a time on a multiprocessor, so that their values stay near.
const THREADS: u32 = 256;

// SAFETY: as above.
unsafe impl<R: Relation> OverRelations for Gather<R> {
    const THREADS: u32 = THREADS;
    type Relations = R;
    fn plan_key(&self) -> u64 {
        self.width.into()
    }
    #[inline(always)]
    fn run_over<B: Block>(&self, b: B, patch: &Patch, tables: &ForEachTables<Source<R>>) {
        self.over::<B, true>(b, patch, tables);
    }
}

/// Source of numbers.
trait From<K>: Copy {
    /// Returns the numbers `c .. c + N` of an element.
    fn get<const N: usize>(self, e: Local<K>, c: u32) -> [f32; N];
}

impl<K: Element> From<K> for StagedWords<K> {
    #[inline(always)]
    fn get<const N: usize>(self, e: Local<K>, c: u32) -> [f32; N] {
        self.staged(e, c)
    }
}

/// Values in global memory.
#[derive(Clone, Copy)]
struct There<K>(StagedWords<K>);

impl<K: Element> From<K> for There<K> {
    #[inline(always)]
    fn get<const N: usize>(self, e: Local<K>, c: u32) -> [f32; N] {
        self.0.there(e, c)
    }
}

impl<R: Relation> Gather<R> {
    /// Runs the kernel; separate for both sources of the rows, so that nothing is shared and called.
    #[inline(always)]
    fn over<B: Block, const PREPARED: bool>(
        &self,
        b: B,
        patch: &Patch,
        tables: &ForEachTables<Source<R>>,
    ) {
        let relation = &tables.relations;
        b.phase(|p| {
            Fields::load(self, p, patch);
            <R as Relations>::prepare(p, patch, relation);
        });
        <R as Relations>::build(b, patch, relation, tables.scratch);
        b.last_phase(|p| {
            // Separate loops: one that chose between memories, or between numbers of reads, would do so for every
            // value.
            let x = self.x;
            match (x.is_staged(), B::SOLO, self.deal.step) {
                (true, true, _) => self.rows(p, patch, relation, x),
                (false, true, _) => self.rows(p, patch, relation, There(x)),
                (true, ..) => self.lanes::<B, 2>(p, patch, relation, x),
                (false, _, 2) => self.lanes::<B, 2>(p, patch, relation, There(x)),
                _ => self.lanes::<B, 1>(p, patch, relation, There(x)),
            }
        });
    }

    /// Adds up with many threads: `N` numbers of an element each.
    #[inline(always)]
    fn lanes<B: Block, const N: usize>(
        &self,
        p: Phase<B>,
        patch: &Patch,
        relation: &Source<R>,
        x: impl From<<R as Relation>::Target>,
    ) {
        let lanes = LaneGather::<R, _, N> {
            of: self,
            patch,
            relation,
            x,
            y: self
                .y
                .from(patch.base::<<R as Relation>::Source>() * self.width),
        };
        let n = patch.owned::<<R as Relation>::Source>() * self.deal.lanes;
        // Short rows leave space for those of other elements.
        if R::FIXED.is_some() {
            p.each_of(n, &lanes);
        } else {
            p.each(n, |k| lanes.then(k, lanes.load(k)));
        }
    }

    /// Adds up with one thread: an element after the other, up to eight numbers at a time.
    #[inline(always)]
    fn rows<B: Block>(
        &self,
        p: Phase<B>,
        patch: &Patch,
        relation: &Source<R>,
        x: impl From<<R as Relation>::Target>,
    ) {
        let width = self.width;
        let y = self.y.from(patch.base::<<R as Relation>::Source>() * width);
        p.each(patch.owned::<<R as Relation>::Source>(), |i| {
            let (at, mut c) = (i * width, 0);
            while c + 8 <= width {
                y.put::<8>(at + c, sum(patch, relation, i, c, x));
                c += 8;
            }
            if width & 4 != 0 {
                y.put::<4>(at + c, sum(patch, relation, i, c, x));
                c += 4;
            }
            if width & 2 != 0 {
                y.put::<2>(at + c, sum(patch, relation, i, c, x));
                c += 2;
            }
            if width & 1 != 0 {
                y.put::<1>(at + c, sum(patch, relation, i, c, x));
            }
        });
    }
}

/// Work of [`Gather::lanes`].
struct LaneGather<'a, R: Relation, X, const N: usize> {
    of: &'a Gather<R>,
    patch: &'a Patch,
    relation: &'a Source<R>,
    x: X,
    /// Sums of the patch's own elements.
    y: GlobalMut<f32>,
}

impl<R: Relation, X: From<R::Target>, const N: usize> LaneGather<'_, R, X, N> {
    /// Returns the element of a lane, and the first of its numbers.
    #[inline(always)]
    fn place(&self, k: u32) -> (u32, u32) {
        let (i, lane) = split(k, self.of.deal.lanes, self.of.deal.divide);
        (i, N as u32 * lane)
    }
}

impl<R: Relation, X: From<R::Target>, const N: usize> LoadThen for LaneGather<'_, R, X, N> {
    type Value = [f32; N];
    #[inline(always)]
    fn load(&self, k: u32) -> [f32; N] {
        let (i, c) = self.place(k);
        sum::<R, N>(self.patch, self.relation, i, c, self.x)
    }
    #[inline(always)]
    fn then(&self, k: u32, sum: [f32; N]) {
        let (i, c) = self.place(k);
        self.y.put::<N>(i * self.of.width + c, sum);
    }
}

/// Returns the sums of the numbers `c .. c + N` over the row of element `i`.
#[inline(always)]
fn sum<R: Relation, const N: usize>(
    patch: &Patch,
    relation: &Source<R>,
    i: u32,
    c: u32,
    x: impl From<<R as Relation>::Target>,
) -> [f32; N] {
    let mut sum = [0.0; N];
    let row = <R as Relations>::input(patch, relation, i);
    row.each_loaded(
        |e| x.get::<N>(e, c),
        |value| {
            let mut k = 0;
            while k < N {
                sum[k] += value[k];
                k += 1;
            }
        },
    );
    sum
}
