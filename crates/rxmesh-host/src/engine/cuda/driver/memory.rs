//! Calls of the driver that are about memory.

use super::raw;
use crate::engine::EngineError;
use cust::device::Device;
use cust::event::EventFlags;
use cust::stream::Stream;
use cust::sys as cu;
use std::ffi::c_void;

/// A memory pool of one engine: the process's default pool is not changed.
pub(in crate::engine::cuda) struct Pool(cu::CUmemoryPool);

impl Pool {
    /// Makes a pool that keeps freed memory; returns `None` if the device has no pools.
    pub(in crate::engine::cuda) fn new(device: Device) -> Option<Pool> {
        let supported = cu::CUdevice_attribute_enum::CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED;
        let threshold = cu::CUmemPool_attribute_enum::CU_MEMPOOL_ATTR_RELEASE_THRESHOLD;
        let done = |code: cu::CUresult| code == cu::cudaError_enum::CUDA_SUCCESS;
        let properties = cu::CUmemPoolProps {
            allocType: cu::CUmemAllocationType::CU_MEM_ALLOCATION_TYPE_PINNED,
            handleTypes: cu::CUmemAllocationHandleType::CU_MEM_HANDLE_TYPE_NONE,
            location: cu::CUmemLocation {
                type_: cu::CUmemLocationType::CU_MEM_LOCATION_TYPE_DEVICE,
                id: device.as_raw(),
            },
            win32SecurityAttributes: std::ptr::null_mut(),
            reserved: [0; 64],
        };
        let (mut value, mut pool, mut keep) = (0, std::ptr::null_mut(), u64::MAX);
        // SAFETY: the driver writes the value and the pool, and reads the properties and the threshold, a 64-bit
        // number.
        unsafe {
            let made = done(cu::cuDeviceGetAttribute(
                &mut value,
                supported,
                device.as_raw(),
            )) && value != 0
                && done(cu::cuMemPoolCreate(&mut pool, &properties));
            if !made {
                return None;
            }
            // A pool that gives memory back early is slower, not wrong.
            cu::cuMemPoolSetAttribute(pool, threshold, (&raw mut keep).cast());
        }
        Some(Pool(pool))
    }

    /// Returns the bytes that the pool has taken from the device: those in use, and those that it keeps.
    pub(in crate::engine::cuda) fn reserved(&self) -> Result<u64, EngineError> {
        let attribute = cu::CUmemPool_attribute_enum::CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT;
        let mut bytes = 0u64;
        // SAFETY: a live pool; the driver writes a 64-bit number.
        raw("the memory pool", unsafe {
            cu::cuMemPoolGetAttribute(self.0, attribute, (&raw mut bytes).cast())
        })?;
        Ok(bytes)
    }

    /// Gives all memory back that is not in use.
    pub(in crate::engine::cuda) fn trim(&self) -> Result<(), EngineError> {
        // SAFETY: a live pool.
        raw("the memory pool", unsafe { cu::cuMemPoolTrimTo(self.0, 0) })
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        // SAFETY: made in `new`; the driver keeps it until the last free on the stream is done.
        unsafe { cu::cuMemPoolDestroy(self.0) };
    }
}

/// Takes device memory, of the pool if there is one. Memory of the pool is for this one stream, in whose order it comes
/// and goes.
pub(in crate::engine::cuda) fn allocate(
    pool: Option<&Pool>,
    bytes: usize,
    stream: &Stream,
) -> Result<u64, EngineError> {
    let mut at = 0;
    // SAFETY: the driver writes the address.
    let code = unsafe {
        match pool {
            Some(Pool(pool)) => {
                cu::cuMemAllocFromPoolAsync(&mut at, bytes, *pool, stream.as_inner())
            }
            None => cu::cuMemAlloc_v2(&mut at, bytes),
        }
    };
    if code == cu::cudaError_enum::CUDA_ERROR_OUT_OF_MEMORY {
        return Err(EngineError::OutOfMemory {
            engine: "the GPU",
            bytes,
        });
    }
    raw("device memory", code)?;
    Ok(at)
}

/// Gives device memory back. A failure leaves nothing to do.
///
/// # Safety
///
/// The memory came from [`allocate`], of a pool or not as `pooled` says; kernels that use it were launched on the
/// stream before, which comes to the free after them, or is waited for.
pub(in crate::engine::cuda) unsafe fn free(at: u64, pooled: bool, stream: &Stream) {
    // SAFETY: the caller's.
    unsafe {
        if pooled {
            cu::cuMemFreeAsync(at, stream.as_inner());
        } else {
            cu::cuStreamSynchronize(stream.as_inner());
            cu::cuMemFree_v2(at);
        }
    }
}

/// Clears device memory on the stream.
///
/// # Safety
///
/// There are `bytes` bytes of live device memory.
pub(in crate::engine::cuda) unsafe fn clear(
    at: u64,
    bytes: usize,
    stream: &Stream,
) -> Result<(), EngineError> {
    // SAFETY: the caller's.
    raw("clearing memory", unsafe {
        cu::cuMemsetD8Async(at, 0, bytes, stream.as_inner())
    })
}

/// Copies to device memory on the stream. Pageable memory is read before the call returns, other memory afterwards.
///
/// # Safety
///
/// There is live device memory of this size; memory that is not pageable is not changed before the stream was waited
/// for.
pub(in crate::engine::cuda) unsafe fn upload(
    at: u64,
    data: &[u8],
    stream: &Stream,
) -> Result<(), EngineError> {
    // SAFETY: the caller's.
    raw("an upload", unsafe {
        cu::cuMemcpyHtoDAsync_v2(at, data.as_ptr().cast(), data.len(), stream.as_inner())
    })
}

/// Copies from device memory on the stream.
///
/// # Safety
///
/// There is live device memory of this size; the stream is waited for before `out` is read or freed.
pub(in crate::engine::cuda) unsafe fn download(
    at: u64,
    out: &mut [u8],
    stream: &Stream,
) -> Result<(), EngineError> {
    // SAFETY: the caller's.
    raw("a download", unsafe {
        cu::cuMemcpyDtoHAsync_v2(out.as_mut_ptr().cast(), at, out.len(), stream.as_inner())
    })
}

/// Copies inside of device memory on the stream.
///
/// # Safety
///
/// There are two live pieces of device memory of this size.
pub(in crate::engine::cuda) unsafe fn copy(
    to: u64,
    from: u64,
    bytes: usize,
    stream: &Stream,
) -> Result<(), EngineError> {
    // SAFETY: the caller's.
    raw("a copy", unsafe {
        cu::cuMemcpyDtoDAsync_v2(to, from, bytes, stream.as_inner())
    })
}

/// A piece of memory that the driver knows.
pub(in crate::engine::cuda) struct Known(u64);

impl Known {
    /// Returns an address that may lie in such a piece.
    pub(in crate::engine::cuda) fn at(address: u64) -> Known {
        Known(address)
    }

    /// Returns `true` if it is memory of a GPU.
    pub(in crate::engine::cuda) fn is_on_device(&self) -> bool {
        let kind = self.get(cu::CUpointer_attribute_enum::CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
        kind == Some(cu::CUmemorytype::CU_MEMORYTYPE_DEVICE as u64)
    }

    /// Returns `true` if the driver knows it: page-locked or managed memory. It knows no pageable memory.
    pub(in crate::engine::cuda) fn is_known(&self) -> bool {
        let kind = self.get(cu::CUpointer_attribute_enum::CU_POINTER_ATTRIBUTE_MEMORY_TYPE);
        kind.is_some_and(|kind| kind != 0)
    }

    /// Returns the number of its GPU.
    pub(in crate::engine::cuda) fn ordinal(&self) -> Option<u64> {
        self.get(cu::CUpointer_attribute_enum::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL)
    }

    /// Returns the address and the size of the whole piece.
    pub(in crate::engine::cuda) fn range(&self) -> Option<(u64, u64)> {
        use cu::CUpointer_attribute_enum as Attribute;
        let start = self.get(Attribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR)?;
        Some((start, self.get(Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE)?))
    }

    /// Returns an attribute in 64 bits, the high half zero if it has 32; zero or `None` if the driver does not know the
    /// memory. The call for several attributes is used for one: unlike the call for one it does not fail for unknown
    /// memory.
    fn get(&self, attribute: cu::CUpointer_attribute) -> Option<u64> {
        let (mut attribute, mut value) = (attribute, 0u64);
        let mut values = [(&raw mut value).cast::<c_void>()];
        // SAFETY: the driver looks the address up, and writes no more than the eight bytes of a pointer or a size.
        let code = unsafe {
            cu::cuPointerGetAttributes(1, &raw mut attribute, values.as_mut_ptr(), self.0)
        };
        (code == cu::cudaError_enum::CUDA_SUCCESS).then_some(value)
    }
}

/// Copies inside of device memory, after all that was given to `stream` and to the stream `theirs` so far, and before
/// all that is given to either later.
///
/// # Safety
///
/// As [`copy`]; `theirs` is a live stream of the current context.
pub(in crate::engine::cuda) unsafe fn copy_between(
    stream: &Stream,
    theirs: u64,
    [to, from]: [u64; 2],
    bytes: usize,
) -> Result<(), EngineError> {
    let theirs = theirs as cu::CUstream;
    let mark = Mark::new()?;
    // SAFETY: the caller's. An event lives on in the driver as long as a stream waits for it.
    unsafe {
        raw("an event", cu::cuEventRecord(mark.0, theirs))?;
        raw(
            "waiting for another stream",
            cu::cuStreamWaitEvent(stream.as_inner(), mark.0, 0),
        )?;
        copy(to, from, bytes, stream)?;
        raw("an event", cu::cuEventRecord(mark.0, stream.as_inner()))?;
        raw(
            "another stream's waiting",
            cu::cuStreamWaitEvent(theirs, mark.0, 0),
        )
    }
}

/// Has later work of `stream` wait for all that `theirs` was given so far.
///
/// # Safety
///
/// `theirs` is a live stream of the current context.
pub(in crate::engine::cuda) unsafe fn wait_for(
    stream: &Stream,
    theirs: u64,
) -> Result<(), EngineError> {
    let mark = Mark::new()?;
    // SAFETY: the caller's. An event lives on in the driver as long as a stream waits for it.
    unsafe {
        raw(
            "an event",
            cu::cuEventRecord(mark.0, theirs as cu::CUstream),
        )?;
        raw(
            "waiting for another stream",
            cu::cuStreamWaitEvent(stream.as_inner(), mark.0, 0),
        )
    }
}

/// Returns the address by which other libraries name a stream.
pub(in crate::engine::cuda) fn raw_stream(stream: &Stream) -> u64 {
    stream.as_inner() as u64
}

/// The context that is current in a thread, of any library.
#[derive(Debug)]
pub(in crate::engine) struct ThreadContext(cu::CUcontext);

impl ThreadContext {
    /// Returns it, also if there is none; `None` if the driver does not say it.
    pub(in crate::engine) fn get() -> Option<ThreadContext> {
        let mut context = std::ptr::null_mut();
        if !rxmesh_cuda_driver::is_loaded() {
            return Some(ThreadContext(context));
        }
        // SAFETY: the driver writes the context.
        let code = unsafe { cu::cuCtxGetCurrent(&mut context) };
        (code == cu::cudaError_enum::CUDA_SUCCESS).then_some(ThreadContext(context))
    }

    /// Makes it current again. A failure leaves nothing to do.
    pub(in crate::engine) fn set(self) {
        if rxmesh_cuda_driver::is_loaded() {
            // SAFETY: a context that was current in this thread, or none; libraries keep theirs for the process.
            unsafe { cu::cuCtxSetCurrent(self.0) };
        }
    }
}

/// An event that is only waited for.
struct Mark(cu::CUevent);

impl Mark {
    fn new() -> Result<Mark, EngineError> {
        let mut event = std::ptr::null_mut();
        let flags = EventFlags::DISABLE_TIMING.bits();
        // SAFETY: the driver writes the event; the context is current.
        raw("an event", unsafe { cu::cuEventCreate(&mut event, flags) })?;
        Ok(Mark(event))
    }
}

impl Drop for Mark {
    fn drop(&mut self) {
        // SAFETY: made in `new`; the driver keeps it until no stream waits for it.
        unsafe { cu::cuEventDestroy_v2(self.0) };
    }
}
