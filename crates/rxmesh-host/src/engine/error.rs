//! Errors of engines.

use rxmesh_kernels::mem::FaultCode;

/// Error of an engine.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineError {
    /// The library was built without the feature `cuda`.
    #[error("this build has no CUDA engine (feature `cuda` is off)")]
    NotBuilt,
    /// There is no CUDA driver.
    #[error("{0}")]
    NoDriver(String),
    /// There is a driver, but no usable GPU.
    #[error("no usable GPU: {0}")]
    NoDevice(String),
    /// The kernels could not be loaded.
    #[error("the GPU kernels could not be loaded: {0}")]
    Ptx(String),
    /// A kernel is in no loaded module.
    #[error("kernel `{0}` is in no loaded PTX module")]
    UnknownKernel(&'static str),
    /// A driver call failed.
    #[error("the CUDA driver refused {what} with error {code}")]
    Driver {
        /// Call that was refused.
        what: &'static str,
        /// The driver's number (CUresult).
        code: u32,
    },
    /// A kernel or a relation needs kinds of element that the mesh does not keep.
    #[error(
        "`{what}` needs {missing} of the mesh, which were not requested when it was cut into patches (kinds and ribbon \
         of `VolumeOptions`)"
    )]
    Needs {
        /// The kernel or the relation.
        what: &'static str,
        /// Kinds of element that are missing.
        missing: String,
    },
    /// Memory ran out.
    #[error("{engine} has no {bytes} bytes of memory left")]
    OutOfMemory {
        /// The engine.
        engine: &'static str,
        /// Requested number of bytes.
        bytes: usize,
    },
    /// The worker threads could not be started.
    #[error("{threads} threads were requested, but: {why}")]
    Threads {
        /// Requested number of threads.
        threads: usize,
        /// Reason that the system gives.
        why: String,
    },
    /// A kernel needs more shared memory than the device has.
    #[error(
        "kernel `{kernel}` needs {needed} bytes of shared memory a block, but the device has {available}; \
         smaller patches need less, and a vertex of very high valence needs more"
    )]
    SharedMemory {
        /// The kernel.
        kernel: &'static str,
        /// Bytes that its largest patch needs.
        needed: u32,
        /// Bytes that a block can have.
        available: u32,
    },
    /// An argument of a kernel is not live memory of this engine.
    #[error(
        "an argument of kernel `{kernel}` is not memory of this engine: was its attribute dropped, or made on another \
            engine?"
    )]
    NotLive {
        /// The kernel.
        kernel: &'static str,
    },
    /// An argument of a kernel is an attribute of another mesh than the one it runs on.
    #[error("an argument of kernel `{kernel}` is an attribute of another mesh")]
    OtherMesh {
        /// The kernel.
        kernel: &'static str,
    },
    /// A kernel writes memory that it also reads or writes through another argument.
    #[error("kernel `{kernel}` writes an attribute that another of its arguments uses too")]
    Aliased {
        /// The kernel.
        kernel: &'static str,
    },
    /// An array of another owner that cannot be used.
    #[error("the array at address {address:#x} {why}")]
    Foreign {
        /// Address of the array.
        address: u64,
        /// Reason.
        why: &'static str,
    },
    /// An argument was cast to values that its address does not suit.
    #[error("an argument of kernel `{kernel}` was cast to values that cannot lie at its address")]
    Misaligned {
        /// The kernel.
        kernel: &'static str,
    },
    /// Another thread is using the memory.
    #[error("another thread is using the same memory at this moment")]
    Busy,
    /// More values than kernels can count.
    #[error(
        "a buffer of {values} values of {bytes} bytes is too long: kernels count values and 32-bit words in 32 bits"
    )]
    TooLong {
        /// Requested number of values.
        values: usize,
        /// Size of a value.
        bytes: usize,
    },
    /// A kernel raised a fault.
    #[error("a kernel raised {}", fault_text(*.code, *.word, *.details))]
    Fault {
        /// The fault, if it is a known one.
        code: Option<FaultCode>,
        /// Its number.
        word: u32,
        /// Two details.
        details: [u32; 2],
    },
    /// Slices or buffers of different lengths.
    #[error("{got} values were given where there are {want}")]
    Length {
        /// Number of values that were given.
        got: usize,
        /// Number of values that were needed.
        want: usize,
    },
}

fn fault_text(code: Option<FaultCode>, word: u32, [a, b]: [u32; 2]) -> String {
    match code {
        Some(FaultCode::SharedMemory) => {
            format!("a shared-memory fault: block {a} carved {b} bytes, more than the launch gave")
        }
        Some(FaultCode::NotOrientable) => format!(
            "an orientation fault: the faces around the vertex with linear id {a} are not one consistently oriented fan"
        ),
        Some(FaultCode::OutputOverflow) => {
            format!("an output fault: the row of linear id {a} needs a capacity of {b}")
        }
        Some(FaultCode::User) => format!("its own fault ({a}, {b})"),
        _ => format!("fault {word} ({a}, {b})"),
    }
}
