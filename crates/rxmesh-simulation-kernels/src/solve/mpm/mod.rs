//! Hybrid of finite elements and the material point method: vertices of cells are the particles, their elastic forces
//! come from the cells, and a grid carries momentum between them and between bodies.
//!
//! - [`grid`]: nodes, blocks of them, quadratic B-splines;
//! - [`clock`]: time steps, chosen on the engine; faults;
//! - [`sort`]: active blocks, and particles sorted by grid cell;
//! - [`transfer`]: particles to nodes, nodes to particles (Jiang et al. 2015; Hu et al. 2018);
//! - [`boundary`]: walls and solids, on nodes;
//! - [`sound`]: time in which an elastic wave crosses a cell.
//!
//! Nodes gather and particles gather, in an order that is the same on every run: no sum uses atomics.

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
