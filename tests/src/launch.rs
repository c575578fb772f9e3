//! Launches and edits by tests, which make valid arguments.
//!
//! The library's own calls are `unsafe`, because a kernel's arrays must be as long as it expects (contract U4 of
//! docs/inside/unsafe.md). On the CPU engines a wrong length panics, which some tests check.

use rxmesh_host::Error;
use rxmesh_host::edit::{Edits, RoundReport, RunReport, Runs, Seeds, Session};
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::kernels::cavity::{Operator, OperatorEntry};
use rxmesh_host::kernels::kernel::{BlockKernel, Entry, FlatKernel, GridKernel, PatchKernel};
use rxmesh_host::store::{Dimension, RxMesh};
use std::ops::Range;

/// Launches without a mesh.
pub trait Launch {
    /// Calls [`Engine::run_flat`].
    ///
    /// # Errors
    ///
    /// Those of the call.
    fn launch_flat<K: FlatKernel + Entry>(&self, n: u32, kernel: K) -> Result<(), EngineError>;

    /// Calls [`Engine::run_blocks`].
    ///
    /// # Errors
    ///
    /// Those of the call.
    fn launch_blocks<K: BlockKernel + Entry>(
        &self,
        blocks: u32,
        kernel: K,
    ) -> Result<(), EngineError>;

    /// Calls [`Engine::run_grid`].
    ///
    /// # Errors
    ///
    /// Those of the call.
    fn launch_grid<K: GridKernel + Entry>(
        &self,
        blocks: u32,
        steps: Range<u32>,
        kernel: K,
    ) -> Result<(), EngineError>;
}

impl Launch for Engine {
    fn launch_flat<K: FlatKernel + Entry>(&self, n: u32, kernel: K) -> Result<(), EngineError> {
        // SAFETY: the caller makes valid arguments (see above).
        unsafe { self.run_flat(n, kernel) }
    }

    fn launch_blocks<K: BlockKernel + Entry>(
        &self,
        blocks: u32,
        kernel: K,
    ) -> Result<(), EngineError> {
        // SAFETY: the caller makes valid arguments (see above).
        unsafe { self.run_blocks(blocks, kernel) }
    }

    fn launch_grid<K: GridKernel + Entry>(
        &self,
        blocks: u32,
        steps: Range<u32>,
        kernel: K,
    ) -> Result<(), EngineError> {
        // SAFETY: the caller makes valid arguments (see above).
        unsafe { self.run_grid(blocks, steps, kernel) }
    }
}

/// Launches over the patches of a mesh.
pub trait LaunchPatches {
    /// Calls [`RxMesh::run_patches`].
    ///
    /// # Errors
    ///
    /// Those of the call.
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
    /// Calls [`Session::run_operator`].
    ///
    /// # Errors
    ///
    /// Those of the call.
    fn run<O: Operator>(
        &mut self,
        max_rounds: u32,
        op: impl FnMut(&Session<C>) -> Result<O, Error>,
    ) -> Result<RunReport, Error>
    where
        C: Runs<O>;

    /// Calls [`Session::run_operator_from`].
    ///
    /// # Errors
    ///
    /// Those of the call.
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
    /// Calls [`Session::run_operator_round`].
    ///
    /// # Errors
    ///
    /// Those of the call.
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
