//! `normals`: vertex normals.

use super::session::{Gives, Session};
use crate::cli::NormalsArgs;
use crate::report::{NormalsRecord, Report};
use anyhow::{Result, bail};
use rxmesh_host::Vec3;
use rxmesh_host::algo::normals;
use rxmesh_host::kernels::topo::Vertex;

pub(super) fn run(args: &NormalsArgs) -> Result<()> {
    let mut s = Session::open("normals", &args.compute, Gives::Mesh)?;
    let mut n = s.rx.attribute::<Vertex, Vec3>()?;
    s.compute("computing normals", |rx, x| {
        Ok(normals::vertex_normals(rx, x, &mut n)?)
    })?;
    let (values, ms) = s.run.mesh_stage("downloading", || Ok(n.to_input(&s.rx)?))?;
    s.run.record.timings_ms.download = ms;
    if let Some(v) = values.iter().position(|n| !n.is_finite()) {
        bail!(
            "{}: the normal of vertex {v} (counted from 0) is not a finite number: its faces are too large or too small",
            args.compute.input.mesh.display()
        );
    }
    let zero = values.iter().filter(|n| **n == Vec3::ZERO).count() as u64;
    s.run.record.report = Some(Report::Normals {
        normals: NormalsRecord { zero },
    });
    s.mesh.set_vertex_normals(values)?;
    s.write()?;
    let line = format!(
        "vertex normals: {} of unit length, {zero} zero (vertices without a face of positive area)",
        s.mesh.vertex_count() as u64 - zero,
    );
    s.run.finish_with(&line)
}
