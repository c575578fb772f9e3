//! `transform`: scales, turns and moves a mesh.

use crate::app::{Application, Message};
use crate::cli::{EncodingArgs, InputArgs, OutputArgs};
use crate::frame::Tool;
use crate::output::OutputTarget;
use crate::record::Record;
use crate::text;
use anyhow::{Context, Result};
use clap::Args;
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::algo::transform::{AffineMatrix, TransformOptions};
use serde::Serialize;

pub(crate) struct Transform;

#[derive(Debug, Args, Serialize)]
pub(crate) struct TransformArgs {
    #[command(flatten)]
    #[serde(skip)]
    input: InputArgs,
    #[command(flatten)]
    #[serde(skip)]
    output: OutputArgs,
    #[command(flatten)]
    #[serde(flatten)]
    options: TransformOptions,
    #[command(flatten)]
    #[serde(skip)]
    encoding: EncodingArgs,
}

impl Options for TransformArgs {
    fn check(&self) -> Result<(), Error> {
        self.options.check()
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct TransformReport {
    map: AffineMatrix,
}

impl Application for Transform {
    const NAME: &'static str = "transform";
    const SUMMARY: &'static str = "Scale, rotate and move a mesh";
    const HELP: &'static str =
        "Examples: rxmesh transform bunny.obj --up-axis y,z --normalize -o bunny.ply
          rxmesh transform bunny.obj --rotate z,90 --scale 0.001 --translate 0,0,-1.5 -o m.obj

For any order of the flags, the matrix comes first, then the rotations, the scale, the centre and
the translation. Normals are transformed; a reflection reverses the faces.";
    const RECORD: &'static [(&'static str, &'static str)] = &[(
        "map",
        "everything together, as 12 numbers, row by row; the fourth of each row moves",
    )];

    type Options = TransformArgs;
    type Report = TransformReport;
    type Frame = Tool;

    fn run(Tool { run }: &mut Tool, args: &TransformArgs) -> Result<TransformReport> {
        let target =
            OutputTarget::new(&args.output.output, &args.encoding, run.console.json_file())?;
        run.leads_to(&target);
        let input = run.read(&args.input.mesh, args.input.triangulate.triangulate)?;
        let mut mesh = input.loaded.mesh;
        let map = args.options.map(&mesh);
        let ((), ms) = run.mesh_stage("transforming", || {
            mesh.transform(&map).context("the mesh cannot be mapped so")
        })?;
        run.record.timings_ms.run = ms;
        run.write(&target, &mesh)?;
        Ok(TransformReport {
            map: AffineMatrix(map),
        })
    }

    fn tell(report: &TransformReport, _args: &TransformArgs, record: &Record) -> Message {
        let map = format!("map: {}\n", report.map);
        Message::new(text::input(record) + &map + &text::output(record))
    }
}
