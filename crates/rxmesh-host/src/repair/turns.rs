//! Sets of connected faces, each face turned over or not.

/// Disjoint sets of faces; each face is turned relative to the set's root or not. The root is the lowest face.
#[derive(Debug)]
pub(super) struct TurnSets {
    up: Vec<u32>,
    /// Relative to the face above.
    turned: Vec<bool>,
}

impl TurnSets {
    pub(super) fn new(n: usize) -> TurnSets {
        TurnSets {
            up: (0..n as u32).collect(),
            turned: vec![false; n],
        }
    }

    /// Returns the root of a face's set, and `true` if the face is turned relative to it.
    pub(super) fn root(&mut self, mut f: u32) -> (u32, bool) {
        let mut turned = false;
        while self.up[f as usize] != f {
            let up = self.up[f as usize];
            self.turned[f as usize] ^= self.turned[up as usize];
            self.up[f as usize] = self.up[up as usize];
            turned ^= self.turned[f as usize];
            f = self.up[f as usize];
        }
        (f, turned)
    }

    /// Unites the sets of two faces so that the one is turned relative to the other, or not. False when they are in one
    /// set where it is otherwise.
    pub(super) fn unite(&mut self, f: u32, g: u32, turned: bool) -> bool {
        let ((rf, tf), (rg, tg)) = (self.root(f), self.root(g));
        let between = tf ^ tg ^ turned;
        if rf == rg {
            return !between;
        }
        let (low, high) = (rf.min(rg), rf.max(rg));
        self.up[high as usize] = low;
        self.turned[high as usize] = between;
        true
    }

    /// Sets a face's root, which must be one, and its turn.
    pub(super) fn set(&mut self, f: u32, root: u32, turned: bool) {
        self.up[f as usize] = root;
        self.turned[f as usize] = turned;
    }
}

#[cfg(test)]
mod tests {
    use super::TurnSets;

    #[test]
    fn turns_add_up_along_a_chain() {
        let mut t = TurnSets::new(6);
        assert!(t.unite(4, 5, true) && t.unite(3, 4, false) && t.unite(5, 0, true));
        // 0 turned against 5, 5 against 4, so 0 as 4.
        assert_eq!(t.root(4), (0, false));
        assert_eq!(t.root(3), (0, false));
        assert_eq!(t.root(5), (0, true));
        assert!(t.unite(3, 5, true) && !t.unite(3, 5, false));
        assert_eq!(t.root(1), (1, false));
    }
}
