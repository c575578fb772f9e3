//! Rings of many sides, walked through once.
//!
//! Stages after the order of the faces is known walk around the ring of a side to find the edge's first side, or the
//! patches at it. For an edge with thousands of faces that would be a walk of thousands of steps for each of them.

use std::collections::HashMap;

use super::shared::{Locator, NONE};

/// Longest ring that is walked around.
const SHORT: usize = 16;

/// Precomputed data of the rings of more than [`SHORT`] sides.
#[derive(Default)]
pub(super) struct LongRings {
    /// Ring of a side.
    of_side: HashMap<u32, usize>,
    rings: Vec<PatchRing>,
}

struct PatchRing {
    first: u32,
    /// Patches that own a face of it, ascending.
    patches: Vec<u32>,
}

impl LongRings {
    /// Finds the long rings; `longest` is the length of the longest ring, `starts` are the first faces of the patches
    /// (or cells: simplices of `N` sides).
    pub(super) fn new<const N: u32>(next: &[u32], longest: u32, starts: &[u32]) -> LongRings {
        let mut found = LongRings::default();
        if longest as usize <= SHORT {
            return found;
        }
        let patches = Locator::new(starts);
        for side in 0..next.len() as u32 {
            if found.of_side.contains_key(&side) || around(next, side).nth(SHORT - 1).is_none() {
                continue;
            }
            let ring = || std::iter::once(side).chain(around(next, side));
            let mut at: Vec<u32> = ring().map(|side| patches.find(side / N)).collect();
            at.sort_unstable();
            at.dedup();
            found
                .of_side
                .extend(ring().map(|side| (side, found.rings.len())));
            found.rings.push(PatchRing {
                first: ring().min().unwrap_or(side),
                patches: at,
            });
        }
        found
    }

    fn of(&self, side: u32) -> Option<&PatchRing> {
        if self.rings.is_empty() {
            return None;
        }
        Some(&self.rings[*self.of_side.get(&side)?])
    }

    /// Returns the side that stands for the edge of a side: the first of its ring.
    pub(super) fn first(&self, next: &[u32], side: u32) -> u32 {
        match self.of(side) {
            Some(ring) => ring.first,
            None => around(next, side).fold(side, u32::min),
        }
    }

    /// Returns the patches that own a face at the edge of a side, if its ring is long.
    pub(super) fn patches(&self, side: u32) -> Option<&[u32]> {
        Some(&self.of(side)?.patches)
    }
}

/// Returns the other sides of a side's ring.
pub(super) fn around(next: &[u32], side: u32) -> impl Iterator<Item = u32> + '_ {
    let mut at = side;
    std::iter::from_fn(move || {
        at = next[at as usize];
        (at != NONE && at != side).then_some(at)
    })
    .fuse()
}
