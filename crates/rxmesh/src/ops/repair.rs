//! `repair`: makes a mesh one that can be edited.

use crate::on::{AnyMesh, Tool};
use crate::{Error, Group, Log, Message, Operation, Result, Stage, stage};
use rxmesh_host::mesh::{Findings, TriMesh, self_intersections};
use rxmesh_host::repair::{self, DefectCounts, HoleLeft, RepairOptions, RepairReport};
use rxmesh_host::units;
use serde::Serialize;

/// Repairs a mesh.
#[derive(Clone, Copy, Debug)]
pub struct Repair;

/// RepairOpReport of [`Repair`].
#[derive(Debug, Serialize)]
pub struct RepairOpReport {
    /// RepairOpReport of the algorithm.
    pub repair: RepairReport,
    /// Requested repairs that could not be done.
    pub undone: Vec<String>,
    /// Faces of the result that intersect.
    pub self_intersections: Findings<[u32; 2]>,
}

units!(RepairOpReport { repair });

impl Operation for Repair {
    const NAME: &'static str = "repair";
    const GROUP: Group = Group::Inspect;
    const SUMMARY: &'static str =
        "Make a mesh manifold and consistently oriented, close gaps and fill holes";
    const HELP: &'static str = "Examples: rxmesh repair teapot.obj -o clean.ply
          rxmesh repair spot.ply --weld=0.001% --watertight -o solid.ply
          rxmesh repair ant.ply --min-component 20 --skip outward -o parts.ply

The passes, unless skipped: vertices at one place are united; faces without area are removed without
leaving a hole; of equal faces one is kept, of walls between two solids none; at edges of more than two
faces, and vertices of several fans, each sheet gets separate vertices; faces are oriented like their
neighbours, closed components outwards, those inside another one inwards; isolated vertices are
removed. The data of the mesh is carried. Gaps and holes are closed on request only, and intersecting
faces are counted, not changed.

If a request could not be met, the result is written and the exit code is 3.";
    const RECORD: &'static [(&'static str, &'static str)] = &[
        (
            "repair",
            "`before` and `after` (counts of elements and of defects), and the report of each pass: `weld`, \
            `degenerate`, `duplicates`, `split`, `orient`, `small`, `gaps`, `holes`, `outward`, `unused`; `null` for a \
            pass that was not done",
        ),
        ("undone", "requests that could not be met"),
        (
            "self_intersections",
            "pairs of faces of the result that intersect: `count`, and the `first` ten",
        ),
    ];

    type Options = RepairOptions;
    type Report = RepairOpReport;
    type On = Tool<TriMesh>;

    fn run(
        on: &mut Tool<TriMesh>,
        options: &RepairOptions,
        log: &mut dyn Log,
    ) -> Result<RepairOpReport> {
        let mut mesh = std::mem::take(&mut on.input);
        // Far from the origin new vertices lie between the 32-bit floats.
        let home = mesh.normalise();
        let report = repaired(&mut mesh, options, log)?;
        let self_intersections = stage(log, Stage::Aside("looking for intersections"), || {
            Ok(self_intersections(&mesh))
        })?;
        mesh.return_to(home);
        on.result = Some(AnyMesh::Surface(mesh));
        on.copies = report.split.map_or(0, |s| s.copies);
        Ok(RepairOpReport {
            undone: report.undone(options),
            repair: report,
            self_intersections,
        })
    }

    fn describe(report: &RepairOpReport, _options: &RepairOptions) -> Message {
        let r = &report.repair;
        let lines = counts("before", &r.before)
            + &passes(r)
            + &holes_left(r)
            + &counts("after", &r.after)
            + &intersecting(&report.self_intersections);
        Message::new(lines).unless_done(report.undone.is_empty(), || {
            format!("not repaired: {}", report.undone.join(", "))
        })
    }
}

/// Repairs a mesh in working units.
///
/// # Errors
///
/// A mesh of which no face would be left.
pub fn repaired(
    mesh: &mut TriMesh,
    options: &RepairOptions,
    log: &mut dyn Log,
) -> Result<RepairReport> {
    stage(log, Stage::Aside("repairing"), || {
        let report = repair::repair(mesh, options)?;
        let refused = |why: String| Err(Error::Message(why));
        match (report.before.faces, report.after.faces) {
            (0, _) => refused("there are no faces, so there is nothing to repair".into()),
            (n, 0) => refused(format!(
                "no face would be left: none of the {n} has an area"
            )),
            _ => Ok(report),
        }
    })
}

/// Formats the faces that intersect as a line, if some do.
fn intersecting(pairs: &Findings<[u32; 2]>) -> String {
    match (pairs.count, pairs.first.first()) {
        (n, Some([f, g])) => {
            let least = if pairs.at_least { "at least " } else { "" };
            format!(
                "left: {least}{n} pairs of faces that intersect, first {f} and {g} (counted from 0)\n"
            )
        }
        _ => String::new(),
    }
}

/// Formats the work of each pass as a line; passes that did nothing are left out.
pub fn passes(report: &RepairReport) -> String {
    let mut lines = Vec::new();
    let mut line = |pass: &str, counts: &[(u64, &str)]| {
        let done = counts.iter().filter(|(n, _)| *n > 0);
        let done: Vec<String> = done.map(|(n, what)| format!("{n} {what}")).collect();
        if !done.is_empty() {
            lines.push(format!("{pass}: {}\n", done.join(", ")));
        }
    };
    if let Some(r) = &report.weld {
        line(
            "weld",
            &[
                (r.vertices, "vertices united with an earlier one"),
                (r.other_values, "of them with other values in columns"),
                (r.collapsed, "faces collapsed"),
                (
                    r.duplicates.faces,
                    "faces that were then there twice dropped",
                ),
                (r.duplicates.walls, "faces of walls between solids dropped"),
            ],
        );
    }
    if let Some(r) = &report.degenerate {
        line(
            "faces without area",
            &[
                (r.repeated, "named a vertex twice"),
                (r.needles, "with two corners at one place"),
                (r.caps, "with their corners on a line"),
            ],
        );
    }
    if let Some(r) = &report.duplicates {
        line(
            "duplicate faces",
            &[
                (r.faces, "dropped"),
                (r.walls, "of walls between solids dropped"),
            ],
        );
    }
    if let Some(r) = &report.split {
        line(
            "split",
            &[
                (r.copies, "copies of vertices"),
                (r.on_edges, "new vertices on edges"),
                (r.turned, "faces reversed"),
                (
                    r.cuts,
                    "edges cut open, because the surface has one side only",
                ),
                (r.dropped, "faces dropped at edges too short for a vertex"),
            ],
        );
    }
    if let Some(r) = &report.orient {
        line(
            "orient",
            &[
                (r.turned, "faces reversed"),
                (r.conflicts, "edges where no turning helps"),
            ],
        );
    }
    if let Some(r) = &report.small {
        line(
            "small components",
            &[(r.dropped, "dropped"), (r.faces, "faces in them")],
        );
    }
    if let Some(r) = &report.gaps {
        line(
            "gaps",
            &[
                (r.merged as u64, "vertices joined"),
                (r.divided as u64, "edges divided at a vertex"),
            ],
        );
    }
    if let Some(r) = &report.holes {
        line(
            "holes",
            &[
                (r.filled as u64, "filled"),
                (r.faces_added as u64, "new faces"),
                (r.vertices_added as u64, "new vertices"),
                (r.left.len() as u64, "left"),
            ],
        );
    }
    if let Some(r) = &report.outward {
        line(
            "outward",
            &[
                (r.turned, "components reversed"),
                (r.cavities, "cavities face inwards"),
            ],
        );
    }
    line(
        "unused vertices",
        &[(report.unused.unwrap_or(0), "dropped")],
    );
    if lines.is_empty() {
        return "nothing to repair\n".to_owned();
    }
    lines.concat()
}

/// Formats the holes that were left, with the reasons.
fn holes_left(report: &RepairReport) -> String {
    const NAMED: usize = 10;
    let left = report.holes.as_ref().map_or(&[][..], |h| &h.left);
    let line = |h: &HoleLeft| {
        format!(
            "hole left: {} edges at vertex {}, {}\n",
            h.edges, h.vertex, h.why
        )
    };
    let mut lines: String = left.iter().take(NAMED).map(line).collect();
    if left.len() > NAMED {
        lines += &format!("and {} more\n", left.len() - NAMED);
    }
    lines
}

/// Formats the counts of elements and defects as a line; defects that are not there are left out.
pub fn counts(when: &str, c: &DefectCounts) -> String {
    let defects = [
        (c.boundary_loops, "boundary loops"),
        (c.boundary_edges, "boundary edges"),
        (c.non_manifold_edges, "non-manifold edges"),
        (c.non_manifold_vertices, "non-manifold vertices"),
        (
            c.inconsistent_edges,
            "edges between faces of opposite orientation",
        ),
        (c.degenerate_faces, "degenerate faces"),
        (c.zero_area_faces, "faces of zero area"),
        (c.duplicate_faces, "duplicate faces"),
        (c.isolated_vertices, "isolated vertices"),
        (c.duplicate_vertices, "duplicate vertices"),
    ];
    let found = defects.iter().filter(|(n, _)| *n > 0);
    let found: String = found.map(|(n, what)| format!(", {n} {what}")).collect();
    format!(
        "{when}: {} vertices, {} faces, {} components{found}\n",
        c.vertices, c.faces, c.components
    )
}
