//! Views of global memory: what a kernel's parameters point to.

use super::atomic;
use core::marker::PhantomData;

/// Tells the device compiler that a pointer is to global memory, so that it emits `ld.global`.
#[inline(always)]
fn global<T>(p: *mut T) -> *mut T {
    #[cfg(target_arch = "nvptx64")]
    // SAFETY: the host puts only device-memory addresses into kernel parameters (contract U4).
    return unsafe { cuda_std::mem::assume_global_mut(p) };
    #[cfg(not(target_arch = "nvptx64"))]
    return p;
}

/// Something that holds addresses of global memory: a kernel's arguments and their parts.
///
/// The entry point calls [`Bind::bind`] first, so that the device compiler knows of every address that it is
/// global, whatever becomes of it later (`ld.global` instead of a slow generic `ld`).
pub trait Bind {
    /// Tells the device compiler about the addresses; nothing on the host.
    #[inline(always)]
    fn bind(&self) {}

    /// Shows every piece of memory to the host, which checks before a launch that each is live on the
    /// engine and that nothing that is written overlaps anything else.
    fn visit(&self, _piece: &mut dyn FnMut(Piece)) {}
}

/// A piece of memory that a kernel's argument names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Piece {
    /// Its address.
    pub at: usize,
    /// Its size in bytes.
    pub bytes: usize,
    /// Whether the kernel may write it.
    pub written: bool,
}

impl<T> Bind for Global<T> {
    #[inline(always)]
    fn bind(&self) {
        global(self.at.cast_mut());
    }
    fn visit(&self, piece: &mut dyn FnMut(Piece)) {
        piece(Piece {
            at: self.at as usize,
            bytes: self.n as usize * size_of::<T>(),
            written: false,
        });
    }
}

impl<T> Bind for GlobalMut<T> {
    #[inline(always)]
    fn bind(&self) {
        global(self.at);
    }
    fn visit(&self, piece: &mut dyn FnMut(Piece)) {
        piece(Piece {
            at: self.at as usize,
            bytes: self.n as usize * size_of::<T>(),
            written: true,
        });
    }
}

/// `n` elements of global memory, read only.
#[repr(C)]
#[derive(Debug)]
pub struct Global<T> {
    at: *const T,
    n: u64,
    of: PhantomData<T>,
}

/// `n` elements of global memory.
#[repr(C)]
#[derive(Debug)]
pub struct GlobalMut<T> {
    at: *mut T,
    n: u64,
    of: PhantomData<T>,
}

impl<T> Clone for Global<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Global<T> {}
impl<T> Clone for GlobalMut<T> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for GlobalMut<T> {}

// SAFETY: a view is an address for the engine's threads; kernels keep accesses disjoint (contract U3).
unsafe impl<T> Send for Global<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for Global<T> {}
// SAFETY: as above.
unsafe impl<T> Send for GlobalMut<T> {}
// SAFETY: as above.
unsafe impl<T> Sync for GlobalMut<T> {}

impl<T: bytemuck::Pod> Global<T> {
    /// # Safety
    ///
    /// On the engine that runs the kernel, `at` is aligned and points to `n` elements for as long as
    /// the kernel runs, and nobody writes them meanwhile except through views of the same kernel
    /// (contract U4 of docs/unsafe.md).
    #[inline(always)]
    pub unsafe fn new(at: *const T, n: usize) -> Self {
        Global {
            at,
            n: n as u64,
            of: PhantomData,
        }
    }

    /// A view of nothing.
    #[inline(always)]
    pub const fn empty() -> Self {
        Global {
            at: core::ptr::dangling(),
            n: 0,
            of: PhantomData,
        }
    }

    /// Number of elements.
    #[inline(always)]
    pub fn len(self) -> u32 {
        self.n as u32
    }

    /// Whether there is no element.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.n == 0
    }

    /// Element `i`.
    #[inline(always)]
    pub fn get(self, i: u32) -> T {
        debug_assert!(u64::from(i) < self.n, "global read at {i} of {}", self.n);
        // SAFETY: in range by the kernel's construction (contract U4).
        unsafe { *global(self.at.cast_mut()).add(i as usize) }
    }

    /// The elements from `from` on.
    #[inline(always)]
    pub fn from(self, from: u32) -> Self {
        debug_assert!(
            u64::from(from) <= self.n,
            "global part from {from} of {}",
            self.n
        );
        Global {
            // SAFETY: inside this view.
            at: unsafe { self.at.add(from as usize) },
            n: self.n - u64::from(from),
            of: PhantomData,
        }
    }

    /// Elements `from..from + n`.
    #[inline(always)]
    pub fn part(self, from: u32, n: u32) -> Self {
        debug_assert!(
            u64::from(from) + u64::from(n) <= self.n,
            "global part {from} + {n} of {}",
            self.n
        );
        Global {
            n: u64::from(n),
            ..self.from(from)
        }
    }

    /// The same bytes as elements of another type; the address must suit it.
    #[inline(always)]
    pub fn cast<U: bytemuck::Pod>(self) -> Global<U> {
        debug_assert!(
            (self.at as usize).is_multiple_of(align_of::<U>()),
            "cast of a global view breaks alignment"
        );
        Global {
            at: self.at.cast(),
            n: self.n * size_of::<T>() as u64 / size_of::<U>() as u64,
            of: PhantomData,
        }
    }
}

impl<T: bytemuck::Pod> GlobalMut<T> {
    /// # Safety
    ///
    /// As [`Global::new`], and nobody else reads the elements meanwhile (contract U4).
    #[inline(always)]
    pub unsafe fn new(at: *mut T, n: usize) -> Self {
        GlobalMut {
            at,
            n: n as u64,
            of: PhantomData,
        }
    }

    /// A view of nothing.
    #[inline(always)]
    pub const fn empty() -> Self {
        GlobalMut {
            at: core::ptr::dangling_mut(),
            n: 0,
            of: PhantomData,
        }
    }

    /// Number of elements.
    #[inline(always)]
    pub fn len(self) -> u32 {
        self.n as u32
    }

    /// Whether there is no element.
    #[inline(always)]
    pub fn is_empty(self) -> bool {
        self.n == 0
    }

    /// Element `i`.
    #[inline(always)]
    pub fn get(self, i: u32) -> T {
        debug_assert!(u64::from(i) < self.n, "global read at {i} of {}", self.n);
        // SAFETY: in range by the kernel's construction (contract U4).
        unsafe { *global(self.at).add(i as usize) }
    }

    /// Sets element `i`.
    #[inline(always)]
    pub fn set(self, i: u32, v: T) {
        debug_assert!(u64::from(i) < self.n, "global write at {i} of {}", self.n);
        // SAFETY: in range by the kernel's construction; no concurrent access (contracts U3, U4).
        unsafe { *global(self.at).add(i as usize) = v }
    }

    /// The elements from `from` on.
    #[inline(always)]
    pub fn from(self, from: u32) -> Self {
        debug_assert!(
            u64::from(from) <= self.n,
            "global part from {from} of {}",
            self.n
        );
        GlobalMut {
            // SAFETY: inside this view.
            at: unsafe { self.at.add(from as usize) },
            n: self.n - u64::from(from),
            of: PhantomData,
        }
    }

    /// Elements `from..from + n`.
    #[inline(always)]
    pub fn part(self, from: u32, n: u32) -> Self {
        debug_assert!(
            u64::from(from) + u64::from(n) <= self.n,
            "global part {from} + {n} of {}",
            self.n
        );
        GlobalMut {
            n: u64::from(n),
            ..self.from(from)
        }
    }

    /// The same bytes as elements of another type; the address must suit it.
    #[inline(always)]
    pub fn cast<U: bytemuck::Pod>(self) -> GlobalMut<U> {
        debug_assert!(
            (self.at as usize).is_multiple_of(align_of::<U>()),
            "cast of a global view breaks alignment"
        );
        GlobalMut {
            at: self.at.cast(),
            n: self.n * size_of::<T>() as u64 / size_of::<U>() as u64,
            of: PhantomData,
        }
    }

    /// The same elements, read only.
    #[inline(always)]
    pub fn read(self) -> Global<T> {
        Global {
            at: self.at,
            n: self.n,
            of: PhantomData,
        }
    }

    #[inline(always)]
    fn cell(self, i: u32) -> *mut T {
        debug_assert!(u64::from(i) < self.n, "global atomic at {i} of {}", self.n);
        // SAFETY: in range by the kernel's construction (contract U4).
        unsafe { global(self.at).add(i as usize) }
    }
}

impl Global<u32> {
    /// Element `i`, in an atomic load.
    #[inline(always)]
    pub fn load(self, i: u32) -> u32 {
        debug_assert!(u64::from(i) < self.n, "global read at {i} of {}", self.n);
        // SAFETY: in range by the kernel's construction (contract U4); an atomic load writes nothing.
        unsafe { atomic::load(global(self.at.cast_mut()).add(i as usize)) }
    }

    /// Elements `4 i .. 4 i + 4` in one 16-byte access; the view starts at a multiple of 16 bytes.
    #[inline(always)]
    pub fn get4(self, i: u32) -> [u32; 4] {
        debug_assert!(
            (self.at as usize).is_multiple_of(16),
            "a 16-byte access needs an aligned view"
        );
        debug_assert!(
            4 * u64::from(i) + 4 <= self.n,
            "global read at {i} of {} fours",
            self.n / 4
        );
        // SAFETY: in range by the kernel's construction (contract U4), aligned by the storage layout.
        unsafe {
            let at = self.at.add(4 * i as usize);
            #[cfg(target_arch = "nvptx64")]
            return cuda_std::mem::ld_global_v4_u32(global(at.cast_mut()));
            #[cfg(not(target_arch = "nvptx64"))]
            return *at.cast::<[u32; 4]>();
        }
    }
}

impl GlobalMut<u32> {
    /// The first `n` elements as a slice, for a block of one thread that uses no other view of them meanwhile.
    #[cfg(not(target_arch = "nvptx64"))]
    pub(super) fn slice<'a>(self, n: u32) -> &'a mut [u32] {
        debug_assert!(u64::from(n) <= self.n, "a slice of {n} of {}", self.n);
        // SAFETY: live and aligned (contracts U2, U4); one thread alone accesses these elements in this phase (contract U3).
        unsafe { core::slice::from_raw_parts_mut(self.at, n as usize) }
    }

    /// Elements `4 i .. 4 i + 4` in one 16-byte access; the view starts at a multiple of 16 bytes.
    #[inline(always)]
    pub fn get4(self, i: u32) -> [u32; 4] {
        self.read().get4(i)
    }

    /// Sets elements `4 i .. 4 i + 4` in one 16-byte access; the view starts at a multiple of 16 bytes.
    #[inline(always)]
    pub fn set4(self, i: u32, v: [u32; 4]) {
        debug_assert!(
            (self.at as usize).is_multiple_of(16),
            "a 16-byte access needs an aligned view"
        );
        debug_assert!(
            4 * u64::from(i) + 4 <= self.n,
            "global write at {i} of {} fours",
            self.n / 4
        );
        // SAFETY: in range by the kernel's construction, aligned by the storage layout; no concurrent access (contracts U3, U4).
        unsafe {
            let at = global(self.at).add(4 * i as usize);
            #[cfg(target_arch = "nvptx64")]
            cuda_std::mem::st_global_v4_u32(at, v);
            #[cfg(not(target_arch = "nvptx64"))]
            {
                *at.cast::<[u32; 4]>() = v;
            }
        }
    }

    /// Sets element `i` atomically: several threads may set it at a time.
    #[inline(always)]
    pub fn store(self, i: u32, v: u32) {
        // SAFETY: in range; concurrent accesses are atomic (contract U3).
        unsafe { atomic::store(self.cell(i), v) }
    }

    /// Adds one to element `i` and returns what it was; orders memory as [`crate::exec::Block::arrive`] needs it.
    #[inline(always)]
    pub fn arrive(self, i: u32) -> u32 {
        // SAFETY: in range; concurrent accesses are atomic (contract U3).
        unsafe { atomic::arrive(self.cell(i)) }
    }

    /// Adds to element `i` atomically and returns what it was.
    #[inline(always)]
    pub fn fetch_add(self, i: u32, v: u32) -> u32 {
        // SAFETY: in range; concurrent accesses are atomic (contract U3).
        unsafe { atomic::fetch_add(self.cell(i), v) }
    }

    /// Replaces element `i` by the smaller of it and `v`, atomically; returns what it was.
    #[inline(always)]
    pub fn fetch_min(self, i: u32, v: u32) -> u32 {
        // SAFETY: as `fetch_add`.
        unsafe { atomic::fetch_min(self.cell(i), v) }
    }

    /// Replaces element `i` by the larger of it and `v`, atomically.
    #[inline(always)]
    pub fn raise(self, i: u32, v: u32) {
        // SAFETY: as `fetch_add`.
        unsafe {
            // A CPU's locked instruction costs more than a look; a GPU's atomic unit does the look itself.
            #[cfg(not(target_arch = "nvptx64"))]
            if atomic::load(self.cell(i)) >= v {
                return;
            }
            atomic::fetch_max(self.cell(i), v);
        }
    }

    /// Replaces element `i`, atomically; returns what it was.
    #[inline(always)]
    pub fn swap(self, i: u32, v: u32) -> u32 {
        // SAFETY: as `fetch_add`.
        unsafe { atomic::swap(self.cell(i), v) }
    }
}

impl GlobalMut<f64> {
    /// Element `i`, which another block may have written in this launch.
    #[inline(always)]
    pub fn load(self, i: u32) -> f64 {
        // SAFETY: in range; concurrent accesses are atomic (contract U3).
        unsafe { atomic::load_f64(self.cell(i)) }
    }
}

impl GlobalMut<u32> {
    /// Element `i`, which other threads may be changing atomically.
    #[inline(always)]
    pub fn load(self, i: u32) -> u32 {
        // SAFETY: as `fetch_add`.
        unsafe { atomic::load(self.cell(i)) }
    }

    /// Sets the bits of `v` in element `i` atomically; returns what it was.
    #[inline(always)]
    pub fn fetch_or(self, i: u32, v: u32) -> u32 {
        // SAFETY: as `fetch_add`.
        unsafe { atomic::fetch_or(self.cell(i), v) }
    }

    /// Keeps the bits of `v` in element `i` atomically; returns what it was.
    #[inline(always)]
    pub fn fetch_and(self, i: u32, v: u32) -> u32 {
        // SAFETY: as `fetch_add`.
        unsafe { atomic::fetch_and(self.cell(i), v) }
    }

    /// Replaces element `i` by `new` if it is `old`, atomically; returns what it was.
    #[inline(always)]
    pub fn compare_exchange(self, i: u32, old: u32, new: u32) -> u32 {
        // SAFETY: as `fetch_add`.
        unsafe { atomic::compare_exchange(self.cell(i), old, new) }
    }

    /// Replaces element `i` by `new` if it is `old`, and tells whether it did. Then this thread, and after a barrier its block, sees what the
    /// thread that [`GlobalMut::release`]d `old`, and before a barrier its block, wrote until then (contract U6 of docs/unsafe.md).
    #[inline(always)]
    pub fn acquire(self, i: u32, old: u32, new: u32) -> bool {
        // SAFETY: as `fetch_add`.
        unsafe { atomic::acquire(self.cell(i), old, new) }
    }

    /// Sets element `i` atomically, for a later [`GlobalMut::acquire`] (contract U6).
    #[inline(always)]
    pub fn release(self, i: u32, v: u32) {
        // SAFETY: as `fetch_add`.
        unsafe { atomic::release(self.cell(i), v) }
    }
}

impl GlobalMut<u64> {
    /// Element `i`, which other threads may be changing atomically.
    #[inline(always)]
    pub fn load(self, i: u32) -> u64 {
        // SAFETY: in range; concurrent accesses are atomic (contract U3).
        unsafe { atomic::load_u64(self.cell(i)) }
    }

    /// Sets element `i` atomically: several threads may access it at a time.
    #[inline(always)]
    pub fn store(self, i: u32, v: u64) {
        // SAFETY: as `load`.
        unsafe { atomic::store_u64(self.cell(i), v) }
    }

    /// Replaces element `i` by the smaller of it and `v`, atomically; returns what it was.
    #[inline(always)]
    pub fn fetch_min(self, i: u32, v: u64) -> u64 {
        // SAFETY: as `load`.
        unsafe { atomic::fetch_min_u64(self.cell(i), v) }
    }
}

impl GlobalMut<f32> {
    /// Adds to element `i` atomically.
    #[inline(always)]
    pub fn add(self, i: u32, v: f32) {
        // SAFETY: in range; concurrent accesses are atomic (contract U3).
        unsafe { atomic::add_f32_global(self.cell(i), v) }
    }
}
