//! Sums over the rows of a relation (MeshTaichi 2022, section 8.7, the gathering half).

use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel::PatchKernel;
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::query::{
    CC, CE, CF, CV, EC, EE, EF, EV, FC, FE, FF, FV, Prepared, Relation, Relations, VC, VE, VF, VV,
};
use crate::topo::{Id, Needs, Patch, PatchHeader};

kernel_list! {
    patch gather_vv: Gather<VV>;
    patch gather_ve: Gather<VE>;
    patch gather_vf: Gather<VF>;
    patch gather_vc: Gather<VC>;
    patch gather_ev: Gather<EV>;
    patch gather_ee: Gather<EE>;
    patch gather_ef: Gather<EF>;
    patch gather_ec: Gather<EC>;
    patch gather_fv: Gather<FV>;
    patch gather_fe: Gather<FE>;
    patch gather_ff: Gather<FF>;
    patch gather_fc: Gather<FC>;
    patch gather_cv: Gather<CV>;
    patch gather_ce: Gather<CE>;
    patch gather_cf: Gather<CF>;
    patch gather_cc: Gather<CC>;
}

crate::args! {
    /// For each element the sum of its neighbours' values, which are `width` numbers each. A thread adds up one number
    /// of one element in the order of the row, so that the bits are the same on every run, and neighbouring threads
    /// read neighbouring words.
    pub struct Gather<R: Relation> {
        /// Values of the relation's targets, by linear id.
        pub x: Global<f32>,
        /// Sums of its sources, by linear id.
        pub y: GlobalMut<f32>,
        /// Numbers a value; not 0.
        pub width: u32,
        /// The relation's tables; not used for those that are stored anyway.
        pub relation: Prepared<R>,
    }
}

// SAFETY: a patch writes what it owns; ids and sections are the mesh's (contracts U1 to U4).
unsafe impl<R: Relation> PatchKernel for Gather<R> {
    const NEEDS: Needs = <R as Relation>::NEEDS;
    type Tables = (Shared<u32>, <R as Relations>::Tables);

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Self::Tables {
        let scratch = plan.take(SCRATCH_WORDS);
        let relation = <R as Relations>::carve(h, plan, Some(&self.relation));
        (scratch, relation)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, (scratch, tables): &Self::Tables) {
        b.phase(|p| <R as Relations>::prepare(p, patch, tables));
        <R as Relations>::build(b, patch, tables, *scratch);
        let (x, width) = (self.x, self.width);
        let y = self.y.from(patch.base::<<R as Relation>::Source>() * width);
        b.last_phase(|p| {
            p.each(patch.owned::<<R as Relation>::Source>() * width, |k| {
                let (i, c) = (k / width, k % width);
                let mut sum = 0.0;
                for e in <R as Relations>::input(patch, tables, i).iter() {
                    sum += x.get(e.linear() * width + c);
                }
                y.set(k, sum);
            });
        });
    }
}
