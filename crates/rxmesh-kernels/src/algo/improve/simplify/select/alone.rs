//! Selection in a block of one thread.

use super::super::{COST_SHIFT, LineForm};
use super::{Course, SelectTables, SimplifySelect};
use crate::lanes::four;
use glam::Vec4;

/// Number of edges ahead for which a CPU prefetches the values that entering them takes.
const AHEAD: u32 = 8;

impl<L: LineForm> SimplifySelect<L> {
    /// Works like [`SimplifySelect::look_at`], in a block of one thread, which has the words of some tasks.
    #[inline(always)]
    pub(super) fn look_alone(&self, block: u32, t: &SelectTables) {
        let (tasks, blocks) = (&self.end.tasks, self.blocks());
        let bound = self.course.get(Course::Bound as u32);
        let until = |block: u32| block * tasks.count() / blocks;
        let between = self.is_between();
        let mut task = until(block);
        while task < until(block + 1) {
            let [begin, end] = tasks.range(task, self.queue.len());
            let (mut first, mut listed) = (begin, 0);
            while first < end {
                let words = (end - first).min(self.words);
                let mut i = 0;
                while i < words {
                    t.chosen.set(i, 0);
                    i += 1;
                }
                t.new.clear();
                self.scan(first, self.edges(first, words), bound, t);
                self.enter(first, t);
                i = 0;
                while i < words {
                    let chosen = t.chosen.get(i);
                    self.refused.set(first + i, 0);
                    if between {
                        self.queue.set(first + i, 0);
                        listed = self.end.list_word(first + i, chosen, begin, listed);
                    } else {
                        self.queue.set(first + i, chosen);
                    }
                    i += 1;
                }
                first += words;
            }
            if between {
                self.end.tell_listed(task, begin, listed);
            }
            task += 1;
        }
    }

    /// Examines all edges and puts the cheap ones off for [`SimplifySelect::enter`]. It is for a block of one thread,
    /// whose branch predictor would guess at every edge if it is dead, expensive or cheap, and which does without by
    /// words of the set. There no edge is [`NEW`](super::super::NEW) ([`Collapse::settle`](super::super::Collapse)).
    #[inline(always)]
    fn scan(&self, first: u32, edges: u32, bound: u32, t: &SelectTables) {
        let costs = self.costs.costs;
        let mut word = 0;
        while 32 * word < edges {
            let (at, n) = (32 * (first + word), (edges - 32 * word).min(32));
            let whole = n == 32 && self.forgive == 0 && self.refused.get(first + word) == 0;
            if whole {
                self.scan_word(first + word, word, bound, t);
            } else {
                let mut k = 0;
                while k < n {
                    self.look(at + k, 32 * word + k, costs.get(at + k), bound, t);
                    k += 1;
                }
            }
            word += 1;
        }
    }

    /// Enters the edges that [`SimplifySelect::scan`] has put off.
    #[inline(always)]
    fn enter(&self, first: u32, t: &SelectTables) {
        let (costs, mesh) = (self.costs.costs, &self.costs.mesh);
        let n = t.new.n.get(1);
        let edge = |k: u32| 32 * first + t.new.off(k);
        let mut k = 0;
        while k < n {
            if k + 2 * AHEAD < n {
                mesh.ev.ask(2 * edge(k + 2 * AHEAD));
            }
            if k + AHEAD < n {
                self.order.ask(mesh, edge(k + AHEAD));
            }
            self.order.enter(mesh, edge(k), costs.get(edge(k)));
            k += 1;
        }
    }

    /// Scans a word of the set of edges that have not been refused in this round: word `i` of the block's.
    #[inline(always)]
    fn scan_word(&self, word: u32, i: u32, bound: u32, t: &SelectTables) {
        let costs = self.costs.costs;
        // Costs order as bits as they do as numbers; a missing or refused one is negative.
        let bound = Vec4::splat(f32::from_bits(bound.min(f32::INFINITY.to_bits())));
        let (mut open, mut cheap) = (0, 0);
        let mut k = 0;
        while k < 8 {
            let bits = costs.get4(8 * word + k);
            let cost = Vec4::from_array(four(|k| f32::from_bits(bits[k])));
            let some = !cost.is_negative_bitmask() & 0xf;
            open |= some << (4 * k);
            cheap |= (some & cost.cmple(bound).bitmask()) << (4 * k);
            k += 1;
        }
        t.chosen.set(i, cheap);
        while open != 0 {
            let cost = costs.get(32 * word + open.trailing_zeros());
            t.histogram.fetch_add(cost >> COST_SHIFT, 1);
            open &= open - 1;
        }
        while cheap != 0 {
            t.new.put_off(32 * i + cheap.trailing_zeros());
            cheap &= cheap - 1;
        }
    }
}
