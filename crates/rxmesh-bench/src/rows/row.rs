//! What a row of the table is.

use anyhow::Result;
use rxmesh_host::engine::Engine;

use super::{Bench, Counted, Measured};
use crate::conflicts::Conflicts;
use crate::mesh::{Input, Subject};
use crate::record::{Amount, Run};
use crate::reference::{self, Against, Goal};

/// A row of the table, and all that is said about it.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    /// Its name on the command line and in records.
    pub(crate) name: &'static str,
    /// What it measures.
    pub(crate) about: &'static str,
    /// What is timed, what must be read and what must be written: docs/speed/method.md shows it.
    pub(crate) counts: [&'static str; 3],
    /// What others need for it.
    pub(crate) against: &'static [Against],
    /// Where this project wants to be.
    pub(crate) goals: &'static [Goal],
    /// The input, where it is not that of the run: the row has its own mesh then.
    pub(crate) input: Option<Input>,
    /// The engine of edits. Rows of the speculative one have a mesh of their own, with the patches that suit it.
    pub(crate) conflicts: Conflicts,
    /// The measurement.
    pub(crate) work: Work,
}

/// How a row is measured.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    /// While the mesh is made.
    Build,
    /// On the mesh.
    On(fn(&Bench<'_>) -> Result<Measured>),
    /// On the mesh, and no time.
    Amount(fn(&Bench<'_>) -> Result<Counted>),
}

impl Row {
    pub(super) const fn new(name: &'static str, about: &'static str, work: Work) -> Self {
        Self {
            name,
            about,
            counts: [""; 3],
            against: &[],
            goals: &[],
            input: None,
            conflicts: Conflicts::Claims,
            work,
        }
    }

    /// A row that is a time.
    pub(super) const fn time(
        name: &'static str,
        about: &'static str,
        run: fn(&Bench<'_>) -> Result<Measured>,
    ) -> Self {
        Self::new(name, about, Work::On(run))
    }

    /// A row that is no time.
    pub(super) const fn amount(
        name: &'static str,
        about: &'static str,
        run: fn(&Bench<'_>) -> Result<Counted>,
    ) -> Self {
        Self::new(name, about, Work::Amount(run))
    }

    /// Says what is timed, read and written.
    pub(super) const fn counts(
        self,
        time: &'static str,
        reads: &'static str,
        writes: &'static str,
    ) -> Self {
        Self {
            counts: [time, reads, writes],
            ..self
        }
    }

    /// Names the references.
    pub(super) const fn against(self, against: &'static [Against]) -> Self {
        Self { against, ..self }
    }

    /// Names the goals.
    pub(super) const fn goals(self, goals: &'static [Goal]) -> Self {
        Self { goals, ..self }
    }

    /// The row on the speculative engine, measured otherwise: the same references, goals of its own.
    #[cfg(feature = "speculative")]
    pub(super) const fn speculative(
        self,
        name: &'static str,
        about: &'static str,
        work: Work,
    ) -> Self {
        Self {
            name,
            about,
            goals: &[],
            work,
            ..self
        }
        .of_speculative()
    }

    /// The row has patches that suit the speculative engine.
    #[cfg(feature = "speculative")]
    pub(super) const fn of_speculative(self) -> Self {
        Self {
            conflicts: Conflicts::Speculative,
            ..self
        }
    }

    /// The row on another input, which no reference was measured on.
    pub(super) const fn on(self, name: &'static str, input: Input) -> Self {
        Self {
            name,
            against: &[],
            goals: &[],
            input: Some(input),
            ..self
        }
    }

    /// Puts a measurement into the record's form; `patch_size` where it is the row's own.
    pub(crate) fn finish(
        &self,
        subject: &Subject,
        engine: &Engine,
        patch_size: Option<u32>,
        m: Measured,
    ) -> Run {
        Run {
            row: self.name.to_owned(),
            mesh: subject.name.clone(),
            per: m.per.to_owned(),
            elements: m.elements,
            bytes: m.floor.bytes,
            counted: m.floor.counted,
            ms: m.times.ms,
            single_ms: m.times.single_ms,
            wall_ms: m.times.wall_ms,
            kernels: m.kernels,
            figures: m.figures,
            references: reference::references(self.against, &engine.info().engine, subject.faces),
            goal_ms: self.goal(subject, engine),
            patch_size,
        }
    }

    /// As [`Row::finish`], for what is no time.
    pub(crate) fn finish_amount(
        &self,
        subject: &Subject,
        engine: &Engine,
        patch_size: Option<u32>,
        c: Counted,
    ) -> Amount {
        Amount {
            row: self.name.to_owned(),
            mesh: subject.name.clone(),
            unit: c.unit,
            values: c.values,
            figures: c.figures,
            references: reference::amounts(self.against, &engine.info().engine, subject.faces),
            goal: self.goal(subject, engine),
            patch_size,
        }
    }

    fn goal(&self, subject: &Subject, engine: &Engine) -> Option<f64> {
        reference::goal(self.goals, &engine.info().engine, subject.faces)
    }
}
