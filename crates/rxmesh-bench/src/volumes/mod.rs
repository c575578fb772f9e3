//! Rows of volumes: a separate table and record, because their meshes differ from the others.

mod figures;
mod meshes;
mod operations;
mod record;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use rxmesh_host::algo::spring::SpringForces;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::TetMesh;
use rxmesh_host::patch::{Ribbon, VolumeKinds};
use rxmesh_host::store::{RxMesh, Volume};

use crate::EngineChoice;
use crate::measure::{Effort, Times};
use crate::record::{EngineRecord, commit, now};
use crate::rows;
use crate::run::engines;
use figures::PATCH_SIZES;
use meshes::Sizes;
use operations::{OPERATIONS, On, Operation};
use record::{Measured, Record, RowRecord};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Engines to measure
    #[arg(long, default_value = "all")]
    engine: EngineChoice,
    /// Only rows whose name begins so: `VC`, `VC, gather`, `build`, `bytes`, `springs`, `ribbons`, `patches`
    #[arg(long, value_delimiter = ';', value_name = "ROW")]
    rows: Vec<String>,
    /// Cubes, by their number of small cubes an edge and how many there are
    #[arg(
        long,
        value_delimiter = ',',
        value_name = "MESH",
        default_value = "cube:22,cubes:44x4"
    )]
    meshes: Vec<String>,
    /// Measure the volume of a file in place of the cubes
    #[arg(long, value_name = "FILE", conflicts_with = "meshes")]
    mesh: Option<PathBuf>,
    /// The mesh of the rows over sizes of patches (`ribbons`, `patches`)
    #[arg(long, value_name = "MESH", default_value = "cube:44")]
    sweep: String,
    /// Most cells of a patch [default: depends on the mesh]
    #[arg(long, value_name = "N")]
    patch_size: Option<u32>,
    /// Most samples of a row
    #[arg(long, default_value_t = 15, value_name = "N")]
    repeat: usize,
    /// Seconds after which a row takes no more samples than it must
    #[arg(long, default_value_t = 0.3, value_name = "S")]
    budget: f64,
    /// Launches between two device events
    #[arg(long, default_value_t = 20, value_name = "N")]
    batch: u32,
    /// Write the record to a file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measure nothing, and print the table of a record
    #[arg(long, value_name = "RECORD", exclusive = true)]
    print: Option<PathBuf>,
}

/// Relations of the rows `patches`: those that finite elements, springs and smoothing need.
const SWEPT: [&str; 4] = ["VV, gather", "VC, gather", "EV, gather", "CV, gather"];

/// All kinds, as far as relations but EE and FF need.
const ALL: (VolumeKinds, Ribbon) = (VolumeKinds::Faces, Ribbon::Usual);

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if let Some(path) = &arguments.print {
        print!("{}", Record::read(path)?.table());
        return Ok(());
    }
    let mut run = Run {
        arguments,
        record: Record {
            schema: 1,
            what: "volumes".into(),
            commit: commit(),
            date: now(),
            patch_size: arguments.patch_size,
            engines: Vec::new(),
            rows: Vec::new(),
        },
        failed: Vec::new(),
    };
    let engines = engines(arguments.engine)?;
    for engine in &engines {
        let bytes = if engine.is_cuda() { 1 << 30 } else { 256 << 20 };
        let gb_s = rows::copy(engine, bytes, arguments.effort())?.gb_s;
        let engine = EngineRecord::of(engine);
        run.record.engines.push(Measured { engine, gb_s });
    }
    print!("{}", record::HEADING);
    for name in arguments.names() {
        let mesh = meshes::make(&name).with_context(|| name.clone())?;
        for engine in &engines {
            run.mesh(engine, &name, &mesh)
                .with_context(|| format!("{name} on {}", engine.name()))?;
        }
    }
    if arguments.wants("ribbons") || arguments.wants("patches") {
        let name = arguments.swept();
        let mesh = meshes::make(&name).with_context(|| name.clone())?;
        run.sweep(&engines, &name, &mesh).context(name)?;
    }
    ensure!(!run.record.rows.is_empty(), "there are no such rows");
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(&run.record)? + "\n";
        rxmesh_host::files::write_bytes(path, text.as_bytes())?;
    }
    ensure!(run.failed.is_empty(), "left out: {}", run.failed.join(", "));
    Ok(())
}

impl Arguments {
    /// Returns `true` if a row, or any whose name begins with this, was requested.
    fn wants(&self, row: &str) -> bool {
        let asked = |n: &String| row.starts_with(n.as_str()) || n.starts_with(row);
        self.rows.is_empty() || self.rows.iter().any(asked)
    }

    fn names(&self) -> Vec<String> {
        match &self.mesh {
            Some(path) => vec![format!("file:{}", path.display())],
            None => self.meshes.clone(),
        }
    }

    fn swept(&self) -> String {
        match &self.mesh {
            Some(path) => format!("file:{}", path.display()),
            None => self.sweep.clone(),
        }
    }

    fn effort(&self) -> Effort {
        Effort {
            repeat: self.repeat.max(1),
            budget: Duration::from_secs_f64(self.budget.clamp(0.0, 1e6)),
            batch: self.batch.max(1),
        }
    }
}

/// Run in progress.
struct Run<'a> {
    arguments: &'a Arguments,
    record: Record,
    /// Operations that could not run, or gave a wrong sum.
    failed: Vec<String>,
}

impl Run<'_> {
    /// Measures all rows of one mesh on one engine.
    fn mesh(&mut self, engine: &Engine, name: &str, mesh: &TetMesh) -> Result<()> {
        let arguments = self.arguments;
        self.construction(engine, name, mesh)?;
        let wanted = |ring: bool| {
            let all = OPERATIONS.iter();
            all.filter(move |o| o.ring == ring && arguments.wants(o.name))
        };
        let sizes = Sizes::of(mesh);
        if wanted(true).next().is_some() {
            let parts = (VolumeKinds::Faces, Ribbon::Ring);
            let rx = figures::volume(engine, mesh, arguments.patch_size, parts)?;
            self.operations(wanted(true), "", &rx, (name, &sizes))?;
        }
        let others = ["springs", "bytes"].iter().any(|r| arguments.wants(r));
        if wanted(false).next().is_some() || others {
            let rx = figures::volume(engine, mesh, arguments.patch_size, ALL)?;
            self.operations(wanted(false), "", &rx, (name, &sizes))?;
            self.springs(&rx, name, mesh)?;
            self.bytes(&rx, name, "bytes, all prepared but EE and FF", true)?;
        }
        if arguments.wants("bytes, V and C") {
            let parts = (VolumeKinds::Cells, Ribbon::Usual);
            let rx = figures::volume(engine, mesh, arguments.patch_size, parts)?;
            self.bytes(&rx, name, "bytes, V and C", false)?;
        }
        Ok(())
    }

    /// Measures operations on one mesh, under their names with a prefix.
    fn operations<'o>(
        &mut self,
        operations: impl Iterator<Item = &'o Operation>,
        prefix: &str,
        rx: &RxMesh<Volume>,
        (name, sizes): (&str, &Sizes),
    ) -> Result<()> {
        let on = On {
            engine: rx.engine(),
            rx,
            sizes,
            effort: self.arguments.effort(),
        };
        for operation in operations {
            let best = match (operation.run)(&on) {
                Ok(best) => best,
                Err(error) => {
                    let place = format!("{prefix}{} of {name}", operation.name);
                    eprintln!("LEFT OUT: {place}: {error:#}");
                    self.failed.push(place);
                    continue;
                }
            };
            let tried = best.tried.into_iter();
            let row = RowRecord {
                form: Some(best.form),
                tried: tried.map(|(form, ms)| (form, ms.into())).collect(),
                floor_bytes: Some(operation.floor(sizes)),
                ..RowRecord::default()
            };
            let (row_name, mesh) = (
                format!("{prefix}{}", operation.name),
                (name, sizes.counts[3]),
            );
            self.timed(&row_name, rx.engine(), mesh, best.times, row);
        }
        Ok(())
    }

    /// Measures cutting, which needs no engine but is named after one, as its record is.
    fn construction(&mut self, engine: &Engine, name: &str, mesh: &TetMesh) -> Result<()> {
        for (row, parts) in [
            ("build, V and C", (VolumeKinds::Cells, Ribbon::Usual)),
            ("build, V, E, F and C", ALL),
            ("build, with the ring", (VolumeKinds::Faces, Ribbon::Ring)),
        ] {
            if self.arguments.wants(row) {
                let (size, effort) = (self.arguments.patch_size, self.arguments.effort());
                let times = figures::build(engine, mesh, size, parts, effort)?;
                let mesh = (name, mesh.cells.len() as u64);
                self.timed(row, engine, mesh, times, RowRecord::default());
            }
        }
        Ok(())
    }

    fn springs(&mut self, rx: &RxMesh<Volume>, name: &str, mesh: &TetMesh) -> Result<()> {
        for (row, forces) in [
            ("springs, gather", SpringForces::Gather),
            ("springs, scatter", SpringForces::Scatter),
        ] {
            if self.arguments.wants(row) {
                let effort = self.arguments.effort();
                let times = figures::springs(rx.engine(), rx, mesh, forces, effort)?;
                let mesh = (name, mesh.cells.len() as u64);
                self.timed(row, rx.engine(), mesh, times, RowRecord::default());
            }
        }
        Ok(())
    }

    fn bytes(&mut self, rx: &RxMesh<Volume>, name: &str, row: &str, prepared: bool) -> Result<()> {
        if !self.arguments.wants(row) {
            return Ok(());
        }
        let cells = u64::from(rx.count(rxmesh_kernels::topo::Kind::Cell));
        let (bytes, figures) = figures::bytes(rx, prepared)?;
        self.push(RowRecord {
            row: row.into(),
            engine: rx.engine().name(),
            mesh: name.into(),
            cells,
            unit: "bytes a cell".into(),
            values: vec![bytes as f64 / cells as f64],
            goal: Some(if prepared { 160.0 } else { 25.0 }),
            reference: prepared.then_some(record::REFERENCE_BYTES),
            figures,
            ..RowRecord::default()
        });
        Ok(())
    }

    /// Measures the effect of patch sizes on ribbons and times (sections 7.1 and 7.2): staged and direct, on the fly
    /// and prepared.
    fn sweep(&mut self, engines: &[Engine], name: &str, mesh: &TetMesh) -> Result<()> {
        let sizes = Sizes::of(mesh);
        for patch_size in PATCH_SIZES {
            let row = format!("ribbons, patches of {patch_size}");
            if self.arguments.wants(&row) {
                let (gamma, figures) = figures::ribbons(mesh, patch_size)?;
                self.push(RowRecord {
                    row,
                    engine: "host".into(),
                    mesh: name.into(),
                    cells: sizes.counts[3],
                    unit: "times".into(),
                    values: vec![gamma],
                    figures,
                    ..RowRecord::default()
                });
            }
            let rows = SWEPT.map(|swept| format!("patches of {patch_size}, {swept}"));
            if !rows.iter().any(|row| self.arguments.wants(row)) {
                continue;
            }
            for engine in engines {
                let rx = figures::volume(engine, mesh, Some(patch_size), ALL)?;
                let swept = OPERATIONS.iter().filter(|o| SWEPT.contains(&o.name));
                let prefix = format!("patches of {patch_size}, ");
                self.operations(swept, &prefix, &rx, (name, &sizes))?;
            }
        }
        Ok(())
    }

    /// Adds a row of times: milliseconds, the floor, and the references.
    fn timed(
        &mut self,
        row: &str,
        engine: &Engine,
        (mesh, cells): (&str, u64),
        times: Times,
        more: RowRecord,
    ) {
        let name = engine.name();
        let copy = self.record.engines.iter().find(|e| e.engine.name == name);
        let floor = |bytes: u64| copy.map(|c| bytes as f64 / c.gb_s / 1e6);
        let two_threads = || record::reference_on_two_threads(row, cells);
        let (goal, reference) = match (engine.is_cuda(), engine.info().units) {
            (true, _) => (record::goal(row, cells), record::reference(row, cells)),
            (false, 2) => (None, two_threads()),
            _ => (None, None),
        };
        self.push(RowRecord {
            row: row.into(),
            engine: name,
            mesh: mesh.into(),
            cells,
            unit: "ms".into(),
            values: times.ms,
            single_ms: times.single_ms,
            wall_ms: times.wall_ms,
            floor_ms: more.floor_bytes.and_then(floor),
            goal,
            reference,
            ..more
        });
    }

    fn push(&mut self, row: RowRecord) {
        print!("{}", row.line());
        self.record.rows.push(row);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rxmesh_host::engine::EngineKind;

    fn arguments(rows: &[&str]) -> Arguments {
        Arguments {
            engine: EngineChoice::Kind(EngineKind::Cpu),
            rows: rows.iter().map(|r| r.to_string()).collect(),
            meshes: vec!["cube:3".into()],
            mesh: None,
            sweep: "cubes:2x2".into(),
            patch_size: Some(64),
            repeat: 1,
            budget: 0.0,
            batch: 1,
            json: None,
            print: None,
        }
    }

    /// Every row runs once on a small mesh; operations check their sums themselves.
    #[test]
    fn every_row_can_be_measured() -> Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("record.json");
        let all = Arguments {
            json: Some(path.clone()),
            ..arguments(&[])
        };
        run(&all)?;
        let record = Record::read(&path)?;
        let operations = record.rows.iter().filter(|r| r.floor_bytes.is_some());
        let sweep = PATCH_SIZES.len() * SWEPT.len();
        assert_eq!(operations.count(), OPERATIONS.len() + sweep);
        // Three of construction, two of springs, two of bytes, and the ribbons.
        assert_eq!(
            record.rows.len(),
            OPERATIONS.len() + sweep + 7 + PATCH_SIZES.len()
        );
        let ee = record.rows.iter().find(|r| r.row == "EE, gather");
        let ee = ee.context("EE")?;
        assert!(ee.tried.len() > 2 && ee.tried.contains_key("on the fly, direct"));
        assert!(record.rows.iter().all(|r| r.value() > 0.0));
        assert_eq!(record.table().lines().count(), record.rows.len() + 2);
        Ok(())
    }

    #[test]
    fn rows_are_asked_for_by_their_beginning() {
        let some = arguments(&["VC", "build, V and"]);
        assert!(some.wants("VC, gather") && some.wants("build, V and C"));
        assert!(!some.wants("CV, gather") && !some.wants("build, with the ring"));
        assert!(arguments(&["patches of 64"]).wants("patches"));
        assert!(run(&arguments(&["no such row"])).is_err());
    }
}
