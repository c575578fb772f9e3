//! Distances on a surface and between surfaces, and points of a surface.

automod::dir!(pub "src/algo/distance");
pub mod geodesic;
