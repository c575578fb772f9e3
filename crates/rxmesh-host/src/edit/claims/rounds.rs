//! Rounds of an operator.

use super::super::scheduler::{RoundReport, RunReport, Seeds};
use super::super::session::Session;
use super::course::{Course, NextSeeds, Plain};
use super::slots::FreeLists;
use crate::Error;
use crate::engine::Buffer;
use rxmesh_kernels::cavity::{
    BeginRun, COLLECT_WORDS, Collect, Counter, MANY_SEEDS, Operator, OperatorEntry, RESET_EPOCH,
    RoundEnd, SALT, Template, lists_seeds, most_record_words,
};
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::{Element, Kind};
use std::ops::Range;

/// Rounds before the first read-back of a run: many runs end by then.
const FIRST_LOOK: u32 = 2;

/// Rounds of few seeds that are one launch. Those after the last that finds seeds cost nothing.
const ROUNDS_TOGETHER: u32 = 16;

/// Form of the rounds between two read-backs.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Launched {
    /// A few launches for each round.
    OneByOne,
    /// The last rounds are steps of one launch.
    Together,
}

/// Seeds that an earlier round refused.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RefusedSeeds {
    StayOut,
    MayTryAgain,
}

/// A capacity that a round exceeded. The round is repeated.
enum Shortage {
    /// The records need this many words.
    Records(u32),
    /// There are too few slots, by these counters.
    Slots(Vec<u32>),
}

impl Shortage {
    /// Returns the shortage according to the counters, if there are `records` words for records.
    fn of(counters: Vec<u32>, records: usize) -> Option<Shortage> {
        let words = counters[Counter::Records as usize];
        if words as usize > records {
            return Some(Shortage::Records(words));
        }
        (counters[Counter::NoSlots as usize] != 0).then_some(Shortage::Slots(counters))
    }
}

/// Phase of the work between two read-backs that its caller sees as one.
enum Phase {
    /// Launches rounds, and reads the counters back.
    Launch,
    /// Provides a capacity that was exceeded.
    Grow(Shortage),
    /// Resumes rounds that are paused.
    Resume,
    /// All rounds have run.
    Done,
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
    /// Runs rounds as [`Session::run_operator_from`] says.
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
    /// any error of the engine.
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
            abandoned: done.abandoned as u32,
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

    /// Returns the number of collapses, flips and so on that all rounds together have carried out, as of the last
    /// read-back. The number wraps around.
    pub(crate) fn carried_out(&self) -> u32 {
        let count = |c: Counter| self.edits.counted[c as usize];
        count(Counter::Candidates)
            .wrapping_sub(count(Counter::Conflicts))
            .wrapping_sub(count(Counter::NoDisk))
            .wrapping_sub(count(Counter::Abandoned))
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
        let refused = match seeds {
            Seeds::All if self.edits.refused > 0 => RefusedSeeds::MayTryAgain,
            _ => RefusedSeeds::StayOut,
        };
        if refused == RefusedSeeds::MayTryAgain || share.is_some() || self.edits.stopped {
            self.begin(refused, share)?;
        }
        let mut lists = FreeLists::Outdated;
        let mut phase = Phase::Launch;
        loop {
            phase = match phase {
                Phase::Launch => {
                    let before = report.rounds;
                    let counters = self.run_rounds(seeds, n, rounds, course, &mut report)?;
                    if report.rounds != before {
                        // Slots of elements that were deleted since they were listed are free by now.
                        lists = FreeLists::Outdated;
                    }
                    match Shortage::of(counters, self.edits.state.records.len()) {
                        Some(shortage) => Phase::Grow(shortage),
                        None => Phase::Done,
                    }
                }
                Phase::Grow(Shortage::Records(words)) => {
                    let engine = self.mesh.engine();
                    self.edits.state.grow_records(engine, words)?;
                    Phase::Resume
                }
                Phase::Grow(Shortage::Slots(counters)) => {
                    self.make_room::<O>(&counters, &mut lists)?;
                    Phase::Resume
                }
                Phase::Resume => {
                    self.resume()?;
                    Phase::Launch
                }
                Phase::Done => {
                    report.finished = self.edits.queued == 0;
                    return Ok(report);
                }
            }
        }
    }

    /// Launches the rounds that a report lacks of `rounds`, and adds those that have taken place: fewer, if a capacity
    /// was exceeded. The first round of all has `n` seeds at most. Returns the counters.
    fn run_rounds<O: OperatorEntry, C: Course<O>>(
        &mut self,
        seeds: Seeds,
        n: u32,
        rounds: u32,
        course: &mut C,
        report: &mut RunReport,
    ) -> Result<Vec<u32>, Error> {
        let (from, most) = match report.rounds {
            0 => (seeds, n),
            _ => (Seeds::Queued, self.edits.queued),
        };
        let launched = self.launch_rounds(from, most, report.rounds..rounds, course);
        // Rounds that were launched before memory ended have taken place.
        let counters = self.look_at::<O, C>(from, course, report)?;
        let has_bits = launched? == Launched::Together && lists_seeds::<O>();
        let is_repeated_with_all = report.rounds == 0 && seeds == Seeds::All;
        if has_bits && self.edits.queued > 0 && !is_repeated_with_all {
            // Such rounds leave the seeds of the next one, or of the one to be repeated, as bits.
            self.resume()?;
            self.collect(self.round_end(0, false))?;
        }
        Ok(counters)
    }

    /// Launches rounds, of which the first has `n` seeds at most.
    fn launch_rounds<O: OperatorEntry, C: Course<O>>(
        &mut self,
        mut seeds: Seeds,
        mut n: u32,
        rounds: Range<u32>,
        course: &mut C,
    ) -> Result<Launched, Error> {
        if self.are_few::<O>(n)
            && let Some(operator) = course.operator_of_all(self)
            && self.launch_together(seeds, n, rounds.len() as u32, operator?, 0)?
        {
            return Ok(Launched::Together);
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
                return Ok(Launched::Together);
            }
            self.next_epochs(1)?;
            let operator = course.operator(self, round)?;
            self.make_births::<O>(n)?;
            self.launch(seeds, n, operator, course, salt)?;
            let end = self.round_end(1, O::SHARE < 1.0);
            let queue = self.edits.state.queue.global_mut();
            if course.between(self, queue, end)? == NextSeeds::InBits {
                self.collect(end)?;
            }
            // The host does not know their number before it reads back.
            (seeds, n) = (Seeds::Queued, self.seed_slots::<O>());
        }
        Ok(Launched::OneByOne)
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
        let abandoned = u64::from(counted(Counter::Abandoned));
        report.abandoned += abandoned;
        report.done += candidates - conflicts - no_disk - abandoned;
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

    /// Resumes rounds that are paused.
    fn resume(&mut self) -> Result<(), Error> {
        self.begin(RefusedSeeds::StayOut, None)
    }

    /// Resumes rounds, forgets refused seeds if `forgets`, and sets the share of the seeds that a round considers.
    fn begin(&mut self, refused: RefusedSeeds, share: Option<u32>) -> Result<(), Error> {
        let s = &self.edits.state;
        let cleared = match refused {
            RefusedSeeds::StayOut => GlobalMut::empty(),
            RefusedSeeds::MayTryAgain => s.refused.global_mut(),
        };
        let kernel = BeginRun {
            counters: s.counters.global_mut(),
            refused: cleared,
            share: share.unwrap_or(0),
            sets_share: u32::from(share.is_some()),
        };
        let n = cleared.len().max(s.counters.len() as u32);
        self.engine().launch_flat(n, kernel)?;
        if refused == RefusedSeeds::MayTryAgain {
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

    /// Sets the epoch of the next round, and reserves those of the other `rounds`: epochs count down.
    pub(super) fn next_epochs(&mut self, rounds: u32) -> Result<(), Error> {
        if self.edits.epoch <= rounds {
            self.edits.state.reset_claims(&self.mesh)?;
            self.edits.epoch = RESET_EPOCH + 1;
        }
        self.edits.epoch -= 1;
        Ok(())
    }

    /// Makes a set the seeds of the next round; `fill` writes it, one bit per seed. Returns the number of seeds.
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

    /// Enters seeds as [`Session::enqueue`] says.
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
}

#[cfg(test)]
mod tests {
    use super::*;
    use rxmesh_kernels::algo::improve::delaunay::DelaunayFlip;

    #[test]
    fn records_that_32_bits_cannot_place_are_refused() {
        assert!(check_records::<DelaunayFlip>(300_000_000).is_ok());
        let error = check_records::<DelaunayFlip>(330_000_000);
        assert!(matches!(error, Err(Error::TooLarge { .. })), "{error:?}");
    }
}
