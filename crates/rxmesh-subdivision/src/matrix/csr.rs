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

/// Matrix in CSR on an engine: rows one after the other, columns ascending in each.
#[derive(Debug)]
pub struct Csr<T> {
    engine: Engine,
    shape: [u32; 2],
    entries: u32,
    starts: Buffer<u32>,
    ids: Buffer<u32>,
    values: Buffer<T>,
    /// For terms that are not distinct: offsets of uncompacted rows, and their columns.
    slots: Option<[Buffer<u32>; 2]>,
}

/// Matrix on the host.
#[derive(Clone, Debug, PartialEq)]
pub struct HostCsr<T> {
    /// Number of columns.
    pub columns: u32,
    /// Start of each row, and end of the last one.
    pub starts: Vec<u32>,
    /// Columns, ascending in each row.
    pub ids: Vec<u32>,
    /// Values of the entries.
    pub values: Vec<T>,
}

impl<T: Pod> Csr<T> {
    /// Stores a matrix: mapped SpGEMM by count, prefix sum and fill (algorithm 2, section 5.2) when the rule is
    /// [`Mesh::pairs`](crate::Mesh::pairs), the product of two matrices when it is a
    /// [`Product`](rxmesh_subdivision_kernels::matrix::Product).
    ///
    /// # Errors
    ///
    /// Operands whose sizes do not match; a result of more than 2^32 - 1 terms; any error of the engine.
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

    /// Stores another matrix of the same shape, in existing memory if it suffices.
    ///
    /// # Errors
    ///
    /// Another shape; otherwise as [`Csr::new`].
    pub fn rebuild<R>(&mut self, rule: R) -> Result<(), Error>
    where
        R: Rule<Value = T> + EntryOf<CountTerms<R>> + EntryOf<FillIds<R>> + EntryOf<FillValues<R>>,
    {
        self.same_shape(&rule)?;
        let engine = self.engine.clone();
        let rows = self.shape[0];
        // Rows with one element per term.
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

    /// Compacts rows that have fewer columns than terms.
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

    /// Recomputes the values for the same rule with other numbers: the numeric pass alone.
    ///
    /// # Errors
    ///
    /// Another shape; any error of the engine.
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

    /// Returns the number of rows.
    pub fn row_count(&self) -> u32 {
        self.shape[0]
    }

    /// Returns the number of columns.
    pub fn column_count(&self) -> u32 {
        self.shape[1]
    }

    /// Returns the number of entries.
    pub fn entry_count(&self) -> u32 {
        self.entries
    }

    /// Returns the start of each row, and the end of the last one.
    pub fn starts(&self) -> &Buffer<u32> {
        &self.starts
    }

    /// Returns the columns, ascending in each row; the buffer may be longer than the number of entries.
    pub fn ids(&self) -> &Buffer<u32> {
        &self.ids
    }

    /// Returns the values of the entries; the buffer may be longer than the number of entries.
    pub fn values(&self) -> &Buffer<T> {
        &self.values
    }

    /// Copies the matrix to the host.
    ///
    /// # Errors
    ///
    /// Any error of the engine.
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
    /// Returns the matrix for products.
    pub fn view(&self) -> Stored {
        Stored {
            starts: self.starts.global(),
            ids: self.ids.global(),
            values: self.values.global(),
            columns: self.shape[1],
        }
    }
}

/// Grows a buffer if it is too short; its content is then lost.
fn ensure<T: Pod>(engine: &Engine, buffer: &mut Buffer<T>, n: u32) -> Result<(), Error> {
    if buffer.len() < n as usize {
        *buffer = engine.zeroed(n as usize)?;
    }
    Ok(())
}
