//! Checks of a launch's arguments: live on this engine, and nothing written twice.

use super::{EngineError, visit_all};
use rxmesh_kernels::kernel::Entry;
use rxmesh_kernels::mem::{Bind, Piece};
use rxmesh_kernels::topo::MeshView;
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

/// The engine's live allocations: address to size.
#[derive(Default)]
pub(super) struct Live(RwLock<BTreeMap<usize, usize>>);

impl Live {
    pub(super) fn add(&self, at: usize, bytes: usize) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(at, bytes);
    }

    pub(super) fn remove(&self, at: usize) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).remove(&at);
    }

    /// Checks all memory that a kernel names.
    pub(super) fn check<K: Bind + Entry>(&self, kernel: &K, mesh: Option<&MeshView>) -> Result<(), EngineError> {
        let mut pieces = Vec::with_capacity(16);
        visit_all(kernel, mesh, &mut |p: Piece| {
            if p.bytes > 0 {
                pieces.push(p);
            }
        });
        let live = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let inside = |p: &Piece| {
            live.range(..=p.at).next_back().is_some_and(|(at, bytes)| p.at + p.bytes <= at + bytes)
        };
        if !pieces.iter().all(inside) {
            return Err(EngineError::NotLive { kernel: K::NAME });
        }
        for (i, p) in pieces.iter().enumerate() {
            for q in &pieces[..i] {
                if (p.written || q.written) && p.at < q.at + q.bytes && q.at < p.at + p.bytes {
                    return Err(EngineError::Aliased { kernel: K::NAME });
                }
            }
        }
        Ok(())
    }
}
