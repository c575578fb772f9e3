//! Detection of launches without progress.

/// Launches without progress before the number of concurrent patches is reduced, and then before the rest is given up.
const IDLE_LAUNCHES: u32 = 2;

/// Number of launches in a window over which progress is measured.
const WINDOW: u32 = 64;

/// Required progress of a window: at least 1 / `LEAST` as many cavities must be carried out as seeds wait at its end.
/// One cavity per launch is too slow when thousands wait.
const LEAST: u64 = 4;

/// Factor by which the number of blocks is reduced after a window with less progress: blocks that hinder each other do
/// less than a few.
const FEWER: u32 = 4;

/// Result of a launch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LaunchResult {
    /// Number of cavities that were carried out.
    pub(crate) done: u32,
    /// Number of seeds that wait after it.
    pub(crate) waiting: u64,
    /// Number of patches that were cut after it.
    pub(crate) sliced: u32,
}

/// Decision after a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NextLaunch {
    /// Continue with at most this many blocks; a single one finds no lock taken.
    Blocks(u32),
    /// Stop: the rest cannot be done, or not in reasonable time.
    GiveUp {
        /// `true` if it cannot be done: a single block found nothing.
        impossible: bool,
    },
}

/// Watches the progress of launches.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patience {
    /// Number of blocks while launches make progress.
    blocks: u32,
    idle: u32,
    alone: bool,
    /// Smallest number of waiting seeds so far.
    waiting: u64,
    launches: u32,
    done: u64,
}

impl Patience {
    /// Makes the initial state, with at most `blocks` concurrent blocks.
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

    /// Returns `true` if a launch with these counts, before patches are cut, is the last unless cuts help.
    pub(crate) fn is_stuck(&self, done: u32, waiting: u64) -> bool {
        !self.moves(done, waiting) && self.alone && self.idle >= IDLE_LAUNCHES
    }

    fn moves(&self, done: u32, waiting: u64) -> bool {
        done > 0 || waiting < self.waiting
    }

    /// Decides after a launch.
    pub(crate) fn after(&mut self, launch: LaunchResult) -> NextLaunch {
        let progress = self.moves(launch.done, launch.waiting) || launch.sliced > 0;
        self.waiting = self.waiting.min(launch.waiting);
        self.launches += 1;
        self.done += u64::from(launch.done);
        if self.launches == WINDOW {
            if self.done * LEAST < launch.waiting {
                if self.blocks <= 1 {
                    return NextLaunch::GiveUp { impossible: false };
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
                return NextLaunch::GiveUp { impossible: true };
            }
            (self.alone, self.idle) = (true, 0);
        }
        NextLaunch::Blocks(if self.alone { 1 } else { self.blocks })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs launches until the end, at most `most`; returns their number and the final decision.
    fn run(
        blocks: u32,
        most: u32,
        launch: impl Fn(u32) -> LaunchResult,
    ) -> (u32, Option<NextLaunch>) {
        let mut patience = Patience::new(blocks);
        for i in 1..=most {
            let next = patience.after(launch(i));
            if matches!(next, NextLaunch::GiveUp { .. }) {
                return (i, Some(next));
            }
        }
        (most, None)
    }

    #[test]
    fn work_that_gets_on_is_never_given_up() {
        for blocks in [1, 100] {
            // Half of the waiting seeds are processed, then a constant rate of 100 with 10,000 waiting, as new seeds
            // come.
            let halves = run(blocks, 1000, |i| LaunchResult {
                done: 1 << 20 >> i.min(19),
                waiting: 1 << 20 >> i.min(19),
                sliced: 0,
            });
            assert_eq!(halves, (1000, None));
            let steady = run(blocks, 1000, |_| LaunchResult {
                done: 100,
                waiting: 10_000,
                sliced: 0,
            });
            assert_eq!(steady, (1000, None));
        }
    }

    #[test]
    fn work_that_creeps_is_given_up() {
        // One cavity in four launches, while thousands wait; cuts do not count as progress indefinitely.
        for sliced in [0, 1] {
            let creeping = |i| LaunchResult {
                done: u32::from(i % 4 == 0),
                waiting: 5000 - u64::from(i / 4),
                sliced,
            };
            for (blocks, windows) in [(1, 1), (4, 2), (100, 5), (1000, 6)] {
                let (launches, end) = run(blocks, 10_000, creeping);
                assert_eq!(end, Some(NextLaunch::GiveUp { impossible: false }));
                assert!(launches <= windows * WINDOW, "{blocks}: {launches}");
            }
        }
    }

    #[test]
    fn blocks_in_each_others_way_become_fewer() {
        // Six blocks do one cavity per launch, one does twenty.
        let (mut patience, mut waiting, mut blocks) = (Patience::new(6), 1000, 6);
        let mut launches = 0;
        while waiting > 0 {
            let done = if blocks == 1 { 20 } else { 1 };
            waiting = u64::saturating_sub(waiting, u64::from(done));
            launches += 1;
            match patience.after(LaunchResult {
                done,
                waiting,
                sliced: 0,
            }) {
                NextLaunch::Blocks(n) => blocks = n,
                end => panic!("{end:?} with {waiting} left"),
            }
        }
        assert!((2 * WINDOW..3 * WINDOW).contains(&launches), "{launches}");
    }

    #[test]
    fn what_a_block_alone_cannot_do_is_impossible() {
        for blocks in [1, 100] {
            let (launches, end) = run(blocks, 1000, |_| LaunchResult {
                done: 0,
                waiting: 7,
                sliced: 0,
            });
            assert_eq!(end, Some(NextLaunch::GiveUp { impossible: true }));
            assert_eq!(launches, 1 + 2 * (IDLE_LAUNCHES + 1));
        }
    }
}
