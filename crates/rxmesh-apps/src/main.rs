//! The command line of rxmesh: parse, call the library, report.
//!
//! `docs/use/commands/README.md` describes the program for its users: flags, files, the JSON record, exit codes.

mod app;
mod apps;
mod cli;
mod console;
mod ending;
mod engines;
mod error;
mod frame;
mod grids;
mod input;
mod live;
mod log;
#[cfg(test)]
mod manual;
mod output;
mod page;
mod picture;
mod progress;
mod record;
mod run;
mod text;

use std::process::ExitCode;

#[global_allocator]
static MEMORY: ending::OrEnd = ending::OrEnd;

use rxmesh::Outcome;

/// Writes the library's trace to stderr when `RXMESH_LOG` names a level: `error`, `warn`, `info`, `debug`, `trace`.
fn trace() {
    let level = std::env::var("RXMESH_LOG").ok();
    if let Some(level) = level.and_then(|l| l.parse::<tracing::Level>().ok()) {
        tracing_subscriber::fmt()
            .with_max_level(level)
            .with_writer(std::io::stderr)
            .with_ansi(false)
            .init();
    }
}

fn main() -> ExitCode {
    let matches = match cli::command().try_get_matches_from(cli::arguments(std::env::args_os())) {
        Ok(matches) => matches,
        Err(e) => return usage(&e),
    };
    ending::on_bugs();
    ending::on_signals();
    trace();
    match cli::run(&matches) {
        Ok(Outcome::Success) => ExitCode::SUCCESS,
        Ok(Outcome::Unconverged) => ExitCode::from(3),
        Ok(Outcome::Refused(why)) => {
            error::print(&why);
            ExitCode::FAILURE
        }
        Err(e) => match e.downcast_ref::<clap::Error>() {
            Some(e) => usage(e),
            None => {
                error::print(&error::one_line(&e));
                ExitCode::FAILURE
            }
        },
    }
}

/// Prints help, the version, or a mistake in the flags. A closed pipe is no error.
fn usage(e: &clap::Error) -> ExitCode {
    let _ = e.print();
    ExitCode::from(u8::try_from(e.exit_code()).unwrap_or(2))
}
