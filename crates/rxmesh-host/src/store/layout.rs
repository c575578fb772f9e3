//! Order and layout of an attribute's values on the engine (MeshTaichi 2022, section 5.3). Kernels over
//! the mesh need no change for it.

use super::attribute::plural;
use super::{Dimension, RxMesh};
use crate::Error;
use crate::engine::Buffer;
use rxmesh_kernels::attr::{PlaceMap, Value};
use rxmesh_kernels::mem::Global;
use rxmesh_kernels::topo::Kind;
use std::sync::{Arc, Mutex, PoisonError};

/// Input's index of each linear id.
pub(super) type Source = Arc<[u32]>;

/// Order of values on the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ValueOrder {
    /// By linear id: a patch's values lie together, which is the fastest for kernels over the mesh.
    #[default]
    Patch,
    /// As in the input, for values that other programs on the engine share: kernels reach them through one more read.
    /// Edges have no order in the input.
    Input,
}

/// Order of the 32-bit words of values on the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum WordOrder {
    /// One value after the other (array of structs).
    #[default]
    Together,
    /// All first words, then all second words, and so on (struct of arrays).
    Apart,
}

/// Order and layout of an attribute's values on the engine. The host's copy is in linear ids always.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Layout {
    /// Order of the values.
    pub order: ValueOrder,
    /// Layout of their words.
    pub words: WordOrder,
}

impl Layout {
    /// Returns `true` if low-level kernels can use the values: in linear ids, words together.
    pub fn is_plain(self) -> bool {
        self == Layout::default()
    }

    /// Refuses layouts that the kind of element or the type cannot have.
    pub(super) fn check<T: Value>(self, kind: Kind) -> Result<(), Error> {
        if self.order == ValueOrder::Input && kind == Kind::Edge {
            return Err(Error::Options(
                "edges have no order in the input: their attributes are in patch order".into(),
            ));
        }
        let words = size_of::<T>().is_multiple_of(4) && align_of::<T>() >= 4;
        if self.words == WordOrder::Apart && !words {
            return Err(Error::Options(format!(
                "a value of type {} does not consist of 32-bit words, which could be stored apart",
                std::any::type_name::<T>()
            )));
        }
        Ok(())
    }

    /// Returns the number of values on the engine.
    pub(super) fn len<D: Dimension>(self, rx: &RxMesh<D>, kind: Kind) -> usize {
        match self.order {
            ValueOrder::Patch => rx.linear_len(kind) as usize,
            ValueOrder::Input => rx.count(kind) as usize,
        }
    }

    /// Returns the description that kernels need and, for values in the input's order, the input's index of each linear
    /// id.
    pub(super) fn place<D: Dimension>(
        self,
        rx: &RxMesh<D>,
        kind: Kind,
    ) -> Result<(PlaceMap, Option<Source>), Error> {
        let plane = match self.words {
            WordOrder::Together => 0,
            WordOrder::Apart => self.len(rx, kind) as u32,
        };
        Ok(match self.order {
            ValueOrder::Patch => (PlaceMap::plain().apart(plane), None),
            ValueOrder::Input => {
                let (source, order) = rx.places(kind)?;
                (PlaceMap::new(order, plane), Some(source))
            }
        })
    }

    /// Returns values in linear ids as they lie on the engine. `source` has the input's index of each linear id.
    pub(super) fn to_device<T: Value>(
        self,
        linear: &[T],
        source: Option<&[u32]>,
        n: usize,
    ) -> Vec<T> {
        let mut ordered = vec![T::zeroed(); n];
        match (self.order, source) {
            (ValueOrder::Input, Some(source)) => {
                for (&to, &value) in source.iter().zip(linear) {
                    if to != u32::MAX {
                        ordered[to as usize] = value;
                    }
                }
            }
            _ => ordered.copy_from_slice(linear),
        }
        if self.words == WordOrder::Apart {
            let mut apart = vec![T::zeroed(); n];
            let (from, to): (&[u32], &mut [u32]) = (
                bytemuck::cast_slice(&ordered),
                bytemuck::cast_slice_mut(&mut apart),
            );
            let words = size_of::<T>() / 4;
            for (at, &word) in from.iter().enumerate() {
                to[at % words * n + at / words] = word;
            }
            return apart;
        }
        ordered
    }

    /// Copies values from the engine's layout into linear ids.
    pub(super) fn read_device<T: Value>(
        self,
        device: &[T],
        source: Option<&[u32]>,
        linear: &mut [T],
    ) {
        let n = device.len();
        let mut ordered;
        let device = if self.words == WordOrder::Apart {
            ordered = vec![T::zeroed(); n];
            let (from, to): (&[u32], &mut [u32]) = (
                bytemuck::cast_slice(device),
                bytemuck::cast_slice_mut(&mut ordered),
            );
            let words = size_of::<T>() / 4;
            for (at, word) in to.iter_mut().enumerate() {
                *word = from[at % words * n + at / words];
            }
            &ordered[..]
        } else {
            device
        };
        match (self.order, source) {
            (ValueOrder::Input, Some(source)) => {
                for (&from, value) in source.iter().zip(linear) {
                    if from != u32::MAX {
                        *value = device[from as usize];
                    }
                }
            }
            _ => linear.copy_from_slice(device),
        }
    }
}

/// For vertices and faces, or cells, the input's index of each linear id, on both sides; made when an attribute in the
/// input's order requests it.
#[derive(Default)]
pub(super) struct InputIndices(Mutex<[Option<Indices>; 4]>);

struct Indices {
    host: Arc<[u32]>,
    engine: Buffer<u32>,
}

impl<D: Dimension> RxMesh<D> {
    fn places(&self, kind: Kind) -> Result<(Arc<[u32]>, Global<u32>), Error> {
        let mut places = self
            .places_store()
            .0
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let slot = &mut places[kind as usize];
        let indices = match slot {
            Some(indices) => indices,
            None => {
                let source = self.source(kind)?.ok_or_else(|| {
                    Error::Options(format!("{} have no order in the input", plural(kind)))
                })?;
                slot.insert(Indices {
                    host: Arc::from(source),
                    engine: self.engine().upload(source)?,
                })
            }
        };
        Ok((Arc::clone(&indices.host), indices.engine.global()))
    }
}
