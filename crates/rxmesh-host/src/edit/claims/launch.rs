//! The launches of one round.

use super::super::scheduler::Seeds;
use super::super::session::Session;
use super::course::Course;
use crate::Error;
use rxmesh_kernels::cavity::{
    CLAIM_ITEMS, CLAIM_ITEMS_ALONE, Claim, ClaimTables, FillIn, Growth, Operator, OperatorEntry,
    RANK_WORDS, RESOLVE_ITEMS, RankChunks, RankWords, Resolve, Round, Sieves, Slots, TASK_WORDS,
    Tasks, WANT_ITEMS, Want, by_ends,
};
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::Kind;

/// Number of claiming blocks above which each gets more seeds: 16 warps a multiprocessor of a large GPU.
const CLAIM_BLOCKS: u32 = 2112;

/// Limit of the blocks that test seeds: 64 warps per multiprocessor of a large GPU.
const WANT_BLOCKS: u32 = 2112;

/// Number of possible seeds from which a separate launch that sieves them pays.
const MANY_TO_SIEVE: u32 = 1 << 17;

/// Most blocks that resolve, or claim for seeds that are listed: the number that a large GPU runs at a time.
const RESOLVE_BLOCKS: u32 = 4224;

impl Session {
    /// Returns the shares of a round that blocks of one thread take.
    pub(super) fn tasks(&self) -> Tasks {
        Tasks {
            words: self.edits.state.tasks.global_mut(),
        }
    }

    /// Returns `of_threads`, or the number of tasks if a block is one thread.
    pub(super) fn blocks(&self, of_threads: u32) -> u32 {
        match self.edits.state.tasks.len() as u32 / TASK_WORDS {
            0 => of_threads,
            tasks => tasks,
        }
    }

    /// Launches a round of `n` seeds at most; `salt` is added to the session's.
    pub(super) fn launch<O: OperatorEntry, C: Course<O>>(
        &self,
        seeds: Seeds,
        n: u32,
        op: O,
        course: &mut C,
        salt: u32,
    ) -> Result<(), Error> {
        let (engine, s) = (self.engine(), &self.edits.state);
        let (mesh, claims) = (self.mesh.view(), self.claims::<O>());
        let round = self.first_round(seeds, n, salt);
        let alone = engine.blocks_are_alone();
        let [least, most] = if alone {
            [CLAIM_ITEMS_ALONE; 2]
        } else {
            CLAIM_ITEMS
        };
        let mut items = n.div_ceil(CLAIM_BLOCKS).clamp(least, most);
        // For a list the host mostly knows only the number of all slots as a bound.
        let most_blocks = match seeds {
            Seeds::All => u32::MAX,
            Seeds::Queued => RESOLVE_BLOCKS,
        };
        let mut blocks = self.blocks(n.div_ceil(items).min(most_blocks));
        let mut of_claim = round;
        // There are no warps to fill where a block is one thread.
        let sieves = match O::SIEVES {
            Sieves::Never => false,
            Sieves::All => seeds == Seeds::All,
            Sieves::Every => true,
        };
        let sieved = sieves && n >= MANY_TO_SIEVE && !alone;
        if sieved {
            let of_want = n.div_ceil(WANT_ITEMS).min(WANT_BLOCKS);
            engine.launch_blocks(
                of_want,
                Want {
                    op,
                    mesh,
                    round,
                    wanting: s.wanting.global_mut(),
                    blocks: of_want,
                },
            )?;
            of_claim = Round {
                list: s.wanting.global(),
                all: 0,
                ..round
            };
            // Only the engine knows the number of those left.
            items = least;
            blocks = n.div_ceil(items).min(RESOLVE_BLOCKS);
        }
        engine.launch_blocks(
            blocks,
            Claim {
                op,
                mesh,
                claims,
                round: of_claim,
                items,
                blocks,
                sieved: u32::from(sieved),
            },
        )?;
        let blocks = self.blocks(n.div_ceil(RESOLVE_ITEMS).min(RESOLVE_BLOCKS));
        engine.launch_blocks(
            blocks,
            Resolve {
                op,
                mesh,
                claims,
                round,
                blocks,
            },
        )?;
        course.limit(self, claims, round)?;
        if !O::GROWTH.is_none() {
            self.rank(O::GROWTH)?;
        }
        let blocks = self.blocks(FillIn::<O>::blocks(self.most_winners(n)));
        engine.launch_blocks(blocks, self.fill_in(op, round, blocks))?;
        self.tell_births(self.most_births::<O>(n)?, O::GROWTH.births())
    }

    pub(super) fn fill_in<O>(&self, op: O, round: Round, blocks: u32) -> FillIn<O> {
        let s = &self.edits.state;
        FillIn {
            op,
            mesh: self.mesh.view(),
            round,
            blocks,
            ranks: s.ranks.global_mut(),
            chunks: s.chunks.global_mut(),
            vertices: self.slots(Kind::Vertex),
            edges: self.slots(Kind::Edge),
            faces: self.slots(Kind::Face),
        }
    }

    /// Returns a round of `n` seeds at most; `salt` is added to the session's.
    pub(super) fn first_round(&self, seeds: Seeds, n: u32, salt: u32) -> Round {
        let s = &self.edits.state;
        Round {
            list: s.list.global(),
            pending: s.pending.global_mut(),
            queue: s.queue.global_mut(),
            next: GlobalMut::empty(),
            refused: s.refused.global_mut(),
            won: s.won.global_mut(),
            winners: s.winners.global_mut(),
            records: s.records.global_mut(),
            births: self.edits.births.global_mut(),
            origins: self.columns.traced()[1].unwrap_or(self.nothing.global_mut()),
            counters: s.counters.global_mut(),
            tasks: self.tasks(),
            seeds: n,
            all: u32::from(seeds == Seeds::All),
            epoch: self.edits.epoch,
            salt: self.edits.salt.wrapping_add(salt),
            frozen: self.mesh.frozen_faces(),
        }
    }

    pub(super) fn claims<O: Operator>(&self) -> ClaimTables {
        ClaimTables {
            faces: self.mesh.face_claims().global_mut(),
            ends: if by_ends::<O>() {
                self.edits.state.ends.global_mut()
            } else {
                GlobalMut::empty()
            },
            pairs: self.edits.state.pairs.global_mut(),
        }
    }

    pub(super) fn slots(&self, kind: Kind) -> Slots {
        self.edits.slots.of(&self.mesh, kind)
    }

    /// Ranks the set `won`.
    pub(super) fn rank(&self, growth: Growth) -> Result<(), Error> {
        let s = &self.edits.state;
        let words = RankWords {
            won: s.won.global(),
            ranks: s.ranks.global_mut(),
            totals: s.chunks.global_mut(),
        };
        self.engine()
            .launch_blocks((s.won.len() as u32).div_ceil(RANK_WORDS), words)?;
        let chunks = RankChunks {
            totals: s.chunks.global_mut(),
            counters: s.counters.global_mut(),
            records: s.records.len() as u32,
            vertices: self.slots(Kind::Vertex),
            edges: self.slots(Kind::Edge),
            faces: self.slots(Kind::Face),
            grow_vertices: growth.vertices,
            grow_edges: growth.edges,
            grow_faces: growth.faces,
        };
        Ok(self.engine().launch_blocks(1, chunks)?)
    }
}
