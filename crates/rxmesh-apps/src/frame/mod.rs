//! Surroundings of commands: the flags that they share, the work before theirs and the work with its result.

mod batches;
mod compute;
mod edit;
mod grids;
mod scene;
mod several;
mod tool;

pub(crate) use batches::{Batches, MeshBatch};
pub(crate) use compute::OnVertices;
pub(crate) use edit::OnConnectivity;
pub(crate) use scene::{OnBody, OnScene};
pub(crate) use several::Several;
pub(crate) use tool::{OnTool, Tool};

use crate::Outcome;
use crate::app::{Application, Message};
use crate::cli::ComputeArgs;
use crate::output::OutputKind;
use crate::record::Record;
use anyhow::Result;
use clap::{Args, Command};

/// Leaks values at the end of the program, on the engine too: the system frees all of them at once.
fn leak_at_exit(all: impl Sized) {
    std::mem::forget(all);
}

/// Inserts the name of the result's file into the warnings of an operation.
fn named(mut message: Message, record: &Record) -> Message {
    for warning in &mut message.warnings {
        *warning = warning.replace(Message::OUTPUT, record.output_path());
    }
    message
}

/// Surroundings of an application.
pub(crate) trait Frame: Sized {
    /// Name of its commands in documents.
    #[cfg(test)]
    const KIND: &'static str;

    /// The flags of every application in this frame.
    type Flags: Args;

    /// Adapts the texts of shared flags to this frame.
    fn adapt(command: Command, _kind: OutputKind) -> Command {
        command
    }

    /// Returns the flags of commands that may take several meshes, if it has them.
    fn compute_args(_flags: &mut Self::Flags) -> Option<&mut ComputeArgs> {
        None
    }

    /// Makes everything ready for the application's work.
    ///
    /// # Errors
    ///
    /// Errors of the files and of the engine.
    fn open<A: Application<Frame = Self>>(flags: Self::Flags, options: &A::Options)
    -> Result<Self>;

    /// Returns the scale from working units to file units (a power of two).
    fn unit(&self) -> f64 {
        1.0
    }

    /// Writes, records and prints the result.
    ///
    /// # Errors
    ///
    /// Errors of the files and of the engine.
    fn close<A: Application<Frame = Self>>(
        self,
        options: &A::Options,
        report: &A::Report,
    ) -> Result<Outcome>;
}

/// No frame at all: the application does everything itself.
impl Frame for () {
    #[cfg(test)]
    const KIND: &'static str = "others";

    type Flags = ();

    fn open<A: Application<Frame = ()>>((): (), _options: &A::Options) -> Result<()> {
        Ok(())
    }

    fn close<A: Application<Frame = ()>>(
        self,
        _options: &A::Options,
        _report: &A::Report,
    ) -> Result<Outcome> {
        Ok(Outcome::Success)
    }
}
