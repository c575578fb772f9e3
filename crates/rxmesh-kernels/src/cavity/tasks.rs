//! How blocks of one thread each share a round on a CPU.

use crate::args;
use crate::mem::GlobalMut;

/// Words of [`Tasks`] for each task.
pub const TASK_WORDS: u32 = 4;

/// Fewer seeds for each task, on average, are given to fewer tasks.
const LEAST: u32 = 16;

args! {
    /// What each task has found in the launches of a round. A task goes on with what it found itself, and the tasks
    /// look at the seeds in the order of the elements: so one thread has mostly to do with one region of the mesh,
    /// launch after launch, and what it needs lies in its caches, not in those of another processor.
    ///
    /// Empty where a block is several threads.
    pub struct Tasks {
        /// Where each task has listed seeds for the next round, and how many; behind those of all tasks how many
        /// candidates each has, and how many winners.
        pub words: GlobalMut<u32>,
    }
}

impl Tasks {
    /// How many there are.
    #[inline(always)]
    pub(crate) fn count(&self) -> u32 {
        self.words.len() / TASK_WORDS
    }

    /// The first of `n` things that are a task's, and the one behind them. Where they are few some tasks have none,
    /// of each thread's about as many.
    #[inline(always)]
    pub(crate) fn range(&self, task: u32, n: u32) -> [u32; 2] {
        let mut count = self.count();
        let mut skip = 1;
        while count > 1 && n < LEAST * count {
            count = count.div_ceil(2);
            skip *= 2;
        }
        if !task.is_multiple_of(skip) {
            return [0; 2];
        }
        let end = |tasks: u32| (u64::from(n) * u64::from(tasks) / u64::from(count)) as u32;
        [end(task / skip), end(task / skip + 1)]
    }

    #[inline(always)]
    pub(super) fn set_listed(&self, task: u32, [place, n]: [u32; 2]) {
        self.words.set(2 * task, place);
        self.words.set(2 * task + 1, n);
    }

    /// Where in the round's list seed `i` is, in the order of the elements, and how many follow it there, itself among
    /// them. `from` is a task and how many seeds come before its own; who asks in ascending order keeps it.
    #[inline(always)]
    pub(super) fn piece(&self, i: u32, from: &mut [u32; 2]) -> [u32; 2] {
        let [mut task, mut before] = *from;
        let mut n = self.words.get(2 * task + 1);
        while i - before >= n && task + 1 < self.count() {
            before += n;
            task += 1;
            n = self.words.get(2 * task + 1);
        }
        *from = [task, before];
        [self.words.get(2 * task) + (i - before), n - (i - before)]
    }

    #[inline(always)]
    pub(super) fn candidates(&self, task: u32) -> u32 {
        self.words.get(2 * (self.count() + task))
    }

    #[inline(always)]
    pub(super) fn set_candidates(&self, task: u32, n: u32) {
        self.words.set(2 * (self.count() + task), n);
    }

    #[inline(always)]
    pub(super) fn winners(&self, task: u32) -> u32 {
        self.words.get(2 * (self.count() + task) + 1)
    }

    #[inline(always)]
    pub(super) fn set_winners(&self, task: u32, n: u32) {
        self.words.set(2 * (self.count() + task) + 1, n);
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use std::vec::Vec;

    fn tasks(words: &mut [u32]) -> Tasks {
        // SAFETY: as many words as there are, and no other view of them while these tasks are used.
        let words = unsafe { GlobalMut::new(words.as_mut_ptr(), words.len() as u32) };
        Tasks { words }
    }

    #[test]
    fn ranges_are_all_there_is() {
        for count in [1, 2, 7, 16, 24, 512] {
            let mut words = std::vec![0; (TASK_WORDS * count) as usize];
            let tasks = tasks(&mut words);
            for n in [0, 1, 15, 16, 33, 500, 8191, 100_000, u32::MAX] {
                let (mut at, mut most) = (0, 0);
                for task in 0..count {
                    let [first, end] = tasks.range(task, n);
                    if first < end {
                        assert_eq!(first, at);
                        (at, most) = (end, most.max(end - first));
                    }
                }
                assert_eq!(at, n);
                assert!(most <= n.div_ceil(count).max(2 * LEAST), "{most} of {n}");
            }
        }
    }

    #[test]
    fn pieces_follow_the_tasks() {
        let mut words = [0; 5 * TASK_WORDS as usize];
        let tasks = tasks(&mut words);
        // Who came first has listed first.
        let listed = [[9, 2], [0, 0], [0, 4], [11, 1], [4, 5]];
        for (task, place) in (0..).zip(listed) {
            tasks.set_listed(task, place);
        }
        let (mut from, mut at, mut places) = ([0; 2], 0, Vec::new());
        while at < 12 {
            let [place, n] = tasks.piece(at, &mut from);
            places.extend(place..place + n);
            at += n;
        }
        assert_eq!(places, [9, 10, 0, 1, 2, 3, 11, 4, 5, 6, 7, 8]);
        let mut from = [0; 2];
        assert_eq!(tasks.piece(4, &mut from), [2, 2]);
        assert_eq!(tasks.piece(6, &mut from), [11, 1]);
    }
}
