//! Rows of deformable bodies, forces and solvers: a separate table and record, because their meshes differ from
//! the others.

mod elastic;
mod hybrid;
mod meshes;
mod rows;

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use rxmesh_host::engine::Engine;
use serde::Serialize;

use crate::EngineChoice;
use crate::measure::{Effort, median, range};
use crate::record::{EngineRecord, commit, now};
use crate::run::engines;
use rows::{ROWS, Row};

#[derive(clap::Args)]
pub(crate) struct Arguments {
    /// Engines to measure
    #[arg(long, default_value = "all")]
    engine: EngineChoice,
    /// Only rows whose name begins so: `force`, `explicit`, `elastic`, `implicit`, `pd frame`, `pd product`,
    /// `xpbd cloth`, `xpbd cells`, `vbd`, `mpm`
    #[arg(long, value_delimiter = ';', value_name = "ROW")]
    rows: Vec<String>,
    /// Only rows of at most N million vertices or cells
    #[arg(long, default_value_t = 1e9, value_name = "N")]
    most: f64,
    /// Measure rows of cells on the volume of a file, once each, in place of the cubes
    #[arg(long, value_name = "FILE")]
    mesh: Option<PathBuf>,
    /// Most samples of a row
    #[arg(long, default_value_t = 15, value_name = "N")]
    repeat: usize,
    /// Seconds after which a row takes no more samples than it must
    #[arg(long, default_value_t = 1.0, value_name = "S")]
    budget: f64,
    /// Launches between two device events in a measurement
    #[arg(long, default_value_t = 10, value_name = "N")]
    batch: u32,
    /// Write the record to a file
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// One run on the engines.
#[derive(Debug, Serialize)]
struct Record {
    schema: u32,
    what: &'static str,
    commit: String,
    date: String,
    engines: Vec<EngineRecord>,
    rows: Vec<RowRecord>,
}

/// One row on one engine.
#[derive(Debug, Serialize)]
struct RowRecord {
    row: &'static str,
    engine: String,
    mesh: String,
    /// Number of vertices of cloth or cells of volumes.
    elements: u64,
    /// Number of launches of the measured work.
    launches: u32,
    /// Milliseconds; the headline is their median.
    ms: Vec<f64>,
    single_ms: Vec<f64>,
    wall_ms: Vec<f64>,
    goal_ms: Option<f64>,
    /// Time of MeshTaichi, where that was measured.
    reference_ms: Option<f64>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<()> {
    let rows: Vec<Row> = arguments.wanted();
    ensure!(!rows.is_empty(), "there are no such rows");
    let effort = Effort {
        repeat: arguments.repeat.max(1),
        budget: Duration::from_secs_f64(arguments.budget.clamp(0.0, 1e6)),
        batch: arguments.batch.max(1),
    };
    let mut record = Record {
        schema: 1,
        what: "solvers",
        commit: commit(),
        date: now(),
        engines: Vec::new(),
        rows: Vec::new(),
    };
    println!(
        "| row | engine | mesh | elements | launches | ms | least | most | wall | goal | MeshTaichi |"
    );
    println!("| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |");
    for engine in engines(arguments.engine)? {
        record.engines.push(EngineRecord::of(&engine));
        for row in &rows {
            let name = match (&arguments.mesh, row.of_cells()) {
                (Some(path), true) => format!("file:{}", path.display()),
                _ => row.mesh.to_owned(),
            };
            let place = || format!("{} of {name} on {}", row.name, engine.name());
            let measured = measure(&engine, row, &name, effort).with_context(place)?;
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
    fn wanted(&self) -> Vec<Row> {
        let named = |row: &Row| {
            self.rows.is_empty() || self.rows.iter().any(|n| row.name.starts_with(n.as_str()))
        };
        let all = ROWS.iter().filter(|row| named(row));
        let mut rows: Vec<Row> = all
            .filter(|row| row.elements as f64 <= self.most * 1e6)
            .copied()
            .collect();
        if self.mesh.is_some() {
            let mut seen = std::collections::BTreeSet::new();
            rows.retain(|row| row.of_cells() && seen.insert(row.name));
        }
        rows
    }
}

fn measure(engine: &Engine, row: &Row, mesh: &str, effort: Effort) -> Result<RowRecord> {
    let measured = (row.work)(engine, mesh, effort)?;
    // Goals and references are those of the mesh that the row names.
    let here = mesh == row.mesh;
    let (goal_ms, reference_ms) = match (engine.is_cuda(), engine.info().units) {
        (true, _) => (row.goal, row.reference),
        (false, 2) => (row.on_two_threads.0, row.on_two_threads.1),
        _ => (None, None),
    };
    Ok(RowRecord {
        row: row.name,
        engine: engine.name(),
        mesh: mesh.to_owned(),
        elements: measured.elements,
        launches: measured.launches,
        ms: measured.times.ms,
        single_ms: measured.times.single_ms,
        wall_ms: measured.times.wall_ms,
        goal_ms: goal_ms.filter(|_| here),
        reference_ms: reference_ms.filter(|_| here),
    })
}

impl RowRecord {
    fn line(&self) -> String {
        let number = |x: Option<f64>| x.map_or("-".into(), |x| format!("{x:.4}"));
        let (least, most) = range(&self.ms);
        let wall = (!self.wall_ms.is_empty()).then(|| median(&self.wall_ms));
        format!(
            "| {} | {} | {} | {} | {} | {:.4} | {least:.4} | {most:.4} | {} | {} | {} |",
            self.row,
            self.engine,
            self.mesh,
            self.elements,
            self.launches,
            median(&self.ms),
            number(wall),
            number(self.goal_ms),
            number(self.reference_ms),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every row runs once on a small mesh of its kind.
    #[test]
    fn every_row_can_be_measured() -> Result<()> {
        let effort = Effort {
            repeat: 1,
            budget: Duration::ZERO,
            batch: 1,
        };
        for row in ROWS {
            let small = if row.of_cells() {
                "cube:3"
            } else {
                "cloths:8x2"
            };
            let measured = measure(&Engine::cpu(), row, small, effort).context(row.name)?;
            assert_eq!(measured.ms.len(), 1, "{}", row.name);
            assert!(
                measured.launches > 0 && measured.goal_ms.is_none(),
                "{}",
                row.name
            );
            assert_eq!(measured.elements, if row.of_cells() { 162 } else { 128 });
        }
        Ok(())
    }

    /// Every row states the number of elements of its mesh.
    #[test]
    fn rows_say_their_size() -> Result<()> {
        for row in ROWS {
            let (kind, size) = row.mesh.split_once(':').context("a mesh")?;
            let elements = match kind {
                "cube" => 6 * size.parse::<u64>()?.pow(3),
                "cubes" => {
                    let (n, m) = size.split_once('x').context("a number of cubes")?;
                    6 * n.parse::<u64>()?.pow(3) * m.parse::<u64>()?
                }
                _ => {
                    let (n, m) = size.split_once('x').context("a number of cloths")?;
                    n.parse::<u64>()?.pow(2) * m.parse::<u64>()?
                }
            };
            assert_eq!(row.elements, elements, "{} of {}", row.name, row.mesh);
        }
        Ok(())
    }
}
