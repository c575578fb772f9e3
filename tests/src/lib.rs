//! Conformance suite of rxmesh: shared code of the checks in `tests/`.
//!
//! - [`cavities`]: cavities over plain triangles;
//! - [`chosen`]: changes of chosen elements by plain code;
//! - [`cholesky`]: direct solution of sparse systems in `f64`;
//! - [`edits`]: expected rounds of edit scripts, over plain triangles;
//! - [`engines`]: one check, a test on every engine ([`conformance!`]), and with every way to resolve conflicts
//!   ([`conformance_of_schedulers!`]);
//! - [`elastic`]: elastic bodies and steps of implicit Euler in `f64`;
//! - [`extent`]: the extent of a run, and the long run;
//! - [`fixtures`]: meshes by property, made in code;
//! - [`oracle`]: the expected answers, by naive host code over input ids;
//! - [`fan`]: a vertex's faces, counter-clockwise;
//! - [`flat`]: flat arrays of a mesh, for repacking;
//! - [`ids`]: the map from linear ids back to input ids;
//! - [`marked`]: sessions for operators on marked seeds, compared by positions;
//! - [`places`]: meshes by the positions of their vertices, whatever their ids;
//! - [`smooth`]: vertex normals and mean curvature flow in `f64`;
//! - [`surfaces`]: subdivision surfaces by plain code;
//! - [`templates`]: sessions for operators on every template;
//! - [`volumes`], [`volume_oracle`]: tetrahedra made in code, and their relations by naive code.

pub mod cavities;
pub mod cholesky;
pub mod chosen;
pub mod distance;
pub mod edits;
pub mod elastic;
pub mod engines;
pub mod extent;
pub mod fan;
pub mod fixtures;
pub mod flat;
pub mod ids;
pub mod launch;
pub mod marked;
pub mod oracle;
pub mod places;
pub mod points;
pub mod smooth;
pub mod surfaces;
pub mod templates;
pub mod volume_oracle;
pub mod volumes;
