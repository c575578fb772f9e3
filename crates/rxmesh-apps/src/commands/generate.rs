//! `generate`: meshes by recipe.

use super::text;
use crate::cli::{MakeArgs, Shape};
use crate::output::Target;
use crate::run::Run;
use anyhow::Result;
use rxmesh_host::mesh::generate::{self, Scheme};
use rxmesh_host::mesh::{MeshError, TriMesh};

pub(super) fn run(shape: &Shape) -> Result<()> {
    let make = make_args(shape);
    let mut run = Run::new("generate", &make.common)?;
    let target = Target::new(&make.output.output, &make.encoding, run.console.json_file())?;
    let (mesh, ms) = run.stage("generating", || Ok(recipe(shape, make)?))?;
    run.record.timings_ms.run = ms;
    run.write(&target, &mesh)?;
    let counts = format!(
        "{} vertices, {} faces\n",
        mesh.vertex_count(),
        mesh.face_count()
    );
    let out = counts + &text::output(&run.record);
    run.finish(&out)
}

fn make_args(shape: &Shape) -> &MakeArgs {
    match shape {
        Shape::Grid { make, .. }
        | Shape::Icosphere { make, .. }
        | Shape::Torus { make, .. }
        | Shape::Cylinder { make, .. }
        | Shape::Fan { make, .. } => make,
    }
}

/// Shape, subdivision, noise, shuffling: in this order.
fn recipe(shape: &Shape, make: &MakeArgs) -> Result<TriMesh, MeshError> {
    let mut mesh = match *shape {
        Shape::Grid { nx, ny, .. } => generate::grid(nx, ny)?,
        Shape::Icosphere { levels, .. } => generate::icosphere(levels)?,
        Shape::Torus {
            nu,
            nv,
            major,
            minor,
            ..
        } => generate::torus(nu, nv, major, minor)?,
        Shape::Cylinder {
            nu,
            nv,
            radius,
            height,
            open,
            ..
        } => generate::cylinder(nu, nv, radius, height, !open)?,
        Shape::Fan { valence, .. } => generate::fan(valence)?,
    };
    if make.subdivide > 0 {
        let scheme = if make.r#loop {
            Scheme::Loop
        } else {
            Scheme::Midpoint
        };
        mesh = generate::subdivide(&mesh, make.subdivide, scheme)?;
    }
    if let Some(amplitude) = make.noise {
        generate::noise(&mut mesh, amplitude, make.seed.seed)?;
    }
    if make.shuffle {
        generate::shuffle(&mut mesh, make.seed.seed);
    }
    Ok(mesh)
}
