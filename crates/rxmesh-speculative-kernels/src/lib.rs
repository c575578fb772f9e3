//! Device half of speculative edits in patches (Mahmoud, Porumbescu and Owens, "Dynamic Mesh Processing on the GPU",
//! 2024): blocks take patches from a queue on the device, edit a copy in shared memory, lock the neighbours that they
//! have to change, and drop the copy and queue the patch again if a lock is not available.
//!
//! - [`stash`]: neighbour patches of a patch, at most 64 (section 5.1);
//! - [`table`]: hash tables from a ribbon element's local id to its owner (section 5.1);
//! - [`queue`]: work queue of patches (section 5.3);
//! - [`lock`]: locks of patches (section 5.3);
//! - [`store`]: the patches in global memory, with spare capacity, and their invariants;
//! - [`build`]: conversion of a static mesh to such patches, and of these to a session's flat arrays;
//! - [`local`]: a patch's copy in shared memory, and the mesh that operators see in it;
//! - [`visit`]: the kernel: a block's visit of a patch (sections 4.3, 5.2, 5.3);
//! - [`resolve`]: choosing, cutting and filling inside a patch (section 5.2);
//! - [`expand`]: taking over the elements of other patches that a cavity needs (sections 4.1, 5.2);
//! - [`slice`](mod@slice): cutting patches in two and uniting them (section 5.1);
//! - [`schedule`]: seeds, and the patches that wait (sections 4.2, 5.3).

#![no_std]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx))]

#[cfg(test)]
extern crate std;

pub mod build;
pub mod expand;
pub mod local;
pub mod lock;
pub mod queue;
pub mod resolve;
pub mod schedule;
pub mod slice;
pub mod stash;
pub mod store;
pub mod table;
pub mod tally;
pub mod visit;

pub use build::{BuildPatches, Flatten, NumberElements, NumberVertices, PlaceByHandle};
pub use lock::Locks;
pub use queue::{FarApart, FillQueue, PatchQueue, Queue, far_apart};
pub use schedule::{CENSUS_WORDS, Census, Mark, MarkSeeds, QueuePatches};
pub use slice::{Merge, Slice};
pub use stash::{EMPTY_SLOT, STASH_SLOTS, Stash};
pub use store::{
    ColumnEntry, ColumnList, MOST_ELEMENTS, NEEDS_SLICE, PatchCapacity, PatchStore, STAYS, TRACED,
};
pub use table::{CuckooTable, OVERFLOW, RibbonEntry};
pub use tally::{TALLIES, Tally};
pub use visit::speculate::{Speculate, seed_kind, shared_bytes};

use rxmesh_kernels::algo::delaunay::DelaunayFlip;
use rxmesh_kernels::algo::remesh::{CollapseShort, EqualiseFlip, SplitLong};
use rxmesh_kernels::algo::track::SplitStretched;

rxmesh_kernels::kernels! {
    pub KERNELS = "rx_speculative_fingerprint", feature "entries";
    patch patches_number_vertices: NumberVertices;
    patch patches_number_elements: NumberElements;
    patch patches_build: BuildPatches;
    flat patches_place: PlaceByHandle;
    block patches_flatten: Flatten;
    flat patches_mark: MarkSeeds;
    flat patches_queue: QueuePatches;
    block patches_census: Census;
    block patches_slice: Slice;
    block patches_merge: Merge;
    block delaunay_speculate: Speculate<DelaunayFlip> as DelaunayFlip;
    block split_long_speculate: Speculate<SplitLong> as SplitLong;
    block collapse_short_speculate: Speculate<CollapseShort> as CollapseShort;
    block equalise_speculate: Speculate<EqualiseFlip> as EqualiseFlip;
    block split_stretched_speculate: Speculate<SplitStretched> as SplitStretched;
    flat fill_queue: FillQueue;
}

/// Symbol under which the PTX carries the fingerprint of [`KERNELS`].
pub const FINGERPRINT_SYMBOL: &str = "rx_speculative_fingerprint";
