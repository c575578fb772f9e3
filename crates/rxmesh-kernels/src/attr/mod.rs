//! Attribute fields of kernels: the field's type gives the access to the attribute.
//!
//! | field | in the body | memory |
//! | --- | --- | --- |
//! | [`Read`] | `get` any element | global |
//! | [`Write`] | `get`, `set` the owned element | global |
//! | [`PerMesh`] | `get` the numbers of an element's mesh | global |
//! | [`Accumulate`] | `add` to any element | global, atomic |
//! | [`Staged`] | `get` any local element | loaded to shared memory in a prologue, ribbon included |
//! | [`StagedSum`] | `add` to any local element, kept for owned ones | shared, stored in an epilogue |
//!
//! The body is the same for `Read` and `Staged` (MeshTaichi 2022, section 5.2, as types), and for every order and
//! layout of the values ([`PlaceMap`]). Each launch decides which staged fields fit shared memory (MeshTaichi 2022,
//! section 5.2.2); the values of the others stay in global memory.

mod global;
mod per_mesh;
mod staged;
mod value;
mod view;

pub use global::{Accumulate, Read, Write};
pub use per_mesh::PerMesh;
pub use staged::{Finish, Keep, Staged, StagedSum, Unit};
pub use value::{Sum, Value};
pub use view::{PlaceMap, View, ViewMut};

use crate::exec::{Block, Phase};
use crate::mem::{Bind, Piece, Plan};
use crate::topo::{Kind, Patch, PatchHeader};

/// Values that a field keeps in shared memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StagedField {
    /// The field's name.
    pub name: &'static str,
    /// Kind of the elements.
    pub kind: Kind,
    /// Bytes per element.
    pub bytes: u32,
    /// `true` if they are added up; else they are read.
    pub sums: bool,
}

/// A field of a kernel. Its type decides whether it takes part in the kernel's prologue and epilogue.
///
/// # Safety
///
/// Prologue and epilogue access shared memory that `carve` took and the patch's own elements, and keep contracts U2, U3
/// and U4; they do not disturb the accesses of other fields of the same type.
pub unsafe trait Field: Copy + Bind {
    /// `true` if [`Field::store`] does something.
    const STORES: bool = false;

    /// Returns `true` if the field's values have the usual layout: in linear ids, words together, in shared memory when
    /// they are staged.
    #[inline(always)]
    fn is_plain(&self) -> bool {
        true
    }

    /// Returns the same field for code that runs only if [`Field::is_plain`]: the compiler then knows its result.
    ///
    /// # Safety
    ///
    /// The field is plain (contract U4).
    #[inline(always)]
    unsafe fn assume_plain(self) -> Self {
        self
    }

    /// Returns the staged values of the field, if it has any; `name` is its own.
    fn staged(&self, _name: &'static str) -> Option<StagedField> {
        None
    }

    /// Releases the field's shared memory. Values stay in global memory then; the kernel's body is the same.
    fn unstage(&mut self) {}

    /// Takes the shared memory that the field needs.
    #[inline(always)]
    fn carve(&mut self, _header: &PatchHeader, _plan: &mut Plan) {}

    /// Runs the prologue, inside a phase.
    #[inline(always)]
    fn load<B: Block>(&self, _p: Phase<B>, _patch: &Patch) {}

    /// Runs the epilogue, inside a phase.
    #[inline(always)]
    fn store<B: Block>(&self, _p: Phase<B>, _patch: &Patch) {}
}

/// A field that a body without `unsafe` can have. Whatever a [`ForEach`](crate::kernel::ForEach) or
/// [`Scatter`](crate::kernel::Scatter) body does with it and with the elements that it was given, no two threads access
/// the same value unless all read or all add.
///
/// # Safety
///
/// The above (contract U3 of docs/inside/unsafe.md). [`Global`](crate::mem::Global) and
/// [`GlobalMut`](crate::mem::GlobalMut), which take any index, cannot promise it.
pub unsafe trait Typed: Field {}

// SAFETY: `get` only reads, and no other field writes what one field reads: the launch refuses it (contract U4).
unsafe impl<K: crate::topo::Element, T: Value> Typed for Read<K, T> {}
// SAFETY: as `Read`; shared memory is written in the prologue alone.
unsafe impl<K: crate::topo::Element, T: Value> Typed for Staged<K, T> {}
// SAFETY: `get` and `set` take an `Owned`, and a body has no other than that of the element it was called for.
unsafe impl<K: crate::topo::Element, T: Value> Typed for Write<K, T> {}
// SAFETY: `add` is atomic, and there is nothing else.
unsafe impl<K: crate::topo::Element, T: Sum> Typed for Accumulate<K, T> {}
// SAFETY: as `Accumulate`; the epilogue, after a barrier, stores the patch's own elements.
unsafe impl<K: crate::topo::Element, T: Sum, F: Finish<T>> Typed for StagedSum<K, T, F> {}

macro_rules! plain {
    ($($t:ty),*) => {$(
        // SAFETY: holds no address.
        unsafe impl Bind for $t {
            #[inline(always)]
            fn bind(&self) {}
            unsafe fn visit(&mut self, _resolve: &mut dyn FnMut(Piece) -> Option<usize>) {}
        }
        // SAFETY: accesses nothing.
        unsafe impl Field for $t {}
        // SAFETY: as above.
        unsafe impl Typed for $t {}
    )*};
}
plain!(f32, f64, u32, i32, glam::Vec2, glam::Vec3, glam::Vec4);
crate::hashed! {
    [] f32, [] f64, [] u32, [] i32, [] glam::Vec2, [] glam::Vec3, [] glam::Vec4, [T] core::marker::PhantomData<T>,
    [T] crate::mem::Shared<T>
}
// SAFETY: no prologue and no epilogue.
unsafe impl<T: Value> Field for crate::mem::Global<T> {}
// SAFETY: as above.
unsafe impl<T: Value> Field for crate::mem::GlobalMut<T> {}

// SAFETY: there is nothing.
unsafe impl<T> Bind for core::marker::PhantomData<T> {
    #[inline(always)]
    fn bind(&self) {}
    unsafe fn visit(&mut self, _resolve: &mut dyn FnMut(Piece) -> Option<usize>) {}
}

// SAFETY: shared memory is carved in the kernel; a launch has nothing to bind (contract U2).
unsafe impl<T> Bind for crate::mem::Shared<T> {
    #[inline(always)]
    fn bind(&self) {}
    unsafe fn visit(&mut self, _resolve: &mut dyn FnMut(Piece) -> Option<usize>) {}
}
