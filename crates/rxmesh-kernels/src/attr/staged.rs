//! Fields whose attribute is staged in shared memory (MeshTaichi 2022, section 5.2).

use super::Field;
use super::value::{Sum, Value, add_shared};
use crate::exec::{Block, Phase};
use crate::mem::{Bind, Global, GlobalMut, Piece, Plan, Shared};
use crate::topo::{Element, Local, Patch, PatchHeader};
use core::marker::PhantomData;

/// An attribute of `K` that the kernel reads from shared memory: loaded in the prologue for all
/// local elements, owned and ribbon.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct Staged<K, T> {
    data: Global<T>,
    here: Shared<T>,
    of: PhantomData<K>,
}

impl<K: Element, T: Value> Staged<K, T> {
    /// Over all elements in linear ids.
    pub fn new(data: Global<T>) -> Self {
        Staged {
            data,
            here: Shared::empty(),
            of: PhantomData,
        }
    }

    /// The values in global memory, in linear ids: what is there before, or without, the prologue.
    #[inline(always)]
    pub fn source(self) -> Global<T> {
        self.data
    }

    /// The value of a local element.
    #[inline(always)]
    pub fn get(self, e: Local<K>) -> T {
        self.here.get(e.local())
    }

    /// The value of the element with a local id.
    #[inline(always)]
    pub fn at(self, local: u32) -> T {
        self.here.get(local)
    }
}

impl<K: Element, T: Value> Field for Staged<K, T> {
    #[inline(always)]
    fn carve(&mut self, header: &PatchHeader, plan: &mut Plan) {
        self.here = plan.take(u32::from(header.total[K::KIND as usize]));
    }

    #[inline(always)]
    fn load<B: Block>(&self, p: Phase<B>, patch: &Patch) {
        let (owned, total) = (patch.owned::<K>(), patch.total::<K>());
        copy_in(p, self.data.from(patch.base::<K>()), self.here, owned);
        let (map, data, here) = (patch.map::<K>(), self.data, self.here);
        p.each(total - owned, |i| {
            here.set(owned + i, data.get(map.linear(owned + i)))
        });
    }
}

/// Copies `n` values word by word, so that neighbouring threads touch neighbouring words.
#[inline(always)]
fn copy_in<B: Block, T: Value>(p: Phase<B>, from: Global<T>, to: Shared<T>, n: u32) {
    if !Phase::<B>::SOLO && size_of::<T>().is_multiple_of(4) && align_of::<T>() >= 4 {
        let (from, to) = (from.cast::<u32>(), to.cast::<u32>());
        p.each(n * (size_of::<T>() / 4) as u32, |i| to.set(i, from.get(i)));
    } else {
        p.each(n, |i| to.set(i, from.get(i)));
    }
}

/// What becomes of a sum when it is stored.
pub trait Finish<T>: Copy {
    /// Whether values are stored as they are, so that words can be copied.
    const KEEP: bool;
    /// The value to store.
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
    data: GlobalMut<T>,
    here: Shared<T>,
    of: PhantomData<(K, F)>,
}

impl<K: Element, T: Sum, F: Finish<T>> StagedSum<K, T, F> {
    /// Over all elements in linear ids. The old values are overwritten.
    pub fn new(data: GlobalMut<T>) -> Self {
        StagedSum {
            data,
            here: Shared::empty(),
            of: PhantomData,
        }
    }

    /// Adds to the value of a local element; does nothing when the patch does not own it.
    #[inline(always)]
    pub fn add(self, e: Local<K>, v: T) {
        if e.local() < self.here.len() {
            add_shared(self.here.cast(), e.local(), v);
        }
    }
}

impl<K: Element, T: Sum, F: Finish<T>> Field for StagedSum<K, T, F> {
    const STORES: bool = true;

    #[inline(always)]
    fn carve(&mut self, header: &PatchHeader, plan: &mut Plan) {
        self.here = plan.take(u32::from(header.owned[K::KIND as usize]));
    }

    #[inline(always)]
    fn load<B: Block>(&self, p: Phase<B>, patch: &Patch) {
        let here = self.here.cast::<u32>();
        p.each(patch.owned::<K>() * T::COMPONENTS, |i| here.set(i, 0));
    }

    #[inline(always)]
    fn store<B: Block>(&self, p: Phase<B>, patch: &Patch) {
        let data = self.data.from(patch.base::<K>());
        let here = self.here;
        if F::KEEP {
            let (here, data) = (here.cast::<u32>(), data.cast::<u32>());
            p.each(patch.owned::<K>() * T::COMPONENTS, |i| {
                data.set(i, here.get(i))
            });
        } else {
            p.each(patch.owned::<K>(), |i| data.set(i, F::finish(here.get(i))));
        }
    }
}

impl<K, T> Bind for Staged<K, T> {
    #[inline(always)]
    fn bind(&self) {
        self.data.bind();
    }
    fn visit(&self, piece: &mut dyn FnMut(Piece)) {
        self.data.visit(piece);
    }
}

impl<K, T, F> Bind for StagedSum<K, T, F> {
    #[inline(always)]
    fn bind(&self) {
        self.data.bind();
    }
    fn visit(&self, piece: &mut dyn FnMut(Piece)) {
        self.data.visit(piece);
    }
}
