//! Matrices stored as CSR on an engine: mapped SpGEMM.

use super::multiply::shape;
use crate::launch::Launch;
use crate::sums;
use bytemuck::Pod;
use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_kernels::kernel::EntryOf;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_subdivision_kernels::matrix::csr::ROWS;
use rxmesh_subdivision_kernels::matrix::{
    CompactIds, CountTerms, FillIds, FillValues, Rule, SortLongIds, Stored,
};

/// A matrix as CSR on an engine: rows one after the other, columns ascending in each.
#[derive(Debug)]
pub struct Csr<T> {
    engine: Engine,
    shape: [u32; 2],
    entries: u32,
    starts: Buffer<u32>,
    ids: Buffer<u32>,
    values: Buffer<T>,
    /// For terms that are not distinct: where rows have their places, and columns at these.
    slots: Option<[Buffer<u32>; 2]>,
}

/// A matrix on the host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostCsr<T> {
    /// Number of columns.
    pub columns: u32,
    /// Where each row starts, and where the last one ends.
    pub starts: Vec<u32>,
    /// Columns, ascending in each row.
    pub ids: Vec<u32>,
    /// Their values.
    pub values: Vec<T>,
}

impl<T: Pod> Csr<T> {
    /// Stores a matrix: mapped SpGEMM by count, scan and fill (algorithm 2, section 5.2) when the rule is
    /// [`Mesh::pairs`](crate::Mesh::pairs), the product of two matrices when it is a
    /// [`Product`](rxmesh_subdivision_kernels::matrix::Product).
    ///
    /// # Errors
    ///
    /// Parts that do not fit each other; a result of more than 2^32 - 1 terms; what the engine says.
    pub fn new<R>(engine: &Engine, rule: R) -> Result<Csr<T>, Error>
    where
        R: Rule<Value = T> + EntryOf<CountTerms<R>> + EntryOf<FillIds<R>> + EntryOf<FillValues<R>>,
    {
        let [rows, columns] = shape(&rule)?;
        crate::load(engine)?;
        let starts = || engine.zeroed::<u32>(rows as usize + 1);
        let mut matrix = Csr {
            engine: engine.clone(),
            shape: [rows, columns],
            entries: 0,
            starts: starts()?,
            ids: engine.zeroed(0)?,
            values: engine.zeroed(0)?,
            slots: match R::DISTINCT {
                true => None,
                false => Some([starts()?, engine.zeroed(0)?]),
            },
        };
        matrix.rebuild(rule)?;
        Ok(matrix)
    }

    /// Stores another matrix of the same shape, in the memory that is there if it has room.
    ///
    /// # Errors
    ///
    /// Another shape; else as [`Csr::new`].
    pub fn rebuild<R>(&mut self, rule: R) -> Result<(), Error>
    where
        R: Rule<Value = T> + EntryOf<CountTerms<R>> + EntryOf<FillIds<R>> + EntryOf<FillValues<R>>,
    {
        self.same_shape(&rule)?;
        let engine = self.engine.clone();
        let rows = self.shape[0];
        // Rows as long as their terms.
        let (places, counts) = match &self.slots {
            None => (&self.starts, GlobalMut::empty()),
            Some([places, _]) => (places, self.starts.global_mut()),
        };
        engine.launch_flat(
            rows + 1,
            CountTerms {
                rule,
                counts: places.global_mut(),
            },
        )?;
        let terms = sums::exclusive(&engine, places)?;
        let room = match &mut self.slots {
            None => &mut self.ids,
            Some([_, room]) => room,
        };
        ensure(&engine, room, terms)?;
        let (places, ids) = match &self.slots {
            None => (self.starts.global(), self.ids.global_mut()),
            Some([places, ids]) => (places.global(), ids.global_mut()),
        };
        engine.launch_flat(
            rows,
            FillIds {
                rule,
                starts: places,
                ids,
                counts,
            },
        )?;
        engine.launch_blocks(
            rows.div_ceil(ROWS),
            SortLongIds {
                starts: places,
                ids,
                counts,
            },
        )?;
        self.entries = terms;
        if self.slots.is_some() {
            self.compact()?;
        }
        ensure(&engine, &mut self.values, self.entries)?;
        self.refill(rule)
    }

    /// Brings rows together that have fewer columns than terms.
    fn compact(&mut self) -> Result<(), Error> {
        let Some([places, from]) = &self.slots else {
            return Ok(());
        };
        self.entries = sums::exclusive(&self.engine, &self.starts)?;
        ensure(&self.engine, &mut self.ids, self.entries)?;
        let kernel = CompactIds {
            from: places.global(),
            ids: from.global(),
            starts: self.starts.global(),
            to: self.ids.global_mut(),
        };
        Ok(self.engine.launch_flat(self.shape[0], kernel)?)
    }

    /// Computes the values again, for the same rule with other numbers: the numeric pass alone.
    ///
    /// # Errors
    ///
    /// Another shape; what the engine says.
    pub fn refill<R>(&mut self, rule: R) -> Result<(), Error>
    where
        R: Rule<Value = T> + EntryOf<FillValues<R>>,
    {
        self.same_shape(&rule)?;
        let kernel = FillValues {
            rule,
            starts: self.starts.global(),
            ids: self.ids.global(),
            values: self.values.global_mut(),
        };
        Ok(self.engine.launch_flat(self.shape[0], kernel)?)
    }

    fn same_shape<R: Rule>(&self, rule: &R) -> Result<(), Error> {
        let [rows, columns] = shape(rule)?;
        if [rows, columns] == self.shape {
            return Ok(());
        }
        Err(Error::Options(format!(
            "the matrix has {} rows and {} columns, but {rows} and {columns} are given",
            self.shape[0], self.shape[1]
        )))
    }

    /// Number of rows.
    pub fn row_count(&self) -> u32 {
        self.shape[0]
    }

    /// Number of columns.
    pub fn column_count(&self) -> u32 {
        self.shape[1]
    }

    /// Number of entries.
    pub fn entry_count(&self) -> u32 {
        self.entries
    }

    /// Where each row starts, and where the last one ends.
    pub fn starts(&self) -> &Buffer<u32> {
        &self.starts
    }

    /// Columns, ascending in each row; there may be room behind the last entry.
    pub fn ids(&self) -> &Buffer<u32> {
        &self.ids
    }

    /// Values of the columns; there may be room behind the last entry.
    pub fn values(&self) -> &Buffer<T> {
        &self.values
    }

    /// Brings the matrix to the host.
    ///
    /// # Errors
    ///
    /// What the engine says.
    pub fn to_host(&self) -> Result<HostCsr<T>, Error> {
        let n = self.entries as usize;
        Ok(HostCsr {
            columns: self.shape[1],
            starts: self.starts.read()?,
            ids: self.ids.read_range(0, n)?,
            values: self.values.read_range(0, n)?,
        })
    }
}

impl Csr<f32> {
    /// The matrix for products.
    pub fn view(&self) -> Stored {
        Stored {
            starts: self.starts.global(),
            ids: self.ids.global(),
            values: self.values.global(),
            columns: self.shape[1],
        }
    }
}

/// Makes room; what was there is lost if there was too little.
fn ensure<T: Pod>(engine: &Engine, buffer: &mut Buffer<T>, n: u32) -> Result<(), Error> {
    if buffer.len() < n as usize {
        *buffer = engine.zeroed(n as usize)?;
    }
    Ok(())
}
