//! Surfaces that move: transforms, mass-spring systems, tracking of a surface in a flow.

automod::dir!(pub "src/algo/motion");
pub mod spring;
