//! Compresses the kernels' PTX, which as text would be half of every program.

use std::path::{Path, PathBuf};

const PTX: &str = "ptx/rxmesh_subdivision_kernels.ptx";

fn main() {
    println!("cargo::rerun-if-changed={PTX}");
    if std::env::var_os("CARGO_FEATURE_CUDA").is_none() {
        return;
    }
    let text = std::fs::read(PTX).expect("the PTX is under version control");
    let packed = miniz_oxide::deflate::compress_to_vec_zlib(&text, 9);
    let out = PathBuf::from(std::env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let name = Path::new(PTX).file_name().expect("a file").to_owned();
    std::fs::write(out.join(name).with_extension("ptx.z"), packed).expect("OUT_DIR can be written");
}
