//! Small read-backs of the host.

use crate::kernel;
use crate::kernel::FlatKernel;
use crate::mem::{Global, GlobalMut};

kernel_list! {
    flat readback: Readback;
}

kernel! {
    /// Copies words of two arrays, one after the other, into memory that the host reads.
    pub struct Readback: Flat {
        /// Words that come first.
        pub first: Global<u32>,
        /// Words that follow.
        pub second: Global<u32>,
        /// Destination, in memory that the host sees.
        pub to: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart; the host launches no more of them than both arrays have words together,
// and the destination has that capacity (contracts U3, U4).
unsafe impl FlatKernel for Readback {
    #[inline(always)]
    fn run(&self, i: u32) {
        let n = self.first.len();
        let word = if i < n {
            self.first.get(i)
        } else {
            self.second.get(i - n)
        };
        self.to.set(i, word);
    }
}
