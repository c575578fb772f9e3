//! `merge`: puts several meshes into one.

use crate::log::timed;
use crate::on::{AnyMesh, Tool};
use crate::{Group, Log, Message, Operation, Result, Stage, WritesFile, text};
use rxmesh_host::mesh::{TriMesh, merge};
use rxmesh_host::units;
use serde::Serialize;

/// Puts several meshes into one.
#[derive(Clone, Copy, Debug)]
pub struct Merge;

/// MergeReport of [`Merge`].
#[derive(Clone, Debug, Serialize)]
pub struct MergeReport {
    /// Meshes in their order.
    pub parts: Vec<MergedMesh>,
    /// Columns that not all of them have.
    pub left_out: Vec<String>,
}

units!(MergeReport {});

/// One of the meshes.
#[derive(Clone, Debug, Serialize)]
pub struct MergedMesh {
    /// Name of the mesh.
    pub path: String,
    /// Number of vertices.
    pub vertices: u64,
    /// Number of faces.
    pub faces: u64,
}

impl Operation for Merge {
    const NAME: &'static str = "merge";
    const GROUP: Group = Group::Files;
    const SUMMARY: &'static str = "Append several meshes in one file";
    const HELP: &'static str = "Example: rxmesh merge bunny.obj teapot.obj -o both.ply

Vertices are not joined where meshes touch. Columns that all meshes have (the same name, width and
type) are kept; the others are named and left out. Texture coordinates and normals of corners,
groups and materials are kept.";
    const WRITES: WritesFile = WritesFile::Named;
    const RECORD: &'static [(&'static str, &'static str)] = &[
        (
            "parts",
            "`path`, `vertices`, `faces` of each mesh; `input` is the last one",
        ),
        ("left_out", "columns that some meshes lack"),
    ];

    type Options = ();
    type Report = MergeReport;
    type On = Tool<Vec<TriMesh>>;

    fn run(on: &mut Tool<Vec<TriMesh>>, (): &(), log: &mut dyn Log) -> Result<MergeReport> {
        let meshes = std::mem::take(&mut on.input);
        let part = |(number, mesh): (usize, &TriMesh)| MergedMesh {
            path: on.name(number),
            vertices: mesh.vertex_count() as u64,
            faces: mesh.face_count() as u64,
        };
        let parts: Vec<MergedMesh> = meshes.iter().enumerate().map(part).collect();
        let merged = timed(log, Stage::Work("merging"), || Ok(merge(meshes)?))?;
        if merged.moved > 0.0 {
            log.warn(format!(
                "the meshes lie far from each other: 32-bit coordinates for all move vertices by up to {}",
                text::number(merged.moved)
            ));
        }
        let mut left_out = Vec::new();
        for (what, part) in merged.left_out {
            log.warn(format!(
                "{what} is left out: {} has none like it",
                parts[part].path
            ));
            left_out.push(what);
        }
        on.result = Some(AnyMesh::Surface(merged.mesh));
        Ok(MergeReport { parts, left_out })
    }

    fn describe(report: &MergeReport, (): &()) -> Message {
        let line =
            |p: &MergedMesh| format!("{}: {} vertices, {} faces\n", p.path, p.vertices, p.faces);
        let mut lines: String = report.parts.iter().map(line).collect();
        let sum = |of: fn(&MergedMesh) -> u64| report.parts.iter().map(of).sum::<u64>();
        lines += &format!(
            "together: {} vertices, {} faces\n",
            sum(|p| p.vertices),
            sum(|p| p.faces)
        );
        Message::new(lines)
    }
}
