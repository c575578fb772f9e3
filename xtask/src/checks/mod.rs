//! Checks of the repository itself.

pub(crate) mod arrows;
pub(crate) mod lines;
pub(crate) mod paths;
