//! Algorithms that run several rounds between two host read-backs.

use super::super::session::Session;
use crate::Error;
use crate::engine::Buffer;
use rxmesh_kernels::cavity::{ClaimTables, Round, RoundEnd};
use rxmesh_kernels::mem::GlobalMut;

/// Form of the next round's seeds when the kernels between two rounds have run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextSeeds {
    /// One bit each: [`Collect`](rxmesh_kernels::cavity::Collect) lists them and ends the round.
    InBits,
    /// Listed, and the round has ended.
    Listed,
}

/// Hooks for an algorithm that runs several rounds between two host read-backs.
pub(crate) trait Course<O> {
    /// Returns the operator of a round, counted from the last read-back.
    fn operator(&mut self, session: &Session, round: u32) -> Result<O, Error>;

    /// Launches the kernel that keeps only some of a round's winners, such as
    /// [`LimitWinners`](rxmesh_kernels::cavity::LimitWinners). For operators that need no new slots.
    fn limit(&mut self, _: &Session, _claims: ClaimTables, _round: Round) -> Result<(), Error> {
        Ok(())
    }

    /// Launches the kernels between two rounds, which change the set of the next round's seeds, one bit each. They also
    /// run after rounds that exceeded a capacity, and while rounds are paused, and must do nothing then.
    fn between(
        &mut self,
        _: &Session,
        _queue: GlobalMut<u32>,
        _: RoundEnd,
    ) -> Result<NextSeeds, Error> {
        Ok(NextSeeds::InBits)
    }

    /// Returns the operator of all rounds, if nothing is launched between them.
    fn operator_of_all(&mut self, _: &Session) -> Option<Result<O, Error>> {
        None
    }

    /// Returns words to read with the counters, if any.
    fn state(&self) -> Option<&Buffer<u32>> {
        None
    }

    /// Receives those words after each read-back.
    fn looked(&mut self, _state: &[u32]) {}
}

/// The same operator in all rounds.
pub(super) struct Plain<F>(pub(super) F);

impl<O, F: FnMut(&Session) -> Result<O, Error>> Course<O> for Plain<F> {
    fn operator(&mut self, session: &Session, _: u32) -> Result<O, Error> {
        (self.0)(session)
    }

    fn operator_of_all(&mut self, session: &Session) -> Option<Result<O, Error>> {
        Some((self.0)(session))
    }
}
