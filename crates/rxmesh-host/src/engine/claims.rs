//! Claims on memory that launches and the host's own accesses share.
//!
//! Independent of other modules, as `cpu/crew.rs` is: `tests/threads` compiles both alone, to watch their threads.

use std::sync::atomic::{AtomicU32, Ordering};

/// Current users of an allocation: any number of readers, or one writer. A claim never waits: the pool lends waiting
/// threads to other work, so the thread that waits may be the one that holds the claim.
#[derive(Default)]
pub(super) struct Claims(AtomicU32);

const WRITER: u32 = u32::MAX;

impl Claims {
    /// Claims the allocation, unless other claims conflict with it.
    pub(super) fn take(&self, write: bool) -> bool {
        let next = |now: u32| match (write, now) {
            (true, 0) => Some(WRITER),
            (true, _) => None,
            (false, now) => (now < WRITER - 1).then(|| now + 1),
        };
        self.0
            .fetch_update(Ordering::Acquire, Ordering::Relaxed, next)
            .is_ok()
    }

    pub(super) fn give_back(&self, write: bool) {
        if write {
            self.0.store(0, Ordering::Release);
        } else {
            self.0.fetch_sub(1, Ordering::Release);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::UnsafeCell;

    /// Words that are accessed plainly, under a claim.
    #[derive(Default)]
    struct Claimed {
        claims: Claims,
        words: UnsafeCell<[u64; 2]>,
    }

    // SAFETY: accessed under a claim.
    unsafe impl Sync for Claimed {}

    #[test]
    fn one_writes_or_many_read() {
        let (shared, tries) = (&Claimed::default(), if cfg!(miri) { 50 } else { 2000 });
        let written: u64 = std::thread::scope(|scope| {
            let threads = [0, 1, 2, 3].map(|t| {
                scope.spawn(move || {
                    let mut written = 0;
                    for k in 0..tries {
                        let write = (k + t) % 3 == 0;
                        if !shared.claims.take(write) {
                            std::thread::yield_now();
                            continue;
                        }
                        if write {
                            // SAFETY: claimed to write.
                            let words = unsafe { &mut *shared.words.get() };
                            words[0] += 1;
                            words[1] = words[0];
                            written += 1;
                        } else {
                            // SAFETY: claimed to read.
                            let words = unsafe { &*shared.words.get() };
                            assert_eq!(words[0], words[1]);
                        }
                        shared.claims.give_back(write);
                    }
                    written
                })
            });
            threads.map(|t| t.join().expect("no panic")).iter().sum()
        });
        assert!(shared.claims.take(true));
        // SAFETY: claimed.
        assert_eq!(unsafe { *shared.words.get() }, [written; 2]);
    }

    #[test]
    fn claims_stand_against_each_other() {
        let claims = Claims::default();
        assert!(claims.take(false) && claims.take(false) && !claims.take(true));
        claims.give_back(false);
        assert!(!claims.take(true));
        claims.give_back(false);
        assert!(claims.take(true) && !claims.take(true) && !claims.take(false));
        claims.give_back(true);
        assert!(claims.take(false));
    }
}
