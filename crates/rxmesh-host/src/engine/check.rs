//! What a launch does with its arguments: finds the memory that they name, checks it, and keeps it while the launch
//! runs.

use super::EngineError;
use super::buffer::Allocation;
use rxmesh_kernels::mem::{Access, Bind, Piece};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

/// Handles lie where no address is, so that one can never be taken for the other.
const FIRST_HANDLE: usize = 1 << (usize::BITS - 1);

/// Handles of all engines: each is given out once in the life of the process. They run out after 2^63 bytes.
static NEXT_HANDLE: AtomicUsize = AtomicUsize::new(FIRST_HANDLE);

/// The most that the address of a piece can have to be a multiple of: what every allocation is aligned to.
const ALIGN: usize = 64;

/// A range of handles for an allocation.
pub(super) fn new_handle(bytes: usize) -> Option<usize> {
    let next = |at: usize| at.checked_add(bytes.checked_next_multiple_of(ALIGN)?);
    NEXT_HANDLE
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, next)
        .ok()
}

/// The engine's live allocations, by handle.
#[derive(Default)]
pub(super) struct Live(RwLock<BTreeMap<usize, Entry>>);

struct Entry {
    allocation: Arc<Allocation>,
    /// The mesh whose elements the values belong to, if they do to one.
    mesh: Option<u64>,
}

impl Live {
    pub(super) fn add(&self, allocation: Arc<Allocation>) {
        self.0
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(
                allocation.handle,
                Entry {
                    allocation,
                    mesh: None,
                },
            );
    }

    /// Notes the mesh whose elements an allocation belongs to.
    pub(super) fn set_mesh(&self, handle: usize, mesh: u64) {
        if let Some(entry) = self
            .0
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .get_mut(&handle)
        {
            entry.mesh = Some(mesh);
        }
    }

    pub(super) fn remove(&self, handle: usize) {
        let removed = self
            .0
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&handle);
        // Freed after the lock is given back.
        drop(removed);
    }

    /// The allocation that a piece lies in, and the mesh that it belongs to.
    fn find(&self, piece: Piece) -> Option<(Arc<Allocation>, Option<u64>)> {
        let live = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let (_, entry) = live.range(..=piece.at).next_back()?;
        let allocation = &entry.allocation;
        let inside = piece.at.checked_add(piece.bytes)? <= allocation.handle + allocation.bytes;
        inside.then(|| (Arc::clone(allocation), entry.mesh))
    }

    /// The address of a piece.
    pub(super) fn address(&self, piece: Piece) -> Option<usize> {
        let (allocation, _) = self.find(piece)?;
        Some(allocation.at as usize + (piece.at - allocation.handle))
    }

    /// Binds a kernel's arguments, after a check of all the memory that they name: attributes are of one mesh, that of
    /// the launch if it has one. `exclusive` has launches of several threads on the same memory refused unless all of
    /// them only read it.
    pub(super) fn bind<K: Bind>(
        &self,
        kernel: &'static str,
        arguments: &mut K,
        mesh: Option<u64>,
        exclusive: bool,
    ) -> Result<Used, EngineError> {
        let mut used = Used::default();
        let mut pieces: Vec<Piece> = Vec::with_capacity(16);
        let mut wrong = None;
        // The mesh of the launch, or else that of the first attribute.
        let mut mesh = mesh;
        let mut resolve = |piece: Piece| {
            if wrong.is_some() {
                return None;
            }
            let Some((allocation, of)) = self.find(piece) else {
                wrong = Some(EngineError::NotLive { kernel });
                return None;
            };
            let at = allocation.at as usize + (piece.at - allocation.handle);
            let other = of.is_some() && mesh.is_some() && mesh != of;
            mesh = mesh.or(of);
            wrong = if other {
                Some(EngineError::OtherMesh { kernel })
            } else if !at.is_multiple_of(piece.align) {
                Some(EngineError::Misaligned { kernel })
            } else if pieces.iter().any(|&other| conflict(other, piece)) {
                Some(EngineError::Aliased { kernel })
            } else {
                None
            };
            pieces.push(piece);
            used.add(allocation, piece.access != Access::Read);
            Some(at)
        };
        // SAFETY: the addresses are of live memory of the pieces' sizes, which `used` keeps until after the launch;
        // nothing written overlaps anything else of the launch (contract U4 of docs/unsafe.md).
        unsafe { arguments.visit(&mut resolve) };
        if let Some(error) = wrong {
            return Err(error);
        }
        if exclusive && !used.claim() {
            return Err(EngineError::Busy);
        }
        Ok(used)
    }
}

/// Whether one piece is written where the other one is used too.
fn conflict(a: Piece, b: Piece) -> bool {
    let written = |p: Piece| p.access == Access::Write;
    let again = |p: Piece| p.access == Access::Again;
    (written(a) || written(b))
        && !again(a)
        && !again(b)
        && a.at < b.at + b.bytes
        && b.at < a.at + a.bytes
}

/// The allocations that a launch uses: kept, and on an engine whose launches run at once also claimed, until this is
/// dropped.
#[derive(Default)]
pub(super) struct Used {
    list: Vec<(Arc<Allocation>, bool)>,
    claimed: bool,
}

impl Used {
    fn add(&mut self, allocation: Arc<Allocation>, write: bool) {
        match self
            .list
            .iter_mut()
            .find(|(known, _)| Arc::ptr_eq(known, &allocation))
        {
            Some((_, written)) => *written |= write,
            None => self.list.push((allocation, write)),
        }
    }

    /// Claims all or nothing.
    fn claim(&mut self) -> bool {
        for (n, (allocation, write)) in self.list.iter().enumerate() {
            if !allocation.claims.take(*write) {
                for (allocation, write) in &self.list[..n] {
                    allocation.claims.give_back(*write);
                }
                return false;
            }
        }
        self.claimed = true;
        true
    }
}

impl Drop for Used {
    fn drop(&mut self) {
        if self.claimed {
            for (allocation, write) in &self.list {
                allocation.claims.give_back(*write);
            }
        }
    }
}

/// Who uses an allocation just now: any number that read, or one that writes. Nobody waits, because a thread that waits
/// may be the one that has to go on: the pool lends waiting threads to other work.
#[derive(Default)]
pub(super) struct Claims(AtomicU32);

const WRITER: u32 = u32::MAX;

impl Claims {
    /// Claims the allocation, unless others stand against it.
    pub(super) fn take(&self, write: bool) -> bool {
        let next = |now: u32| match (write, now) {
            (true, 0) => Some(WRITER),
            (true, _) => None,
            (false, now) => (now < WRITER - 1).then(|| now + 1),
        };
        self.0
            .fetch_update(Ordering::Acquire, Ordering::Relaxed, next)
            .is_ok()
    }

    pub(super) fn give_back(&self, write: bool) {
        if write {
            self.0.store(0, Ordering::Release);
        } else {
            self.0.fetch_sub(1, Ordering::Release);
        }
    }
}
