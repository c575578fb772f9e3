//! Rounds of a simplification.

use super::SimplifyBuffers;
use crate::Error;
use crate::algo::improve::simplify::{End, SimplifyOptions};
use crate::edit::{self, NextSeeds, RunReport, Session};
use crate::engine::Buffer;
use rxmesh_kernels::algo::improve::simplify::{
    BatchSelect, Collapse, Course, IDLE_ROUNDS, LineForm, MOST_TURNS, NoLines, SimplifySelect,
};
use rxmesh_kernels::cavity::{ClaimTables, LimitWinners, Round, RoundEnd};
use rxmesh_kernels::kernel::Entry;
use rxmesh_kernels::mem::GlobalMut;

/// Rounds after which refused edges are tried again.
const FORGIVE_AFTER: u32 = 8;

/// Rounds of a simplification between two read-backs.
struct Steps<'a, L> {
    /// Lines of the surface: a type that determines at compile time if there are any.
    lines: L,
    work: &'a mut SimplifyBuffers,
    forgive: bool,
    /// Salt of the last round that was requested.
    salt: u32,
}

impl<'a, L> Steps<'a, L> {
    fn new(lines: L, work: &'a mut SimplifyBuffers, forgive: bool) -> Self {
        Steps {
            lines,
            work,
            forgive,
            salt: 0,
        }
    }
}

impl<L: LineForm> edit::Course<Collapse<L>> for Steps<'_, L>
where
    SimplifySelect<L>: Entry,
    BatchSelect<L>: Entry,
{
    fn operator(&mut self, session: &Session, round: u32) -> Result<Collapse<L>, Error> {
        self.salt = self.work.salt.wrapping_add(round);
        let order = self.work.order(self.salt);
        self.work.collapse(session, self.lines, order)
    }

    fn limit(&mut self, session: &Session, claims: ClaimTables, round: Round) -> Result<(), Error> {
        match &self.work.several {
            Some(several) => several.limit(session, self.work.course.global_mut(), claims, round),
            None => Ok(session
                .engine()
                .launch_blocks(1, LimitWinners { claims, round })?),
        }
    }

    fn between(
        &mut self,
        session: &Session,
        queue: GlobalMut<u32>,
        end: RoundEnd,
    ) -> Result<NextSeeds, Error> {
        let order = self.work.order(self.salt.wrapping_add(1));
        let select = (self.work).select(session, self.lines, queue, order, self.forgive, end)?;
        self.work.launch_select(session, select)?;
        Ok(match self.work.several {
            Some(_) => NextSeeds::InBits,
            None => NextSeeds::Listed,
        })
    }

    fn state(&self) -> Option<&Buffer<u32>> {
        Some(&self.work.course)
    }

    fn looked(&mut self, state: &[u32]) {
        self.work.seen = state.to_vec();
    }
}

impl SimplifyBuffers {
    /// Returns the number of faces deleted since the beginning.
    pub(super) fn gone(&self, session: &Session) -> u32 {
        let done = session.carried_out().wrapping_sub(self.goal.done);
        let borders = self.seen(Course::Borders).wrapping_sub(self.goal.borders);
        (done.wrapping_mul(2)).wrapping_sub(borders)
    }

    /// Returns `true` if every mesh has reached its number of faces.
    pub(super) fn is_done(&self, session: &Session) -> bool {
        match &self.several {
            Some(_) => self.seen(Course::Left) == 0,
            None => self.gone(session) >= self.goal.faces,
        }
    }

    /// Runs rounds until the goal is reached or nothing can be done.
    pub(super) fn rounds(
        &mut self,
        session: &mut Session,
        options: &SimplifyOptions,
        run: &mut RunReport,
    ) -> Result<End, Error> {
        let mut queued = 0;
        self.set(session, Course::Idle, 0)?;
        // Time at which refusals were forgiven last: the round, and the number of collapses.
        let mut forgiven = (run.rounds, run.done);
        while !self.is_done(session) {
            if run.rounds >= options.max_rounds {
                return Ok(End::Rounds);
            }
            let changed = run.done > forgiven.1;
            if self.order(self.salt).turn > MOST_TURNS - 2 * FORGIVE_AFTER {
                // Turns begin again from 0, before their number runs out.
                self.first_salt = self.salt;
                queued = self.enter(session, false)?;
            }
            if queued == 0 {
                // Everything cheap is done, which the histogram tells by now, or all edges are refused.
                let all_refused = self.seen(Course::Open) == 0;
                if all_refused && !changed {
                    return Ok(End::Stuck);
                }
                if all_refused {
                    forgiven = (run.rounds, run.done);
                }
                queued = self.enter(session, all_refused)?;
                continue;
            }
            let since = run.rounds - forgiven.0;
            let due = since >= FORGIVE_AFTER;
            let most = if due { 1 } else { FORGIVE_AFTER - since };
            let most = most.min(options.max_rounds - run.rounds);
            let most = most.min(session.engine().rounds_a_look());
            let forgive = due && changed;
            let done = if self.has_lines(session) {
                let lines = self.lines(session)?;
                session.steer(most, &mut Steps::new(lines, self, forgive))?
            } else {
                session.steer(most, &mut Steps::new(NoLines {}, self, forgive))?
            };
            queued = session.queued();
            run.merge(&done);
            if forgive {
                forgiven = (run.rounds, run.done);
            }
            self.salt = self.salt.wrapping_add(done.rounds);
            if self.seen(Course::Idle) > IDLE_ROUNDS {
                return Ok(End::Stuck);
            }
        }
        Ok(End::Reached)
    }
}
