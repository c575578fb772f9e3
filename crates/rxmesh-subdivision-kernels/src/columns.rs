//! Values of vertices: rows of `f32`, of which a kernel takes a few columns at a time.

use core::fmt::Debug;
use core::marker::PhantomData;
use rxmesh_kernels::args;
use rxmesh_kernels::mem::{Global, GlobalMut};

/// How many columns a kernel takes at a time: a constant, so that dividing by it costs little.
pub trait Columns: Copy + Debug + Send + Sync + 'static {
    /// The number.
    const N: u32;
}

macro_rules! columns {
    ($($(#[$meta:meta])* $name:ident = $n:literal;)*) => {
        $(
            $(#[$meta])*
            #[derive(Clone, Copy, Debug)]
            pub struct $name;
            impl Columns for $name {
                const N: u32 = $n;
            }
        )*
    };
}

columns! {
    /// One column.
    One = 1;
    /// Two columns: texture coordinates.
    Two = 2;
    /// Three columns: positions.
    Three = 3;
}

args! {
    /// Some columns of rows that are read.
    pub struct Rows<Q> {
        /// All columns, row after row.
        pub values: Global<f32>,
        /// Columns of a row.
        pub width: u32,
        /// The first column that counts.
        pub first: u32,
        /// How many count.
        pub of: PhantomData<Q>,
    }
}

impl<Q: Columns> Rows<Q> {
    /// Column `c` of row `i`.
    #[inline(always)]
    pub fn get(&self, i: u32, c: u32) -> f32 {
        self.values.get(i * self.width + self.first + c)
    }
}

args! {
    /// Some columns of rows that are written.
    pub struct RowsMut<Q> {
        /// All columns, row after row.
        pub values: GlobalMut<f32>,
        /// Columns of a row.
        pub width: u32,
        /// The first column that counts.
        pub first: u32,
        /// How many count.
        pub of: PhantomData<Q>,
    }
}

impl<Q: Columns> RowsMut<Q> {
    /// Sets column `c` of row `i`.
    #[inline(always)]
    pub fn set(&self, i: u32, c: u32, value: f32) {
        self.values.set(i * self.width + self.first + c, value);
    }
}
