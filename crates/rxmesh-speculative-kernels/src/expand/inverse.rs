//! Map from handles to local ids: other patches' elements in a patch, while it takes over more of them.

use rxmesh_kernels::exec::{Block, Phase};
use rxmesh_kernels::math::hash;
use rxmesh_kernels::mem::{Plan, Shared};

/// Marks a slot without a key.
const FREE: u32 = u32::MAX;

/// Marks a new element that has no local id yet.
const PENDING: u32 = u32::MAX;

/// Flag of a local id: the element is new.
const NEW: u32 = 1 << 31;

/// Returns the number of slots for `room` elements, a multiple of 32.
#[inline(always)]
const fn places(room: u32) -> u32 {
    room / 4 * 5
}

/// Hash table with open addressing in shared memory. Insertions may run concurrently, and so may look-ups.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inverse {
    keys: Shared<u32>,
    values: Shared<u32>,
}

impl Inverse {
    /// Reserves the shared memory for `room` elements of all kinds.
    #[inline(always)]
    pub(super) fn take(room: u32, plan: &mut Plan) -> Inverse {
        let n = places(room);
        Inverse {
            keys: plan.take(n),
            values: plan.take(n),
        }
    }

    /// Returns the part for `room` elements after that for `before` elements.
    #[inline(always)]
    pub(super) fn part(&self, before: u32, room: u32) -> Inverse {
        let (at, n) = (places(before), places(room));
        Inverse {
            keys: self.keys.part(at, n),
            values: self.values.part(at, n),
        }
    }

    /// Returns the number of slots.
    #[inline(always)]
    pub(super) fn len(&self) -> u32 {
        self.keys.len()
    }

    /// Removes all entries.
    #[inline(always)]
    pub(super) fn clear<B: Block>(&self, p: Phase<B>) {
        p.each(self.len(), |i| {
            self.keys.set(i, FREE);
            self.values.set(i, PENDING);
        });
    }

    #[inline(always)]
    fn first(&self, handle: u32) -> u32 {
        ((u64::from(hash(handle)) * u64::from(self.len())) >> 32) as u32
    }

    #[inline(always)]
    fn after(&self, i: u32) -> u32 {
        if i + 1 < self.len() { i + 1 } else { 0 }
    }

    /// Inserts a handle; returns `true` if it is new, or `None` when the table is full.
    #[inline(always)]
    pub(super) fn insert(&self, handle: u32) -> Option<bool> {
        let mut i = self.first(handle);
        let mut left = self.len();
        while left > 0 {
            let old = self.keys.compare_exchange(i, FREE, handle);
            if old == FREE {
                return Some(true);
            }
            if old == handle {
                return Some(false);
            }
            i = self.after(i);
            left -= 1;
        }
        None
    }

    /// Returns the slot of a handle.
    #[inline(always)]
    fn place(&self, handle: u32) -> Option<u32> {
        let mut i = self.first(handle);
        let mut left = self.len();
        while left > 0 {
            let key = self.keys.load(i);
            if key == handle {
                return Some(i);
            }
            if key == FREE {
                return None;
            }
            i = self.after(i);
            left -= 1;
        }
        None
    }

    /// Returns the local id of a handle.
    #[inline(always)]
    pub(super) fn find(&self, handle: u32) -> Option<u32> {
        match self.values.get(self.place(handle)?) {
            PENDING => None,
            local => Some(local & !NEW),
        }
    }

    /// Sets the local id of a handle that has a slot.
    #[inline(always)]
    pub(super) fn set(&self, handle: u32, local: u32) {
        if let Some(i) = self.place(handle) {
            self.values.set(i, local);
        }
    }

    /// Returns the handle in a slot if it has no local id yet.
    #[inline(always)]
    pub(super) fn pending(&self, i: u32) -> Option<u32> {
        let handle = self.keys.load(i);
        (handle != FREE && self.values.get(i) == PENDING).then_some(handle)
    }

    /// Returns the handle in a slot, its local id, and `true` if it is new.
    #[inline(always)]
    pub(super) fn entry(&self, i: u32) -> Option<(u32, u32, bool)> {
        let (handle, value) = (self.keys.load(i), self.values.get(i));
        (handle != FREE && value != PENDING).then_some((handle, value & !NEW, value & NEW != 0))
    }

    /// Sets the local id of the handle in a slot, which is new.
    #[inline(always)]
    pub(super) fn number(&self, i: u32, local: u32) {
        self.values.set(i, local | NEW);
    }
}
