//! Device half of subdivision surfaces: polygon meshes as sparse matrices (Mlakar, "Mesh Subdivision through Sparse
//! Linear Algebra", 2018), and the kernels of Catmull-Clark, Loop and sqrt(3) surfaces.
//!
//! - [`topology`]: a polygon mesh as kernels see it: the reduced mesh matrix with twins, edges and vertex rows;
//! - [`build`]: making it from faces;
//! - [`matrix`]: the mesh matrix as a language: mapped products, schemes as masks.

#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

#[cfg(test)]
extern crate std;

pub mod build;
pub mod matrix;
pub mod topology;

rxmesh_kernels::kernels! {
    pub KERNELS = "rx_subdivision_fingerprint", feature "entries";
    of [
        build::KERNELS,
        matrix::KERNELS,
    ];
}

/// Symbol under which the PTX carries the fingerprint of [`KERNELS`].
pub const FINGERPRINT_SYMBOL: &str = "rx_subdivision_fingerprint";
