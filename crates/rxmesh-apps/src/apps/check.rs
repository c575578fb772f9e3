//! `check`: what is odd about a mesh.

use crate::Outcome;
use crate::app::{Application, Told};
use crate::frame::Tool;
use crate::record::Record;
use crate::text;
use anyhow::Result;
use clap::{Args, ValueHint};
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::mesh::{CheckReport, check, check_poly};
use serde::Serialize;
use std::path::PathBuf;

/// The application.
pub(crate) struct Check;

#[derive(Debug, Args, Serialize)]
pub(crate) struct CheckArgs {
    /// The mesh, or '-' for stdin
    #[arg(value_name = "MESH", value_hint = ValueHint::FilePath)]
    #[serde(skip)]
    mesh: PathBuf,
    /// Cut polygons into triangles, and check these
    #[arg(long, alias = "triangulate")]
    triangles: bool,
    /// Exit with 1 when there are defects (a boundary is not one)
    #[arg(long)]
    strict: bool,
}

impl Options for CheckArgs {
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    check: CheckReport,
}

impl Application for Check {
    const NAME: &'static str = "check";
    const SUMMARY: &'static str =
        "Look for defects: non-manifold places, degenerate faces, duplicates, ...";
    const HELP: &'static str = "Example: rxmesh-apps check bunny.obj --json report.json

Defects are findings, not failures: the exit code is 0 unless --strict is given.";
    const RECORD: &'static [(&'static str, &'static str)] = &[(
        "check",
        "counts, properties, and for each kind of defect `count` and the `first` ten, counted from 0; `polygons`, of a \
        mesh that is more than triangles: `triangles`, `quads`, `larger`, `largest` (corners), `sharp_edges`, \
        `sharp_vertices`, `holes`, `least_flat` (`face`, and the `distance` of a corner from its plane), \
        `crossing_faces`, `loose_sharp_edges`",
    )];

    type Options = CheckArgs;
    type Report = Report;
    type Frame = Tool;

    fn run(Tool { run }: &mut Tool, args: &CheckArgs) -> Result<Report> {
        let (check, ms) = if args.triangles {
            let mesh = run.read(&args.mesh, true)?.loaded.mesh;
            run.stage("checking", || Ok(check(&mesh)))?
        } else {
            let mesh = run.read_poly(&args.mesh, false)?.loaded.mesh;
            run.stage("checking", || Ok(check_poly(&mesh)))?
        };
        run.record.timings_ms.run = ms;
        if let Some(i) = &mut run.record.input {
            i.edges = Some(check.edges);
        }
        Ok(Report { check })
    }

    fn tell(report: &Report, args: &CheckArgs, record: &Record) -> Told {
        let (path, format) = match &record.input {
            Some(i) => (text::named(&i.path, "stdin"), &i.format[..]),
            None => ("", ""),
        };
        let mut told = Told::new(format!("{path} ({format})\n{}", report.check.to_text()));
        let found = defects(&report.check);
        if args.strict && !found.is_empty() {
            told.outcome = Outcome::Refused(format!("{path}: {}", found.join(", ")));
        }
        told
    }
}

/// What `--strict` refuses. Boundaries, isolated faces and several components are properties, not defects; so are faces
/// far from flat, which may seem to cross themselves: surfaces are made of such.
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
    let loose = r.polygons.iter().map(|p| p.loose_sharp_edges.count);
    let loose = loose.map(|n| (n, "sharp edges that are no edges"));
    let found = counts.into_iter().chain(loose).filter(|(n, _)| *n > 0);
    found.map(|(n, what)| format!("{n} {what}")).collect()
}
