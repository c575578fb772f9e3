//! The interface of operations.

use crate::{Log, Result};
use rxmesh_host::algo::Options;
use rxmesh_host::io::Format;
use serde::Serialize;

/// Operation on a mesh: options in, report out. [`crate::ops`] has one file for each.
pub trait Operation {
    /// Name, as a command and in records.
    const NAME: &'static str;
    /// Group of operations that it belongs to.
    const GROUP: Group;
    /// Line that begins with a verb.
    const SUMMARY: &'static str;
    /// Text below the flags in the help: an example that can be run, then method and sources.
    const HELP: &'static str;
    /// Place of the result, unless options say otherwise.
    const OUTPUT: OutputKind = OutputKind::Mesh;
    /// `true` if it works on several meshes at once.
    const SEVERAL: bool = false;
    /// `true` if borders between objects, groups and materials are kept unless the user says otherwise.
    const KEEPS_GROUPS: bool = false;
    /// `true` if vertices that a file has split are joined before the work and split again after it, so that the sides
    /// of seams stay together: for operations that move or delete vertices.
    const JOINS_SEAMS: bool = false;
    /// Reason, if the operation runs under the scheduler of claims alone.
    const CLAIMS_ONLY: Option<&'static str> = None;
    /// Keys of the report, each with what it holds.
    const RECORD: &'static [(&'static str, &'static str)] = &[];

    /// Options: flags of the command line, and keys of records.
    type Options: Options + Serialize;
    /// Result in numbers: keys of records, which come before those of the options where names are the same.
    type Report: Serialize;
    /// Form of the mesh that it works on: [`crate::on::Vertices`] or [`crate::on::Connectivity`].
    type On;

    /// Completes options before a mesh is read. `seed` is the seed of all random choices.
    ///
    /// # Errors
    ///
    /// Options that conflict.
    fn prepare(_options: &mut Self::Options, _seed: u64) -> Result<()> {
        Ok(())
    }

    /// Returns `true` if options hold the borders between objects, groups and materials with a weight.
    fn holds_groups(_options: &Self::Options) -> bool {
        false
    }

    /// Returns the place of the result.
    fn output(_options: &Self::Options) -> OutputKind {
        Self::OUTPUT
    }

    /// Does the work. Lengths in `options` are in the mesh's working units ([`crate::on`]).
    ///
    /// # Errors
    ///
    /// Those of the algorithm.
    fn run(on: &mut Self::On, options: &Self::Options, log: &mut dyn Log) -> Result<Self::Report>;

    /// Converts the report to the user's unit of length: lengths are multiplied by `unit`, areas by its square, and so
    /// on. Reports without such numbers stay.
    fn convert(_report: &mut Self::Report, _unit: f64) {}

    /// Describes the result for people.
    fn describe(report: &Self::Report, options: &Self::Options) -> Message;
}

/// Group of operations with one purpose.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Group {
    /// Removes noise and roughness; the connectivity stays.
    Smooth,
    /// Computes values of elements.
    Measure,
    /// Changes the triangles.
    Reshape,
    /// Moves bodies.
    Simulate,
}

impl Group {
    /// Returns the name of the group.
    pub const fn name(self) -> &'static str {
        match self {
            Group::Smooth => "smooth",
            Group::Measure => "measure",
            Group::Reshape => "reshape",
            Group::Simulate => "simulate",
        }
    }
}

/// Description of a result.
#[derive(Debug)]
pub struct Message {
    /// Lines for people.
    pub lines: String,
    /// Warnings for people and records. [`Message::OUTPUT`] in them stands for the name of the result's file.
    pub warnings: Vec<String>,
    /// Outcome of the operation.
    pub outcome: Outcome,
}

impl Message {
    /// Placeholder for the name of the result's file.
    pub const OUTPUT: &'static str = "{output}";

    /// Makes the message of a result that meets the request.
    pub fn new(lines: impl Into<String>) -> Message {
        Message {
            lines: lines.into(),
            warnings: Vec::new(),
            outcome: Outcome::Success,
        }
    }

    /// Adds a warning, if `when`.
    #[must_use]
    pub fn warn_if(mut self, when: bool, warning: impl FnOnce() -> String) -> Message {
        if when {
            self.warnings.push(warning());
        }
        self
    }

    /// Adds a warning that the result does not meet the request, unless `done`.
    #[must_use]
    pub fn unless_done(mut self, done: bool, warning: impl FnOnce() -> String) -> Message {
        if !done {
            self.outcome = Outcome::Unconverged;
        }
        self.warn_if(!done, warning)
    }
}

/// Outcome of an operation that did its work.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The result meets the request.
    Success,
    /// There is a result, but it does not meet the request: a solver did not converge, a number was not reached.
    Unconverged,
    /// A condition was found that the caller asked to fail at.
    Refused(String),
}

/// Place of an operation's result in a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputKind {
    /// Positions and faces, which every format holds.
    Mesh,
    /// Normals of vertices.
    Normals,
    /// Columns, with a name for their values.
    Columns(&'static str),
}

impl OutputKind {
    /// Returns the name of content that a format may be unable to hold.
    pub fn name(self) -> &'static str {
        match self {
            OutputKind::Mesh => "surfaces",
            OutputKind::Normals => "normals of vertices",
            OutputKind::Columns(values) => values,
        }
    }

    /// Returns `true` if a format holds the result.
    pub fn fits(self, format: Format) -> bool {
        let holds = match self {
            OutputKind::Mesh => true,
            OutputKind::Normals => format.holds_normals(),
            OutputKind::Columns(_) => format.holds_columns(),
        };
        holds && format.holds_surfaces()
    }
}
