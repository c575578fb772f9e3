//! Values for each neighbour, which are added up: the scattering half of MeshTaichi's comparison of mechanisms (2022,
//! section 8.7).

use rxmesh_kernels::attr::{Field, Read, StagedField};
use rxmesh_kernels::exec::{Block, Phase};
use rxmesh_kernels::kernel::{
    AnyArguments, Fields, ForEach, ForEachTables, OverRelations, PatchKernel, carve_for_each,
    run_for_each,
};
use rxmesh_kernels::mem::Plan;
use rxmesh_kernels::query::{Neighbours, Relation, Relations, Source};
use rxmesh_kernels::topo::{Needs, Owned, Patch, PatchHeader};
use rxmesh_kernels::volume::entries::WriteEntries;

rxmesh_kernels::args! {
    /// Gives the value of each element to each of its neighbours (MeshTaichi 2022, section 8.7, the scattering half).
    pub struct ShareEntries<R: Relation> {
        /// Values.
        pub x: Read<R::Source, [f32; 10]>,
        /// Values of the entries.
        pub to: WriteEntries<R, [f32; 10]>,
    }
}

impl<R: Relation> ForEach<R> for ShareEntries<R> {
    #[inline(always)]
    fn run(&self, e: Owned<R::Source>, n: Neighbours<R>) {
        let x = self.x.get(e);
        let mut k = 0;
        while k < n.len() {
            self.to.set(e, k, x);
            k += 1;
        }
    }
}

// SAFETY: no field has shared memory.
unsafe impl<R: Relation> Fields for ShareEntries<R> {
    const STORES: bool = false;
    fn is_plain(&self) -> bool {
        self.x.is_plain()
    }
    unsafe fn assume_plain(self) -> Self {
        ShareEntries {
            // SAFETY: the caller's.
            x: unsafe { self.x.assume_plain() },
            ..self
        }
    }
    fn staged(&self, _: &mut dyn FnMut(StagedField)) {}
    fn unstage(&mut self, _: &str) {}
    #[inline(always)]
    fn carve(&mut self, _: &PatchHeader, _: &mut Plan) {}
    #[inline(always)]
    fn load<B: Block>(&self, _: Phase<B>, _: &Patch) {}
    #[inline(always)]
    fn store<B: Block>(&self, _: Phase<B>, _: &Patch) {}
}

// SAFETY: the driver keeps the contracts for fields that are `Typed` (U1 to U4).
unsafe impl<R: Relation> PatchKernel for ShareEntries<R> {
    const NEEDS: Needs = <R as Relation>::NEEDS;
    type Tables = ForEachTables<Source<R>>;
    const OFTEN: u8 = <R as Relations>::OFTEN;
    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Self::Tables {
        carve_for_each::<R, Self>(self, h, plan, None)
    }
    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, tables: &Self::Tables) {
        run_for_each::<R, Self, B>(self, b, patch, tables);
    }
}

// SAFETY: as above.
unsafe impl<R: Relation> AnyArguments for ShareEntries<R> {}

// SAFETY: as above.
unsafe impl<R: Relation> OverRelations for ShareEntries<R> {
    type Relations = R;
    #[inline(always)]
    fn run_over<B: Block>(&self, b: B, patch: &Patch, tables: &ForEachTables<Source<R>>) {
        run_for_each::<R, Self, B>(self, b, patch, tables);
    }
}
