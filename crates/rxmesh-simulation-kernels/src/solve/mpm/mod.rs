//! A hybrid of finite elements and the material point method: vertices of cells are the particles, their elastic
//! forces come from the cells, and a grid carries momentum between them and between bodies.
//!
//! - [`grid`]: nodes, blocks of them, quadratic B-splines;
//! - [`clock`]: time steps, chosen where the bodies are; faults;
//! - [`sort`]: active blocks, and particles in the order of the grid's cells;
//! - [`transfer`]: particles to nodes, nodes to particles (Jiang et al. 2015; Hu et al. 2018);
//! - [`boundary`]: walls and solids, on nodes;
//! - [`sound`]: how long an elastic wave takes across a cell.
//!
//! Nodes gather and particles gather, in an order that does not depend on the run: no sum uses atomics.

pub mod boundary;
pub mod clock;
pub mod grid;
pub mod sort;
pub mod sound;
#[cfg(test)]
mod tests;
pub mod transfer;

kernel_list! {
    of [
        clock::KERNELS,
        sort::KERNELS,
        sound::KERNELS,
        transfer::KERNELS,
    ];
}
