//! `sample`: takes points on a surface.

use crate::on::{AnyMesh, Tool};
use crate::{Group, Log, Message, Operation, OutputKind, Result, Stage, WritesFile, stage};
use rxmesh_host::algo::sample::{SampleOptions, Sampler, face_normal};
use rxmesh_host::mesh::TriMesh;

/// Takes points on a surface.
#[derive(Clone, Copy, Debug)]
pub struct Sample;

impl Operation for Sample {
    const NAME: &'static str = "sample";
    const GROUP: Group = Group::Measure;
    const SUMMARY: &'static str = "Take points on the surface, uniformly by area";
    const HELP: &'static str =
        "Example: rxmesh sample bunny.obj --points 10000 --seed 7 -o points.ply

Each point has the normal of its face. Sampling is stratified: one point in each of equal parts of
the area.";
    const OUTPUT: OutputKind = OutputKind::Points;
    const WRITES: WritesFile = WritesFile::Named;

    type Options = SampleOptions;
    type Report = ();
    type On = Tool<TriMesh>;

    fn run(on: &mut Tool<TriMesh>, options: &SampleOptions, log: &mut dyn Log) -> Result<()> {
        let mesh = &mut on.input;
        // Far from the origin points lie between the 32-bit floats.
        let home = mesh.normalise();
        let mut points = stage(log, Stage::Work("sampling"), || sampled(mesh, options))?;
        points.return_to(home);
        on.result = Some(AnyMesh::Surface(points));
        Ok(())
    }

    fn describe((): &(), options: &SampleOptions) -> Message {
        Message::new(format!(
            "{} points, seed {}\n",
            options.points, options.seed
        ))
    }
}

/// Returns a mesh of points with normals.
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
