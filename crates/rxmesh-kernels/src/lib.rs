//! Device half of rxmesh: everything that runs inside a block, written once.
//!
//! A *block* is the unit that works on one patch: a CUDA thread block on a GPU, one thread on a CPU
//! ([`exec::Solo`]), or a team of threads in the tests. A kernel is generic over the block that runs
//! it, so the same source is the PTX entry on the device and an ordinary function on the host.
//!
//! - [`exec`]: the block, its phases and its collectives; the only module that depends on the thread.
//! - [`mem`]: shared-memory plan, views, atomics, bit sets, fault word.
//! - [`topo`]: layout of a patch in memory, ids, ribbons.
//! - [`attr`]: attribute fields of kernels: read, write, accumulate, staged.
//! - [`query`]: relations between vertices, edges and faces, computed in shared memory.
//! - [`mod@kernel`]: kinds of kernels, and the `kernel!` macro that declares one.
//! - [`edit`]: the mesh of an edit session as flat arrays, and the kernels that open it.
//! - [`cavity`]: the cavity operator: templates, claims, rounds, fill-in.
//! - [`construct`]: edges and first labels of faces.
//! - [`repack`]: flat arrays into patches, after an edit.
//! - [`parallel`]: prefix sums and reductions.
//! - [`algebra`]: sparse matrices, multigrid, conjugate gradients.
//! - [`algo`]: device half of the algorithms.
//! - [`volume`]: gathering and distributing over volumes, their boundary.
//! - [`entry`]: the list of this crate's kernels, made of its modules' lists.
#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

// On the host the hardware's square root comes from std; the device build has no std at all.
#[cfg(not(target_arch = "nvptx64"))]
extern crate std;

/// Kernels of a module of this crate, beside them: the lines of [`entries!`]. PTX entries are for this crate's own
/// device build alone.
macro_rules! kernel_list {
    ($($line:tt)*) => {
        $crate::entries! { pub(crate) KERNELS; $($line)* }
        #[cfg(feature = "entries")]
        $crate::export_entries! { $($line)* }
    };
}

pub mod algebra;
pub mod algo;
pub mod attr;
pub mod cavity;
pub mod construct;
pub mod edit;
pub mod entry;
pub mod exec;
pub mod kernel;
pub mod lanes;
pub mod math;
pub mod mem;
pub mod parallel;
pub mod query;
pub mod readback;
pub mod repack;
pub mod topo;
pub mod volume;

pub use attr::{Accumulate, Read, Staged, StagedSum, Write};
pub use cavity::{Cavity, Growth, Hole, Operator, Origin, Priority, Seed, Site, template};
pub use edit::{HalfEdgeMesh, NO_FACE};
pub use glam::{Mat3, Vec3};
pub use kernel::{ForEach, Scatter};
pub use mem::{Global, GlobalMut};
pub use query::{Alone, CE, CF, CV, EF, EV, FE, FF, FV, Neighbours, Table, VE, VF, VV};
pub use topo::{Cell, Edge, Face, Local, Owned, Vertex};
