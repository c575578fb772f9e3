//! Checks of the repository itself.

pub(crate) mod arrows;
pub(crate) mod paths;
