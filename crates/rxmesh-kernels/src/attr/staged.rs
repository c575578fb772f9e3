//! Fields whose attribute is staged in shared memory (MeshTaichi 2022, section 5.2).

use super::value::{Sum, Value, add_shared};
use super::{Field, StagedField, View, ViewMut};
use crate::exec::{Block, Phase};
use crate::mem::{Bind, Global, Piece, Plan, Shared};
use crate::topo::{Element, Id, Local, Patch, PatchHeader};
use core::marker::PhantomData;

/// An attribute of `K` that the kernel reads from shared memory: loaded in the prologue for all
/// local elements, owned and ribbon.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Staged<K, T> {
    data: View<T>,
    here: Shared<T>,
    /// 1 if there was no space: values are read where they are. The same for all threads.
    direct: u32,
    of: PhantomData<K>,
}

impl<K: Element, T: Value> Staged<K, T> {
    /// Creates a field over all elements.
    ///
    /// # Safety
    ///
    /// The view has a value for each element of kind `K` of the meshes that kernels are launched on with it (contract
    /// U4).
    pub unsafe fn new(data: View<T>) -> Self {
        Staged {
            data,
            here: Shared::empty(),
            direct: 0,
            of: PhantomData,
        }
    }

    /// Returns the value of a local element.
    #[inline(always)]
    pub fn get(self, e: Local<K>) -> T {
        if self.direct == 0 {
            self.here.get(e.local())
        } else {
            self.data.get_direct(e.linear())
        }
    }

    /// Returns the value of the element with a local id: for kernels that need the field in shared memory.
    #[inline(always)]
    pub fn at(self, local: u32) -> T {
        self.here.get(local)
    }
}

// SAFETY: both phases take the patch's own elements, and the prologue its ribbon to read; `here` is as long as they are
// many.
unsafe impl<K: Element, T: Value> Field for Staged<K, T> {
    #[inline(always)]
    fn is_plain(&self) -> bool {
        self.direct == 0 && self.data.is_plain()
    }

    #[inline(always)]
    unsafe fn assume_plain(self) -> Self {
        Staged {
            data: self.data.assume_plain(),
            direct: 0,
            ..self
        }
    }

    fn staged(&self, name: &'static str) -> Option<StagedField> {
        let field = StagedField {
            name,
            kind: K::KIND,
            bytes: size_of::<T>() as u32,
            sums: false,
        };
        (self.direct == 0).then_some(field)
    }

    fn unstage(&mut self) {
        self.direct = 1;
    }

    #[inline(always)]
    fn carve(&mut self, header: &PatchHeader, plan: &mut Plan) {
        // Taken in any case: a view that could be of no memory would be one of any memory to the device compiler.
        let n = header.total_of(K::KIND);
        self.here = plan.take(if self.direct == 0 { n } else { 0 });
    }

    #[inline(always)]
    fn load<B: Block>(&self, p: Phase<B>, patch: &Patch) {
        if self.direct != 0 {
            return;
        }
        let (owned, total) = (patch.owned::<K>(), patch.total::<K>());
        let (map, data, here) = (patch.map::<K>(), self.data, self.here);
        match data.plain() {
            Some(data) => {
                copy_in(p, data.from(patch.base::<K>()), here, owned);
                p.each(total - owned, |i| {
                    here.set(owned + i, data.get(map.linear(owned + i)))
                });
            }
            None => p.each(total, |i| here.set(i, data.get(map.linear(i)))),
        }
    }
}

/// Copies `n` values word by word, so that neighbouring threads touch neighbouring words; one thread copies all in one
/// go.
#[inline(always)]
fn copy_in<B: Block, T: Value>(p: Phase<B>, from: Global<T>, to: Shared<T>, n: u32) {
    #[cfg(not(target_arch = "nvptx64"))]
    if Phase::<B>::SOLO {
        return from.copy_to(to, n);
    }
    if !Phase::<B>::SOLO && size_of::<T>().is_multiple_of(4) && align_of::<T>() >= 4 {
        let (from, to) = (from.cast::<u32>(), to.cast::<u32>());
        p.each(n * (size_of::<T>() / 4) as u32, |i| to.set(i, from.get(i)));
    } else {
        p.each(n, |i| to.set(i, from.get(i)));
    }
}

/// Conversion of a sum when it is stored.
pub trait Finish<T>: Copy {
    /// `true` if values are stored as they are, so that words can be copied.
    const KEEP: bool;
    /// Returns the value to store.
    fn finish(v: T) -> T;
}

/// Stores sums as they are.
#[derive(Clone, Copy, Debug)]
pub struct Keep;
impl<T> Finish<T> for Keep {
    const KEEP: bool = true;
    #[inline(always)]
    fn finish(v: T) -> T {
        v
    }
}

/// Stores vectors at length one; zero stays zero.
#[derive(Clone, Copy, Debug)]
pub struct Unit;
impl Finish<glam::Vec3> for Unit {
    const KEEP: bool = false;
    #[inline(always)]
    fn finish(v: glam::Vec3) -> glam::Vec3 {
        crate::math::normalize_or_zero(v)
    }
}

/// An attribute of `K` that the kernel sums up in shared memory: zeroed in the prologue, added to
/// in the body, stored in the epilogue. Only owned elements are kept: a kernel that scatters to
/// its neighbours runs on ribbon sources too ([`crate::kernel::Scatter`]), so that each owned
/// element gets all its contributions without a global atomic.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct StagedSum<K, T, F = Keep> {
    data: ViewMut<T>,
    here: Shared<T>,
    /// 1 if there was no space: values are added up where they are, atomically. The same for all threads.
    direct: u32,
    of: PhantomData<(K, F)>,
}

impl<K: Element, T: Sum, F: Finish<T>> StagedSum<K, T, F> {
    /// Creates a field over all elements. The old values are overwritten.
    ///
    /// # Safety
    ///
    /// The view has a value for each element of kind `K` of the meshes that kernels are launched on with it (contract
    /// U4).
    pub unsafe fn new(data: ViewMut<T>) -> Self {
        StagedSum {
            data,
            here: Shared::empty(),
            direct: 0,
            of: PhantomData,
        }
    }

    /// Adds to the value of a local element; does nothing when the patch does not own it.
    #[inline(always)]
    pub fn add(self, e: Local<K>, v: T) {
        if e.owned().is_none() {
            return;
        }
        if self.direct == 0 {
            add_shared(self.here.cast(), e.local(), v);
        } else {
            self.data.add(e.linear(), v);
        }
    }
}

// SAFETY: both phases take the patch's own elements, and the prologue its ribbon to read; `here` is as long as they are
// many.
unsafe impl<K: Element, T: Sum, F: Finish<T>> Field for StagedSum<K, T, F> {
    const STORES: bool = true;

    #[inline(always)]
    fn is_plain(&self) -> bool {
        self.direct == 0 && self.data.is_plain()
    }

    #[inline(always)]
    unsafe fn assume_plain(self) -> Self {
        StagedSum {
            data: self.data.assume_plain(),
            direct: 0,
            ..self
        }
    }

    fn staged(&self, name: &'static str) -> Option<StagedField> {
        let field = StagedField {
            name,
            kind: K::KIND,
            bytes: size_of::<T>() as u32,
            sums: true,
        };
        (self.direct == 0).then_some(field)
    }

    fn unstage(&mut self) {
        self.direct = 1;
    }

    #[inline(always)]
    fn carve(&mut self, header: &PatchHeader, plan: &mut Plan) {
        let n = header.owned_of(K::KIND);
        self.here = plan.take(if self.direct == 0 { n } else { 0 });
    }

    #[inline(always)]
    fn load<B: Block>(&self, p: Phase<B>, patch: &Patch) {
        let (owned, base) = (patch.owned::<K>(), patch.base::<K>());
        if self.direct == 0 {
            let here = self.here.cast::<u32>();
            p.each(owned * T::COMPONENTS, |i| here.set(i, 0));
        } else {
            p.each(owned, |i| self.data.set(base + i, T::zeroed()));
        }
    }

    #[inline(always)]
    fn store<B: Block>(&self, p: Phase<B>, patch: &Patch) {
        let (owned, base) = (patch.owned::<K>(), patch.base::<K>());
        let (here, data) = (self.here, self.data);
        if self.direct != 0 {
            if !F::KEEP {
                p.each(owned, |i| {
                    data.set(base + i, F::finish(data.load(base + i)))
                });
            }
            return;
        }
        match data.plain() {
            Some(data) if F::KEEP => {
                let (here, data) = (here.cast::<u32>(), data.from(base).cast::<u32>());
                p.each(owned * T::COMPONENTS, |i| data.set(i, here.get(i)));
            }
            _ => p.each(owned, |i| data.set(base + i, F::finish(here.get(i)))),
        }
    }
}

// SAFETY: `data` holds all addresses there are before the launch.
unsafe impl<K, T> Bind for Staged<K, T> {
    #[inline(always)]
    fn bind(&self) {
        self.data.bind();
    }
    unsafe fn visit(&mut self, resolve: &mut dyn FnMut(Piece) -> Option<usize>) {
        // SAFETY: the caller's.
        unsafe { self.data.visit(resolve) }
    }
}

// SAFETY: `data` holds all addresses there are before the launch.
unsafe impl<K, T, F> Bind for StagedSum<K, T, F> {
    #[inline(always)]
    fn bind(&self) {
        self.data.bind();
    }
    unsafe fn visit(&mut self, resolve: &mut dyn FnMut(Piece) -> Option<usize>) {
        // SAFETY: the caller's.
        unsafe { self.data.visit(resolve) }
    }
}

crate::hashed! { [K, T] Staged<K, T>, [K, T, F] StagedSum<K, T, F> }
