//! The CUDA engine: launches through `cust`, on one stream.

use super::ptx::{self, Library, unpack};
use super::{EngineError, EngineInfo, Ptx, fault_error, fault_over};
use cust::context::{Context, CurrentContext};
use cust::device::{Device, DeviceAttribute};
use cust::error::CudaResult;
use cust::event::{Event, EventFlags};
use cust::memory::LockedBuffer;
use cust::module::{Module, ModuleJitOption};
use cust::stream::{Stream, StreamFlags};
use cust::sys as cu;
use rxmesh_cuda_driver::early;
use rxmesh_kernels::kernel::{
    BlockArgs, BlockKernel, Entry, FlatArgs, FlatKernel, GridArgs, GridKernel, KernelInfo,
    ListedArgs, ListedEntry, PatchArgs, PatchKernel,
};
use rxmesh_kernels::landing::Land;
use rxmesh_kernels::mem::{FAULT_WORDS, Fault, Global, GlobalMut};
use std::collections::HashMap;
use std::ffi::{CStr, CString, c_void};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

/// This library's kernels as PTX, built by `cargo xtask ptx` from the sources beside it and packed by `build.rs`.
const PTX: Ptx<'static> = Ptx::Packed(include_bytes!(concat!(
    env!("OUT_DIR"),
    "/rxmesh_kernels.ptx.z"
)));

/// Shared memory that a block has without asking for more.
const DEFAULT_SHARED: u32 = 48 * 1024;

/// Bytes of page-locked memory for reads. Longer ones go straight to where they are wanted, for which the driver waits.
const LANDING_BYTES: usize = 64 * 1024;

/// The most bytes of a read that a kernel copies there. It has written them before the copy engine would have begun.
const LANDED_BY_KERNEL: usize = 8 * 1024;

/// Most blocks a multiprocessor of a kernel that runs on listed patches.
const LISTED_BLOCKS: u32 = 4;

/// Fields are dropped in this order: the context goes after everything that lives in it.
pub(super) struct Cuda {
    modules: Mutex<Modules>,
    stream: Stream,
    /// Page-locked memory in which small reads land: one wait is for all of them.
    landing: Mutex<LockedBuffer<u8>>,
    /// Where kernels see it.
    landed: u64,
    /// The fault words, in page-locked memory that kernels write to: a wait shows them without a copy. Kernels do not
    /// read them unless there is a fault.
    faults: LockedBuffer<u32>,
    /// Where kernels see them.
    fault: u64,
    /// Two words with which the blocks of a cooperative launch wait for each other; 0 where there are no such launches.
    arrived: u64,
    info: EngineInfo,
    shared_limit: u32,
    /// Shared memory of a block when two run on a multiprocessor.
    shared_of_two: u32,
    /// Compute capability, major and minor.
    capability: (u32, u32),
    /// The GPU's number.
    ordinal: u32,
    /// Where memory comes from, if the device has pools. Ours keeps what is given back: an allocation costs
    /// microseconds instead of hundreds of them, and nothing waits.
    pool: Option<Pool>,
    /// Threads of every patch kernel's block in place of its own number; 0 for its own.
    threads: AtomicU32,
    context: Context,
}

/// PTX texts, and the modules and functions that were made of them. A function lives as long as its module, and modules
/// are never unloaded before the engine.
#[derive(Default)]
struct Modules {
    libraries: Vec<Library>,
    loaded: Vec<Module>,
    functions: HashMap<&'static str, Function>,
    /// Whether kernels are compiled so that launches overlap.
    overlap: bool,
}

impl Modules {
    /// Compiles a kernel, for at most so many registers a thread if there is a limit.
    fn compile(
        &mut self,
        name: &'static str,
        registers: Option<u32>,
    ) -> Result<Function, EngineError> {
        let text = self
            .libraries
            .iter()
            .find_map(|l| l.module(name))
            .ok_or(EngineError::UnknownKernel(name))?;
        let refused = |e: cust::error::CudaError| {
            EngineError::Ptx(format!(
                "the driver's compiler refused kernel `{name}` with error {}",
                e as u32
            ))
        };
        let text = match registers {
            Some(most) => limit_registers(&text, name, most).ok_or_else(|| {
                EngineError::Ptx(format!("kernel `{name}` has no body in the PTX"))
            })?,
            None => text,
        };
        let early = match text.to_str() {
            Ok(text) if self.overlap => early::overlapping(text).and_then(|t| CString::new(t).ok()),
            _ => None,
        };
        let overlaps = early.is_some();
        let text = early.unwrap_or(text);
        let module = Module::from_ptx_cstr(&text, &[ModuleJitOption::DetermineTargetFromContext])
            .map_err(refused)?;
        let raw = module.get_function(name).map_err(refused)?.to_raw();
        self.loaded.push(module);
        let function = Function {
            raw,
            shared: DEFAULT_SHARED,
            threads: most_threads(raw)?,
            overlaps,
        };
        self.functions.insert(name, function);
        Ok(function)
    }
}

/// PTX whose entry may use at most so many registers a thread. (The driver's own option for it, as cust hands it over,
/// is refused as an invalid value.)
fn limit_registers(text: &CStr, name: &str, most: u32) -> Option<CString> {
    let text = text.to_str().ok()?;
    let entry = text.find(&format!(".entry {name}("))?;
    let body = entry + text[entry..].find("\n{")?;
    let limited = format!("{}\n.maxnreg {most}{}", &text[..body], &text[body..]);
    CString::new(limited).ok()
}

#[derive(Clone, Copy)]
struct Function {
    raw: cu::CUfunction,
    shared: u32,
    /// The most threads that a block can have, by its registers.
    threads: u32,
    /// Whether it waits by itself for the launch ahead of it, so that it may be launched before that has ended.
    overlaps: bool,
}

/// See [`Function::threads`].
fn most_threads(function: cu::CUfunction) -> Result<u32, EngineError> {
    let attribute = cu::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK;
    let mut most = 0;
    // SAFETY: the driver writes the number; a live function of the current context.
    raw("a function's threads", unsafe {
        cu::cuFuncGetAttribute(&mut most, attribute, function)
    })?;
    Ok(most as u32)
}

/// The most threads of a patch where a kernel does not ask for more: about as many as a patch has faces.
const WIDEST: u32 = 512;

impl Function {
    /// Threads of a patch kernel's block: its own number, or more where there are so few patches that multiprocessors
    /// had little to do. Whole warps.
    fn width(&self, [own, enough]: [u32; 2], blocks: u32, units: u32) -> u32 {
        let each = enough / blocks.div_ceil(units.max(1)).max(1);
        let most = each.min(WIDEST).min(self.threads) / 32 * 32;
        whole_warps(own).max(most)
    }
}

/// How wide a launch's blocks are.
#[derive(Clone, Copy)]
enum Width {
    /// So many threads.
    Threads(u32),
    /// A patch kernel's own number, and what is enough for a multiprocessor ([`Function::width`]).
    OfPatches([u32; 2]),
}

impl Width {
    fn of<K: PatchKernel>() -> Width {
        Width::OfPatches([K::THREADS, K::ENOUGH_THREADS])
    }
}

// SAFETY: driver handles may be used from any thread once the context is current there, which every call below sees to;
// the driver serialises access to a stream.
unsafe impl Send for Cuda {}
// SAFETY: as above.
unsafe impl Sync for Cuda {}

/// Turns a driver result into this library's error; never formats cust's own, which asks the driver for text.
fn driver<T>(what: &'static str, result: CudaResult<T>) -> Result<T, EngineError> {
    result.map_err(|e| EngineError::Driver {
        what,
        code: e as u32,
    })
}

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

impl Cuda {
    pub(super) fn new(ordinal: u32) -> Result<Cuda, EngineError> {
        rxmesh_cuda_driver::load().map_err(|e| EngineError::NoDriver(e.to_string()))?;
        cust::init(cust::CudaFlags::empty()).map_err(|e| {
            EngineError::NoDevice(format!("the driver does not start (error {})", e as u32))
        })?;
        let count = driver("the number of devices", Device::num_devices())?;
        if ordinal >= count {
            return Err(EngineError::NoDevice(format!(
                "GPU {ordinal} was asked for, but there are {count}"
            )));
        }
        let device = driver("a device", Device::get_device(ordinal))?;
        let context = driver("a context", Context::new(device))?;
        let attribute = |a, what| driver(what, device.get_attribute(a));
        let info = EngineInfo {
            engine: "cuda".to_string(),
            device: driver("the device's name", device.name())?,
            units: attribute(
                DeviceAttribute::MultiprocessorCount,
                "the number of multiprocessors",
            )? as u32,
        };
        let capability = (
            attribute(
                DeviceAttribute::ComputeCapabilityMajor,
                "the compute capability",
            )? as u32,
            attribute(
                DeviceAttribute::ComputeCapabilityMinor,
                "the compute capability",
            )? as u32,
        );
        let text = unpack(PTX)?;
        ptx::check_target(&text, capability).map_err(|why| {
            EngineError::NoDevice(format!("GPU {ordinal}, {}: {why}", info.device))
        })?;
        let shared_limit = shared_limit(device)?;
        let shared_of_two = shared_of_two(device)?;
        let stream = driver("a stream", Stream::new(StreamFlags::NON_BLOCKING, None))?;
        let mut landing = driver("page-locked memory", LockedBuffer::new(&0, LANDING_BYTES))?;
        let landed = seen_by_kernels(&mut landing)?;
        let mut faults = driver("page-locked memory", LockedBuffer::new(&0, FAULT_WORDS))?;
        let fault = seen_by_kernels(&mut faults)?;
        let mut cuda = Cuda {
            context,
            stream,
            landing: Mutex::new(landing),
            landed,
            modules: Mutex::new(Modules {
                overlap: capability >= early::LEAST_CAPABILITY
                    && driver_version()? >= early::LEAST_DRIVER,
                ..Modules::default()
            }),
            faults,
            fault,
            arrived: 0,
            info,
            shared_limit,
            shared_of_two,
            pool: Pool::new(device),
            capability,
            ordinal,
            threads: AtomicU32::new(0),
        };
        if number(
            device,
            cu::CUdevice_attribute_enum::CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH,
        )? != 0
        {
            cuda.arrived = cuda.allocate(2 * size_of::<u32>(), true)? as u64;
        }
        cuda.load(
            Ptx::Text(&text),
            rxmesh_kernels::entry::FINGERPRINT_SYMBOL,
            rxmesh_kernels::entry::KERNELS,
        )?;
        Ok(cuda)
    }

    fn enter(&self) -> Result<(), EngineError> {
        driver("the context", CurrentContext::set_current(&self.context))
    }

    /// Adds PTX text, unless it is there, after checking that it belongs to the list. Its kernels are compiled when
    /// they are first launched.
    pub(super) fn load(
        &self,
        ptx: Ptx<'_>,
        symbol: &str,
        kernels: &[KernelInfo],
    ) -> Result<(), EngineError> {
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        if modules.libraries.iter().any(|l| l.is(symbol, kernels)) {
            return Ok(());
        }
        let text = unpack(ptx)?;
        ptx::check_target(&text, self.capability).map_err(EngineError::Ptx)?;
        let library = Library::new(&text, symbol, kernels)?;
        // Kernels are found by name: a second one of the same name would be launched in place of the first, or never.
        if let Some(taken) = kernels
            .iter()
            .find(|k| modules.libraries.iter().any(|l| l.has(k.name)))
        {
            return Err(EngineError::Ptx(format!(
                "another module has a kernel `{}` already",
                taken.name
            )));
        }
        modules.libraries.push(library);
        Ok(())
    }

    pub(super) fn info(&self) -> EngineInfo {
        self.info.clone()
    }

    /// The kernel's function, ready for a launch with this much shared memory.
    fn function(
        &self,
        name: &'static str,
        registers: Option<u32>,
        shared: u32,
    ) -> Result<Function, EngineError> {
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        let function = match modules.functions.get(name) {
            Some(f) => *f,
            None => modules.compile(name, registers)?,
        };
        if shared > self.shared_limit {
            return Err(EngineError::SharedMemory {
                kernel: name,
                needed: shared,
                available: self.shared_limit,
            });
        }
        if shared > function.shared {
            let attribute =
                cu::CUfunction_attribute_enum::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES;
            // SAFETY: a live function of this context.
            let code = unsafe {
                cu::cuFuncSetAttribute(function.raw, attribute, self.shared_limit as i32)
            };
            raw("more shared memory", code)?;
            modules.functions.insert(
                name,
                Function {
                    shared: self.shared_limit,
                    ..function
                },
            );
        }
        Ok(function)
    }

    fn launch<A: Copy>(
        &self,
        entry: (&'static str, Option<u32>),
        blocks: u32,
        width: Width,
        shared: u32,
        args: A,
    ) -> Result<(), EngineError> {
        // SAFETY: the entry takes one parameter of type `A`: the fingerprint checks its layout.
        unsafe { self.launch_with(entry, blocks, width, shared, arguments(&args)) }
    }

    /// [`Cuda::launch`] of whichever kernel it is: compiled once, and not for each.
    ///
    /// # Safety
    ///
    /// `args` points to what the entry takes.
    unsafe fn launch_with(
        &self,
        (name, registers): (&'static str, Option<u32>),
        blocks: u32,
        width: Width,
        shared: u32,
        args: *mut c_void,
    ) -> Result<(), EngineError> {
        self.enter()?;
        let function = self.function(name, registers, shared)?;
        let threads = match width {
            Width::Threads(n) => whole_warps(n),
            Width::OfPatches(width) => match self.threads.load(Relaxed) {
                0 => function.width(width, blocks, self.info.units),
                n => whole_warps(n),
            },
        };
        let mut pointers = [args];
        if function.overlaps {
            return self.launch_early(&function, [blocks, threads, shared], &mut pointers);
        }
        // SAFETY: the parameter is the entry's (the caller's), the addresses in it were checked to be live, and the
        // shared memory is what the kernel's plan measures (contracts U2, U4).
        let code = unsafe {
            cu::cuLaunchKernel(
                function.raw,
                blocks,
                1,
                1,
                threads,
                1,
                1,
                shared,
                self.stream.as_inner(),
                pointers.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        raw("a launch", code)
    }

    /// Launches a kernel that waits by itself for what is ahead of it on the stream.
    fn launch_early(
        &self,
        function: &Function,
        [blocks, threads, shared]: [u32; 3],
        pointers: &mut [*mut c_void; 1],
    ) -> Result<(), EngineError> {
        // SAFETY: as in `launch`. No block touches memory before the launch ahead has ended, which its first
        // instruction waits for, as did that one's (`overlapping`).
        let code = unsafe {
            early::launch(
                function.raw.cast(),
                blocks,
                threads,
                shared,
                self.stream.as_inner().cast(),
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

    pub(super) fn run_patches<K: PatchKernel + Entry>(
        &self,
        args: PatchArgs<K>,
        blocks: u32,
        shared: u32,
    ) -> Result<(), EngineError> {
        self.launch((K::NAME, None), blocks, Width::of::<K>(), shared, args)
    }

    /// Runs a kernel on listed patches, of which there are as many as the mesh has, at most: as many blocks as run at a
    /// time take one after the other.
    pub(super) fn run_listed<K: ListedEntry>(
        &self,
        args: ListedArgs<K>,
        most: u32,
        shared: u32,
    ) -> Result<(), EngineError> {
        let blocks = most.min(self.info.units * LISTED_BLOCKS);
        self.launch((K::NAME, None), blocks, Width::of::<K>(), shared, args)
    }

    pub(super) fn shared_limit(&self) -> u32 {
        self.shared_limit
    }

    pub(super) fn shared_of_two(&self) -> u32 {
        self.shared_of_two
    }

    pub(super) fn set_block_threads(&self, threads: u32) {
        self.threads.store(threads, Relaxed);
    }

    pub(super) fn run_blocks<K: BlockKernel + Entry>(
        &self,
        blocks: u32,
        shared: u32,
        kernel: K,
    ) -> Result<(), EngineError> {
        let args = BlockArgs {
            fault: self.fault(),
            kernel,
        };
        self.launch(
            (K::NAME, K::REGISTERS),
            blocks,
            Width::Threads(K::THREADS),
            shared,
            args,
        )
    }

    /// Runs steps in one launch, where there is room, or each by itself.
    pub(super) fn run_grid<K: GridKernel + Entry>(
        &self,
        blocks: u32,
        shared: u32,
        steps: Range<u32>,
        in_one: bool,
        kernel: K,
    ) -> Result<(), EngineError> {
        let args = |steps: Range<u32>| GridArgs {
            fault: self.fault(),
            // SAFETY: allocated and zeroed in `new`, lives as long as the engine; 0 only where nothing waits.
            arrived: unsafe { GlobalMut::new(self.arrived as *mut u32, 2) },
            first: steps.start,
            end: steps.end,
            kernel,
        };
        let threads = whole_warps(K::THREADS);
        let each_by_itself = |steps: Range<u32>| {
            steps.into_iter().try_for_each(|step| {
                let args = args(step..step + 1);
                self.launch(
                    (K::NAME, None),
                    blocks,
                    Width::Threads(threads),
                    shared,
                    args,
                )
            })
        };
        if !in_one {
            return each_by_itself(steps);
        }
        let function = self.function(K::NAME, None, shared)?;
        let all = args(steps.clone());
        let mut pointers = [arguments(&all)];
        // SAFETY: as in `launch`; the driver refuses a grid whose blocks cannot all run at a time.
        let code = unsafe {
            cu::cuLaunchCooperativeKernel(
                function.raw,
                blocks,
                1,
                1,
                threads,
                1,
                1,
                shared,
                self.stream.as_inner(),
                pointers.as_mut_ptr(),
            )
        };
        if is_too_large_a_grid(code) {
            return each_by_itself(steps);
        }
        raw("a cooperative launch", code)
    }

    /// Whether so many blocks of a grid kernel run at a time.
    pub(super) fn has_room_for_grid<K: GridKernel + Entry>(
        &self,
        blocks: u32,
        shared: u32,
    ) -> Result<bool, EngineError> {
        if self.arrived == 0 || shared > self.shared_limit {
            return Ok(false);
        }
        self.enter()?;
        let function = self.function(K::NAME, None, shared)?;
        let threads = whole_warps(K::THREADS) as i32;
        let mut of_one = 0;
        // SAFETY: the driver writes the number.
        raw("the blocks of a multiprocessor", unsafe {
            cu::cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &mut of_one,
                function.raw,
                threads,
                shared as usize,
            )
        })?;
        Ok(u64::from(blocks) <= u64::from(self.info.units) * of_one.max(0) as u64)
    }

    pub(super) fn run_flat<K: FlatKernel + Entry>(
        &self,
        n: u32,
        kernel: K,
    ) -> Result<(), EngineError> {
        let threads = whole_warps(K::THREADS);
        self.launch(
            (K::NAME, None),
            n.div_ceil(threads),
            Width::Threads(threads),
            0,
            FlatArgs { n, kernel },
        )
    }

    pub(super) fn allocate(&self, bytes: usize, zero: bool) -> Result<*mut u8, EngineError> {
        self.enter()?;
        let mut at = 0;
        // SAFETY: the driver writes the address. Memory of the pool is used on this one stream only, in whose order it
        // comes and goes.
        let code = unsafe {
            match &self.pool {
                Some(Pool(pool)) => {
                    cu::cuMemAllocFromPoolAsync(&mut at, bytes, *pool, self.stream.as_inner())
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
        if zero {
            self.clear(at as *mut u8, bytes)?;
        }
        Ok(at as *mut u8)
    }

    pub(super) fn free(&self, at: *mut u8) {
        if self.enter().is_ok() {
            // SAFETY: came from `allocate`; kernels that use it were launched on the stream before, which comes to the
            // free after them, or is waited for. A failure leaves nothing to do in a drop.
            unsafe {
                if self.pool.is_some() {
                    cu::cuMemFreeAsync(at as u64, self.stream.as_inner());
                } else {
                    cu::cuStreamSynchronize(self.stream.as_inner());
                    cu::cuMemFree_v2(at as u64);
                }
            }
        }
    }

    pub(super) fn clear(&self, at: *mut u8, bytes: usize) -> Result<(), EngineError> {
        self.enter()?;
        // SAFETY: `bytes` bytes of live device memory.
        raw("clearing memory", unsafe {
            cu::cuMemsetD8Async(at as u64, 0, bytes, self.stream.as_inner())
        })
    }

    pub(super) fn write(&self, at: *mut u8, data: &[u8]) -> Result<(), EngineError> {
        if data.is_empty() {
            return Ok(());
        }
        self.enter()?;
        // SAFETY: live device memory of at least this size. Pageable host memory is read before the call returns; for
        // other memory the stream is waited for below.
        let entered = raw("an upload", unsafe {
            cu::cuMemcpyHtoDAsync_v2(
                at as u64,
                data.as_ptr().cast(),
                data.len(),
                self.stream.as_inner(),
            )
        });
        if is_known_to_driver(data.as_ptr()) || is_known_to_driver(&raw const data[data.len() - 1])
        {
            // The copy engine reads it after the call: the caller may change or free it as soon as this returns.
            driver("waiting", self.stream.synchronize())?;
        }
        entered
    }

    /// Copies from several places, and waits once; tells of faults of kernels before.
    pub(super) fn read(&self, parts: &mut [(*mut u8, &mut [u8])]) -> Result<(), EngineError> {
        self.enter()?;
        let mut landing = self.landing.lock().unwrap_or_else(PoisonError::into_inner);
        let entered = self.enter_downloads(parts, &mut landing);
        // Also after an error: copies that were entered before it write to the caller's memory.
        driver("waiting", self.stream.synchronize())?;
        entered?;
        let mut at = 0;
        for (_, out) in parts {
            let end = at + out.len();
            if end <= LANDING_BYTES {
                out.copy_from_slice(&landing[at..end]);
                at = end;
            }
        }
        self.faults()
    }

    /// Starts the copies of [`Cuda::read`], each to the landing while there is room in it.
    fn enter_downloads(
        &self,
        parts: &mut [(*mut u8, &mut [u8])],
        landing: &mut [u8],
    ) -> Result<(), EngineError> {
        if self.land(parts)? {
            return Ok(());
        }
        let mut at = 0;
        for (from, out) in parts.iter_mut() {
            let end = at + out.len();
            if end <= LANDING_BYTES {
                self.download(*from, &mut landing[at..end])?;
                at = end;
            } else {
                self.download(*from, out)?;
            }
        }
        Ok(())
    }

    /// Has kernels copy all parts to the landing, which the caller has locked, if they are few whole words.
    fn land(&self, parts: &[(*mut u8, &mut [u8])]) -> Result<bool, EngineError> {
        let whole = |n: usize| n.is_multiple_of(size_of::<u32>());
        let bytes: usize = parts.iter().map(|(_, out)| out.len()).sum();
        if bytes > LANDED_BY_KERNEL
            || !parts
                .iter()
                .all(|(from, out)| whole(*from as usize) && whole(out.len()))
        {
            return Ok(false);
        }
        let mut to = self.landed;
        for two in parts.chunks(2) {
            let words = |i: usize| match two.get(i) {
                // SAFETY: live device memory of at least this size, aligned as was asked above, which kernels that
                // write it have left before this one runs.
                Some((from, out)) => unsafe {
                    Global::new(from.cast::<u32>(), (out.len() / size_of::<u32>()) as u32)
                },
                None => GlobalMut::empty().read(),
            };
            let (first, second) = (words(0), words(1));
            let n = first.len() + second.len();
            if n > 0 {
                // SAFETY: page-locked memory, behind what is copied already and as long as is left (contract U4).
                let to = unsafe { GlobalMut::new(to as *mut u32, n) };
                self.run_flat(n, Land { first, second, to })?;
            }
            to += u64::from(n) * size_of::<u32>() as u64;
        }
        Ok(true)
    }

    /// What kernels have raised, if anything, of which nothing is left. Who asks holds the landing's lock.
    fn faults(&self) -> Result<(), EngineError> {
        // SAFETY: a word of page-locked memory that lives as long as the engine; the GPU may write it meanwhile.
        let word = |i: usize| unsafe { self.faults.as_ptr().add(i).read_volatile() };
        if word(1) == 0 {
            return Ok(());
        }
        // Another thread's kernel may be writing the details still.
        driver("waiting", self.stream.synchronize())?;
        let faults = std::array::from_fn(word);
        for i in 0..FAULT_WORDS {
            // SAFETY: as above; kernels write atomically.
            unsafe { self.faults.as_ptr().cast_mut().add(i).write_volatile(0) };
        }
        fault_error(faults)
    }

    /// Starts a copy to the host. The stream is to be waited for before `out` is looked at or freed.
    fn download(&self, at: *mut u8, out: &mut [u8]) -> Result<(), EngineError> {
        if out.is_empty() {
            return Ok(());
        }
        // SAFETY: live device memory of at least this size; the caller, `read`, waits for the stream before `out` is
        // used.
        raw("a download", unsafe {
            cu::cuMemcpyDtoHAsync_v2(
                out.as_mut_ptr().cast(),
                at as u64,
                out.len(),
                self.stream.as_inner(),
            )
        })
    }

    pub(super) fn copy(&self, to: *mut u8, from: *mut u8, bytes: usize) -> Result<(), EngineError> {
        self.enter()?;
        // SAFETY: two live allocations of at least this size.
        raw("a copy", unsafe {
            cu::cuMemcpyDtoDAsync_v2(to as u64, from as u64, bytes, self.stream.as_inner())
        })
    }

    /// Refuses what is not so many bytes of one piece of this GPU's memory.
    pub(super) fn has_foreign(&self, address: u64, bytes: usize) -> Result<(), EngineError> {
        use cu::CUpointer_attribute_enum as Attribute;
        self.enter()?;
        let wrong = |why| Err(EngineError::Foreign { address, why });
        let attribute = |attribute| pointer_attribute(address, attribute);
        // The first two are of 32 bits, of which the other half stays zero.
        match attribute(Attribute::CU_POINTER_ATTRIBUTE_MEMORY_TYPE) {
            Some(kind) if kind == cu::CUmemorytype::CU_MEMORYTYPE_DEVICE as u64 => {}
            _ => return wrong("does not lie in the memory of a GPU"),
        }
        let ordinal = attribute(Attribute::CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL);
        if ordinal != Some(u64::from(self.ordinal)) {
            return wrong("lies in the memory of another GPU");
        }
        let start = attribute(Attribute::CU_POINTER_ATTRIBUTE_RANGE_START_ADDR);
        let size = attribute(Attribute::CU_POINTER_ATTRIBUTE_RANGE_SIZE);
        match (start, size) {
            (Some(start), Some(size)) if address + bytes as u64 <= start.saturating_add(size) => {
                Ok(())
            }
            _ => wrong("is longer than the piece of memory that it lies in"),
        }
    }

    /// Copies between this engine's memory and somebody else's, after all that was entered so far in this engine's
    /// stream and in theirs, and before all that is entered in either later.
    pub(super) fn copy_on(
        &self,
        stream: u64,
        to: u64,
        from: u64,
        bytes: usize,
    ) -> Result<(), EngineError> {
        self.enter()?;
        let theirs = stream as cu::CUstream;
        let mark = Mark::new()?;
        // SAFETY: the caller of the public function vouches for the stream and the array, which `has_foreign` has
        // looked at; ours is live and as long. An event lives on in the driver as long as a stream waits for it.
        unsafe {
            raw("an event", cu::cuEventRecord(mark.0, theirs))?;
            raw(
                "waiting for another stream",
                cu::cuStreamWaitEvent(self.stream.as_inner(), mark.0, 0),
            )?;
            raw(
                "a copy",
                cu::cuMemcpyDtoDAsync_v2(to, from, bytes, self.stream.as_inner()),
            )?;
            raw(
                "an event",
                cu::cuEventRecord(mark.0, self.stream.as_inner()),
            )?;
            raw(
                "another stream's waiting",
                cu::cuStreamWaitEvent(theirs, mark.0, 0),
            )
        }
    }

    pub(super) fn time(
        &self,
        work: impl FnOnce() -> Result<(), EngineError>,
    ) -> Result<f64, EngineError> {
        self.enter()?;
        let start = driver("an event", Event::new(EventFlags::DEFAULT))?;
        let end = driver("an event", Event::new(EventFlags::DEFAULT))?;
        driver("an event", start.record(&self.stream))?;
        work()?;
        driver("an event", end.record(&self.stream))?;
        driver("waiting", end.synchronize())?;
        Ok(f64::from(driver(
            "an event's time",
            end.elapsed_time_f32(&start),
        )?))
    }

    pub(super) fn fault(&self) -> Fault {
        // SAFETY: allocated and zeroed in `new`, lives as long as the engine.
        unsafe { fault_over(self.fault as *mut u32) }
    }

    pub(super) fn take_fault(&self) -> Result<(), EngineError> {
        self.read(&mut [])
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        // A kernel may still raise a fault, whose words are given back next. A failure leaves nothing to do.
        let _ = self.enter().map(|()| self.stream.synchronize());
        if self.arrived != 0 {
            self.free(self.arrived as *mut u8);
        }
        if let Some(Pool(pool)) = self.pool.take() {
            // SAFETY: made in `new`; the driver keeps it until the last free on the stream is done.
            unsafe { cu::cuMemPoolDestroy(pool) };
        }
    }
}

/// Where kernels see page-locked memory, as long as that lives.
fn seen_by_kernels<T: cust::memory::DeviceCopy>(
    memory: &mut LockedBuffer<T>,
) -> Result<u64, EngineError> {
    let mut at = 0;
    // SAFETY: the driver writes the address; the memory is page-locked.
    raw("page-locked memory", unsafe {
        cu::cuMemHostGetDevicePointer_v2(&mut at, memory.as_mut_ptr().cast(), 0)
    })?;
    Ok(at)
}

/// `true` if the driver began no block of a cooperative launch, because not all of them run at a time: it may give a
/// process fewer multiprocessors than the device has (MPS, green contexts), which the occupancy does not tell.
fn is_too_large_a_grid(code: cu::CUresult) -> bool {
    code == cu::cudaError_enum::CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
}

/// Where the arguments of a launch are.
fn arguments<A>(args: &A) -> *mut c_void {
    (args as *const A).cast_mut().cast()
}

/// An attribute of an address, in 64 bits; zero or `None` where the driver does not know the memory. The call for
/// several attributes is used for one: unlike the call for one it is no fault there to ask about unknown memory.
fn pointer_attribute(address: u64, attribute: cu::CUpointer_attribute) -> Option<u64> {
    let (mut attribute, mut value) = (attribute, 0u64);
    let mut values = [(&raw mut value).cast::<c_void>()];
    // SAFETY: the driver looks the address up, and writes no more than the eight bytes of a pointer or a size.
    let code =
        unsafe { cu::cuPointerGetAttributes(1, &raw mut attribute, values.as_mut_ptr(), address) };
    (code == cu::cudaError_enum::CUDA_SUCCESS).then_some(value)
}

/// `true` if an address lies in memory that the driver knows: page-locked or managed. It knows no pageable memory.
fn is_known_to_driver(at: *const u8) -> bool {
    let attribute = cu::CUpointer_attribute_enum::CU_POINTER_ATTRIBUTE_MEMORY_TYPE;
    pointer_attribute(at as u64, attribute).is_some_and(|kind| kind != 0)
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

/// The version of CUDA that the driver has, in thousands and tens: 12080 is 12.8.
fn driver_version() -> Result<i32, EngineError> {
    let mut version = 0;
    // SAFETY: the driver writes the number.
    raw("the driver's version", unsafe {
        cu::cuDriverGetVersion(&mut version)
    })?;
    Ok(version)
}

/// The most dynamic shared memory that a block can ask for.
fn shared_limit(device: Device) -> Result<u32, EngineError> {
    number(
        device,
        cu::CUdevice_attribute_enum::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN,
    )
}

/// The most that two blocks of a multiprocessor can have each: half of what there is, but for what the system takes of
/// a block's.
fn shared_of_two(device: Device) -> Result<u32, EngineError> {
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

/// A size or another number that is not among cust's.
fn number(device: Device, attribute: cu::CUdevice_attribute) -> Result<u32, EngineError> {
    let mut value = 0;
    // SAFETY: the driver writes the value.
    raw("an attribute of the device", unsafe {
        cu::cuDeviceGetAttribute(&mut value, attribute, device.as_raw())
    })?;
    Ok(value as u32)
}

/// A memory pool of the engine's own: the process's default one is left as others want it.
struct Pool(cu::CUmemoryPool);

impl Pool {
    /// A pool that keeps what is given back; nothing when the device has no pools.
    fn new(device: Device) -> Option<Pool> {
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
}

/// The collectives want whole warps.
const fn whole_warps(threads: u32) -> u32 {
    threads.next_multiple_of(32)
}
