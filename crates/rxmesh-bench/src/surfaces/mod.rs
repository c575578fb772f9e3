//! Rows of polygon meshes and subdivision surfaces: a separate table and record, because their meshes differ from
//! the others.

mod meshes;
mod rows;
mod thesis;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::PolyMesh;
use serde::{Deserialize, Serialize};

use crate::EngineChoice;
use crate::measure::{Effort, median};
use crate::record::{EngineRecord, commit, now};
use crate::run::engines;
use rows::{ROWS, Row};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Engines to measure
    #[arg(long, default_value = "all")]
    engine: EngineChoice,
    /// Only rows whose name begins so; without, all but those of the thesis' tables (`thesis 6.1`, ...)
    #[arg(long, value_delimiter = ',', value_name = "ROW")]
    rows: Vec<String>,
    /// Only rows of at most N million final faces
    #[arg(long, default_value_t = 1e9, value_name = "N")]
    most: f64,
    /// Most samples of a row
    #[arg(long, default_value_t = 21, value_name = "N")]
    repeat: usize,
    /// Seconds after which a row takes no more samples than it must
    #[arg(long, default_value_t = 1.0, value_name = "S")]
    budget: f64,
    /// Launches between two device events
    #[arg(long, default_value_t = 20, value_name = "N")]
    batch: u32,
    /// Write the record to a file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Measure nothing, and print the table of a record, as docs/library/surfaces.md has it
    #[arg(long, value_name = "RECORD", exclusive = true)]
    print: Option<PathBuf>,
}

/// One run on the engines.
#[derive(Debug, Serialize, Deserialize)]
struct Record {
    schema: u32,
    what: String,
    commit: String,
    date: String,
    engines: Vec<EngineRecord>,
    rows: Vec<RowRecord>,
}

/// One row on one engine.
#[derive(Debug, Serialize, Deserialize)]
struct RowRecord {
    row: String,
    engine: String,
    mesh: String,
    levels: u32,
    /// Number of faces of the result.
    faces: u64,
    /// Milliseconds; the headline is their median.
    ms: Vec<f64>,
    single_ms: Vec<f64>,
    wall_ms: Vec<f64>,
    /// Bytes kept on the engine between calls, where the row reports them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    goal_ms: Option<f64>,
    /// Best measurement of others, and its origin.
    baseline_ms: Option<f64>,
    baseline: Option<String>,
    /// The same for a row without times, in bytes per face.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    goal_bytes: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    baseline_bytes: Option<f64>,
}

/// Goals and baselines on two threads of a CPU: row, faces, milliseconds.
const ON_TWO_THREADS: [(&str, u64, f64, (f64, &str)); 1] = [(
    "catmull-clark",
    614_400,
    4.0,
    (8.6, "halfedge rule in C; without half-edges"),
)];

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if let Some(path) = &arguments.print {
        print!("{}", Record::read(path)?.table());
        return Ok(());
    }
    let rows: Vec<&Row> = ROWS
        .iter()
        .chain(thesis::ROWS)
        .filter(|row| arguments.wants(row))
        .collect();
    ensure!(!rows.is_empty(), "there are no such rows");
    let effort = Effort {
        repeat: arguments.repeat.max(1),
        budget: Duration::from_secs_f64(arguments.budget.clamp(0.0, 1e6)),
        batch: arguments.batch.max(1),
    };
    let mut record = Record {
        schema: 1,
        what: "surfaces".into(),
        commit: commit(),
        date: now(),
        engines: Vec::new(),
        rows: Vec::new(),
    };
    println!("| row | mesh | levels | faces | ms | goal | best baseline | single | wall |");
    println!("| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    let mut meshes = Meshes::default();
    for engine in engines(arguments.engine)? {
        record.engines.push(EngineRecord::of(&engine));
        for row in &rows {
            let place = || format!("{} of {}, {} levels", row.name, row.mesh, row.levels);
            let mesh = meshes.get(row.mesh).with_context(place)?;
            let mut measured = measure(&engine, row, mesh, effort).with_context(place)?;
            if let (Some((name, times)), true) = (row.like, engine.is_cuda()) {
                measured.goal_ms = record.time_of(name, &measured).map(|ms| ms * times);
            }
            println!("{}", measured.line());
            record.rows.push(measured);
        }
    }
    if let Some(path) = &arguments.json {
        let text = serde_json::to_string_pretty(&record)? + "\n";
        rxmesh_host::files::write_bytes(path, text.as_bytes())?;
    }
    Ok(())
}

impl Arguments {
    fn wants(&self, row: &Row) -> bool {
        let named = |n: &String| row.name.starts_with(n.as_str());
        let by_name = match self.rows.is_empty() {
            true => !row.name.starts_with("thesis"),
            false => self.rows.iter().any(named),
        };
        by_name && row.faces as f64 <= self.most * 1e6
    }
}

/// Cache of the last mesh: rows of one mesh follow each other.
#[derive(Default)]
struct Meshes {
    last: Option<(&'static str, PolyMesh)>,
}

impl Meshes {
    fn get(&mut self, name: &'static str) -> Result<&PolyMesh> {
        let last = self.last.take().filter(|(known, _)| *known == name);
        let mesh = match last {
            Some(last) => last,
            None => (name, name.parse::<meshes::Name>()?.make()?),
        };
        Ok(&self.last.insert(mesh).1)
    }
}

fn measure(engine: &Engine, row: &Row, mesh: &PolyMesh, effort: Effort) -> Result<RowRecord> {
    let measured = (row.work)(engine, mesh, row.levels, effort)?;
    let two_threads = ON_TWO_THREADS
        .iter()
        .find(|known| engine.info().units == 2 && (known.0, known.1) == (row.name, row.faces));
    let (goal, baseline) = match (engine.is_cuda(), two_threads) {
        (true, _) => (row.goal, row.baseline),
        (false, Some(known)) => (Some(known.2), Some(known.3)),
        (false, None) => (None, None),
    };
    // Memory is the same on every engine.
    let in_bytes = measured.times.ms.is_empty();
    let (goal, baseline) = match in_bytes {
        true => (row.goal, row.baseline),
        false => (goal, baseline),
    };
    let number = baseline.map(|b| b.0);
    Ok(RowRecord {
        row: row.name.into(),
        engine: engine.name(),
        mesh: row.mesh.into(),
        levels: row.levels,
        faces: row.faces,
        ms: measured.times.ms,
        single_ms: measured.times.single_ms,
        wall_ms: measured.times.wall_ms,
        bytes: measured.bytes,
        goal_ms: goal.filter(|_| !in_bytes),
        baseline_ms: number.filter(|_| !in_bytes),
        baseline: baseline.map(|b| b.1.into()),
        goal_bytes: goal.filter(|_| in_bytes),
        baseline_bytes: number.filter(|_| in_bytes),
    })
}

impl Record {
    fn read(path: &Path) -> Result<Record> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())
    }

    /// Returns the time of the row `name` on the mesh and engine of another row, scaled to the number of faces of that
    /// one.
    fn time_of(&self, name: &str, other: &RowRecord) -> Option<f64> {
        let alike = |row: &&RowRecord| {
            row.row == name
                && (&row.mesh, &row.engine, row.levels)
                    == (&other.mesh, &other.engine, other.levels)
        };
        let row = self.rows.iter().find(alike)?;
        Some(median(&row.ms) * other.faces as f64 / row.faces as f64)
    }

    /// Returns one line per row: the measurement, the goal, and the times of others.
    fn table(&self) -> String {
        let mut table = String::from(
            "| row | mesh | levels | faces | ms | goal | best of others (ported: by us) |\n\
             | --- | --- | ---: | ---: | ---: | ---: | --- |\n",
        );
        for row in &self.rows {
            let other = match (&row.baseline, row.baseline_ms.or(row.baseline_bytes)) {
                (Some(name), Some(value)) => format!("{}: {name}", Short(value)),
                _ => "-".into(),
            };
            table += &format!(
                "| {} | {} | {} | {} | {} | {} | {other} |\n",
                row.row,
                row.mesh,
                row.levels,
                row.faces,
                row.value(),
                row.goal(),
            );
        }
        table
    }
}

/// Goal or baseline, in its shortest form.
struct Short(f64);

impl std::fmt::Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let rounded = (self.0 * 1e4).round() / 1e4;
        write!(f, "{rounded}")
    }
}

impl RowRecord {
    /// Returns the milliseconds, or the bytes per face of a row without times.
    fn value(&self) -> String {
        match (self.ms.is_empty(), self.bytes) {
            (true, Some(bytes)) => format!("{:.1} bytes a face", bytes as f64 / self.faces as f64),
            _ => format!("{:.4}", median(&self.ms)),
        }
    }

    fn goal(&self) -> String {
        let goal = self.goal_ms.or(self.goal_bytes);
        goal.map_or("-".into(), |goal| Short(goal).to_string())
    }

    fn line(&self) -> String {
        let number = |x: Option<f64>| x.map_or("-".into(), |x| format!("{x:.4}"));
        let middle = |x: &[f64]| (!x.is_empty()).then(|| median(x));
        let baseline = match (&self.baseline, self.baseline_ms.or(self.baseline_bytes)) {
            (Some(name), Some(value)) => format!("{} ({name})", Short(value)),
            _ => "-".into(),
        };
        let bytes = match (self.bytes, self.ms.is_empty()) {
            (Some(b), false) => format!(" ({:.1} bytes a face)", b as f64 / self.faces as f64),
            _ => String::new(),
        };
        format!(
            "| {}, {}{bytes} | {} | {} | {} | {} | {} | {baseline} | {} | {} |",
            self.row,
            self.engine,
            self.mesh,
            self.levels,
            self.faces,
            self.value(),
            self.goal(),
            number(middle(&self.single_ms)),
            number(middle(&self.wall_ms)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rxmesh_host::engine::EngineKind;

    fn all() -> impl Iterator<Item = &'static Row> {
        ROWS.iter().chain(thesis::ROWS)
    }

    /// Every row states the number of faces of its mesh and levels.
    #[test]
    fn rows_say_their_size() -> Result<()> {
        for row in all() {
            let (kind, n) = row.mesh.split_once(':').context("a mesh")?;
            let n: u64 = n.trim_end_matches(char::is_alphabetic).parse()?;
            let faces = n
                * n
                * match kind {
                    "sphere" => 6,
                    "irregular" => 36,
                    "triangles" => 12,
                    // As many as vertices of the triangle mesh, with a mean of six corners.
                    "polygons" => {
                        assert_eq!(
                            row.faces,
                            36 * n * n * 4u64.pow(row.levels - 1),
                            "{}",
                            row.name
                        );
                        continue;
                    }
                    _ => 0,
                };
            let sqrt3 = row.name.starts_with("sqrt3") || row.name.starts_with("thesis 6.7");
            let to_quads = ["6.1", "6.3", "6.8"].iter().any(|t| row.name.contains(t));
            let want = match (row.levels, kind) {
                (0, _) => faces,
                // Patches are not faces: their rows state the mesh's.
                _ if row.name.starts_with("adaptive") => faces,
                (levels, _) if sqrt3 => faces * 3u64.pow(levels),
                (levels, "triangles") if to_quads => 3 * faces * 4u64.pow(levels - 1),
                (levels, _) if row.name.ends_with("boundaries") => {
                    faces / 20 * 19 * 4u64.pow(levels)
                }
                (levels, _) => faces * 4u64.pow(levels),
            };
            assert_eq!(row.faces, want, "{} of {}", row.name, row.mesh);
        }
        Ok(())
    }

    /// Every row runs once on a small mesh of its kind.
    #[test]
    fn every_row_can_be_measured() -> Result<()> {
        let engine = Engine::cpu();
        let effort = Effort {
            repeat: 1,
            budget: Duration::ZERO,
            batch: 1,
        };
        let mut done = std::collections::HashSet::new();
        let mut meshes = Meshes::default();
        for row in all() {
            let (kind, _) = row.mesh.split_once(':').context("a mesh")?;
            if !done.insert((kind, row.work as usize, row.levels.min(1))) {
                continue;
            }
            let small: &'static str = match kind {
                "sphere" => "sphere:6S",
                "irregular" => "irregular:3",
                "polygons" => "polygons:3",
                _ => "triangles:3R",
            };
            let row = Row {
                levels: row.levels.min(2),
                ..*row
            };
            let measured =
                measure(&engine, &row, meshes.get(small)?, effort).with_context(|| row.name)?;
            let in_bytes =
                row.name.contains("bytes") || row.name.contains("6.3") || row.name.contains("6.4");
            assert_eq!(measured.ms.len(), usize::from(!in_bytes), "{}", row.name);
            assert!(!in_bytes || measured.bytes > Some(0), "{}", row.name);
        }
        assert!(done.len() > 20);
        Ok(())
    }

    #[test]
    fn the_thesis_is_measured_when_it_is_asked_for() {
        let arguments = |rows: &[&str]| Arguments {
            engine: EngineChoice::Kind(EngineKind::Cpu),
            rows: rows.iter().map(|r| r.to_string()).collect(),
            most: 1e9,
            repeat: 1,
            budget: 1.0,
            batch: 1,
            json: None,
            print: None,
        };
        let count = |a: &Arguments| all().filter(|row| a.wants(row)).count();
        assert_eq!(count(&arguments(&[])), ROWS.len());
        // Eight meshes, in both forms.
        assert_eq!(count(&arguments(&["thesis 6.1"])), 16);
        assert_eq!(count(&arguments(&["thesis 6.3", "thesis 6.7"])), 32);
        assert_eq!(count(&arguments(&["thesis"])), thesis::ROWS.len());
    }

    /// The time of a smooth surface, scaled by the number of faces, is the goal of a row like it.
    #[test]
    fn a_goal_can_be_another_row() {
        let row = |name: &str, faces, ms: &[f64]| RowRecord {
            row: name.into(),
            engine: "cuda".into(),
            mesh: "sphere:40".into(),
            levels: 5,
            faces,
            ms: ms.to_vec(),
            single_ms: Vec::new(),
            wall_ms: Vec::new(),
            bytes: None,
            goal_ms: None,
            baseline_ms: None,
            baseline: None,
            goal_bytes: None,
            baseline_bytes: None,
        };
        let record = Record {
            schema: 1,
            what: String::new(),
            commit: String::new(),
            date: String::new(),
            engines: Vec::new(),
            rows: vec![row("smooth", 1000, &[1.0, 2.0, 30.0])],
        };
        let other = row("gaps", 500, &[]);
        assert_eq!(record.time_of("smooth", &other), Some(1.0));
        assert_eq!(record.time_of("another", &other), None);
        let elsewhere = RowRecord { levels: 4, ..other };
        assert_eq!(record.time_of("smooth", &elsewhere), None);
    }

    /// The manual's table is that of the newest record.
    #[test]
    fn the_manual_has_the_newest_record() -> Result<()> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut records = Vec::new();
        for entry in std::fs::read_dir(root.join("bench/records/surfaces"))? {
            records.push(entry?.path());
        }
        let newest = records.iter().max().context("there is a record")?;
        let manual = std::fs::read_to_string(root.join("docs/library/surfaces.md"))?;
        let (_, after) = manual
            .split_once("<!-- surfaces:begin -->\n\n")
            .context("a mark")?;
        let (table, _) = after
            .split_once("\n<!-- surfaces:end -->")
            .context("a mark")?;
        assert_eq!(
            table,
            Record::read(newest)?.table(),
            "`rxmesh-bench surfaces --print RECORD` prints what belongs there"
        );
        Ok(())
    }
}
