//! Names of columns, each made unique in constant time.

use crate::mesh::{ElementKind, is_free_name};
use std::collections::{HashMap, HashSet};

/// The names that the columns of a file have so far.
#[derive(Debug, Default)]
pub(super) struct UniqueNames {
    taken: HashSet<(ElementKind, String)>,
    /// The next number to try after a name that is taken.
    next: HashMap<(ElementKind, String), u64>,
}

impl UniqueNames {
    /// Returns `true` if a column has the name.
    pub(super) fn is_taken(&self, element: ElementKind, name: &str) -> bool {
        self.taken.contains(&(element, name.to_owned()))
    }

    /// Reserves a name, unchanged.
    pub(super) fn take(&mut self, element: ElementKind, name: &str) {
        self.taken.insert((element, name.to_owned()));
    }

    /// Reserves the free name that is most like `name`: other characters than columns may have become `_`, and a number
    /// follows a name that is taken.
    pub(super) fn free(&mut self, element: ElementKind, name: &str) -> String {
        let fits = |c: char| !c.is_ascii_whitespace() && !c.is_control();
        let mut free: String = name
            .chars()
            .map(|c| if fits(c) { c } else { '_' })
            .collect();
        if free.is_empty() || !is_free_name(element, &free) {
            free.insert(0, '_');
        }
        let mut key = (element, free);
        if !self.taken.contains(&key) {
            self.taken.insert(key.clone());
            return key.1;
        }
        // A name with a number has one way to be made, so all names together are tried once each.
        let next = self.next.entry(key.clone()).or_insert(2);
        let first = std::mem::take(&mut key.1);
        loop {
            key.1 = format!("{first}_{next}");
            *next += 1;
            if !self.taken.contains(&key) {
                self.taken.insert(key.clone());
                return key.1;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_made_unique() {
        let mut names = UniqueNames::default();
        let mut free = |name| names.free(ElementKind::Vertex, name);
        assert_eq!(free("a"), "a");
        assert_eq!(free("a_3"), "a_3");
        assert_eq!(["a", "a", "a"].map(&mut free), ["a_2", "a_4", "a_5"]);
        assert_eq!(free("x"), "_x");
        assert_eq!(free("2 m"), "2_m");
        assert_eq!(free(""), "_");
        assert_eq!(names.free(ElementKind::Cell, "a"), "a");
    }
}
