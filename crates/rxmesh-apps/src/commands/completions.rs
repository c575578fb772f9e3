//! `completions`: a script for a shell.

use crate::cli::Cli;
use crate::console::to_stdout;
use anyhow::Result;
use clap::CommandFactory;

pub(super) fn run(shell: clap_complete::Shell) -> Result<()> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut Cli::command(), "rxmesh-apps", &mut script);
    to_stdout(&script)
}
