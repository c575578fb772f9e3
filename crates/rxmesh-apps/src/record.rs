//! The record of a run: the JSON object that `--json` writes. `docs/use/record.md` describes every key; keys
//! stay.

use crate::input::Input;
use anyhow::{Result, bail};
use rxmesh_host::engine::{Engine, EngineError};
use rxmesh_host::mesh::{Quality, Spread};
use rxmesh_host::patch::{BytesPerFace, PatchStats, StageTimes};
use rxmesh_host::repair::RepairReport;
use serde::Serialize;
use serde_json::{Map, Value};
use std::path::Path;

/// The meaning of the keys.
pub(crate) const SCHEMA: u32 = 1;

/// One object per run. Keys that do not apply to the command are left out.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Record {
    /// Version of the record: it increases when a key is removed or changes its meaning.
    pub(crate) schema: u32,
    /// Name of the command.
    pub(crate) command: &'static str,
    /// Version of the program.
    pub(crate) version: &'static str,
    /// Mesh that was read, of several the last one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) input: Option<InputRecord>,
    /// Patches of the mesh.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) patches: Option<PatchRecord>,
    /// Engine that computed. Several that shared the work are counted in `device`, and `units` is their sum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) engine: Option<EngineRecord>,
    /// Records of the batches, if several meshes have so many faces that they were processed in batches
    /// (`--batch-faces`): each with the keys of the command. `input` and `output` are those of all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(crate) batches: Vec<Map<String, Value>>,
    /// The application's options and report.
    #[serde(flatten)]
    pub(crate) keys: Map<String, Value>,
    /// Report of `--repair`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) repair: Option<RepairReport>,
    /// Result of a command that changes the connectivity.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) edit: Option<EditRecord>,
    /// File that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) output: Option<OutputRecord>,
    /// Picture that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) picture: Option<PictureRecord>,
    /// Page that was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) page: Option<PageRecord>,
    /// Milliseconds of the stages.
    pub(crate) timings_ms: Timings,
    /// Warnings that were printed.
    pub(crate) warnings: Vec<String>,
}

#[cfg(test)]
rxmesh_host::units!(Record { repair, edit });

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct InputRecord {
    pub(crate) path: String,
    pub(crate) format: String,
    pub(crate) bytes: u64,
    pub(crate) vertices: u64,
    /// Number of faces; null for a volume unless the command used its faces.
    pub(crate) faces: Option<u64>,
    /// Number of edges, if the command used them.
    pub(crate) edges: Option<u64>,
    /// Number of cells of a volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cells: Option<u64>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct PatchRecord {
    pub(crate) count: u32,
    pub(crate) patch_size: u32,
    pub(crate) seed: u64,
    pub(crate) size_min: u32,
    pub(crate) size_mean: f32,
    pub(crate) size_max: u32,
    pub(crate) ribbon_percent: Ribbon,
    pub(crate) rounds: u32,
    pub(crate) bytes_per_face: BytesPerFace,
    pub(crate) stages_ms: StageTimes,
    /// `off`, `built` or `loaded`.
    pub(crate) cache: &'static str,
    /// `host` or `engine`. Patches that were cut on the engine have no rounds and no times of stages: they are zero.
    pub(crate) cut_on: &'static str,
    /// Bytes of the patches on the engine.
    pub(crate) device_bytes: Option<u64>,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Ribbon {
    pub(crate) vertices: f32,
    pub(crate) edges: f32,
    pub(crate) faces: f32,
}

impl From<&PatchStats> for PatchRecord {
    fn from(s: &PatchStats) -> PatchRecord {
        let [vertices, edges, faces] = s.ribbon_percent;
        PatchRecord {
            count: s.patches,
            patch_size: 0,
            seed: 0,
            size_min: s.size_min,
            size_mean: s.size_mean,
            size_max: s.size_max,
            ribbon_percent: Ribbon {
                vertices,
                edges,
                faces,
            },
            rounds: s.rounds,
            bytes_per_face: s.bytes,
            stages_ms: s.times,
            cache: "off",
            cut_on: "host",
            device_bytes: None,
        }
    }
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct EngineRecord {
    pub(crate) engine: String,
    pub(crate) device: String,
    pub(crate) units: u32,
    /// Why `auto` did not take the GPU; null when it did, and when the engine was named.
    pub(crate) why_not_gpu: Option<String>,
}

impl InputRecord {
    /// Returns the record of several meshes that were read: counts are sums.
    pub(crate) fn of_several<'a>(
        path: String,
        inputs: impl Iterator<Item = &'a Input> + Clone,
    ) -> InputRecord {
        let sum = |of: fn(&Input) -> usize| inputs.clone().map(of).sum::<usize>() as u64;
        InputRecord {
            path,
            format: listed(inputs.clone().map(|i| i.loaded.format.to_string())),
            bytes: inputs.clone().map(|i| i.bytes).sum(),
            vertices: sum(|i| i.loaded.mesh.vertex_count()),
            faces: Some(sum(|i| i.loaded.mesh.face_count())),
            edges: None,
            cells: None,
        }
    }
}

impl EngineRecord {
    /// Returns the record of one engine, or of several of one kind; `None` of none.
    pub(crate) fn of(engines: &[Engine], why_not_gpu: Option<EngineError>) -> Option<EngineRecord> {
        let infos = engines.iter().map(Engine::info);
        let infos: Vec<_> = infos.collect();
        let names = listed(infos.iter().map(|info| info.device.clone()));
        let device = match infos.len() {
            1 => names,
            n => format!("{n} x {names}"),
        };
        Some(EngineRecord {
            engine: infos.first()?.engine.clone(),
            device,
            units: infos.iter().map(|info| info.units).sum(),
            why_not_gpu: why_not_gpu.map(|e| e.to_string()),
        })
    }
}

impl OutputRecord {
    /// Adds the record of a further batch of meshes in the same folder.
    pub(crate) fn add(&mut self, other: &OutputRecord) {
        let formats = [&self.format, &other.format];
        let formats = formats.into_iter().flat_map(|f| f.split(", "));
        self.format = listed(formats.map(str::to_owned));
        self.bytes += other.bytes;
        self.vertices += other.vertices;
        self.faces = self.faces.zip(other.faces).map(|(a, b)| a + b);
    }
}

/// Result of a command that changes the connectivity.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct EditRecord {
    pub(crate) before: Quality,
    pub(crate) after: Quality,
    /// Edge lengths over the target length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) edge_length_over_target: Option<OverTarget>,
    /// Number of faces kept unchanged because they touch a non-manifold edge or vertex.
    pub(crate) frozen_faces: u32,
    /// `true` if `--validate` was given: the run would have failed if it had found anything.
    pub(crate) validated: bool,
    /// Scheduler that decided between changes that overlap.
    pub(crate) conflicts: &'static str,
    /// Counters of the speculative scheduler, if it was used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) speculation: Option<Map<String, Value>>,
    /// Options of the command.
    pub(crate) options: Map<String, Value>,
    /// Report of the command.
    pub(crate) report: Map<String, Value>,
}

#[cfg(test)]
rxmesh_host::units!(EditRecord { before, after });

/// Lengths of edges over a target.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct OverTarget {
    pub(crate) before: Spread,
    pub(crate) after: Spread,
}

#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct OutputRecord {
    pub(crate) path: String,
    pub(crate) format: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) format_because: Option<String>,
    pub(crate) bytes: u64,
    /// Number of vertices; of points of a grid.
    pub(crate) vertices: u64,
    /// Number of faces; null for a volume or a grid.
    pub(crate) faces: Option<u64>,
    /// Number of cells of a volume.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cells: Option<u64>,
}

/// Picture that was written.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct PictureRecord {
    /// Name of the file.
    pub(crate) path: String,
    /// Width in pixels.
    pub(crate) width: u32,
    /// Height in pixels.
    pub(crate) height: u32,
    /// Bytes of the file.
    pub(crate) bytes: u64,
}

/// Page that was written.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct PageRecord {
    /// Name of the file.
    pub(crate) path: String,
    /// Number of meshes, frames of a motion among them.
    pub(crate) meshes: u64,
    /// Bytes of the file.
    pub(crate) bytes: u64,
    /// `true` if a program of the system has opened it; only of `view`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) opened: Option<bool>,
}

/// Milliseconds of the stages that the command has.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Timings {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) engine: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) read: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) patch: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) upload: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) download: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) write: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) picture: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) page: Option<f64>,
    pub(crate) total: f64,
}

impl Record {
    /// Returns the name of the written file.
    pub(crate) fn output_path(&self) -> &str {
        self.output.as_ref().map_or("", |o| &o.path)
    }

    /// Takes an application's keys: those of the options, and over them those of the report.
    pub(crate) fn put(&mut self, options: &impl Serialize, report: &impl Serialize) -> Result<()> {
        self.keys = keys(options)?;
        self.keys.extend(keys(report)?);
        Ok(())
    }
}

/// Returns the keys of options or of a report. Numbers have the shortest digits that are unique in their type.
pub(crate) fn keys(of: &impl Serialize) -> Result<Map<String, Value>> {
    match serde_json::from_str(&serde_json::to_string(of)?)? {
        Value::Object(keys) => Ok(keys),
        Value::Null => Ok(Map::new()),
        other => bail!("the record takes keys, not {other}"),
    }
}

/// Returns a path as text for records.
pub(crate) fn shown(path: &Path) -> String {
    path.display().to_string()
}

/// Returns the distinct words in the order of their first occurrence.
pub(crate) fn listed(words: impl Iterator<Item = String>) -> String {
    let mut all: Vec<String> = Vec::new();
    for word in words {
        if !all.contains(&word) {
            all.push(word);
        }
    }
    all.join(", ")
}
