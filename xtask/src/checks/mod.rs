//! Checks of the repository itself.

pub(crate) mod arrows;
pub(crate) mod deny;
mod floors;
pub(crate) mod gltf;
pub(crate) mod lines;
pub(crate) mod msrv;
mod names;
pub(crate) mod notices;
pub(crate) mod page;
pub(crate) mod paths;
pub(crate) mod size;
