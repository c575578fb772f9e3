//! Check that nothing of an expansion can fail any more: locks and capacity.

use super::{
    DONE, ExpandResult, Expansion, GIVEN, Host, LOCKED, NO_ROOM, OVERFLOWS, TICKETS, table_limit,
};
use crate::stash::{EMPTY_SLOT, STASH_SLOTS};
use crate::store::each_kind;
use rxmesh_kernels::exec::Block;
use rxmesh_kernels::mem::Shared;
use rxmesh_kernels::topo::Kind;

/// Returns free local id `k`, given the number of free ids before each word of a mask.
#[inline(always)]
fn nth_free(active: Shared<u32>, before: Shared<u32>, words: u32, k: u32) -> u32 {
    // The last word with at most `k` free ids before it.
    let (mut low, mut high) = (0, words);
    while high - low > 1 {
        let middle = (low + high) / 2;
        if before.get(middle) <= k {
            low = middle;
        } else {
            high = middle;
        }
    }
    let mut bits = !active.get(low);
    let mut left = k - before.get(low);
    while left > 0 {
        bits &= bits - 1;
        left -= 1;
    }
    32 * low + bits.trailing_zeros()
}

impl Expansion {
    /// Checks that the transfer is possible: all parties can be locked, and there is capacity everywhere.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    pub(super) fn admit<B: Block>(&self, b: B, host: &Host<'_>) -> ExpandResult {
        let lock = || {
            if self.counts.load(OVERFLOWS) != 0 {
                return NO_ROOM;
            }
            self.lock(host)
        };
        match b.tell(self.told, lock) {
            DONE => {}
            LOCKED => return ExpandResult::Locked,
            _ => return ExpandResult::NoRoom,
        }
        self.check_stashes(b, host);
        each_kind(|kind| self.number(b, host, kind));
        if b.tell(self.told, || self.counts.load(OVERFLOWS)) != 0 {
            return ExpandResult::NoRoom;
        }
        ExpandResult::Done
    }

    /// Checks that the stash of every party has a slot for the patch, and the patch's stash one for every owner.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn check_stashes<B: Block>(&self, b: B, host: &Host<'_>) {
        let (stash, s) = (host.local.parts.stash(), self.shape);
        b.phase(|p| {
            p.each(STASH_SLOTS, |slot| {
                let party = self.parties.get(slot);
                if party != EMPTY_SLOT && party != host.id {
                    let theirs = host.store.patch(party).stash();
                    if theirs.find(host.id).is_none() && theirs.count() >= STASH_SLOTS {
                        self.overflow();
                    }
                }
            });
            each_kind(|kind| {
                let inverse = self.inverse(kind);
                p.each(inverse.len(), |i| {
                    if let Some(handle) = inverse.pending(i)
                        && stash.insert(handle / s.room(kind)).is_none()
                    {
                        self.overflow();
                    }
                });
            });
        });
    }

    /// Assigns local ids to the new elements of a kind.
    #[cfg_attr(target_arch = "nvptx64", inline(always))]
    fn number<B: Block>(&self, b: B, host: &Host<'_>, kind: Kind) {
        let (parts, inverse) = (host.local.parts, self.inverse(kind));
        let words = self.shape.room(kind) / 32;
        let masks = parts.masks.part(self.shape.active(kind), words);
        b.phase(|p| {
            p.each(words, |w| self.free.set(w, (!masks.get(w)).count_ones()));
            p.lead(|| self.counts.set(TICKETS, 0));
        });
        let room = b.scan(self.free, words, self.scratch);
        let table = parts.table(kind);
        let used = b.count(table.len(), self.scratch, |i| table.entry(i).is_some());
        let new = b.count(inverse.len(), self.scratch, |i| {
            inverse.pending(i).is_some()
        });
        let given = self.counts.get(GIVEN + kind as u32);
        if new > room || used + new - given > table_limit(table.len()) {
            b.lead(|| self.overflow());
            return;
        }
        b.each(inverse.len(), |i| {
            if inverse.pending(i).is_some() {
                let k = self.counts.fetch_add(TICKETS, 1);
                inverse.number(i, nth_free(masks, self.free, words, k));
            }
        });
    }
}
