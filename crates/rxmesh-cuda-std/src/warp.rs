//! Warps: groups of 32 threads that run together and can exchange registers.
//!
//! `mask` names the lanes that take part, usually [`FULL_MASK`]. Each of them must make the same call with the same
//! mask.

/// Lanes of a warp, on every GPU so far. (Not in rust-cuda.)
pub const WARP_SIZE: u32 = 32;

/// The mask of all lanes. (Not in rust-cuda.)
pub const FULL_MASK: u32 = u32::MAX;

unsafe extern "C" {
    #[link_name = "llvm.nvvm.read.ptx.sreg.laneid"]
    safe fn sreg_laneid() -> i32;
    #[link_name = "llvm.nvvm.read.ptx.sreg.lanemask.lt"]
    safe fn sreg_lanemask_lt() -> i32;
    #[link_name = "llvm.nvvm.activemask"]
    safe fn nvvm_activemask() -> i32;
    #[link_name = "llvm.nvvm.bar.warp.sync"]
    fn bar_warp_sync(mask: i32);
    #[link_name = "llvm.nvvm.shfl.sync.up.i32"]
    fn shfl_up(mask: i32, value: i32, delta: i32, clamp: i32) -> i32;
    #[link_name = "llvm.nvvm.shfl.sync.down.i32"]
    fn shfl_down(mask: i32, value: i32, delta: i32, clamp: i32) -> i32;
    #[link_name = "llvm.nvvm.shfl.sync.bfly.i32"]
    fn shfl_bfly(mask: i32, value: i32, lane_mask: i32, clamp: i32) -> i32;
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    fn shfl_idx(mask: i32, value: i32, lane: i32, clamp: i32) -> i32;
    #[link_name = "llvm.nvvm.vote.all.sync"]
    fn vote_all(mask: i32, predicate: bool) -> bool;
    #[link_name = "llvm.nvvm.vote.any.sync"]
    fn vote_any(mask: i32, predicate: bool) -> bool;
    #[link_name = "llvm.nvvm.vote.ballot.sync"]
    fn vote_ballot(mask: i32, predicate: bool) -> i32;
    #[link_name = "llvm.nvvm.match.any.sync.i32"]
    fn match_any_32(mask: i32, value: i32) -> i32;
    #[link_name = "llvm.nvvm.match.any.sync.i64"]
    fn match_any_64(mask: i32, value: i64) -> i32;
}

/// Returns the lane of this thread in its warp, 0 to 31.
#[inline(always)]
pub fn lane_id() -> u32 {
    sreg_laneid() as u32
}

/// Returns the mask of the lanes below this one. (Not in rust-cuda.)
#[inline(always)]
pub fn lanemask_lt() -> u32 {
    sreg_lanemask_lt() as u32
}

/// Returns the mask of the lanes that happen to execute this instruction together. Not a substitute for a mask that the
/// program knows.
#[inline(always)]
pub fn activemask() -> u32 {
    nvvm_activemask() as u32
}

/// Waits for the lanes of `mask` and orders their memory accesses before and after.
///
/// # Safety
/// The calling lane is in `mask`, no lane of `mask` has exited, and all of them make this call.
#[inline(always)]
pub unsafe fn sync_warp(mask: u32) {
    // SAFETY: the caller gives the intrinsic's own conditions.
    unsafe { bar_warp_sync(mask as i32) }
}

/// Values that can be shuffled: one or two 32-bit registers.
pub trait WarpShuffleValue: Copy {
    /// Returns the value after `word` has been applied to each of its 32-bit words.
    #[doc(hidden)]
    fn map_words(self, word: impl FnMut(u32) -> u32) -> Self;
}

macro_rules! shuffle_value {
    ($($type:ty: $to:expr, $from:expr;)*) => {
        $(impl WarpShuffleValue for $type {
            #[inline(always)]
            fn map_words(self, mut word: impl FnMut(u32) -> u32) -> Self {
                $from(word($to(self)))
            }
        })*
    };
}

shuffle_value! {
    u32: core::convert::identity, core::convert::identity;
    i32: i32::cast_unsigned, u32::cast_signed;
    f32: f32::to_bits, f32::from_bits;
}

impl WarpShuffleValue for u64 {
    #[inline(always)]
    fn map_words(self, mut word: impl FnMut(u32) -> u32) -> Self {
        let low = word(self as u32);
        let high = word((self >> 32) as u32);
        u64::from(low) | u64::from(high) << 32
    }
}

impl WarpShuffleValue for i64 {
    #[inline(always)]
    fn map_words(self, word: impl FnMut(u32) -> u32) -> Self {
        self.cast_unsigned().map_words(word).cast_signed()
    }
}

impl WarpShuffleValue for f64 {
    #[inline(always)]
    fn map_words(self, word: impl FnMut(u32) -> u32) -> Self {
        f64::from_bits(self.to_bits().map_words(word))
    }
}

/// Returns the operand of the shuffle instruction for segments of `width` lanes: bits 8 to 12.
#[inline(always)]
const fn segment(width: u32) -> i32 {
    ((WARP_SIZE - width) << 8) as i32
}

/// Gives each lane the value of the lane `delta` below it. The flag is `true` if that lane is in the same segment of
/// `width` lanes; if not, the lane keeps its own value.
///
/// # Safety
/// The calling lane is in `mask`, no lane of `mask` has exited, and all of them make this call. `width` is a power of
/// two, 32 at most; `delta` is below 32. The value is unspecified where the source lane is not in `mask`.
#[inline(always)]
pub unsafe fn warp_shuffle_up<T: WarpShuffleValue>(
    mask: u32,
    value: T,
    delta: u32,
    width: u32,
) -> (T, bool) {
    // SAFETY: the caller gives the intrinsic's own conditions.
    let word = |w: u32| unsafe { shfl_up(mask as i32, w as i32, delta as i32, segment(width)) };
    (
        value.map_words(|w| word(w) as u32),
        (lane_id() & (width - 1)) >= delta,
    )
}

/// Gives each lane the value of the lane `delta` above it. The flag is `true` if that lane is in the same segment of
/// `width` lanes; if not, the lane keeps its own value.
///
/// # Safety
/// As [`warp_shuffle_up`].
#[inline(always)]
pub unsafe fn warp_shuffle_down<T: WarpShuffleValue>(
    mask: u32,
    value: T,
    delta: u32,
    width: u32,
) -> (T, bool) {
    let clamp = segment(width) | 31;
    // SAFETY: the caller gives the intrinsic's own conditions.
    let word = |w: u32| unsafe { shfl_down(mask as i32, w as i32, delta as i32, clamp) };
    (
        value.map_words(|w| word(w) as u32),
        (lane_id() & (width - 1)) + delta < width,
    )
}

/// Gives each lane the value of lane `idx` of its segment of `width` lanes (`idx` modulo `width`). The flag is always
/// true.
///
/// # Safety
/// As [`warp_shuffle_up`].
#[inline(always)]
pub unsafe fn warp_shuffle_idx<T: WarpShuffleValue>(
    mask: u32,
    value: T,
    idx: u32,
    width: u32,
) -> (T, bool) {
    let clamp = segment(width) | 31;
    // SAFETY: the caller gives the intrinsic's own conditions.
    let word = |w: u32| unsafe { shfl_idx(mask as i32, w as i32, idx as i32, clamp) };
    (value.map_words(|w| word(w) as u32), true)
}

/// Gives each lane the value of the lane whose number differs in the bits of `lane_mask`. The flag is `true` if that
/// lane is in the same segment of `width` lanes or an earlier one; if not, the lane keeps its own value.
///
/// # Safety
/// As [`warp_shuffle_up`], with `lane_mask` below 32.
#[inline(always)]
pub unsafe fn warp_shuffle_xor<T: WarpShuffleValue>(
    mask: u32,
    value: T,
    lane_mask: u32,
    width: u32,
) -> (T, bool) {
    let clamp = segment(width) | 31;
    // SAFETY: the caller gives the intrinsic's own conditions.
    let word = |w: u32| unsafe { shfl_bfly(mask as i32, w as i32, lane_mask as i32, clamp) };
    (
        value.map_words(|w| word(w) as u32),
        lane_id() ^ lane_mask <= (lane_id() | (width - 1)),
    )
}

/// Returns `true` if `predicate` holds in all lanes of `mask`.
///
/// # Safety
/// The calling lane is in `mask`, no lane of `mask` has exited, and all of them make this call.
#[inline(always)]
pub unsafe fn warp_vote_all(mask: u32, predicate: bool) -> bool {
    // SAFETY: the caller gives the intrinsic's own conditions.
    unsafe { vote_all(mask as i32, predicate) }
}

/// Returns `true` if `predicate` holds in any lane of `mask`.
///
/// # Safety
/// As [`warp_vote_all`].
#[inline(always)]
pub unsafe fn warp_vote_any(mask: u32, predicate: bool) -> bool {
    // SAFETY: the caller gives the intrinsic's own conditions.
    unsafe { vote_any(mask as i32, predicate) }
}

/// Returns the lanes of `mask` in which `predicate` holds, as a bit mask.
///
/// # Safety
/// As [`warp_vote_all`].
#[inline(always)]
pub unsafe fn warp_vote_ballot(mask: u32, predicate: bool) -> u32 {
    // SAFETY: the caller gives the intrinsic's own conditions.
    unsafe { vote_ballot(mask as i32, predicate) as u32 }
}

/// Values that [`warp_match_any`] compares, bit by bit.
pub trait WarpMatchValue: Copy {
    /// Implements [`warp_match_any`].
    ///
    /// # Safety
    /// As [`warp_match_any`].
    #[doc(hidden)]
    unsafe fn match_any(mask: u32, value: Self) -> u32;
}

impl WarpMatchValue for u32 {
    #[inline(always)]
    unsafe fn match_any(mask: u32, value: Self) -> u32 {
        // SAFETY: the caller gives the intrinsic's own conditions.
        unsafe { match_any_32(mask as i32, value as i32) as u32 }
    }
}

impl WarpMatchValue for u64 {
    #[inline(always)]
    unsafe fn match_any(mask: u32, value: Self) -> u32 {
        // SAFETY: the caller gives the intrinsic's own conditions.
        unsafe { match_any_64(mask as i32, value as i64) as u32 }
    }
}

/// Returns the lanes of `mask` that hold the same value as this one, as a bit mask.
///
/// # Safety
/// As [`warp_vote_all`].
#[inline(always)]
pub unsafe fn warp_match_any<T: WarpMatchValue>(mask: u32, value: T) -> u32 {
    // SAFETY: the caller gives the same conditions.
    unsafe { T::match_any(mask, value) }
}
