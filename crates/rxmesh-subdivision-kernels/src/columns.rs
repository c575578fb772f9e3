//! Values of vertices: rows of `f32`, of which a kernel processes a few columns at a time.

use core::fmt::Debug;
use core::marker::PhantomData;
use rxmesh_kernels::args;
use rxmesh_kernels::mem::{Global, GlobalMut};

/// Number of columns that a kernel processes at a time: a constant, so that division by it is cheap.
pub trait Columns: Copy + Debug + Send + Sync + 'static {
    /// Number of columns.
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
        /// Number of columns of a row.
        pub width: u32,
        /// First column.
        pub first: u32,
        /// Number of columns in use.
        pub of: PhantomData<Q>,
    }
}

impl<Q: Columns> Rows<Q> {
    /// Returns column `c` of row `i`.
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
        /// Number of columns of a row.
        pub width: u32,
        /// First column.
        pub first: u32,
        /// Number of columns in use.
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
