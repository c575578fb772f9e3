//! Fields that access an attribute in global memory.

use super::value::{Sum, Value};
use super::{Field, PlaceMap, View, ViewMut};
use crate::mem::{Bind, Global, Piece};
use crate::topo::{Element, Id, Owned};
use core::marker::PhantomData;

/// An attribute of `K` that the kernel reads.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Read<K, T> {
    data: View<T>,
    of: PhantomData<K>,
}

impl<K: Element, T: Value> Read<K, T> {
    /// Creates a field over all elements.
    ///
    /// # Safety
    ///
    /// The view has a value for each element of kind `K` of the meshes that kernels are launched on with it (contract
    /// U4).
    pub unsafe fn new(data: View<T>) -> Self {
        Read {
            data,
            of: PhantomData,
        }
    }

    /// Returns a field without values, for kernels that never read it.
    pub(super) fn nothing() -> Self {
        Read {
            data: View::new(Global::empty(), PlaceMap::plain()),
            of: PhantomData,
        }
    }

    /// Returns the value of an element.
    #[inline(always)]
    pub fn get(self, e: impl Id<K>) -> T {
        self.data.get(e.linear())
    }
}
// SAFETY: no prologue and no epilogue.
unsafe impl<K: Element, T: Value> Field for Read<K, T> {
    #[inline(always)]
    fn is_plain(&self) -> bool {
        self.data.is_plain()
    }
    #[inline(always)]
    unsafe fn assume_plain(self) -> Self {
        Read {
            data: self.data.assume_plain(),
            ..self
        }
    }
}
// SAFETY: `data` holds all addresses there are before the launch.
unsafe impl<K, T> Bind for Read<K, T> {
    #[inline(always)]
    fn bind(&self) {
        self.data.bind();
    }
    unsafe fn visit(&mut self, resolve: &mut dyn FnMut(Piece) -> Option<usize>) {
        // SAFETY: the caller's.
        unsafe { self.data.visit(resolve) }
    }
}

/// An attribute of `K` that the kernel writes, each patch its owned elements.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Write<K, T> {
    data: ViewMut<T>,
    of: PhantomData<K>,
}

impl<K: Element, T: Value> Write<K, T> {
    /// Creates a field over all elements.
    ///
    /// # Safety
    ///
    /// The view has a value for each element of kind `K` of the meshes that kernels are launched on with it (contract
    /// U4).
    pub unsafe fn new(data: ViewMut<T>) -> Self {
        Write {
            data,
            of: PhantomData,
        }
    }

    /// Sets the value of an owned element.
    #[inline(always)]
    pub fn set(self, e: Owned<K>, v: T) {
        self.data.set(e.linear(), v);
    }

    /// Returns the value of an owned element.
    #[inline(always)]
    pub fn get(self, e: Owned<K>) -> T {
        self.data.read().get(e.linear())
    }
}
// SAFETY: no prologue and no epilogue.
unsafe impl<K: Element, T: Value> Field for Write<K, T> {
    #[inline(always)]
    fn is_plain(&self) -> bool {
        self.data.is_plain()
    }
    #[inline(always)]
    unsafe fn assume_plain(self) -> Self {
        Write {
            data: self.data.assume_plain(),
            ..self
        }
    }
}
// SAFETY: `data` holds all addresses there are before the launch.
unsafe impl<K, T> Bind for Write<K, T> {
    #[inline(always)]
    fn bind(&self) {
        self.data.bind();
    }
    unsafe fn visit(&mut self, resolve: &mut dyn FnMut(Piece) -> Option<usize>) {
        // SAFETY: the caller's.
        unsafe { self.data.visit(resolve) }
    }
}

/// An attribute of `K` that the kernel adds to, any patch to any element, atomically.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Accumulate<K, T> {
    data: ViewMut<T>,
    of: PhantomData<K>,
}

impl<K: Element, T: Sum> Accumulate<K, T> {
    /// Creates a field over all elements.
    ///
    /// # Safety
    ///
    /// The view has a value for each element of kind `K` of the meshes that kernels are launched on with it (contract
    /// U4).
    pub unsafe fn new(data: ViewMut<T>) -> Self {
        Accumulate {
            data,
            of: PhantomData,
        }
    }

    /// Adds to the value of an element.
    #[inline(always)]
    pub fn add(self, e: impl Id<K>, v: T) {
        self.data.add(e.linear(), v);
    }
}
// SAFETY: no prologue and no epilogue.
unsafe impl<K: Element, T: Sum> Field for Accumulate<K, T> {
    #[inline(always)]
    fn is_plain(&self) -> bool {
        self.data.is_plain()
    }
    #[inline(always)]
    unsafe fn assume_plain(self) -> Self {
        Accumulate {
            data: self.data.assume_plain(),
            ..self
        }
    }
}
// SAFETY: `data` holds all addresses there are before the launch.
unsafe impl<K, T> Bind for Accumulate<K, T> {
    #[inline(always)]
    fn bind(&self) {
        self.data.bind();
    }
    unsafe fn visit(&mut self, resolve: &mut dyn FnMut(Piece) -> Option<usize>) {
        // SAFETY: the caller's.
        unsafe { self.data.visit(resolve) }
    }
}

crate::hashed! { [K, T] Read<K, T>, [K, T] Write<K, T>, [K, T] Accumulate<K, T> }
