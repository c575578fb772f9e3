//! `sample`: points on a surface.

use crate::app::{Application, Message};
use crate::cli::{EncodingArgs, InputArgs, OutputArgs};
use crate::frame::Tool;
use crate::output::OutputTarget;
use crate::record::Record;
use crate::text;
use anyhow::{Result, bail};
use clap::Args;
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::algo::sample::{SampleOptions, Sampler, face_normal};
use rxmesh_host::io::Format;
use rxmesh_host::mesh::TriMesh;
use serde::Serialize;

pub(crate) struct Sample;

#[derive(Debug, Args, Serialize)]
pub(crate) struct SampleArgs {
    #[command(flatten)]
    #[serde(skip)]
    input: InputArgs,
    #[command(flatten)]
    #[serde(skip)]
    output: OutputArgs,
    #[command(flatten)]
    #[serde(flatten)]
    options: SampleOptions,
    #[command(flatten)]
    #[serde(skip)]
    encoding: EncodingArgs,
}

impl Options for SampleArgs {
    fn check(&self) -> Result<(), Error> {
        self.options.check()
    }
}

impl Application for Sample {
    const NAME: &'static str = "sample";
    const SUMMARY: &'static str = "Take points on the surface, uniformly by area";
    const HELP: &'static str =
        "Example: rxmesh sample bunny.obj --points 10000 --seed 7 -o points.ply

Each point has the normal of its face. Sampling is stratified: one point in each of equal parts of
the area.";

    type Options = SampleArgs;
    type Report = ();
    type Frame = Tool;

    fn run(Tool { run }: &mut Tool, args: &SampleArgs) -> Result<()> {
        let path = &args.output.output;
        let format = args.encoding.format.or_else(|| Format::of_name(path));
        if format == Some(Format::Stl) {
            bail!("{}: STL cannot hold points; PLY can", path.display());
        }
        let target = OutputTarget::new(path, &args.encoding, run.console.json_file())?;
        let input = run.read(&args.input.mesh, args.input.triangulate.triangulate)?;
        let mut mesh = input.loaded.mesh;
        // Far from the origin points lie between the 32-bit floats.
        let home = mesh.normalise();
        let (mut points, ms) = run.mesh_stage("sampling", || sampled(&mesh, &args.options))?;
        points.return_to(home);
        run.record.timings_ms.run = ms;
        run.write(&target, &points)
    }

    fn tell((): &(), args: &SampleArgs, record: &Record) -> Message {
        let lines = format!(
            "{} points, seed {}\n",
            args.options.points, args.options.seed
        );
        Message::new(text::input(record) + &lines + &text::output(record))
    }
}

/// Samples a mesh, and returns a mesh of points with normals.
fn sampled(mesh: &TriMesh, options: &SampleOptions) -> Result<TriMesh> {
    let sampler = Sampler::new(&mesh.positions, &mesh.faces, options)?;
    let found = sampler.part(0..sampler.len());
    let normals = found
        .iter()
        .map(|p| face_normal(&mesh.positions, &mesh.faces[p.face as usize]));
    let normals = normals.collect();
    let mut points = TriMesh::new(found.iter().map(|p| p.position).collect(), Vec::new())?;
    points.placement = mesh.placement;
    points.set_vertex_normals(normals)?;
    Ok(points)
}
