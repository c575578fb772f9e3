//! Sets of elements as flags: a word an element, 1 for a member and else 0. They are made of masks and lists of indices
//! of other libraries, and of the slots of a session: an exclusive prefix sum of their flags numbers the live ones.

use crate::kernel::FlatKernel;
use crate::mem::{Global, GlobalMut};
use crate::{args, kernel};

/// Number of a dead slot.
pub const NONE: u32 = u32::MAX;

/// Elements of a word of a mask.
pub const MASK_BYTES: u32 = 4;

kernel_list! {
    flat flags_of_mask: FlagsOfMask;
    flat mask_of_flags: MaskOfFlags;
    flat flag_listed: FlagListed;
    flat flag_live: FlagLive;
    flat number_live: NumberLive;
    flat gather_words: GatherWords;
}

kernel! {
    /// Sets the flag of each byte of a mask that is not 0. One index per element.
    pub struct FlagsOfMask: Flat {
        /// Mask, [`MASK_BYTES`] elements a word, the first one lowest.
        pub bytes: Global<u32>,
        /// Flags of the elements.
        pub flags: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than the views hold (contracts U3, U4).
unsafe impl FlatKernel for FlagsOfMask {
    #[inline(always)]
    fn run(&self, i: u32) {
        let byte = self.bytes.get(i / MASK_BYTES) >> (8 * (i % MASK_BYTES)) & 0xff;
        self.flags.set(i, u32::from(byte != 0));
    }
}

kernel! {
    /// Writes flags as a mask of bytes that are 0 or 1. One index per word of the mask.
    pub struct MaskOfFlags: Flat {
        /// Flags of the elements.
        pub flags: Global<u32>,
        /// Mask as in [`FlagsOfMask`]; bytes beyond the last element become 0.
        pub bytes: GlobalMut<u32>,
    }
}

// SAFETY: as for [`FlagsOfMask`].
unsafe impl FlatKernel for MaskOfFlags {
    #[inline(always)]
    fn run(&self, word: u32) {
        let first = MASK_BYTES * word;
        let n = (self.flags.len() - first).min(MASK_BYTES);
        let mut bytes = 0;
        let mut k = 0;
        while k < n {
            bytes |= u32::from(self.flags.get(first + k) != 0) << (8 * k);
            k += 1;
        }
        self.bytes.set(word, bytes);
    }
}

kernel! {
    /// Sets the flags of listed elements. One index per number of the list, which may name an element several times.
    pub struct FlagListed: Flat {
        /// Indices of elements.
        pub list: Global<u32>,
        /// Flags of the elements; zeroes at first.
        pub flags: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write atomically; the host launches no more of them than the list holds, whose numbers
// it has checked (contracts U3, U4).
unsafe impl FlatKernel for FlagListed {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.flags.store(self.list.get(i), 1);
    }
}

args! {
    /// Table of slots, whose first entries tell the dead ones.
    pub struct SlotTable {
        /// Entries of the slots.
        pub entries: Global<u32>,
        /// Entries a slot.
        pub width: u32,
        /// First entry of a dead slot.
        pub dead: u32,
    }
}

impl SlotTable {
    /// Returns `true` if a slot is live.
    #[inline(always)]
    fn lives(&self, slot: u32) -> bool {
        self.entries.get(slot * self.width) != self.dead
    }
}

kernel! {
    /// Computes the flags of live slots. One index per slot.
    pub struct FlagLive: Flat {
        /// Slots of a kind.
        pub slots: SlotTable,
        /// Flags of the slots.
        pub flags: GlobalMut<u32>,
    }
}

// SAFETY: as for [`FlagsOfMask`].
unsafe impl FlatKernel for FlagLive {
    #[inline(always)]
    fn run(&self, slot: u32) {
        self.flags.set(slot, u32::from(self.slots.lives(slot)));
    }
}

kernel! {
    /// Removes the numbers of dead slots. One index per slot.
    pub struct NumberLive: Flat {
        /// Slots of a kind.
        pub slots: SlotTable,
        /// Exclusive prefix sums of [`FlagLive::flags`]; [`NONE`] of dead slots afterwards.
        pub numbers: GlobalMut<u32>,
    }
}

// SAFETY: as for [`FlagsOfMask`].
unsafe impl FlatKernel for NumberLive {
    #[inline(always)]
    fn run(&self, slot: u32) {
        if !self.slots.lives(slot) {
            self.numbers.set(slot, NONE);
        }
    }
}

kernel! {
    /// Looks up words by their indices. One index per result.
    pub struct GatherWords: Flat {
        /// Words of the array.
        pub from: Global<u32>,
        /// Index of each result's word, or [`NONE`].
        pub at: Global<u32>,
        /// Results; 0 where there is no index.
        pub to: GlobalMut<u32>,
    }
}

// SAFETY: as for [`FlagsOfMask`]; the indices are in range (contract U4).
unsafe impl FlatKernel for GatherWords {
    #[inline(always)]
    fn run(&self, i: u32) {
        let at = self.at.get(i);
        self.to
            .set(i, if at == NONE { 0 } else { self.from.get(at) });
    }
}
