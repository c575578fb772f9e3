//! A value for each entry of a relation, which add up at the neighbours: the same bits on every run.
//!
//! An *entry* is a place of a row: an element and one of its neighbours. A kernel over the relation sets the values of
//! its elements' entries ([`WriteEntries`]) in global memory, row after row. [`SumEntries`] then adds up the values of
//! each neighbour by a list of its entries, ascending. Rows may have any length.

use crate::attr::{Field, Sum, Typed};
use crate::kernel::FlatKernel;
use crate::mem::{Bind, Global, GlobalMut, Piece};
use crate::query::{Relation, within};
use crate::topo::{Id, Owned};
use core::marker::PhantomData;

kernel_list! {
    flat sum_entries: SumEntries;
}

/// Values of the entries of `R` that a kernel writes, each patch those of its owned elements.
///
/// ```
/// use rxmesh_kernels::{attr::Read, kernel, kernel::ForEach};
/// use rxmesh_kernels::{query::{Neighbours, VC}, topo::{Owned, Vertex}, volume::entries::WriteEntries};
///
/// kernel! {
///     /// Divides each vertex's charge among its cells: the first one gets half, the next one a quarter, and so on.
///     pub struct Divide: ForEach<VC> {
///         /// Charge of each vertex.
///         pub charge: Read<Vertex, f32>,
///         /// Part of each cell around the vertex.
///         pub parts: WriteEntries<VC, f32>,
///     }
/// }
///
/// impl ForEach<VC> for Divide {
///     fn run(&self, v: Owned<Vertex>, cells: Neighbours<VC>) {
///         let mut part = self.charge.get(v);
///         for k in 0..cells.len() {
///             part *= 0.5;
///             self.parts.set(v, k, part);
///         }
///     }
/// }
/// ```
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct WriteEntries<R, T> {
    values: GlobalMut<T>,
    /// First entry of each element's row, one more than there are elements; empty for rows of a fixed length.
    starts: Global<u32>,
    of: PhantomData<R>,
}

impl<R: Relation, T: Sum> WriteEntries<R, T> {
    /// Creates a field over the entries of all elements.
    ///
    /// # Safety
    ///
    /// `starts` has the rows of the meshes that kernels are launched on with it, and `values` a value for each entry
    /// (contract U4).
    pub unsafe fn new(values: GlobalMut<T>, starts: Global<u32>) -> Self {
        WriteEntries {
            values,
            starts,
            of: PhantomData,
        }
    }

    /// Sets the value that an owned element gives to neighbour `k` of its row; a kernel that sets one beyond the row is
    /// stopped.
    #[inline(always)]
    pub fn set(self, e: Owned<R::Source>, k: u32, value: T) {
        let (first, n) = match R::FIXED {
            Some(width) => (e.linear() * width, width),
            None => {
                let first = self.starts.get(e.linear());
                (first, self.starts.get(e.linear() + 1) - first)
            }
        };
        within(k, n);
        // Pairs of numbers take half the stores of single ones.
        if T::COMPONENTS.is_multiple_of(2) {
            let (to, at) = (self.values.cast::<f32>(), (first + k) * T::COMPONENTS);
            let mut c = 0;
            while c < T::COMPONENTS {
                to.put::<2>(at + c, [value.component(c), value.component(c + 1)]);
                c += 2;
            }
        } else {
            self.values.set(first + k, value);
        }
    }
}

// SAFETY: no prologue and no epilogue.
unsafe impl<R: Relation, T: Sum> Field for WriteEntries<R, T> {}
// SAFETY: `set` takes an `Owned`, of which a body has that of its element alone, and an entry of that element's row.
unsafe impl<R: Relation, T: Sum> Typed for WriteEntries<R, T> {}
// SAFETY: the values and the starts.
unsafe impl<R, T> Bind for WriteEntries<R, T> {
    #[inline(always)]
    fn bind(&self) {
        self.values.bind();
        self.starts.bind();
    }
    unsafe fn visit(&mut self, resolve: &mut dyn FnMut(Piece) -> Option<usize>) {
        // SAFETY: the caller's.
        unsafe {
            self.values.visit(resolve);
            self.starts.visit(resolve);
        }
    }
}

crate::hashed! { [R, T] WriteEntries<R, T> }

crate::args! {
    /// Adds up the values of each element's entries, in the order of the entries: one index a number of each element.
    pub struct SumEntries {
        /// Sums, by linear id.
        pub sums: GlobalMut<f32>,
        /// Values of all entries.
        pub values: Global<f32>,
        /// Start of each element's list in `entries`; one more than there are elements.
        pub starts: Global<u32>,
        /// Entries of the elements, as neighbours.
        pub entries: Global<u32>,
        /// Numbers a value.
        pub width: u32,
    }
}

// SAFETY: an index writes one number of one element (contracts U3, U4).
unsafe impl FlatKernel for SumEntries {
    #[inline(always)]
    fn run(&self, i: u32) {
        let (row, c) = (i / self.width, i % self.width);
        let (mut at, end) = (self.starts.get(row), self.starts.get(row + 1));
        let value = |at: u32| self.values.get(self.entries.get(at) * self.width + c);
        let mut sum = 0.0;
        // Several loads in flight at a time, added in order.
        while at + 4 <= end {
            let four = [value(at), value(at + 1), value(at + 2), value(at + 3)];
            sum = sum + four[0] + four[1] + four[2] + four[3];
            at += 4;
        }
        while at < end {
            sum += value(at);
            at += 1;
        }
        self.sums.set(i, sum);
    }
}
