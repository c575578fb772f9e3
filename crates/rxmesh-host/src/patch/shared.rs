//! Small tools for filling arrays from many threads.

use crate::par::IntoLean;
use std::sync::atomic::AtomicU32;

use rayon::prelude::*;

/// No element.
pub(super) const NONE: u32 = u32::MAX;

const _: () = assert!(align_of::<AtomicU32>() == align_of::<u32>());

/// Views a slice as atomics, so that threads can scatter into it.
pub(super) fn share(slice: &mut [u32]) -> &[AtomicU32] {
    // SAFETY: `AtomicU32` has the size and bit validity of `u32` (its documentation says so) and the
    // same alignment (asserted above); the exclusive borrow is held for as long as the view lives,
    // so every access in that time is atomic.
    unsafe { &*(std::ptr::from_mut(slice) as *const [AtomicU32]) }
}

/// Cuts a slice at `starts[i] * scale`, which must cover it exactly.
pub(super) fn split_mut<'a, T>(
    mut slice: &'a mut [T],
    starts: &[u32],
    scale: usize,
) -> Vec<&'a mut [T]> {
    let lengths = starts.windows(2).map(|w| (w[1] - w[0]) as usize * scale);
    lengths
        .map(|length| {
            let (head, tail) = std::mem::take(&mut slice).split_at_mut(length);
            slice = tail;
            head
        })
        .collect()
}

/// Returns the exclusive prefix sum with the total at the end.
pub(super) fn prefix_sum(counts: impl IntoIterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0];
    let mut sum = 0;
    for count in counts {
        sum += count;
        starts.push(sum);
    }
    starts
}

/// Sorts `0..keys.len()` by key, stably: returns the start of each key, the sorted indices, and the place of each index
/// among them.
pub(super) fn counting_sort(keys: &[u32], key_count: usize) -> (Vec<u32>, Vec<u32>, Vec<u32>) {
    use std::sync::atomic::Ordering::Relaxed;
    let chunks = (1 << 22) / key_count.max(1 << 16);
    let chunk = keys.len().div_ceil(chunks.clamp(1, 64)).max(1 << 12);
    let mut cursors: Vec<Vec<u32>> = keys
        .par_chunks(chunk)
        .lean()
        .map(|keys| {
            let mut counts = vec![0; key_count];
            keys.iter().for_each(|&key| counts[key as usize] += 1);
            counts
        })
        .collect();
    let starts = cursors_from_counts(&mut cursors, key_count);
    let mut sorted = vec![0; keys.len()];
    let mut places = vec![0; keys.len()];
    let view = share(&mut sorted);
    keys.par_chunks(chunk)
        .zip(&mut cursors)
        .zip(places.par_chunks_mut(chunk))
        .enumerate()
        .lean()
        .for_each(|(c, ((keys, cursor), places))| {
            for (i, &key) in keys.iter().enumerate() {
                let at = &mut cursor[key as usize];
                view[*at as usize].store((c * chunk + i) as u32, Relaxed);
                places[i] = *at;
                *at += 1;
            }
        });
    (starts, sorted, places)
}

/// Turns the counts of each chunk into the offsets at which the chunk writes; returns the start of each key.
pub(super) fn cursors_from_counts(chunks: &mut [Vec<u32>], key_count: usize) -> Vec<u32> {
    let mut starts = Vec::with_capacity(key_count + 1);
    let mut sum = 0;
    for key in 0..key_count {
        starts.push(sum);
        for counts in chunks.iter_mut() {
            let count = counts[key];
            counts[key] = sum;
            sum += count;
        }
    }
    starts.push(sum);
    starts
}

/// Finds the range that holds an id, in nearly constant time.
pub(super) struct Locator<'a> {
    starts: &'a [u32],
    hints: Vec<u32>,
}

const HINT_SHIFT: u32 = 6;

impl<'a> Locator<'a> {
    /// Creates a locator; `starts` ascends, with the total at the end.
    pub(super) fn new(starts: &'a [u32]) -> Self {
        let total = starts.last().copied().unwrap_or(0);
        let mut hints = Vec::with_capacity((total >> HINT_SHIFT) as usize + 1);
        let mut range = 0;
        for hint in 0..=(total >> HINT_SHIFT) {
            while range + 2 < starts.len() && starts[range + 1] <= hint << HINT_SHIFT {
                range += 1;
            }
            hints.push(range as u32);
        }
        Self { starts, hints }
    }

    /// Returns the range that holds `id`, which must lie below the total.
    pub(super) fn find(&self, id: u32) -> u32 {
        let mut range = self.hints[(id >> HINT_SHIFT) as usize];
        while self.starts[range as usize + 1] <= id {
            range += 1;
        }
        range
    }
}

/// A map from ids to small numbers that is cheap to clear; kept by a thread from patch to patch.
#[derive(Default)]
pub(super) struct SmallMap {
    keys: Vec<u32>,
    values: Vec<u16>,
    used: Vec<u32>,
}

impl SmallMap {
    /// Empties the map and reserves space for `count` ids.
    pub(super) fn reset(&mut self, count: usize) {
        let size = (4 * count).next_power_of_two().max(64);
        if self.keys.len() < size {
            self.keys = vec![NONE; size];
            self.values = vec![0; size];
        } else if self.used.len() > self.keys.len() / 8 {
            self.keys.fill(NONE);
        } else {
            for &at in &self.used {
                self.keys[at as usize] = NONE;
            }
        }
        self.used.clear();
    }

    /// Returns the slot that holds the id, or the free one that it belongs into.
    fn slot(&self, id: u32) -> usize {
        let mask = self.keys.len() - 1;
        let hash = u64::from(id).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let mut at = (hash >> 40) as usize & mask;
        while self.keys[at] != id && self.keys[at] != NONE {
            at = (at + 1) & mask;
        }
        at
    }

    /// Sets the value of an id. Returns `true` if the id is new.
    pub(super) fn insert(&mut self, id: u32, value: u16) -> bool {
        let at = self.slot(id);
        let new = self.keys[at] == NONE;
        if new {
            self.keys[at] = id;
            self.used.push(at as u32);
        }
        self.values[at] = value;
        new
    }

    /// Returns the value of an id that is in the map.
    pub(super) fn get(&self, id: u32) -> u16 {
        self.values[self.slot(id)]
    }
}

/// Returns the next number of a SplitMix64 sequence.
pub(super) fn split_mix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
