//! Builds the kernels' PTX. Without a compiler for device code the text is empty, and the program runs on the CPU.

use rxmesh_cuda_builder::{CudaBuilder, CudaBuilderError};
use std::path::Path;

fn main() {
    let ptx = Path::new(&std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"))
        .join("butterfly_kernels.ptx");
    for path in [
        "../kernels",
        "../../../crates/rxmesh-kernels/src",
        "../../../crates/rxmesh-subdivision-kernels/src",
        "../Cargo.lock",
    ] {
        println!("cargo::rerun-if-changed={path}");
    }
    println!("cargo::rerun-if-env-changed=RXMESH_DEVICE_RUSTC");
    if std::env::var_os("CARGO_FEATURE_CUDA").is_none() {
        return write_empty(&ptx);
    }
    match CudaBuilder::new("../kernels").copy_to(&ptx).build() {
        Ok(_) => {}
        Err(CudaBuilderError::Toolchain(why)) => {
            for line in format!("the kernels are built for the CPU only: {why}").lines() {
                println!("cargo::warning={line}");
            }
            write_empty(&ptx);
        }
        Err(why) => panic!("{why}"),
    }
}

fn write_empty(ptx: &Path) {
    std::fs::write(ptx, "").expect("OUT_DIR can be written");
}
