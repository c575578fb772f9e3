//! One file a command.

mod check;
mod completions;
mod conflicts;
mod convert;
mod curvature;
mod delaunay;
mod edit;
mod filter;
mod generate;
mod geodesic;
mod info;
mod mcf;
mod normals;
mod remesh;
mod session;
mod simplify;
mod smooth;
mod spring;
pub(crate) mod text;
mod track;

use crate::Outcome;
use crate::cli::Command;
use anyhow::Result;

/// Runs a command to its end.
pub(crate) fn run(command: Command) -> Result<Outcome> {
    match command {
        Command::Mcf(args) => return mcf::run(&args),
        Command::Normals(args) => normals::run(&args)?,
        Command::Filter(args) => filter::run(&args)?,
        Command::Geodesic(args) => return geodesic::run(&args),
        Command::Curvature(args) => curvature::run(&args)?,
        Command::Smooth(args) => smooth::run(&args)?,
        Command::Spring(args) => spring::run(&args)?,
        Command::Delaunay(args) => return delaunay::run(&args),
        Command::Simplify(args) => return simplify::run(&args),
        Command::Remesh(args) => return remesh::run(&args),
        Command::Track(args) => return track::run(&args),
        Command::Info(args) => info::run(&args)?,
        Command::Check(args) => check::run(&args)?,
        Command::Convert(args) => convert::run(&args)?,
        Command::Generate(args) => generate::run(&args.shape)?,
        Command::Completions { shell } => completions::run(shell)?,
    }
    Ok(Outcome::Success)
}
