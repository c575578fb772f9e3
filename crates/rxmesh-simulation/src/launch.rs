//! Launches of this crate's kernels by its own code.
//!
//! [`Engine::run_flat`] and its siblings are `unsafe`, because a kernel's arrays must have the lengths and contents
//! that it expects (contract U4 of docs/inside/unsafe.md). Each call in this crate makes its kernel's arguments itself,
//! from buffers of the lengths that the kernel's documentation states; these traits state this once, and stay in the
//! crate.

use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::store::{Dimension, RxMesh};
use rxmesh_kernels::kernel::{BlockKernel, Entry, FlatKernel, PatchKernel};

/// Launches without a mesh.
pub(crate) trait LaunchSimulation {
    /// Calls [`Engine::run_flat`].
    fn launch_flat<K: FlatKernel + Entry>(&self, n: u32, kernel: K) -> Result<(), EngineError>;

    /// Calls [`Engine::run_blocks`].
    fn launch_blocks<K: BlockKernel + Entry>(
        &self,
        blocks: u32,
        kernel: K,
    ) -> Result<(), EngineError>;
}

impl LaunchSimulation for Engine {
    fn launch_flat<K: FlatKernel + Entry>(&self, n: u32, kernel: K) -> Result<(), EngineError> {
        // SAFETY: every caller in this crate makes the arguments fit (above).
        unsafe { self.run_flat(n, kernel) }
    }

    fn launch_blocks<K: BlockKernel + Entry>(
        &self,
        blocks: u32,
        kernel: K,
    ) -> Result<(), EngineError> {
        // SAFETY: every caller in this crate makes the arguments fit (above).
        unsafe { self.run_blocks(blocks, kernel) }
    }
}

/// Launches over the patches of a mesh.
pub(crate) trait LaunchPatches {
    /// Calls [`RxMesh::run_patches`].
    fn launch<K: PatchKernel + Entry>(&self, kernel: K) -> Result<(), EngineError>;
}

impl<D: Dimension> LaunchPatches for RxMesh<D> {
    fn launch<K: PatchKernel + Entry>(&self, kernel: K) -> Result<(), EngineError> {
        // SAFETY: as above.
        unsafe { self.run_patches(kernel) }
    }
}
