//! The record of a run: the JSON object that `--json` writes. `docs/cli.md` describes every key; keys stay.

use crate::report::Report;
use rxmesh_host::mesh::{CheckReport, EdgeLengths, Quality, Spread};
use rxmesh_host::patch::{BytesPerFace, PatchStats, StageTimes};
use serde::Serialize;
use std::path::Path;

/// One object a run. Keys that a command has nothing to say about are left out.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Record {
    pub(crate) command: &'static str,
    pub(crate) version: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) input: Option<InputRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) mesh: Option<MeshRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) patches: Option<PatchRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) engine: Option<EngineRecord>,
    /// What the tables of the prepared relations take, with `--prepared`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) prepared: Option<Vec<rxmesh_host::store::PreparedSize>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) engines: Option<Vec<FoundEngine>>,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub(crate) report: Option<Report>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) edit: Option<EditRecord>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) check: Option<CheckReport>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) output: Option<OutputRecord>,
    pub(crate) timings_ms: Timings,
    pub(crate) warnings: Vec<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct InputRecord {
    pub(crate) path: String,
    pub(crate) format: String,
    pub(crate) bytes: u64,
    pub(crate) vertices: u64,
    pub(crate) faces: u64,
    /// Only where the command looked at edges.
    pub(crate) edges: Option<u64>,
}

#[derive(Debug, Serialize)]
pub(crate) struct MeshRecord {
    pub(crate) bounding_box: Option<[[f32; 3]; 2]>,
    pub(crate) edge_length: Option<EdgeLengths>,
}

#[derive(Debug, Serialize)]
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
    /// Bytes of the patches on the engine.
    pub(crate) device_bytes: Option<u64>,
}

#[derive(Debug, Serialize)]
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
            device_bytes: None,
        }
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct EngineRecord {
    pub(crate) engine: String,
    pub(crate) device: String,
    pub(crate) units: u32,
    /// Why `auto` did not take the GPU; null when it did, and when the engine was named.
    pub(crate) why_not_gpu: Option<String>,
}

#[derive(Debug, Serialize)]
pub(crate) struct FoundEngine {
    pub(crate) engine: &'static str,
    pub(crate) found: bool,
    pub(crate) device: Option<String>,
    pub(crate) units: Option<u32>,
    pub(crate) why_not: Option<String>,
}

/// What a command that changes the connectivity did.
#[derive(Debug, Serialize)]
pub(crate) struct EditRecord {
    pub(crate) before: Quality,
    pub(crate) after: Quality,
    /// Lengths of edges over the length that they should have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) edge_length_over_target: Option<OverTarget>,
    /// Faces that touch a place that is not manifold, and were left as they are.
    pub(crate) frozen_faces: u32,
    /// Whether `--validate` was given, and so found nothing.
    pub(crate) validated: bool,
    /// Who decided between changes that overlap.
    pub(crate) conflicts: &'static str,
    /// What the speculative engine did, when it was that one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) speculation: Option<serde_json::Value>,
    /// What the command reports.
    pub(crate) report: serde_json::Value,
}

/// Lengths of edges over a target.
#[derive(Debug, Serialize)]
pub(crate) struct OverTarget {
    pub(crate) before: Spread,
    pub(crate) after: Spread,
}

#[derive(Debug, Serialize)]
pub(crate) struct OutputRecord {
    pub(crate) path: String,
    pub(crate) format: String,
    pub(crate) bytes: u64,
    pub(crate) vertices: u64,
    pub(crate) faces: u64,
}

/// Milliseconds of the stages that the command has.
#[derive(Debug, Default, Serialize)]
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
    pub(crate) total: f64,
}

/// A path as it stands in records.
pub(crate) fn shown(path: &Path) -> String {
    path.display().to_string()
}
