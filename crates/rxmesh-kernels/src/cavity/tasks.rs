//! Distribution of a round over blocks of one thread each on a CPU.

use crate::args;
use crate::mem::GlobalMut;

/// Words of [`Tasks`] for each task.
pub const TASK_WORDS: u32 = 4;

/// Fewer seeds for each task, on average, are given to fewer tasks.
const LEAST: u32 = 16;

args! {
    /// Results of each task in the launches of a round. A task continues with its own results, and the tasks take the
    /// seeds in the order of the elements: so one thread mostly works on one region of the mesh, launch after launch,
    /// and its data lie in its caches, not in those of another processor.
    ///
    /// Empty if a block is several threads.
    pub struct Tasks {
        /// Start and number of the seeds that each task has listed for the next round; after those of all tasks the
        /// numbers of candidates and of winners of each.
        pub words: GlobalMut<u32>,
    }
}

impl Tasks {
    /// Returns the number of tasks.
    #[inline(always)]
    pub(crate) fn count(&self) -> u32 {
        self.words.len() / TASK_WORDS
    }

    /// Returns the first of `n` items that are a task's, and the one after them. If there are few items some tasks
    /// have none, about equally many of each thread's.
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

    /// Returns the place of seed `i` in the round's list, in the order of the elements, and the number of seeds from it
    /// on that follow each other there. `from` is a task and the number of seeds before its own; a caller that asks in
    /// ascending order keeps it.
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
        // The tasks have listed their seeds in the order in which they came.
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
