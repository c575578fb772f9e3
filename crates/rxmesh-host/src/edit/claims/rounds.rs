//! Rounds of an operator.

use super::super::engine::{RoundReport, RunReport, Seeds};
use super::super::session::Session;
use crate::Error;
use crate::engine::Buffer;
use rxmesh_kernels::cavity::{
    BIRTH_WORDS, BeginRun, Births, CLAIM_ITEMS, CLAIM_ITEMS_ALONE, COLLECT_WORDS, Claim,
    ClaimTables, Collect, Counter, FillIn, Growth, Interpolate, MANY_SEEDS, Operator,
    OperatorEntry, RANK_WORDS, RESET_EPOCH, RESOLVE_ITEMS, RankChunks, RankWords, Resolve, Round,
    RoundEnd, Rounds, SALT, Sieves, Slots, TASK_WORDS, Tasks, Template, TraceVertices, WANT_ITEMS,
    Want, by_ends, lists_seeds, most_record_words, steps_of_round,
};
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::{Element, Kind};
use std::ops::Range;

/// Number of claiming blocks above which each gets more seeds: 16 warps a multiprocessor of a large GPU.
const CLAIM_BLOCKS: u32 = 2112;

/// Most blocks that ask who wants a change: 64 warps a multiprocessor of a large GPU.
const WANT_BLOCKS: u32 = 2112;

/// Number of possible seeds from which a separate launch that sieves them pays.
const MANY_TO_SIEVE: u32 = 1 << 17;

/// Most blocks that resolve, or claim for seeds that are listed: the number that a large GPU runs at a time.
const RESOLVE_BLOCKS: u32 = 4224;

/// Rounds before the first read-back of a run: many runs end by then.
const FIRST_LOOK: u32 = 2;

/// Rounds of few seeds that are one launch. Those after the last that finds seeds cost nothing.
const ROUNDS_TOGETHER: u32 = 16;

/// Most blocks of such a launch, for each multiprocessor: each step waits for all of them.
const TOGETHER_BLOCKS: u32 = 4;

/// Factor over the largest number of seeds of rounds in one launch; a round of fewer seeds than that product is
/// expected to leave few enough.
const SOON_FEW: u32 = 8;

/// Number of seeds of a round of such a launch up to which one block goes on alone.
const FEW_SEEDS: u32 = 128;

/// Hooks for an algorithm that runs several rounds between two host read-backs.
pub(crate) trait Course<O> {
    /// Returns the operator of a round, counted from the last read-back.
    fn operator(&mut self, session: &Session, round: u32) -> Result<O, Error>;

    /// Launches what keeps only some of a round's winners, such as [`Limit`](rxmesh_kernels::cavity::Limit). For
    /// operators that need no new slots.
    fn limit(&mut self, _: &Session, _claims: ClaimTables, _round: Round) -> Result<(), Error> {
        Ok(())
    }

    /// Launches the kernels between two rounds, which change the set of the next round's seeds, one bit each. They also
    /// run after rounds that exceeded a capacity, and while rounds stand still, and must do nothing then. Returns
    /// `true` if they have listed the seeds and ended the round in place of [`Collect`].
    fn between(&mut self, _: &Session, _queue: GlobalMut<u32>, _: RoundEnd) -> Result<bool, Error> {
        Ok(false)
    }

    /// Returns the operator of all rounds, if nothing is launched between them.
    fn operator_of_all(&mut self, _: &Session) -> Option<Result<O, Error>> {
        None
    }

    /// Returns words to read with the counters, if any.
    fn state(&self) -> Option<&Buffer<u32>> {
        None
    }

    /// Is shown those words after each look.
    fn looked(&mut self, _state: &[u32]) {}
}

/// The same operator in all rounds.
struct Plain<F>(F);

impl<O, F: FnMut(&Session) -> Result<O, Error>> Course<O> for Plain<F> {
    fn operator(&mut self, session: &Session, _: u32) -> Result<O, Error> {
        (self.0)(session)
    }

    fn operator_of_all(&mut self, session: &Session) -> Option<Result<O, Error>> {
        Some((self.0)(session))
    }
}

/// Refuses a mesh so large that the places of a round's records might not fit 32 bits.
fn check_records<O: Operator>(faces: u32) -> Result<(), Error> {
    let count = most_record_words::<O::Template>(faces);
    let limit = u64::from(u32::MAX);
    if count > limit {
        let what = "words in the records of a round";
        return Err(Error::TooLarge { what, count, limit });
    }
    Ok(())
}

impl Session {
    /// See [`Session::run_operator_from`].
    pub(super) fn rounds<O: OperatorEntry>(
        &mut self,
        mut seeds: Seeds,
        max_rounds: u32,
        op: impl FnMut(&Session) -> Result<O, Error>,
    ) -> Result<RunReport, Error> {
        let mut report = RunReport::default();
        let mut course = Plain(op);
        let mut share = self.share_of::<O>(seeds, O::SHARE);
        while report.rounds < max_rounds && !report.finished {
            let patience = self.engine().rounds_a_look();
            let n = self.seeds::<O>(seeds);
            let most = if self.are_few::<O>(n) || self.are_soon_few::<O>(n) {
                ROUNDS_TOGETHER
            } else if report.rounds == 0 {
                patience.min(FIRST_LOOK)
            } else {
                patience
            };
            let most = most.min(max_rounds - report.rounds);
            report.merge(&self.look(seeds, most, share.take(), &mut course)?);
            seeds = Seeds::Queued;
        }
        Ok(report)
    }

    /// Runs one round of an operator.
    ///
    /// # Errors
    ///
    /// [`Error::Operator`] when a fill-in breaks the rules; no memory for a larger session, which is left as it was; or
    /// what the engine says.
    ///
    /// # Safety
    ///
    /// As [`Session::run_operator`].
    pub unsafe fn run_operator_round<O: OperatorEntry>(
        &mut self,
        seeds: Seeds,
        op: impl FnMut(&Session) -> Result<O, Error>,
    ) -> Result<RoundReport, Error> {
        let n = self.seeds::<O>(seeds);
        let done = self.change(|s| {
            let share = s.share_of::<O>(seeds, 1.0);
            s.look(seeds, 1, share, &mut Plain(op))
        })?;
        Ok(RoundReport {
            seeds: n,
            candidates: done.candidates as u32,
            conflicts: done.conflicts as u32,
            refused: done.refused as u32,
            done: done.done as u32,
            queued: self.edits.queued,
        })
    }

    /// Runs at most `rounds` rounds of `course`, with one host read-back, and one more whenever a capacity is exceeded.
    /// Fewer rounds run when no seed is left or kernels of the course paused.
    pub(crate) fn steer<O: OperatorEntry>(
        &mut self,
        rounds: u32,
        course: &mut impl Course<O>,
    ) -> Result<RunReport, Error> {
        self.change(|s| s.look(Seeds::Queued, rounds, None, course))
    }

    /// Limits the records of rounds to `words` words, so that rounds are repeated with more: for tests.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    #[doc(hidden)]
    pub fn set_record_room(&mut self, words: usize) -> Result<(), Error> {
        self.edits.state.records = self.engine().zeroed(words)?;
        Ok(())
    }

    /// Returns the number of seeds that wait for the next round.
    pub(crate) fn queued(&self) -> u32 {
        self.edits.queued
    }

    /// Returns the number of seeds.
    fn seeds<O: Operator>(&self, seeds: Seeds) -> u32 {
        match seeds {
            Seeds::All => self.seed_slots::<O>(),
            Seeds::Queued => self.edits.queued.min(self.seed_slots::<O>()),
        }
    }

    /// Returns the share of the seeds that a run's first round considers, as [`Counter::Share`]; `None` for operators
    /// that consider all.
    fn share_of<O: Operator>(&self, seeds: Seeds, share: f32) -> Option<u32> {
        if O::SHARE >= 1.0 {
            return None;
        }
        let few = seeds == Seeds::Queued && self.edits.queued < MANY_SEEDS;
        let share = if few { 1.0 } else { f64::from(share) };
        Some((share * f64::from(u32::MAX)) as u32)
    }

    /// Collapses, flips and so on that all rounds together have carried out, as the last look counted them. The number
    /// wraps around.
    pub(crate) fn carried_out(&self) -> u32 {
        let count = |c: Counter| self.edits.counted[c as usize];
        count(Counter::Candidates)
            .wrapping_sub(count(Counter::Conflicts))
            .wrapping_sub(count(Counter::NoDisk))
    }

    /// Launches `rounds` rounds, of which the first considers a share of the seeds, with one read-back, and one more
    /// whenever a capacity is exceeded.
    fn look<O: OperatorEntry, C: Course<O>>(
        &mut self,
        seeds: Seeds,
        rounds: u32,
        share: Option<u32>,
        course: &mut C,
    ) -> Result<RunReport, Error> {
        let n = self.seeds::<O>(seeds);
        let mut report = RunReport::default();
        if n == 0 {
            self.edits.queued = 0;
            (report.rounds, report.finished) = (1, true);
            return Ok(report);
        }
        check_records::<O>(self.capacity(Kind::Face))?;
        let forgets = seeds == Seeds::All && self.edits.refused > 0;
        if forgets || share.is_some() || self.edits.stopped {
            self.begin(forgets, share)?;
        }
        let mut listed = false;
        loop {
            let (from, most) = match report.rounds {
                0 => (seeds, n),
                _ => (Seeds::Queued, self.edits.queued),
            };
            let launched = self.launch_rounds(from, most, report.rounds..rounds, course);
            let before = report.rounds;
            // Rounds that were launched before memory ended have taken place.
            let counters = self.look_at::<O, C>(from, course, &mut report)?;
            let listed_themselves = launched? && lists_seeds::<O>();
            let repeats_all = report.rounds == 0 && seeds == Seeds::All;
            if listed_themselves && self.edits.queued > 0 && !repeats_all {
                // They have left the seeds of the next round, or of the one to be repeated, as bits.
                self.resume()?;
                self.collect(self.round_end(0, false))?;
            }
            // Slots of elements that were deleted since they were listed are free by now.
            listed &= report.rounds == before;
            if counters[Counter::Records as usize] as usize > self.edits.state.records.len() {
                let words = counters[Counter::Records as usize];
                let engine = self.mesh.engine();
                self.edits.state.grow_records(engine, words)?;
            } else if counters[Counter::NoSlots as usize] != 0 {
                self.make_room::<O>(&counters, &mut listed)?;
            } else {
                report.finished = self.edits.queued == 0;
                return Ok(report);
            }
            self.resume()?;
        }
    }

    /// Launches rounds, of which the first has `n` seeds at most; whether as steps of one launch.
    fn launch_rounds<O: OperatorEntry, C: Course<O>>(
        &mut self,
        mut seeds: Seeds,
        mut n: u32,
        rounds: Range<u32>,
        course: &mut C,
    ) -> Result<bool, Error> {
        if self.are_few::<O>(n)
            && let Some(operator) = course.operator_of_all(self)
            && self.launch_together(seeds, n, rounds.len() as u32, operator?, 0)?
        {
            return Ok(true);
        }
        let soon = self.are_soon_few::<O>(n);
        for round in rounds.clone() {
            let salt = SALT.wrapping_mul(round - rounds.start);
            if soon
                && round > rounds.start
                && let Some(operator) = course.operator_of_all(self)
                && self.launch_together(
                    seeds,
                    self.most_together(),
                    rounds.end - round,
                    operator?,
                    salt,
                )?
            {
                return Ok(true);
            }
            self.next_epochs(1)?;
            let operator = course.operator(self, round)?;
            self.make_births::<O>(n)?;
            self.launch(seeds, n, operator, course, salt)?;
            let end = self.round_end(1, O::SHARE < 1.0);
            if !course.between(self, self.edits.state.queue.global_mut(), end)? {
                self.collect(end)?;
            }
            // The host does not know how many there are before it looks.
            (seeds, n) = (Seeds::Queued, self.seed_slots::<O>());
        }
        Ok(false)
    }

    /// Returns `true` if seeds are few enough to launch rounds together: not on a CPU, where a launch is cheap and a
    /// round costs in proportion to its seeds, and not if births are reported after each round.
    fn are_few<O: Operator>(&self, seeds: u32) -> bool {
        O::TOGETHER && seeds <= self.most_together() && !self.has_listeners()
    }

    /// Returns `true` if seeds will be that few after a first round, so that the host need not read back.
    fn are_soon_few<O: Operator>(&self, seeds: u32) -> bool {
        O::TOGETHER && seeds <= SOON_FEW * self.most_together() && !self.has_listeners()
    }

    /// Returns the largest number of seeds of a round for which several rounds are launched together.
    fn most_together(&self) -> u32 {
        self.engine().seeds_together()
    }

    /// Launches rounds as steps of one launch, of which the first has about `n` seeds; `salt` is added to the
    /// session's. Returns `false`, and launches nothing, if the engine cannot hold all blocks at a time.
    fn launch_together<O: OperatorEntry>(
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
    fn together<O: OperatorEntry>(
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
            // Nobody sieves the seeds of such rounds.
            other: s.wanting.global_mut(),
            few: FEW_SEEDS,
        }
    }

    /// Returns the number of blocks of such a launch: one for each share of its seeds, halved until the engine can hold
    /// all at a time. `None` if it cannot hold a single one.
    fn blocks_together<O: OperatorEntry>(
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

    /// Reads the counters and adds the rounds since the last read-back.
    fn look_at<O: OperatorEntry, C: Course<O>>(
        &mut self,
        from: Seeds,
        course: &mut C,
        report: &mut RunReport,
    ) -> Result<Vec<u32>, Error> {
        let counters = &self.edits.state.counters;
        let counters = match course.state() {
            Some(state) => {
                let [counters, state] = Buffer::read_together([counters, state])?;
                course.looked(&state);
                counters
            }
            None => counters.read()?,
        };
        let before = std::mem::replace(&mut self.edits.counted, counters.clone());
        let counted = |c: Counter| counters[c as usize].wrapping_sub(before[c as usize]);
        if counted(Counter::Broken) > 0 {
            return Err(Error::Operator {
                operator: std::any::type_name::<O>(),
                count: counted(Counter::Broken),
            });
        }
        let no_disk = u64::from(counted(Counter::NoDisk));
        let candidates = u64::from(counted(Counter::Candidates));
        let conflicts = u64::from(counted(Counter::Conflicts));
        report.candidates += candidates;
        report.conflicts += conflicts;
        report.refused += u64::from(counted(Counter::Refused)) + no_disk;
        report.done += candidates - conflicts - no_disk;
        let rounds = counted(Counter::Rounds);
        report.rounds += rounds;
        let edits = &mut self.edits;
        edits.refused = edits.refused.saturating_add(counted(Counter::Refused));
        edits.salt = edits.salt.wrapping_add(SALT.wrapping_mul(rounds));
        // For a list the host may have known only an upper bound of the length.
        if rounds > 0 || from == Seeds::Queued {
            edits.queued = counters[Counter::Seeds as usize];
        }
        edits.stopped = counters[Counter::Stopped as usize] != 0;
        Ok(counters)
    }

    /// Has rounds go on that stand still.
    fn resume(&mut self) -> Result<(), Error> {
        self.begin(false, None)
    }

    /// Resumes rounds, forgets refused seeds if `forgets`, and sets the share of the seeds that a round considers.
    fn begin(&mut self, forgets: bool, share: Option<u32>) -> Result<(), Error> {
        let s = &self.edits.state;
        let refused = if forgets {
            s.refused.global_mut()
        } else {
            GlobalMut::empty()
        };
        let kernel = BeginRun {
            counters: s.counters.global_mut(),
            refused,
            share: share.unwrap_or(0),
            sets_share: u32::from(share.is_some()),
        };
        let n = refused.len().max(s.counters.len() as u32);
        self.engine().launch_flat(n, kernel)?;
        if forgets {
            self.edits.refused = 0;
        }
        self.edits.stopped = false;
        Ok(())
    }

    /// Returns the number of slots of the operator's kind.
    fn seed_slots<O: Operator>(&self) -> u32 {
        self.mesh
            .capacity(<<O::Template as Template>::Seed as Element>::KIND)
    }

    /// Goes on to the epoch of the next round, behind which there are those of the other `rounds`, which count down.
    fn next_epochs(&mut self, rounds: u32) -> Result<(), Error> {
        if self.edits.epoch <= rounds {
            self.edits.state.reset_claims(&self.mesh)?;
            self.edits.epoch = RESET_EPOCH + 1;
        }
        self.edits.epoch -= 1;
        Ok(())
    }

    /// Makes a set the seeds of the next round; `fill` writes it, one bit a seed. Returns the number of seeds.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    pub fn enqueue(
        &mut self,
        fill: impl FnOnce(&Session, GlobalMut<u32>) -> Result<(), Error>,
    ) -> Result<u32, Error> {
        self.change(|s| s.enter_seeds(fill))
    }

    /// See [`Session::enqueue`].
    pub(super) fn enter_seeds(
        &mut self,
        write: impl FnOnce(&Session, GlobalMut<u32>) -> Result<(), Error>,
    ) -> Result<u32, Error> {
        self.list_seeds(u32::MAX, write)?;
        let counters = &self.edits.state.counters;
        self.edits.queued = counters.read_range(Counter::Seeds as usize, 1)?[0];
        self.edits.stopped = self.edits.queued == 0;
        Ok(self.edits.queued)
    }

    /// Makes a set of `most` seeds at most those of the next round, without reading their number back.
    pub(super) fn list_seeds(
        &mut self,
        most: u32,
        write: impl FnOnce(&Session, GlobalMut<u32>) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.edits.queued = most;
        // Neither a list nor a stopped round of before.
        self.resume()?;
        write(self, self.edits.state.queue.global_mut())?;
        self.collect(self.round_end(0, false))
    }

    /// Returns the end of a step of `rounds` rounds.
    pub(crate) fn round_end(&self, rounds: u32, adapts: bool) -> RoundEnd {
        let s = &self.edits.state;
        RoundEnd {
            list: s.list.global_mut(),
            counters: s.counters.global_mut(),
            tasks: self.tasks(),
            records: s.records.len() as u32,
            rounds,
            adapts: u32::from(adapts),
        }
    }

    /// Ends rounds.
    fn collect(&self, end: RoundEnd) -> Result<(), Error> {
        let s = &self.edits.state;
        let collect = Collect {
            queue: s.queue.global_mut(),
            won: s.won.global_mut(),
            end,
        };
        let blocks = self.blocks((s.queue.len() as u32).div_ceil(COLLECT_WORDS));
        Ok(self.engine().launch_blocks(blocks, collect)?)
    }

    /// Returns the shares of a round that blocks of one thread take.
    fn tasks(&self) -> Tasks {
        Tasks {
            words: self.edits.state.tasks.global_mut(),
        }
    }

    /// Returns `of_threads`, or the number of tasks if a block is one thread.
    fn blocks(&self, of_threads: u32) -> u32 {
        match self.edits.state.tasks.len() as u32 / TASK_WORDS {
            0 => of_threads,
            tasks => tasks,
        }
    }

    /// Launches a round of `n` seeds at most; `salt` is added to the session's.
    fn launch<O: OperatorEntry, C: Course<O>>(
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

    fn fill_in<O>(&self, op: O, round: Round, blocks: u32) -> FillIn<O> {
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
    fn first_round(&self, seeds: Seeds, n: u32, salt: u32) -> Round {
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

    /// Interpolates columns at the vertices that a round has made, and runs the hooks.
    fn tell_births(&self, n: u32, each: u32) -> Result<(), Error> {
        let s = &self.edits.state;
        let births = Births {
            list: self.edits.births.global(),
            counters: s.counters.global(),
            each,
            records: s.records.len() as u32,
        };
        for (values, components) in self.columns.blended() {
            let kernel = Interpolate {
                births,
                values,
                components,
            };
            self.engine().launch_flat(n, kernel)?;
        }
        if let [Some(origins), _] = self.columns.traced() {
            let kernel = TraceVertices { births, origins };
            self.engine().launch_flat(n, kernel)?;
        }
        for hook in &self.edits.hooks {
            hook(self, births, n)?;
        }
        Ok(())
    }

    fn claims<O: Operator>(&self) -> ClaimTables {
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

    fn slots(&self, kind: Kind) -> Slots {
        self.edits.slots.of(&self.mesh, kind)
    }

    /// Returns the largest number of winners among `seeds` seeds: each deletes a face or more.
    fn most_winners(&self, seeds: u32) -> u32 {
        seeds.min(self.capacity(Kind::Face))
    }

    /// Returns the largest number of births of a round of `seeds` seeds.
    fn most_births<O: Operator>(&self, seeds: u32) -> Result<u32, Error> {
        let count = u64::from(self.most_winners(seeds)) * u64::from(O::GROWTH.births());
        let limit = u64::from(u32::MAX / BIRTH_WORDS);
        if count > limit && self.has_listeners() {
            let what = "vertices that a round may make";
            return Err(Error::TooLarge { what, count, limit });
        }
        Ok(count.min(limit) as u32)
    }

    /// Returns `true` if a column or a hook uses births.
    fn has_listeners(&self) -> bool {
        self.columns.has_blended() || !self.edits.hooks.is_empty()
    }

    /// Allocates the births of a round, if a column or a hook uses them.
    fn make_births<O: Operator>(&mut self, seeds: u32) -> Result<(), Error> {
        let words = (self.most_births::<O>(seeds)? * BIRTH_WORDS) as usize;
        if self.has_listeners() && self.edits.births.len() < words {
            self.edits.births = self.engine().zeroed(words)?;
        }
        Ok(())
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

#[cfg(test)]
mod tests {
    use super::*;
    use rxmesh_kernels::algo::delaunay::DelaunayFlip;

    #[test]
    fn records_that_32_bits_cannot_place_are_refused() {
        assert!(check_records::<DelaunayFlip>(300_000_000).is_ok());
        let error = check_records::<DelaunayFlip>(330_000_000);
        assert!(matches!(error, Err(Error::TooLarge { .. })), "{error:?}");
    }
}
