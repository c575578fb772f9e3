//! Device half of deformable bodies: energies of cells, their forces and Hessians, contact, time steps.
//!
//! Units are SI: metres, kilograms, seconds, pascals.
//!
//! - [`body`]: kinetic energy, and sums over vertices;
//! - [`material`]: the materials of cells;
//! - [`colour`]: elements that can be processed in parallel;
//! - [`energy`]: energies of cells, their stresses and Hessians;
//! - [`cells`], [`staged`], [`assemble`]: shapes of cells, positions in shared memory, sums of corners;
//! - [`force`]: forces and energies of a body;
//! - [`contact`], [`external`]: solids that bodies touch, and the energy of vertices in gravity and contact;
//! - [`solve`]: time steps;
//! - [`small`]: small matrices.

#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

#[cfg(test)]
extern crate std;

/// Lists a module's kernels as its `KERNELS`, and makes PTX entries of them in the device build of this crate.
macro_rules! kernel_list {
    ($($line:tt)*) => {
        rxmesh_kernels::entries! { pub KERNELS; $($line)* }
        #[cfg(feature = "entries")]
        rxmesh_kernels::export_entries! { $($line)* }
    };
}

pub mod assemble;
pub mod body;
pub mod cells;
pub mod colour;
pub mod contact;
pub mod energy;
pub mod external;
pub mod force;
pub mod material;
pub mod small;
pub mod solve;
pub mod staged;

rxmesh_kernels::kernels! {
    pub KERNELS = "rx_simulation_fingerprint", feature "entries";
    of [
        body::KERNELS,
        contact::KERNELS,
        external::KERNELS,
        force::KERNELS,
        solve::KERNELS,
    ];
}

/// Symbol under which the PTX carries the fingerprint of [`KERNELS`].
pub const FINGERPRINT_SYMBOL: &str = "rx_simulation_fingerprint";
