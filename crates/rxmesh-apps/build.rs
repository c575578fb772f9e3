//! Lets the linker fold functions of the same code into one, if it can: many kernels differ in types alone.

use std::env::{var, var_os};
use std::ffi::OsString;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

const FOLD: &str = "-Wl,--icf=all";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    if var("PROFILE").is_ok_and(|profile| profile == "release") && can_fold().unwrap_or(false) {
        println!("cargo::rustc-link-arg-bins={FOLD}");
    }
}

/// Returns `true` if the linker of this build takes the flag: lld, mold and gold do, GNU ld does not.
fn can_fold() -> Option<bool> {
    let out = PathBuf::from(var_os("OUT_DIR")?).join("fold");
    let mut rustc = Command::new(var_os("RUSTC")?);
    rustc
        .args(["-", "--crate-name=fold", "--crate-type=bin", "--target"])
        .arg(var_os("TARGET")?)
        .arg(format!("-Clink-arg={FOLD}"))
        .arg("-o")
        .arg(out);
    if let Some(linker) = var_os("RUSTC_LINKER") {
        let mut flag = OsString::from("-Clinker=");
        flag.push(linker);
        rustc.arg(flag);
    }
    let flags = var("CARGO_ENCODED_RUSTFLAGS").unwrap_or_default();
    rustc.args(flags.split('\u{1f}').filter(|flag| !flag.is_empty()));
    let quiet = rustc.stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = quiet.stdin(Stdio::piped()).spawn().ok()?;
    child.stdin.take()?.write_all(b"fn main() {}").ok()?;
    Some(child.wait().ok()?.success())
}
