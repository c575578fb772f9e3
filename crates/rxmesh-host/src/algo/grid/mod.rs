//! Sparse grids of distances from a surface, and surfaces of them.

mod bricks;
mod cases;
mod cavities;
mod contour;
mod flood;
pub mod isosurface;
pub mod wrap;

use cases::case_words;
