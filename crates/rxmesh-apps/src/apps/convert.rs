//! `convert`: converts a mesh from one format to another.

use crate::app::{Application, Message};
use crate::cli::{EncodingArgs, InputArgs, OutputArgs};
use crate::frame::Tool;
use crate::input;
use crate::output::OutputTarget;
use crate::record::Record;
use crate::run::Run;
use crate::text;
use anyhow::Result;
use clap::Args;
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::io::Format;
use rxmesh_host::units;
use serde::Serialize;
use std::path::Path;

pub(crate) struct Convert;

#[derive(Clone, Debug, Args, Serialize)]
pub(crate) struct ConvertArgs {
    #[command(flatten)]
    #[serde(skip)]
    input: InputArgs,
    /// Cut polygons into triangles, also where the output's format holds polygons
    #[arg(long, conflicts_with = "triangulate")]
    #[serde(skip)]
    triangles: bool,
    #[command(flatten)]
    #[serde(skip)]
    output: OutputArgs,
    #[command(flatten)]
    #[serde(skip)]
    encoding: EncodingArgs,
}

units!(ConvertArgs {});

impl Options for ConvertArgs {
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

impl Application for Convert {
    const NAME: &'static str = "convert";
    const SUMMARY: &'static str = "Write a mesh in another format";
    const HELP: &'static str = "Examples: rxmesh convert bunny.obj -o bunny.ply
          rxmesh convert bunny.obj --format stl -o - > bunny.stl

Polygons, sharpness and holes are kept if the output's format holds them (docs/use/formats.md); STL gets triangles.
Volumes are written as volumes, or as their boundary if the format holds none (docs/library/volumes.md).";

    type Options = ConvertArgs;
    type Report = ();
    type Frame = Tool;

    fn run(Tool { run }: &mut Tool, args: &ConvertArgs) -> Result<()> {
        let target =
            OutputTarget::new(&args.output.output, &args.encoding, run.console.json_file())?;
        run.leads_to(&target);
        let (name, polygons) = (&args.input.mesh, &args.input.triangulate);
        if input::is_volume(name) {
            return volume(run, name, &target);
        }
        if args.triangles || polygons.cut {
            let input = run.read(name, true)?;
            return run.write(&target, &input.loaded.mesh);
        }
        let input = run.read_poly(name, !polygons.triangulate)?;
        run.write(&target, &input.loaded.mesh)
    }

    fn describe((): &(), _args: &ConvertArgs, record: &Record) -> Message {
        Message::new(text::input(record) + &text::output(record))
    }
}

/// Writes a volume, or its boundary if the format holds surfaces only.
fn volume(run: &mut Run, name: &Path, target: &OutputTarget) -> Result<()> {
    let mesh = run.read_tets(name)?.loaded.mesh;
    let format = target
        .options
        .format
        .or_else(|| Format::of_name(&target.path));
    if format.is_none_or(Format::holds_volumes) {
        return run.write(target, &mesh);
    }
    let boundary = mesh.boundary();
    run.warn(format!(
        "{} is a volume: its boundary is written, {} of its {} vertices",
        text::named(&name.to_string_lossy(), "stdin"),
        boundary.vertices.len(),
        mesh.vertex_count()
    ));
    run.write(target, &boundary.surface)
}
