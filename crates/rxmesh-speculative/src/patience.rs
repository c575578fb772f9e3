//! How long launches go on that get nowhere.

/// Launches without progress before fewer patches are worked on at a time, and then before what is left is given up.
const IDLE_LAUNCHES: u32 = 2;

/// Launches in which something must come of it.
const WINDOW: u32 = 64;

/// In a window as many cavities must be carried out as seeds wait in the end, or this part of them: one in so many. A
/// launch that does one now and then is progress to nobody who waits for thousands.
const LEAST: u64 = 4;

/// What a launch did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Launch {
    /// Cavities that were carried out.
    pub(crate) done: u32,
    /// Seeds that wait after it.
    pub(crate) waiting: u64,
    /// Patches that were cut after it.
    pub(crate) sliced: u32,
}

/// How to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// With as many blocks as there may be.
    All,
    /// With as many as before.
    Same,
    /// With one, which finds no lock taken.
    Alone,
    /// Not at all: what is left cannot be done, or not in any time.
    GiveUp {
        /// Whether it cannot be done: a block alone found nothing.
        impossible: bool,
    },
}

/// Watches launches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    idle: u32,
    alone: bool,
    /// The fewest seeds that waited.
    waiting: u64,
    launches: u32,
    done: u64,
}

impl Patience {
    pub(crate) fn new() -> Patience {
        Patience {
            idle: 0,
            alone: false,
            waiting: u64::MAX,
            launches: 0,
            done: 0,
        }
    }

    /// Whether a launch that did so much, before patches were cut, is the last but for cuts.
    pub(crate) fn is_stuck(&self, done: u32, waiting: u64) -> bool {
        !self.moves(done, waiting) && self.alone && self.idle >= IDLE_LAUNCHES
    }

    fn moves(&self, done: u32, waiting: u64) -> bool {
        done > 0 || waiting < self.waiting
    }

    /// After a launch.
    pub(crate) fn after(&mut self, launch: Launch) -> Next {
        let progress = self.moves(launch.done, launch.waiting) || launch.sliced > 0;
        self.waiting = self.waiting.min(launch.waiting);
        self.launches += 1;
        self.done += u64::from(launch.done);
        if self.launches == WINDOW {
            if self.done * LEAST < launch.waiting {
                return Next::GiveUp { impossible: false };
            }
            (self.launches, self.done) = (0, 0);
        }
        self.idle = if progress { 0 } else { self.idle + 1 };
        if progress {
            self.alone = false;
            return Next::All;
        }
        if self.idle <= IDLE_LAUNCHES {
            return Next::Same;
        }
        if self.alone {
            return Next::GiveUp { impossible: true };
        }
        (self.alone, self.idle) = (true, 0);
        Next::Alone
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Launches until the end, at most `most`; what the end was.
    fn run(most: u32, mut launch: impl FnMut(u32) -> Launch) -> (u32, Option<Next>) {
        let mut patience = Patience::new();
        for i in 1..=most {
            let next = patience.after(launch(i));
            if matches!(next, Next::GiveUp { .. }) {
                return (i, Some(next));
            }
        }
        (most, None)
    }

    #[test]
    fn work_that_gets_on_is_never_given_up() {
        // Half of what waits is done, then a third of 10000 again and again, as new seeds come.
        let halves = run(1000, |i| Launch {
            done: 1 << 20 >> i.min(19),
            waiting: 1 << 20 >> i.min(19),
            sliced: 0,
        });
        assert_eq!(halves, (1000, None));
        let steady = run(1000, |_| Launch {
            done: 100,
            waiting: 10_000,
            sliced: 0,
        });
        assert_eq!(steady, (1000, None));
    }

    #[test]
    fn work_that_creeps_is_given_up() {
        // One cavity in four launches, the others in vain, while thousands wait; cuts do not count for ever.
        for sliced in [0, 1] {
            let (launches, end) = run(10_000, |i| Launch {
                done: u32::from(i % 4 == 0),
                waiting: 5000 - u64::from(i / 4),
                sliced,
            });
            assert_eq!(end, Some(Next::GiveUp { impossible: false }));
            assert!(launches <= WINDOW, "{launches}");
        }
    }

    #[test]
    fn what_a_block_alone_cannot_do_is_impossible() {
        let (launches, end) = run(1000, |_| Launch {
            done: 0,
            waiting: 7,
            sliced: 0,
        });
        assert_eq!(end, Some(Next::GiveUp { impossible: true }));
        assert_eq!(launches, 1 + 2 * (IDLE_LAUNCHES + 1));
    }
}
