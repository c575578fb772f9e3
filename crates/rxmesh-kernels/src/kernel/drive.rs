//! Execution of [`ForEach`] and [`Scatter`] bodies over a patch.

use super::{ForEach, OverRelations, PatchKernel, Scatter};
use crate::attr::StagedField;
use crate::exec::{Block, SCRATCH_WORDS};
use crate::mem::{Plan, Shared};
use crate::query::{Relations, StoredRelations};
use crate::topo::{Needs, Patch, PatchHeader};

/// Shared memory of a body's patch kernel.
#[derive(Clone, Copy)]
pub struct ForEachTables<T> {
    pub(crate) scratch: Shared<u32>,
    pub(crate) relations: T,
}

/// Carves the plan of a [`ForEach`] or [`Scatter`] kernel: its fields, then its relations.
#[inline(always)]
pub fn carve_for_each<R: Relations, K: super::Fields>(
    kernel: &mut K,
    header: &PatchHeader,
    plan: &mut Plan,
    prepared: Option<&R::Prepared>,
) -> ForEachTables<R::Tables> {
    kernel.carve(header, plan);
    ForEachTables {
        scratch: plan.take(SCRATCH_WORDS),
        relations: R::carve(header, plan, prepared),
    }
}

crate::args! {
    /// A [`ForEach`] or [`Scatter`] kernel on prepared relations: the same body, without the construction of tables in
    /// shared memory.
    pub struct OnPrepared<K: OverRelations> {
        /// Kernel to run.
        pub kernel: K,
        /// Tables of its relations.
        pub relations: <K::Relations as Relations>::Prepared,
    }
}

// SAFETY: the promise of `OverRelations`.
unsafe impl<K: OverRelations> PatchKernel for OnPrepared<K> {
    const THREADS: u32 = K::THREADS;
    const NEEDS: Needs = K::Relations::NEEDS;
    const OFTEN: u8 = K::Relations::OFTEN;
    fn staged(&self, f: &mut dyn FnMut(StagedField)) {
        self.kernel.staged(f);
    }
    fn unstage(&mut self, name: &str) {
        self.kernel.unstage(name);
    }
    type Tables = ForEachTables<<K::Relations as Relations>::Tables>;
    fn plan_key(&self) -> u64 {
        self.kernel.plan_key()
    }
    #[inline(always)]
    fn carve(&mut self, header: &PatchHeader, plan: &mut Plan) -> Self::Tables {
        carve_for_each::<K::Relations, K>(&mut self.kernel, header, plan, Some(&self.relations))
    }
    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, tables: &Self::Tables) {
        self.kernel.run_over(b, patch, tables);
    }
}

/// Runs a [`ForEach`] body over a patch. Plain fields, which are the rule, have separate code, without branches on
/// order, layout and capacity.
#[inline(always)]
pub fn run_for_each<R: Relations, K: ForEach<R>, B: Block>(
    kernel: &K,
    b: B,
    patch: &Patch,
    tables: &ForEachTables<R::Tables>,
) {
    if kernel.is_plain() {
        // SAFETY: they are.
        for_each(&unsafe { kernel.assume_plain() }, b, patch, tables);
    } else {
        for_each(kernel, b, patch, tables);
    }
}

#[inline(always)]
fn for_each<R: Relations, K: ForEach<R>, B: Block>(
    kernel: &K,
    b: B,
    patch: &Patch,
    tables: &ForEachTables<R::Tables>,
) {
    let n = patch.owned::<R::Source>();
    if K::SELECTIVE && !b.any(n, tables.scratch, |i| kernel.active(patch.own(i))) {
        return;
    }
    b.phase(|p| {
        kernel.load(p, patch);
        R::prepare(p, patch, &tables.relations);
    });
    R::build(b, patch, &tables.relations, tables.scratch);
    let body = |i| {
        let e = patch.own(i);
        if !K::SELECTIVE || kernel.active(e) {
            kernel.run(e, R::input(patch, &tables.relations, i));
        }
    };
    finish(kernel, b, patch, n, body);
}

/// Runs a [`Scatter`] body over a patch; plain fields as in [`run_for_each`].
#[inline(always)]
pub fn run_scatter<R: StoredRelations, K: Scatter<R>, B: Block>(
    kernel: &K,
    b: B,
    patch: &Patch,
    tables: &ForEachTables<R::Tables>,
) {
    if kernel.is_plain() {
        // SAFETY: they are.
        scatter(&unsafe { kernel.assume_plain() }, b, patch, tables);
    } else {
        scatter(kernel, b, patch, tables);
    }
}

#[inline(always)]
fn scatter<R: StoredRelations, K: Scatter<R>, B: Block>(
    kernel: &K,
    b: B,
    patch: &Patch,
    tables: &ForEachTables<R::Tables>,
) {
    b.phase(|p| {
        kernel.load(p, patch);
        R::prepare(p, patch, &tables.relations);
    });
    R::build(b, patch, &tables.relations, tables.scratch);
    let body = |i| kernel.run(patch.local(i), R::input(patch, &tables.relations, i));
    finish(kernel, b, patch, patch.total::<R::Source>(), body);
}

/// Runs the body's phase, and the epilogue if a field has one.
#[inline(always)]
fn finish<K: super::Fields, B: Block>(kernel: &K, b: B, patch: &Patch, n: u32, body: impl Fn(u32)) {
    if K::STORES {
        b.each(n, body);
        b.last_phase(|p| kernel.store(p, patch));
    } else {
        b.last_phase(|p| p.each(n, body));
    }
}
