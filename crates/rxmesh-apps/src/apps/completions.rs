//! `completions`: a completion script for a shell.

use crate::app::{Application, Message, PROGRAM};
use crate::cli;
use crate::console::to_stdout;
use crate::record::Record;
use anyhow::Result;
use clap::Args;
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::units;
use serde::Serialize;

pub(crate) struct Completions;

#[derive(Clone, Debug, Args, Serialize)]
pub(crate) struct CompletionsArgs {
    /// The shell
    #[serde(skip)]
    shell: clap_complete::Shell,
}

units!(CompletionsArgs {});

impl Options for CompletionsArgs {
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

impl Application for Completions {
    const NAME: &'static str = "completions";
    const SUMMARY: &'static str = "Print a completion script for a shell";
    const HELP: &'static str = "Example: rxmesh completions bash \
         > ~/.local/share/bash-completion/completions/rxmesh";

    type Options = CompletionsArgs;
    type Report = ();
    type Frame = ();

    fn run((): &mut (), args: &CompletionsArgs) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(args.shell, &mut cli::command(), PROGRAM, &mut script);
        to_stdout(&script)
    }

    fn describe((): &(), _args: &CompletionsArgs, _record: &Record) -> Message {
        Message::new("")
    }
}
