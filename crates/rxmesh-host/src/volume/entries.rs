//! Values for the entries of a relation, and their sums at the neighbours.

use crate::Error;
use crate::engine::Buffer;
use crate::store::{Attribute, AttributeError, Dimension, RxMesh};
use rxmesh_kernels::attr::Sum;
use rxmesh_kernels::kernel::{AnyArguments, Entry, OverRelations, PreparedEntry};
use rxmesh_kernels::query::Relation;
use rxmesh_kernels::query::rows::{CountRows, WriteRows};
use rxmesh_kernels::topo::Element;
use rxmesh_kernels::volume::entries::{SumEntries, WriteEntries};
use std::marker::PhantomData;

/// A value for each entry of a relation, that is for each neighbour of each element, with the table of entries of each
/// neighbour. Sums are taken in the order of the entries, without float atomics: the same bits on every run of an
/// engine. Made once a relation and type, used any number of times, over any relation of surfaces and volumes.
///
/// It takes a value and four bytes an entry, and the sums read each value once more. Over EV, FE, CV, CE and CF of
/// volumes, [`Distributor`](super::Distributor) keeps values in shared memory.
///
/// ```
/// # use rxmesh_host::{engine::Engine, patch::VolumeOptions, store::{Attribute, RxMesh}, volume::EntryValues};
/// # use rxmesh_kernels::{attr::Read, kernel, kernel::ForEach, query::{Neighbours, VC}, topo::{Cell, Owned, Vertex}};
/// # use rxmesh_kernels::volume::entries::WriteEntries;
/// kernel! {
///     /// Divides each vertex's charge among its cells: the first one gets half, the next one a quarter, and so on.
///     pub struct Divide: ForEach<VC> {
///         /// Charge of each vertex.
///         pub charge: Read<Vertex, f32>,
///         /// Part of each cell around the vertex.
///         pub parts: WriteEntries<VC, f32>,
///     }
/// }
/// # impl ForEach<VC> for Divide {
/// #     fn run(&self, v: Owned<Vertex>, cells: Neighbours<VC>) {
/// #         (0..cells.len()).for_each(|k| self.parts.set(v, k, self.charge.get(v) * 0.5f32.powi(k as i32 + 1)));
/// #     }
/// # }
/// rxmesh_kernels::entries! { KERNELS; prepared divide: Divide; }
///
/// let rx = RxMesh::from_cells(&Engine::cpu(), 5, &[[0, 1, 2, 3], [0, 2, 1, 4]], &VolumeOptions::default())?;
/// let charge: Attribute<Vertex, f32> = rx.attribute_from(&[1.0, 1.0, 1.0, 4.0, 8.0])?;
/// let mut sums: Attribute<Cell, f32> = rx.attribute()?;
/// let entries = EntryValues::<VC, f32>::new(&rx)?;
/// entries.run(&rx, |parts| Ok(Divide { charge: charge.read()?, parts }), &mut sums)?;
/// let sums = sums.to_input(&rx)?;
/// assert_eq!(sums.iter().sum::<f32>(), 3.0 * 0.75 + 2.0 + 4.0);
/// # Ok::<(), rxmesh_host::Error>(())
/// ```
#[derive(Debug)]
pub struct EntryValues<R, T> {
    mesh: u64,
    values: Buffer<T>,
    /// First entry of each element's row; empty for rows of a fixed length.
    rows: Buffer<u32>,
    /// Start of each neighbour's list in `entries`.
    starts: Buffer<u32>,
    entries: Buffer<u32>,
    of: PhantomData<R>,
}

impl<R: Relation, T: Sum> EntryValues<R, T> {
    /// Creates the tables, on the host from the rows that the engine writes. Waits for the engine.
    ///
    /// # Errors
    ///
    /// As [`RxMesh::query`], or [`Error::TooLarge`] for more than 2^32 - 1 numbers.
    pub fn new<D: Dimension>(rx: &RxMesh<D>) -> Result<Self, Error>
    where
        CountRows<R>: Entry,
        WriteRows<R>: Entry,
    {
        const { assert!(T::COMPONENTS > 0, "a value has a number") };
        rx.has_for(R::NAME, R::NEEDS)?;
        let engine = rx.engine();
        let rows = rx.query::<R>()?;
        let targets = rows.values().read()?;
        let n = rx.linear_len(R::Target::KIND) as usize;
        let numbers = targets.len().max(n) as u64 * u64::from(T::COMPONENTS);
        if numbers > u64::from(u32::MAX) {
            return Err(Error::TooLarge {
                what: "numbers that elements give to their neighbours",
                count: numbers,
                limit: u32::MAX.into(),
            });
        }
        let (starts, entries) = by_target(&targets, n);
        let starts = engine.upload(&starts)?;
        let values = engine.zeroed(targets.len())?;
        values.set_mesh(rx.id());
        Ok(EntryValues {
            mesh: rx.id(),
            values,
            rows: rows.into_starts(),
            starts,
            entries: engine.upload(&entries)?,
            of: PhantomData,
        })
    }

    /// Returns the number of entries.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns `true` if no element has a neighbour.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// Returns the field by which a kernel sets the values. An entry that the kernel does not set keeps its value, 0 at
    /// first.
    pub fn write(&self) -> WriteEntries<R, T> {
        // SAFETY: both buffers are made for the rows of the mesh, and belong to it: a launch on another one refuses
        // them.
        unsafe { WriteEntries::new(self.values.global_mut(), self.rows.global()) }
    }

    /// Sets `sums` to the sum of the values at each neighbour.
    ///
    /// # Errors
    ///
    /// [`AttributeError::OtherMesh`], sums that are stale or do not lie in patch order with their words together, or
    /// any error of the engine.
    pub fn sum<D: Dimension>(
        &self,
        rx: &RxMesh<D>,
        sums: &mut Attribute<R::Target, T>,
    ) -> Result<(), Error> {
        if [self.mesh, sums.mesh_id()] != [rx.id(); 2] {
            return Err(AttributeError::OtherMesh.into());
        }
        let add = SumEntries {
            sums: sums.global_mut()?.cast(),
            values: self.values.global().cast(),
            starts: self.starts.global(),
            entries: self.entries.global(),
            width: T::COMPONENTS,
        };
        let n = (self.starts.len() as u32 - 1) * T::COMPONENTS;
        Ok(rx.engine().launch_flat(n, add)?)
    }

    /// Runs a kernel that sets the values, as [`RxMesh::run_for_each`], and sets `sums` to their sums.
    ///
    /// # Errors
    ///
    /// As [`RxMesh::run_for_each`] and [`EntryValues::sum`], and any of `kernel`.
    pub fn run<K, D: Dimension>(
        &self,
        rx: &RxMesh<D>,
        kernel: impl FnOnce(WriteEntries<R, T>) -> Result<K, Error>,
        sums: &mut Attribute<R::Target, T>,
    ) -> Result<(), Error>
    where
        K: AnyArguments + OverRelations + Entry + PreparedEntry,
    {
        if self.mesh != rx.id() {
            return Err(AttributeError::OtherMesh.into());
        }
        rx.run_for_each(kernel(self.write())?)?;
        self.sum(rx, sums)
    }
}

/// Returns the start of each target's list of entries, one more than there are targets, and the lists, ascending. A
/// missing neighbour has no list.
fn by_target(targets: &[u32], n: usize) -> (Vec<u32>, Vec<u32>) {
    let mut starts = vec![0u32; n + 2];
    let there = || (0u32..).zip(targets).filter(|t| (*t.1 as usize) < n);
    // Counts lie two places on, so that starts are in place after the lists are filled.
    there().for_each(|(_, &t)| starts[t as usize + 2] += 1);
    for t in 0..n {
        starts[t + 2] += starts[t + 1];
    }
    let mut entries = vec![0; starts[n + 1] as usize];
    for (entry, &t) in there() {
        let at = &mut starts[t as usize + 1];
        entries[*at as usize] = entry;
        *at += 1;
    }
    starts.truncate(n + 1);
    (starts, entries)
}

#[cfg(test)]
mod tests {
    use super::by_target;

    #[test]
    fn entries_are_listed_by_their_target() {
        let (starts, entries) = by_target(&[2, 0, u32::MAX, 2, 0, 2], 4);
        assert_eq!(starts, [0, 2, 2, 5, 5]);
        assert_eq!(entries, [1, 4, 0, 3, 5]);
        assert_eq!(by_target(&[], 0), (vec![0], vec![]));
    }
}
