//! `mcf`: mean curvature flow.

use super::text;
use crate::Outcome;
use crate::cli::McfArgs;
use crate::output::{Target, default_name};
use crate::record::SolveRecord;
use crate::run::Run;
use anyhow::{Result, anyhow};
use rxmesh_host::algo::{mcf, normals};
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::mesh::{ElementKind, NORMAL, TriMesh};
use rxmesh_host::store::{Attribute, RxMesh};
use rxmesh_host::{Error, Vec3};

pub(super) fn run(args: &McfArgs) -> Result<Outcome> {
    let mut run = Run::new("mcf", &args.common)?;
    let output = args
        .output
        .clone()
        .unwrap_or_else(|| default_name(&args.input.mesh, "mcf"));
    let target = Target::new(&output, &args.encoding, run.console.json_file())?;
    let input = run.read(&args.input.mesh, args.input.triangulate.triangulate)?;
    let mut mesh = input.loaded.mesh;
    let engine = run.engine(args.engine.engine)?;
    let set = run.patch(&mesh, &input.path, &args.patch)?;
    let (rx, mut x) = run.upload(&engine, set, |rx| {
        rx.attribute_from::<Vertex, Vec3>(&mesh.positions)
    })?;

    let options = mcf::McfOptions {
        time_step: args.time_step,
        tolerance: args.tol,
        max_iterations: args.max_iter,
        ..mcf::McfOptions::default()
    };
    if mesh.faces.is_empty() {
        run.warn(format!(
            "{}: there are no faces, so nothing moves",
            input.path.display()
        ));
    }
    let had_normals = drop_normals(&mut mesh, &mut run);
    let ((report, n), ms) = run.mesh_stage("smoothing", || {
        let report = mcf::mean_curvature_flow(&rx, &mut x, &options).map_err(explained)?;
        let n = had_normals.then(|| normals_of(&rx, &x)).transpose()?;
        engine.synchronize()?;
        Ok((report, n))
    })?;
    run.record.timings_ms.run = ms;
    let ((), ms) = run.mesh_stage("downloading", || {
        mesh.positions = x.to_input(&rx)?;
        if let Some(mut n) = n {
            mesh.set_vertex_normals(n.to_input(&rx)?)?;
        }
        Ok(())
    })?;
    run.record.timings_ms.download = ms;

    run.write(&target, &mesh)?;
    run.record.solve = Some(SolveRecord {
        time_step: report.time_step,
        tolerance: args.tol,
        max_iterations: args.max_iter,
        iterations: report.iterations,
        residual: report.residual,
        converged: report.converged,
    });
    if !report.converged {
        run.warn(format!(
            "not converged: after {} iterations the residual is {:.3e}, {:.3e} was asked for; {} holds the unfinished result",
            report.iterations, report.residual, args.tol, target.path.display()
        ));
    }
    let summary = summary(&run);
    run.finish(&summary)?;
    Ok(if report.converged {
        Outcome::Success
    } else {
        Outcome::Unconverged
    })
}

/// Normals of the input do not belong to the new positions. True when vertices had some, to be computed anew.
fn drop_normals(mesh: &mut TriMesh, run: &mut Run) -> bool {
    let extras = &mut mesh.extras;
    let corners = extras.corner_normals.take().is_some();
    let vertices = extras.column(ElementKind::Vertex, NORMAL).is_some();
    let faces = extras.column(ElementKind::Face, NORMAL).is_some();
    extras.columns.retain(|c| c.name != NORMAL);
    if corners {
        run.warn(
            "the input's normals of corners no longer fit; normals of vertices take their place, without creases".into(),
        );
    }
    if faces {
        run.warn("the input's normals of faces no longer fit and are left out".into());
    }
    vertices || corners
}

/// Numbers that overflow have a reason that the user can see.
fn explained(e: Error) -> anyhow::Error {
    let overflow = matches!(e, Error::NotFinite { .. });
    let e = anyhow!(e);
    if overflow {
        e.context("coordinates or time step are too large or too small to smooth")
    } else {
        e
    }
}

fn normals_of(rx: &RxMesh, x: &Attribute<Vertex, Vec3>) -> Result<Attribute<Vertex, Vec3>, Error> {
    let mut n = rx.attribute()?;
    normals::vertex_normals(rx, x, &mut n)?;
    Ok(n)
}

fn summary(run: &Run) -> String {
    let r = &run.record;
    let mut out = text::input(r) + &text::engine(r);
    if let Some(s) = &r.solve {
        out += &format!(
            "mean curvature flow: time step {}, {} iterations, residual {:.2e}, {}\n",
            text::number(s.time_step),
            s.iterations,
            s.residual,
            text::duration(r.timings_ms.run.unwrap_or(0.0))
        );
    }
    out + &text::output(r)
}
