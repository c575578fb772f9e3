//! The CUDA engine: launches through `cust`, on one stream.

mod driver;
mod foreign;
mod launch;
mod memory;
mod modules;

use super::launch::Launcher as _;
use super::memory::Memory as _;
use super::policy::Policy;
use super::ptx::{self, unpack};
use super::{EngineError, EngineInfo, Ptx};
pub(super) use driver::{ThreadContext, count};
use memory::READBACK_BYTES;
use modules::Modules;
use rxmesh_cuda_driver::early;
use rxmesh_kernels::mem::FAULT_WORDS;
use std::panic::resume_unwind;
use std::sync::Mutex;
use std::sync::atomic::AtomicU32;

/// This library's kernels as PTX, built by `cargo xtask ptx` from the sources beside it and packed by `build.rs`.
const PTX: Ptx<'static> = Ptx::Packed(include_bytes!(concat!(
    env!("OUT_DIR"),
    "/rxmesh_kernels.ptx.lzma"
)));

/// Fields are dropped in this order: the context is dropped after everything that belongs to it.
pub(in crate::engine) struct CudaEngine {
    modules: Mutex<Modules>,
    stream: driver::Stream,
    /// Page-locked memory for small read-backs: one wait is for all of them.
    readback: Mutex<driver::LockedBuffer<u8>>,
    /// Its address for kernels.
    readback_address: u64,
    /// The fault words, in page-locked memory that kernels write to: a wait shows them without a copy. Kernels do not
    /// read them unless there is a fault.
    faults: driver::LockedBuffer<u32>,
    /// Their address for kernels.
    fault: u64,
    /// Two words with which the blocks of a cooperative launch wait for each other; 0 where there are no such launches.
    arrived: u64,
    info: EngineInfo,
    shared_limit: u32,
    /// Compute capability, major and minor.
    capability: (u32, u32),
    /// The GPU's number.
    ordinal: u32,
    /// Memory pool, if the device has pools. It keeps memory that is given back: an allocation costs microseconds
    /// instead of hundreds of them, and nothing waits.
    pool: Option<driver::Pool>,
    /// Threads of every patch kernel's block in place of the kernel's number; 0 for the kernel's.
    threads: AtomicU32,
    context: driver::Context,
}

// SAFETY: driver handles may be used from any thread once the context is current there, which every call below sees to;
// the driver serialises access to a stream.
unsafe impl Send for CudaEngine {}
// SAFETY: as above.
unsafe impl Sync for CudaEngine {}

impl CudaEngine {
    pub(in crate::engine) fn new(ordinal: u32) -> Result<(CudaEngine, Policy), EngineError> {
        let device = driver::device(ordinal)?;
        // Unpacking is shorter than the making of a context.
        let text = std::thread::spawn(|| unpack(PTX));
        let context = driver::context(device)?;
        let info = EngineInfo {
            engine: "cuda".to_string(),
            device: driver::device_name(device)?,
            units: driver::multiprocessors(device)?,
        };
        let capability = driver::capability(device)?;
        let text = text.join().unwrap_or_else(|panic| resume_unwind(panic))?;
        ptx::check_target(&text, capability).map_err(|why| {
            EngineError::NoDevice(format!("GPU {ordinal}, {}: {why}", info.device))
        })?;
        let stream = driver::stream()?;
        let (readback, readback_address) = driver::page_locked(READBACK_BYTES)?;
        let (faults, fault) = driver::page_locked(FAULT_WORDS)?;
        let shared_limit = driver::shared_limit(device)?;
        let policy = Policy::of_cuda([shared_limit, driver::shared_of_two(device)?]);
        let mut cuda = CudaEngine {
            context,
            stream,
            readback: Mutex::new(readback),
            readback_address,
            modules: Mutex::new(Modules::new(
                capability >= early::LEAST_CAPABILITY && driver::version()? >= early::LEAST_DRIVER,
            )),
            faults,
            fault,
            arrived: 0,
            info,
            shared_limit,
            pool: driver::Pool::new(device),
            capability,
            ordinal,
            threads: AtomicU32::new(0),
        };
        if driver::has_cooperative_launches(device)? {
            cuda.arrived = cuda.allocate(2 * size_of::<u32>(), true)? as u64;
        }
        cuda.load(
            Ptx::Text(&text),
            rxmesh_kernels::entry::FINGERPRINT_SYMBOL,
            rxmesh_kernels::entry::KERNELS,
        )?;
        Ok((cuda, policy))
    }

    fn enter(&self) -> Result<(), EngineError> {
        driver::enter(&self.context)
    }
}

impl Drop for CudaEngine {
    fn drop(&mut self) {
        // A kernel may still raise a fault, whose words are given back next. A failure leaves nothing to do.
        let _ = self.enter().and_then(|()| driver::wait(&self.stream));
        if self.arrived != 0 {
            // SAFETY: allocated in `new`; the stream has been waited for.
            unsafe { self.free(self.arrived as *mut u8, 2 * size_of::<u32>()) };
        }
        drop(self.pool.take());
    }
}
