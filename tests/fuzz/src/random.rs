//! Choices at random.

use rxmesh_host::mesh::Rng;

/// Chooses.
pub(crate) trait Choose {
    /// A number from `low` to `high`, both possible.
    fn between(&mut self, low: u64, high: u64) -> u64;

    /// Whether something happens that happens `part` times in 100.
    fn percent(&mut self, part: u64) -> bool;

    /// One of several; there must be one.
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
