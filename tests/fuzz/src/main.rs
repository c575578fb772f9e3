//! Fuzzes readers, edits and the command line of rxmesh with random input, for a given time.
//!
//! A case depends only on its seed: the same seed is the same case, on every machine. Each must end within a time
//! limit, without a panic, within a memory limit, with a typed error or a valid result. `cargo xtask fuzz` builds and
//! runs this program; it finds the seed of a case that ended the process in the file that is written before each case.

mod cli;
mod edits;
mod files;
mod gltf;
mod grammar;
mod grids;
mod memory;
mod mutate;
mod options;
mod random;
mod readers;
mod statics;
mod volumes;
mod watch;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use clap::{Parser, ValueEnum};

/// Target of fuzzing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    /// Files of every format, and caches of patches.
    Readers,
    /// Volume files of every format.
    Volumes,
    /// Files of grids.
    Grids,
    /// Scripts of operators and algorithms on meshes with every defect.
    Edits,
    /// The program's command line.
    Cli,
}

/// Fuzzes readers, edits and the command line with random input.
#[derive(Parser)]
struct Arguments {
    /// Target to fuzz
    #[arg(value_enum)]
    target: Target,
    /// Seconds to run
    #[arg(long, default_value_t = 20)]
    seconds: u64,
    /// Seed of the first case; the next ones follow
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Cases to run, instead of a time
    #[arg(long)]
    cases: Option<u64>,
    /// Only write the case's input into the folder
    #[arg(long)]
    describe: bool,
    /// Folder for the seed of the running case and for inputs of cases
    #[arg(long)]
    folder: PathBuf,
    /// The program whose command line is fuzzed
    #[arg(long)]
    program: Option<PathBuf>,
    /// The folder with real files to begin with
    #[arg(long)]
    data: PathBuf,
}

/// Success, or a description of the fault.
type Outcome = Result<(), String>;

/// Generator and runner of cases.
trait Fuzz {
    /// Makes and runs the case of a seed.
    fn run(&self, seed: u64) -> Outcome;

    /// Writes the input of a seed's case into a folder.
    fn describe(&self, seed: u64, folder: &Path) -> std::io::Result<()>;
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match fuzz(&arguments) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("error: {why}");
            ExitCode::FAILURE
        }
    }
}

fn fuzz(arguments: &Arguments) -> Outcome {
    let said = |e: std::io::Error| e.to_string();
    let target: Box<dyn Fuzz> = match arguments.target {
        Target::Readers => Box::new(readers::Readers::new(&arguments.data).map_err(said)?),
        Target::Volumes => Box::new(volumes::VolumeFuzzer::new().map_err(said)?),
        Target::Grids => Box::new(grids::GridFuzzer::new()?),
        Target::Edits => Box::new(edits::Edits),
        Target::Cli => {
            let program = arguments.program.as_ref().ok_or("--program is missing")?;
            Box::new(cli::Cli::new(program, &arguments.data)?)
        }
    };
    std::fs::create_dir_all(&arguments.folder).map_err(said)?;
    if arguments.describe {
        return target
            .describe(arguments.seed, &arguments.folder)
            .map_err(said);
    }
    let watch = watch::Watch::new(&arguments.folder.join("case")).map_err(said)?;
    let end = Instant::now() + Duration::from_secs(arguments.seconds);
    let more = |n: u64| {
        arguments
            .cases
            .map_or_else(|| Instant::now() < end, |cases| n < cases)
    };
    let mut n = 0;
    while more(n) {
        let seed = arguments.seed.wrapping_add(n);
        watch.begin(seed).map_err(said)?;
        let outcome = catch_unwind(AssertUnwindSafe(|| target.run(seed)));
        watch.end();
        outcome.unwrap_or_else(|_| Err("a panic".to_owned()))?;
        n += 1;
    }
    println!(
        "{:?}: {n} cases from seed {}, no fault",
        arguments.target, arguments.seed
    );
    Ok(())
}
