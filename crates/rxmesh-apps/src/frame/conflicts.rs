//! The engines of edits that users choose from: the one place that knows them all.

use crate::cli::PatchArgs;
use anyhow::Result;
use clap::ValueEnum;
use rxmesh_host::Error;
use rxmesh_host::edit::{Borders, Carried, Claims, Edits, Session};
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::store::RxMesh;
use serde_json::{Map, Value};

/// Who decides between changes that overlap.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Conflicts {
    /// Claims on flat arrays, in rounds over the whole mesh: the same result on every run
    #[default]
    Claims,
    /// Patches in shared memory that lock their neighbours (Mahmoud et al. 2024): who comes first
    #[cfg(feature = "speculative")]
    Speculative,
}

impl Conflicts {
    /// Most faces of a patch, unless the user says.
    pub(super) fn patch_size(self) -> u32 {
        match self {
            Conflicts::Claims => PatchArgs::DEFAULT_SIZE,
            #[cfg(feature = "speculative")]
            Conflicts::Speculative => rxmesh_speculative::PATCH_SIZE,
        }
    }

    /// Opens a session, with all that the mesh carries; `follow`: vertices that go are followed.
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
            Conflicts::Claims => {
                session(rx, mesh, lines, follow).map(|(s, c)| (AnySession::Claims(s), c))
            }
            #[cfg(feature = "speculative")]
            Conflicts::Speculative => {
                session(rx, mesh, lines, follow).map(|(s, c)| (AnySession::Speculative(s), c))
            }
        }
    }
}

/// Edges that a session treats as lines.
#[derive(Clone, Debug, Default)]
pub(super) struct Lines {
    /// Those that are kept as the boundary is.
    pub(super) kept: Borders,
    /// Those that simplification holds.
    pub(super) held: Borders,
}

/// A session of the engine that was asked for.
#[derive(Debug)]
pub(crate) enum AnySession {
    /// Of claims.
    Claims(Session<Claims>),
    /// Of the speculative engine.
    #[cfg(feature = "speculative")]
    Speculative(Session<rxmesh_speculative::Speculative>),
}

/// Does something with a session, whichever engine it has: `on_session!(any, |session| work)`.
macro_rules! on_session {
    ($any:expr, |$session:ident| $work:expr) => {
        match $any {
            $crate::frame::AnySession::Claims($session) => $work,
            #[cfg(feature = "speculative")]
            $crate::frame::AnySession::Speculative($session) => $work,
        }
    };
}
pub(crate) use on_session;

impl AnySession {
    /// The session if it is one of claims.
    pub(crate) fn claims(&mut self) -> Option<&mut Session<Claims>> {
        match self {
            AnySession::Claims(session) => Some(session),
            #[cfg(feature = "speculative")]
            AnySession::Speculative(_) => None,
        }
    }

    /// The engine's name.
    pub(super) fn name(&self) -> &'static str {
        fn of<C: Edits>(_: &Session<C>) -> &'static str {
            C::NAME
        }
        on_session!(self, |session| of(session))
    }

    /// What the engine counted, for the record and in words; nothing if it does not count.
    pub(super) fn did(&self) -> Result<Option<(Map<String, Value>, String)>> {
        match self {
            AnySession::Claims(_) => Ok(None),
            #[cfg(feature = "speculative")]
            AnySession::Speculative(session) => speculation(session).map(Some),
        }
    }
}

#[cfg(feature = "speculative")]
fn speculation(
    session: &Session<rxmesh_speculative::Speculative>,
) -> Result<(Map<String, Value>, String)> {
    let counts = session.edits().speculation();
    let wasted_percent = 100.0 * counts.wasted_share();
    let mut record = crate::record::keys(&counts)?;
    record.insert("wasted_percent".into(), wasted_percent.into());
    let words = format!(
        "{} launches, {} visits of patches ({} % wasted), {} vertices moved to another patch, {} patches sliced, {} \
        merged",
        counts.launches,
        counts.visits,
        crate::text::number(wasted_percent),
        counts.moved,
        counts.sliced,
        counts.merged
    );
    Ok((record, words))
}
