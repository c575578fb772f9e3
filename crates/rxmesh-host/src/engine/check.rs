//! Checks of a launch's arguments: live on this engine, of the mesh that the kernel runs on, and nothing written twice.

use super::{EngineError, visit_all};
use rxmesh_kernels::kernel::Entry;
use rxmesh_kernels::mem::{Bind, Piece};
use rxmesh_kernels::topo::MeshView;
use std::collections::BTreeMap;
use std::sync::{PoisonError, RwLock};

/// The engine's live allocations, by address.
#[derive(Default)]
pub(super) struct Live(RwLock<BTreeMap<usize, Allocation>>);

struct Allocation {
    bytes: usize,
    /// The mesh whose elements the values belong to, if they do to one.
    mesh: Option<u64>,
}

impl Live {
    pub(super) fn add(&self, at: usize, bytes: usize) {
        self.0
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(at, Allocation { bytes, mesh: None });
    }

    /// Notes the mesh whose elements an allocation belongs to.
    pub(super) fn set_mesh(&self, at: usize, mesh: u64) {
        if let Some(allocation) = self
            .0
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .get_mut(&at)
        {
            allocation.mesh = Some(mesh);
        }
    }

    pub(super) fn remove(&self, at: usize) {
        self.0
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&at);
    }

    /// Checks all memory that a kernel names.
    pub(super) fn check<K: Bind + Entry>(
        &self,
        kernel: &K,
        mesh: Option<(&MeshView, u64)>,
    ) -> Result<(), EngineError> {
        let mut pieces = Vec::with_capacity(16);
        visit_all(kernel, mesh.map(|(view, _)| view), &mut |p: Piece| {
            if p.bytes > 0 {
                pieces.push(p);
            }
        });
        let live = self.0.read().unwrap_or_else(PoisonError::into_inner);
        for p in &pieces {
            let allocation = match live.range(..=p.at).next_back() {
                Some((at, allocation)) if p.at + p.bytes <= at + allocation.bytes => allocation,
                _ => return Err(EngineError::NotLive { kernel: K::NAME }),
            };
            if let (Some((_, here)), Some(there)) = (mesh, allocation.mesh)
                && here != there
            {
                return Err(EngineError::OtherMesh { kernel: K::NAME });
            }
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
