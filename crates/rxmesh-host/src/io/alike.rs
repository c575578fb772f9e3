//! Warnings of one kind, as a file may give rise to thousands of them.

/// Limit of the warnings of a kind that are kept separate.
const MOST_ALONE: usize = 20;
/// Names in the one warning of many.
const NAMED: usize = 5;

/// Warnings of one kind: a few are kept unchanged, many become one with their number and the first names.
#[derive(Debug, Default)]
pub(super) struct Alike {
    count: usize,
    alone: Vec<String>,
    names: Vec<String>,
}

impl Alike {
    /// Adds a warning of something that has a name.
    pub(super) fn add(&mut self, name: &str, warning: impl FnOnce() -> String) {
        self.count += 1;
        if self.count <= MOST_ALONE {
            self.alone.push(warning());
        }
        if self.count <= NAMED {
            self.names.push(format!("'{name}'"));
        }
    }

    /// Returns the warnings. `many` follows their number in one for all, and the names end it.
    pub(super) fn warnings(self, many: &str) -> Vec<String> {
        if self.count <= MOST_ALONE {
            return self.alone;
        }
        vec![format!(
            "{} {many}: {}, ...",
            self.count,
            self.names.join(", ")
        )]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_warnings_are_one() {
        let of = |count: usize| {
            let mut alike = Alike::default();
            (0..count).for_each(|k| alike.add(&format!("n{k}"), || format!("n{k} is gone")));
            alike.warnings("names are gone")
        };
        assert!(of(0).is_empty());
        assert_eq!(of(2), ["n0 is gone", "n1 is gone"]);
        assert_eq!(of(20).len(), 20);
        assert_eq!(
            of(20_000),
            ["20000 names are gone: 'n0', 'n1', 'n2', 'n3', 'n4', ..."]
        );
    }
}
