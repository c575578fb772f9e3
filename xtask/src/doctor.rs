//! `cargo xtask doctor`: reports installed and missing tools.

use std::process::Command;

use cuda_builder::Toolchain;
use cust::device::{Device, DeviceAttribute};

use crate::{ptx, workspace};

pub(crate) fn run() {
    report(
        "host compiler",
        version("rustc").ok_or("rustc does not run; see https://rustup.rs"),
    );
    report(
        "device compiler",
        Toolchain::find()
            .map(|t| format!("rustc {}, {}, {}", t.version, t.rustc.display(), t.origin)),
    );
    report(
        "ptxas",
        ptx::find_ptxas()
            .map(|p| format!("{}, {}", p.version(), p.path().display()))
            .map_err(|e| format!("{e}\nor run `cargo xtask install-ptxas`")),
    );
    report(
        "CUDA driver",
        rxmesh_cuda_driver::load().map(|()| "libcuda.so.1".to_owned()),
    );
    if rxmesh_cuda_driver::is_loaded() {
        match devices() {
            Ok(devices) if devices.is_empty() => {
                report("GPU", Err::<String, _>("the driver finds none"))
            }
            Ok(devices) => devices
                .into_iter()
                .for_each(|d| report("GPU", Ok::<_, String>(d))),
            Err(e) => report("GPU", Err::<String, _>(e)),
        }
    }
    for module in &ptx::MODULES {
        report(
            "kernels",
            if workspace::at(module.file).is_file() {
                Ok(module.file.to_owned())
            } else {
                Err(format!(
                    "{} is not built; run `cargo xtask ptx`",
                    module.file
                ))
            },
        );
    }
    println!(
        "\nUsing the library takes the host compiler; its GPU engine also the driver and a GPU."
    );
    println!("Changing kernels takes the device compiler, and ptxas to check the result.");
}

fn report<E: ToString>(what: &str, found: Result<String, E>) {
    match found {
        Ok(text) => println!("{what:<16} {text}"),
        Err(error) => {
            let text = error.to_string();
            let mut lines = text.lines();
            println!("{what:<16} MISSING: {}", lines.next().unwrap_or_default());
            lines.for_each(|line| println!("{:<16} {line}", ""));
        }
    }
}

/// Returns `true` if there is a GPU that kernels can run on.
pub(crate) fn has_gpu() -> bool {
    rxmesh_cuda_driver::load().is_ok() && devices().is_ok_and(|all| !all.is_empty())
}

fn version(program: &str) -> Option<String> {
    let out = Command::new(program).arg("--version").output().ok()?;
    out.status
        .success()
        .then(|| String::from_utf8_lossy(&out.stdout).trim().to_owned())
}

fn devices() -> Result<Vec<String>, cust::error::CudaError> {
    cust::init(cust::CudaFlags::empty())?;
    Device::devices()?
        .map(|device| {
            let device = device?;
            let attribute = |a| device.get_attribute(a);
            Ok(format!(
                "{}, sm_{}{}, {} multiprocessors, {} MiB",
                device.name()?,
                attribute(DeviceAttribute::ComputeCapabilityMajor)?,
                attribute(DeviceAttribute::ComputeCapabilityMinor)?,
                attribute(DeviceAttribute::MultiprocessorCount)?,
                device.total_memory()? >> 20,
            ))
        })
        .collect()
}
