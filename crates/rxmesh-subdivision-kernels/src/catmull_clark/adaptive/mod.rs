//! Catmull-Clark surfaces as bicubic patches (Niessner, Loop, Meyer and DeRose 2012; Mlakar 2018, section 4.3.3).
//!
//! Each face of quads is the root of a quadtree of cells. A cell whose four vertices are regular is a patch: a uniform
//! bicubic B-spline with the 4 x 4 points around it as control points. Another cell is a *node*: it is divided into
//! four, and the 5 x 5 points around these are its *block*. So only irregular parts are refined, and no mesh is stored.
//! Cells that are irregular at the last level are patches too, whose corner interpolates the limit surface
//! ([`patches`]).
//!
//! - [`cells`]: classification of cells;
//! - [`plan`]: the quadtrees and the list of patches;
//! - [`blocks`]: values of blocks, level by level;
//! - [`patches`]: control points;
//! - [`evaluate`]: evaluation of the surface.

pub mod blocks;
pub mod cells;
pub mod evaluate;
pub mod patches;
pub mod plan;

kernel_list! {
    of [plan::KERNELS, blocks::KERNELS, patches::KERNELS, evaluate::KERNELS];
}
