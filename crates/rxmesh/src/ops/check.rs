//! `check`: looks for defects of a mesh.

use crate::log::timed;
use crate::on::{AnyMesh, Tool};
use crate::{Group, Log, Message, Operation, Outcome, Result, Stage, WritesFile};
use rxmesh_host::algo::Options;
use rxmesh_host::mesh::{
    CheckReport, TetReport, check, check_poly, check_tets, self_intersections,
    self_intersections_poly,
};
use rxmesh_host::units;
use rxmesh_host::units::{FieldUnit, InUnits, Units};
use serde::Serialize;

/// Looks for defects of a mesh.
#[derive(Clone, Copy, Debug)]
pub struct Check;

/// Options of [`Check`].
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct CheckOptions {
    /// Do not search intersecting faces
    #[cfg_attr(feature = "cli", arg(long))]
    pub no_self_intersections: bool,
    /// Exit with 1 when there are defects (a boundary is not one)
    #[cfg_attr(feature = "cli", arg(long))]
    pub strict: bool,
}

units!(CheckOptions {});

impl Options for CheckOptions {
    fn check(&self) -> std::result::Result<(), rxmesh_host::Error> {
        Ok(())
    }
}

/// CheckOpReport of [`Check`].
#[derive(Debug, Serialize)]
pub struct CheckOpReport {
    /// Findings.
    pub check: Checked,
}

units!(CheckOpReport { check });

/// Findings on a surface or on a volume.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub enum Checked {
    /// Findings on a surface.
    Surface(Box<CheckReport>),
    /// Findings on a volume.
    Volume(Box<TetReport>),
}

/// The units of both kinds.
impl InUnits for Checked {
    const UNITS: &'static [FieldUnit] = &[
        FieldUnit {
            field: "Surface",
            unit: Units::Fields(CheckReport::UNITS),
        },
        FieldUnit {
            field: "Volume",
            unit: Units::Fields(TetReport::UNITS),
        },
    ];

    fn scale(&mut self, factor: f64) {
        match self {
            Checked::Surface(report) => report.scale(factor),
            Checked::Volume(report) => report.scale(factor),
        }
    }
}

impl Operation for Check {
    const NAME: &'static str = "check";
    const GROUP: Group = Group::Inspect;
    const SUMMARY: &'static str =
        "Find defects: non-manifold edges and vertices, degenerate faces, ...";
    const HELP: &'static str = "Example: rxmesh check bunny.obj --json report.json

Two faces intersect if they have more points in common than shared corners and sides; faces
that touch count too.

Defects are findings, not failures: the exit code is 0 unless --strict is given.";
    const WRITES: WritesFile = WritesFile::Never;
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

    type Options = CheckOptions;
    type Report = CheckOpReport;
    type On = Tool<AnyMesh>;

    fn run(
        on: &mut Tool<AnyMesh>,
        options: &CheckOptions,
        log: &mut dyn Log,
    ) -> Result<CheckOpReport> {
        let intersections = !options.no_self_intersections;
        let mesh = &on.input;
        let check = timed(log, Stage::Work("checking"), || {
            Ok(match mesh {
                AnyMesh::Volume(mesh) => Checked::Volume(Box::new(check_tets(mesh))),
                AnyMesh::Surface(mesh) => {
                    let mut report = Box::new(check(mesh));
                    report.self_intersections = intersections.then(|| self_intersections(mesh));
                    Checked::Surface(report)
                }
                AnyMesh::Polygons(mesh) => {
                    let mut report = Box::new(check_poly(mesh));
                    if intersections {
                        report.self_intersections = Some(self_intersections_poly(mesh)?);
                    }
                    Checked::Surface(report)
                }
            })
        })?;
        on.counted = match &check {
            Checked::Surface(check) => [Some(check.edges), None],
            Checked::Volume(check) => [Some(check.edges), Some(check.faces)],
        };
        Ok(CheckOpReport { check })
    }

    fn describe(report: &CheckOpReport, options: &CheckOptions) -> Message {
        let (text, found) = match &report.check {
            Checked::Surface(check) => (check.to_text(), defects(check)),
            Checked::Volume(check) => (check.to_text(), tet_defects(check)),
        };
        let mut message = Message::new(text);
        if options.strict && !found.is_empty() {
            message.outcome = Outcome::Refused(found.join(", "));
        }
        message
    }
}

/// Returns the defects that `strict` refuses. Boundaries, isolated faces, several components and intersecting faces
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

/// Returns the defects that `strict` refuses in a volume. Slivers and several components are properties: the flatness
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
