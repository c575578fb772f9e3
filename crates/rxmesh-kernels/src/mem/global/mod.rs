//! Views of global memory, to which a kernel's parameters point.

mod atomics;

use super::atomic;
#[cfg(not(target_arch = "nvptx64"))]
use super::shared::Shared;
use super::{Access, Bind, Piece};
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

/// Panics for an access beyond the elements.
#[cfg(not(target_arch = "nvptx64"))]
#[cold]
#[inline(never)]
fn out_of_range(i: u64, len: u32, declared: u32) -> ! {
    if len < declared {
        panic!("a kernel's argument was accessed outside of a launch (element {i} of {declared})");
    }
    panic!("global access at {i} of {len}");
}

macro_rules! view {
    ($view:ident, $pointer:ty, $dangling:path, $access:expr) => {
        // SAFETY: the one address that a view holds.
        unsafe impl<T> Bind for $view<T> {
            #[inline(always)]
            fn bind(&self) {
                global(self.at as *mut T);
            }
            unsafe fn visit(&mut self, resolve: &mut dyn FnMut(Piece) -> Option<usize>) {
                // SAFETY: the caller's.
                unsafe { self.visit_as($access, resolve) }
            }
        }

        impl<T> Clone for $view<T> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }
        impl<T> Copy for $view<T> {}

        // SAFETY: a view is an address for the engine's threads; kernels keep accesses disjoint (contract U3).
        unsafe impl<T> Send for $view<T> {}
        // SAFETY: as above.
        unsafe impl<T> Sync for $view<T> {}

        impl<T> $view<T> {
            /// Works like [`Bind::visit`], for another use of the memory than the view's type says.
            ///
            /// # Safety
            ///
            /// As [`Bind::visit`].
            pub(crate) unsafe fn visit_as(
                &mut self,
                access: Access,
                resolve: &mut dyn FnMut(Piece) -> Option<usize>,
            ) {
                let bytes = self.declared as usize * size_of::<T>();
                if bytes == 0 {
                    return;
                }
                let piece = Piece {
                    at: self.at as usize,
                    bytes,
                    align: align_of::<T>(),
                    access,
                };
                if let Some(at) = resolve(piece) {
                    self.at = at as $pointer;
                    self.reach = self.declared;
                }
            }

            /// Panics, on the host, unless there is an element `i` to access.
            #[inline(always)]
            fn check(self, i: u64) {
                #[cfg(not(target_arch = "nvptx64"))]
                if i >= u64::from(self.reach) {
                    out_of_range(i, self.reach, self.declared);
                }
                #[cfg(target_arch = "nvptx64")]
                let _ = i;
            }
        }

        impl<T: bytemuck::Pod> $view<T> {
            /// Creates an argument that the launch binds: memory behind a handle, which only its engine knows.
            ///
            /// # Safety
            ///
            /// The handle is that of an allocation which the caller may use so: handles count up, and a guessed one may
            /// name the memory of other code (contract U4).
            #[inline(always)]
            pub unsafe fn unbound(handle: usize, n: u32) -> Self {
                $view {
                    at: handle as $pointer,
                    reach: 0,
                    declared: n,
                    of: PhantomData,
                }
            }

            /// Returns a view of nothing.
            #[inline(always)]
            pub const fn empty() -> Self {
                $view {
                    at: $dangling(),
                    reach: 0,
                    declared: 0,
                    of: PhantomData,
                }
            }

            /// Returns the number of elements.
            #[inline(always)]
            pub fn len(self) -> u32 {
                self.declared
            }

            /// Returns `true` if there is no element.
            #[inline(always)]
            pub fn is_empty(self) -> bool {
                self.declared == 0
            }

            /// Returns element `i`.
            #[inline(always)]
            pub fn get(self, i: u32) -> T {
                self.check(u64::from(i));
                // SAFETY: in range by the check, or on a GPU by the kernel's construction (contract U4).
                unsafe { *global(self.at as *mut T).add(i as usize) }
            }

            /// Prefetches element `i`, which is read soon, on a CPU. Does nothing without such an instruction, and on a
            /// GPU.
            #[inline(always)]
            pub fn ask(self, i: u32) {
                #[cfg(target_arch = "x86_64")]
                // SAFETY: a prefetch of any address neither reads nor writes for the program (contract U4).
                unsafe {
                    use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
                    _mm_prefetch::<_MM_HINT_T0>(self.at.wrapping_add(i as usize).cast());
                }
                #[cfg(not(target_arch = "x86_64"))]
                let _ = i;
            }

            /// Returns the elements from `from` on.
            #[inline(always)]
            pub fn from(self, from: u32) -> Self {
                #[cfg(not(target_arch = "nvptx64"))]
                if from > self.declared {
                    out_of_range(u64::from(from), self.declared, self.declared);
                }
                // SAFETY: inside the view by the kernel's construction (contract U4).
                #[cfg(target_arch = "nvptx64")]
                let at = unsafe { self.at.add(from as usize) };
                #[cfg(not(target_arch = "nvptx64"))]
                let at = self.at.wrapping_add(from as usize);
                $view {
                    at,
                    reach: self.reach.saturating_sub(from),
                    declared: self.declared.wrapping_sub(from),
                    of: PhantomData,
                }
            }

            /// Returns elements `from..from + n`.
            #[inline(always)]
            pub fn part(self, from: u32, n: u32) -> Self {
                let rest = self.from(from);
                #[cfg(not(target_arch = "nvptx64"))]
                if n > rest.declared {
                    out_of_range(u64::from(from) + u64::from(n), self.declared, self.declared);
                }
                $view {
                    reach: if rest.reach < n { rest.reach } else { n },
                    declared: n,
                    ..rest
                }
            }

            /// Returns the same bytes as elements of another type; the address must suit it.
            #[inline(always)]
            pub fn cast<U: bytemuck::Pod>(self) -> $view<U> {
                debug_assert!(
                    (self.at as usize).is_multiple_of(align_of::<U>()),
                    "cast of a global view breaks alignment"
                );
                let resize = |n: u32| {
                    let n = u64::from(n) * size_of::<T>() as u64 / size_of::<U>() as u64;
                    // A buffer has fewer than 2^32 words, so this is for parts of words only.
                    if n > u64::from(u32::MAX) {
                        u32::MAX
                    } else {
                        n as u32
                    }
                };
                $view {
                    at: self.at.cast(),
                    reach: resize(self.reach),
                    declared: resize(self.declared),
                    of: PhantomData,
                }
            }
        }
    };
}

/// `n` elements of global memory, read only.
///
/// On the host an access is compared with the view's length, in release builds too, and an unbound view has no element;
/// on a GPU nothing is compared.
#[repr(C)]
#[derive(Debug)]
pub struct Global<T> {
    /// Address, or the handle before a launch.
    at: *const T,
    /// Elements that can be accessed: 0 before a launch.
    reach: u32,
    /// Elements that there are.
    declared: u32,
    of: PhantomData<T>,
}

/// `n` elements of global memory; otherwise as [`Global`].
#[repr(C)]
#[derive(Debug)]
pub struct GlobalMut<T> {
    at: *mut T,
    reach: u32,
    declared: u32,
    of: PhantomData<T>,
}

crate::hashed! { [T] Global<T>, [T] GlobalMut<T> }

view!(Global, *const T, core::ptr::dangling, Access::Read);
view!(GlobalMut, *mut T, core::ptr::dangling_mut, Access::Write);

impl<T: bytemuck::Pod> Global<T> {
    /// Creates a bound view.
    ///
    /// # Safety
    ///
    /// On the engine that runs the kernel, `at` is aligned and points to `n` elements for as long as the view is
    /// accessed, and they are not written meanwhile except through views of the same kernel (contract U4 of
    /// docs/inside/unsafe.md).
    #[inline(always)]
    pub unsafe fn new(at: *const T, n: u32) -> Self {
        Global {
            at,
            reach: n,
            declared: n,
            of: PhantomData,
        }
    }
}

impl<T: bytemuck::Pod> GlobalMut<T> {
    /// Creates a bound view.
    ///
    /// # Safety
    ///
    /// As [`Global::new`], and no other code reads the elements meanwhile (contract U4).
    #[inline(always)]
    pub unsafe fn new(at: *mut T, n: u32) -> Self {
        GlobalMut {
            at,
            reach: n,
            declared: n,
            of: PhantomData,
        }
    }

    /// Sets element `i`.
    #[inline(always)]
    pub fn set(self, i: u32, v: T) {
        self.check(u64::from(i));
        // SAFETY: in range by the check, or on a GPU by the kernel's construction; no concurrent access (contracts U3,
        // U4).
        unsafe { *global(self.at).add(i as usize) = v }
    }

    /// Sets elements `from..from + n`, of which `f` is given the place from `from` on. On the host the range is
    /// compared once.
    #[inline(always)]
    pub fn fill(self, from: u32, n: u32, f: impl Fn(u32) -> T) {
        let run = self.part(from, n);
        if n > 0 {
            run.check(u64::from(n - 1));
        }
        for i in 0..n {
            // SAFETY: in range by the check, or on a GPU by the kernel's construction; no concurrent access (contracts
            // U3, U4).
            unsafe { *global(run.at).add(i as usize) = f(i) }
        }
    }

    /// Returns the same elements, read only.
    #[inline(always)]
    pub fn read(self) -> Global<T> {
        Global {
            at: self.at,
            reach: self.reach,
            declared: self.declared,
            of: PhantomData,
        }
    }

    #[inline(always)]
    fn cell(self, i: u32) -> *mut T {
        self.check(u64::from(i));
        // SAFETY: in range by the check, or on a GPU by the kernel's construction (contract U4).
        unsafe { global(self.at).add(i as usize) }
    }
}

impl<T: bytemuck::Pod> Global<T> {
    /// Copies the first `n` elements, for a block of one thread that uses no other view of where they go meanwhile.
    #[cfg(not(target_arch = "nvptx64"))]
    pub(crate) fn copy_to(self, to: Shared<T>, n: u32) {
        if n == 0 {
            return;
        }
        self.check(u64::from(n - 1));
        // SAFETY: in range by the check, live and aligned; not written meanwhile (contracts U3, U4).
        let from = unsafe { core::slice::from_raw_parts(self.at, n as usize) };
        to.slice(n).copy_from_slice(from);
    }
}

impl Global<f32> {
    /// Returns elements `i .. i + N`. A pair at an even place is one access on a GPU: the view starts at a multiple of
    /// 8 bytes then.
    #[inline(always)]
    pub fn several<const N: usize>(self, i: u32) -> [f32; N] {
        self.check(u64::from(i) + (N as u64).saturating_sub(1));
        // SAFETY: in range by the check, or on a GPU by the kernel's construction (contract U4).
        let at = unsafe { self.at.add(i as usize) };
        #[cfg(target_arch = "nvptx64")]
        if N == 2 {
            // SAFETY: as above, and aligned.
            let pair = unsafe { cuda_std::mem::ld_global_v2_u32(at.cast()) };
            return core::array::from_fn(|k| {
                f32::from_bits(if k == 0 { pair[0] } else { pair[1] })
            });
        }
        // SAFETY: as above.
        core::array::from_fn(|k| unsafe { *global(at.cast_mut()).add(k) })
    }
}

impl Global<u32> {
    /// Returns element `i`, in an atomic load.
    #[inline(always)]
    pub fn load(self, i: u32) -> u32 {
        self.check(u64::from(i));
        // SAFETY: in range by the check, or on a GPU by the kernel's construction (contract U4); an atomic load writes
        // nothing.
        unsafe { atomic::load(global(self.at.cast_mut()).add(i as usize)) }
    }

    /// Returns elements `4 i .. 4 i + 4` in one 16-byte access; the view starts at a multiple of 16 bytes.
    #[inline(always)]
    pub fn get4(self, i: u32) -> [u32; 4] {
        debug_assert!(
            (self.at as usize).is_multiple_of(16),
            "a 16-byte access needs an aligned view"
        );
        self.check(4 * u64::from(i) + 3);
        // SAFETY: in range by the check, or on a GPU by the kernel's construction (contract U4), aligned by the storage
        // layout.
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
    /// Returns the first `n` elements as a slice, for a block of one thread that uses no other view of them meanwhile.
    #[cfg(not(target_arch = "nvptx64"))]
    pub(super) fn slice<'a>(self, n: u32) -> &'a mut [u32] {
        assert!(n <= self.reach, "a slice of {n} of {}", self.reach);
        // SAFETY: live and aligned (contracts U2, U4); one thread alone accesses these elements in this phase (contract
        // U3).
        unsafe { core::slice::from_raw_parts_mut(self.at, n as usize) }
    }

    /// Returns elements `4 i .. 4 i + 4` in one 16-byte access; the view starts at a multiple of 16 bytes.
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
        self.check(4 * u64::from(i) + 3);
        // SAFETY: in range by the check or the kernel's construction, aligned by the storage layout; no concurrent
        // access (contracts U3, U4).
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
}

impl GlobalMut<f32> {
    /// Sets elements `i .. i + N`; a pair as [`Global::several`] reads it.
    #[inline(always)]
    pub fn put<const N: usize>(self, i: u32, v: [f32; N]) {
        #[cfg(target_arch = "nvptx64")]
        if N == 2 {
            let both = u64::from(v[1 % N].to_bits()) << 32 | u64::from(v[0].to_bits());
            return self.cast::<u64>().set(i / 2, both);
        }
        self.check(u64::from(i) + (N as u64).saturating_sub(1));
        let mut k = 0;
        while k < N {
            // SAFETY: in range by the check, or on a GPU by the kernel's construction; no concurrent access (contracts
            // U3, U4).
            unsafe { *global(self.at).add(i as usize + k) = v[k] }
            k += 1;
        }
    }
}
