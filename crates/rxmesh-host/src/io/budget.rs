//! A bound on the memory that a file's arrays take.

/// Bytes that any file may take, beside [`TIMES`] its size. Tests make do with less.
const BASE: u64 = if cfg!(test) { 1 << 24 } else { 1 << 30 };
/// Bytes that arrays may take for each byte of the file.
const TIMES: u64 = 64;

/// Bytes that the arrays of a file may still take: several arrays can name the same packed bytes, and a row or two can
/// stand for a whole column.
#[derive(Debug, Clone, Default)]
pub(super) struct Budget {
    left: u64,
    all: u64,
}

impl Budget {
    /// Returns the budget of a file of `bytes` bytes.
    pub(super) fn of(bytes: usize) -> Budget {
        let all = BASE.saturating_add(TIMES.saturating_mul(bytes as u64));
        Budget { left: all, all }
    }

    /// Adds another file's bytes.
    pub(super) fn add(&mut self, bytes: usize) {
        let more = TIMES.saturating_mul(bytes as u64);
        self.left = self.left.saturating_add(more);
        self.all = self.all.saturating_add(more);
    }

    /// Takes bytes for an array, or says why they are refused.
    pub(super) fn take(&mut self, bytes: usize) -> Result<(), String> {
        match self.left.checked_sub(bytes as u64) {
            Some(left) => {
                self.left = left;
                Ok(())
            }
            None => Err(format!(
                "the arrays of this file take more than {} bytes of memory, {TIMES} times its size and {BASE}: it is \
                    damaged, or made to fill memory",
                self.all
            )),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_ends() {
        let mut budget = Budget::of(10);
        budget.add(2);
        budget.take(BASE as usize).unwrap();
        budget.take(64 * 12).unwrap();
        assert!(budget.take(1).unwrap_err().contains("fill memory"));
        budget.take(0).unwrap();
    }
}
