//! Says what is odd about a mesh: one pass of edge finding, a few union-finds, near-linear time.

mod report;
mod topology;

pub use report::{CheckReport, EdgeLengths, Findings, Valence};

use super::edges::is_proper;
use super::{EdgeTable, TriMesh};
use rayon::prelude::*;

/// Examines a mesh. Never fails on a mesh that [`TriMesh::validate`] accepts.
///
/// Conventions: faces that name a vertex twice ("degenerate") have no edges and count for no component, valence or
/// Euler characteristic; every other face counts, duplicates included. All offenders are numbered from 0, in the order
/// of the file.
pub fn check(mesh: &TriMesh) -> CheckReport {
    let table = EdgeTable::new(&mesh.faces, mesh.positions.len());
    let mut report = CheckReport {
        vertices: mesh.positions.len() as u64,
        faces: mesh.faces.len() as u64,
        edges: table.len() as u64,
        ..CheckReport::default()
    };
    edges(mesh, &table, &mut report);
    let mixed = report.inconsistent_edges.count > 0;
    // Independent looks at the same table, each filling a report of its own.
    let ((fans, parts), ((f, v), g)) = rayon::join(
        || {
            rayon::join(
                || topology::fans_and_loops(mesh, &table),
                || topology::components(mesh, &table, mixed),
            )
        },
        || {
            rayon::join(
                || rayon::join(|| faces(mesh, &table), || vertices(mesh, &table)),
                || geometry(mesh, &table),
            )
        },
    );
    report.non_manifold_vertices = fans.bad;
    report.boundary_loops = fans.loops;
    report.only_degenerate_vertices = fans.without - v.isolated_vertices.count;
    report.face_components = report.faces - f.degenerate_faces.count - parts.face_merges;
    report.vertex_components = report.vertices - fans.without - parts.vertex_merges;
    report.orientable = parts.orientable;
    let report = CheckReport {
        degenerate_faces: f.degenerate_faces,
        zero_area_faces: f.zero_area_faces,
        isolated_faces: f.isolated_faces,
        duplicate_faces: f.duplicate_faces,
        isolated_vertices: v.isolated_vertices,
        duplicate_vertices: v.duplicate_vertices,
        max_valence: v.max_valence,
        min_valence: v.min_valence,
        bounding_box: g.bounding_box,
        edge_length: g.edge_length,
        ..report
    };
    conclude(report)
}

/// Counts that look at one edge at a time.
fn edges(mesh: &TriMesh, table: &EdgeTable, report: &mut CheckReport) {
    for (e, &ends) in table.edges.iter().enumerate() {
        match table.along(e) {
            [_] => report.boundary_edges.add(ends),
            [g, h] => {
                if mesh.faces[*g as usize / 3][*g as usize % 3]
                    == mesh.faces[*h as usize / 3][*h as usize % 3]
                {
                    report.inconsistent_edges.add(ends);
                }
            }
            _ => report.non_manifold_edges.add(ends),
        }
    }
}

/// Counts that look at one face, or at the faces along one edge, at a time.
fn faces(mesh: &TriMesh, table: &EdgeTable) -> CheckReport {
    let mut report = CheckReport::default();
    let at = |v: u32| mesh.positions[v as usize].as_dvec3();
    for (i, f) in mesh.faces.iter().enumerate() {
        let i = i as u32;
        if !is_proper(f) {
            report.degenerate_faces.add(i);
            report.zero_area_faces.add(i);
            continue;
        }
        let a = at(f[0]);
        if (at(f[1]) - a).cross(at(f[2]) - a) == glam::DVec3::ZERO {
            report.zero_area_faces.add(i);
        }
        let alone = |k| {
            table
                .along(table.edge_of[3 * i as usize + k] as usize)
                .len()
                == 1
        };
        if (0..3).all(alone) {
            report.isolated_faces.add(i);
        }
    }
    report.duplicate_faces = duplicate_faces(mesh, table);
    report
}

/// Faces with the same three vertices as an earlier face. Two such faces meet along the edge of their two smaller
/// vertices, so only faces along one edge need comparing.
fn duplicate_faces(mesh: &TriMesh, table: &EdgeTable) -> Findings<u32> {
    let mut repeated = Vec::new();
    let mut thirds: Vec<(u32, u32)> = Vec::new();
    for (e, &[_, high]) in table.edges.iter().enumerate() {
        if table.along(e).len() < 2 {
            continue;
        }
        let third = |h: u32| (mesh.faces[h as usize / 3][(h as usize + 2) % 3], h / 3);
        thirds.clear();
        thirds.extend(
            table
                .along(e)
                .iter()
                .map(|&h| third(h))
                .filter(|t| t.0 > high),
        );
        thirds.sort_unstable();
        repeated.extend(
            thirds
                .windows(2)
                .filter(|w| w[0].0 == w[1].0)
                .map(|w| w[1].1),
        );
    }
    repeated.sort_unstable();
    repeated.into_iter().collect()
}

/// Valence, isolated and duplicate vertices.
fn vertices(mesh: &TriMesh, table: &EdgeTable) -> CheckReport {
    let mut report = CheckReport::default();
    let mut used = vec![false; mesh.positions.len()];
    mesh.faces
        .iter()
        .flatten()
        .for_each(|&v| used[v as usize] = true);
    let unused = used.iter().enumerate().filter(|(_, u)| !**u);
    report.isolated_vertices = unused.map(|(v, _)| v as u32).collect();
    let mut valence = vec![0u32; mesh.positions.len()];
    table
        .edges
        .iter()
        .flatten()
        .for_each(|&v| valence[v as usize] += 1);
    for (v, &n) in valence.iter().enumerate().filter(|(_, n)| **n > 0) {
        let here = Valence {
            valence: n,
            vertex: v as u32,
        };
        if report.max_valence.is_none_or(|m| n > m.valence) {
            report.max_valence = Some(here);
        }
        if report.min_valence.is_none_or(|m| n < m.valence) {
            report.min_valence = Some(here);
        }
    }
    // -0 and 0 are the same place.
    let bits = |c: f32| (c + 0.0).to_bits();
    let place = |v: usize| mesh.positions[v].to_array().map(bits);
    let mut order: Vec<([u32; 3], u32)> = (0..mesh.positions.len())
        .into_par_iter()
        .map(|v| (place(v), v as u32))
        .collect();
    order.par_sort_unstable();
    let mut repeated: Vec<u32> = order
        .windows(2)
        .filter(|w| w[0].0 == w[1].0)
        .map(|w| w[1].1)
        .collect();
    repeated.sort_unstable();
    report.duplicate_vertices = repeated.into_iter().collect();
    report
}

/// Bounding box and edge lengths, in the world.
fn geometry(mesh: &TriMesh, table: &EdgeTable) -> CheckReport {
    let mut report = CheckReport {
        bounding_box: mesh.bounding_box(),
        ..CheckReport::default()
    };
    let at = |v: u32| mesh.positions[v as usize].as_dvec3();
    let mut lengths = EdgeLengths {
        min: f64::INFINITY,
        mean: 0.0,
        max: 0.0,
    };
    for &[a, b] in &table.edges {
        let l = mesh.placement.scale * at(a).distance(at(b));
        lengths.min = lengths.min.min(l);
        lengths.max = lengths.max.max(l);
        lengths.mean += l / table.len() as f64;
    }
    report.edge_length = (!table.is_empty()).then_some(lengths);
    report
}

/// What follows from the counts.
fn conclude(mut r: CheckReport) -> CheckReport {
    let used = r.vertices - r.isolated_vertices.count - r.only_degenerate_vertices;
    r.euler_characteristic =
        used as i64 - r.edges as i64 + (r.faces - r.degenerate_faces.count) as i64;
    r.closed = r.faces > r.degenerate_faces.count && r.boundary_edges.count == 0;
    r.manifold = r.non_manifold_edges.count == 0
        && r.non_manifold_vertices.count == 0
        && r.degenerate_faces.count == 0;
    r.consistently_oriented = r.inconsistent_edges.count == 0;
    let handles = 2 * r.vertex_components as i64 - r.euler_characteristic - r.boundary_loops as i64;
    let has_genus = r.manifold && r.orientable && r.faces > 0;
    r.genus = has_genus.then_some(handles / 2);
    r
}
