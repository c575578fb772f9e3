//! Edits by claims, in rounds over the whole mesh: the same result on every run.

mod births;
mod course;
mod launch;
mod rounds;
mod slots;
mod state;
mod together;

use super::RunReport;
use super::mesh::{HostArrays, OpenMesh};
use super::scheduler::{Edits, Runs, Seeds};
use super::session::Session;
use super::validate::SessionFault;
use crate::Error;
use crate::engine::{Buffer, EngineError};
use crate::store::RxMesh;
pub(crate) use course::{Course, NextSeeds};
use rxmesh_kernels::attr::Value;
use rxmesh_kernels::cavity::{Births, COUNTERS, OperatorEntry, RESET_EPOCH};
use rxmesh_kernels::edit::MoveSet;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::Kind;
use slots::FreeSlots;
use state::RoundState;

/// Scheduler of edits that every session has by default: claims on flat arrays, in rounds over the whole
/// mesh. The same result on every run.
pub struct Claims {
    state: RoundState,
    slots: FreeSlots,
    /// Rounds count it down: claims of earlier rounds are larger, and need not be taken back.
    epoch: u32,
    salt: u32,
    /// The counters as they were read last: they count on over all rounds.
    counted: Vec<u32>,
    /// Seeds in the list, from the last round.
    queued: u32,
    /// `true` if rounds are paused until they are resumed, as of the last read-back.
    stopped: bool,
    /// Hooks run after each fill-in for attributes of new vertices, and the births that they read.
    hooks: Vec<Hook>,
    births: Buffer<u32>,
    /// Upper bound of the number of refused seeds.
    refused: u32,
}

/// Launches the kernels that compute attributes of the vertices that a round has made.
type Hook = Box<dyn Fn(&Session, Births, u32) -> Result<(), Error> + Send + Sync>;

/// Token that allows its holder to change the parts of a session of [`Claims`].
#[derive(Debug)]
pub struct ClaimsAccess(());

impl std::fmt::Debug for Claims {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Claims({} queued, {} hooks)",
            self.queued,
            self.hooks.len()
        )
    }
}

impl Claims {
    pub(super) fn new(mesh: &OpenMesh) -> Result<Claims, Error> {
        Ok(Claims {
            state: RoundState::new(mesh)?,
            slots: FreeSlots::new(mesh)?,
            epoch: RESET_EPOCH,
            salt: 0,
            counted: vec![0; COUNTERS],
            queued: 0,
            stopped: false,
            hooks: Vec::new(),
            births: mesh.engine().zeroed(0)?,
            refused: 0,
        })
    }
}

impl Edits for Claims {
    const NAME: &'static str = "claims";
    const ORDERED: bool = true;
    type Access = ClaimsAccess;

    fn open(_: &RxMesh, mesh: OpenMesh) -> Result<(OpenMesh, Claims), Error> {
        let claims = Claims::new(&mesh)?;
        Ok((mesh, claims))
    }

    fn place<T: Value>(
        &self,
        mesh: &OpenMesh,
        kind: Kind,
        values: &Buffer<T>,
    ) -> Result<Buffer<T>, EngineError> {
        values.grown(mesh.capacity(kind) as usize)
    }

    fn reserve(session: &mut Session, more: [u32; 3]) -> Result<(), Error> {
        session.make_slots(more)
    }

    fn enqueue_refused(session: &mut Session) -> Result<u32, Error> {
        if std::mem::take(&mut session.edits.refused) == 0 {
            session.edits.queued = 0;
            return Ok(0);
        }
        session.enter_seeds(move_refused)
    }

    /// Checks that free slots are dead, and those that were never handed out too.
    fn faults(session: &Session, arrays: &HostArrays) -> Result<Vec<SessionFault>, Error> {
        let claims = &session.edits;
        claims
            .slots
            .faults(&claims.state.counters.read()?, &session.mesh, arrays)
    }
}

impl<O: OperatorEntry> Runs<O> for Claims {
    unsafe fn run(
        session: &mut Session,
        seeds: Seeds,
        max_rounds: u32,
        op: impl FnMut(&Session) -> Result<O, Error>,
    ) -> Result<RunReport, Error> {
        session.rounds(seeds, max_rounds, op)
    }

    /// Runs the operator from refused seeds; the host does not wait to know their number.
    unsafe fn run_refused(
        session: &mut Session,
        max_rounds: u32,
        op: impl FnMut(&Session) -> Result<O, Error>,
    ) -> Result<RunReport, Error> {
        let most = std::mem::take(&mut session.edits.refused);
        if most == 0 {
            session.edits.queued = 0;
            return Ok(RunReport {
                finished: true,
                ..RunReport::default()
            });
        }
        session.list_seeds(most, move_refused)?;
        session.rounds(Seeds::Queued, max_rounds, op)
    }
}

/// Moves the refused seeds to the next round's seeds.
fn move_refused(session: &Session, to: GlobalMut<u32>) -> Result<(), Error> {
    let from = session.edits.state.refused.global_mut();
    let kernel = MoveSet { from, to };
    Ok(session.engine().launch_flat(to.len(), kernel)?)
}

impl Session {
    /// Runs `hook` after the fill-in of every round, to launch a custom kernel with [`Births`] among its arguments for
    /// the given number of indices: for attributes whose new values are no weighted means. It may run in vain when a
    /// round exceeds a capacity; the births are empty then.
    pub fn after_births(
        &mut self,
        hook: impl Fn(&Session, Births, u32) -> Result<(), Error> + Send + Sync + 'static,
    ) {
        self.edits.hooks.push(Box::new(hook));
    }
}
