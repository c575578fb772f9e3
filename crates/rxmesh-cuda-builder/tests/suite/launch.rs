//! Runs the kernels of the device crate on a GPU, through the driver loader and `cust`. Without a GPU the test reports
//! that and passes; with `RXMESH_REQUIRE_CUDA=1` it fails.
//!
//! `RXMESH_TEST_PTX` names a PTX file that was built elsewhere, for GPU machines without a device toolchain.

use std::error::Error;
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;

use cust::launch;
use cust::memory::{CopyDestination, DeviceBuffer};
use cust::module::Module;
use cust::stream::{Stream, StreamFlags};

const BLOCK: u32 = 128;

/// Ends the program unless the returned sender is dropped in time: a kernel that hangs cannot be stopped from inside.
#[must_use]
fn time_limit() -> Sender<()> {
    let (done, wait) = mpsc::channel();
    std::thread::spawn(move || {
        if wait.recv_timeout(Duration::from_secs(120)) == Err(RecvTimeoutError::Timeout) {
            eprintln!("the kernels did not end within two minutes");
            std::process::exit(124);
        }
    });
    done
}

/// Reports that there is no GPU, or fails where there must be one.
fn no_gpu(why: &str) {
    let required = std::env::var("RXMESH_REQUIRE_CUDA").as_deref() == Ok("1");
    assert!(!required, "a GPU is required here: {why}");
    eprintln!("SKIPPED: {why}");
}

#[test]
fn kernels_compute_what_they_should_on_cuda() -> Result<(), Box<dyn Error>> {
    if let Err(error) = rxmesh_cuda_driver::load() {
        no_gpu(&format!("no CUDA driver: {error}"));
        return Ok(());
    }
    let text = match std::env::var_os("RXMESH_TEST_PTX") {
        Some(path) => std::fs::read_to_string(path)?,
        None => match crate::common::built() {
            Some(built) => built.text.clone(),
            None => {
                no_gpu("no PTX: neither a device toolchain nor RXMESH_TEST_PTX");
                return Ok(());
            }
        },
    };
    let _limit = time_limit();
    let _context = cust::quick_init()?;
    let module = Module::from_ptx(text, &[])?;
    let stream = Stream::new(StreamFlags::NON_BLOCKING, None)?;
    saxpy(&module, &stream)?;
    reverse(&module, &stream)?;
    scan(&module, &stream)?;
    leads(&module, &stream)
}

fn saxpy(module: &Module, stream: &Stream) -> Result<(), Box<dyn Error>> {
    let n = 100_003_u32;
    let x: Vec<f32> = (0..n).map(|i| i as f32).collect();
    let (dx, dy) = (DeviceBuffer::from_slice(&x)?, DeviceBuffer::from_slice(&x)?);
    // SAFETY: the arguments are those of `saxpy`, and both arrays have n values.
    unsafe {
        launch!(module.saxpy<<<64, BLOCK, 0, stream>>>(n, 2.0_f32, dx.as_device_ptr(), dy.as_device_ptr()))?;
    }
    stream.synchronize()?;
    let mut y = vec![0.0; x.len()];
    dy.copy_to(&mut y)?;
    assert!(y.iter().zip(&x).all(|(y, x)| *y == 3.0 * x));
    Ok(())
}

fn reverse(module: &Module, stream: &Stream) -> Result<(), Box<dyn Error>> {
    let x: Vec<u32> = (0..10 * BLOCK).collect();
    let dx = DeviceBuffer::from_slice(&x)?;
    // SAFETY: the argument is that of `reverse`, with one value per thread, in memory and in shared memory.
    unsafe {
        launch!(module.reverse<<<10, BLOCK, 4 * BLOCK, stream>>>(dx.as_device_ptr()))?;
    }
    stream.synchronize()?;
    let mut y = vec![0; x.len()];
    dx.copy_to(&mut y)?;
    let expected: Vec<u32> = x
        .chunks(BLOCK as usize)
        .flat_map(|c| c.iter().rev().copied())
        .collect();
    assert_eq!(y, expected);
    Ok(())
}

/// Tests sizes at which a copied barrier would show: fewer and more values than threads, and more than a warp.
fn scan(module: &Module, stream: &Stream) -> Result<(), Box<dyn Error>> {
    for n in [1_u32, 31, 127, 128, 129, 1000, 10_000] {
        let x: Vec<u32> = (0..n).map(|i| i % 7 + 1).collect();
        let dx = DeviceBuffer::from_slice(&x)?;
        // SAFETY: the arguments are those of `scan`, with shared memory for the values and one more per thread; less
        // than 48 KiB.
        unsafe {
            launch!(module.scan<<<1, BLOCK, 4 * (n + BLOCK), stream>>>(dx.as_device_ptr(), n))?;
        }
        stream.synchronize()?;
        let mut y = vec![0; x.len()];
        dx.copy_to(&mut y)?;
        let before = |sum: &mut u32, v: &u32| {
            let result = *sum;
            *sum += v;
            Some(result)
        };
        let expected: Vec<u32> = x.iter().scan(0, before).collect();
        assert_eq!(y, expected, "{n} values");
    }
    Ok(())
}

/// Tests only that the kernel ends: its result depends on the order of the threads.
fn leads(module: &Module, stream: &Stream) -> Result<(), Box<dyn Error>> {
    let dx = DeviceBuffer::from_slice(&[0_u32, 0, 0, 0])?;
    // SAFETY: the arguments are those of `leads`. All values are zero, so that its last phase writes nothing.
    unsafe {
        launch!(module.leads<<<4, BLOCK, 0, stream>>>(dx.as_device_ptr(), 4_usize))?;
    }
    stream.synchronize()?;
    Ok(())
}
