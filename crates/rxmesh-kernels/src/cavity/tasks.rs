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
    pub(super) fn count(&self) -> u32 {
        self.words.len() / TASK_WORDS
    }

    /// The first of `n` things that are a task's, and the one behind them. Where they are few some tasks have none,
    /// of each thread's about as many.
    #[inline(always)]
    pub(super) fn range(&self, task: u32, n: u32) -> [u32; 2] {
        let mut count = self.count();
        let mut skip = 1;
        while count > 1 && n < LEAST * count {
            count = count.div_ceil(2);
            skip *= 2;
        }
        if task % skip != 0 {
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
