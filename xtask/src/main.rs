//! Project tasks: `cargo xtask <task>`.

mod bench;
mod checks;
mod ci;
mod docs;
mod doctor;
mod downstream;
mod fuzz;
mod new_kernels;
mod packages;
mod part;
mod ptx;
mod python;
mod sweep;
mod table;
mod watch;
mod workspace;

use std::process::ExitCode;

use bench::MeasureArguments;
use checks::notices::NoticesArguments;
use ci::CiArguments;
use clap::{Parser, Subcommand};
use fuzz::FuzzArguments;
use new_kernels::NewKernelsArguments;
use ptx::PtxArguments;
use sweep::SweepArguments;

/// Project tasks.
#[derive(Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
struct XtaskArguments {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Build the kernels to PTX, or check the PTX that is under version control.
    Ptx(PtxArguments),
    /// Report the installed and the missing tools for device code and GPUs.
    Doctor,
    /// Install NVIDIA's assembler ptxas below the target folder, from the Python package index.
    InstallPtxas,
    /// Measure every engine on generated meshes and write a record; options go to the bench program
    Bench(MeasureArguments),
    /// Write the generated parts of the documents from the program's help.
    Docs,
    /// Check that every path named in the documents exists.
    Paths,
    /// Check that crates depend on each other in one direction.
    Arrows,
    /// Check licences, versions and sources of dependencies, and with cargo-deny their known faults.
    Deny,
    /// Copy the licences into all packages and write the notices of others' code in the program.
    Notices(NoticesArguments),
    /// Check the stated minimal version of Rust.
    Msrv,
    /// Check the lengths of lines, the first words of doc comments, and that at most two types have one name.
    Lines,
    /// Build and run a program outside the repository that uses the library with the GPU as its README describes.
    Downstream,
    /// Make a project with its own kernels, for a program outside the repository
    NewKernels(NewKernelsArguments),
    /// Fuzz readers, edits and the command line, for a given time.
    Fuzz(FuzzArguments),
    /// Run every command on real files and on mutations of them, and judge the results.
    Sweep(SweepArguments),
    /// Run all checks that must pass before a change is merged.
    Ci(CiArguments),
}

fn main() -> ExitCode {
    match run(XtaskArguments::parse().task) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn run(task: Task) -> anyhow::Result<()> {
    match task {
        Task::Ptx(arguments) => ptx::run(&arguments),
        Task::Doctor => {
            doctor::run();
            Ok(())
        }
        Task::InstallPtxas => ptx::install_ptxas(),
        Task::Bench(arguments) => bench::run(&arguments),
        Task::Docs => docs::run(),
        Task::Paths => checks::paths::run(),
        Task::Arrows => checks::arrows::run(),
        Task::Deny => checks::deny::run(),
        Task::Notices(arguments) => checks::notices::run(&arguments),
        Task::Msrv => checks::msrv::run(),
        Task::Lines => checks::lines::run(),
        Task::Downstream => downstream::run(),
        Task::NewKernels(arguments) => new_kernels::run(&arguments),
        Task::Fuzz(arguments) => fuzz::run(&arguments),
        Task::Sweep(arguments) => sweep::run(&arguments),
        Task::Ci(arguments) => ci::run(&arguments),
    }
}
