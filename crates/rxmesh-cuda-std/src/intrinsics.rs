//! Hardware maths and the trap. (rust-cuda: `float` and `intrinsics`.)
//!
//! Two kinds, apart by name: `_rn` is correctly rounded like the CPU's, `_approx` is a few units in the last place off
//! and fast.

unsafe extern "C" {
    #[link_name = "llvm.trap"]
    safe fn llvm_trap() -> !;
}

macro_rules! maths {
    ($($(#[$doc:meta])* $name:ident($($x:ident),*) -> $type:ty = $symbol:literal;)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub fn $name($($x: $type),*) -> $type {
            unsafe extern "C" {
                #[link_name = $symbol]
                safe fn hardware($($x: $type),*) -> $type;
            }
            hardware($($x),*)
        }
    )*};
}

maths! {
    /// Square root, correctly rounded.
    sqrt_rn(x) -> f32 = "llvm.nvvm.sqrt.rn.f";
    /// Square root of a double, correctly rounded.
    sqrt_rn_f64(x) -> f64 = "llvm.nvvm.sqrt.rn.d";
    /// Square root, error at most about one unit in the last place.
    sqrt_approx(x) -> f32 = "llvm.nvvm.sqrt.approx.f";
    /// One over the square root, relative error at most about 2^-22.9.
    rsqrt_approx(x) -> f32 = "llvm.nvvm.rsqrt.approx.f";
    /// Reciprocal, correctly rounded.
    rcp_rn(x) -> f32 = "llvm.nvvm.rcp.rn.f";
    /// Reciprocal, error at most one unit in the last place; numbers below 2^-126 count as zero.
    rcp_approx(x) -> f32 = "llvm.nvvm.rcp.approx.ftz.f";
    /// Sine, absolute error at most about 2^-20.5 for arguments in [-pi, pi], growing outside.
    sin_approx(x) -> f32 = "llvm.nvvm.sin.approx.f";
    /// Cosine, absolute error at most about 2^-20.5 for arguments in [-pi, pi], growing outside.
    cos_approx(x) -> f32 = "llvm.nvvm.cos.approx.f";
    /// Two to the power of x, relative error at most about 2^-22.
    ex2_approx(x) -> f32 = "llvm.nvvm.ex2.approx.f32";
    /// Logarithm to base two, error at most about 2^-22.
    lg2_approx(x) -> f32 = "llvm.nvvm.lg2.approx.f";
    /// a * b, rounded: not contracted with a sum.
    mul_rn(a, b) -> f32 = "llvm.nvvm.mul.rn.f";
    /// a * b of doubles, rounded: not contracted with a sum.
    mul_rn_f64(a, b) -> f64 = "llvm.nvvm.mul.rn.d";
    /// a * b + c with one rounding.
    fma_rn(a, b, c) -> f32 = "llvm.fma.f32";
    /// a * b + c with one rounding, doubles.
    fma_rn_f64(a, b, c) -> f64 = "llvm.fma.f64";
}

/// Aborts the launch with an error. The host sees it at its next call, and its context is lost: only for states that
/// cannot happen.
#[inline(always)]
pub fn trap() -> ! {
    llvm_trap()
}
