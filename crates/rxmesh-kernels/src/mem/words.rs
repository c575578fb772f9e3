//! Words in shared or in global memory, for code that takes either.

use super::{GlobalMut, Shared};

/// `u32` words that the threads of a block work on together: in shared memory where they fit, else in global memory.
pub trait Words: Copy {
    /// `true` if they lie in shared memory.
    const SHARED: bool;
    /// Returns word `i`.
    fn get(self, i: u32) -> u32;
    /// Sets word `i`.
    fn set(self, i: u32, v: u32);
    /// Returns the number of words.
    fn len(self) -> u32;
    /// Returns `true` if there is no word.
    #[inline(always)]
    fn is_empty(self) -> bool {
        self.len() == 0
    }
    /// Returns word `i`, which other threads may be changing atomically.
    fn load(self, i: u32) -> u32;
    /// Replaces word `i` by `new` if it is `old`, atomically; returns the old value.
    fn compare_exchange(self, i: u32, old: u32, new: u32) -> u32;
    /// Replaces word `i`, atomically; returns the old value.
    fn swap(self, i: u32, v: u32) -> u32;
    /// Adds to word `i`, atomically; returns the old value.
    fn fetch_add(self, i: u32, v: u32) -> u32;
    /// Sets the bits of `v` in word `i`, atomically; returns the old value.
    fn fetch_or(self, i: u32, v: u32) -> u32;
    /// Keeps the bits of `v` in word `i`, atomically; returns the old value.
    fn fetch_and(self, i: u32, v: u32) -> u32;
    /// Replaces word `i` by the smaller of it and `v`, atomically; returns the old value.
    fn fetch_min(self, i: u32, v: u32) -> u32;
    /// Sorts the first `n` words, for a block of one thread.
    #[cfg(not(target_arch = "nvptx64"))]
    fn sort_alone(self, n: u32);
}

macro_rules! words {
    ($view:ident, $shared:expr) => {
        impl Words for $view<u32> {
            const SHARED: bool = $shared;
            #[inline(always)]
            fn get(self, i: u32) -> u32 {
                $view::<u32>::get(self, i)
            }
            #[inline(always)]
            fn set(self, i: u32, v: u32) {
                $view::<u32>::set(self, i, v);
            }
            #[inline(always)]
            fn len(self) -> u32 {
                $view::<u32>::len(self)
            }
            #[inline(always)]
            fn load(self, i: u32) -> u32 {
                $view::<u32>::load(self, i)
            }
            #[inline(always)]
            fn compare_exchange(self, i: u32, old: u32, new: u32) -> u32 {
                $view::<u32>::compare_exchange(self, i, old, new)
            }
            #[inline(always)]
            fn swap(self, i: u32, v: u32) -> u32 {
                $view::<u32>::swap(self, i, v)
            }
            #[inline(always)]
            fn fetch_add(self, i: u32, v: u32) -> u32 {
                $view::<u32>::fetch_add(self, i, v)
            }
            #[inline(always)]
            fn fetch_or(self, i: u32, v: u32) -> u32 {
                $view::<u32>::fetch_or(self, i, v)
            }
            #[inline(always)]
            fn fetch_and(self, i: u32, v: u32) -> u32 {
                $view::<u32>::fetch_and(self, i, v)
            }
            #[inline(always)]
            fn fetch_min(self, i: u32, v: u32) -> u32 {
                $view::<u32>::fetch_min(self, i, v)
            }
            #[cfg(not(target_arch = "nvptx64"))]
            fn sort_alone(self, n: u32) {
                self.slice(n).sort_unstable();
            }
        }
    };
}
words!(Shared, true);
words!(GlobalMut, false);
