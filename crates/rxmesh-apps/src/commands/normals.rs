//! `normals`: vertex normals.

use super::text;
use crate::cli::NormalsArgs;
use crate::output::{Target, default_name};
use crate::record::NormalsRecord;
use crate::run::Run;
use anyhow::{Result, bail};
use rxmesh_host::Vec3;
use rxmesh_host::algo::normals;
use rxmesh_host::kernels::topo::Vertex;

pub(super) fn run(args: &NormalsArgs) -> Result<()> {
    let mut run = Run::new("normals", &args.common)?;
    let output = args
        .output
        .clone()
        .unwrap_or_else(|| default_name(&args.input.mesh, "normals"));
    let target = Target::new(&output, &args.encoding, run.console.json_file())?;
    let input = run.read(&args.input.mesh, args.input.triangulate.triangulate)?;
    let mut mesh = input.loaded.mesh;
    let engine = run.engine(args.engine.engine)?;
    let set = run.patch(&mesh, &input.path, &args.patch)?;
    let (rx, (x, mut n)) = run.upload(&engine, set, |rx| {
        Ok((
            rx.attribute_from::<Vertex, Vec3>(&mesh.positions)?,
            rx.attribute::<Vertex, Vec3>()?,
        ))
    })?;

    let ((), ms) = run.mesh_stage("computing normals", || {
        normals::vertex_normals(&rx, &x, &mut n)?;
        Ok(engine.synchronize()?)
    })?;
    run.record.timings_ms.run = ms;
    let (values, ms) = run.mesh_stage("downloading", || Ok(n.to_input(&rx)?))?;
    run.record.timings_ms.download = ms;
    if let Some(v) = values.iter().position(|n| !n.is_finite()) {
        bail!(
            "{}: the normal of vertex {v} (counted from 0) is not a finite number: its faces are too large or too small",
            input.path.display()
        );
    }
    let zero = values.iter().filter(|n| **n == Vec3::ZERO).count() as u64;
    run.record.normals = Some(NormalsRecord { zero });
    mesh.set_vertex_normals(values)?;

    run.write(&target, &mesh)?;
    let r = &run.record;
    let mut out = text::input(r) + &text::engine(r);
    out += &format!(
        "vertex normals: {} of unit length, {zero} zero (vertices without a face of positive area), {}\n",
        mesh.vertex_count() as u64 - zero,
        text::duration(r.timings_ms.run.unwrap_or(0.0))
    );
    out += &text::output(r);
    run.finish(&out)
}
