//! Launches and edits by tests, which make arguments that fit.
//!
//! The library's own calls are `unsafe`, because a kernel's arrays have to be as long as it wants (contract U4 of
//! docs/inside/unsafe.md). On the engines of the CPU a wrong length panics, which some tests look for.

use rxmesh_host::Error;
use rxmesh_host::edit::{Edits, RoundReport, RunReport, Runs, Seeds, Session};
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::kernels::cavity::{Operator, OperatorEntry};
use rxmesh_host::kernels::kernel::{BlockKernel, Entry, FlatKernel, GridKernel, PatchKernel};
use rxmesh_host::store::{Dimension, RxMesh};
use std::ops::Range;

/// Launches without a mesh.
pub trait Launch {
    /// [`Engine::run_flat`].
    ///
    /// # Errors
    ///
    /// As that.
    fn launch_flat<K: FlatKernel + Entry>(&self, n: u32, kernel: K) -> Result<(), EngineError>;

    /// [`Engine::run_blocks`].
    ///
    /// # Errors
    ///
    /// As that.
    fn launch_blocks<K: BlockKernel + Entry>(
        &self,
        blocks: u32,
        kernel: K,
    ) -> Result<(), EngineError>;

    /// [`Engine::run_grid`].
    ///
    /// # Errors
    ///
    /// As that.
    fn launch_grid<K: GridKernel + Entry>(
        &self,
        blocks: u32,
        steps: Range<u32>,
        kernel: K,
    ) -> Result<(), EngineError>;
}

impl Launch for Engine {
    fn launch_flat<K: FlatKernel + Entry>(&self, n: u32, kernel: K) -> Result<(), EngineError> {
        // SAFETY: who calls it makes the arguments fit (above).
        unsafe { self.run_flat(n, kernel) }
    }

    fn launch_blocks<K: BlockKernel + Entry>(
        &self,
        blocks: u32,
        kernel: K,
    ) -> Result<(), EngineError> {
        // SAFETY: who calls it makes the arguments fit (above).
        unsafe { self.run_blocks(blocks, kernel) }
    }

    fn launch_grid<K: GridKernel + Entry>(
        &self,
        blocks: u32,
        steps: Range<u32>,
        kernel: K,
    ) -> Result<(), EngineError> {
        // SAFETY: who calls it makes the arguments fit (above).
        unsafe { self.run_grid(blocks, steps, kernel) }
    }
}

/// Launches over the patches of a mesh.
pub trait LaunchPatches {
    /// [`RxMesh::run_patches`].
    ///
    /// # Errors
    ///
    /// As that.
    fn launch<K: PatchKernel + Entry>(&self, kernel: K) -> Result<(), EngineError>;
}

impl<D: Dimension> LaunchPatches for RxMesh<D> {
    fn launch<K: PatchKernel + Entry>(&self, kernel: K) -> Result<(), EngineError> {
        // SAFETY: as above.
        unsafe { self.run_patches(kernel) }
    }
}

/// Operators on a session.
pub trait RunOperators<C: Edits> {
    /// [`Session::run_operator`].
    ///
    /// # Errors
    ///
    /// As that.
    fn run<O: Operator>(
        &mut self,
        max_rounds: u32,
        op: impl FnMut(&Session<C>) -> Result<O, Error>,
    ) -> Result<RunReport, Error>
    where
        C: Runs<O>;

    /// [`Session::run_operator_from`].
    ///
    /// # Errors
    ///
    /// As that.
    fn run_from<O: Operator>(
        &mut self,
        seeds: Seeds,
        max_rounds: u32,
        op: impl FnMut(&Session<C>) -> Result<O, Error>,
    ) -> Result<RunReport, Error>
    where
        C: Runs<O>;
}

impl<C: Edits> RunOperators<C> for Session<C> {
    fn run<O: Operator>(
        &mut self,
        max_rounds: u32,
        op: impl FnMut(&Session<C>) -> Result<O, Error>,
    ) -> Result<RunReport, Error>
    where
        C: Runs<O>,
    {
        // SAFETY: the tests' operators take columns of the session.
        unsafe { self.run_operator(max_rounds, op) }
    }

    fn run_from<O: Operator>(
        &mut self,
        seeds: Seeds,
        max_rounds: u32,
        op: impl FnMut(&Session<C>) -> Result<O, Error>,
    ) -> Result<RunReport, Error>
    where
        C: Runs<O>,
    {
        // SAFETY: as above.
        unsafe { self.run_operator_from(seeds, max_rounds, op) }
    }
}

/// One round of an operator on a session.
pub trait Round {
    /// [`Session::run_operator_round`].
    ///
    /// # Errors
    ///
    /// As that.
    fn round<O: OperatorEntry>(
        &mut self,
        seeds: Seeds,
        op: impl FnMut(&Session) -> Result<O, Error>,
    ) -> Result<RoundReport, Error>;
}

impl Round for Session {
    fn round<O: OperatorEntry>(
        &mut self,
        seeds: Seeds,
        op: impl FnMut(&Session) -> Result<O, Error>,
    ) -> Result<RoundReport, Error> {
        // SAFETY: the tests' operators take columns of the session.
        unsafe { self.run_operator_round(seeds, op) }
    }
}
