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
    /// A computation left the finite numbers.
    #[error("{what} is not a finite number")]
    NotFinite {
        /// What is not finite.
        what: &'static str,
    },
}
