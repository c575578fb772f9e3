//! `check`: what is odd about a mesh.

use crate::cli::CheckArgs;
use crate::run::Run;
use anyhow::{Result, bail};
use rxmesh_host::mesh::{CheckReport, check};

pub(super) fn run(args: &CheckArgs) -> Result<()> {
    let mut run = Run::new("check", &args.common)?;
    let input = run.read(&args.input.mesh, args.input.triangulate.triangulate)?;
    let (report, ms) = run.stage("checking", || Ok(check(&input.loaded.mesh)))?;
    run.record.timings_ms.run = ms;
    if let Some(i) = &mut run.record.input {
        i.edges = Some(report.edges);
    }
    let found = defects(&report);
    let out = format!(
        "{} ({})\n{}",
        input.path.display(),
        input.loaded.format,
        report.to_text()
    );
    run.record.check = Some(report);
    run.finish(&out)?;
    if args.strict && !found.is_empty() {
        bail!("{}: {}", input.path.display(), found.join(", "));
    }
    Ok(())
}

/// What `--strict` refuses. Boundaries, isolated faces and several components are properties, not defects.
fn defects(r: &CheckReport) -> Vec<String> {
    let counts = [
        (r.non_manifold_edges.count, "non-manifold edges"),
        (r.non_manifold_vertices.count, "non-manifold vertices"),
        (
            r.inconsistent_edges.count,
            "edges between faces of opposite orientation",
        ),
        (r.degenerate_faces.count, "degenerate faces"),
        (r.zero_area_faces.count, "faces of zero area"),
        (r.duplicate_faces.count, "duplicate faces"),
        (r.isolated_vertices.count, "isolated vertices"),
        (r.duplicate_vertices.count, "duplicate vertices"),
    ];
    let found = counts.iter().filter(|(n, _)| *n > 0);
    found.map(|(n, what)| format!("{n} {what}")).collect()
}
