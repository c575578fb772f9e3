//! Hash tables of ribbon elements: from a local id to the owner's patch and the local id there.

use rxmesh_kernels::exec::{Block, Phase};
use rxmesh_kernels::math::hash;
use rxmesh_kernels::mem::Words;

/// Number of words of a table's overflow area, for entries that find no free hashed word.
pub const OVERFLOW: u32 = 32;

/// Number of bits of a local id.
const ID_BITS: u32 = 13;
/// Number of bits of a stash slot.
const SLOT_BITS: u32 = 6;
/// Number of bits below the key: slot and local id in the owner.
const VALUE_BITS: u32 = ID_BITS + SLOT_BITS;
/// Largest local id. Not a key: the words that hold it are free.
const NO_KEY: u32 = (1 << ID_BITS) - 1;
/// Marks a word that was never used since the table was cleared.
const EMPTY: u32 = u32::MAX;
/// Marks a word of the overflow area that was used: look-ups continue after it.
const REMOVED: u32 = NO_KEY << VALUE_BITS;
/// Maximum number of entries that one insertion moves before the last of them goes to the overflow area. At a load of
/// 0.8 about every other move ends the chain.
const CHAIN: u32 = 32;
/// Number of words at which a key may be.
const PLACES: u32 = 4;

/// Ribbon element: its local id here, and its owner with the local id there. 13 + 6 + 13 bits (2024 paper, section
/// 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RibbonEntry {
    /// Local id in this patch, the key: below 8191.
    pub local: u32,
    /// Slot of the owner in this patch's stash: below 64.
    pub slot: u32,
    /// Local id in the owner: below 8192.
    pub at: u32,
}

impl RibbonEntry {
    /// Packs the entry into a word: key in the highest 13 bits, slot in the next 6, local id in the owner in the lowest
    /// 13.
    #[inline(always)]
    pub fn pack(self) -> u32 {
        debug_assert!(self.local < NO_KEY, "{} is no key", self.local);
        debug_assert!(self.slot < 1 << SLOT_BITS, "{} is no slot", self.slot);
        debug_assert!(self.at < 1 << ID_BITS, "{} is no local id", self.at);
        self.local << VALUE_BITS | self.slot << ID_BITS | self.at
    }

    /// Returns the entry in a word; `None` for a free one.
    #[inline(always)]
    pub fn unpack(word: u32) -> Option<RibbonEntry> {
        if is_free(word) {
            return None;
        }
        Some(RibbonEntry {
            local: word >> VALUE_BITS,
            slot: word >> ID_BITS & ((1 << SLOT_BITS) - 1),
            at: word & NO_KEY,
        })
    }
}

/// Returns `true` if a word holds no entry.
#[inline(always)]
fn is_free(word: u32) -> bool {
    word >> VALUE_BITS == NO_KEY
}

/// Ribbon elements of one kind (vertices, edges or faces) of a patch: a cuckoo hash table (2024 paper, section 5.1;
/// Awad et al., "Analyzing and Implementing GPU Hash Tables", 2023) over words in shared or in global memory.
///
/// A key may be at any of four words, so a look-up that succeeds reads at most four. (Four functions on single words
/// fill to 0.97; buckets would fill higher, but here one thread and not a warp looks up a key.) The last [`OVERFLOW`]
/// words are a list for entries that find no free word.
///
/// # Concurrency
///
/// Insertions may run with insertions, removals with removals, replacements with replacements, and look-ups
/// ([`CuckooTable::find`], [`CuckooTable::inverse`], [`CuckooTable::entry`]) with look-ups. A barrier separates two
/// kinds (rule P1): an insertion moves other entries, which are missing meanwhile. A key is inserted once, by one
/// thread, and only if it is not there.
#[derive(Clone, Copy, Debug)]
pub struct CuckooTable<W> {
    words: W,
}

/// Returns the number of hashed words for `entries` entries: load factor 0.8, a multiple of four. A table has
/// [`OVERFLOW`] more ([`words_for`]).
pub const fn capacity(entries: u32) -> u32 {
    let words = (entries * 5).div_ceil(4);
    if words < 4 {
        4
    } else {
        words.next_multiple_of(4)
    }
}

/// Returns the number of words of a table for `entries` entries, including the overflow area.
pub const fn words_for(entries: u32) -> u32 {
    capacity(entries) + OVERFLOW
}

impl<W: Words> CuckooTable<W> {
    /// Makes a table over `words`, of which the last [`OVERFLOW`] are the overflow area; see [`words_for`].
    #[inline(always)]
    pub fn new(words: W) -> CuckooTable<W> {
        debug_assert!(words.len() > OVERFLOW, "{} words", words.len());
        CuckooTable { words }
    }

    /// Returns the words.
    #[inline(always)]
    pub fn words(self) -> W {
        self.words
    }

    /// Returns the number of words, including the overflow area: [`CuckooTable::entry`] takes indices below.
    #[inline(always)]
    pub fn len(self) -> u32 {
        self.words.len()
    }

    /// Returns `true` if there is no word; never, for a usable table.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the number of hashed words.
    #[inline(always)]
    fn hashed(self) -> u32 {
        self.words.len() - OVERFLOW
    }

    /// Removes all entries, inside a phase.
    #[inline(always)]
    pub fn clear<B: Block>(self, p: Phase<B>) {
        p.each(self.len(), |i| self.words.set(i, EMPTY));
    }

    /// Returns the entry in word `i`, if there is one.
    #[inline(always)]
    pub fn entry(self, i: u32) -> Option<RibbonEntry> {
        RibbonEntry::unpack(self.words.get(i))
    }

    /// Returns the entry of a local element.
    #[inline(always)]
    pub fn find(self, local: u32) -> Option<RibbonEntry> {
        self.search(local, |i| self.words.get(i))
            .and_then(|(_, word)| RibbonEntry::unpack(word))
    }

    /// Returns the local id of another patch's element by a scan of all words. In a whole block, let its threads share
    /// the words instead ([`CuckooTable::entry`]).
    #[inline(always)]
    pub fn inverse(self, slot: u32, at: u32) -> Option<u32> {
        let (mut i, n) = (0, self.len());
        while i < n {
            match self.entry(i) {
                Some(entry) if entry.slot == slot && entry.at == at => return Some(entry.local),
                _ => i += 1,
            }
        }
        None
    }

    /// Adds an entry whose key is not there. Returns `false` if the table is full: then one entry is missing, this one
    /// or one that it displaced, and the table must be dropped. This does not happen below the load of [`capacity`].
    #[inline(always)]
    pub fn insert(self, entry: RibbonEntry) -> bool {
        let mut word = entry.pack();
        // Index from which the current word was displaced.
        let mut from = EMPTY;
        let mut moves = 0;
        while moves < CHAIN {
            let places = ProbeSequence::new(word >> VALUE_BITS, self.hashed());
            let mut k = 0;
            while k < PLACES {
                let i = places.at(k);
                // A load costs less than an exchange, and most words are taken.
                if self.words.load(i) == EMPTY
                    && self.words.compare_exchange(i, EMPTY, word) == EMPTY
                {
                    return true;
                }
                k += 1;
            }
            // A different word at each move, so that two chains do not keep displacing each other's; not back to where
            // it comes from.
            let k = (places.first ^ moves) % PLACES;
            let i = places.at(k);
            let i = if i == from {
                places.at((k + 1) % PLACES)
            } else {
                i
            };
            word = self.words.swap(i, word);
            if word == EMPTY {
                return true;
            }
            from = i;
            moves += 1;
        }
        self.overflow(word)
    }

    /// Puts a word into the overflow area, if there is a free word.
    #[inline(always)]
    fn overflow(self, word: u32) -> bool {
        let (mut i, n) = (self.hashed(), self.len());
        while i < n {
            // From the first word on: all words after an empty word are empty.
            let there = self.words.load(i);
            if is_free(there) && self.words.compare_exchange(i, there, word) == there {
                return true;
            }
            i += 1;
        }
        false
    }

    /// Removes an element; returns `true` if it was there.
    #[inline(always)]
    pub fn remove(self, local: u32) -> bool {
        match self.search(local, |i| self.words.load(i)) {
            Some((i, word)) => {
                let free = if i < self.hashed() { EMPTY } else { REMOVED };
                self.words.compare_exchange(i, word, free) == word
            }
            None => false,
        }
    }

    /// Changes the owner of an element; returns `true` if it was there.
    #[inline(always)]
    pub fn replace(self, entry: RibbonEntry) -> bool {
        match self.search(entry.local, |i| self.words.load(i)) {
            Some((i, word)) => self.words.compare_exchange(i, word, entry.pack()) == word,
            None => false,
        }
    }

    /// Returns the index of the word of a key, and its content.
    #[inline(always)]
    fn search(self, local: u32, read: impl Fn(u32) -> u32) -> Option<(u32, u32)> {
        debug_assert!(local < NO_KEY, "{local} is no key");
        let places = ProbeSequence::new(local, self.hashed());
        let mut k = 0;
        while k < PLACES {
            let i = places.at(k);
            let word = read(i);
            if word >> VALUE_BITS == local {
                return Some((i, word));
            }
            k += 1;
        }
        let (mut i, n) = (self.hashed(), self.len());
        while i < n {
            let word = read(i);
            if word >> VALUE_BITS == local {
                return Some((i, word));
            }
            if word == EMPTY {
                return None;
            }
            i += 1;
        }
        None
    }
}

/// Words at which a key may be: double hashing, which for cuckoo tables is as good as independent functions
/// (Mitzenmacher and Thaler, "Peeling arguments and double hashing", 2012).
#[derive(Clone, Copy)]
struct ProbeSequence {
    first: u32,
    step: u32,
    words: u32,
}

impl ProbeSequence {
    #[inline(always)]
    fn new(key: u32, words: u32) -> ProbeSequence {
        let first = hash(key);
        ProbeSequence {
            first,
            step: first.wrapping_mul(0x9e37_79b1) | 1,
            words,
        }
    }

    /// Returns the index of word `k`, by the high bits: no division.
    #[inline(always)]
    fn at(self, k: u32) -> u32 {
        let h = self.first.wrapping_add(k.wrapping_mul(self.step));
        ((u64::from(h) * u64::from(self.words)) >> 32) as u32
    }
}
