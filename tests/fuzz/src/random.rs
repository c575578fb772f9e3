//! Random choices.

use rxmesh_host::mesh::Rng;

/// Source of random choices.
pub(crate) trait Choose {
    /// Returns a number from `low` to `high`, both included.
    fn between(&mut self, low: u64, high: u64) -> u64;

    /// Returns `true` with a probability of `part` percent.
    fn percent(&mut self, part: u64) -> bool;

    /// Returns one of several elements; there must be one.
    fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T;
}

impl Choose for Rng {
    fn between(&mut self, low: u64, high: u64) -> u64 {
        low + self.below(high - low + 1)
    }

    fn percent(&mut self, part: u64) -> bool {
        self.below(100) < part
    }

    fn one_of<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len() as u64) as usize]
    }
}
