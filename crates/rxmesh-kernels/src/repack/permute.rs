//! Attributes move with their elements.

use crate::kernel;
use crate::kernel::FlatKernel;
use crate::mem::{Global, GlobalMut};

use super::NONE;

kernel_list! {
    flat repack_permute: RepackPermute;
}

kernel! {
    /// Moves values to the new ids of their elements, such as from session ids to linear ids, word by word.
    pub struct RepackPermute: Flat {
        /// Linear id of each session id, [`NONE`] if nothing lives.
        pub linear: Global<u32>,
        /// `width` words a session id.
        pub from: Global<u32>,
        /// `width` words a linear id.
        pub to: GlobalMut<u32>,
        /// Words of a value.
        pub width: u32,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for RepackPermute {
    #[inline(always)]
    fn run(&self, i: u32) {
        let (id, word) = (i / self.width, i % self.width);
        let linear = self.linear.get(id);
        if linear != NONE {
            self.to.set(linear * self.width + word, self.from.get(i));
        }
    }
}
