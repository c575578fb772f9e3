//! Record of a run. `bench/README.md` documents the schema.

#[cfg(test)]
pub(crate) mod tests;

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::conflicts::{EditScheduler, SPECULATIVE_PATCH_SIZE};
use anyhow::{Context as _, Result};
use rxmesh_host::engine::Engine;
use rxmesh_host::patch::PatchOptions;
use serde::{Deserialize, Serialize};

use crate::measure::median;
use crate::mesh::{FileRecord, Input};
use crate::reference::{self, Reference};
use crate::rows;
use crate::subject::Subject as _;
use crate::triangles::Triangles;

/// Describes the settings of the speculative scheduler's rows; `None` where there are none.
pub(crate) fn speculative_settings(record: &BenchRecord) -> Option<String> {
    let runs = record.runs.iter().filter_map(|r| r.patch_size);
    let size = runs.max().filter(|_| record.subject == Triangles::NAME)?;
    Some(format!(
        "patches of at most {} faces, {size} in rows of the speculative scheduler",
        record.options.patch_size_of(EditScheduler::Claims)
    ))
}

/// Version of the schema. Version 1 had rows that are no times in a list of their own, which is read too.
const SCHEMA: u32 = 2;

/// One run of the program on one engine.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct BenchRecord {
    schema: u32,
    /// Kind of the meshes.
    #[serde(default = "triangles")]
    pub(crate) subject: String,
    pub(crate) version: String,
    pub(crate) commit: String,
    pub(crate) date: String,
    pub(crate) engine: EngineRecord,
    pub(crate) options: RunOptions,
    pub(crate) ceiling: Option<Ceiling>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) meshes: Vec<MeshRecord>,
    pub(crate) runs: Vec<Run>,
    /// Rows that are no times, in records of schema 1; reading moves them to `runs`.
    #[serde(default, skip_serializing)]
    amounts: Vec<Run>,
}

fn triangles() -> String {
    Triangles::NAME.to_owned()
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct EngineRecord {
    pub(crate) name: String,
    pub(crate) device: String,
    pub(crate) units: u32,
    pub(crate) host_threads: usize,
}

impl EngineRecord {
    pub(crate) fn of(engine: &Engine) -> EngineRecord {
        let info = engine.info();
        EngineRecord {
            name: info.engine,
            device: info.device,
            units: info.units,
            host_threads: rayon::current_num_threads(),
        }
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct RunOptions {
    pub(crate) order: Input,
    /// Most faces or cells of a patch, where not the default of the kind of meshes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) patch_size: Option<u32>,
    pub(crate) seed: u64,
    pub(crate) repeat: usize,
    pub(crate) budget_s: f64,
    pub(crate) batch: u32,
    /// Threads of patch kernels' blocks, where not each kernel's own number.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) block_threads: Option<u32>,
    /// Most faces of a patch in the rows of the speculative scheduler, where not the library's default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) speculative_patch_size: Option<u32>,
}

/// Most faces of a patch, unless flags say otherwise.
const PATCH_SIZE: u32 = 512;

impl RunOptions {
    /// Returns the most faces of a patch in the rows of a scheduler of edits.
    pub(crate) fn patch_size_of(&self, conflicts: EditScheduler) -> u32 {
        let patch_size = self.patch_size.unwrap_or(PATCH_SIZE);
        match conflicts {
            EditScheduler::Claims => patch_size,
            EditScheduler::Speculative => self
                .speculative_patch_size
                .or(SPECULATIVE_PATCH_SIZE)
                .unwrap_or(patch_size),
        }
    }
}

/// Measured copy bandwidth; bytes read and bytes written both count.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Ceiling {
    pub(crate) what: String,
    pub(crate) bytes: u64,
    pub(crate) ms: Vec<f64>,
    pub(crate) gb_s: f64,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct MeshRecord {
    pub(crate) name: String,
    pub(crate) recipe: String,
    pub(crate) level: u32,
    pub(crate) vertices: u32,
    pub(crate) edges: u32,
    pub(crate) faces: u32,
    pub(crate) device_bytes: u64,
    pub(crate) device_bytes_a_face: f64,
    pub(crate) reference_bytes_a_face: Option<f64>,
    /// File of the mesh, where it is read from one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) file: Option<FileRecord>,
    /// `PatchStats` of the construction with the median time.
    pub(crate) patches: serde_json::Value,
}

impl MeshRecord {
    /// Returns a figure of the patcher.
    pub(crate) fn patch_figure(&self, path: &[&str]) -> f64 {
        let found = path
            .iter()
            .try_fold(&self.patches, |value, key| value.get(key));
        found.and_then(serde_json::Value::as_f64).unwrap_or(0.0)
    }
}

/// One row on one mesh.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Run {
    pub(crate) row: String,
    pub(crate) mesh: String,
    #[serde(default)]
    pub(crate) unit: Unit,
    /// Unit that `elements` counts.
    #[serde(default)]
    pub(crate) per: String,
    #[serde(default)]
    pub(crate) elements: u64,
    /// Bytes that must move.
    #[serde(default)]
    pub(crate) bytes: u64,
    #[serde(default)]
    pub(crate) counted: String,
    /// Samples; the headline is their median. Less is better.
    #[serde(alias = "ms")]
    pub(crate) values: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) single_ms: Vec<f64>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) wall_ms: Vec<f64>,
    /// Threads of the CUDA block and most dynamic shared memory of a block, by kernel.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) kernels: Vec<KernelRecord>,
    /// Other figures of the row.
    #[serde(default, skip_serializing_if = "serde_json::Map::is_empty")]
    pub(crate) figures: serde_json::Map<String, serde_json::Value>,
    /// References, in the same unit.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) references: Vec<Reference>,
    #[serde(alias = "goal_ms")]
    pub(crate) goal: Option<f64>,
    /// Most elements of a patch, where different from the options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) patch_size: Option<u32>,
}

/// Unit of a row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Unit {
    #[default]
    #[serde(rename = "ms")]
    Milliseconds,
    /// Share of something, in percent.
    #[serde(rename = "%")]
    Percent,
    /// Bytes per face.
    #[serde(rename = "bytes a face")]
    BytesAFace,
    /// Bytes per cell.
    #[serde(rename = "bytes a cell")]
    BytesACell,
    /// Ratio of two figures.
    #[serde(rename = "times")]
    Times,
}

impl std::fmt::Display for Unit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Unit::Milliseconds => "ms",
            Unit::Percent => "%",
            Unit::BytesAFace => "bytes a face",
            Unit::BytesACell => "bytes a cell",
            Unit::Times => "times",
        })
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct KernelRecord {
    pub(crate) name: String,
    pub(crate) threads: u32,
    pub(crate) shared_bytes: u32,
}

impl Run {
    /// Returns the median.
    pub(crate) fn median(&self) -> f64 {
        median(&self.values)
    }

    /// Returns `true` if the row is a time.
    pub(crate) fn is_time(&self) -> bool {
        self.unit == Unit::Milliseconds
    }

    /// Returns the gigabytes per second, counting the bytes that must move.
    pub(crate) fn gb_s(&self) -> Option<f64> {
        (self.bytes > 0).then(|| self.bytes as f64 / self.median() / 1e6)
    }
}

impl BenchRecord {
    pub(crate) fn new(subject: &str, engine: &Engine, options: RunOptions) -> Self {
        Self {
            schema: SCHEMA,
            subject: subject.to_owned(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            commit: commit(),
            date: now(),
            engine: EngineRecord::of(engine),
            options,
            ceiling: None,
            meshes: Vec::new(),
            runs: Vec::new(),
            amounts: Vec::new(),
        }
    }

    /// Returns a row's median as a multiple of its floor at the measured bandwidth.
    pub(crate) fn over_floor(&self, run: &Run) -> Option<f64> {
        let ceiling = self.ceiling.as_ref()?;
        run.gb_s().map(|gb_s| ceiling.gb_s / gb_s)
    }

    /// Reads a record, and replaces its references with those known now.
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
        let mut record: Self =
            serde_json::from_str(&text).with_context(|| path.display().to_string())?;
        record.refresh();
        Ok(record)
    }

    fn refresh(&mut self) {
        self.runs.append(&mut self.amounts);
        if self.subject != Triangles::NAME {
            return;
        }
        for mesh in &mut self.meshes {
            mesh.reference_bytes_a_face = reference::bytes_a_face(mesh.faces);
        }
        for run in &mut self.runs {
            if let Some(row) = rows::all().find(|r| r.name == run.row) {
                let mesh = self.meshes.iter().find(|m| m.name == run.mesh);
                let faces = mesh.map_or(0, |m| m.faces.into());
                run.references = reference::references(row.against, &self.engine.name, faces);
            }
        }
    }

    /// Returns a row's result on a mesh.
    pub(crate) fn find(&self, row: &str, mesh: &str) -> Option<&Run> {
        let mut runs = self.runs.iter();
        runs.find(|r| r.row == row && r.mesh == mesh)
    }

    /// Returns a row's time on a mesh.
    pub(crate) fn run(&self, row: &str, mesh: &str) -> Option<&Run> {
        self.find(row, mesh).filter(|r| r.is_time())
    }

    /// Returns the result of a row that is no time.
    pub(crate) fn amount(&self, row: &str, mesh: &str) -> Option<&Run> {
        self.find(row, mesh).filter(|r| !r.is_time())
    }

    /// Returns the strongest rival of a run and the factor by which it takes longer. A rival whose figure includes the
    /// work of other rows is compared with all of them together. One that does more than the run, or the same on
    /// another input, counts when there is no other.
    pub(crate) fn rival<'a>(&self, run: &'a Run) -> Option<(&'a Reference, f64)> {
        let with = |r: &'a Reference| {
            let beside = r
                .beside
                .iter()
                .map(|row| Some(self.run(row, &run.mesh)?.median()));
            let beside: f64 = beside.sum::<Option<f64>>()?;
            Some((r, r.value / (run.median() + beside)))
        };
        let strongest = |stands_in: bool| {
            let is = |r: &&Reference| (r.more.is_some() || r.elsewhere.is_some()) == stands_in;
            let all = run.references.iter().filter(is).filter_map(with);
            all.min_by(|a, b| a.1.total_cmp(&b.1))
        };
        strongest(false).or_else(|| strongest(true))
    }

    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let text = serde_json::to_string_pretty(self)?;
        rxmesh_host::files::write_bytes(path, (text + "\n").as_bytes())
            .with_context(|| path.display().to_string())
    }

    /// Returns `<date>-<engine>-<device>.json`.
    pub(crate) fn file_name(&self) -> String {
        format!("{}-{}.json", &self.date[..10], self.machine())
    }

    /// Returns the file whose mesh was measured, if not the bench's own meshes.
    pub(crate) fn file(&self) -> Option<&FileRecord> {
        self.meshes.first()?.file.as_ref()
    }

    /// Returns `<engine>-<device>`, followed by the name of a file's mesh.
    pub(crate) fn machine(&self) -> String {
        let word = |text: &str| {
            let words: Vec<String> = text
                .to_lowercase()
                .split(|c: char| !c.is_ascii_alphanumeric())
                .filter(|w| !w.is_empty())
                .map(str::to_owned)
                .collect();
            words.join("-")
        };
        let machine = format!("{}-{}", word(&self.engine.name), word(&self.engine.device));
        match self.file() {
            Some(file) => format!("{machine}-{}", word(&file.name)),
            None => machine,
        }
    }

    /// Returns the path of the record: in a folder under its own name, or a file; with several engines one file each.
    pub(crate) fn path(&self, asked: &Path, several: bool) -> PathBuf {
        if asked.is_dir() || asked.to_string_lossy().ends_with('/') {
            return asked.join(self.file_name());
        }
        if !several {
            return asked.to_owned();
        }
        let stem = asked.file_stem().unwrap_or_default().to_string_lossy();
        asked.with_file_name(format!("{stem}-{}.json", self.engine.name))
    }
}

/// Returns the options of the patches for the rows of a scheduler of edits; all others use those of claims.
pub(crate) fn patch_options(options: &RunOptions, conflicts: EditScheduler) -> PatchOptions {
    PatchOptions::default().with(|o| {
        o.patch_size = options.patch_size_of(conflicts);
        o.seed = options.seed;
        o.growth = 1.0;
    })
}

/// Returns the commit in `RXMESH_COMMIT`, else that of git, else `unknown`.
pub(crate) fn commit() -> String {
    if let Ok(commit) = std::env::var("RXMESH_COMMIT") {
        return commit;
    }
    let out = Command::new("git")
        .args(["describe", "--always", "--dirty", "--abbrev=12"])
        .output();
    match out {
        Ok(out) if out.status.success() => String::from_utf8_lossy(&out.stdout).trim().to_owned(),
        _ => "unknown".to_owned(),
    }
}

/// Returns the time in UTC, as `2026-01-31T12:00:00Z`.
pub(crate) fn now() -> String {
    let seconds = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |d| d.as_secs());
    date(seconds)
}

/// Computes the civil date of a Unix time (Hinnant, "chrono-compatible low-level date algorithms", 2013).
fn date(seconds: u64) -> String {
    let (days, rest) = (seconds / 86400, seconds % 86400);
    let z = days + 719_468;
    let (era, day_of_era) = (z / 146_097, z % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 {
        shifted + 3
    } else {
        shifted - 9
    };
    let year = era * 400 + year_of_era + u64::from(month <= 2);
    format!(
        "{year:04}-{month:02}-{day:02}T{:02}:{:02}:{:02}Z",
        rest / 3600,
        rest / 60 % 60,
        rest % 60
    )
}
