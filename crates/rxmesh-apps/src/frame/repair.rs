//! Repair before an edit, and the description of what it did.

use crate::run::Run;
use anyhow::{Result, bail};
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::repair::{DefectCounts, HoleLeft, RepairOptions, RepairReport, repair};

/// Repairs a mesh that was read.
///
/// # Errors
///
/// A mesh of which no face would be left.
pub(crate) fn repaired(
    run: &Run,
    mesh: &mut TriMesh,
    options: &RepairOptions,
) -> Result<RepairReport> {
    let (report, _) = run.mesh_stage("repairing", || {
        let report = repair(mesh, options)?;
        match (report.before.faces, report.after.faces) {
            (0, _) => bail!("there are no faces, so there is nothing to repair"),
            (n, 0) => bail!("no face would be left: none of the {n} has an area"),
            _ => Ok(report),
        }
    })?;
    Ok(report)
}

/// Formats the work of each pass as a line; passes that did nothing are left out.
pub(crate) fn passes(report: &RepairReport) -> String {
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

/// Returns the line of the holes that were left, with the reasons.
pub(crate) fn holes_left(report: &RepairReport) -> String {
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

/// Returns the nonzero counts as a line.
pub(crate) fn counts(when: &str, c: &DefectCounts) -> String {
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
