//! Numbers that files give to nodes and elements, in any order and with gaps.

/// From numbers to places in the order of the file.
#[derive(Debug, Default)]
pub(super) struct Tags {
    /// Number of each place, until they are sorted.
    given: Vec<i64>,
    /// Numbers with their places, ascending; empty if the numbers run without gaps.
    sorted: Vec<(i64, u32)>,
}

impl Tags {
    pub(super) fn push(&mut self, tag: i64) {
        self.given.push(tag);
    }

    pub(super) fn reserve(&mut self, n: usize) {
        self.given.reserve_exact(n);
    }

    /// Sorts the numbers for [`find`](Self::find); the error is a number that is given twice.
    pub(super) fn sort(&mut self) -> Result<(), i64> {
        self.sorted.clear();
        if self.is_run() {
            return Ok(());
        }
        self.sorted = self.given.iter().copied().zip(0..).collect();
        self.sorted.sort_unstable();
        match self.sorted.windows(2).find(|w| w[0].0 == w[1].0) {
            Some(twice) => Err(twice[0].0),
            None => Ok(()),
        }
    }

    fn is_run(&self) -> bool {
        self.given
            .windows(2)
            .all(|w| w[0].checked_add(1) == Some(w[1]))
    }

    /// Returns the index of a number.
    pub(super) fn find(&self, tag: i64) -> Option<u32> {
        if self.sorted.is_empty() {
            let place = usize::try_from(tag.checked_sub(*self.given.first()?)?).ok()?;
            return (place < self.given.len()).then_some(place as u32);
        }
        let place = self.sorted.binary_search_by_key(&tag, |s| s.0).ok()?;
        Some(self.sorted[place].1)
    }

    pub(super) fn len(&self) -> usize {
        self.given.len()
    }
}
