//! Ids: local to a patch, owned by it, linear over the mesh; a type each, so that they cannot be mixed up.

use super::Kind;
use crate::mem::Global;
use core::marker::PhantomData;

/// A kind of element as a type.
pub trait Element: Copy + Send + Sync + core::fmt::Debug + 'static {
    /// Kind as a value.
    const KIND: Kind;
}

/// 0-cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vertex;
/// 1-cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge;
/// 2-cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Face;
/// 3-cells: tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell;

impl Element for Vertex {
    const KIND: Kind = Kind::Vertex;
}
impl Element for Edge {
    const KIND: Kind = Kind::Edge;
}
impl Element for Face {
    const KIND: Kind = Kind::Face;
}
impl Element for Cell {
    const KIND: Kind = Kind::Cell;
}

/// Anything that names one element of the mesh.
///
/// # Safety
///
/// The mesh that the kernel runs on has the element (contract U4).
pub unsafe trait Id<K: Element>: Copy {
    /// Returns the element's linear id.
    fn linear(self) -> u32;
}

/// Turns a patch's local ids of one kind into linear ids.
#[derive(Clone, Copy, Debug)]
pub struct Map<K> {
    base: u32,
    owned: u32,
    ribbon: Global<u32>,
    of: PhantomData<K>,
}

impl<K: Element> Map<K> {
    pub(crate) fn new(base: u32, owned: u32, ribbon: Global<u32>) -> Self {
        Map {
            base,
            owned,
            ribbon,
            of: PhantomData,
        }
    }

    /// Returns the linear id of a local id.
    #[inline(always)]
    pub fn linear(self, local: u32) -> u32 {
        if local < self.owned {
            self.base + local
        } else {
            self.ribbon.get(local - self.owned)
        }
    }

    /// Returns the element with a local id.
    #[inline(always)]
    pub(crate) fn local(self, id: u32) -> Local<K> {
        Local { id, map: self }
    }

    /// Returns the linear ids of the ribbon.
    #[inline(always)]
    pub(crate) fn ribbon(self) -> Global<u32> {
        self.ribbon
    }
}

/// An element of the patch that is being processed: owned or ribbon.
#[derive(Clone, Copy, Debug)]
pub struct Local<K> {
    id: u32,
    map: Map<K>,
}

impl<K: Element> Local<K> {
    /// Returns the local id, from 0 to the patch's number of local elements.
    #[inline(always)]
    pub fn local(self) -> u32 {
        self.id
    }

    /// Returns the element as an owned one, if the patch owns it. Bodies of kernels must not have it: only the thread
    /// that is called for an element writes its values.
    #[inline(always)]
    pub(crate) fn owned(self) -> Option<Owned<K>> {
        if self.id < self.map.owned {
            Some(Owned(self))
        } else {
            None
        }
    }
}

// SAFETY: made by `Patch` and by relations, of the patch's own elements.
unsafe impl<K: Element> Id<K> for Local<K> {
    #[inline(always)]
    fn linear(self) -> u32 {
        self.map.linear(self.id)
    }
}

/// An element that the patch owns: proof that writing to it is this patch's business.
#[derive(Clone, Copy, Debug)]
pub struct Owned<K>(Local<K>);

impl<K: Element> Owned<K> {
    /// Creates the proof; `local` must be below the patch's number of owned elements.
    #[inline(always)]
    pub(crate) fn new(local: Local<K>) -> Self {
        debug_assert!(local.id < local.map.owned);
        Owned(local)
    }

    /// Returns the local id.
    #[inline(always)]
    pub fn local(self) -> u32 {
        self.0.id
    }

    /// Returns the element without the proof.
    #[inline(always)]
    pub fn any(self) -> Local<K> {
        self.0
    }
}

// SAFETY: as `Local`.
unsafe impl<K: Element> Id<K> for Owned<K> {
    #[inline(always)]
    fn linear(self) -> u32 {
        self.0.map.base + self.0.id
    }
}

/// An element by its linear id, for flat kernels and the host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Linear<K>(pub u32, PhantomData<K>);

impl<K: Element> Linear<K> {
    /// Returns the element with this linear id.
    #[inline(always)]
    pub fn new(id: u32) -> Self {
        Linear(id, PhantomData)
    }
}
