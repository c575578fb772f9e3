//! Rounds of few seeds that are steps of one launch.

use super::super::scheduler::Seeds;
use super::super::session::Session;
use crate::Error;
use rxmesh_kernels::cavity::{
    CLAIM_ITEMS, COLLECT_WORDS, Operator, OperatorEntry, Round, Rounds, lists_seeds, steps_of_round,
};
use rxmesh_kernels::mem::GlobalMut;

/// Most blocks of such a launch, for each multiprocessor: each step waits for all of them.
const TOGETHER_BLOCKS: u32 = 4;

/// Factor over the largest number of seeds of rounds in one launch; a round of fewer seeds than that product is
/// expected to leave few enough.
const SOON_FEW: u32 = 8;

/// Number of seeds of a round of such a launch up to which one block continues alone.
const FEW_SEEDS: u32 = 128;

impl Session {
    /// Returns `true` if seeds are few enough to launch rounds together: not on a CPU, where a launch is cheap and a
    /// round costs in proportion to its seeds, and not if births are reported after each round.
    pub(super) fn are_few<O: Operator>(&self, seeds: u32) -> bool {
        O::TOGETHER && seeds <= self.most_together() && !self.has_listeners()
    }

    /// Returns `true` if seeds will be that few after a first round, so that the host need not read back.
    pub(super) fn are_soon_few<O: Operator>(&self, seeds: u32) -> bool {
        O::TOGETHER && seeds <= SOON_FEW * self.most_together() && !self.has_listeners()
    }

    /// Returns the largest number of seeds of a round for which several rounds are launched together.
    pub(super) fn most_together(&self) -> u32 {
        self.engine().seeds_together()
    }

    /// Launches rounds as steps of one launch, of which the first has about `n` seeds; `salt` is added to the
    /// session's. Returns `false`, and launches nothing, if the engine cannot hold all blocks at a time.
    pub(super) fn launch_together<O: OperatorEntry>(
        &mut self,
        seeds: Seeds,
        n: u32,
        rounds: u32,
        op: O,
        salt: u32,
    ) -> Result<bool, Error> {
        let Some(blocks) = self.blocks_together(seeds, n, op)? else {
            return Ok(false);
        };
        self.next_epochs(rounds)?;
        let steps = 0..rounds * steps_of_round::<O>();
        let kernel = self.together(seeds, n, op, blocks, salt);
        self.engine().launch_grid(blocks, steps, kernel)?;
        // The kernel counts down by itself.
        self.edits.epoch -= rounds - 1;
        Ok(true)
    }

    /// Returns the kernel of rounds that are steps of one launch, from this epoch on.
    pub(super) fn together<O: OperatorEntry>(
        &self,
        seeds: Seeds,
        n: u32,
        op: O,
        blocks: u32,
        salt: u32,
    ) -> Rounds<O> {
        let round = Round {
            list: GlobalMut::empty().read(),
            births: GlobalMut::empty(),
            ..self.first_round(seeds, n, salt)
        };
        let s = &self.edits.state;
        Rounds {
            fill: self.fill_in(op, round, blocks),
            claims: self.claims::<O>(),
            list: s.list.global_mut(),
            // The seeds of such rounds are not sieved.
            other: s.wanting.global_mut(),
            few: FEW_SEEDS,
        }
    }

    /// Returns the number of blocks of such a launch: one for each share of its seeds, halved until the engine can hold
    /// all at a time. `None` if it cannot hold a single one.
    pub(super) fn blocks_together<O: OperatorEntry>(
        &self,
        seeds: Seeds,
        n: u32,
        op: O,
    ) -> Result<Option<u32>, Error> {
        let engine = self.engine();
        // Seeds for a warp each, or words of their set.
        let words = self.edits.state.queue.len() as u32;
        let work = n
            .div_ceil(CLAIM_ITEMS[0])
            .max(words.div_ceil(COLLECT_WORDS));
        let work = if lists_seeds::<O>() && n <= FEW_SEEDS {
            1
        } else {
            work
        };
        let mut blocks = (engine.info().units * TOGETHER_BLOCKS).min(work);
        while blocks > 0
            && !engine.has_room_for_grid(blocks, &self.together(seeds, n, op, blocks, 0))?
        {
            blocks /= 2;
        }
        Ok((blocks > 0).then_some(blocks))
    }
}
