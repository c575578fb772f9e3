//! Schedulers of edits: the one place that knows them all.

use rxmesh_host::algo::track::{TrackOptions, TrackReport, track};
use rxmesh_host::edit::{Borders, Carried, Claims, Column, Edits, Session, SessionFault};
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::store::RxMesh;
use rxmesh_host::{Error, Vec3};

/// Scheduler: decides between changes that overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Scheduler {
    /// Claims on flat arrays, in rounds over the whole mesh: the same result on every run
    #[default]
    Claims,
    /// Patches in shared memory that lock their neighbours (Mahmoud et al. 2024): the first to lock wins
    #[cfg(feature = "speculative")]
    Speculative,
}

impl Scheduler {
    /// Returns the default of the most faces of a patch.
    pub fn patch_size(self) -> u32 {
        match self {
            Scheduler::Claims => super::PATCH_SIZE,
            #[cfg(feature = "speculative")]
            Scheduler::Speculative => rxmesh_speculative::PATCH_SIZE,
        }
    }

    /// Opens a session with everything that the mesh carries. With `follow`, deleted vertices and faces are followed to
    /// where they went.
    pub(super) fn open(
        self,
        rx: &RxMesh,
        mesh: TriMesh,
        lines: &Lines,
        follow: bool,
    ) -> Result<(AnySession, Carried), Error> {
        fn session<C: Edits>(
            rx: &RxMesh,
            mesh: TriMesh,
            lines: &Lines,
            follow: bool,
        ) -> Result<(Session<C>, Carried), Error> {
            let mut session = Session::<C>::open_with(rx)?;
            let mut carried = Carried::open(&mut session, rx, mesh)?;
            if !lines.kept.is_empty() {
                carried.keep(&mut session, &lines.kept)?;
            }
            if !lines.held.is_empty() {
                carried.hold(&mut session, &lines.held)?;
            }
            if follow {
                carried.follow(&mut session)?;
            }
            Ok((session, carried))
        }
        match self {
            Scheduler::Claims => {
                session(rx, mesh, lines, follow).map(|(s, c)| (AnySession::Claims(s), c))
            }
            #[cfg(feature = "speculative")]
            Scheduler::Speculative => {
                session(rx, mesh, lines, follow).map(|(s, c)| (AnySession::Speculative(s), c))
            }
        }
    }
}

/// Edges that a session treats as lines.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    /// Edges that are kept as the boundary is.
    pub kept: Borders,
    /// Edges that simplification holds with a weight.
    pub held: Borders,
}

/// Session of one of the schedulers.
#[derive(Debug)]
pub enum AnySession {
    /// Session of claims.
    Claims(Session<Claims>),
    /// Session of the speculative scheduler.
    #[cfg(feature = "speculative")]
    Speculative(Session<rxmesh_speculative::Speculative>),
}

/// Runs an expression with the session, whatever its scheduler: `on_session!(any, |session| work)`.
#[macro_export]
macro_rules! on_session {
    ($any:expr, |$session:ident| $work:expr) => {
        match $any {
            $crate::on::AnySession::Claims($session) => $work,
            #[cfg(feature = "speculative")]
            $crate::on::AnySession::Speculative($session) => $work,
        }
    };
}

impl AnySession {
    /// Returns the session if its scheduler is that of claims.
    pub fn claims(&mut self) -> Option<&mut Session<Claims>> {
        match self {
            AnySession::Claims(session) => Some(session),
            #[cfg(feature = "speculative")]
            AnySession::Speculative(_) => None,
        }
    }

    /// Returns the session if its scheduler is that of claims.
    pub fn into_claims(self) -> Option<Session<Claims>> {
        match self {
            AnySession::Claims(session) => Some(session),
            #[cfg(feature = "speculative")]
            AnySession::Speculative(_) => None,
        }
    }

    /// Returns the scheduler's name.
    pub fn name(&self) -> &'static str {
        fn of<C: Edits>(_: &Session<C>) -> &'static str {
            C::NAME
        }
        on_session!(self, |session| of(session))
    }

    /// Tracks a surface. Programs call this and not [`track`], whose kernels each crate that names them compiles again.
    /// `each` is called after each frame.
    ///
    /// # Errors
    ///
    /// Those of [`track`], and of `each`.
    pub fn track(
        &mut self,
        x: Column<Vertex, Vec3>,
        options: &TrackOptions,
        each: &mut dyn FnMut(u32, &dyn TrackedFrame) -> crate::Result<()>,
    ) -> crate::Result<TrackReport> {
        on_session!(self, |session| track(
            session,
            x,
            options,
            |frame, session| each(frame, session)
        ))
    }

    /// Returns the speculative scheduler's counts.
    #[cfg(feature = "speculative")]
    pub fn speculation(&self) -> Option<rxmesh_speculative::Speculation> {
        match self {
            AnySession::Claims(_) => None,
            AnySession::Speculative(session) => Some(session.edits().speculation()),
        }
    }
}

/// Session after a frame of tracking.
pub trait TrackedFrame {
    /// Returns the faults of the connectivity.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    fn faults(&self) -> Result<Vec<SessionFault>, Error>;

    /// Returns the mesh.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
    fn mesh(&self, carried: &Carried) -> Result<TriMesh, Error>;
}

impl<C: Edits> TrackedFrame for Session<C> {
    fn faults(&self) -> Result<Vec<SessionFault>, Error> {
        self.validate()
    }

    fn mesh(&self, carried: &Carried) -> Result<TriMesh, Error> {
        Ok(carried.mesh(self)?.0)
    }
}
