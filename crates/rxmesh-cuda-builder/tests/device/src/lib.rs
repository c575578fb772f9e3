//! Kernels for the tests of rxmesh-cuda-builder: each shows one property of the generated PTX.
#![no_std]
#![feature(abi_ptx)]
#![allow(clippy::missing_safety_doc)]

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use cuda_std::{atomic, intrinsics, mem, shared, thread, warp};

/// y = a x + y: pointers in parameters are global, products and sums contract to fma.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn saxpy(n: u32, a: f32, x: *const f32, y: *mut f32) {
    let mut i = thread::index_1d();
    while i < n {
        // SAFETY: the launch gives arrays of n values.
        unsafe { *y.add(i as usize) = a * *x.add(i as usize) + *y.add(i as usize) };
        i += thread::grid_size_1d();
    }
}

/// Reverses the values of each block through shared memory.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn reverse(x: *mut u32) {
    let (t, n) = (thread::thread_idx_x(), thread::block_dim_x());
    let s = shared::dynamic_shared_mem::<u32>();
    // SAFETY: the launch gives arrays of one value per thread, and as much shared memory per block.
    unsafe {
        let x = x.add((thread::block_idx_x() * n) as usize);
        *s.add(t as usize) = *x.add(t as usize);
        thread::sync_threads();
        *x.add(t as usize) = *s.add((n - 1 - t) as usize);
    }
}

/// Table of pointers: a pointer that is read from memory is generic until it is assumed to be global.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct PointerTable {
    values: *const u32,
    sums: *mut f32,
    doubles: *mut f64,
    n: u32,
}

/// Uses everything that has an address space: atomics, wide accesses, pointers from memory.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn spaces(tables: *const PointerTable) {
    // SAFETY: the test does not run this kernel.
    unsafe {
        let t = *tables.add(thread::block_idx_x() as usize);
        let values = mem::assume_global(t.values);
        let s = shared::dynamic_shared_mem::<u32>();
        let i = thread::thread_idx_x() as usize;
        let v = mem::ld_global_v4_u32(values.add(4 * i));
        mem::st_shared_v4_u32(s.add(4 * i), v);
        thread::sync_threads();
        (*s.cast::<AtomicU32>().add(v[0] as usize)).fetch_add(1, Relaxed);
        let count = (*s.cast::<AtomicU32>().add(v[1] as usize)).fetch_max(v[2], Relaxed);
        let cas = &*mem::assume_global(tables.cast::<AtomicU32>());
        let _ = cas.compare_exchange(0, count, Relaxed, Relaxed);
        atomic::add_f32_shared(s.cast::<f32>().add(i), 1.0);
        atomic::add_f32_global(t.sums, 2.0);
        atomic::add_f64_global(t.doubles, 3.0);
        thread::sync_threads();
        let w = mem::ld_shared_v4_f32(s.cast::<f32>().add(4 * i));
        let u = mem::ldg_v4_f32(values.cast::<f32>());
        mem::st_global_v4_f32(t.sums, [w[0] + u[0], w[1] * u[1], w[2] - u[2], w[3] + u[3]]);
    }
}

/// Uses each function of `intrinsics`.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn maths(x: *mut f32, d: *mut f64) {
    use intrinsics as m;
    // SAFETY: the test does not run this kernel.
    unsafe {
        let v = *x;
        let functions = [
            m::sqrt_rn(v),
            m::sqrt_approx(v),
            m::rsqrt_approx(v),
            m::rcp_rn(v),
            m::rcp_approx(v),
            m::sin_approx(v),
            m::cos_approx(v),
            m::ex2_approx(v),
            m::lg2_approx(v),
            m::fma_rn(v, v, 3.0),
        ];
        for (i, f) in functions.into_iter().enumerate() {
            *x.add(i) = f;
        }
        *d = m::fma_rn_f64(m::sqrt_rn_f64(*d), *d, 2.0);
    }
}

/// Uses each function of `warp`, fences and sleep.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn warps(x: *mut u32, y: *mut f64) {
    // SAFETY: the test does not run this kernel.
    unsafe {
        let all = warp::FULL_MASK;
        let v = *x.add(warp::lane_id() as usize);
        let (a, same) = warp::warp_shuffle_up(all, v, 1, 16);
        let (b, _) = warp::warp_shuffle_down(all, a, 2, 32);
        let (c, _) = warp::warp_shuffle_xor(all, b, 4, 32);
        let (d, _) = warp::warp_shuffle_idx(all, c, 7, 32);
        let (e, _) = warp::warp_shuffle_xor(all, *y, 8, 32);
        *y = e;
        let votes =
            u32::from(warp::warp_vote_all(all, same)) + u32::from(warp::warp_vote_any(all, d > 3));
        let ballot = warp::warp_vote_ballot(all, d > 9) & warp::lanemask_lt();
        let matches = warp::warp_match_any(all, d) ^ warp::warp_match_any(all, u64::from(d) << 9);
        warp::sync_warp(all);
        thread::block_fence();
        thread::nanosleep(100);
        *x = votes
            + ballot.count_ones()
            + matches
            + warp::activemask()
            + shared::dynamic_shared_size();
        thread::device_fence();
        thread::system_fence();
        if *x == 77 {
            intrinsics::trap();
        }
    }
}

/// Block that runs a generic kernel body, as in rxmesh-kernels.
pub trait Block: Copy {
    /// Returns the index of this thread in the block.
    fn rank(self) -> u32;
    /// Returns the number of threads of the block.
    fn size(self) -> u32;
    /// Waits for all threads of the block.
    fn sync(self);
    /// Runs a phase: `f` for each i below n, then a barrier.
    #[inline(always)]
    fn each(self, n: u32, mut f: impl FnMut(u32)) {
        let mut i = self.rank();
        while i < n {
            f(i);
            i += self.size();
        }
        self.sync();
    }
    /// Runs a phase of one thread.
    #[inline(always)]
    fn lead(self, f: impl FnOnce()) {
        if self.rank() == 0 {
            f();
        }
        self.sync();
    }
}

/// Thread block.
#[derive(Clone, Copy)]
pub struct Cuda;

impl Block for Cuda {
    #[inline(always)]
    fn rank(self) -> u32 {
        thread::thread_idx_x()
    }
    #[inline(always)]
    fn size(self) -> u32 {
        thread::block_dim_x()
    }
    #[inline(always)]
    fn sync(self) {
        thread::sync_threads();
    }
}

#[inline(always)]
unsafe fn exclusive_scan<B: Block>(b: B, data: *mut u32, n: u32, parts: *mut u32) {
    let chunk = n.div_ceil(b.size());
    let range = |c: u32| (c * chunk).min(n)..((c + 1) * chunk).min(n);
    // SAFETY: the launch gives n values and one part per thread; each phase writes only the values of its index.
    unsafe {
        b.each(b.size(), |c| {
            *parts.add(c as usize) = range(c).map(|i| *data.add(i as usize)).sum()
        });
        b.lead(|| {
            let mut sum = 0;
            for c in 0..b.size() {
                sum += core::mem::replace(&mut *parts.add(c as usize), sum);
            }
        });
        b.each(b.size(), |c| {
            let mut sum = *parts.add(c as usize);
            for i in range(c) {
                sum += core::mem::replace(&mut *data.add(i as usize), sum);
            }
        });
    }
}

/// Computes an exclusive scan in shared memory: five phases, five barriers, no calls.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn scan(x: *mut u32, n: u32) {
    let s = shared::dynamic_shared_mem::<u32>();
    // SAFETY: the launch gives n values, and shared memory for them and one value per thread.
    unsafe {
        Cuda.each(n, |i| *s.add(i as usize) = *x.add(i as usize));
        exclusive_scan(Cuda, s, n, s.add(n as usize));
        Cuda.each(n, |i| *x.add(i as usize) = *s.add(i as usize));
    }
}

/// Runs two sections of one thread around two barriers. rustc 1.95 and 1.96 generate three barriers where MIR
/// JumpThreading is on: the lead thread then waits at another one than the rest of the block.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn leads(x: *mut u32, n: usize) {
    let lead = Cuda.rank() == 0;
    // SAFETY: the launch gives n values.
    let work = |x: *mut u32| {
        let values = unsafe { core::slice::from_raw_parts_mut(x, n) };
        if let Some(last) = values.iter().rposition(|v| *v != 0) {
            values.swap(0, last);
        }
    };
    if lead {
        work(x);
    }
    thread::sync_threads();
    if lead {
        work(x);
    }
    thread::sync_threads();
    work(x);
}

/// Panics in `core` code, which becomes traps: no call, no message in local memory.
#[unsafe(no_mangle)]
pub unsafe extern "ptx-kernel" fn checked(x: *mut u32, n: usize, i: usize) {
    // SAFETY: the launch gives n values.
    let values = unsafe { core::slice::from_raw_parts_mut(x, n) };
    assert_eq!(values[i], 7, "value {i} of {n}");
    values[0] = values[i + 1] / values[i + 2];
}
