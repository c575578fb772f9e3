//! Host half of rxmesh: files, meshes, patches, engines, attributes, algorithms.

pub mod io;
pub mod mesh;
pub mod patch;
