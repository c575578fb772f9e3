//! The interface of commands: name, help, options, report and work. Everything else follows from it: command,
//! dispatch, record, completions, the tables of `docs/use/commands/README.md`.

use crate::Outcome;
use crate::frame::{Batches, Frame};
use crate::output::OutputKind;
use crate::record::Record;
use anyhow::Result;
use clap::error::ErrorKind;
use clap::{ArgMatches, Args, Command, FromArgMatches};
pub(crate) use rxmesh::Message;
use rxmesh_host::algo::Options;
use rxmesh_host::units::InUnits;
use serde::Serialize;

/// Name of the program.
pub(crate) const PROGRAM: &str = "rxmesh";

/// A command of the program. `apps/mod.rs` lists them all.
pub(crate) trait Application {
    /// Name of the command.
    const NAME: &'static str;
    /// Page of `docs/use/commands` on operations of its group; other commands are listed by the page.
    #[cfg_attr(not(test), allow(dead_code))]
    const GROUP: Option<&'static str> = None;
    /// Summary, in a line that begins with a verb.
    const SUMMARY: &'static str;
    /// Text below the flags in its help: an example that can be run, then method and sources.
    const HELP: &'static str;
    /// Place of the result, unless options say otherwise.
    const OUTPUT: OutputKind = OutputKind::Mesh;
    /// `true` if it works on several meshes at once; for commands whose frame reads the mesh.
    const SEVERAL: bool = false;
    /// Options: flags, and keys of the record.
    type Options: Args + Options + Clone + Serialize;
    /// Report: keys of the record, which come before those of the options where names are the same.
    type Report: InUnits + Serialize;
    /// Surroundings that it runs in.
    type Frame: Frame;

    /// Validates the options before the mesh is read: copies shared flags and rejects conflicting ones.
    ///
    /// # Errors
    ///
    /// Options that conflict.
    fn prepare(_options: &mut Self::Options, _flags: &<Self::Frame as Frame>::Flags) -> Result<()> {
        Ok(())
    }

    /// Returns `true` if options hold the borders between objects, groups and materials with a weight.
    fn holds_groups(_options: &Self::Options) -> bool {
        false
    }

    /// Adapts the texts of shared flags to this application.
    fn adapt(command: Command) -> Command {
        command
    }

    /// `true` if borders between objects, groups and materials are kept unless the user says otherwise.
    const KEEPS_GROUPS: bool = false;

    /// `true` if vertices that a file has split are joined before the work and split again after it, so that the sides
    /// of seams stay together: where vertices move or go.
    const JOINS_SEAMS: bool = false;

    /// Returns the place of the result.
    fn output(_options: &Self::Options) -> OutputKind {
        Self::OUTPUT
    }

    /// Does the work. The frame's mesh is normalised ([`TriMesh::normalise`](rxmesh_host::mesh::TriMesh::normalise)),
    /// and the lengths in options and report are those of its frame: [`InUnits::scale`] converts them.
    ///
    /// # Errors
    ///
    /// Errors of the work.
    fn run(frame: &mut Self::Frame, options: &Self::Options) -> Result<Self::Report>;

    /// Makes the JSON Schema of the report: that of the operation of the same name, if there is one. The documents are
    /// made from it.
    #[cfg(test)]
    fn schema() -> Option<serde_json::Value> {
        rxmesh::schema::of(Self::NAME)
    }

    /// Describes the result in words. The record holds input, engine, output and times already.
    fn describe(report: &Self::Report, options: &Self::Options, record: &Record) -> Message;
}

/// An application as the program sees it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    /// Its name.
    pub(crate) name: &'static str,
    /// Its command, with every flag.
    pub(crate) command: fn() -> Command,
    /// Runs it.
    pub(crate) run: fn(&ArgMatches) -> Result<Outcome>,
    /// Name of the commands of its frame in documents.
    #[cfg(test)]
    pub(crate) frame: &'static str,
    /// Page of its group of operations.
    #[cfg(test)]
    pub(crate) group: Option<&'static str>,
    /// Makes the JSON Schema of its report.
    #[cfg(test)]
    pub(crate) schema: fn() -> Option<serde_json::Value>,
    /// Units of its options.
    #[cfg(test)]
    pub(crate) units: &'static [rxmesh_host::units::FieldUnit],
    /// A command with the flags of its options and no others.
    #[cfg(test)]
    pub(crate) own: fn() -> Command,
    /// The options as the record holds them.
    #[cfg(test)]
    pub(crate) keys: fn(&ArgMatches) -> Result<serde_json::Map<String, serde_json::Value>>,
}

impl Entry {
    /// Returns the entry of an application.
    pub(crate) const fn of<A: Application>() -> Entry {
        Entry {
            name: A::NAME,
            command: command::<A>,
            run: run::<A>,
            #[cfg(test)]
            frame: <A::Frame as Frame>::KIND,
            #[cfg(test)]
            group: A::GROUP,
            #[cfg(test)]
            schema: A::schema,
            #[cfg(test)]
            units: A::Options::UNITS,
            #[cfg(test)]
            own: || A::Options::augment_args(Command::new(A::NAME)),
            #[cfg(test)]
            keys: |matches| crate::record::keys(&A::Options::from_arg_matches(matches)?),
        }
    }
}

fn command<A: Application>() -> Command {
    let command = A::Options::augment_args(Command::new(A::NAME));
    let command =
        <A::Frame as Frame>::Flags::augment_args(command.next_help_heading("Common options"));
    // The documentation of structs of flags is for their readers.
    let command = command
        .bin_name(format!("{PROGRAM} {}", A::NAME))
        .about(A::SUMMARY)
        .long_about(None)
        .after_help(A::HELP);
    // Numbers may be negative; those that must not be are refused with a reason.
    A::adapt(<A::Frame as Frame>::adapt(command, A::OUTPUT)).mut_args(|arg| {
        let takes_a_value = arg.get_action().takes_values();
        let arg = arg.allow_negative_numbers(takes_a_value);
        let is_of_several = ["more", "batch_faces"].contains(&arg.get_id().as_str());
        match is_of_several && !A::SEVERAL {
            true => arg.hide(true),
            false => arg,
        }
    })
}

fn run<A: Application>(matches: &ArgMatches) -> Result<Outcome> {
    let (options, mut flags) = parsed::<A>(matches)?;
    let several = A::Frame::compute_args(&mut flags).filter(|args| !args.more.is_empty());
    let Some(args) = several else {
        return work::<A>(flags, &options);
    };
    let batches = Batches::read::<A>(args, A::output(&options))?;
    batches.run(args, |batch| {
        let (options, mut flags) = parsed::<A>(matches)?;
        if let Some(args) = A::Frame::compute_args(&mut flags) {
            args.batch = Some(batch);
        }
        work::<A>(flags, &options)
    })
}

/// Returns valid options and flags.
fn parsed<A: Application>(
    matches: &ArgMatches,
) -> Result<(A::Options, <A::Frame as Frame>::Flags)> {
    let mut options = A::Options::from_arg_matches(matches)?;
    let flags = <A::Frame as Frame>::Flags::from_arg_matches(matches)?;
    if let Err(e) = options.check() {
        return Err(command::<A>().error(ErrorKind::ValueValidation, e).into());
    }
    A::prepare(&mut options, &flags)?;
    Ok((options, flags))
}

/// Does the work, from the files to the record.
fn work<A: Application>(
    flags: <A::Frame as Frame>::Flags,
    options: &A::Options,
) -> Result<Outcome> {
    let mut frame = A::Frame::open::<A>(flags, options)?;
    let unit = frame.unit();
    let mut local = options.clone();
    local.scale(1.0 / unit);
    let mut report = A::run(&mut frame, &local)?;
    report.scale(unit);
    frame.close::<A>(options, &report)
}
