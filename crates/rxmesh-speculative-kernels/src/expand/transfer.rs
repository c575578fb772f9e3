//! Second half of an expansion: everything is locked and has capacity, and the surveyed elements are moved.

use super::{DONORS, Expansion, GIVERS, Host, pass_on};
use crate::stash::{EMPTY_SLOT, STASH_SLOTS};
use crate::store::{Entries, PatchArrays, STAYS, each_kind};
use crate::table::RibbonEntry;
use rxmesh_kernels::exec::Block;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::Kind;

impl Expansion {
    /// Copies the elements of a donor at the vertices that it loses, and removes those that it does not need
    /// afterwards.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn transfer<B: Block>(&self, b: B, host: &Host<'_>, donor: u32) {
        let (s, from) = (self.shape, host.store.patch(donor));
        b.phase(|p| {
            each_kind(|kind| {
                p.each(s.room(kind), |i| {
                    if self.is_marked(self.near, kind, i) {
                        let at = self.local_of(host, kind, from.handle(donor, kind, i));
                        self.names.set(s.moved_at(kind) + i, at as u16);
                    }
                });
            });
            // The stash gets its slot before tables name it.
            p.lead(|| {
                from.stash().insert(host.id);
            });
        });
        self.bring_in(b, host, &from);
        b.phase(|p| {
            each_kind(|kind| {
                p.each(s.room(kind), |i| {
                    let given = self.is_given(&from, kind, i);
                    self.hand_over(host, donor, kind, i, given);
                });
            });
        });
        // Elements that were given away and stay as ribbon.
        let slot = from.stash().find(host.id).unwrap_or(0);
        let moved = host.store.moved(donor);
        b.phase(|p| {
            each_kind(|kind| {
                p.each(s.room(kind), |i| {
                    let at = moved.get(s.moved_at(kind) + i);
                    if at != STAYS && self.is_marked(self.stays, kind, i) {
                        let entry = RibbonEntry {
                            local: i,
                            slot,
                            at: u32::from(at),
                        };
                        // There is capacity: the survey counted.
                        host.check(from.table(kind).insert(entry));
                    }
                });
            });
        });
    }

    /// Returns the patch's local id of a nearby element of a donor.
    #[inline(always)]
    fn name(&self, kind: Kind, i: u32) -> u32 {
        u32::from(self.names.get(self.shape.moved_at(kind) + i))
    }

    /// Writes the incoming edges and faces.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn bring_in<B: Block>(
        &self,
        b: B,
        host: &Host<'_>,
        from: &PatchArrays<GlobalMut<u16>, GlobalMut<u32>>,
    ) {
        let (s, to) = (self.shape, host.local.parts);
        b.phase(|p| {
            p.each(s.vertices, |v| {
                if self.is_marked(self.near, Kind::Vertex, v) {
                    to.enter(s.active(Kind::Vertex), self.name(Kind::Vertex, v));
                }
            });
            p.each(s.edges, |e| {
                if !self.is_marked(self.near, Kind::Edge, e) {
                    return;
                }
                let at = self.name(Kind::Edge, e);
                if to.enter(s.active(Kind::Edge), at) {
                    let end = |side: u32| self.name(Kind::Vertex, from.origin(2 * e + side));
                    to.topology.put(2 * at, end(0));
                    to.topology.put(2 * at + 1, end(1));
                }
            });
            p.each(s.faces, |f| {
                if !self.is_marked(self.near, Kind::Face, f) {
                    return;
                }
                let at = self.name(Kind::Face, f);
                if to.enter(s.active(Kind::Face), at) {
                    let mut k = 0;
                    while k < 3 {
                        let h = from.side(f, k);
                        let side = 2 * self.name(Kind::Edge, h >> 1) + (h & 1);
                        to.topology.put(s.fe() + 3 * at + k, side);
                        k += 1;
                    }
                    pass_on(from.is_frozen(f), to, s.frozen(), at);
                }
            });
        });
    }

    /// Processes one element of a donor: gives it away if it is owned and `given`; drops it unless the donor still has
    /// a face there, or owns the vertex.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn hand_over(&self, host: &Host<'_>, donor: u32, kind: Kind, i: u32, given: bool) {
        let (s, from) = (self.shape, host.store.patch(donor));
        if !from.is_active(kind, i) {
            return;
        }
        let owned = from.is_owned(kind, i);
        if owned && given {
            self.give(host, donor, kind, i);
        }
        let keeps = kind as u32 == Kind::Vertex as u32 && owned && !given;
        if !self.is_marked(self.stays, kind, i) && !keeps {
            from.leave(s.active(kind), i);
            if !owned {
                from.table(kind).remove(i);
            }
        }
    }

    /// Transfers an element of a donor, with its attributes, to the patch.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn give(&self, host: &Host<'_>, donor: u32, kind: Kind, i: u32) {
        let (s, from, to) = (self.shape, host.store.patch(donor), host.local.parts);
        let handle = host.store.base(donor, kind) + i;
        // An element that is given away is nearby.
        let at = self.name(kind, i);
        let moved = host.store.moved(donor);
        moved.set(s.moved_at(kind) + i, at as u16);
        from.leave(s.owned(kind), i);
        to.enter(s.owned(kind), at);
        host.columns
            .copy(kind, handle, host.store.base(host.id, kind) + at);
        if kind as u32 == host.seeds as u32 {
            pass_on(from.leave(s.seeds(), i), to, s.seeds(), at);
            pass_on(from.leave(s.refused(), i), to, s.refused(), at);
        }
    }

    /// Records the new owner in the tables of all parties.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn tell_witnesses<B: Block>(&self, b: B, host: &Host<'_>) {
        let mut slot = 0;
        while slot < STASH_SLOTS {
            let party = self.parties.get(slot);
            if party != EMPTY_SLOT && party != host.id {
                self.tell_one(b, host, party);
            }
            slot += 1;
        }
    }

    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn tell_one<B: Block>(&self, b: B, host: &Host<'_>, party: u32) {
        let (s, theirs) = (self.shape, host.store.patch(party));
        let stash = theirs.stash();
        b.phase(|p| p.each(2, |i| self.sets.set(GIVERS + i, 0)));
        b.each(STASH_SLOTS, |i| {
            let owner = stash.get(i);
            if owner != EMPTY_SLOT
                && let Some(slot) = self.parties.find(owner)
                && self.is_in(DONORS, slot)
            {
                self.sets.fetch_or(GIVERS + i / 32, 1 << (i % 32));
            }
        });
        b.lead(|| {
            stash.insert(host.id);
        });
        let slot = stash.find(host.id).unwrap_or(0);
        b.phase(|p| {
            each_kind(|kind| {
                let table = theirs.table(kind);
                p.each(table.len(), |i| {
                    let Some(entry) = table.entry(i) else {
                        return;
                    };
                    if !self.is_in(GIVERS, entry.slot) {
                        return;
                    }
                    let moved = host.store.moved(stash.get(entry.slot));
                    let at = moved.get(s.moved_at(kind) + entry.at);
                    if at != STAYS {
                        table.replace(RibbonEntry {
                            local: entry.local,
                            slot,
                            at: u32::from(at),
                        });
                    }
                });
            });
        });
    }

    /// Updates the patch's own tables, and clears the records of the donors.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn settle<B: Block>(&self, b: B, host: &Host<'_>) {
        let (s, parts) = (self.shape, host.local.parts);
        let stash = parts.stash();
        // Removes entries of elements that are owned now.
        b.phase(|p| {
            each_kind(|kind| {
                let inverse = self.inverse(kind);
                p.each(inverse.len(), |i| {
                    if let Some((_, local, false)) = inverse.entry(i)
                        && parts.is_owned(kind, local)
                    {
                        parts.table(kind).remove(local);
                    }
                });
            });
        });
        b.phase(|p| {
            each_kind(|kind| {
                let inverse = self.inverse(kind);
                p.each(inverse.len(), |i| {
                    if let Some((handle, local, true)) = inverse.entry(i)
                        && !parts.is_owned(kind, local)
                    {
                        let entry = RibbonEntry {
                            local,
                            slot: stash.find(handle / s.room(kind)).unwrap_or(0),
                            at: handle % s.room(kind),
                        };
                        // There is capacity: the local ids were assigned by it.
                        host.check(parts.table(kind).insert(entry));
                    }
                });
            });
            // Records of the donors.
            let mut slot = 0;
            while slot < STASH_SLOTS {
                if self.is_in(DONORS, slot) {
                    let moved = host.store.moved(self.parties.get(slot));
                    p.each(s.moved(), |i| moved.set(i, STAYS));
                }
                slot += 1;
            }
        });
    }
}
