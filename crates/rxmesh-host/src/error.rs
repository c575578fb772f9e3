//! The library's error.

use crate::engine::EngineError;
use crate::grid::GridError;
use crate::io::IoError;
use crate::mesh::MeshError;
use crate::patch::{CacheError, PatchError};

/// Why something failed: the one type that takes every error of the library, so that `?` goes all the way from reading
/// a file to writing one.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Error of reading or writing a file.
    #[error(transparent)]
    Io(#[from] IoError),
    /// Error of an input mesh.
    #[error(transparent)]
    Mesh(#[from] MeshError),
    /// Error of a grid.
    #[error(transparent)]
    Grid(#[from] GridError),
    /// Patches on disk.
    #[error(transparent)]
    Cache(#[from] CacheError),
    /// Error of an engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// Error of cutting a mesh into patches.
    #[error(transparent)]
    Patch(#[from] PatchError),
    /// Error of an attribute.
    #[error(transparent)]
    Attribute(#[from] AttributeError),
    /// A result that cannot be addressed.
    #[error("the result has {count} {what}, but at most {limit} can be addressed")]
    TooLarge {
        /// Name of the items that are too many.
        what: &'static str,
        /// Number of them.
        count: u64,
        /// Largest number allowed.
        limit: u64,
    },
    /// A result that would be larger than is allowed; nothing was done.
    #[error(
        "the result would have about {} faces and take about {gigabytes} GB of memory; more than {} faces must be \
            allowed (max-faces)",
        words(*faces),
        words(u64::from(*limit))
    )]
    TooManyFaces {
        /// Expected number of faces.
        faces: u64,
        /// Memory that they take, in units of 10^9 bytes.
        gigabytes: u64,
        /// Largest number allowed.
        limit: u32,
    },
    /// A mesh that grew far beyond the expected or allowed size; it is sound, but not done.
    #[error(
        "the mesh has grown to {} faces, where {} were to be expected, and it was stopped: more than {} faces must be \
            allowed (max-faces)",
        words(u64::from(*faces)),
        words(*expected),
        words(*limit)
    )]
    Outgrown {
        /// Number of faces.
        faces: u32,
        /// Expected number of faces.
        expected: u64,
        /// Largest number allowed.
        limit: u64,
    },
    /// Options that make no sense, with the possible values.
    #[error("{0}")]
    Options(String),
    /// An operator's fill-in broke the rules of [`Hole`](rxmesh_kernels::cavity::Hole).
    #[error(
        "the operator `{operator}` left {count} holes with edges that have no face, with sides that do not meet, or \
            took more slots than it declares"
    )]
    Operator {
        /// Operator's type.
        operator: &'static str,
        /// Number of holes.
        count: u32,
    },
    /// A scheduler of edits whose own state has become inconsistent with the flat arrays.
    #[error("{what}; the session is void")]
    Edits {
        /// Description of the defect.
        what: String,
    },
    /// A call of a session in which an operator broke the rules, or in which the engine failed in the middle of a
    /// round.
    #[error("the session is void: an earlier call left its mesh incomplete")]
    VoidSession,
    /// A simulation that a panic or the engine stopped in the middle of a step.
    #[error("the simulation is void: an earlier call ended in the middle of a step")]
    VoidSimulation,
    /// A column that belongs to another session.
    #[error("the column belongs to another session")]
    OtherSession,
    /// A column of a closed session whose attribute was taken before.
    #[error("the column was taken before")]
    ColumnTaken,
    /// A computation left the finite numbers.
    #[error("{what} is not a finite number")]
    NotFinite {
        /// Name of the value that is not finite.
        what: &'static str,
    },
    /// Error of one of several meshes that are processed together.
    #[error("mesh {mesh}: {error}")]
    OfMesh {
        /// Number of the mesh, from 0 on.
        mesh: usize,
        /// Error of that mesh.
        error: Box<Error>,
    },
}

impl Error {
    /// Gives items that are too many their name, where a shared step could not know it.
    pub(crate) fn too_many(self, what: &'static str) -> Error {
        match self {
            Error::TooLarge { count, limit, .. } => Error::TooLarge { what, count, limit },
            error => error,
        }
    }
}

/// Formats a number for people: in millions from ten of them.
fn words(n: u64) -> String {
    match n {
        0..10_000_000 => n.to_string(),
        _ => format!("{:.0} million", n as f64 / 1e6),
    }
}

/// Errors are equal when they are of one kind and say the same.
impl PartialEq for Error {
    fn eq(&self, other: &Error) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
            && self.to_string() == other.to_string()
    }
}

impl Error {
    /// Returns `true` if a session cannot be trusted after this error in the middle of a change. Errors raised before
    /// any launch, and lack of memory, leave the session as it was.
    pub(crate) fn voids_session(&self) -> bool {
        match self {
            Error::Operator { .. } | Error::Edits { .. } | Error::VoidSession => true,
            Error::Engine(e) => !matches!(e, EngineError::OutOfMemory { .. }),
            _ => false,
        }
    }
}

/// Reason why an attribute cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AttributeError {
    /// The copy on the engine is older than the host's.
    #[error("the attribute was changed on the host after its last upload: call upload() first")]
    DeviceStale,
    /// The copy on the host is older than the engine's, or was never made.
    #[error(
        "the attribute was changed on the engine after its last download: call download() first"
    )]
    HostStale,
    /// Values for another number of elements.
    #[error("{got} values were given for {want} {kind}")]
    Length {
        /// Length that was given.
        got: usize,
        /// Length that is needed.
        want: usize,
        /// Plural of the kind.
        kind: &'static str,
    },
    /// An attribute of another mesh.
    #[error("the attribute belongs to another mesh")]
    OtherMesh,
    /// An attribute that does not lie in patch order with its words together, where nothing else will do.
    #[error(
        "this use of an attribute needs its values in patch order, words together; they lie in {0}"
    )]
    Layout(String),
}
