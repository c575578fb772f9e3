//! `merge`: joins several meshes into one.

use crate::app::{Application, Message};
use crate::cli::{EncodingArgs, OutputArgs, TriangulateArgs};
use crate::frame::Tool;
use crate::output::OutputTarget;
use crate::record::{Record, shown};
use crate::text;
use anyhow::Result;
use clap::{Args, ValueHint};
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::mesh::merge;
use serde::Serialize;
use std::path::PathBuf;

pub(crate) struct Merge;

#[derive(Debug, Args, Serialize)]
pub(crate) struct MergeArgs {
    /// The meshes, in the order in which they come
    #[arg(value_name = "MESH", value_hint = ValueHint::FilePath, required = true, num_args = 2..)]
    #[serde(skip)]
    meshes: Vec<PathBuf>,
    #[command(flatten)]
    #[serde(skip)]
    output: OutputArgs,
    #[command(flatten)]
    #[serde(skip)]
    triangulate: TriangulateArgs,
    #[command(flatten)]
    #[serde(skip)]
    encoding: EncodingArgs,
}

impl Options for MergeArgs {
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct MergeReport {
    parts: Vec<MergedMesh>,
    left_out: Vec<String>,
}

#[derive(Debug, Serialize)]
struct MergedMesh {
    path: String,
    vertices: u64,
    faces: u64,
}

impl Application for Merge {
    const NAME: &'static str = "merge";
    const SUMMARY: &'static str = "Append several meshes in one file";
    const HELP: &'static str = "Example: rxmesh merge bunny.obj teapot.obj -o both.ply

Vertices are not joined where meshes touch. Columns that all meshes have (the same name, width and
type) are kept; the others are named and left out. Texture coordinates and normals of corners,
groups and materials are kept.";
    const RECORD: &'static [(&'static str, &'static str)] = &[
        (
            "parts",
            "`path`, `vertices`, `faces` of each mesh; `input` is the last one",
        ),
        ("left_out", "columns that some meshes lack"),
    ];

    type Options = MergeArgs;
    type Report = MergeReport;
    type Frame = Tool;

    fn run(Tool { run }: &mut Tool, args: &MergeArgs) -> Result<MergeReport> {
        let target =
            OutputTarget::new(&args.output.output, &args.encoding, run.console.json_file())?;
        run.leads_to(&target);
        let (mut parts, mut meshes) = (Vec::new(), Vec::new());
        for name in &args.meshes {
            let input = run.read(name, args.triangulate.triangulate)?;
            parts.push(MergedMesh {
                path: shown(&input.path),
                vertices: input.loaded.mesh.vertex_count() as u64,
                faces: input.loaded.mesh.face_count() as u64,
            });
            meshes.push(input.loaded.mesh);
        }
        let (merged, ms) = run.stage("merging", || Ok(merge(meshes)?))?;
        run.record.timings_ms.run = ms;
        if merged.moved > 0.0 {
            run.warn(format!(
                "the meshes lie far from each other: 32-bit coordinates for all move vertices by up to {}",
                text::number(merged.moved)
            ));
        }
        let mut left_out = Vec::new();
        for (what, part) in merged.left_out {
            run.warn(format!(
                "{what} is left out: {} has none like it",
                parts[part].path
            ));
            left_out.push(what);
        }
        run.write(&target, &merged.mesh)?;
        Ok(MergeReport { parts, left_out })
    }

    fn tell(report: &MergeReport, _args: &MergeArgs, record: &Record) -> Message {
        let line =
            |p: &MergedMesh| format!("{}: {} vertices, {} faces\n", p.path, p.vertices, p.faces);
        let mut lines: String = report.parts.iter().map(line).collect();
        let sum = |of: fn(&MergedMesh) -> u64| report.parts.iter().map(of).sum::<u64>();
        lines += &format!(
            "together: {} vertices, {} faces\n",
            sum(|p| p.vertices),
            sum(|p| p.faces)
        );
        Message::new(lines + &text::output(record))
    }
}
