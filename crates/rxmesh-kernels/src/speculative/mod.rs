//! Parts of the speculative patch engine (Mahmoud, Porumbescu and Owens, "Dynamic Mesh Processing on the GPU", 2024): blocks take patches from a queue on the device, work
//! on a copy in shared memory, lock the neighbours that they have to change, and drop the copy and queue the patch again when they cannot have them.
//!
//! - [`stash`]: which patches a patch borders on, at most 64 (section 5.1);
//! - [`table`]: hash tables from a ribbon element's local id to its owner (section 5.1);
//! - [`queue`]: which patches are to be worked on (section 5.3);
//! - [`lock`]: who works on a patch (section 5.3);
//! - [`exercise`]: kernels that put each of these to work by itself, for the tests.

pub mod exercise;
pub mod lock;
pub mod queue;
pub mod stash;
pub mod table;

pub use lock::Locks;
pub use queue::{FarApart, FillQueue, PatchQueue, Queue, far_apart};
pub use stash::{EMPTY_SLOT, STASH_SLOTS, Stash};
pub use table::{OVERFLOW, RibbonEntry, Table};
