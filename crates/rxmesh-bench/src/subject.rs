//! Kinds of meshes that are measured, and their rows.

use std::path::Path;

use anyhow::{Context as _, Result};
use rxmesh_host::engine::Engine;
use serde_json::{Map, Value};

use crate::floor::Floor;
use crate::measure::{Effort, Times};
use crate::record::{BenchRecord, KernelRecord, Run, Unit};
use crate::reference::{self, Against, Goal, Reference};
use crate::run::RunArguments;

/// Kind of mesh: surfaces of triangles, surfaces of polygons, volumes of tetrahedra, deformable bodies. A value makes
/// the meshes of one run.
pub(crate) trait Subject: Sized + 'static {
    /// Name in records and on the command line.
    const NAME: &'static str;
    /// Most samples of a row, seconds, and launches between two device events, unless flags say otherwise.
    const EFFORT: (usize, f64, u32);
    /// Meshes of rows without one of their own, unless flags say otherwise; with `--quick` only the first.
    const MESHES: &'static [&'static str] = &[];

    /// `true` for meshes of cells, whose files can be subdivided.
    const OF_CELLS: bool = false;

    /// Recipe of a mesh.
    type Name;
    type Mesh;
    /// Mesh, engine and effort that a row's function gets.
    type Bench<'a>;
    /// Data that only rows of this kind have.
    type Own: Copy;

    /// Returns all rows, in the order of the table.
    fn rows() -> Vec<&'static Row<Self>>;

    /// Returns `true` if a row is measured when no rows are asked for.
    fn is_default(_: &Row<Self>) -> bool {
        true
    }

    /// Returns `true` if a row is measured with `--rivals`: another method, another form of a row, or a row that these
    /// are compared with.
    fn is_compared(_: &Row<Self>) -> bool {
        false
    }

    fn new(arguments: &RunArguments) -> Result<Self>;

    /// Assigns the rows to meshes, in the order in which they are measured.
    fn batches(
        &self,
        arguments: &RunArguments,
        rows: Vec<&'static Row<Self>>,
    ) -> Result<Vec<Batch<Self>>>;

    fn make(&mut self, name: &Self::Name) -> Result<Self::Mesh>;

    /// Measures rows on one mesh and one engine. Returns a message for each row that cannot be measured.
    fn measure(on: &On<'_, Self>, record: &mut BenchRecord) -> Result<Vec<String>>;
}

/// Returns a file's mesh as records name it, without the folders.
pub(crate) fn without_folders(name: &str) -> String {
    match name.strip_prefix("file:") {
        Some(path) => {
            let file = Path::new(path).file_name().unwrap_or_default();
            format!("file:{}", file.to_string_lossy())
        }
        None => name.to_owned(),
    }
}

/// Parts the name of a file's mesh of cells into the path and the number of subdivisions.
pub(crate) fn path_and_levels(rest: &str) -> (&Path, u32) {
    let parted = rest.rsplit_once("_L");
    let parted = parted.and_then(|(path, level)| Some((path, level.parse().ok()?)));
    let (path, levels) = parted.unwrap_or((rest, 0));
    (Path::new(path), levels)
}

/// Rows of one mesh.
pub(crate) struct Batch<S: Subject> {
    pub(crate) name: S::Name,
    pub(crate) rows: Vec<&'static Row<S>>,
}

/// Mesh and engine of a batch.
pub(crate) struct On<'a, S: Subject> {
    pub(crate) engine: &'a Engine,
    pub(crate) name: &'a S::Name,
    pub(crate) mesh: &'a S::Mesh,
    pub(crate) rows: &'a [&'static Row<S>],
    pub(crate) effort: Effort,
    /// Most elements of a patch, if the flags say so.
    pub(crate) patch_size: Option<u32>,
}

/// Row of the table.
pub(crate) struct Row<S: Subject> {
    /// Name on the command line and in records.
    pub(crate) name: &'static str,
    /// Description of what it measures.
    pub(crate) about: &'static str,
    /// Description of what is timed, what must be read and what must be written, for docs/speed/method.md.
    pub(crate) counts: [&'static str; 3],
    /// Mesh of the row, where it is not measured on those of the run, and its number of elements (0: not stated).
    pub(crate) mesh: Option<&'static str>,
    pub(crate) elements: u64,
    /// References over meshes of several sizes.
    pub(crate) against: &'static [Against],
    /// Performance goals of this project.
    pub(crate) goals: &'static [Goal],
    /// Goal and reference on the row's own mesh, or on every mesh of a row without one: on every engine, on a GPU, on
    /// two threads of a CPU.
    pub(crate) known: [GoalAndRival; 3],
    /// Goal on a GPU that follows from another measurement, where there is no other goal.
    pub(crate) relative: Option<Relative>,
    /// `false` if its result is no time.
    pub(crate) is_time: bool,
    pub(crate) own: S::Own,
    pub(crate) work: Work<S>,
}

/// Measurement of a row.
pub(crate) type Work<S> = fn(&<S as Subject>::Bench<'_>) -> Result<Measured>;

impl<S: Subject> Clone for Row<S> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<S: Subject> Copy for Row<S> {}

/// Goal and strongest reference of a row on its own mesh.
#[derive(Clone, Copy, Default)]
pub(crate) struct GoalAndRival {
    pub(crate) goal: Option<f64>,
    /// Value, and the system it was measured with.
    pub(crate) rival: Option<(f64, &'static str)>,
}

/// Goal that follows from another measurement.
#[derive(Clone, Copy)]
pub(crate) enum Relative {
    /// A multiple of the time of another row on the same mesh, scaled by the number of elements.
    Row(&'static str, f64),
    /// A multiple of the smallest reference.
    Rival(f64),
}

/// Result of a row.
#[derive(Clone, Default)]
pub(crate) struct Measured {
    pub(crate) per: &'static str,
    pub(crate) elements: u64,
    pub(crate) floor: Floor,
    pub(crate) times: Times,
    /// Samples of a row that is no time, with their unit.
    pub(crate) amount: Option<(Unit, Vec<f64>)>,
    pub(crate) kernels: Vec<KernelRecord>,
    pub(crate) figures: Map<String, Value>,
}

impl Measured {
    /// Makes the result of a row that is no time.
    pub(crate) fn amount(unit: Unit, values: Vec<f64>, figures: Map<String, Value>) -> Self {
        Self {
            amount: Some((unit, values)),
            figures,
            ..Self::default()
        }
    }

    /// Makes the result of a row that is a time.
    pub(crate) fn times(per: &'static str, elements: u64, times: Times) -> Self {
        Self {
            per,
            elements,
            times,
            ..Self::default()
        }
    }

    /// Adds another figure.
    pub(crate) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.figures.insert(name.to_owned(), value.into());
        self
    }
}

/// Mesh on which a row was measured.
#[derive(Clone, Copy)]
pub(crate) struct MeasuredOn<'a> {
    /// Name in records.
    pub(crate) mesh: &'a str,
    /// Number of elements, by which references and goals are found.
    pub(crate) size: u64,
    /// Most elements of a patch, where it is the row's own.
    pub(crate) patch_size: Option<u32>,
}

impl MeasuredOn<'_> {
    /// Returns the name of the mesh before subdivision.
    fn base(&self) -> &str {
        self.mesh.split("_L").next().unwrap_or_default()
    }
}

impl<S: Subject> Row<S> {
    pub(crate) const fn new(
        name: &'static str,
        about: &'static str,
        own: S::Own,
        work: Work<S>,
    ) -> Self {
        const NONE: GoalAndRival = GoalAndRival {
            goal: None,
            rival: None,
        };
        Self {
            name,
            about,
            counts: [""; 3],
            mesh: None,
            elements: 0,
            against: &[],
            goals: &[],
            known: [NONE; 3],
            relative: None,
            is_time: true,
            own,
            work,
        }
    }

    /// States that the row's result is no time.
    pub(crate) const fn no_time(self) -> Self {
        Self {
            is_time: false,
            ..self
        }
    }

    /// Describes what is timed, read and written.
    pub(crate) const fn counts(
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

    /// Sets the row's own mesh, and its number of elements.
    pub(crate) const fn of_mesh(self, mesh: &'static str, elements: u64) -> Self {
        Self {
            mesh: Some(mesh),
            elements,
            ..self
        }
    }

    /// Sets the references.
    pub(crate) const fn against(self, against: &'static [Against]) -> Self {
        Self { against, ..self }
    }

    /// Sets the goals.
    pub(crate) const fn goals(self, goals: &'static [Goal]) -> Self {
        Self { goals, ..self }
    }

    /// Sets goal and reference on the row's own mesh.
    pub(crate) const fn known(self, known: [GoalAndRival; 3]) -> Self {
        Self { known, ..self }
    }

    /// Sets a goal that follows from another measurement.
    pub(crate) const fn relative(self, relative: Relative) -> Self {
        Self {
            relative: Some(relative),
            ..self
        }
    }

    /// Measures the row, and adds the result to the record.
    pub(crate) fn measure(
        &self,
        bench: &S::Bench<'_>,
        engine: &Engine,
        place: MeasuredOn<'_>,
        record: &mut BenchRecord,
    ) -> Result<()> {
        eprintln!("{} on {}: {}", place.mesh, engine.name(), self.name);
        let measured = (self.work)(bench).with_context(|| format!("row {}", self.name))?;
        self.finish(measured, engine, place, record);
        Ok(())
    }

    /// Does as [`Row::measure`], and returns a message where the row cannot be measured.
    pub(crate) fn try_measure(
        &self,
        bench: &S::Bench<'_>,
        engine: &Engine,
        place: MeasuredOn<'_>,
        record: &mut BenchRecord,
    ) -> Option<String> {
        let error = self.measure(bench, engine, place, record).err()?;
        let message = format!("{} on {}: {error:#}", place.mesh, engine.name());
        eprintln!("LEFT OUT: {message}");
        Some(message)
    }

    /// Adds a measurement to the record.
    pub(crate) fn finish(
        &self,
        m: Measured,
        engine: &Engine,
        place: MeasuredOn<'_>,
        record: &mut BenchRecord,
    ) {
        let info = engine.info();
        let mut references = reference::references(self.against, &info.engine, place.size);
        let mut goal = reference::goal(self.goals, &info.engine, place.size);
        if self.mesh.is_none_or(|own| own == place.base()) {
            let known = self.known_on(engine.is_cuda(), info.units);
            references.extend(known.rival.map(|(value, system)| Reference {
                system: system.to_owned(),
                value,
                ..Reference::default()
            }));
            goal = goal.or(known.goal);
        }
        if engine.is_cuda() && goal.is_none() {
            goal = match self.relative {
                Some(Relative::Rival(times)) => {
                    let values = references.iter().map(|r| times * r.value);
                    values.min_by(f64::total_cmp)
                }
                _ => self.goal_like(record, place.mesh, m.elements),
            };
        }
        let (unit, values) = m.amount.unwrap_or((Unit::Milliseconds, m.times.ms));
        record.runs.push(Run {
            row: self.name.to_owned(),
            mesh: place.mesh.to_owned(),
            unit,
            per: m.per.to_owned(),
            elements: m.elements,
            bytes: m.floor.bytes,
            counted: m.floor.counted,
            values,
            single_ms: m.times.single_ms,
            wall_ms: m.times.wall_ms,
            kernels: m.kernels,
            figures: m.figures,
            references,
            goal,
            patch_size: place.patch_size,
        });
    }

    /// Returns the goal that follows from the time of another row on the same mesh.
    pub(crate) fn goal_like(&self, record: &BenchRecord, mesh: &str, elements: u64) -> Option<f64> {
        let Some(Relative::Row(name, times)) = self.relative else {
            return None;
        };
        let row = record.run(name, mesh)?;
        Some(times * row.median() * elements as f64 / row.elements as f64)
    }

    fn known_on(&self, is_cuda: bool, units: u32) -> GoalAndRival {
        let [any, gpu, two_threads] = self.known;
        let here = match (is_cuda, units) {
            (true, _) => gpu,
            (false, 2) => two_threads,
            _ => GoalAndRival::default(),
        };
        GoalAndRival {
            goal: here.goal.or(any.goal),
            rival: here.rival.or(any.rival),
        }
    }
}

/// Assigns rows to meshes by name: those of the flags, else those of the rows, one batch for rows of a mesh that follow
/// each other; rows without a mesh of their own come first. On the flags' meshes each row that `fits` is measured once.
pub(crate) fn batches_by_name<S: Subject<Name = String>>(
    arguments: &RunArguments,
    rows: Vec<&'static Row<S>>,
    fits: impl Fn(&Row<S>, &str) -> bool,
) -> Vec<Batch<S>> {
    let asked = arguments.mesh_names();
    if !asked.is_empty() {
        let once = |name: String| {
            let mut seen = std::collections::HashSet::new();
            let rows = rows
                .iter()
                .filter(|row| fits(row, &name) && seen.insert(row.name));
            let rows = rows.copied().collect();
            Batch { name, rows }
        };
        return asked.into_iter().map(once).collect();
    }
    let (own, of_run): (Vec<_>, Vec<_>) = rows.into_iter().partition(|row| row.mesh.is_some());
    let meshes = S::MESHES.iter().take(arguments.most_meshes());
    let of_run = meshes.map(|name| Batch {
        name: (*name).to_owned(),
        rows: of_run.clone(),
    });
    let own = own.chunk_by(|a, b| a.mesh == b.mesh).map(|rows| Batch {
        name: rows[0].mesh.unwrap_or_default().to_owned(),
        rows: rows.to_vec(),
    });
    of_run
        .chain(own)
        .filter(|batch| !batch.rows.is_empty())
        .collect()
}
