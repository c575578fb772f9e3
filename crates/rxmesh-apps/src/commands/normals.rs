//! `normals`: vertex normals.

use super::session::{Session, explained};
use crate::cli::NormalsArgs;
use crate::output::Gives;
use crate::report::{NormalsRecord, Report};
use anyhow::Result;
use rxmesh_host::Vec3;
use rxmesh_host::algo::normals;
use rxmesh_host::kernels::topo::Vertex;

const TOO_LARGE: &str = "coordinates are too large to compute normals";

pub(super) fn run(args: &NormalsArgs) -> Result<()> {
    let mut s = Session::open("normals", &args.compute, Gives::Normals)?;
    let mut n = s.rx.attribute::<Vertex, Vec3>()?;
    s.compute("computing normals", |rx, x| {
        normals::vertex_normals(rx, x, &mut n).map_err(explained(TOO_LARGE))
    })?;
    let (values, ms) = s.run.mesh_stage("downloading", || Ok(n.to_input(&s.rx)?))?;
    s.run.record.timings_ms.download = ms;
    let zero = values.iter().filter(|n| **n == Vec3::ZERO).count() as u64;
    s.run.record.report = Some(Report::Normals {
        normals: NormalsRecord { zero },
    });
    s.mesh.set_vertex_normals(values)?;
    s.write()?;
    let line = format!(
        "vertex normals: {} of unit length, {zero} zero (no face of positive area, or faces that cancel)",
        s.mesh.vertex_count() as u64 - zero,
    );
    s.run.finish_with(&line)
}
