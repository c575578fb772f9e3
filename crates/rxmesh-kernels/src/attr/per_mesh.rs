//! Numbers that each of several meshes has, found by the elements' labels.

use super::{Field, Read, Typed};
use crate::mem::{Bind, Global, Piece};
use crate::topo::{Element, Id};

/// `N` numbers for each of several meshes that lie in one, for the elements of kind `K`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PerMesh<K, const N: usize> {
    /// Number of the mesh of each element; not read for one mesh.
    labels: Read<K, u32>,
    /// One mesh after the other.
    numbers: Global<f32>,
}

impl<K: Element, const N: usize> PerMesh<K, N> {
    /// Creates the field for one mesh, which needs no labels.
    ///
    /// # Panics
    ///
    /// When these are not its `N` numbers.
    pub fn one(numbers: Global<f32>) -> Self {
        assert!(
            numbers.len() == N as u32,
            "{} numbers, a mesh has {N}",
            numbers.len()
        );
        PerMesh {
            // Never read: there is one mesh.
            labels: Read::nothing(),
            numbers,
        }
    }

    /// Creates the field for several meshes, by labels.
    ///
    /// # Panics
    ///
    /// When there are not the numbers of one mesh at least.
    pub fn new(labels: Read<K, u32>, numbers: Global<f32>) -> Self {
        assert!(
            numbers.len() >= N as u32,
            "{} numbers, a mesh has {N}",
            numbers.len()
        );
        PerMesh { labels, numbers }
    }

    /// Returns the numbers of the mesh of an element; a label that no mesh has counts as the last one's.
    #[inline(always)]
    pub fn get(self, e: impl Id<K>) -> [f32; N] {
        let meshes = self.numbers.len() / N as u32;
        if meshes == 1 {
            return self.numbers.several(0);
        }
        self.numbers
            .several(N as u32 * self.labels.get(e).min(meshes - 1))
    }
}

// SAFETY: no prologue and no epilogue.
unsafe impl<K: Element, const N: usize> Field for PerMesh<K, N> {}
// SAFETY: `get` only reads, `Read` a value of the element, and numbers whose place it has compared with how many there
// are.
unsafe impl<K: Element, const N: usize> Typed for PerMesh<K, N> {}
// SAFETY: the labels and the numbers.
unsafe impl<K, const N: usize> Bind for PerMesh<K, N> {
    #[inline(always)]
    fn bind(&self) {
        self.labels.bind();
        self.numbers.bind();
    }
    unsafe fn visit(&mut self, resolve: &mut dyn FnMut(Piece) -> Option<usize>) {
        // SAFETY: the caller's.
        unsafe {
            self.labels.visit(resolve);
            self.numbers.visit(resolve);
        }
    }
}

crate::hashed! { [K, const N: usize] PerMesh<K, N> }
