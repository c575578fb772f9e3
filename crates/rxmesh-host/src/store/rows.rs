//! Rows of a relation, written out in linear ids.

use super::{Dimension, RxMesh};
use crate::Error;
use crate::engine::{Buffer, EngineError};
use crate::parallel::scan;
use rxmesh_kernels::kernel::Entry;
use rxmesh_kernels::query::Relation;
use rxmesh_kernels::query::rows::{CountRows, WriteRows};
use rxmesh_kernels::topo::Element;
use std::marker::PhantomData;

/// Neighbours of every element under relation `R`, on the engine, in linear ids.
#[derive(Debug)]
pub struct Rows<R> {
    starts: Buffer<u32>,
    values: Buffer<u32>,
    of: PhantomData<R>,
}

/// [`Rows`] on the host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostRows {
    /// Start of each row in `values`; one more than there are linear ids.
    pub starts: Vec<u32>,
    /// Linear ids of the neighbours; `u32::MAX` where an edge diamond has none.
    pub values: Vec<u32>,
}

impl HostRows {
    /// Returns the neighbours of a linear id.
    pub fn row(&self, id: usize) -> &[u32] {
        &self.values[self.starts[id] as usize..self.starts[id + 1] as usize]
    }
}

impl<R: Relation> Rows<R> {
    /// Returns the start of each row, one more than there are linear ids. Empty for relations with rows of a fixed
    /// length.
    pub fn starts(&self) -> &Buffer<u32> {
        &self.starts
    }

    /// Returns the starts alone and frees the neighbours.
    pub(crate) fn into_starts(self) -> Buffer<u32> {
        self.starts
    }

    /// Returns the neighbours, row after row.
    pub fn values(&self) -> &Buffer<u32> {
        &self.values
    }

    /// Copies the rows to the host, waiting for the kernels.
    ///
    /// # Errors
    ///
    /// A fault that a kernel raised (such as a vertex that cannot be oriented), or any error of the engine.
    pub fn read(&self) -> Result<HostRows, EngineError> {
        let values = self.values.read()?;
        let starts = match R::FIXED {
            Some(width) => (0..=values.len() as u32 / width)
                .map(|i| i * width)
                .collect(),
            None => self.starts.read()?,
        };
        Ok(HostRows { starts, values })
    }
}

impl<D: Dimension> RxMesh<D> {
    /// Computes the rows of a relation on the fly and writes them out.
    ///
    /// # Errors
    ///
    /// More neighbours than 32 bits can count, no memory, or a fault of the query.
    pub fn query<R: Relation>(&self) -> Result<Rows<R>, Error>
    where
        CountRows<R>: Entry,
        WriteRows<R>: Entry,
    {
        let rows = self.allocate_rows::<R>()?;
        self.query_into(&rows)?;
        Ok(rows)
    }

    /// Allocates the rows of a relation: counts the neighbours of every element.
    ///
    /// # Errors
    ///
    /// As [`RxMesh::query`].
    pub fn allocate_rows<R: Relation>(&self) -> Result<Rows<R>, Error>
    where
        CountRows<R>: Entry,
    {
        let engine = self.engine();
        let n = self.linear_len(R::Source::KIND) as usize;
        if let Some(width) = R::FIXED {
            // Slack rows keep the value that says there is nothing.
            let values = engine.upload(&vec![u32::MAX; n * width as usize])?;
            values.set_mesh(self.id());
            return Ok(Rows {
                starts: engine.zeroed(0)?,
                values,
                of: PhantomData,
            });
        }
        let starts = engine.zeroed::<u32>(n + 1)?;
        self.launch(CountRows::<R> {
            counts: starts.global_mut(),
            relation: PhantomData,
        })?;
        let total = scan::exclusive_shared(engine, &starts)?;
        engine.synchronize()?;
        let values = engine.zeroed(total as usize)?;
        starts.set_mesh(self.id());
        values.set_mesh(self.id());
        Ok(Rows {
            starts,
            values,
            of: PhantomData,
        })
    }

    /// Computes the rows of a relation again, into buffers that were allocated for them.
    ///
    /// # Errors
    ///
    /// As [`RxMesh::query`].
    pub fn query_into<R: Relation>(&self, rows: &Rows<R>) -> Result<(), EngineError>
    where
        WriteRows<R>: Entry,
    {
        self.launch(WriteRows::<R> {
            starts: rows.starts.global_mut(),
            values: rows.values.global_mut(),
            relation: PhantomData,
        })
    }
}
