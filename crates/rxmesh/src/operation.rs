//! The interface of operations.

use crate::{Log, Result};
use rxmesh_host::algo::Options;
use rxmesh_host::io::Format;
use rxmesh_host::units::InUnits;
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
    /// File that a program writes the result to, of operations on [`crate::on::Tool`].
    const WRITES: WritesFile = WritesFile::Default;
    /// `true` if it works on several meshes at once.
    const SEVERAL: bool = false;
    /// `true` if borders between objects, groups and materials are kept unless the user says otherwise.
    const KEEPS_GROUPS: bool = false;
    /// `true` if vertices that a file has split are joined before the work and split again after it, so that the sides
    /// of seams stay together: for operations that move or delete vertices.
    const JOINS_SEAMS: bool = false;
    /// Reason, if the operation runs under the scheduler of claims alone.
    const CLAIMS_ONLY: Option<&'static str> = None;
    /// Options: flags of the command line, and keys of records.
    type Options: Options + Clone + Serialize;
    /// Result in numbers: keys of records, which come before those of the options where names are the same.
    type Report: InUnits + Serialize;
    /// Form of the mesh that it works on: a type of [`crate::on`].
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

    /// Returns `true` if the mesh of each frame is passed to a receiver ([`crate::on::Connectivity::on_frames`]).
    fn gives_frames(_options: &Self::Options) -> bool {
        false
    }

    /// Returns the place of the result.
    fn output(_options: &Self::Options) -> OutputKind {
        Self::OUTPUT
    }

    /// Does the work. Lengths and other numbers with a unit, in options and report, are in the mesh's working units
    /// ([`crate::on`]): [`InUnits::scale`] converts them.
    ///
    /// # Errors
    ///
    /// Those of the algorithm.
    fn run(on: &mut Self::On, options: &Self::Options, log: &mut dyn Log) -> Result<Self::Report>;

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
    /// Finds and mends defects.
    Inspect,
    /// Places and joins meshes.
    Files,
}

impl Group {
    /// Returns the name of the group.
    pub const fn name(self) -> &'static str {
        match self {
            Group::Smooth => "smooth",
            Group::Measure => "measure",
            Group::Reshape => "reshape",
            Group::Simulate => "simulate",
            Group::Inspect => "inspect",
            Group::Files => "files",
        }
    }
}

/// Description of a result.
#[derive(Debug)]
pub struct Message {
    /// Lines about the input, before those about the engine.
    pub head: String,
    /// Lines about the result.
    pub lines: String,
    /// `true` if the time that the work took belongs after the last line, of operations on [`crate::on::Tool`].
    pub timed: bool,
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
            head: String::new(),
            lines: lines.into(),
            timed: false,
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

/// File that a program writes a result to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WritesFile {
    /// None: the report is the result.
    Never,
    /// The one that the user names, if there is one; with the help of that flag.
    IfAsked(&'static str),
    /// The one that the user must name.
    Named,
    /// The one that the user names, else one that is named after the input.
    Default,
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
    /// Positions and cells of a volume.
    Volume,
    /// Vertices without faces.
    Points,
    /// Values at the points of a regular grid, which no format of meshes holds.
    Grid,
}

impl OutputKind {
    /// Returns the name of content that a format may be unable to hold.
    pub fn name(self) -> &'static str {
        match self {
            OutputKind::Mesh => "surfaces",
            OutputKind::Normals => "normals of vertices",
            OutputKind::Columns(values) => values,
            OutputKind::Volume => "volumes",
            OutputKind::Points => "points",
            OutputKind::Grid => "grids",
        }
    }

    /// Returns `true` if a format holds the result.
    pub fn fits(self, format: Format) -> bool {
        match self {
            OutputKind::Mesh => format.holds_surfaces(),
            OutputKind::Normals => format.holds_surfaces() && format.holds_normals(),
            OutputKind::Columns(_) => format.holds_surfaces() && format.holds_columns(),
            OutputKind::Volume => format.holds_volumes(),
            // Writers of formats of volumes alone say more.
            OutputKind::Points => format != Format::Stl,
            OutputKind::Grid => false,
        }
    }
}
