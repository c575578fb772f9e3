//! Address spaces, and loads and stores of 8 and 16 bytes. (Not in rust-cuda.)
//!
//! A pointer of Rust is generic: the hardware resolves at each access whether it is shared or global, which is slow.
//! LLVM infers the space of kernel parameters; for pointers that were read from memory, and for shared memory, it has
//! to be told once, at the pointer's origin. Everything derived from the result (offsets, references, casts) then
//! compiles to `ld.global`, `st.shared`, `atom.shared` and so on.

use core::arch::asm;

unsafe extern "C" {
    #[link_name = "llvm.nvvm.isspacep.global"]
    safe fn isspacep_global(p: *const u8) -> bool;
    #[link_name = "llvm.nvvm.isspacep.shared"]
    safe fn isspacep_shared(p: *const u8) -> bool;
}

/// Returns the same pointer, which the compiler may assume to point to global memory.
///
/// # Safety
/// `p` points to global memory.
#[inline(always)]
pub unsafe fn assume_global<T>(p: *const T) -> *const T {
    // SAFETY: the caller says that the pointer is to global memory, so the condition holds.
    unsafe { core::hint::assert_unchecked(isspacep_global(p.cast())) };
    p
}

/// Returns the same pointer, which the compiler may assume to point to global memory.
///
/// # Safety
/// `p` points to global memory.
#[inline(always)]
pub unsafe fn assume_global_mut<T>(p: *mut T) -> *mut T {
    // SAFETY: the caller says that the pointer is to global memory, so the condition holds.
    unsafe { core::hint::assert_unchecked(isspacep_global(p.cast_const().cast())) };
    p
}

/// Returns the same pointer, which the compiler may assume to point to shared memory of this block.
///
/// # Safety
/// `p` points to shared memory.
#[inline(always)]
pub unsafe fn assume_shared<T>(p: *const T) -> *const T {
    // SAFETY: the caller says that the pointer is to shared memory, so the condition holds.
    unsafe { core::hint::assert_unchecked(isspacep_shared(p.cast())) };
    p
}

/// Returns the same pointer, which the compiler may assume to point to shared memory of this block.
///
/// # Safety
/// `p` points to shared memory.
#[inline(always)]
pub unsafe fn assume_shared_mut<T>(p: *mut T) -> *mut T {
    // SAFETY: the caller says that the pointer is to shared memory, so the condition holds.
    unsafe { core::hint::assert_unchecked(isspacep_shared(p.cast_const().cast())) };
    p
}

/// Returns `true` if `p` points to shared memory of this block.
#[inline(always)]
pub fn is_shared<T>(p: *const T) -> bool {
    isspacep_shared(p.cast())
}

/// Returns `true` if `p` points to global memory.
#[inline(always)]
pub fn is_global<T>(p: *const T) -> bool {
    isspacep_global(p.cast())
}

macro_rules! vector4 {
    ($($(#[$doc:meta])* $load:ident, $store:ident: $type:ty, $space:literal, $suffix:literal, $nc:literal;)*) => {$(
        $(#[$doc])*
        /// Uses one instruction.
        ///
        /// # Safety
        /// `p` is aligned to 16 bytes, points to 16 readable bytes of the named address space, and nothing else writes
        /// them meanwhile.
        #[inline(always)]
        pub unsafe fn $load(p: *const $type) -> [$type; 4] {
            let (a, b, c, d): ($type, $type, $type, $type);
            // SAFETY: a load from memory that the caller says is readable and of this space. It writes nothing.
            unsafe {
                asm!(
                    concat!(
                        "{{ .reg .u64 t; cvta.to.", $space, ".u64 t, {p}; ",
                        "ld.", $space, $nc, ".v4.", $suffix, " {{{a}, {b}, {c}, {d}}}, [t]; }}"
                    ),
                    p = in(reg64) p, a = out(reg32) a, b = out(reg32) b, c = out(reg32) c, d = out(reg32) d,
                    options(pure, readonly, nostack, preserves_flags),
                );
            }
            [a, b, c, d]
        }
        vector4!(@store $store: $type, $space, $suffix);
    )*};
    (@store none: $type:ty, $space:literal, $suffix:literal) => {};
    (@store $store:ident: $type:ty, $space:literal, $suffix:literal) => {
        /// Stores four words in one instruction.
        ///
        /// # Safety
        /// `p` is aligned to 16 bytes and points to 16 writable bytes of the named address space that nothing else uses
        /// meanwhile.
        #[inline(always)]
        pub unsafe fn $store(p: *mut $type, v: [$type; 4]) {
            // SAFETY: a store to memory that the caller says is writable and of this space.
            unsafe {
                asm!(
                    concat!(
                        "{{ .reg .u64 t; cvta.to.", $space, ".u64 t, {p}; ",
                        "st.", $space, ".v4.", $suffix, " [t], {{{a}, {b}, {c}, {d}}}; }}"
                    ),
                    p = in(reg64) p, a = in(reg32) v[0], b = in(reg32) v[1], c = in(reg32) v[2], d = in(reg32) v[3],
                    options(nostack, preserves_flags),
                );
            }
        }
    };
}

vector4! {
    /// Loads four words of global memory.
    ld_global_v4_u32, st_global_v4_u32: u32, "global", "u32", "";
    /// Loads four floats of global memory.
    ld_global_v4_f32, st_global_v4_f32: f32, "global", "f32", "";
    /// Loads four words of shared memory.
    ld_shared_v4_u32, st_shared_v4_u32: u32, "shared", "u32", "";
    /// Loads four floats of shared memory.
    ld_shared_v4_f32, st_shared_v4_f32: f32, "shared", "f32", "";
    /// Loads four words of global memory that nothing writes during the whole launch, through the read-only path.
    ldg_v4_u32, none: u32, "global", "u32", ".nc";
    /// Loads four floats of global memory that nothing writes during the whole launch, through the read-only path.
    ldg_v4_f32, none: f32, "global", "f32", ".nc";
}

/// Loads two words of global memory in one instruction.
///
/// # Safety
/// `p` is aligned to 8 bytes, points to 8 readable bytes of global memory, and nothing writes them meanwhile.
#[inline(always)]
pub unsafe fn ld_global_v2_u32(p: *const u32) -> [u32; 2] {
    // SAFETY: as the caller says; eight aligned bytes are one access for the compiler.
    let both = unsafe { assume_global(p.cast::<u64>()).read() };
    [both as u32, (both >> 32) as u32]
}
