//! Attributes inside a session: as many values as slots, growing with them.

use crate::Error;
use crate::engine::{Buffer, EngineError};
use crate::repack::Renumbering;
use crate::store::RxMesh;
use rxmesh_kernels::attr::Value;
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::{Element, Kind};
use std::any::Any;
use std::marker::PhantomData;

/// Names a column of a session.
pub struct Column<K, T> {
    index: usize,
    of: PhantomData<fn() -> (K, T)>,
}

impl<K, T> Clone for Column<K, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<K, T> Copy for Column<K, T> {}

impl<K, T> std::fmt::Debug for Column<K, T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Column({})", self.index)
    }
}

impl<K, T> Column<K, T> {
    pub(super) fn new(index: usize) -> Self {
        Column {
            index,
            of: PhantomData,
        }
    }

    pub(super) fn index(self) -> usize {
        self.index
    }
}

/// A column whatever its type.
pub(crate) trait AnyColumn: Send + Sync {
    /// Vertices, edges or faces.
    fn kind(&self) -> Kind;
    fn grow(&mut self, len: usize) -> Result<(), EngineError>;
    /// The values as words.
    fn words(&self) -> GlobalMut<u32>;
    /// Words a value.
    fn width(&self) -> u32;
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    /// The attribute of the new mesh.
    fn close(&self, rx: &RxMesh, renumbering: &Renumbering) -> Result<Box<dyn Any>, Error>;
}

pub(super) struct ColumnOf<K, T> {
    values: Buffer<T>,
    of: PhantomData<fn() -> K>,
}

impl<K, T> ColumnOf<K, T> {
    pub(super) fn new(values: Buffer<T>) -> Self {
        ColumnOf {
            values,
            of: PhantomData,
        }
    }

    pub(super) fn values(&self) -> &Buffer<T> {
        &self.values
    }

    pub(super) fn values_mut(&mut self) -> &mut Buffer<T> {
        &mut self.values
    }
}

impl<K: Element, T: Value> AnyColumn for ColumnOf<K, T> {
    fn kind(&self) -> Kind {
        K::KIND
    }

    fn grow(&mut self, len: usize) -> Result<(), EngineError> {
        self.values = self.values.grown(len)?;
        Ok(())
    }

    fn words(&self) -> GlobalMut<u32> {
        self.values.global_mut().cast()
    }

    fn width(&self) -> u32 {
        (size_of::<T>() / size_of::<u32>()) as u32
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }

    fn close(&self, rx: &RxMesh, renumbering: &Renumbering) -> Result<Box<dyn Any>, Error> {
        Ok(Box::new(renumbering.attribute::<K, T>(rx, &self.values)?))
    }
}
