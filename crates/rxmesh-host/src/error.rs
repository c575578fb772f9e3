//! The library's error.

use crate::engine::EngineError;
use crate::patch::PatchError;
use crate::store::AttributeError;

/// Why an operation on a patched mesh failed.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An engine.
    #[error(transparent)]
    Engine(#[from] EngineError),
    /// The patcher.
    #[error(transparent)]
    Patch(#[from] PatchError),
    /// An attribute.
    #[error(transparent)]
    Attribute(#[from] AttributeError),
    /// A result that cannot be addressed.
    #[error("the result has {count} {what}, but at most {limit} can be addressed")]
    TooLarge {
        /// What there is too much of.
        what: &'static str,
        /// How much.
        count: u64,
        /// The limit.
        limit: u64,
    },
    /// Options that make no sense; says which and what is possible.
    #[error("{0}")]
    Options(String),
    /// An operator's fill-in broke the rules of [`Hole`](rxmesh_kernels::cavity::Hole).
    #[error(
        "the operator `{operator}` left {count} holes with edges that have no face, with sides that do not meet, or took more slots than it declares"
    )]
    Operator {
        /// The operator's type.
        operator: &'static str,
        /// How many holes.
        count: u32,
    },
    /// The speculative engine lost track of its patches.
    #[error("{count} elements are missing in the tables of their patches; the session is void")]
    Patches {
        /// How many.
        count: u32,
    },
    /// A computation left the finite numbers.
    #[error("{what} is not a finite number")]
    NotFinite {
        /// What is not finite.
        what: &'static str,
    },
}
