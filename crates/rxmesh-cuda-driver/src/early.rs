//! Launches that begin before the previous launch on the stream has ended (CUDA's programmatic dependent launch), which
//! cust does not support. The GPU then has the next blocks ready when the last ones finish: a launch that follows
//! another one costs about a microsecond less.
//!
//! A kernel that is launched in this way must itself wait before it touches any memory; `rxmesh_ptx::overlapping`
//! adds the wait.

use std::ffi::c_void;

/// First compute capability that supports such launches.
pub const LEAST_CAPABILITY: (u32, u32) = (9, 0);

/// First version of CUDA whose drivers support them, as `cuDriverGetVersion` counts.
pub const LEAST_DRIVER: i32 = 12000;

/// `CUlaunchAttribute`.
#[repr(C)]
struct LaunchAttribute {
    /// 32 bits, and padding.
    id: u64,
    value: [u32; 16],
}

/// `CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION`.
const PROGRAMMATIC_STREAM_SERIALIZATION: u64 = 6;

/// `CUlaunchConfig`.
#[repr(C)]
struct LaunchConfig {
    grid: [u32; 3],
    block: [u32; 3],
    shared: u32,
    stream: *mut c_void,
    attributes: *mut LaunchAttribute,
    attribute_count: u32,
}

unsafe extern "C" {
    fn cuLaunchKernelEx(
        config: *const LaunchConfig,
        function: *mut c_void,
        parameters: *mut *mut c_void,
        extra: *mut *mut c_void,
    ) -> i32;
}

/// Launches a kernel (`CUfunction`) that may begin before the previous launch on the stream (`CUstream`) has ended;
/// otherwise does as `cuLaunchKernel`, for a one-dimensional grid of one-dimensional blocks. Returns the driver's
/// `CUresult`.
///
/// # Safety
///
/// As `cuLaunchKernel`. The kernel waits for the previous launch before it touches memory, and so does that launch.
pub unsafe fn launch(
    function: *mut c_void,
    blocks: u32,
    threads: u32,
    shared: u32,
    stream: *mut c_void,
    parameters: *mut *mut c_void,
) -> i32 {
    let mut attribute = LaunchAttribute {
        id: PROGRAMMATIC_STREAM_SERIALIZATION,
        value: [0; 16],
    };
    attribute.value[0] = 1;
    let config = LaunchConfig {
        grid: [blocks, 1, 1],
        block: [threads, 1, 1],
        shared,
        stream,
        attributes: &mut attribute,
        attribute_count: 1,
    };
    // SAFETY: the caller's; the driver has read the configuration when the call returns.
    unsafe { cuLaunchKernelEx(&config, function, parameters, std::ptr::null_mut()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_are_the_drivers() {
        assert_eq!(size_of::<LaunchAttribute>(), 72);
        assert_eq!(std::mem::offset_of!(LaunchConfig, stream), 32);
        assert_eq!(size_of::<LaunchConfig>(), 56);
    }
}
