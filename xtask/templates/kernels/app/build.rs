//! Builds the kernels' PTX. Without a compiler for device code the text is empty, and the program runs on the CPU.

use rxmesh_cuda_builder::{CudaBuilder, CudaBuilderError};
use std::path::Path;

fn main() {
    let folder = std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let ptx = Path::new(&folder).join("kernels.ptx");
    println!("cargo::rerun-if-changed=../kernels");
    println!("cargo::rerun-if-changed=../Cargo.lock");
    println!("cargo::rerun-if-env-changed=RXMESH_DEVICE_RUSTC");
    std::fs::write(&ptx, "").expect("OUT_DIR can be written");
    if std::env::var_os("CARGO_FEATURE_CUDA").is_none() {
        return;
    }
    match CudaBuilder::new("../kernels").copy_to(&ptx).build() {
        Ok(_) => {}
        Err(CudaBuilderError::Toolchain(why)) => {
            for line in format!("the kernels are built for the CPU only: {why}").lines() {
                println!("cargo::warning={line}");
            }
        }
        Err(why) => panic!("{why}"),
    }
}
