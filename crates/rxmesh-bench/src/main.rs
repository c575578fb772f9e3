//! `rxmesh-bench`: measures every engine on generated meshes. Needs no files; `bench/README.md` explains its output.

mod agree;
mod compare;
mod conflicts;
mod counters;
mod directed;
mod docs;
#[cfg(feature = "speculative")]
mod edits;
mod figures;
mod floor;
mod measure;
mod mesh;
mod papers;
mod peers;
mod picture;
mod plot;
mod readme;
mod record;
mod reference;
mod rows;
mod run;
mod solvers;
mod subject;
mod surfaces;
mod table;
mod triangles;
mod volumes;

use std::path::PathBuf;
use std::process::ExitCode;

use agree::AgreeArguments;
use anyhow::Result;
use clap::{Parser, Subcommand, ValueEnum};
use docs::DocsArguments;
use peers::PeersArguments;
use run::RunArguments;
use rxmesh_host::engine::EngineKind;

/// Measures every engine on generated meshes
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true)]
struct BenchArguments {
    #[command(subcommand)]
    task: Option<Task>,
    #[command(flatten)]
    run: RunArguments,
}

#[derive(Subcommand)]
enum Task {
    /// Compare the GPU's results with the CPU's: queries, normals, mean curvature flow; and those of other methods
    Agree(AgreeArguments),
    /// Check the edits of the speculative scheduler on a noisy torus: Delaunay flips, remeshing, tracking, every
    /// invariant of the results
    #[cfg(feature = "speculative")]
    Edits(edits::EditsArguments),
    /// Compare two records
    Compare {
        /// The earlier record
        old: PathBuf,
        /// The later record
        new: PathBuf,
    },
    /// Fill the parts of documents that come from records: tables between marks such as `bench:begin` and
    /// `bench:end`, and single figures
    Docs(DocsArguments),
    /// Repeat the tables and figures of one of the four texts that this library began with, and print ours beside
    /// theirs
    Paper(Box<papers::PaperArguments>),
    /// Measure the CPU engine with 1, 2, 4, ... threads beside other libraries, on the same meshes in the same run
    Peers(Box<PeersArguments>),
    /// Draw a picture of the documents
    Picture {
        /// The file; its name chooses the picture, as in docs/use/pictures
        path: PathBuf,
    },
    /// Draw time against mesh size as SVG, one file for each engine and device, from the newest records
    Plots {
        /// Folder of the pictures
        folder: PathBuf,
        /// Folder of the records
        #[arg(long, default_value = "bench/records")]
        records: PathBuf,
    },
    /// Measure the solvers of deformable bodies: projective dynamics, XPBD, vertex block descent
    Solvers(Box<RunArguments>),
    /// Measure polygon meshes and subdivision surfaces
    Surfaces(Box<RunArguments>),
    /// Measure volumes: the 32 operations over relations, springs, construction, bytes, sizes of patches
    Volumes(Box<RunArguments>),
}

/// Rows to measure, by the scheduler of edits that they use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RowsOf {
    /// Those that do not use the speculative scheduler
    Claims,
    /// Those that do
    Speculative,
    Both,
}

/// Engines to measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EngineChoice {
    Kind(EngineKind),
    /// Those that are available.
    All,
}

impl std::str::FromStr for EngineChoice {
    type Err = String;

    fn from_str(text: &str) -> Result<EngineChoice, String> {
        if text == "all" {
            return Ok(EngineChoice::All);
        }
        let kind = EngineKind::named(text).map(EngineChoice::Kind);
        kind.ok_or_else(|| {
            let names = EngineKind::ALL.map(EngineKind::name).join(", ");
            format!("the engines are {names} and all")
        })
    }
}

fn main() -> ExitCode {
    match start(BenchArguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}

fn start(arguments: BenchArguments) -> Result<()> {
    match arguments.task {
        None => run::run::<triangles::Triangles>(&arguments.run),
        Some(Task::Agree(arguments)) => agree::run(&arguments),
        #[cfg(feature = "speculative")]
        Some(Task::Edits(arguments)) => edits::run(&arguments),
        Some(Task::Compare { old, new }) => {
            let (old, new) = (
                record::BenchRecord::read(&old)?,
                record::BenchRecord::read(&new)?,
            );
            print!("{}", compare::compare(&old, &new));
            Ok(())
        }
        Some(Task::Docs(arguments)) => docs::run(&arguments),
        Some(Task::Paper(arguments)) => papers::run(&arguments),
        Some(Task::Peers(arguments)) => peers::run(&arguments),
        Some(Task::Picture { path }) => picture::write(&path),
        Some(Task::Plots { folder, records }) => {
            for file in plot::write(&readme::newest(&records)?, &folder)? {
                println!("wrote {}", file.display());
            }
            Ok(())
        }
        Some(Task::Solvers(arguments)) => run::run::<solvers::Solvers>(&arguments),
        Some(Task::Surfaces(arguments)) => run::run::<surfaces::Surfaces>(&arguments),
        Some(Task::Volumes(arguments)) => run::run::<volumes::TetMeshes>(&arguments),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    #[test]
    fn options_are_consistent() {
        crate::BenchArguments::command().debug_assert();
    }
}
