//! Energies of a body's vertices in gravity and contact.

use crate::body::{SUM_VERTICES, share};
use crate::contact::Contacts;
use glam::Vec3;
use rxmesh_kernels::exec::{Block, SCRATCH_WORDS};
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::BlockKernel;
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};

kernel_list! {
    block sim_external: External;
}

kernel! {
    /// Computes the potential energy of gravity and that of contact (without friction), in double precision and a fixed
    /// order.
    pub struct External: Block {
        /// Positions.
        pub x: Global<Vec3>,
        /// Positions at rest, where the potential energy is zero.
        pub rest: Global<Vec3>,
        /// Masses.
        pub mass: Global<f32>,
        /// Solids that bodies touch.
        pub contacts: Contacts,
        /// Contact response of edges on each vertex, as computed by [`TouchEdges`](crate::contact::TouchEdges); empty
        /// for none.
        pub edges: Global<[f32; 10]>,
        /// Acceleration of free vertices.
        pub gravity: Vec3,
        /// Two parts per block: all of gravity, then all of contact.
        pub partials: GlobalMut<f64>,
        /// Two words, zero before and after.
        pub arrived: GlobalMut<u32>,
        /// The sums in joules, at indices 1 and 2.
        pub sums: GlobalMut<f64>,
    }
}

// SAFETY: blocks write disjoint elements or atomically, in phases separated by barriers; indices are the launch's
// (contracts U1 to U4).
unsafe impl BlockKernel for External {
    const THREADS: u32 = 256;
    type Tables = Shared<u32>;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Shared<u32> {
        plan.take(SCRATCH_WORDS)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, block: u32, &scratch: &Shared<u32>) {
        let (first, n) = share::<SUM_VERTICES>(block, self.mass.len());
        let parts = b.sum2(
            n,
            scratch,
            |i| (self.x.get(first + i), self.rest.get(first + i)),
            |i, (x, rest)| {
                let m = f64::from(self.mass.get(first + i));
                let lift = x.as_dvec3() - rest.as_dvec3();
                let height = -lift.dot(self.gravity.as_dvec3());
                let mut contact = m * f64::from(self.contacts.energy(x));
                if !self.edges.is_empty() {
                    let [energy, ..] = self.edges.get(first + i);
                    contact += f64::from(energy);
                }
                (m * height, contact)
            },
        );
        let (partials, blocks) = (self.partials, self.partials.len() / 2);
        let hand_in = || {
            partials.set(block, parts.0);
            partials.set(blocks + block, parts.1);
        };
        if !b.arrive(self.arrived, blocks, scratch, hand_in) {
            return;
        }
        let load = |i: u32| (partials.load(i), partials.load(blocks + i));
        let (height, contact) = b.sum2(blocks, scratch, load, |_, parts| parts);
        b.last_phase(|p| {
            p.lead(|| {
                self.sums.set(1, height);
                self.sums.set(2, contact);
            });
        });
    }
}
