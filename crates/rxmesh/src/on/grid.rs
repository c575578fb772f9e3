//! Grids of values as operations take them.

use rxmesh_host::DVec3;
use rxmesh_host::engine::Buffer;
use rxmesh_host::grid::Grid;

/// Grid of values from anywhere.
#[derive(Debug)]
pub enum AnyGrid {
    /// Grid in main memory, with columns.
    Memory(Grid),
    /// Array of another library.
    Array(GridArray),
}

/// Values of an array `[x, y, z]`, z fastest, at the points of a grid.
#[derive(Debug)]
pub struct GridArray {
    /// Number of points along x, y and z.
    pub counts: [u32; 3],
    /// Place of the first point.
    pub origin: DVec3,
    /// Distance of points along x, y and z.
    pub spacing: DVec3,
    /// Values.
    pub values: ArrayValues,
}

/// Values of an array, where they are.
#[derive(Debug)]
pub enum ArrayValues {
    /// In main memory.
    Memory(Vec<f32>),
    /// In an engine's memory: results stay there.
    Engine(Buffer<f32>),
}
