//! How long launches go on that get nowhere.

/// Launches without progress before fewer patches are worked on at a time, and then before what is left is given up.
const IDLE_LAUNCHES: u32 = 2;

/// Launches in which something must come of it.
const WINDOW: u32 = 64;

/// In a window as many cavities must be carried out as seeds wait in the end, or this part of them: one in so many. A
/// launch that does one now and then is progress to nobody who waits for thousands.
const LEAST: u64 = 4;

/// After a window that did less, this part of the blocks goes on: blocks that stand in each other's way do less than
/// a few.
const FEWER: u32 = 4;

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
    /// With at most so many blocks; one alone finds no lock taken.
    Blocks(u32),
    /// Not at all: what is left cannot be done, or not in any time.
    GiveUp {
        /// Whether it cannot be done: a block alone found nothing.
        impossible: bool,
    },
}

/// Watches launches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Blocks as long as launches get somewhere.
    blocks: u32,
    idle: u32,
    alone: bool,
    /// The fewest seeds that waited.
    waiting: u64,
    launches: u32,
    done: u64,
}

impl Patience {
    /// At the start, when `blocks` may work at a time.
    pub(crate) fn new(blocks: u32) -> Patience {
        Patience {
            blocks,
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
                if self.blocks <= 1 {
                    return Next::GiveUp { impossible: false };
                }
                self.blocks = self.blocks.div_ceil(FEWER);
            }
            (self.launches, self.done) = (0, 0);
        }
        self.idle = if progress { 0 } else { self.idle + 1 };
        if progress {
            self.alone = false;
        } else if self.idle > IDLE_LAUNCHES {
            if self.alone {
                return Next::GiveUp { impossible: true };
            }
            (self.alone, self.idle) = (true, 0);
        }
        Next::Blocks(if self.alone { 1 } else { self.blocks })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Launches until the end, at most `most`; what the end was.
    fn run(blocks: u32, most: u32, launch: impl Fn(u32) -> Launch) -> (u32, Option<Next>) {
        let mut patience = Patience::new(blocks);
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
        for blocks in [1, 100] {
            // Half of what waits is done, then a third of 10000 again and again, as new seeds come.
            let halves = run(blocks, 1000, |i| Launch {
                done: 1 << 20 >> i.min(19),
                waiting: 1 << 20 >> i.min(19),
                sliced: 0,
            });
            assert_eq!(halves, (1000, None));
            let steady = run(blocks, 1000, |_| Launch {
                done: 100,
                waiting: 10_000,
                sliced: 0,
            });
            assert_eq!(steady, (1000, None));
        }
    }

    #[test]
    fn work_that_creeps_is_given_up() {
        // One cavity in four launches, the others in vain, while thousands wait; cuts do not count for ever.
        for sliced in [0, 1] {
            let creeping = |i| Launch {
                done: u32::from(i % 4 == 0),
                waiting: 5000 - u64::from(i / 4),
                sliced,
            };
            for (blocks, windows) in [(1, 1), (4, 2), (100, 5), (1000, 6)] {
                let (launches, end) = run(blocks, 10_000, creeping);
                assert_eq!(end, Some(Next::GiveUp { impossible: false }));
                assert!(launches <= windows * WINDOW, "{blocks}: {launches}");
            }
        }
    }

    #[test]
    fn blocks_in_each_others_way_become_fewer() {
        // Six blocks do one cavity in a launch, one does twenty.
        let (mut patience, mut waiting, mut blocks) = (Patience::new(6), 1000, 6);
        let mut launches = 0;
        while waiting > 0 {
            let done = if blocks == 1 { 20 } else { 1 };
            waiting = u64::saturating_sub(waiting, u64::from(done));
            launches += 1;
            match patience.after(Launch {
                done,
                waiting,
                sliced: 0,
            }) {
                Next::Blocks(n) => blocks = n,
                end => panic!("{end:?} with {waiting} left"),
            }
        }
        assert!((2 * WINDOW..3 * WINDOW).contains(&launches), "{launches}");
    }

    #[test]
    fn what_a_block_alone_cannot_do_is_impossible() {
        for blocks in [1, 100] {
            let (launches, end) = run(blocks, 1000, |_| Launch {
                done: 0,
                waiting: 7,
                sliced: 0,
            });
            assert_eq!(end, Some(Next::GiveUp { impossible: true }));
            assert_eq!(launches, 1 + 2 * (IDLE_LAUNCHES + 1));
        }
    }
}
