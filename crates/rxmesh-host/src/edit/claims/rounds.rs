//! Rounds of an operator.

use super::super::engine::{RoundReport, RunReport, Seeds};
use super::super::mesh::fill;
use super::super::session::Session;
use crate::Error;
use rxmesh_kernels::cavity::{
    BIRTH_WORDS, Births, COLLECT_WORDS, Claim, ClaimTables, Collect, Counter, FillIn, Growth,
    Interpolate, Limit, Operator, RANK_WORDS, RESET_EPOCH, RESOLVE_ITEMS, RankChunks, RankWords,
    Resolve, Round, Slots, Template, TraceVertices, most_record_words,
};
use rxmesh_kernels::edit::Fill;
use rxmesh_kernels::kernel::OperatorEntry;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::{Element, Kind};

/// Below so many seeds rounds look at all of them: a few more hardly take longer.
const MANY_SEEDS: u32 = 1 << 14;

/// The part of the seeds that the next round should look at.
///
/// Of `x` candidates that exclude each other one wins, so that about `1 / x` of the candidates win when `x` is large.
/// Looking at 3 of them finds it in 95 of 100 cases (`1 - exp(-3)`).
fn next_share<O: Operator>(share: f64, round: &RoundReport) -> f64 {
    if O::SHARE >= 1.0 || round.candidates == 0 {
        return 1.0;
    }
    let won = f64::from(round.done) / f64::from(round.candidates);
    (3.2 * won * share).clamp(1.0 / 64.0, 1.0)
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
    /// See [`Session::run_from`].
    pub(super) fn rounds<O: OperatorEntry>(
        &mut self,
        mut seeds: Seeds,
        max_rounds: u32,
        mut op: impl FnMut(&Session) -> Result<O, Error>,
    ) -> Result<RunReport, Error> {
        let mut report = RunReport::default();
        let mut share = f64::from(O::SHARE);
        while report.rounds < max_rounds && !report.finished {
            if seeds == Seeds::Queued && self.edits.queued < MANY_SEEDS {
                share = 1.0;
            }
            self.edits.share = (share * f64::from(u32::MAX)) as u32;
            let round = self.round(seeds, &mut op);
            self.edits.share = u32::MAX;
            let round = round?;
            share = next_share::<O>(share, &round);
            report.add(&round);
            seeds = Seeds::Queued;
        }
        Ok(report)
    }

    /// One round of an operator.
    ///
    /// # Errors
    ///
    /// [`Error::Operator`] when a fill-in breaks the rules; no memory for a larger session, which is left as it was; or
    /// what the engine says.
    pub fn round<O: OperatorEntry>(
        &mut self,
        seeds: Seeds,
        op: impl FnMut(&Session) -> Result<O, Error>,
    ) -> Result<RoundReport, Error> {
        self.round_with(seeds, u32::MAX, op, |_, _| Ok(()))
    }

    /// As [`Session::round`], but carries out at most `most` cavities, those with the smallest keys, and runs `then`
    /// after the fill-in: kernels that change the set of the next round's seeds, which is a bit each. `then` may run
    /// more than once, and then for nothing, when a round runs out of room.
    ///
    /// # Errors
    ///
    /// As [`Session::round`], those of `then`, and [`Error::Options`] for a limit on an operator that needs new slots.
    pub fn round_with<O: OperatorEntry>(
        &mut self,
        seeds: Seeds,
        most: u32,
        op: impl FnMut(&Session) -> Result<O, Error>,
        then: impl FnMut(&Session, GlobalMut<u32>) -> Result<(), Error>,
    ) -> Result<RoundReport, Error> {
        self.change(|s| s.one_round(seeds, most, op, then))
    }

    fn one_round<O: OperatorEntry>(
        &mut self,
        seeds: Seeds,
        most: u32,
        mut op: impl FnMut(&Session) -> Result<O, Error>,
        mut then: impl FnMut(&Session, GlobalMut<u32>) -> Result<(), Error>,
    ) -> Result<RoundReport, Error> {
        if most != u32::MAX && !O::GROWTH.is_none() {
            return Err(Error::Options(
                "only operators that need no new slots can be limited".into(),
            ));
        }
        let n = match seeds {
            Seeds::All => self.seed_slots::<O>(),
            Seeds::Queued => self.edits.queued,
        };
        let mut report = RoundReport {
            seeds: n,
            ..RoundReport::default()
        };
        self.edits.queued = 0;
        if seeds == Seeds::All && std::mem::take(&mut self.edits.has_refused) {
            fill(self.engine(), self.edits.state.refused.global_mut(), 0)?;
        }
        if n == 0 {
            return Ok(report);
        }
        check_records::<O>(self.capacity(Kind::Face))?;
        self.make_births::<O>(n)?;
        let mut listed = false;
        loop {
            self.next_epoch()?;
            let operator = op(self)?;
            self.launch(seeds, n, most, operator)?;
            then(self, self.edits.state.queue.global_mut())?;
            self.collect()?;
            let counters = self.edits.state.counters.read()?;
            let before = std::mem::replace(&mut self.edits.counted, counters.clone());
            let count = |c: Counter| counters[c as usize];
            let counted = |c: Counter| counters[c as usize].wrapping_sub(before[c as usize]);
            if counted(Counter::Broken) > 0 {
                return Err(Error::Operator {
                    operator: std::any::type_name::<O>(),
                    count: counted(Counter::Broken),
                });
            }
            if count(Counter::Records) as usize > self.edits.state.records.len() {
                let engine = self.mesh.engine();
                self.edits
                    .state
                    .grow_records(engine, count(Counter::Records))?;
            } else if count(Counter::NoSlots) != 0 {
                self.make_room::<O>(&counters, &mut listed)?;
            } else {
                let no_disk = counted(Counter::NoDisk);
                report.candidates = counted(Counter::Candidates);
                report.conflicts = counted(Counter::Conflicts);
                report.refused = counted(Counter::Refused) + no_disk;
                self.edits.has_refused |= counted(Counter::Refused) > 0;
                report.done = report.candidates - report.conflicts - no_disk;
                report.queued = count(Counter::List);
                self.edits.queued = report.queued;
                self.edits.salt = self.edits.salt.wrapping_add(0x9e37_79b9);
                return Ok(report);
            }
        }
    }

    /// Slots of the operator's kind.
    fn seed_slots<O: Operator>(&self) -> u32 {
        self.mesh
            .capacity(<<O::Template as Template>::Seed as Element>::KIND)
    }

    fn next_epoch(&mut self) -> Result<(), Error> {
        if self.edits.epoch == 1 {
            self.edits.state.reset_claims(&self.mesh)?;
            self.edits.epoch = RESET_EPOCH;
        } else {
            self.edits.epoch -= 1;
        }
        Ok(())
    }

    /// Makes a set, which `fill` writes a bit each, the seeds of the next round; how many they are.
    ///
    /// # Errors
    ///
    /// What the engine says.
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
        // Neither a list nor a stopped round of before.
        let counters = &self.edits.state.counters;
        let to = counters.global_mut().from(Counter::List as u32);
        let n = Counter::Candidates as u32 - Counter::List as u32;
        self.engine().launch_flat(n, Fill { to, value: 0 })?;
        write(self, self.edits.state.queue.global_mut())?;
        self.collect()?;
        let counters = &self.edits.state.counters;
        self.edits.queued = counters.read_range(Counter::List as usize, 1)?[0];
        Ok(self.edits.queued)
    }

    fn collect(&self) -> Result<(), Error> {
        let s = &self.edits.state;
        let collect = Collect {
            queue: s.queue.global_mut(),
            won: s.won.global_mut(),
            list: s.list.global_mut(),
            counters: s.counters.global_mut(),
            records: s.records.len() as u32,
        };
        Ok(self
            .engine()
            .launch_blocks((s.queue.len() as u32).div_ceil(COLLECT_WORDS), collect)?)
    }

    fn launch<O: OperatorEntry>(
        &self,
        seeds: Seeds,
        n: u32,
        most: u32,
        op: O,
    ) -> Result<(), Error> {
        let (engine, s) = (self.engine(), &self.edits.state);
        let (mesh, claims) = (self.mesh.view(), self.claims());
        let round = Round {
            list: s.list.global(),
            pending: s.pending.global_mut(),
            queue: s.queue.global_mut(),
            refused: s.refused.global_mut(),
            won: s.won.global_mut(),
            winners: s.winners.global_mut(),
            records: s.records.global_mut(),
            births: self.edits.births.global_mut(),
            origins: self.columns.traced()[1].unwrap_or(self.nothing.global_mut()),
            counters: s.counters.global_mut(),
            seeds: n,
            all: u32::from(seeds == Seeds::All),
            epoch: self.edits.epoch,
            salt: self.edits.salt,
            frozen: self.mesh.frozen_faces(),
            share: self.edits.share,
        };
        engine.launch_flat(
            n,
            Claim {
                op,
                mesh,
                claims,
                round,
            },
        )?;
        engine.launch_blocks(
            n.div_ceil(RESOLVE_ITEMS),
            Resolve {
                op,
                mesh,
                claims,
                round,
            },
        )?;
        if most < n {
            engine.launch_blocks(
                1,
                Limit {
                    claims,
                    round,
                    most,
                },
            )?;
        }
        if !O::GROWTH.is_none() {
            self.rank(O::GROWTH)?;
        }
        engine.launch_flat(
            n,
            FillIn {
                op,
                mesh,
                round,
                ranks: s.ranks.global(),
                chunks: s.chunks.global(),
                vertices: self.slots(Kind::Vertex),
                edges: self.slots(Kind::Edge),
                faces: self.slots(Kind::Face),
            },
        )?;
        self.tell_births(self.most_births::<O>(n)?, O::GROWTH.births())
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

    fn claims(&self) -> ClaimTables {
        ClaimTables {
            faces: self.mesh.face_claims().global_mut(),
            pairs: self.edits.state.pairs.global_mut(),
        }
    }

    fn slots(&self, kind: Kind) -> Slots {
        self.edits.slots.of(&self.mesh, kind)
    }

    /// Winners of so many seeds: each deletes a face or more.
    fn most_winners(&self, seeds: u32) -> u32 {
        seeds.min(self.capacity(Kind::Face))
    }

    /// Births of a round of so many seeds, at most.
    fn most_births<O: Operator>(&self, seeds: u32) -> Result<u32, Error> {
        let count = u64::from(self.most_winners(seeds)) * u64::from(O::GROWTH.births());
        let limit = u64::from(u32::MAX / BIRTH_WORDS);
        if count > limit && self.has_listeners() {
            let what = "vertices that a round may make";
            return Err(Error::TooLarge { what, count, limit });
        }
        Ok(count.min(limit) as u32)
    }

    /// Whether anybody asks for births.
    fn has_listeners(&self) -> bool {
        self.columns.has_blended() || !self.edits.hooks.is_empty()
    }

    /// Room for the births of a round, if anybody asks for them.
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
