//! Disjoint sets of numbers.

/// Disjoint sets with path halving; the root of a set is its smallest member.
#[derive(Debug)]
pub(crate) struct Sets(Vec<u32>);

impl Sets {
    /// Creates `n` sets of one member each.
    pub(crate) fn new(n: usize) -> Sets {
        Sets((0..n as u32).collect())
    }

    /// Returns the smallest member of the set that `a` is in.
    pub(crate) fn root(&mut self, mut a: u32) -> u32 {
        while self.0[a as usize] != a {
            let up = self.0[self.0[a as usize] as usize];
            self.0[a as usize] = up;
            a = up;
        }
        a
    }

    /// Unites two sets. Returns `true` if they were two.
    pub(crate) fn unite(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a.max(b) as usize] = a.min(b);
        a != b
    }
}
