//! Atomic additions of floats, and warp-aggregated counting. For integers use `core::sync::atomic` with 32 or 64 bits;
//! avoid 8 and 16 bits, which are emulated slowly.
//!
//! The address space is part of the name, as it is of the instruction. All operations are relaxed and atomic for the
//! whole device. The order of concurrent additions is undefined, hence so are the last bits of a sum. (rust-cuda has
//! `atomic::AtomicF32`; a pointer suits views of plain arrays better.)

use core::arch::asm;

macro_rules! add {
    ($($(#[$doc:meta])* $red:ident, $fetch:ident: $type:ty, $reg:ident, $space:literal, $suffix:literal;)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// `p` is aligned and points to a readable and writable value of the named address space; other threads use it
        /// atomically only, until the next barrier.
        #[inline(always)]
        pub unsafe fn $red(p: *mut $type, v: $type) {
            // SAFETY: an atomic update of memory that the caller says is valid and of this space.
            unsafe {
                asm!(
                    concat!(
                        "{{ .reg .u64 t; cvta.to.", $space, ".u64 t, {p}; ",
                        "red.", $space, ".add.", $suffix, " [t], {v}; }}"
                    ),
                    p = in(reg64) p, v = in($reg) v,
                    options(nostack, preserves_flags),
                );
            }
        }

        $(#[$doc])*
        /// Returns the value before the addition.
        ///
        /// # Safety
        #[doc = concat!("As [`", stringify!($red), "`].")]
        #[inline(always)]
        pub unsafe fn $fetch(p: *mut $type, v: $type) -> $type {
            let before: $type;
            // SAFETY: an atomic update of memory that the caller says is valid and of this space.
            unsafe {
                asm!(
                    concat!(
                        "{{ .reg .u64 t; cvta.to.", $space, ".u64 t, {p}; ",
                        "atom.", $space, ".add.", $suffix, " {before}, [t], {v}; }}"
                    ),
                    p = in(reg64) p, v = in($reg) v, before = out($reg) before,
                    options(nostack, preserves_flags),
                );
            }
            before
        }
    )*};
}

add! {
    /// Adds to a float in global memory.
    add_f32_global, fetch_add_f32_global: f32, reg32, "global", "f32";
    /// Adds to a float in shared memory.
    add_f32_shared, fetch_add_f32_shared: f32, reg32, "shared", "f32";
    /// Adds to a double in global memory.
    add_f64_global, fetch_add_f64_global: f64, reg64, "global", "f64";
    /// Adds to a double in shared memory.
    add_f64_shared, fetch_add_f64_shared: f64, reg64, "shared", "f64";
}

/// Adds one to a counter in global memory and returns the value before. The active threads of a warp add their number
/// in one atomic operation, and each gets a different value: thousands of additions to one address would be serialised.
///
/// # Safety
/// As [`fetch_add_f32_global`].
#[inline(always)]
pub unsafe fn fetch_increment_global(p: *mut u32) -> u32 {
    let before: u32;
    // SAFETY: an atomic update of memory that the caller says is valid and of this space. The mask names the lanes that
    // run this very instruction, and they do not diverge from there to the shuffle.
    unsafe {
        asm!(
            "{{ .reg .u64 t; .reg .b32 m, l, n, r, b; .reg .pred q;",
            "cvta.to.global.u64 t, {p};",
            "activemask.b32 m;",
            "mov.u32 l, %lanemask_lt;",
            "and.b32 r, m, l;",
            "popc.b32 r, r;",
            "popc.b32 n, m;",
            "setp.eq.u32 q, r, 0;",
            "mov.u32 b, 0;",
            "@q atom.global.add.u32 b, [t], n;",
            "brev.b32 l, m;",
            "bfind.shiftamt.u32 l, l;",
            "shfl.sync.idx.b32 b, b, l, 31, m;",
            "add.u32 {before}, b, r; }}",
            p = in(reg64) p, before = out(reg32) before,
            options(nostack, preserves_flags),
        );
    }
    before
}
