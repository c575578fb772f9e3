//! Free slots of a session, and more of them.

use super::super::mesh::{HostArrays, OpenMesh};
use super::super::scheduler::Edits;
use super::super::session::Session;
use super::super::validate::SessionFault;
use super::Claims;
use crate::Error;
use crate::engine::Buffer;
use crate::parallel::fill;
use rxmesh_kernels::cavity::{Counter, Growth, Operator, Slots};
use rxmesh_kernels::edit::{Fill, ListFree};
use rxmesh_kernels::topo::Kind;

/// Least growth of the capacity, as a part of it, so that it does not grow often.
const GROWTH: f64 = 0.25;

/// State of the lists of free slots.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FreeLists {
    /// A round has deleted elements since they were made.
    Outdated,
    /// The lists hold all free slots.
    Current,
}

/// Free slots of each kind.
pub(super) struct FreeSlots {
    /// First slot by kind that was never used.
    unused: [u32; 3],
    /// Free slots below `unused`, when they were listed last.
    free: [Buffer<u32>; 3],
    listed: [u32; 3],
}

impl FreeSlots {
    /// Creates empty lists: all slots of the mesh are in use, or count as if they were.
    pub(super) fn new(mesh: &OpenMesh) -> Result<FreeSlots, Error> {
        let none = || mesh.engine().zeroed(0);
        Ok(FreeSlots {
            unused: mesh.capacities(),
            free: [none()?, none()?, none()?],
            listed: [0; 3],
        })
    }

    pub(super) fn of(&self, mesh: &OpenMesh, kind: Kind) -> Slots {
        let k = kind as usize;
        Slots {
            list: self.free[k].global(),
            listed: self.listed[k],
            first: self.unused[k],
            capacity: mesh.capacity(kind),
        }
    }

    /// Returns the number of slots of a kind that were handed out since free slots were listed.
    fn used(counters: &[u32], kind: Kind) -> u32 {
        counters[Counter::Used as usize + kind as usize]
    }

    /// Finds slots that are listed as free and in use, or in use and were never handed out.
    pub(super) fn faults(
        &self,
        counters: &[u32],
        mesh: &OpenMesh,
        arrays: &HostArrays,
    ) -> Result<Vec<SessionFault>, Error> {
        let mut found = Vec::new();
        for kind in Kind::ALL {
            let k = kind as usize;
            let used = FreeSlots::used(counters, kind);
            let list = self.free[k].read()?;
            for &slot in &list[(used as usize).min(list.len())..] {
                if arrays.lives(kind, slot) {
                    found.push(SessionFault::TakenSlot { kind, slot });
                }
            }
            let first = self.unused[k] + used.saturating_sub(self.listed[k]);
            for slot in first..mesh.capacity(kind) {
                if arrays.lives(kind, slot) {
                    found.push(SessionFault::Unborn { kind, slot });
                }
            }
        }
        Ok(found)
    }
}

impl Session {
    /// Grows the capacity as [`Session::reserve`] says.
    pub(super) fn make_slots(&mut self, more: [u32; 3]) -> Result<(), Error> {
        let old = self.mesh.capacities();
        let mut capacity = old;
        for k in 0..3 {
            let want = u64::from(self.edits.slots.unused[k]) + u64::from(more[k]);
            if want > u64::from(old[k]) {
                let grown = (f64::from(old[k]) * (1.0 + GROWTH)) as u64;
                capacity[k] = u32::try_from(want.max(grown)).unwrap_or(u32::MAX);
            }
        }
        if capacity == old {
            return Ok(());
        }
        // All or nothing: without enough memory the session stays as it is.
        let mesh = self.mesh.grown(capacity, self.mesh.patches())?;
        let columns = self.columns.grown(capacity)?;
        let state = self.edits.state.grown(&mesh)?;
        self.edits.state.take(state);
        (self.mesh, self.columns) = (mesh, columns);
        Ok(())
    }

    /// Returns the first slots by kind that were never used, after deleted ones were listed.
    pub(in crate::edit) fn next_slots(&mut self) -> Result<[u32; 3], Error> {
        self.change(|s| {
            let counters = s.edits.state.counters.read()?;
            s.list_free(&counters)?;
            Ok(s.edits.slots.unused)
        })
    }

    /// Counts as many slots from [`Session::next_slots`] on as used, and grows the capacity for them.
    pub(in crate::edit) fn take_slots(&mut self, more: [u32; 3]) -> Result<(), Error> {
        self.reserve(more)?;
        for (unused, more) in self.edits.slots.unused.iter_mut().zip(more) {
            *unused += more;
        }
        Ok(())
    }

    /// Adds slots after a round that ran out of them: lists those deleted since the lists were made, and adds new ones
    /// if they do not suffice. The round is repeated, and has the same winners then.
    pub(super) fn make_room<O: Operator>(
        &mut self,
        counters: &[u32],
        lists: &mut FreeLists,
    ) -> Result<(), Error> {
        if *lists == FreeLists::Outdated {
            self.list_free(counters)?;
            *lists = FreeLists::Current;
        }
        let winners = counters[Counter::Ranked as usize];
        let mut more = [0; 3];
        for (k, grow) in O::GROWTH.by_kind().into_iter().enumerate() {
            // Listed slots count as used: growth is for the slots after them.
            let listed = self.edits.slots.listed[k];
            more[k] = winners.saturating_mul(grow).saturating_sub(listed);
        }
        Claims::reserve(self, more)
    }

    /// Lists the free slots of every kind.
    fn list_free(&mut self, counters: &[u32]) -> Result<(), Error> {
        let slots = self.free_lists(counters);
        // The set that was ranked is that of the winners, empty between rounds.
        let (s, engine) = (&self.edits.state, self.mesh.engine());
        fill(engine, s.won.global_mut(), 0)?;
        let slots = slots?;
        let to = s.counters.global_mut().from(Counter::Used as u32);
        engine.launch_flat(3, Fill { to, value: 0 })?;
        self.edits.slots = slots;
        Ok(())
    }

    fn free_lists(&self, counters: &[u32]) -> Result<FreeSlots, Error> {
        let mut slots = FreeSlots::new(&self.mesh)?;
        for kind in Kind::ALL {
            let (k, old) = (kind as usize, &self.edits.slots);
            let used = FreeSlots::used(counters, kind);
            slots.unused[k] = old.unused[k] + used.saturating_sub(old.listed[k]);
            let (s, engine) = (&self.edits.state, self.mesh.engine());
            self.mesh.mark_dead(kind, slots.unused[k], &s.won)?;
            self.rank(Growth::NONE)?;
            let free = s.counters.read()?[Counter::Ranked as usize];
            let list = engine.zeroed(free as usize)?;
            let write = ListFree {
                set: s.won.global(),
                ranks: s.ranks.global(),
                chunks: s.chunks.global(),
                list: list.global_mut(),
            };
            engine.launch_flat(s.won.len() as u32, write)?;
            (slots.free[k], slots.listed[k]) = (list, free);
        }
        Ok(slots)
    }
}
