//! Order of a mesh's input: linear ids of its vertices and faces, and back.

use super::{Attribute, AttributeError, Dimension, RxMesh};
use crate::Error;
use crate::engine::Buffer;
use crate::parallel::scatter;
use crate::patch::PatchStats;
use rxmesh_kernels::attr::Value;
use rxmesh_kernels::topo::{Element, Kind};
use std::marker::PhantomData;

/// Order of the input's vertices or faces.
pub(super) struct InputOrder {
    /// Input's index of each linear id; `u32::MAX` if there is no element.
    pub(super) source: Vec<u32>,
    /// Linear id of each index of the input.
    pub(super) linear: Vec<u32>,
}

impl InputOrder {
    /// Takes the linear ids of a session, `u32::MAX` where nothing lives; the input is what lives.
    fn new(mut linear: Vec<u32>, linear_len: u32) -> InputOrder {
        linear.retain(|&id| id != u32::MAX);
        let mut source = vec![u32::MAX; linear_len as usize];
        for (input, &id) in linear.iter().enumerate() {
            source[id as usize] = input as u32;
        }
        InputOrder { source, linear }
    }
}

impl RxMesh {
    /// Returns the statistics of the patches. Of patches that were packed on the engine, rounds and times are zero.
    pub fn patch_stats(&self) -> PatchStats {
        match self.set.get() {
            Some(set) => set.stats.clone(),
            None => PatchStats::new(self.headers(), [0, 1, 2].map(|k: usize| self.counts[k])),
        }
    }

    /// Returns the linear id of each of the input's vertices or faces, in the input's order; `None` of edges, which it
    /// does not number.
    ///
    /// # Errors
    ///
    /// As [`RxMesh::patch_set`].
    pub fn input_to_linear(&self, kind: Kind) -> Result<Option<&[u32]>, Error> {
        Ok(match (kind, self.set.get()) {
            (Kind::Vertex, Some(set)) => Some(&set.vertex_linear),
            (Kind::Face, Some(set)) => Some(&set.face_linear),
            (Kind::Vertex, None) => Some(&self.packed_order(kind)?.linear),
            (Kind::Face, None) => Some(&self.packed_order(kind)?.linear),
            (Kind::Edge | Kind::Cell, _) => None,
        })
    }

    /// Returns the input's index of each linear id of vertices or faces, `u32::MAX` of free slots; `None` of edges.
    ///
    /// # Errors
    ///
    /// As [`RxMesh::patch_set`].
    pub fn linear_to_input(&self, kind: Kind) -> Result<Option<&[u32]>, Error> {
        Ok(match (kind, self.set.get()) {
            (Kind::Vertex, Some(set)) => Some(&set.vertex_source),
            (Kind::Face, Some(set)) => Some(&set.face_source),
            (Kind::Vertex, None) => Some(&self.packed_order(kind)?.source),
            (Kind::Face, None) => Some(&self.packed_order(kind)?.source),
            (Kind::Edge | Kind::Cell, _) => None,
        })
    }

    /// Returns the order of the vertices or else the faces of a mesh that was packed on the engine, copied at the first
    /// call.
    pub(super) fn packed_order(&self, kind: Kind) -> Result<&InputOrder, Error> {
        let order = &self.orders[usize::from(kind != Kind::Vertex)];
        if let Some(order) = order.get() {
            return Ok(order);
        }
        let origin = self.origin(kind).map_or(Ok(Vec::new()), Buffer::read)?;
        let new = InputOrder::new(origin, self.linear_len(kind));
        Ok(order.get_or_init(|| new))
    }
}

/// Order of a mesh's input in the engine's memory, for attributes that are wanted in this order there, again and again.
#[derive(Debug)]
pub struct EngineOrder<K> {
    mesh: u64,
    /// Number of elements of the input.
    count: u32,
    /// Input's index of each linear id; `u32::MAX` if there is no element.
    source: Buffer<u32>,
    of: PhantomData<fn() -> K>,
}

impl<K: Element> EngineOrder<K> {
    /// Copies the order to the mesh's engine.
    ///
    /// # Errors
    ///
    /// A kind that the input does not number ([`Error::Options`]), or no memory on the engine.
    pub fn new(rx: &RxMesh<impl Dimension>) -> Result<EngineOrder<K>, Error> {
        let source = rx.source(K::KIND)?;
        let source =
            source.ok_or_else(|| Error::Options("the input has no order of its edges".into()))?;
        Ok(EngineOrder {
            mesh: rx.id(),
            count: rx.count(K::KIND),
            source: rx.engine().upload(source)?,
            of: PhantomData,
        })
    }

    /// Returns the values of an attribute in the input's order, in the engine's memory.
    ///
    /// # Errors
    ///
    /// Values that are not whole 32-bit words ([`Error::Options`]), an attribute that is stale or of another mesh or
    /// layout, or any error of the engine.
    pub fn values<T: Value>(&self, x: &Attribute<K, T>) -> Result<Buffer<T>, Error> {
        if x.mesh_id() != self.mesh {
            return Err(AttributeError::OtherMesh.into());
        }
        if size_of::<T>() == 0 || !size_of::<T>().is_multiple_of(size_of::<u32>()) {
            let why = "values that are not whole 32-bit words cannot be moved";
            return Err(Error::Options(why.into()));
        }
        let width = (size_of::<T>() / size_of::<u32>()) as u32;
        let engine = self.source.engine();
        let values = engine.uninit::<T>(self.count as usize)?;
        let (from, to) = (x.global()?.cast(), values.global_mut().cast());
        scatter(engine, &self.source, from, to, width)?;
        Ok(values)
    }
}
