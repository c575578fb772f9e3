//! Last launch of a round that changes the mesh: cuts the winners' cavities and fills them.

use super::hole::Hole;
use super::record::Cavity;
use super::round::{Counter, RANK_WORDS, Round, Slots};
use super::site::{FlatSite, Reserved};
use super::{BIRTH_WORDS, Operator};
use crate::edit::{FlatMesh, NONE};
use crate::kernel::FlatKernel;
use crate::mem::Global;

crate::args! {
    /// Cuts and fills the cavities of the winners. One index a winner; those beyond the number of winners do nothing.
    pub struct FillIn<O> {
        /// The operator.
        pub op: O,
        /// The mesh.
        pub mesh: FlatMesh,
        /// The round.
        pub round: Round,
        /// Winners before each word of their bit set, in its chunk.
        pub ranks: Global<u32>,
        /// Winners before each chunk.
        pub chunks: Global<u32>,
        /// Free vertices.
        pub vertices: Slots,
        /// Free edges.
        pub edges: Slots,
        /// Free faces.
        pub faces: Slots,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views have room
// for (contracts U3, U4).
unsafe impl<O: Operator> FlatKernel for FillIn<O> {
    #[inline(always)]
    fn run(&self, i: u32) {
        let round = &self.round;
        if i >= round.counter(Counter::Winners) || round.stopped() {
            return;
        }
        if !round.births.is_empty() {
            let each = O::GROWTH.births();
            let mut k = 0;
            while k < each {
                round.births.set(BIRTH_WORDS * (each * i + k), NONE);
                k += 1;
            }
        }
        let seed = round.winners.get(2 * i);
        if seed == NONE {
            return;
        }
        let site = FlatSite {
            mesh: &self.mesh,
            round,
            record: round.records.from(round.winners.get(2 * i + 1)),
            reserved: (!O::GROWTH.is_none()).then(|| self.reserved(seed)),
            births: O::GROWTH.births() * i,
        };
        let cavity = Cavity::new(site, seed);
        let plan = self.op.plan(&cavity);
        let mut hole = Hole::cut(cavity, O::GROWTH.births());
        self.op.fill(plan, &mut hole);
        if O::LEAVES_HOLE {
            hole.close::<true>();
        } else {
            hole.close::<false>();
        }
    }
}

impl<O: Operator> FillIn<O> {
    /// The slots that are reserved for a winner.
    #[inline(always)]
    fn reserved(&self, seed: u32) -> Reserved<'_> {
        let rank = self.rank(seed);
        let room = O::GROWTH.by_kind();
        let base =
            |k: u32| self.round.counters.get(Counter::Base as u32 + k) + rank * room[k as usize];
        Reserved {
            slots: [&self.vertices, &self.edges, &self.faces],
            base: [base(0), base(1), base(2)],
            room,
        }
    }

    /// Number of winners with smaller seeds.
    #[inline(always)]
    fn rank(&self, seed: u32) -> u32 {
        let word = seed / 32;
        let below = self.round.won.get(word) & ((1 << (seed % 32)) - 1);
        self.chunks.get(word / RANK_WORDS) + self.ranks.get(word) + below.count_ones()
    }
}
