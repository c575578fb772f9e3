//! Rounds of an operator.

use super::open::reset_claims;
use super::session::Session;
use crate::Error;
use rxmesh_kernels::cavity::{
    BIRTH_WORDS, Births, COLLECT_WORDS, Claim, Collect, Counter, FillIn, Growth, Limit, Operator,
    RANK_WORDS, RESET_EPOCH, RESOLVE_ITEMS, RankChunks, RankWords, Resolve, Round, Template,
};
use rxmesh_kernels::edit::{ListFree, MarkDead, MoveSet};
use rxmesh_kernels::kernel::Entry;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::speculative::Speculate;
use rxmesh_kernels::topo::{Element, Kind};

/// Which elements a round looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seeds {
    /// All of the operator's kind.
    All,
    /// Those that lost in the last round, and those that its fill-ins named.
    Queued,
}

/// What a round did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct RoundReport {
    /// Seeds that were looked at.
    pub seeds: u32,
    /// Seeds that wanted a change.
    pub candidates: u32,
    /// Candidates that lost against another.
    pub conflicts: u32,
    /// Seeds that wanted a change and may not have it: an edge that exists already, a frozen face, a cavity that is no disk.
    pub refused: u32,
    /// Cavities that were carried out.
    pub done: u32,
    /// Seeds that wait for the next round.
    pub queued: u32,
}

/// What several rounds did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct RunReport {
    /// Rounds.
    pub rounds: u32,
    /// Candidates, over all rounds.
    pub candidates: u64,
    /// Candidates that lost against another and tried again, over all rounds.
    pub conflicts: u64,
    /// Refusals, over all rounds.
    pub refused: u64,
    /// Cavities that were carried out.
    pub done: u64,
    /// Whether no seed was left.
    pub finished: bool,
}

impl RunReport {
    /// Adds a round.
    pub fn add(&mut self, round: &RoundReport) {
        self.rounds += 1;
        self.candidates += u64::from(round.candidates);
        self.conflicts += u64::from(round.conflicts);
        self.refused += u64::from(round.refused);
        self.done += u64::from(round.done);
        self.finished = round.queued == 0;
    }

    /// Adds another run's rounds.
    pub fn merge(&mut self, other: &RunReport) {
        self.rounds += other.rounds;
        self.candidates += other.candidates;
        self.conflicts += other.conflicts;
        self.refused += other.refused;
        self.done += other.done;
        self.finished = other.finished;
    }
}

/// Below so many seeds rounds look at all of them: a few more hardly take longer.
const MANY_SEEDS: u32 = 1 << 14;

/// The part of the seeds that the next round should look at.
///
/// Of `x` candidates that exclude each other one wins, so that about `1 / x` of the candidates win when `x` is large. Looking at 3 of them finds it in 95 of 100
/// cases (`1 - exp(-3)`).
fn next_share<O: Operator>(share: f64, round: &RoundReport) -> f64 {
    if O::SHARE >= 1.0 || round.candidates == 0 {
        return 1.0;
    }
    let won = f64::from(round.done) / f64::from(round.candidates);
    (3.2 * won * share).clamp(1.0 / 64.0, 1.0)
}

impl Session {
    /// Rounds of an operator until no seed is left, at most `max_rounds`. Begins with all elements of the operator's kind. `op` makes the
    /// operator anew for every round, because views of columns do not outlive growth.
    ///
    /// # Errors
    ///
    /// As [`Session::round`].
    pub fn run<O: Operator>(
        &mut self,
        max_rounds: u32,
        op: impl FnMut(&Session) -> O,
    ) -> Result<RunReport, Error>
    where
        Claim<O>: Entry,
        Resolve<O>: Entry,
        FillIn<O>: Entry,
        Speculate<O>: Entry,
    {
        self.run_from(Seeds::All, max_rounds, op)
    }

    /// As [`Session::run`], from other seeds.
    ///
    /// # Errors
    ///
    /// As [`Session::round`].
    pub fn run_from<O: Operator>(
        &mut self,
        mut seeds: Seeds,
        max_rounds: u32,
        mut op: impl FnMut(&Session) -> O,
    ) -> Result<RunReport, Error>
    where
        Claim<O>: Entry,
        Resolve<O>: Entry,
        FillIn<O>: Entry,
        Speculate<O>: Entry,
    {
        if self.speculative.is_some() {
            return self.speculate(seeds, max_rounds, op);
        }
        let mut report = RunReport::default();
        let mut share = f64::from(O::SHARE);
        while report.rounds < max_rounds && !report.finished {
            if seeds == Seeds::Queued && self.queued < MANY_SEEDS {
                share = 1.0;
            }
            self.share = (share * f64::from(u32::MAX)) as u32;
            let round = self.round(seeds, &mut op);
            self.share = u32::MAX;
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
    /// [`Error::Operator`] when a fill-in breaks the rules; no memory for a larger session, which is left as it was; or what
    /// the engine says.
    pub fn round<O: Operator>(
        &mut self,
        seeds: Seeds,
        op: impl FnMut(&Session) -> O,
    ) -> Result<RoundReport, Error>
    where
        Claim<O>: Entry,
        Resolve<O>: Entry,
        FillIn<O>: Entry,
    {
        self.round_with(seeds, u32::MAX, op, |_, _| Ok(()))
    }

    /// As [`Session::round`], but carries out at most `most` cavities, those with the smallest keys, and runs `then` after the fill-in: kernels
    /// that change the set of the next round's seeds, which is a bit each. `then` may run more than once, and then for nothing, when a round runs out of room.
    ///
    /// # Errors
    ///
    /// As [`Session::round`], those of `then`, and [`Error::Options`] for a limit on an operator that needs new slots.
    pub fn round_with<O: Operator>(
        &mut self,
        seeds: Seeds,
        most: u32,
        mut op: impl FnMut(&Session) -> O,
        mut then: impl FnMut(&Session, GlobalMut<u32>) -> Result<(), Error>,
    ) -> Result<RoundReport, Error>
    where
        Claim<O>: Entry,
        Resolve<O>: Entry,
        FillIn<O>: Entry,
    {
        if self.speculative.is_some() {
            return Err(Error::Options(
                "single rounds and their limits need the claims engine: the speculative one has no order of cavities".into(),
            ));
        }
        if most != u32::MAX && !O::GROWTH.is_none() {
            return Err(Error::Options(
                "only operators that need no new slots can be limited".into(),
            ));
        }
        let n = match seeds {
            Seeds::All => self.unused_bound::<O>(),
            Seeds::Queued => self.queued,
        };
        let mut report = RoundReport {
            seeds: n,
            ..RoundReport::default()
        };
        self.queued = 0;
        if seeds == Seeds::All && std::mem::take(&mut self.has_refused) {
            let to = self.state.refused.global_mut();
            self.engine
                .launch_flat(to.len(), rxmesh_kernels::edit::Fill { to, value: 0 })?;
        }
        if n == 0 {
            return Ok(report);
        }
        self.check_records(self.most_winners(n))?;
        self.make_births::<O>(n)?;
        let mut listed = false;
        loop {
            self.next_epoch()?;
            let operator = op(self);
            self.launch(seeds, n, most, operator)?;
            then(self, self.state.queue.global_mut())?;
            self.collect()?;
            let counters = self.state.counters.read()?;
            let before = std::mem::replace(&mut self.counted, counters.clone());
            let count = |c: Counter| counters[c as usize];
            let counted = |c: Counter| counters[c as usize].wrapping_sub(before[c as usize]);
            if counted(Counter::Broken) > 0 {
                return Err(Error::Operator {
                    operator: std::any::type_name::<O>(),
                    count: counted(Counter::Broken),
                });
            }
            if count(Counter::Records) as usize > self.state.records.len() {
                self.grow_records(count(Counter::Records))?;
            } else if count(Counter::NoSlots) != 0 {
                self.make_room::<O>(&counters, &mut listed)?;
            } else {
                let no_disk = counted(Counter::NoDisk);
                report.candidates = counted(Counter::Candidates);
                report.conflicts = counted(Counter::Conflicts);
                report.refused = counted(Counter::Refused) + no_disk;
                self.has_refused |= counted(Counter::Refused) > 0;
                report.done = report.candidates - report.conflicts - no_disk;
                report.queued = count(Counter::List);
                self.queued = report.queued;
                self.salt = self.salt.wrapping_add(0x9e37_79b9);
                return Ok(report);
            }
        }
    }

    /// Slots of the operator's kind that may be live.
    fn unused_bound<O: Operator>(&self) -> u32 {
        self.capacity[<<O::Template as Template>::Seed as Element>::KIND as usize]
    }

    fn next_epoch(&mut self) -> Result<(), Error> {
        self.epoch -= 1;
        if self.epoch == 0 {
            reset_claims(&self.engine, &self.state)?;
            self.epoch = RESET_EPOCH;
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
        // Neither a list nor a stopped round of before.
        let to = self.state.counters.global_mut().from(Counter::List as u32);
        self.engine.launch_flat(
            Counter::Candidates as u32 - Counter::List as u32,
            rxmesh_kernels::edit::Fill { to, value: 0 },
        )?;
        fill(self, self.state.queue.global_mut())?;
        self.collect()?;
        self.queued = self.state.counters.read_range(Counter::List as usize, 1)?[0];
        Ok(self.queued)
    }

    /// Makes the seeds that were refused, since a round looked at all elements or this was called last, those of the next round; how many they are. Others that
    /// were carried out may have made room for them.
    ///
    /// # Errors
    ///
    /// What the engine says.
    pub fn enqueue_refused(&mut self) -> Result<u32, Error> {
        if !std::mem::take(&mut self.has_refused) {
            self.queued = 0;
            return Ok(0);
        }
        if self.speculative.is_some() {
            self.queued = self.enqueue_refused_patches()?;
            return Ok(self.queued);
        }
        self.enqueue(|s, to| {
            let from = s.state.refused.global_mut();
            Ok(s.engine.launch_flat(to.len(), MoveSet { from, to })?)
        })
    }

    fn collect(&self) -> Result<(), Error> {
        let s = &self.state;
        let collect = Collect {
            queue: s.queue.global_mut(),
            won: s.won.global_mut(),
            list: s.list.global_mut(),
            counters: s.counters.global_mut(),
            records: s.records.len() as u32,
        };
        Ok(self
            .engine
            .launch_blocks((s.queue.len() as u32).div_ceil(COLLECT_WORDS), collect)?)
    }

    fn launch<O: Operator>(&self, seeds: Seeds, n: u32, most: u32, op: O) -> Result<(), Error>
    where
        Claim<O>: Entry,
        Resolve<O>: Entry,
        FillIn<O>: Entry,
    {
        let (engine, s) = (&self.engine, &self.state);
        let (mesh, claims) = (self.mesh(), self.claims());
        let round = Round {
            list: s.list.global(),
            pending: s.pending.global_mut(),
            queue: s.queue.global_mut(),
            refused: s.refused.global_mut(),
            won: s.won.global_mut(),
            winners: s.winners.global_mut(),
            records: s.records.global_mut(),
            births: self.births.global_mut(),
            counters: s.counters.global_mut(),
            seeds: n,
            all: u32::from(seeds == Seeds::All),
            epoch: self.epoch,
            salt: self.salt,
            frozen: self.frozen,
            share: self.share,
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
        for hook in &self.hooks {
            let each = O::GROWTH.births();
            let births = Births {
                list: self.births.global(),
                counters: s.counters.global(),
                each,
                records: s.records.len() as u32,
            };
            hook(self, births, self.most_winners(n) * each)?;
        }
        Ok(())
    }

    /// Winners of so many seeds: each deletes a face or more.
    fn most_winners(&self, seeds: u32) -> u32 {
        seeds.min(self.capacity(Kind::Face))
    }

    /// Room for the births of a round, if anybody asks for them.
    fn make_births<O: Operator>(&mut self, seeds: u32) -> Result<(), Error> {
        let births = self.most_winners(seeds) as usize * O::GROWTH.births() as usize;
        let words = births * BIRTH_WORDS as usize;
        if !self.hooks.is_empty() && self.births.len() < words {
            self.births = self.engine.zeroed(words)?;
        }
        Ok(())
    }

    /// Ranks the set `won`.
    fn rank(&self, growth: Growth) -> Result<(), Error> {
        let s = &self.state;
        let words = RankWords {
            won: s.won.global(),
            ranks: s.ranks.global_mut(),
            totals: s.chunks.global_mut(),
        };
        self.engine
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
        Ok(self.engine.launch_blocks(1, chunks)?)
    }

    /// After a round that ran out of slots: first those that died since the lists were made, then new ones.
    fn make_room<O: Operator>(&mut self, counters: &[u32], listed: &mut bool) -> Result<(), Error> {
        if !*listed {
            *listed = true;
            return self.list_free(counters);
        }
        let winners = counters[Counter::Ranked as usize];
        let mut more = [0; 3];
        for (k, grow) in O::GROWTH.by_kind().into_iter().enumerate() {
            // Listed slots count as used up: growth is for the slots behind them.
            more[k] = winners.saturating_mul(grow).saturating_sub(self.listed[k]);
        }
        self.reserve(more)
    }

    /// Number of live elements of a kind, counted on the engine.
    ///
    /// # Errors
    ///
    /// What the engine says.
    pub fn count(&self, kind: Kind) -> Result<u32, Error> {
        let slots = self.capacity(kind);
        self.mark_dead(kind, slots)?;
        let dead = self.state.counters.read()?[Counter::Ranked as usize];
        self.clear_won()?;
        Ok(slots - dead)
    }

    /// Sets a bit in `won` for every dead slot, and ranks them.
    fn mark_dead(&self, kind: Kind, slots: u32) -> Result<(), Error> {
        let (table, width) = match kind {
            Kind::Vertex => (&self.flat.ve, 1),
            Kind::Edge => (&self.flat.ev, 2),
            Kind::Face => (&self.flat.fe, 3),
        };
        let mark = MarkDead {
            table: table.global(),
            width,
            slots,
            set: self.state.won.global_mut(),
        };
        self.engine.launch_flat(self.state.won.len() as u32, mark)?;
        self.rank(Growth::NONE)
    }

    fn clear_won(&self) -> Result<(), Error> {
        let to = self.state.won.global_mut();
        Ok(self
            .engine
            .launch_flat(to.len(), rxmesh_kernels::edit::Fill { to, value: 0 })?)
    }

    /// Lists the free slots of every kind.
    fn list_free(&mut self, counters: &[u32]) -> Result<(), Error> {
        for kind in Kind::ALL {
            let k = kind as usize;
            let used = counters[Counter::Used as usize + k];
            self.unused[k] += used.saturating_sub(self.listed[k]);
            let (s, engine) = (&self.state, &self.engine);
            self.mark_dead(kind, self.unused[k])?;
            let free = s.counters.read()?[Counter::Ranked as usize];
            let list = engine.zeroed(free as usize)?;
            let write = ListFree {
                set: s.won.global(),
                ranks: s.ranks.global(),
                chunks: s.chunks.global(),
                list: list.global_mut(),
            };
            engine.launch_flat(s.won.len() as u32, write)?;
            self.free[k] = list;
            self.listed[k] = free;
        }
        self.clear_won()?;
        let to = self.state.counters.global_mut().from(Counter::Used as u32);
        Ok(self
            .engine
            .launch_flat(3, rxmesh_kernels::edit::Fill { to, value: 0 })?)
    }
}
