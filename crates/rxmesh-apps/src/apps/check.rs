//! `check`: defects and properties of a mesh.

use crate::Outcome;
use crate::app::{Application, Message};
use crate::frame::Tool;
use crate::input;
use crate::record::Record;
use crate::text;
use anyhow::Result;
use clap::{Args, ValueHint};
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::mesh::{
    CheckReport, TetReport, check, check_poly, check_tets, self_intersections,
    self_intersections_poly,
};
use serde::Serialize;
use std::path::PathBuf;

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
    /// Do not search intersecting faces
    #[arg(long)]
    no_self_intersections: bool,
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
pub(crate) struct CheckOpReport {
    check: Checked,
}

/// Findings on a surface or on a volume.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Checked {
    Surface(Box<CheckReport>),
    Volume(Box<TetReport>),
}

impl Application for Check {
    const NAME: &'static str = "check";
    const SUMMARY: &'static str =
        "Find defects: non-manifold edges and vertices, degenerate faces, ...";
    const HELP: &'static str = "Example: rxmesh check bunny.obj --json report.json

Two faces intersect if they have more points in common than shared corners and sides; faces
that touch count too.

Defects are findings, not failures: the exit code is 0 unless --strict is given.";
    const RECORD: &'static [(&'static str, &'static str)] = &[(
        "check",
        "counts, properties, and for each kind of defect `count` and the `first` ten, counted from 0, among them \
        `self_intersections`, pairs of faces (with `at_least` there may be more), unless \
        `--no-self-intersections` is given; `polygons`, of a mesh that is more than triangles: \
        `triangles`, `quads`, `larger`, `largest` (corners), `sharp_edges`, \
        `sharp_vertices`, `holes`, `least_flat` (`face`, and the `distance` of a corner from its plane), \
        `crossing_faces`, `loose_sharp_edges`. Of a volume (docs/library/volumes.md): counts, `boundary_faces`, \
        `manifold`, `face_components`, `vertex_components`, findings (`inverted_cells`, `degenerate_cells`, \
        `flat_cells`, `slivers`, `repeated_cells`, `crowded_faces`, `pinched_edges`, `unused_vertices`, \
        `duplicate_vertices`), `volume`, \
        `cell_volume`, `dihedral_angle` and `radius_ratio` (`min`, `mean`, `max`), `least_angle` and `least_ratio` \
        (`cell`, `value`), `bounding_box`, `edge_length`",
    )];

    type Options = CheckArgs;
    type Report = CheckOpReport;
    type Frame = Tool;

    fn run(Tool { run }: &mut Tool, args: &CheckArgs) -> Result<CheckOpReport> {
        let intersections = !args.no_self_intersections;
        let (check, ms) = if input::is_volume(&args.mesh) {
            let mesh = run.read_tets(&args.mesh)?.loaded.mesh;
            run.stage("checking", || {
                Ok(Checked::Volume(Box::new(check_tets(&mesh))))
            })?
        } else if args.triangles {
            let mesh = run.read(&args.mesh, true)?.loaded.mesh;
            run.stage("checking", || {
                let mut report = Box::new(check(&mesh));
                report.self_intersections = intersections.then(|| self_intersections(&mesh));
                Ok(Checked::Surface(report))
            })?
        } else {
            let mesh = run.read_poly(&args.mesh, false)?.loaded.mesh;
            run.stage("checking", || {
                let mut report = Box::new(check_poly(&mesh));
                if intersections {
                    report.self_intersections = Some(self_intersections_poly(&mesh)?);
                }
                Ok(Checked::Surface(report))
            })?
        };
        run.record.timings_ms.run = ms;
        if let Some(i) = &mut run.record.input {
            match &check {
                Checked::Surface(check) => i.edges = Some(check.edges),
                Checked::Volume(check) => {
                    (i.edges, i.faces) = (Some(check.edges), Some(check.faces));
                }
            }
        }
        Ok(CheckOpReport { check })
    }

    fn tell(report: &CheckOpReport, args: &CheckArgs, record: &Record) -> Message {
        let (path, format) = match &record.input {
            Some(i) => (text::named(&i.path, "stdin"), &i.format[..]),
            None => ("", ""),
        };
        let (text, found) = match &report.check {
            Checked::Surface(check) => (check.to_text(), defects(check)),
            Checked::Volume(check) => (check.to_text(), tet_defects(check)),
        };
        let mut told = Message::new(format!("{path} ({format})\n{text}"));
        if args.strict && !found.is_empty() {
            told.outcome = Outcome::Refused(format!("{path}: {}", found.join(", ")));
        }
        told
    }
}

/// Returns the defects that `--strict` refuses. Boundaries, isolated faces, several components and intersecting faces
/// are properties, not defects. So are strongly non-planar faces, which may seem to intersect themselves.
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

/// Returns the defects that `--strict` refuses in a volume. Slivers and several components are properties: the flatness
/// that a cell may have depends on the computation.
fn tet_defects(r: &TetReport) -> Vec<String> {
    let counts = [
        (r.inverted_cells.count, "inverted cells"),
        (r.degenerate_cells.count, "degenerate cells"),
        (r.flat_cells.count, "cells of no volume"),
        (r.repeated_cells.count, "repeated cells"),
        (r.crowded_faces.count, "faces of more than two cells"),
        (r.unused_vertices.count, "unused vertices"),
        (r.duplicate_vertices.count, "duplicate vertices"),
    ];
    let found = counts.into_iter().filter(|(n, _)| *n > 0);
    found.map(|(n, what)| format!("{n} {what}")).collect()
}
