//! Record of a run of the volumes' rows, and its comparison with others' measurements.

use std::path::Path;
use std::sync::OnceLock;

use anyhow::{Context as _, Result};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::measure::median;
use crate::record::EngineRecord;

/// One run on the engines.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Record {
    pub(crate) schema: u32,
    pub(crate) what: String,
    pub(crate) commit: String,
    pub(crate) date: String,
    /// Most cells of a patch, where the row does not state its own.
    pub(crate) patch_size: Option<u32>,
    pub(crate) engines: Vec<Measured>,
    pub(crate) rows: Vec<RowRecord>,
}

/// Engine, and its copy bandwidth: bytes read and written, in GB/s.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    #[serde(flatten)]
    pub(crate) engine: EngineRecord,
    pub(crate) gb_s: f64,
}

/// One row on one engine.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(crate) struct RowRecord {
    pub(crate) row: String,
    pub(crate) engine: String,
    pub(crate) mesh: String,
    pub(crate) cells: u64,
    /// Unit: `ms`, `bytes a cell` or `times`.
    pub(crate) unit: String,
    /// Samples; the headline is their median.
    pub(crate) values: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) single_ms: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) wall_ms: Vec<f64>,
    /// Fastest form, which is the one measured, and medians of all forms tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) form: Option<String>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(crate) tried: Map<String, Value>,
    /// Bytes that must move, and the milliseconds that a copy of as many takes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) floor_bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) floor_ms: Option<f64>,
    pub(crate) goal: Option<f64>,
    /// Best measurement of MeshTaichi.
    pub(crate) reference: Option<f64>,
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub(crate) figures: Map<String, Value>,
}

impl Record {
    pub(crate) fn read(path: &Path) -> Result<Record> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        serde_json::from_str(&text).with_context(|| path.display().to_string())
    }

    /// Returns one line per row.
    pub(crate) fn table(&self) -> String {
        let lines = self.rows.iter().map(RowRecord::line);
        std::iter::once(HEADING.to_owned()).chain(lines).collect()
    }
}

/// Head of the table.
pub(crate) const HEADING: &str = "\
| row | engine | mesh | value | floor | over it | goal | MeshTaichi | over ours | form |\n\
| --- | --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | --- |\n";

impl RowRecord {
    /// Returns the headline: the median.
    pub(crate) fn value(&self) -> f64 {
        median(&self.values)
    }

    /// Returns the table's line.
    pub(crate) fn line(&self) -> String {
        let value = self.value();
        let number = |x: Option<f64>| x.map_or("-".into(), |x| Short(x).to_string());
        let times = |x: Option<f64>| x.map_or("-".into(), |x| format!("{x:.1}"));
        format!(
            "| {} | {} | {} | {} {} | {} | {} | {} | {} | {} | {} |\n",
            self.row,
            self.engine,
            self.mesh,
            Short(value),
            self.unit,
            number(self.floor_ms),
            times(self.floor_ms.map(|floor| value / floor)),
            number(self.goal),
            number(self.reference),
            times(self.reference.map(|theirs| theirs / value)),
            self.form.as_deref().unwrap_or("-"),
        )
    }
}

/// Number in its shortest form.
struct Short(f64);

impl std::fmt::Display for Short {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let digits = if self.0 < 10.0 { 1e4 } else { 1e1 };
        write!(f, "{}", (self.0 * digits).round() / digits)
    }
}

/// Measurements of MeshTaichi.
#[derive(Deserialize)]
struct Theirs {
    rows: Vec<TheirRow>,
}

#[derive(Deserialize)]
struct TheirRow {
    name: String,
    values: Vec<Point>,
}

#[derive(Deserialize)]
struct Point {
    cells: u64,
    value: f64,
}

fn theirs() -> &'static [TheirRow] {
    static READ: OnceLock<Theirs> = OnceLock::new();
    let text = include_str!("../../../../bench/records/references/meshtaichi-tets-h200.json");
    let read = READ.get_or_init(|| {
        // The tests read it.
        serde_json::from_str(text).unwrap_or(Theirs { rows: Vec::new() })
    });
    &read.rows
}

/// Most relative difference in size between meshes that are compared.
const NEAR: f64 = 0.05;

fn near(a: u64, b: u64) -> bool {
    (a as f64 / b as f64 - 1.0).abs() < NEAR
}

/// Rows of the reference for those of ours that have another name.
const NAMES: [(&str, &str); 3] = [
    ("springs, gather", "spring gather VV (ms.py)"),
    ("springs, scatter", "spring scatter EV"),
    ("build, V and C", "patching"),
];

/// Returns MeshTaichi's fastest time on a mesh of about `cells` cells, on an H200.
pub(crate) fn reference(row: &str, cells: u64) -> Option<f64> {
    let name = NAMES.iter().find(|n| n.0 == row).map_or(row, |n| n.1);
    let rows = theirs().iter().filter(|r| r.name.starts_with(name));
    let values = rows
        .flat_map(|r| &r.values)
        .filter(|p| near(p.cells, cells));
    values.map(|p| p.value).min_by(f64::total_cmp)
}

/// Returns the same on two threads of a CPU.
pub(crate) fn reference_on_two_threads(row: &str, cells: u64) -> Option<f64> {
    const KNOWN: [(&str, u64, f64); 4] = [
        ("springs, gather", 63_888, 1.48),
        ("springs, gather", 511_104, 12.1),
        ("springs, scatter", 63_888, 4.2),
        ("springs, scatter", 511_104, 34.0),
    ];
    let known = KNOWN.iter().find(|k| k.0 == row && near(k.1, cells))?;
    Some(known.2)
}

/// MeshTaichi's bytes per cell with all relations prepared, EE and FF included.
pub(crate) const REFERENCE_BYTES: f64 = 377.0;

/// Performance goals of this project on one H200 (construction: 16 cores): row, cells, milliseconds.
const GOALS: [(&str, u64, f64); 9] = [
    ("CV, gather", 2_044_416, 0.045),
    ("VC, gather", 2_044_416, 0.045),
    ("EV, gather", 2_044_416, 0.050),
    ("CV, scatter", 2_044_416, 0.07),
    ("EV, scatter", 2_044_416, 0.07),
    ("CE, scatter", 2_044_416, 0.12),
    ("springs, gather", 2_044_416, 0.018),
    ("springs, scatter", 2_044_416, 0.030),
    ("build, V and C", 2_044_416, 400.0),
];

/// Returns the goal of a row; for an operation without its own, a third of the reference.
pub(crate) fn goal(row: &str, cells: u64) -> Option<f64> {
    let own = GOALS.iter().find(|g| g.0 == row && near(g.1, cells));
    let third = || reference(row, cells).map(|ms| ms / 3.0);
    let operation = row.ends_with(", gather") || row.ends_with(", scatter");
    own.map(|g| g.2).or_else(|| third().filter(|_| operation))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::volumes::operations::OPERATIONS;

    #[test]
    fn the_reference_has_every_operation() {
        for operation in &OPERATIONS {
            let small = reference(operation.name, 63_888);
            assert!(small > Some(0.0), "{}", operation.name);
            assert!(goal(operation.name, 63_888) < small);
        }
        assert_eq!(reference("CV, gather", 2_044_416), Some(0.179));
        assert_eq!(reference("springs, gather", 2_044_416), Some(0.0375));
        assert_eq!(goal("CV, gather", 2_044_416), Some(0.045));
        assert_eq!(reference("CV, gather", 1000), None);
        assert!(reference("build, V and C", 511_104) > Some(20_000.0));
    }

    #[test]
    fn a_line_says_how_a_row_stands() {
        let row = RowRecord {
            row: "VC, gather".into(),
            engine: "cuda".into(),
            mesh: "cube:22".into(),
            unit: "ms".into(),
            values: vec![0.02, 0.04, 0.03],
            form: Some("prepared, direct".into()),
            floor_ms: Some(0.012),
            reference: Some(0.186),
            ..RowRecord::default()
        };
        let line = "| VC, gather | cuda | cube:22 | 0.03 ms | 0.012 | 2.5 | - | 0.186 | 6.2 | prepared, direct |\n";
        assert_eq!(row.line(), line);
    }
}
