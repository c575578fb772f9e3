//! The seam between sessions and schedulers of edits, which decide the cavity to be carried out among several that
//! overlap.

use super::columns::Columns;
use super::mesh::{HostArrays, OpenMesh};
use super::session::Session;
use super::validate::SessionFault;
use crate::Error;
use crate::engine::{Buffer, EngineError};
use crate::store::RxMesh;
use rxmesh_kernels::attr::Value;
use rxmesh_kernels::cavity::Operator;
use rxmesh_kernels::topo::Kind;

/// A scheduler of edits: the state that a session keeps for it beside the flat arrays and the columns.
/// [`Claims`](super::Claims) is this library's; another crate may bring one with its own kernels, which [`Edits::open`]
/// loads ([`Engine::load_ptx`](crate::engine::Engine::load_ptx)).
///
/// A scheduler may number elements by itself, and move them while operators run: then it writes the flat arrays before
/// it gives the session back, and moves the values of columns with their elements.
pub trait Edits: Sized + Send + Sync + 'static {
    /// Name of the scheduler, for records and messages.
    const NAME: &'static str;

    /// `true` if more urgent cavities go before less urgent ones wherever these are, so that one run is enough for
    /// operators that need an order.
    const ORDERED: bool;

    /// Token that allows its holder to change the parts of a session ([`Session::parts_mut`]): a type that only the
    /// scheduler's own crate can make.
    type Access;

    /// Prepares for edits of a mesh that was opened in the linear ids of `rx`. Returns the mesh in session ids, which
    /// may be others, and the scheduler.
    ///
    /// # Errors
    ///
    /// A mesh that the scheduler cannot work on, or no memory.
    fn open(rx: &RxMesh, mesh: OpenMesh) -> Result<(OpenMesh, Self), Error>;

    /// Reorders the values of an attribute from linear ids to session ids; the result has a value for each slot.
    ///
    /// # Errors
    ///
    /// No memory on the engine.
    fn place<T: Value>(
        &self,
        mesh: &OpenMesh,
        kind: Kind,
        values: &Buffer<T>,
    ) -> Result<Buffer<T>, EngineError>;

    /// Grows the capacity by that many elements of each kind; see [`Session::reserve`].
    ///
    /// # Errors
    ///
    /// More elements than ids, or no memory on the engine; nothing is lost then.
    fn reserve(session: &mut Session<Self>, more: [u32; 3]) -> Result<(), Error>;

    /// Makes refused seeds those of the next run; see [`Session::enqueue_refused`].
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    fn enqueue_refused(session: &mut Session<Self>) -> Result<u32, Error>;

    /// Returns the faults of the scheduler's state, given the session's arrays; see [`Session::validate`].
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    fn faults(session: &Session<Self>, arrays: &HostArrays) -> Result<Vec<SessionFault>, Error>;
}

/// A scheduler of edits that can carry out an operator, because the kernels that it needs are listed
/// ([`entries!`](rxmesh_kernels::entries)).
pub trait Runs<O: Operator>: Edits {
    /// Runs rounds until no seed is left; [`Session::run_operator_from`] calls it.
    ///
    /// # Errors
    ///
    /// As [`Session::run_operator_from`].
    ///
    /// # Safety
    ///
    /// As [`Session::run_operator_from`].
    unsafe fn run(
        session: &mut Session<Self>,
        seeds: Seeds,
        max_rounds: u32,
        op: impl FnMut(&Session<Self>) -> Result<O, Error>,
    ) -> Result<RunReport, Error>;

    /// Runs rounds from the seeds that were refused; [`Session::run_operator_refused`] calls it.
    ///
    /// # Errors
    ///
    /// As [`Session::run_operator_from`].
    ///
    /// # Safety
    ///
    /// As [`Session::run_operator_from`].
    unsafe fn run_refused(
        session: &mut Session<Self>,
        max_rounds: u32,
        op: impl FnMut(&Session<Self>) -> Result<O, Error>,
    ) -> Result<RunReport, Error> {
        match Self::enqueue_refused(session)? {
            0 => Ok(RunReport {
                finished: true,
                ..RunReport::default()
            }),
            // SAFETY: the caller's.
            _ => unsafe { Self::run(session, Seeds::Queued, max_rounds, op) },
        }
    }
}

/// Parts of a session, for its scheduler of edits.
#[derive(Debug)]
pub struct SplitSession<'a, C> {
    /// Flat arrays of the session.
    pub mesh: &'a mut OpenMesh,
    /// Attributes of the session.
    pub columns: &'a mut Columns,
    /// State of the scheduler.
    pub edits: &'a mut C,
}

/// Elements that a round considers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Seeds {
    /// All elements of the operator's kind.
    All,
    /// Elements that lost in the last round, and those that its fill-ins named.
    Queued,
}

/// Counts of one round.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct RoundReport {
    /// Seeds that were considered.
    pub seeds: u32,
    /// Seeds that wanted a change.
    pub candidates: u32,
    /// Candidates that lost against another.
    pub conflicts: u32,
    /// Seeds that wanted a change and may not have it: an edge that exists already, a frozen face, a cavity that is no
    /// disk.
    pub refused: u32,
    /// Cavities that were carried out.
    pub done: u32,
    /// Cavities that their operator gave up ([`Operator::ABANDONS`]).
    pub abandoned: u32,
    /// Seeds that wait for the next round.
    pub queued: u32,
}

/// Counts of several rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RunReport {
    /// Number of rounds.
    pub rounds: u32,
    /// Candidates for a change, over all rounds.
    pub candidates: u64,
    /// Candidates that lost against another and tried again, over all rounds.
    pub conflicts: u64,
    /// Candidates that were refused, over all rounds.
    pub refused: u64,
    /// Changes that were made.
    pub done: u64,
    /// Cavities that their operator gave up ([`Operator::ABANDONS`]). Not in records: no operator of an algorithm here
    /// does so.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub abandoned: u64,
    /// `true` if nothing was left to do.
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
        self.abandoned += u64::from(round.abandoned);
        self.finished = round.queued == 0;
    }

    /// Adds another run's rounds.
    pub fn merge(&mut self, other: &RunReport) {
        self.rounds += other.rounds;
        self.candidates += other.candidates;
        self.conflicts += other.conflicts;
        self.refused += other.refused;
        self.done += other.done;
        self.abandoned += other.abandoned;
        self.finished = other.finished;
    }
}
