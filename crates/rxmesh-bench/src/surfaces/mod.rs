//! Rows of polygon meshes and subdivision surfaces: a table and a record of their own, because they have other meshes
//! than the rest.

mod meshes;
mod rows;

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use rxmesh_host::engine::Engine;
use serde::{Deserialize, Serialize};

use crate::EngineChoice;
use crate::measure::{Effort, median};
use crate::record::{EngineRecord, commit, now};
use crate::run::engines;
use rows::{ROWS, Row};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Engines to measure
    #[arg(long, value_enum, default_value = "all")]
    engine: EngineChoice,
    /// Only rows whose name begins so
    #[arg(long, value_delimiter = ',', value_name = "ROW")]
    rows: Vec<String>,
    /// Only rows of at most so many million final faces
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
    /// Measure nothing, and print the table of a record, as docs/subdivision.md has it
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
    /// Faces of the result.
    faces: u64,
    /// Milliseconds; the headline is their median.
    ms: Vec<f64>,
    single_ms: Vec<f64>,
    wall_ms: Vec<f64>,
    /// Bytes kept on the engine between calls, where the row says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
    goal_ms: Option<f64>,
    /// The best that was measured of others, and whose it is.
    baseline_ms: Option<f64>,
    baseline: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    if let Some(path) = &arguments.print {
        print!("{}", Record::read(path)?.table());
        return Ok(());
    }
    let wanted = |row: &&Row| {
        let named = |n: &String| row.name.starts_with(n.as_str());
        row.faces as f64 <= arguments.most * 1e6
            && (arguments.rows.is_empty() || arguments.rows.iter().any(named))
    };
    let rows: Vec<&Row> = ROWS.iter().filter(wanted).collect();
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
    for engine in engines(arguments.engine)? {
        record.engines.push(EngineRecord::of(&engine));
        for row in &rows {
            let measured = measure(&engine, row, effort)
                .with_context(|| format!("{} of {}, {} levels", row.name, row.mesh, row.levels))?;
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

fn measure(engine: &Engine, row: &Row, effort: Effort) -> Result<RowRecord> {
    let mesh = row.mesh.parse::<meshes::Name>()?.make()?;
    let measured = (row.work)(engine, &mesh, row.levels, effort)?;
    let gpu = engine.is_cuda();
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
        goal_ms: gpu.then_some(row.goal).flatten(),
        baseline_ms: gpu.then_some(row.baseline.map(|b| b.0)).flatten(),
        baseline: gpu.then_some(row.baseline.map(|b| b.1.into())).flatten(),
    })
}

impl Record {
    fn read(path: &Path) -> Result<Record> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())
    }

    /// A row a line: what was measured, the goal, and what others take.
    fn table(&self) -> String {
        let mut table = String::from(
            "| row | mesh | levels | faces | ms | goal | best of others |\n\
             | --- | --- | ---: | ---: | ---: | ---: | --- |\n",
        );
        for row in &self.rows {
            let goal = row.goal_ms.map_or("-".into(), |ms| format!("{ms}"));
            let other = match (&row.baseline, row.baseline_ms) {
                (Some(name), Some(ms)) => format!("{ms}: {name}"),
                _ => "-".into(),
            };
            table += &format!(
                "| {} | {} | {} | {} | {:.4} | {goal} | {other} |\n",
                row.row,
                row.mesh,
                row.levels,
                row.faces,
                median(&row.ms)
            );
        }
        table
    }
}

impl RowRecord {
    fn line(&self) -> String {
        let number = |x: Option<f64>| x.map_or("-".into(), |x| format!("{x:.4}"));
        let middle = |x: &[f64]| (!x.is_empty()).then(|| median(x));
        let baseline = match (&self.baseline, self.baseline_ms) {
            (Some(name), Some(ms)) => format!("{ms} ({name})"),
            _ => "-".into(),
        };
        let bytes = self.bytes.map_or(String::new(), |b| {
            format!(" ({:.1} bytes a face)", b as f64 / self.faces as f64)
        });
        format!(
            "| {}, {}{bytes} | {} | {} | {} | {} | {} | {baseline} | {} | {} |",
            self.row,
            self.engine,
            self.mesh,
            self.levels,
            self.faces,
            number(middle(&self.ms)),
            number(self.goal_ms),
            number(middle(&self.single_ms)),
            number(middle(&self.wall_ms)),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The manual's table is that of the newest record.
    #[test]
    fn the_manual_has_the_newest_record() -> Result<()> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let mut records = Vec::new();
        for entry in std::fs::read_dir(root.join("bench/records/surfaces"))? {
            records.push(entry?.path());
        }
        let newest = records.iter().max().context("there is a record")?;
        let manual = std::fs::read_to_string(root.join("docs/subdivision.md"))?;
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
