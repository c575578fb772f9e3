//! Attribute fields of kernels: the field's type says how the attribute is accessed.
//!
//! | field | in the body | memory |
//! | --- | --- | --- |
//! | [`Read`] | `get` any element | global |
//! | [`Write`] | `get`, `set` the owned element | global |
//! | [`Accumulate`] | `add` to any element | global, atomic |
//! | [`Staged`] | `get` any local element | loaded to shared memory in a prologue, ribbon included |
//! | [`StagedSum`] | `add` to any local element, kept for owned ones | shared, stored in an epilogue |
//!
//! The body is the same for `Read` and `Staged` (MeshTaichi 2022, section 5.2, as types), and for every order and layout of the
//! values ([`Place`]). Where shared memory does not suffice, staged fields stay in global memory one after the other.

mod global;
mod staged;
mod value;
mod view;

pub use global::{Accumulate, Read, Write};
pub use staged::{Finish, Keep, Staged, StagedSum, Unit};
pub use value::{Sum, Value};
pub use view::{Place, View, ViewMut};

use crate::exec::{Block, Phase};
use crate::mem::{Bind, Plan};
use crate::topo::{Patch, PatchHeader};

/// A field of a kernel: takes part in the kernel's prologue and epilogue if its type says so.
pub trait Field: Copy + Bind {
    /// Whether [`Field::store`] does something.
    const STORES: bool = false;

    /// Whether the field's values are where most are: in linear ids, words together, in shared memory when they are staged.
    #[inline(always)]
    fn is_plain(&self) -> bool {
        true
    }

    /// The same field for code that runs only when [`Field::is_plain`]: what that says is known to the compiler then.
    #[inline(always)]
    fn assume_plain(self) -> Self {
        self
    }

    /// Gives up the field's shared memory, and tells whether it had any: first for fields that read (`sums` false), then for those that add
    /// up. Values stay in global memory then; the kernel's body does not notice.
    fn unstage(&mut self, _sums: bool) -> bool {
        false
    }

    /// Takes the shared memory that the field needs.
    #[inline(always)]
    fn carve(&mut self, _header: &PatchHeader, _plan: &mut Plan) {}

    /// Prologue, inside a phase.
    #[inline(always)]
    fn load<B: Block>(&self, _p: Phase<B>, _patch: &Patch) {}

    /// Epilogue, inside a phase.
    #[inline(always)]
    fn store<B: Block>(&self, _p: Phase<B>, _patch: &Patch) {}
}

macro_rules! plain {
    ($($t:ty),*) => {$(
        impl Bind for $t {}
        impl Field for $t {}
    )*};
}
plain!(f32, f64, u32, i32, glam::Vec2, glam::Vec3, glam::Vec4);
impl<T: Value> Field for crate::mem::Global<T> {}
impl<T: Value> Field for crate::mem::GlobalMut<T> {}
