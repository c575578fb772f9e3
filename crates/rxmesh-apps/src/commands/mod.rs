//! One file a command.

mod check;
mod completions;
mod convert;
mod delaunay;
mod edit;
mod generate;
mod info;
mod mcf;
mod normals;
mod text;

use crate::Outcome;
use crate::cli::Command;
use anyhow::Result;

/// Runs a command to its end.
pub(crate) fn run(command: Command) -> Result<Outcome> {
    match command {
        Command::Mcf(args) => return mcf::run(&args),
        Command::Normals(args) => normals::run(&args)?,
        Command::Delaunay(args) => return delaunay::run(&args),
        Command::Info(args) => info::run(&args)?,
        Command::Check(args) => check::run(&args)?,
        Command::Convert(args) => convert::run(&args)?,
        Command::Generate(args) => generate::run(&args.shape)?,
        Command::Completions { shell } => completions::run(shell)?,
    }
    Ok(Outcome::Success)
}
