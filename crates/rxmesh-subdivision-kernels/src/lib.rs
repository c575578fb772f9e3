//! Device half of subdivision surfaces: polygon meshes as sparse matrices (Mlakar, "High Performance Mesh Subdivision
//! through Sparse Matrix Algebra on the GPU", 2018), and the kernels of Catmull-Clark, Loop and sqrt(3) surfaces.
//!
//! - [`topology`]: polygon mesh for kernels: the reduced mesh matrix with twins, edges and vertex rows;
//! - [`build`]: its construction from faces; [`scan`]: prefix sums without a wait;
//! - [`flat`]: conversion of a surface to the arrays of which patches are made;
//! - [`sharpness`]: creases and corners;
//! - [`columns`]: values of vertices, of which kernels process a few columns at a time;
//! - [`barycentric`]: triangles divided into n^2, with ids in closed form;
//! - [`spokes`]: edges at each vertex, in their cyclic order;
//! - [`loop_rings`], [`loop_tiles`], [`loop_level`], [`loop_limit`]: Loop surfaces: at base vertices, everywhere else,
//!   one level, limits;
//! - [`sqrt3`], [`sqrt3_values`]: sqrt(3) surfaces: rules for half-edges, values;
//! - [`catmull_clark`]: surfaces of quads as grids;
//! - [`matrix`]: the mesh matrix as a language: mapped products, schemes as masks.

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

pub mod barycentric;
pub mod build;
pub mod catmull_clark;
pub mod columns;
pub mod flat;
pub mod loop_level;
pub mod loop_limit;
pub mod loop_rings;
pub mod loop_tiles;
pub mod matrix;
pub mod scan;
pub mod sharpness;
pub mod spokes;
pub mod sqrt3;
pub mod sqrt3_limit;
pub mod sqrt3_values;
pub mod topology;

rxmesh_kernels::kernels! {
    pub KERNELS = "rx_subdivision_fingerprint", feature "entries";
    of [
        build::KERNELS,
        scan::KERNELS,
        flat::KERNELS,
        catmull_clark::KERNELS,
        sharpness::KERNELS,
        barycentric::KERNELS,
        spokes::KERNELS,
        loop_rings::KERNELS,
        loop_tiles::KERNELS,
        loop_level::KERNELS,
        loop_limit::KERNELS,
        sqrt3::KERNELS,
        sqrt3_limit::KERNELS,
        sqrt3_values::KERNELS,
        matrix::KERNELS,
    ];
}

/// Symbol under which the PTX carries the fingerprint of [`KERNELS`].
pub const FINGERPRINT_SYMBOL: &str = "rx_subdivision_fingerprint";
