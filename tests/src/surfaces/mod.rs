//! Subdivision surfaces by plain code: the reference for the engines' surfaces.
//!
//! - [`naive`]: surfaces level by level, in `f64`;
//! - [`net`]: one level of them: edges by their ends, sharpness;
//! - [`sqrt3`]: the scheme that is not a split of edges;
//! - [`limit`]: limit positions and normals by eigen-analysis;
//! - [`compare`]: two surfaces whose ids and orders differ;
//! - [`made`]: surfaces of triangles that an engine makes, and checks of them;
//! - [`meshes`]: polygon meshes by property, made in code;
//! - [`uv`]: values at corners;
//! - [`cases`]: surfaces whose expected results are recorded.

pub mod cases;
pub mod compare;
pub mod limit;
pub mod made;
pub mod meshes;
pub mod naive;
pub mod net;
pub mod sqrt3;
pub mod uv;
