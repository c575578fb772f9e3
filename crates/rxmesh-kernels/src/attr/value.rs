//! Types of values that an attribute can hold.

use crate::mem::Shared;
use glam::{Mat3, Vec2, Vec3, Vec4};

/// Any small plain-old-data type.
pub trait Value: bytemuck::Pod + Send + Sync + core::fmt::Debug + PartialEq {}
impl<T: bytemuck::Pod + Send + Sync + core::fmt::Debug + PartialEq> Value for T {}

/// A value that can be accumulated atomically: some number of `f32` components.
///
/// # Safety
///
/// A value is `COMPONENTS` words of `f32` and nothing else (contracts U2, U4).
pub unsafe trait Sum: Value {
    /// Number of components.
    const COMPONENTS: u32;
    /// Returns component `c`.
    fn component(self, c: u32) -> f32;
}

// SAFETY: one word.
unsafe impl Sum for f32 {
    const COMPONENTS: u32 = 1;
    #[inline(always)]
    fn component(self, _: u32) -> f32 {
        self
    }
}

macro_rules! vector_sum {
    ($t:ty, $n:literal, $($k:literal => $f:ident),*) => {
        // SAFETY: that many words.
        unsafe impl Sum for $t {
            const COMPONENTS: u32 = $n;
            #[inline(always)]
            fn component(self, c: u32) -> f32 {
                match c { $($k => self.$f,)* _ => 0.0 }
            }
        }
    };
}
vector_sum!(Vec2, 2, 0 => x, 1 => y);
vector_sum!(Vec3, 3, 0 => x, 1 => y, 2 => z);
vector_sum!(Vec4, 4, 0 => x, 1 => y, 2 => z, 3 => w);

// SAFETY: nine words, column by column.
unsafe impl Sum for Mat3 {
    const COMPONENTS: u32 = 9;
    #[inline(always)]
    fn component(self, c: u32) -> f32 {
        let column = match c / 3 {
            0 => self.x_axis,
            1 => self.y_axis,
            _ => self.z_axis,
        };
        column.component(c % 3)
    }
}

// SAFETY: that many words.
unsafe impl<const N: usize> Sum for [f32; N]
where
    [f32; N]: bytemuck::Pod,
{
    const COMPONENTS: u32 = N as u32;
    #[inline(always)]
    fn component(self, c: u32) -> f32 {
        // A chain of selects: an array indexed at run time would go to local memory on the device.
        let mut value = 0.0;
        let mut k = 0;
        while k < N {
            if c == k as u32 {
                value = self[k];
            }
            k += 1;
        }
        value
    }
}

#[inline(always)]
pub(super) fn add_shared<T: Sum>(to: Shared<f32>, i: u32, v: T) {
    let mut c = 0;
    while c < T::COMPONENTS {
        to.add(T::COMPONENTS * i + c, v.component(c));
        c += 1;
    }
}
