//! x86-64 Linux: the trampolines, their table, and the code that fills it.

use core::ffi::{c_char, c_void};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::symbols::for_each_symbol;
use crate::{DriverError, NO_DEVICE, NOT_SUPPORTED};

const LIBRARY: &str = "libcuda.so.1";

/// Symbols that are always needed; all drivers since CUDA 4 have them.
const REQUIRED: [&str; 3] = ["cuInit", "cuDeviceGetCount", "cuCtxGetCurrent"];

static LIB: OnceLock<Result<libloading::Library, DriverError>> = OnceLock::new();

pub(crate) fn load() -> Result<(), DriverError> {
    LIB.get_or_init(open)
        .as_ref()
        .map(drop)
        .map_err(Clone::clone)
}

pub(crate) fn is_loaded() -> bool {
    matches!(LIB.get(), Some(Ok(_)))
}

fn open() -> Result<libloading::Library, DriverError> {
    // SAFETY: opening a library runs its initialisers. Those of the driver may run in any process and at any time, as
    // they do in every program that is linked against the driver.
    let lib =
        unsafe { libloading::Library::new(LIBRARY) }.map_err(|e| DriverError::LibraryNotFound {
            library: LIBRARY,
            reason: e.to_string(),
        })?;
    let find = |name: &str| -> Option<*mut c_void> {
        // SAFETY: the symbol is read as an address only; its type comes from the declaration that the caller of the
        // trampoline uses, which is NVIDIA's own header for this name (version suffix included). The address stays
        // valid as `lib` is never closed.
        unsafe { lib.get::<*mut c_void>(name.as_bytes()) }
            .ok()
            .map(|s| *s)
            .filter(|p| !p.is_null())
    };
    for symbol in REQUIRED {
        if find(symbol).is_none() {
            return Err(DriverError::MissingSymbol {
                library: LIBRARY,
                symbol,
            });
        }
    }
    for (slot, name) in TABLE.iter().zip(NAMES) {
        // Relaxed suffices: a slot holds one address, which is valid on its own, and the code behind it is mapped by
        // the system.
        slot.store(
            find(name).unwrap_or(not_supported as *mut c_void),
            Ordering::Relaxed,
        );
    }
    Ok(lib)
}

extern "C" fn no_device() -> i32 {
    NO_DEVICE
}

extern "C" fn not_supported() -> i32 {
    NOT_SUPPORTED
}

/// Replaces `cuInit` until the driver is loaded: loads it, then calls the driver's `cuInit`.
extern "C" fn init_first(flags: u32) -> i32 {
    if load().is_err() {
        return NO_DEVICE;
    }
    let address = TABLE[Slot::cuInit as usize].load(Ordering::Relaxed);
    // SAFETY: `load` succeeded, so the slot holds the driver's `cuInit` (it is one of `REQUIRED`), whose C type is
    // `CUresult cuInit(unsigned int)`.
    let init: extern "C" fn(u32) -> i32 = unsafe { core::mem::transmute(address) };
    init(flags)
}

/// Replaces `cuGetErrorString` and `cuGetErrorName` without a driver. Succeeds, as `cust`'s errors cannot be printed
/// otherwise.
extern "C" fn describe(_error: u32, text: *mut *const c_char) -> i32 {
    if !text.is_null() {
        // SAFETY: the C signature of both functions says that `text` points to a writable `const char *`; null was
        // excluded.
        unsafe { text.write(c"no CUDA driver on this machine".as_ptr()) };
    }
    0
}

/// Returns the content of a slot before the driver is loaded.
const fn unloaded(name: &str) -> *mut c_void {
    match name.as_bytes() {
        b"cuInit" => init_first as *mut c_void,
        b"cuGetErrorString" | b"cuGetErrorName" => describe as *mut c_void,
        _ => no_device as *mut c_void,
    }
}

macro_rules! trampolines {
    ($($name:ident,)*) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms, dead_code)]
        #[derive(Clone, Copy)]
        #[repr(usize)]
        enum Slot { $($name,)* }

        const NAMES: [&str; COUNT] = [$(stringify!($name),)*];
        const COUNT: usize = [$(Slot::$name,)*].len();

        /// Addresses of the functions, by `Slot`.
        static TABLE: [AtomicPtr<c_void>; COUNT] = [$(AtomicPtr::new(unloaded(stringify!($name))),)*];

        $(
            // SAFETY: the symbol has the driver's name on purpose: it replaces the driver's library at link time, and
            // no other library of that name is linked (`-lcuda` finds the empty archive). Where a real one is linked,
            // either definition is right.
            #[allow(missing_docs, unreachable_pub, non_snake_case)]
            #[unsafe(no_mangle)]
            #[unsafe(naked)]
            pub unsafe extern "C" fn $name() {
                // A jump leaves all argument registers and the stack as they are, so one body serves every signature.
                // `jmp` is a plain 8-byte load of an aligned slot, which is how a relaxed atomic load compiles on this
                // processor.
                // Hidden: a library that holds this crate must not take the calls that other libraries of its process
                // make to the driver.
                core::arch::naked_asm!(
                    concat!(".hidden ", stringify!($name)),
                    "jmp qword ptr [rip + {table} + {offset}]",
                    table = sym TABLE,
                    offset = const (Slot::$name as usize * size_of::<AtomicPtr<c_void>>()),
                )
            }
        )*
    };
}

for_each_symbol!(trampolines);
