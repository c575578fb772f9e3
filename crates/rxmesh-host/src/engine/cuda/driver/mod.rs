//! Calls of the CUDA driver. No other module names `cust`.

pub(super) use cust::context::Context;
pub(super) use cust::device::Device;
pub(super) use cust::memory::LockedBuffer;
pub(super) use cust::module::Module;
pub(super) use cust::stream::Stream;

use crate::engine::EngineError;
use cust::context::CurrentContext;
use cust::device::DeviceAttribute;
use cust::error::{CudaError, CudaResult};
use cust::event::{Event, EventFlags};
use cust::memory::DeviceCopy;
use cust::module::ModuleJitOption;
use cust::stream::StreamFlags;
use cust::sys as cu;
use rxmesh_cuda_driver::early;
use std::ffi::{CStr, c_void};

mod memory;
pub(in crate::engine) use memory::ThreadContext;
pub(super) use memory::{
    Known, Pool, allocate, clear, copy, copy_between, download, free, raw_stream, upload, wait_for,
};

/// A function of a module that is loaded.
pub(super) type Handle = cu::CUfunction;

/// Blocks of a launch, threads of a block, and bytes of shared memory of a block.
pub(super) type Shape = [u32; 3];

/// Turns a driver result into this library's error; never formats cust's own, which asks the driver for text.
fn checked<T>(what: &'static str, result: CudaResult<T>) -> Result<T, EngineError> {
    result.map_err(|e| EngineError::Driver {
        what,
        code: e as u32,
    })
}

/// Works like [`checked`] for calls that `cust` has no form of.
fn raw(what: &'static str, code: cu::CUresult) -> Result<(), EngineError> {
    if code == cu::cudaError_enum::CUDA_SUCCESS {
        Ok(())
    } else {
        Err(EngineError::Driver {
            what,
            code: code as u32,
        })
    }
}

/// Starts the driver and returns the number of GPUs.
pub(in crate::engine) fn count() -> Result<u32, EngineError> {
    rxmesh_cuda_driver::load().map_err(|e| EngineError::NoDriver(e.to_string()))?;
    cust::init(cust::CudaFlags::empty()).map_err(|e| {
        EngineError::NoDevice(format!("the driver does not start (error {})", e as u32))
    })?;
    checked("the number of devices", Device::num_devices())
}

/// Starts the driver and returns a GPU.
pub(super) fn device(ordinal: u32) -> Result<Device, EngineError> {
    let count = count()?;
    if ordinal >= count {
        return Err(EngineError::NoDevice(format!(
            "GPU {ordinal} was requested, but this machine has {count}, numbered from 0"
        )));
    }
    checked("a device", Device::get_device(ordinal))
}

/// Makes a context, which is current on this thread afterwards.
pub(super) fn context(device: Device) -> Result<Context, EngineError> {
    checked("a context", Context::new(device))
}

/// Makes a context current on this thread.
pub(super) fn enter(context: &Context) -> Result<(), EngineError> {
    checked("the context", CurrentContext::set_current(context))
}

/// Makes a stream that does not wait for the default one.
pub(super) fn stream() -> Result<Stream, EngineError> {
    checked("a stream", Stream::new(StreamFlags::NON_BLOCKING, None))
}

/// Waits for all that a stream was given.
pub(super) fn wait(stream: &Stream) -> Result<(), EngineError> {
    checked("waiting", stream.synchronize())
}

/// Returns a GPU's name.
pub(super) fn device_name(device: Device) -> Result<String, EngineError> {
    checked("the device's name", device.name())
}

/// Returns the number of a GPU's multiprocessors.
pub(super) fn multiprocessors(device: Device) -> Result<u32, EngineError> {
    let count = device.get_attribute(DeviceAttribute::MultiprocessorCount);
    Ok(checked("the number of multiprocessors", count)? as u32)
}

/// Returns a GPU's compute capability, major and minor.
pub(super) fn capability(device: Device) -> Result<(u32, u32), EngineError> {
    let part = |attribute| {
        let number = device.get_attribute(attribute);
        Ok::<_, EngineError>(checked("the compute capability", number)? as u32)
    };
    Ok((
        part(DeviceAttribute::ComputeCapabilityMajor)?,
        part(DeviceAttribute::ComputeCapabilityMinor)?,
    ))
}

/// Returns the version of CUDA that the driver has, in thousands and tens: 12080 is 12.8.
pub(super) fn version() -> Result<i32, EngineError> {
    let mut version = 0;
    // SAFETY: the driver writes the number.
    raw("the driver's version", unsafe {
        cu::cuDriverGetVersion(&mut version)
    })?;
    Ok(version)
}

/// Returns the most dynamic shared memory that a block can request.
pub(super) fn shared_limit(device: Device) -> Result<u32, EngineError> {
    number(
        device,
        cu::CUdevice_attribute_enum::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
    )
}

/// Returns the most that two blocks of a multiprocessor can have each: half of its shared memory, less the system's
/// share of a block's.
pub(super) fn shared_of_two(device: Device) -> Result<u32, EngineError> {
    let all = number(
        device,
        cu::CUdevice_attribute_enum::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR,
    )?;
    let reserved = number(
        device,
        cu::CUdevice_attribute_enum::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK,
    )?;
    Ok((all / 2).saturating_sub(reserved))
}

/// Returns `true` if the blocks of a launch can wait for each other.
pub(super) fn has_cooperative_launches(device: Device) -> Result<bool, EngineError> {
    let attribute = cu::CUdevice_attribute_enum::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH;
    Ok(number(device, attribute)? != 0)
}

/// Returns an attribute that is not among cust's.
fn number(device: Device, attribute: cu::CUdevice_attribute) -> Result<u32, EngineError> {
    let mut value = 0;
    // SAFETY: the driver writes the value.
    raw("an attribute of the device", unsafe {
        cu::cuDeviceGetAttribute(&mut value, attribute, device.as_raw())
    })?;
    Ok(value as u32)
}

/// Makes page-locked memory of zeroes; returns it and the address at which kernels see it, valid as long as it lives.
pub(super) fn page_locked<T: DeviceCopy + Default>(
    n: usize,
) -> Result<(LockedBuffer<T>, u64), EngineError> {
    let mut memory = checked("page-locked memory", LockedBuffer::new(&T::default(), n))?;
    let mut at = 0;
    // SAFETY: the driver writes the address; the memory is page-locked.
    raw("page-locked memory", unsafe {
        cu::cuMemHostGetDevicePointer_v2(&mut at, memory.as_mut_ptr().cast(), 0)
    })?;
    Ok((memory, at))
}

/// Compiles PTX, and returns the module with the function of a name in it.
///
/// # Errors
///
/// The code of the driver's error.
pub(super) fn compile(text: &CStr, name: &str) -> Result<(Module, Handle), u32> {
    let code = |e: CudaError| e as u32;
    let module = Module::from_ptx_cstr(text, &[ModuleJitOption::DetermineTargetFromContext])
        .map_err(code)?;
    let handle = module.get_function(name).map_err(code)?.to_raw();
    Ok((module, handle))
}

/// Returns the most threads that a block of a function can have, by its registers. The function is of a module that is
/// loaded in the current context, as for all functions below.
pub(super) fn most_threads(function: Handle) -> Result<u32, EngineError> {
    let attribute = cu::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
    let mut most = 0;
    // SAFETY: the driver writes the number; a live function of the current context.
    raw("a function's threads", unsafe {
        cu::cuFuncGetAttribute(&mut most, attribute, function)
    })?;
    Ok(most as u32)
}

/// Lets blocks of a function have this much shared memory.
pub(super) fn allow_shared(function: Handle, bytes: u32) -> Result<(), EngineError> {
    let attribute = cu::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
    // SAFETY: a live function of this context.
    let code = unsafe { cu::cuFuncSetAttribute(function, attribute, bytes as i32) };
    raw("more shared memory", code)
}

/// Returns the number of blocks of a function that run on a multiprocessor at a time.
pub(super) fn blocks_of_one(
    function: Handle,
    threads: u32,
    shared: u32,
) -> Result<u32, EngineError> {
    let mut of_one = 0;
    // SAFETY: the driver writes the number; a live function of the current context.
    raw("the blocks of a multiprocessor", unsafe {
        cu::cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &mut of_one,
            function,
            threads as i32,
            shared as usize,
        )
    })?;
    Ok(of_one.max(0) as u32)
}

/// Launches a function with one parameter.
///
/// # Safety
///
/// `args` points to what the function takes; the addresses in it are live, and the shared memory is what the kernel's
/// plan measures (contracts U2, U4).
pub(super) unsafe fn launch(
    function: Handle,
    [blocks, threads, shared]: Shape,
    stream: &Stream,
    args: *mut c_void,
) -> Result<(), EngineError> {
    let mut pointers = [args];
    // SAFETY: the caller's.
    raw("a launch", unsafe {
        cu::cuLaunchKernel(
            function,
            blocks,
            1,
            1,
            threads,
            1,
            1,
            shared,
            stream.as_inner(),
            pointers.as_mut_ptr(),
            std::ptr::null_mut(),
        )
    })
}

/// Launches a function that waits by itself for the launch ahead of it on the stream.
///
/// # Safety
///
/// As [`launch`]; the function was made of text of [`rxmesh_ptx::overlapping`].
pub(super) unsafe fn launch_early(
    function: Handle,
    [blocks, threads, shared]: Shape,
    stream: &Stream,
    args: *mut c_void,
) -> Result<(), EngineError> {
    let mut pointers = [args];
    // SAFETY: the caller's. No block touches memory before the launch ahead has ended, which its first instruction
    // waits for, as did that one's.
    let code = unsafe {
        early::launch(
            function.cast(),
            blocks,
            threads,
            shared,
            stream.as_inner().cast(),
            pointers.as_mut_ptr(),
        )
    };
    match code {
        0 => Ok(()),
        code => Err(EngineError::Driver {
            what: "a launch",
            code: code as u32,
        }),
    }
}

/// Launches a function whose blocks wait for each other. Returns `false` if the driver began no block, because not all
/// of them run at a time: it may give a process fewer multiprocessors than the device has (MPS, green contexts), which
/// the occupancy does not tell.
///
/// # Safety
///
/// As [`launch`].
pub(super) unsafe fn launch_cooperative(
    function: Handle,
    [blocks, threads, shared]: Shape,
    stream: &Stream,
    args: *mut c_void,
) -> Result<bool, EngineError> {
    let mut pointers = [args];
    // SAFETY: the caller's; the driver refuses a grid whose blocks cannot all run at a time.
    let code = unsafe {
        cu::cuLaunchCooperativeKernel(
            function,
            blocks,
            1,
            1,
            threads,
            1,
            1,
            shared,
            stream.as_inner(),
            pointers.as_mut_ptr(),
        )
    };
    if code == cu::cudaError_enum::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE {
        return Ok(false);
    }
    raw("a cooperative launch", code).map(|()| true)
}

/// Milliseconds on a stream that the launches of `work` take.
pub(super) fn time(
    stream: &Stream,
    work: impl FnOnce() -> Result<(), EngineError>,
) -> Result<f64, EngineError> {
    let start = checked("an event", Event::new(EventFlags::DEFAULT))?;
    let end = checked("an event", Event::new(EventFlags::DEFAULT))?;
    checked("an event", start.record(stream))?;
    work()?;
    checked("an event", end.record(stream))?;
    checked("waiting", end.synchronize())?;
    let time = end.elapsed_time_f32(&start);
    Ok(f64::from(checked("an event's time", time)?))
}
