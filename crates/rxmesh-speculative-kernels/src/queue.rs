//! Work queue of patches.

use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::mem::{Bind, GlobalMut, Piece, Words, atomic};

/// Marks a slot that waits for the next item.
const EMPTY: u32 = u32::MAX;
/// Marks a slot that was read before its item came: the producer of the item takes another slot.
const SKIPPED: u32 = u32::MAX - 1;

// The counters lie in separate memory sectors, and not at the very address of an argument, which the device compiler
// takes for one that could be anywhere.
/// Index of the number of tickets given to consumers.
const HEAD: u32 = 32;
/// Index of the number of tickets given to producers.
const TAIL: u32 = 64;
/// Index of a lower bound of the number of available items that are not reserved.
const ITEMS: u32 = 96;
/// Index of an upper bound of the number of slots that are in use or reserved.
const USED: u32 = 128;
/// Minimum number of tickets to try, for small queues.
const LEAST_PATIENCE: u32 = 64;
/// Number of words before the slots.
const HEADER: u32 = 160;

/// Queue of patch numbers in an array, after Gottlieb, Lubachevsky and Rudolph ("Basic techniques for the efficient
/// coordination of very large numbers of cooperating sequential processors", 1983; 2024 paper, section 5.3): tickets by
/// fetch-and-add, and two counters, a lower bound of items and an upper bound of slots, that are tested first.
///
/// Their queue waits at a slot whose item has not arrived. Here no thread waits (rule P6): a consumer that comes first
/// marks the slot and takes the next ticket, and a producer that finds the mark puts its item elsewhere. Items go in
/// and out by one atomic exchange of their slot, so none is lost or handed out twice, whatever the delays. The order is
/// first in, first out except for such collisions.
///
/// Any thread may push and pop; usually one elected thread of a block does. The writes of a block to global memory
/// before it pushed a patch (with a barrier between) are visible to the block that pops it (contract U6 of
/// docs/inside/unsafe.md).
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Queue<W> {
    words: W,
}

/// Queue of a launch, in global memory.
pub type PatchQueue = Queue<GlobalMut<u32>>;

// SAFETY: one view.
unsafe impl Bind for PatchQueue {
    #[inline(always)]
    fn bind(&self) {
        self.words.bind();
    }
    unsafe fn visit(&mut self, resolve: &mut dyn FnMut(Piece) -> Option<usize>) {
        // SAFETY: the caller upholds the contract.
        unsafe { self.words.visit(resolve) }
    }
}

impl<W: Words> Queue<W> {
    /// Returns the number of words of a queue with at least this capacity, which is rounded up to a power of two.
    pub const fn words_for(patches: u32) -> u32 {
        let room = if patches < 2 { 2 } else { patches };
        HEADER + room.next_power_of_two()
    }

    /// Makes a queue over [`Queue::words_for`] words; [`FillQueue`] initialises it.
    #[inline(always)]
    pub fn new(words: W) -> Queue<W> {
        let queue = Queue { words };
        debug_assert!(words.len() > HEADER && queue.capacity().is_power_of_two());
        queue
    }

    /// Returns the capacity in patches.
    #[inline(always)]
    pub fn capacity(self) -> u32 {
        self.words.len() - HEADER
    }

    /// Returns the number of patches in the queue; during concurrent pushes and pops, a lower bound.
    #[inline(always)]
    pub fn len(self) -> u32 {
        let items = self.words.load(ITEMS) as i32;
        if items > 0 { items as u32 } else { 0 }
    }

    /// Returns `true` if [`Queue::len`] is zero.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Returns the number of consumer tickets since the queue was filled: one for each patch taken, and one for each
    /// slot that was read too early.
    #[inline(always)]
    pub fn tickets(self) -> u32 {
        self.words.load(HEAD)
    }

    /// Returns the slot of a ticket.
    #[inline(always)]
    fn slot(self, ticket: u32) -> u32 {
        HEADER + (ticket & (self.capacity() - 1))
    }

    /// Returns the number of tickets after which to give up: every slot has been visited twice, and in small queues,
    /// whose marks may be changing, often.
    #[inline(always)]
    fn patience(self) -> u32 {
        2 * self.capacity() + LEAST_PATIENCE
    }

    /// Adds a patch; returns `false` if the queue is full, which cannot happen with a capacity for all patches.
    #[inline(always)]
    pub fn push(self, patch: u32) -> bool {
        debug_assert!(patch < SKIPPED, "no patch has this number");
        if self.words.fetch_add(USED, 1) >= self.capacity() {
            self.words.fetch_add(USED, u32::MAX);
            return false;
        }
        // The block's writes become visible before the patch.
        atomic::fence();
        let mut tries = 0;
        while tries < self.patience() {
            let slot = self.slot(self.words.fetch_add(TAIL, 1));
            let there = self.words.compare_exchange(slot, EMPTY, patch);
            if there == EMPTY {
                self.words.fetch_add(ITEMS, 1);
                return true;
            }
            if there == SKIPPED {
                // The consumer that marked it has gone on; the next producer finds the slot empty.
                self.words.compare_exchange(slot, SKIPPED, EMPTY);
            }
            tries += 1;
        }
        self.words.fetch_add(USED, u32::MAX);
        false
    }

    /// Takes a patch; returns `None` if the queue is empty, or if other threads are about to take or add all of its
    /// items. After a launch the queue's length is exact.
    #[inline(always)]
    pub fn pop(self) -> Option<u32> {
        // Load first, so that consumers that find nothing do not make others fail.
        if self.is_empty() {
            return None;
        }
        if self.words.fetch_add(ITEMS, u32::MAX) as i32 <= 0 {
            self.words.fetch_add(ITEMS, 1);
            return None;
        }
        // One of the items in the slots is reserved now, and lies ahead.
        let mut tries = 0;
        while tries < self.patience() {
            let slot = self.slot(self.words.fetch_add(HEAD, 1));
            let there = self.take(slot);
            if is_item(there) {
                self.words.fetch_add(USED, u32::MAX);
                // The patch is read before the block's reads.
                atomic::fence();
                return Some(there);
            }
            tries += 1;
        }
        self.words.fetch_add(ITEMS, 1);
        None
    }

    /// Takes the content of a slot, which is empty then; marks the slot if there is no item.
    #[inline(always)]
    fn take(self, slot: u32) -> u32 {
        let there = self.words.swap(slot, EMPTY);
        if is_item(there) {
            return there;
        }
        let there = self.words.compare_exchange(slot, EMPTY, SKIPPED);
        if is_item(there) {
            // It arrived in between.
            return self.words.swap(slot, EMPTY);
        }
        there
    }
}

/// Returns `true` if a slot's word is a patch.
#[inline(always)]
fn is_item(word: u32) -> bool {
    word < SKIPPED
}

rxmesh_kernels::args! {
    /// Permutation of `0..n` in which nearby positions hold distant numbers: multiples of a stride near `n` over the
    /// golden ratio. Patch numbers are spatially coherent, so concurrently edited patches are seldom neighbours (2024
    /// paper, section 4.3).
    pub struct FarApart {
        n: u32,
        stride: u32,
        /// Stride over `n`, in units of 2^-32, rounded down.
        ratio: u32,
    }
}

impl FarApart {
    /// Makes the permutation of `0..n`; `n` is below 2^31.
    pub fn new(n: u32) -> FarApart {
        debug_assert!(n < 1 << 31, "{n} patches");
        // 2^32 over the golden ratio.
        let ideal = ((u64::from(n) * 0x9e37_79b9) >> 32) as u32;
        let (mut stride, mut least) = (0, u32::MAX);
        // n - 1 is coprime to n, so the search ends.
        let mut away = 0;
        while n > 1 && (away < 32 || least == u32::MAX) {
            for candidate in [ideal.saturating_sub(away), ideal + away] {
                let quotient = largest_quotient(candidate, n);
                if quotient < least {
                    (stride, least) = (candidate, quotient);
                }
            }
            away += 1;
        }
        let ratio = ((u64::from(stride) << 32) / u64::from(n.max(1))) as u32;
        FarApart { n, stride, ratio }
    }

    /// Returns number `i` of the permutation, for `i` below `n`.
    #[inline(always)]
    pub fn at(self, i: u32) -> u32 {
        debug_assert!(i < self.n, "{i} of {}", self.n);
        // i * stride modulo n without a 64-bit division: the quotient by the ratio is exact or one too small.
        let quotient = ((u64::from(i) * u64::from(self.ratio)) >> 32) as u32;
        let rest = i
            .wrapping_mul(self.stride)
            .wrapping_sub(quotient.wrapping_mul(self.n));
        if rest < self.n { rest } else { rest - self.n }
    }
}

/// Returns [`FarApart`] as an iterator.
pub fn far_apart(n: u32) -> impl Iterator<Item = u32> {
    let order = FarApart::new(n);
    (0..n).map(move |i| order.at(i))
}

/// Returns the largest quotient of the continued fraction of `a / n`, or `u32::MAX` if the two are not coprime or `a`
/// is not below `n`: the smaller it is, the more evenly multiples of `a` spread over `0..n` (Knuth, "The Art of
/// Computer Programming", volume 2, section 3.3.3).
fn largest_quotient(a: u32, n: u32) -> u32 {
    let (mut a, mut b, mut largest) = (a, n, 0);
    if a >= n {
        return u32::MAX;
    }
    while a != 0 {
        largest = largest.max(b / a);
        (a, b) = (b % a, a);
    }
    if b == 1 { largest } else { u32::MAX }
}

kernel! {
    /// Fills a queue with the patches `0..patches`, in an order in which neighbours are far apart, whatever the queue
    /// held. One index per word of the queue ([`Queue::words_for`]).
    pub struct FillQueue: Flat {
        /// Queue with capacity for all patches.
        queue: PatchQueue,
        /// Number and order of the patches.
        order: FarApart,
    }
}

impl FillQueue {
    /// Makes the kernel for the patches `0..patches`; `None` if the queue's capacity is smaller.
    pub fn new(queue: PatchQueue, patches: u32) -> Option<FillQueue> {
        (patches <= queue.capacity()).then(|| FillQueue {
            queue,
            order: FarApart::new(patches),
        })
    }

    /// Returns the number of indices to launch.
    pub fn len(&self) -> u32 {
        self.queue.words.len()
    }

    /// Returns `true` if there is nothing to do; never.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

// SAFETY: indices of one launch write disjoint elements or atomically; the host launches no more of them than the views
// can hold (contracts U3, U4).
unsafe impl FlatKernel for FillQueue {
    #[inline(always)]
    fn run(&self, i: u32) {
        let patches = self.order.n;
        let word = if i >= HEADER {
            let ticket = i - HEADER;
            if ticket < patches {
                self.order.at(ticket)
            } else {
                EMPTY
            }
        } else if i == TAIL || i == ITEMS || i == USED {
            patches
        } else {
            0
        };
        self.queue.words.set(i, word);
    }
}

rxmesh_kernels::hashed! { [] PatchQueue }

#[cfg(test)]
mod tests {
    use super::{FarApart, far_apart};
    use std::vec;
    use std::vec::Vec;

    #[test]
    fn far_apart_is_a_permutation() {
        for n in (0..3000).chain([65_536, 100_000, 99_991, 1 << 20]) {
            let mut seen = vec![false; n as usize];
            far_apart(n).for_each(|i| seen[i as usize] = true);
            assert!(seen.iter().all(|&s| s), "n = {n}");
        }
    }

    #[test]
    fn large_orders_are_multiples_of_the_stride() {
        for n in [(1 << 31) - 1, (1 << 31) - 2, 0x7000_0001] {
            let order = FarApart::new(n);
            for i in (0..n).step_by(1_000_003) {
                let want = u64::from(i) * u64::from(order.stride) % u64::from(n);
                assert_eq!(u64::from(order.at(i)), want, "n = {n}, i = {i}");
            }
        }
    }

    #[test]
    fn what_runs_together_is_far_apart() {
        for n in [1000, 1024, 3000, 12_345, 40_000, 65_536] {
            let order: Vec<u32> = far_apart(n).collect();
            for width in [8, 64, 264] {
                let nearest = order
                    .windows(width as usize)
                    .step_by(7)
                    .map(|together| {
                        let mut together = together.to_vec();
                        together.sort_unstable();
                        let gaps = together.windows(2).map(|w| w[1] - w[0]);
                        gaps.min().unwrap_or(n)
                    })
                    .min()
                    .unwrap_or(0);
                // Evenly spread, they would be n / width apart.
                assert!(nearest >= n / width / 3, "n = {n}: {nearest} at {width}");
            }
        }
    }
}
