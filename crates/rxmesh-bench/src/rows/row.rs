//! Description of a row of the table.

use anyhow::Result;
use rxmesh_host::engine::Engine;

use super::{Bench, Counted, Measured};
use crate::conflicts::Conflicts;
use crate::mesh::{Input, Subject};
use crate::record::{Amount, Run};
use crate::reference::{self, Against, Goal};

/// Row of the table.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    /// Name on the command line and in records.
    pub(crate) name: &'static str,
    /// Description of what it measures.
    pub(crate) about: &'static str,
    /// Description of what is timed, what must be read and what must be written, for docs/speed/method.md.
    pub(crate) counts: [&'static str; 3],
    /// References.
    pub(crate) against: &'static [Against],
    /// Performance goals of this project.
    pub(crate) goals: &'static [Goal],
    /// Input, where different from that of the run: the row then has its own mesh.
    pub(crate) input: Option<Input>,
    /// Scheduler of edits. Rows of the speculative one have a separate mesh, with patches that suit it.
    pub(crate) conflicts: Conflicts,
    /// Measurement.
    pub(crate) work: Work,
}

/// Way in which a row is measured.
#[derive(Clone, Copy)]
pub(crate) enum Work {
    /// During construction of the mesh.
    Build,
    /// On the mesh.
    On(fn(&Bench<'_>) -> Result<Measured>),
    /// On the mesh; not a time.
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

    /// Makes a row that is a time.
    pub(super) const fn time(
        name: &'static str,
        about: &'static str,
        run: fn(&Bench<'_>) -> Result<Measured>,
    ) -> Self {
        Self::new(name, about, Work::On(run))
    }

    /// Makes a row that is not a time.
    pub(super) const fn amount(
        name: &'static str,
        about: &'static str,
        run: fn(&Bench<'_>) -> Result<Counted>,
    ) -> Self {
        Self::new(name, about, Work::Amount(run))
    }

    /// Describes what is timed, read and written.
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

    /// Sets the references.
    pub(super) const fn against(self, against: &'static [Against]) -> Self {
        Self { against, ..self }
    }

    /// Sets the goals.
    pub(super) const fn goals(self, goals: &'static [Goal]) -> Self {
        Self { goals, ..self }
    }

    /// Makes the row for the speculative scheduler, measured in another way: the same references, but its own goals.
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

    /// Gives the row patches that suit the speculative scheduler.
    #[cfg(feature = "speculative")]
    pub(super) const fn of_speculative(self) -> Self {
        Self {
            conflicts: Conflicts::Speculative,
            ..self
        }
    }

    /// Makes the row for another input, on which no reference was measured.
    pub(super) const fn on(self, name: &'static str, input: Input) -> Self {
        Self {
            name,
            against: &[],
            goals: &[],
            input: Some(input),
            ..self
        }
    }

    /// Converts a measurement to the record's form; `patch_size` where it is the row's own.
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

    /// Does as [`Row::finish`], for an amount that is not a time.
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
