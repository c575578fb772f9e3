//! Errors of operations.

use std::fmt;

/// Result of an operation.
pub type Result<T> = std::result::Result<T, Error>;

/// Reason why an operation cannot be done.
#[derive(Debug)]
pub enum Error {
    /// An error of the library below.
    Host(rxmesh_host::Error),
    /// An error with an explanation, or with the name of its mesh.
    In {
        /// Meaning, or name of the mesh.
        what: String,
        /// The error.
        source: Box<Error>,
    },
    /// A reason in words.
    Message(String),
    /// The log ended the operation ([`crate::Log::is_stopped`]).
    Stopped,
    /// An error of the program that runs the operation, such as one of a file.
    Other(Box<dyn std::error::Error + Send + Sync>),
}

impl Error {
    /// Returns the error with an explanation, or the name of its mesh, before it.
    pub fn within(self, what: impl Into<String>) -> Error {
        Error::In {
            what: what.into(),
            source: Box::new(self),
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Host(e) => e.fmt(f),
            Error::In { what, .. } => f.write_str(what),
            Error::Message(what) => f.write_str(what),
            Error::Stopped => f.write_str("stopped"),
            Error::Other(e) => e.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Error::Host(e) => e.source(),
            Error::In { source, .. } => Some(source),
            Error::Message(_) | Error::Stopped => None,
            Error::Other(e) => e.source(),
        }
    }
}

macro_rules! from_host {
    ($($error:ty),*) => {
        $(impl From<$error> for Error {
            fn from(e: $error) -> Error {
                Error::Host(e.into())
            }
        })*
    };
}

from_host!(
    rxmesh_host::Error,
    rxmesh_host::engine::EngineError,
    rxmesh_host::io::IoError,
    rxmesh_host::mesh::MeshError,
    rxmesh_host::grid::GridError,
    rxmesh_host::patch::PatchError,
    rxmesh_host::store::AttributeError
);

/// Returns a function that explains numbers out of range with a reason that the user can act on.
pub(crate) fn explained(why: &'static str) -> impl Fn(rxmesh_host::Error) -> Error {
    move |e| {
        let of_one = match &e {
            rxmesh_host::Error::OfMesh { error, .. } => &**error,
            all => all,
        };
        let overflow = matches!(of_one, rxmesh_host::Error::NotFinite { .. });
        let e = Error::from(e);
        if overflow { e.within(why) } else { e }
    }
}

/// Returns with an [`Error::Message`] unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)*) => {
        if !$condition {
            return Err($crate::Error::Message(format!($($message)*)));
        }
    };
}
pub(crate) use ensure;
