//! Layout of an attribute's values in global memory (MeshTaichi 2022, section 5.3): kernels name the element, the view
//! knows the place.

use super::value::{Sum, Value};
use crate::mem::{Bind, Global, GlobalMut, Piece};

/// Values to read.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct View<T> {
    data: Global<T>,
    place: PlaceMap,
}

/// Values to read and write.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct ViewMut<T> {
    data: GlobalMut<T>,
    place: PlaceMap,
}

/// Map from linear ids to places. The same for all threads, so that a branch on it costs next to nothing.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct PlaceMap {
    /// Place of each linear id; empty when the place is the linear id (patch order).
    order: Global<u32>,
    /// Elements between the words of a value if each word has a separate array (struct of arrays), or 0 if the words of
    /// a value lie together (array of structs).
    plane: u64,
}

impl PlaceMap {
    /// Returns the place in patch order, words of a value together.
    #[inline(always)]
    pub fn plain() -> PlaceMap {
        PlaceMap {
            order: Global::empty(),
            plane: 0,
        }
    }

    /// Creates a place from a list, one a linear id, or in patch order if it is empty; with `plane` elements from word
    /// to word if that is not 0.
    pub fn new(order: Global<u32>, plane: u32) -> PlaceMap {
        PlaceMap {
            order,
            plane: u64::from(plane),
        }
    }

    /// Returns the same with `plane` elements from word to word.
    pub fn apart(self, plane: u32) -> PlaceMap {
        PlaceMap {
            plane: u64::from(plane),
            ..self
        }
    }

    /// Returns `true` if place and linear id are the same, and the words of a value lie together.
    #[inline(always)]
    fn is_plain(self) -> bool {
        self.order.is_empty() && self.plane == 0
    }

    #[inline(always)]
    fn of(self, linear: u32) -> u32 {
        if self.order.is_empty() {
            linear
        } else {
            self.order.get(linear)
        }
    }

    /// Returns the index of word `c` of a value with `words` words.
    #[inline(always)]
    fn word(self, place: u32, c: u32, words: u32) -> u32 {
        if self.plane == 0 {
            words * place + c
        } else {
            c * self.plane as u32 + place
        }
    }
}

/// Returns the number of words of a value.
const fn words<T>() -> u32 {
    (size_of::<T>() / 4) as u32
}

impl<T: Value> View<T> {
    #[inline(always)]
    pub(super) fn is_plain(&self) -> bool {
        self.place.is_plain()
    }

    #[inline(always)]
    pub(super) fn assume_plain(self) -> Self {
        View {
            place: PlaceMap::plain(),
            ..self
        }
    }

    /// Creates a view over all elements.
    pub fn new(data: Global<T>, place: PlaceMap) -> Self {
        View { data, place }
    }

    /// Returns the values in linear ids, if they have that order.
    #[inline(always)]
    pub fn plain(self) -> Option<Global<T>> {
        if self.place.is_plain() {
            Some(self.data)
        } else {
            None
        }
    }

    /// Returns the value of a linear id.
    #[inline(always)]
    pub fn get(self, linear: u32) -> T {
        let at = self.place.of(linear);
        if self.place.plane == 0 {
            return self.data.get(at);
        }
        let (mut value, data) = (T::zeroed(), self.data.cast::<u32>());
        let mut c = 0;
        while c < words::<T>() {
            let word = data.get(self.place.word(at, c, words::<T>()));
            // SAFETY: word `c` of a plain-old-data value; layouts with planes exist for values of whole words only.
            unsafe {
                (&raw mut value)
                    .cast::<u32>()
                    .add(c as usize)
                    .write_unaligned(word)
            };
            c += 1;
        }
        value
    }
}

impl<T: Value> View<T> {
    /// Works like [`View::get`], word by word with atomic loads: for code where the value might be in shared memory
    /// instead. Two plain loads, one of shared and one of global memory, are made one generic load by the device
    /// compiler, which is slow for both.
    #[inline(always)]
    pub fn get_direct(self, linear: u32) -> T {
        if !size_of::<T>().is_multiple_of(4) || align_of::<T>() < 4 {
            return self.get(linear);
        }
        let (at, data) = (self.place.of(linear), self.data.cast::<u32>());
        let mut value = T::zeroed();
        let mut c = 0;
        while c < words::<T>() {
            let word = data.load(self.place.word(at, c, words::<T>()));
            // SAFETY: word `c` of a plain-old-data value of whole words.
            unsafe {
                (&raw mut value)
                    .cast::<u32>()
                    .add(c as usize)
                    .write_unaligned(word)
            };
            c += 1;
        }
        value
    }
}

impl<T: Value> ViewMut<T> {
    #[inline(always)]
    pub(super) fn is_plain(&self) -> bool {
        self.place.is_plain()
    }

    #[inline(always)]
    pub(super) fn assume_plain(self) -> Self {
        ViewMut {
            place: PlaceMap::plain(),
            ..self
        }
    }

    /// Creates a view over all elements.
    pub fn new(data: GlobalMut<T>, place: PlaceMap) -> Self {
        ViewMut { data, place }
    }

    /// Returns the values in linear ids, if they have that order.
    #[inline(always)]
    pub fn plain(self) -> Option<GlobalMut<T>> {
        if self.place.is_plain() {
            Some(self.data)
        } else {
            None
        }
    }

    /// Returns the view that reads.
    #[inline(always)]
    pub fn read(self) -> View<T> {
        View {
            data: self.data.read(),
            place: self.place,
        }
    }

    /// Sets the value of a linear id.
    #[inline(always)]
    pub fn set(self, linear: u32, value: T) {
        let at = self.place.of(linear);
        if self.place.plane == 0 {
            return self.data.set(at, value);
        }
        let data = self.data.cast::<u32>();
        let mut c = 0;
        while c < words::<T>() {
            // SAFETY: as in `View::get`.
            let word = unsafe {
                (&raw const value)
                    .cast::<u32>()
                    .add(c as usize)
                    .read_unaligned()
            };
            data.set(self.place.word(at, c, words::<T>()), word);
            c += 1;
        }
    }
}

impl<T: Sum> ViewMut<T> {
    /// Adds to the value of a linear id, atomically.
    #[inline(always)]
    pub fn add(self, linear: u32, value: T) {
        let (at, data) = (self.place.of(linear), self.data.cast::<f32>());
        let mut c = 0;
        while c < T::COMPONENTS {
            data.add(self.place.word(at, c, T::COMPONENTS), value.component(c));
            c += 1;
        }
    }

    /// Returns the value of a linear id that other threads of the block have added to.
    #[inline(always)]
    pub fn load(self, linear: u32) -> T {
        let (at, data) = (self.place.of(linear), self.data.cast::<u32>());
        let mut value = T::zeroed();
        let mut c = 0;
        while c < T::COMPONENTS {
            let word = data.load(self.place.word(at, c, T::COMPONENTS));
            // SAFETY: as in `View::get`; a sum's components are its words.
            unsafe {
                (&raw mut value)
                    .cast::<u32>()
                    .add(c as usize)
                    .write_unaligned(word)
            };
            c += 1;
        }
        value
    }
}

// SAFETY: the values and the list of their places.
unsafe impl<T> Bind for View<T> {
    #[inline(always)]
    fn bind(&self) {
        self.data.bind();
        self.place.order.bind();
    }
    unsafe fn visit(&mut self, resolve: &mut dyn FnMut(Piece) -> Option<usize>) {
        // SAFETY: the caller's.
        unsafe {
            self.data.visit(resolve);
            self.place.order.visit(resolve);
        }
    }
}

// SAFETY: the values and the list of their places.
unsafe impl<T> Bind for ViewMut<T> {
    #[inline(always)]
    fn bind(&self) {
        self.data.bind();
        self.place.order.bind();
    }
    unsafe fn visit(&mut self, resolve: &mut dyn FnMut(Piece) -> Option<usize>) {
        // SAFETY: the caller's.
        unsafe {
            self.data.visit(resolve);
            self.place.order.visit(resolve);
        }
    }
}

crate::hashed! { [T] View<T>, [T] ViewMut<T> }
