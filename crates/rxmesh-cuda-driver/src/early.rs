//! Launches that begin before the previous launch on the stream has ended (CUDA's programmatic dependent launch), which
//! cust does not support. The GPU then has the next blocks ready when the last ones finish: a launch that follows
//! another one costs about a microsecond less.
//!
//! A kernel that is launched in this way must itself wait before it touches any memory; [`overlapping`] adds the wait.

use std::ffi::c_void;

/// First compute capability that supports such launches.
pub const LEAST_CAPABILITY: (u32, u32) = (9, 0);

/// First version of CUDA whose drivers support them, as `cuDriverGetVersion` counts.
pub const LEAST_DRIVER: i32 = 12000;

/// First PTX target and first PTX version that have the instructions.
const LEAST_TARGET: u32 = 90;
const LEAST_PTX: (u32, u32) = (7, 8);

/// Returns the PTX for such GPUs, with entries that wait for the previous launch before anything else; `None` if the
/// text is not in rustc's form. The next launch is admitted when the last block ends, not sooner: its blocks would take
/// the first free slots, several on one multiprocessor, instead of spreading over all of them.
pub fn overlapping(text: &str) -> Option<String> {
    let (mut out, mut heads, mut entries) = (String::with_capacity(text.len() + 256), 0, 0);
    let mut in_head = false;
    for line in text.split_inclusive('\n') {
        if let Some(version) = line.strip_prefix(".version ") {
            let (major, minor) = version.trim().split_once('.')?;
            let (major, minor) = (major.parse().ok()?, minor.parse().ok()?).max(LEAST_PTX);
            out.push_str(&format!(".version {major}.{minor}\n"));
            heads += 1;
        } else if let Some(target) = line.strip_prefix(".target sm_") {
            let target = target.trim_end();
            let digits = target.trim_end_matches(|c: char| !c.is_ascii_digit());
            match digits.parse::<u32>().ok()? {
                n if n >= LEAST_TARGET => out.push_str(line),
                _ if digits == target => out.push_str(&format!(".target sm_{LEAST_TARGET}\n")),
                _ => return None,
            }
            heads += 1;
        } else {
            out.push_str(line);
            in_head |= line.starts_with(".visible .entry ") || line.starts_with(".entry ");
            if in_head && line.trim() == "{" {
                out.push_str("griddepcontrol.wait;\n");
                (in_head, entries) = (false, entries + 1);
            }
        }
    }
    (heads == 2 && entries > 0 && !in_head).then_some(out)
}

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
    fn entries_wait_before_anything_else() {
        let body = ".visible .entry a(\n\t.param .b32 p\n)\n.maxnreg 96\n{\n\t.reg .b32 %r<2>;\n\tret;\n}\n";
        let waits = body.replace("{\n", "{\ngriddepcontrol.wait;\n");
        let head = |version: &str, target: &str| {
            format!(
                ".version {version}\n.target {target}\n.address_size 64\n.func f()\n{{\n\tret;\n}}\n"
            )
        };
        let old = head("6.3", "sm_75");
        let want = head("7.8", "sm_90") + &waits + &waits;
        assert_eq!(overlapping(&(old.clone() + body + body)), Some(want));
        // Newer versions stay; text in another form is left alone.
        let newer = head("8.4", "sm_100a");
        assert_eq!(overlapping(&(newer.clone() + body)), Some(newer + &waits));
        for text in [
            head("6.3", "sm_75, debug") + body,
            old,
            body.to_string(),
            head("6", "sm_75") + body,
            head("6.3", "sm_75") + ".visible .entry a()\n",
        ] {
            assert_eq!(overlapping(&text), None, "{text}");
        }
    }

    #[test]
    fn structures_are_the_drivers() {
        assert_eq!(size_of::<LaunchAttribute>(), 72);
        assert_eq!(std::mem::offset_of!(LaunchConfig, stream), 32);
        assert_eq!(size_of::<LaunchConfig>(), 56);
    }
}
