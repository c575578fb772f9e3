//! Memory of an engine.

use super::check::{ALIGN, Claims, new_handle};
use super::{Engine, EngineError};
use rxmesh_kernels::mem::{Global, GlobalMut};
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;

/// A piece of an engine's memory. It is freed when its buffer is dropped and no launch uses it.
pub(super) struct Allocation {
    engine: Engine,
    pub(super) at: *mut u8,
    pub(super) bytes: usize,
    /// Handle by which arguments of kernels name it.
    pub(super) handle: usize,
    pub(super) claims: Claims,
}

// SAFETY: the allocation owns its memory; accesses are ordered by claims, or by the stream (contract U4 of
// docs/inside/unsafe.md).
unsafe impl Send for Allocation {}
// SAFETY: as above.
unsafe impl Sync for Allocation {}

impl Allocation {
    fn new(engine: &Engine, bytes: usize, zero: bool) -> Result<Arc<Allocation>, EngineError> {
        let handle = new_handle(bytes).ok_or(EngineError::OutOfMemory {
            engine: "the process",
            bytes,
        })?;
        let at = engine.memory().allocate(bytes, zero)?;
        Ok(Arc::new(Allocation {
            engine: engine.clone(),
            at,
            bytes,
            handle,
            claims: Claims::default(),
        }))
    }

    /// Claims the memory for an access by the host, unless a stream orders accesses.
    fn claim(&self, write: bool) -> Result<HostClaim<'_>, EngineError> {
        let needed = !self.engine.0.policy.ordered;
        if needed && !self.claims.take(write) {
            return Err(EngineError::Busy);
        }
        Ok(HostClaim {
            claims: needed.then_some(&self.claims),
            write,
        })
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        // SAFETY: allocated by the same engine with the same size; the buffer has given it up, and launches that use it
        // are over, or come before this on the stream.
        unsafe { self.engine.memory().free(self.at, self.bytes) };
    }
}

/// Values in an engine's memory that the host copies.
struct HostCopy<'a> {
    allocation: &'a Allocation,
    at: *const u8,
    out: &'a mut [u8],
}

impl HostCopy<'_> {
    /// Copies it, waiting for earlier launches.
    fn fetch(self) -> Result<(), EngineError> {
        let _claim = self.allocation.claim(false)?;
        let memory = self.allocation.engine.memory();
        // SAFETY: as many bytes of the allocation, which no other thread writes while they are claimed, or a stream
        // orders it.
        unsafe { memory.read(&mut [(self.at, self.out)]) }
    }
}

/// Copies two pieces or more, with one wait if they are of one engine.
fn fetch_together(pieces: Vec<HostCopy<'_>>) -> Result<(), EngineError> {
    let Some(engine) = pieces.first().map(|first| first.allocation.engine.clone()) else {
        return Ok(());
    };
    let is_here = |p: &HostCopy<'_>| Arc::ptr_eq(&p.allocation.engine.0, &engine.0);
    if !pieces.iter().all(is_here) {
        return pieces.into_iter().try_for_each(HostCopy::fetch);
    }
    let claims = pieces.iter().map(|p| p.allocation.claim(false));
    let _claims = claims.collect::<Result<Vec<_>, _>>()?;
    let mut parts: Vec<_> = pieces.into_iter().map(|p| (p.at, p.out)).collect();
    // SAFETY: as in `HostCopy::fetch`.
    unsafe { engine.memory().read(&mut parts) }
}

/// An access by the host.
struct HostClaim<'a> {
    claims: Option<&'a Claims>,
    write: bool,
}

impl Drop for HostClaim<'_> {
    fn drop(&mut self) {
        if let Some(claims) = self.claims {
            claims.give_back(self.write);
        }
    }
}

/// `len` values in an engine's memory, freed when dropped.
///
/// Memory is aligned to 64 bytes, and values with a larger alignment do not compile:
///
/// ```compile_fail,E0080
/// #[repr(C, align(128))]
/// #[derive(Clone, Copy)]
/// struct Wide([u32; 32]);
/// // SAFETY: words without padding.
/// unsafe impl bytemuck::Zeroable for Wide {}
/// // SAFETY: as above.
/// unsafe impl bytemuck::Pod for Wide {}
/// let engine = rxmesh_host::engine::Engine::cpu();
/// let _ = engine.upload(&[Wide([7; 32]); 3]);
/// ```
///
/// There are at most 2^32 - 1 values and 2^32 - 1 32-bit words, because kernels count in 32 bits. Several threads may
/// use a buffer; on a CPU engine an access that conflicts with another thread's launch or access returns
/// [`EngineError::Busy`].
pub struct Buffer<T> {
    engine: Engine,
    allocation: Arc<Allocation>,
    /// The allocation's address.
    at: *mut u8,
    len: usize,
    of: PhantomData<T>,
}

// SAFETY: the buffer shares its memory with launches and other threads' accesses only, which claims or the stream order
// (contract U4 of docs/inside/unsafe.md).
unsafe impl<T: Send> Send for Buffer<T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for Buffer<T> {}

impl<T> std::fmt::Debug for Buffer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "Buffer<{}>({} on {})",
            std::any::type_name::<T>(),
            self.len,
            self.engine.name()
        )
    }
}

/// The most values, and the most 32-bit words, of a buffer.
const MOST: usize = u32::MAX as usize;

/// Returns the bytes of `len` values. Allocations are never empty, so that every buffer has a distinct address.
fn bytes_of<T>(len: usize) -> Result<usize, EngineError> {
    let bytes = len.saturating_mul(size_of::<T>());
    if len > MOST || bytes.div_ceil(4) > MOST {
        return Err(EngineError::TooLong {
            values: len,
            bytes: size_of::<T>(),
        });
    }
    Ok(bytes.max(16).next_multiple_of(16))
}

impl<T: bytemuck::Pod> Buffer<T> {
    pub(super) fn uninit(engine: &Engine, len: usize) -> Result<Self, EngineError> {
        Self::allocate(engine, len, false)
    }

    pub(super) fn zeroed(engine: &Engine, len: usize) -> Result<Self, EngineError> {
        Self::allocate(engine, len, true)
    }

    fn allocate(engine: &Engine, len: usize, zero: bool) -> Result<Self, EngineError> {
        const {
            assert!(
                align_of::<T>() <= ALIGN,
                "values of a buffer are aligned to 64 bytes at most"
            )
        };
        let bytes = bytes_of::<T>(len)?;
        engine.take_allocation(bytes)?;
        let allocation = Allocation::new(engine, bytes, zero)?;
        engine.0.live.add(Arc::clone(&allocation));
        Ok(Buffer {
            engine: engine.clone(),
            at: allocation.at,
            allocation,
            len,
            of: PhantomData,
        })
    }

    /// Copies from the host.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] when the lengths differ.
    pub fn write(&mut self, data: &[T]) -> Result<(), EngineError> {
        if data.len() != self.len {
            return Err(EngineError::Length {
                got: data.len(),
                want: self.len,
            });
        }
        let _claim = self.allocation.claim(true)?;
        self.engine.0.copied[0].fetch_add(size_of_val(data) as u64, Relaxed);
        // SAFETY: `at` points to `len` values of this buffer alone.
        unsafe {
            let memory = self.engine.memory();
            memory.write(self.at, bytemuck::cast_slice(data))
        }
    }

    /// Copies all values to the host, waiting for earlier launches and reporting their faults.
    ///
    /// # Errors
    ///
    /// A fault of an earlier kernel, or what the driver says.
    pub fn read(&self) -> Result<Vec<T>, EngineError> {
        let mut out = vec![T::zeroed(); self.len];
        self.read_into(&mut out)?;
        Ok(out)
    }

    /// Copies `n` values from `from` on to the host, waiting for earlier launches.
    ///
    /// # Errors
    ///
    /// As [`Buffer::read`], and [`EngineError::Length`].
    pub fn read_range(&self, from: usize, n: usize) -> Result<Vec<T>, EngineError> {
        self.check_range(from, n)?;
        let mut out = vec![T::zeroed(); n];
        self.piece(from, &mut out).fetch()?;
        Ok(out)
    }

    /// Works like [`Buffer::read`] for several buffers, with one wait if they are of one engine.
    ///
    /// # Errors
    ///
    /// As [`Buffer::read`].
    pub fn read_together<const N: usize>(
        buffers: [&Buffer<T>; N],
    ) -> Result<[Vec<T>; N], EngineError> {
        let mut out = buffers.map(|b| vec![T::zeroed(); b.len]);
        let pieces = buffers.iter().zip(&mut out);
        fetch_together(pieces.map(|(b, out)| b.piece(0, out)).collect())?;
        Ok(out)
    }

    /// Works like [`Buffer::read_range`] for two buffers, with one wait if they are of one engine.
    pub(crate) fn read_two<U: bytemuck::Pod>(
        &self,
        range: Range<usize>,
        other: &Buffer<U>,
        of_other: Range<usize>,
    ) -> Result<(Vec<T>, Vec<U>), EngineError> {
        self.check_range(range.start, range.len())?;
        other.check_range(of_other.start, of_other.len())?;
        let mut out = (
            vec![T::zeroed(); range.len()],
            vec![U::zeroed(); of_other.len()],
        );
        fetch_together(vec![
            self.piece(range.start, &mut out.0),
            other.piece(of_other.start, &mut out.1),
        ])?;
        Ok(out)
    }

    /// Refuses values that are not there.
    fn check_range(&self, from: usize, n: usize) -> Result<(), EngineError> {
        if from.checked_add(n).is_none_or(|end| end > self.len) {
            return Err(EngineError::Length {
                got: from.saturating_add(n),
                want: self.len,
            });
        }
        Ok(())
    }

    /// Returns the values from `from` on, which are there, and where they go: to be fetched.
    fn piece<'a>(&'a self, from: usize, out: &'a mut [T]) -> HostCopy<'a> {
        let bytes = size_of_val(out) as u64;
        self.engine.0.copied[1].fetch_add(bytes, Relaxed);
        HostCopy {
            allocation: &self.allocation,
            // SAFETY: inside the buffer.
            at: unsafe { self.at.add(from * size_of::<T>()) },
            out: bytemuck::cast_slice_mut(out),
        }
    }

    /// Returns the address of the values, in the engine's memory.
    pub(super) fn start(&self) -> *mut u8 {
        self.at
    }

    /// Claims the memory for the host to read, where a stream does not order that.
    pub(super) fn claim_to_read(&self) -> Result<impl Drop + '_, EngineError> {
        self.allocation.claim(false)
    }

    /// Copies from a buffer of the same length on the same engine.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`], or what the driver says.
    pub fn copy_from(&mut self, from: &Buffer<T>) -> Result<(), EngineError> {
        if from.len != self.len {
            return Err(EngineError::Length {
                got: from.len,
                want: self.len,
            });
        }
        if !std::sync::Arc::ptr_eq(&self.engine.0, &from.engine.0) {
            return self.write(&from.read()?);
        }
        let _claims = (self.allocation.claim(true)?, from.allocation.claim(false)?);
        let bytes = self.len * size_of::<T>();
        // SAFETY: two different buffers of `len` values.
        unsafe { self.engine.memory().copy(self.at, from.at, bytes) }
    }

    /// Works like [`Buffer::read`], into a slice of the same length.
    ///
    /// # Errors
    ///
    /// As [`Buffer::read`], and [`EngineError::Length`].
    pub fn read_into(&self, out: &mut [T]) -> Result<(), EngineError> {
        if out.len() != self.len {
            return Err(EngineError::Length {
                got: out.len(),
                want: self.len,
            });
        }
        self.piece(0, out).fetch()
    }

    /// Returns a longer buffer with the same values at its beginning and zeroes after them.
    ///
    /// # Errors
    ///
    /// No memory on the engine, or what the driver says.
    pub fn grown(&self, len: usize) -> Result<Buffer<T>, EngineError> {
        let longer = Buffer::zeroed(&self.engine, len.max(self.len))?;
        self.give_to(&longer, 0)?;
        Ok(longer)
    }

    /// Returns a buffer with a copy of the values from `from` on, which is not beyond the end.
    pub(crate) fn copied_from(&self, from: usize) -> Result<Buffer<T>, EngineError> {
        let part = Buffer::uninit(&self.engine, self.len - from)?;
        self.give_to(&part, from)?;
        Ok(part)
    }

    /// Copies the values from index `from` on to the beginning of another buffer, which must be long enough.
    fn give_to(&self, other: &Buffer<T>, from: usize) -> Result<(), EngineError> {
        let bytes = (self.len - from) * size_of::<T>();
        let _claim = self.allocation.claim(false)?;
        let source = self.at.wrapping_add(from * size_of::<T>());
        // SAFETY: two different buffers with at least `bytes` bytes from there on.
        unsafe { self.engine.memory().copy(other.at, source, bytes) }
    }

    /// Number of values.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns `true` if there is no value.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Notes that the values belong to the elements of a mesh: launches on another mesh refuse them.
    pub(crate) fn set_mesh(&self, mesh: u64) {
        self.engine.0.live.set_mesh(self.allocation.handle, mesh);
    }

    /// Returns the engine.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// Reinterprets the memory as values of another type.
    ///
    /// # Errors
    ///
    /// [`EngineError::Length`] when the bytes are no whole number of them; the buffer is freed then.
    pub fn cast<U: bytemuck::Pod>(self) -> Result<Buffer<U>, EngineError> {
        const { assert!(size_of::<U>() > 0 && align_of::<U>() <= 16) };
        let bytes = self.len * size_of::<T>();
        if !bytes.is_multiple_of(size_of::<U>()) {
            return Err(EngineError::Length {
                want: bytes / size_of::<U>(),
                got: self.len,
            });
        }
        let this = std::mem::ManuallyDrop::new(self);
        // SAFETY: `this` is not dropped, so that each field has one owner, the new buffer (contract U4 of
        // docs/inside/unsafe.md: the memory is that of the allocation, whose addresses are multiples of 16).
        let (engine, allocation) = unsafe {
            (
                std::ptr::read(&this.engine),
                std::ptr::read(&this.allocation),
            )
        };
        Ok(Buffer {
            engine,
            allocation,
            at: this.at,
            len: bytes / size_of::<U>(),
            of: PhantomData,
        })
    }

    /// Sets all bytes to zero.
    ///
    /// # Errors
    ///
    /// Errors of the driver.
    pub fn clear(&mut self) -> Result<(), EngineError> {
        let _claim = self.allocation.claim(true)?;
        let bytes = self.len * size_of::<T>();
        // SAFETY: `at` points to `len` values of this buffer alone.
        unsafe { self.engine.memory().clear(self.at, bytes) }
    }

    /// Returns a kernel argument that reads the buffer: it names the memory, and a launch finds it there.
    pub fn global(&self) -> Global<T> {
        // SAFETY: the handle of this buffer's memory, which is as long (contract U4).
        unsafe { Global::unbound(self.allocation.handle, self.len as u32) }
    }

    /// Returns a kernel argument that writes the buffer. Takes `&self` because several kernels in a row hold such
    /// arguments; the engine orders the launches.
    pub fn global_mut(&self) -> GlobalMut<T> {
        // SAFETY: as above.
        unsafe { GlobalMut::unbound(self.allocation.handle, self.len as u32) }
    }
}

impl<T> Drop for Buffer<T> {
    fn drop(&mut self) {
        self.engine.0.live.remove(self.allocation.handle);
    }
}
