//! Attributes inside a session: as many values as slots, growing with them.

use crate::Error;
use crate::engine::Buffer;
use crate::repack::Renumbering;
use crate::store::RxMesh;
use rxmesh_kernels::attr::{Sum, Value};
use rxmesh_kernels::mem::GlobalMut;
use rxmesh_kernels::topo::{Element, Face, Kind, Vertex};
use std::any::Any;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Names a column of a session.
pub struct Column<K, T> {
    session: u64,
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
        write!(f, "Column({} of session {})", self.index, self.session)
    }
}

/// A column whatever its type.
trait AnyColumn: Send + Sync {
    /// Returns the kind of its elements: vertices, edges or faces.
    fn kind(&self) -> Kind;
    /// Returns the same values in a longer buffer.
    fn grown(&self, len: u32) -> Result<Box<dyn AnyColumn>, Error>;
    /// Returns the values as words.
    fn words(&self) -> GlobalMut<u32>;
    /// Returns the number of words of a value.
    fn width(&self) -> u32;
    fn as_any(&self) -> &dyn Any;
    fn as_any_mut(&mut self) -> &mut dyn Any;
    /// Closes the column into the attribute of the new mesh.
    fn close(&self, rx: &RxMesh, renumbering: &Renumbering) -> Result<Box<dyn Any>, Error>;
}

struct ColumnOf<K, T> {
    values: Buffer<T>,
    of: PhantomData<fn() -> K>,
}

impl<K: Element, T: Value> AnyColumn for ColumnOf<K, T> {
    fn kind(&self) -> Kind {
        K::KIND
    }

    fn grown(&self, len: u32) -> Result<Box<dyn AnyColumn>, Error> {
        Columns::check_len::<T>(len)?;
        Ok(Box::new(ColumnOf::<K, T> {
            values: self.values.grown(len as usize)?,
            of: PhantomData,
        }))
    }

    fn words(&self) -> GlobalMut<u32> {
        self.values.global_mut().cast()
    }

    fn width(&self) -> u32 {
        width_of::<T>()
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

/// Returns the number of words of a value.
fn width_of<T>() -> u32 {
    (size_of::<T>() / size_of::<u32>()) as u32
}

/// Columns of a session, and the indices of those that are interpolated.
pub struct Columns {
    /// Session's own number.
    session: u64,
    list: Vec<Box<dyn AnyColumn>>,
    /// Vertex columns that are interpolated.
    blended: Vec<Blended>,
    /// Columns whose values new vertices and faces inherit.
    traced: [Option<usize>; 2],
}

/// A vertex column that is interpolated.
#[derive(Clone, Copy, Debug)]
struct Blended {
    index: usize,
    components: u32,
}

/// Initial values of new vertices in a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Blend {
    /// Weighted mean of the values of those they arose from; the words are `f32` numbers.
    Mean,
    /// Word of the one of them with the greatest weight, with [`BORN`](rxmesh_kernels::cavity::BORN).
    Traced,
}

/// A column as kernels see it that move elements, whatever its type.
#[derive(Clone, Copy, Debug)]
pub struct ColumnWords {
    /// Kind of the elements.
    pub kind: Kind,
    /// Values as words.
    pub words: GlobalMut<u32>,
    /// Words per value.
    pub width: u32,
    /// Initial values of new vertices; `None` leaves the contents of their slots.
    pub blend: Option<Blend>,
}

impl std::fmt::Debug for Columns {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Columns({})", self.list.len())
    }
}

impl Default for Columns {
    fn default() -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        Columns {
            session: NEXT.fetch_add(1, Relaxed),
            list: Vec::new(),
            blended: Vec::new(),
            traced: [None; 2],
        }
    }
}

impl Columns {
    /// Returns the number of columns.
    pub fn len(&self) -> usize {
        self.list.len()
    }

    /// Returns `true` if there is no column.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Returns the columns, for kernels that move elements.
    pub fn words(&self) -> impl Iterator<Item = ColumnWords> + '_ {
        self.list.iter().enumerate().map(|(i, column)| ColumnWords {
            kind: column.kind(),
            words: column.words(),
            width: column.width(),
            blend: self.blend_of(i),
        })
    }

    /// Returns the same columns with capacity for `capacity` elements of each kind. A session takes them once it has
    /// all that it needs to grow.
    ///
    /// # Errors
    ///
    /// More words than kernels can address, or no memory on the engine.
    pub fn grown(&self, capacity: [u32; 3]) -> Result<Columns, Error> {
        let grow = |column: &dyn AnyColumn| column.grown(capacity[column.kind() as usize]);
        Ok(Columns {
            session: self.session,
            list: self
                .list
                .iter()
                .map(|c| grow(&**c))
                .collect::<Result<_, _>>()?,
            blended: self.blended.clone(),
            traced: self.traced,
        })
    }

    /// Refuses more words than kernels can address: they compute places in 32 bits.
    pub(super) fn check_len<T>(slots: u32) -> Result<(), Error> {
        let count = u64::from(slots) * u64::from(width_of::<T>());
        let limit = u64::from(u32::MAX);
        if count > limit {
            let what = "words in a column";
            return Err(Error::TooLarge { what, count, limit });
        }
        Ok(())
    }

    pub(super) fn add<K: Element, T: Value>(&mut self, values: Buffer<T>) -> Column<K, T> {
        let of = PhantomData;
        self.list.push(Box::new(ColumnOf::<K, T> { values, of }));
        Column {
            session: self.session,
            index: self.list.len() - 1,
            of: PhantomData,
        }
    }

    fn index<K, T>(&self, column: Column<K, T>) -> Result<usize, Error> {
        if column.session != self.session {
            return Err(Error::OtherSession);
        }
        Ok(column.index)
    }

    pub(super) fn get<K: Element, T: Value>(
        &self,
        column: Column<K, T>,
    ) -> Result<&Buffer<T>, Error> {
        let any = self.list[self.index(column)?].as_any();
        let of = any.downcast_ref::<ColumnOf<K, T>>();
        Ok(&of.ok_or(Error::OtherSession)?.values)
    }

    pub(super) fn get_mut<K: Element, T: Value>(
        &mut self,
        column: Column<K, T>,
    ) -> Result<&mut Buffer<T>, Error> {
        let index = self.index(column)?;
        let of = self.list[index]
            .as_any_mut()
            .downcast_mut::<ColumnOf<K, T>>();
        Ok(&mut of.ok_or(Error::OtherSession)?.values)
    }

    fn blend_of(&self, index: usize) -> Option<Blend> {
        if self.traced[0] == Some(index) {
            return Some(Blend::Traced);
        }
        let blended = self.blended.iter().any(|b| b.index == index);
        blended.then_some(Blend::Mean)
    }

    pub(super) fn blend<T: Sum>(&mut self, column: Column<Vertex, T>) -> Result<(), Error> {
        let index = self.index(column)?;
        if self.blended.iter().all(|b| b.index != index) {
            let components = T::COMPONENTS;
            self.blended.push(Blended { index, components });
        }
        Ok(())
    }

    /// Sets the columns whose values new vertices and faces inherit.
    pub(super) fn trace(
        &mut self,
        vertices: Column<Vertex, u32>,
        faces: Column<Face, u32>,
    ) -> Result<(), Error> {
        self.traced = [Some(self.index(vertices)?), Some(self.index(faces)?)];
        Ok(())
    }

    /// Returns the columns whose values new vertices and faces inherit, if there are any.
    pub(super) fn traced(&self) -> [Option<GlobalMut<u32>>; 2] {
        self.traced.map(|i| i.map(|i| self.list[i].words()))
    }

    /// Returns the interpolated columns, each with the number of components of a value.
    pub(crate) fn blended(&self) -> impl Iterator<Item = (GlobalMut<f32>, u32)> + '_ {
        self.blended
            .iter()
            .map(|b| (self.list[b.index].words().cast(), b.components))
    }

    pub(super) fn has_blended(&self) -> bool {
        !self.blended.is_empty() || self.traced[0].is_some()
    }

    /// Closes the columns into the attributes of the new mesh.
    pub(super) fn close(
        &self,
        rx: &RxMesh,
        renumbering: &Renumbering,
    ) -> Result<ClosedColumns, Error> {
        let columns = self.list.iter();
        let columns = columns.map(|column| column.close(rx, renumbering).map(Some));
        Ok(ClosedColumns {
            session: self.session,
            list: columns.collect::<Result<_, _>>()?,
        })
    }
}

/// Columns after a session has ended.
pub(super) struct ClosedColumns {
    session: u64,
    list: Vec<Option<Box<dyn Any>>>,
}

impl ClosedColumns {
    pub(super) fn len(&self) -> usize {
        self.list.len()
    }

    /// Takes the attribute that a column has become; works once for each column.
    pub(super) fn take<K: 'static, T: 'static, A: 'static>(
        &mut self,
        column: Column<K, T>,
    ) -> Result<A, Error> {
        if column.session != self.session {
            return Err(Error::OtherSession);
        }
        let taken = self.list[column.index].take().ok_or(Error::ColumnTaken)?;
        let attribute = taken.downcast::<A>().map_err(|_| Error::OtherSession)?;
        Ok(*attribute)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_32_bits_cannot_place_are_refused() {
        assert!(Columns::check_len::<[f32; 3]>(1 << 30).is_ok());
        let error = Columns::check_len::<[f32; 4]>(1 << 30);
        assert!(matches!(error, Err(Error::TooLarge { .. })), "{error:?}");
    }
}
