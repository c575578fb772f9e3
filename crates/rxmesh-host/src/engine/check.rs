//! Arguments of a launch: finds the memory that they name, checks it, and keeps it alive while the launch runs.

use super::EngineError;
use super::buffer::Allocation;
pub(super) use super::claims::Claims;
use rxmesh_kernels::mem::{Access, Bind, Piece};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

/// Handles lie where no address is, so that one can never be taken for the other.
const FIRST_HANDLE: usize = 1 << (usize::BITS - 1);

/// Handles of all engines: each is given out once in the life of the process. They run out after 2^63 bytes.
static NEXT_HANDLE: AtomicUsize = AtomicUsize::new(FIRST_HANDLE);

/// Largest required alignment of the address of a piece: every allocation is aligned to it.
pub(super) const ALIGN: usize = 64;

/// Returns a range of handles for an allocation.
pub(super) fn new_handle(bytes: usize) -> Option<usize> {
    let next = |at: usize| at.checked_add(bytes.checked_next_multiple_of(ALIGN)?);
    NEXT_HANDLE
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, next)
        .ok()
}

/// The engine's live allocations, by handle.
#[derive(Default)]
pub(super) struct Live {
    table: RwLock<Table>,
    /// Bytes of all of them, and the most that they were.
    bytes: AtomicU64,
    most: AtomicU64,
}

type Table = BTreeMap<usize, CheckedPiece>;

struct CheckedPiece {
    allocation: Arc<Allocation>,
    /// Address and size of the allocation, copied here because a launch searches several entries.
    at: usize,
    bytes: usize,
    /// The mesh whose elements the values belong to, if they do to one.
    mesh: Option<u64>,
}

impl Live {
    pub(super) fn add(&self, allocation: Arc<Allocation>) {
        let more = allocation.bytes as u64;
        let bytes = self.bytes.fetch_add(more, Ordering::Relaxed) + more;
        self.most.fetch_max(bytes, Ordering::Relaxed);
        self.table
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(
                allocation.handle,
                CheckedPiece {
                    at: allocation.at as usize,
                    bytes: allocation.bytes,
                    allocation,
                    mesh: None,
                },
            );
    }

    /// Notes the mesh whose elements an allocation belongs to.
    pub(super) fn set_mesh(&self, handle: usize, mesh: u64) {
        if let Some(entry) = self
            .table
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .get_mut(&handle)
        {
            entry.mesh = Some(mesh);
        }
    }

    pub(super) fn remove(&self, handle: usize) {
        let removed = self
            .table
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&handle);
        if let Some(entry) = &removed {
            let less = entry.bytes as u64;
            self.bytes.fetch_sub(less, Ordering::Relaxed);
        }
        // Freed after the lock is given back.
        drop(removed);
    }

    /// Returns the bytes of all allocations, and the most that they were since [`Live::forget_most`].
    pub(super) fn bytes(&self) -> [u64; 2] {
        [&self.bytes, &self.most].map(|n| n.load(Ordering::Relaxed))
    }

    /// Restarts the peak at the current amount.
    pub(super) fn forget_most(&self) {
        self.most.store(self.bytes()[0], Ordering::Relaxed);
    }

    fn read(&self) -> RwLockReadGuard<'_, Table> {
        self.table.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the address of a piece.
    pub(super) fn address(&self, piece: Piece) -> Option<usize> {
        find(&self.read(), piece).map(|(_, at)| at)
    }

    /// Binds a kernel's arguments, after a check of all the memory that they name: attributes are of one mesh, that of
    /// the launch if it has one. With `exclusive` the launch keeps the allocations, and launches of several threads on
    /// the same memory are refused unless all of them only read it; without, nothing is freed while what is returned
    /// lives, which is to be as long as it takes to enter the launch in a stream. Compiled once, not for each kernel.
    pub(super) fn bind(
        &self,
        kernel: &'static str,
        arguments: &mut dyn Bind,
        mesh: Option<u64>,
        exclusive: bool,
    ) -> Result<Used<'_>, EngineError> {
        let live = self.read();
        let mut used = Used::default();
        let mut pieces: Vec<Piece> = Vec::with_capacity(16);
        let mut wrong = None;
        // The mesh of the launch, or else that of the first attribute.
        let mut mesh = mesh;
        let mut resolve = |piece: Piece| {
            if wrong.is_some() {
                return None;
            }
            let Some((entry, at)) = find(&live, piece) else {
                wrong = Some(EngineError::NotLive { kernel });
                return None;
            };
            let of = entry.mesh;
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
            if exclusive {
                used.add(&entry.allocation, piece.access != Access::Read);
            }
            Some(at)
        };
        // SAFETY: the addresses are of live memory of the pieces' sizes, which `used` keeps until after the launch;
        // nothing written overlaps anything else of the launch (contract U4 of docs/inside/unsafe.md).
        unsafe { arguments.visit(&mut resolve) };
        if let Some(error) = wrong {
            return Err(error);
        }
        if !exclusive {
            used.held = Some(live);
            return Ok(used);
        }
        // A CPU launch runs long and may lend this thread to other work: no lock is held meanwhile.
        drop(live);
        match used.claim() {
            true => Ok(used),
            false => Err(EngineError::Busy),
        }
    }
}

/// Returns the allocation that a piece lies in, and the piece's address.
fn find(live: &Table, piece: Piece) -> Option<(&CheckedPiece, usize)> {
    let (handle, entry) = live.range(..=piece.at).next_back()?;
    let inside = piece.at.checked_add(piece.bytes)? <= handle + entry.bytes;
    inside.then(|| (entry, entry.at + (piece.at - handle)))
}

/// Returns `true` if one piece is written and overlaps the other one.
fn conflict(a: Piece, b: Piece) -> bool {
    let written = |p: Piece| p.access == Access::Write;
    let again = |p: Piece| p.access == Access::Again;
    (written(a) || written(b))
        && !again(a)
        && !again(b)
        && a.at < b.at + b.bytes
        && b.at < a.at + a.bytes
}

/// Guard that keeps the allocations of a launch alive. On an engine whose launches run at once it claims the
/// allocations themselves; for a stream it holds the read lock of the table, so that none can be removed.
#[derive(Default)]
pub(super) struct Used<'a> {
    list: Vec<(Arc<Allocation>, bool)>,
    claimed: bool,
    held: Option<RwLockReadGuard<'a, Table>>,
}

impl Used<'_> {
    fn add(&mut self, allocation: &Arc<Allocation>, write: bool) {
        match self
            .list
            .iter_mut()
            .find(|(known, _)| Arc::ptr_eq(known, allocation))
        {
            Some((_, written)) => *written |= write,
            None => self.list.push((Arc::clone(allocation), write)),
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

impl Drop for Used<'_> {
    fn drop(&mut self) {
        if self.claimed {
            for (allocation, write) in &self.list {
                allocation.claims.give_back(*write);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::engine::{Engine, EngineError};

    #[test]
    fn what_is_allocated_is_counted() -> Result<(), EngineError> {
        let engine = Engine::cpu();
        assert_eq!(engine.allocated(), [0, 0]);
        let kept = engine.zeroed::<f32>(1000)?;
        let more = engine.zeroed::<u32>(500)?;
        assert_eq!(engine.allocated(), [6000, 6000]);
        drop(more);
        assert_eq!(engine.allocated(), [4000, 6000]);
        engine.forget_most_allocated();
        assert_eq!(engine.allocated(), [4000, 4000]);
        drop(kept);
        assert_eq!(engine.allocated(), [0, 4000]);
        Ok(())
    }
}
