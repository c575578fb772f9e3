//! Shared memory of a block.

use core::arch::{asm, global_asm};

use crate::mem::assume_shared_mut;

// The one dynamic shared array of a module; its size is given with each launch. A launch aligns it to at least 16
// bytes.
global_asm!(".extern .shared .align 16 .b8 rxmesh_dynamic_shared[];");

/// Returns the start of the dynamic shared memory of this launch, aligned to 16 bytes.
///
/// Every call returns the same address: the caller divides the memory and must not use more than the launch requested
/// ([`dynamic_shared_size`]). All accesses through the pointer compile to `ld.shared` and `st.shared`.
#[inline(always)]
pub fn dynamic_shared_mem<T>() -> *mut T {
    let p: *mut T;
    // SAFETY: the two instructions compute the generic address of the array declared above. They touch no memory and no
    // stack, and give the same result whenever they run in a block.
    unsafe {
        asm!(
            "{{ .reg .u64 t; mov.u64 t, rxmesh_dynamic_shared; cvta.shared.u64 {p}, t; }}",
            p = out(reg64) p,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    // SAFETY: the address is that of a shared array.
    unsafe { assume_shared_mut(p) }
}

/// Returns the number of bytes of dynamic shared memory of this launch. (Not in rust-cuda.)
#[inline(always)]
pub fn dynamic_shared_size() -> u32 {
    let bytes: u32;
    // SAFETY: reads a special register that does not change during a launch.
    unsafe {
        asm!(
            "mov.u32 {bytes}, %dynamic_smem_size;",
            bytes = out(reg32) bytes,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    bytes
}
