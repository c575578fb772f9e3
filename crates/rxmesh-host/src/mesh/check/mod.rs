//! Finds defects of a mesh: one pass of edge finding, a few union-finds, near-linear time.

mod intersections;
mod polygons;
mod report;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tet_tests;
mod tets;
mod topology;

pub use intersections::{
    FacePairs, intersection_pairs, self_intersection_pairs, self_intersections,
    self_intersections_poly,
};
pub use polygons::{Deviation, PolygonCounts, PolygonReport};
pub use report::{CheckReport, EdgeLengths, Findings, Valence};
pub use tets::{SLIVER_DEGREES, TetReport, Worst, check_tets};

use super::face_list::{FaceList, Polygons, Triangles, is_simple};
use super::placement::bounding_box;
use super::{EdgeTable, Placement, PolyMesh, TriMesh, place_bits};
use crate::par::IntoLean;
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Mesh under check: triangles or polygons.
struct CheckedMesh<'a, F> {
    positions: &'a [Vec3],
    /// Corners of all faces.
    corners: &'a [u32],
    placement: &'a Placement,
    faces: F,
}

impl<F: FaceList> CheckedMesh<'_, F> {
    fn at(&self, v: u32) -> DVec3 {
        self.positions[v as usize].as_dvec3()
    }

    /// Returns the faces that name no vertex twice.
    fn proper(&self) -> impl Iterator<Item = (usize, &[u32])> {
        let all = (0..self.faces.count()).map(|f| (f, self.faces.face(f)));
        all.filter(|(_, face)| is_simple(face))
    }
}

/// Examines a mesh. Never fails on a mesh that [`TriMesh::validate`] accepts.
///
/// Conventions: faces that name a vertex twice ("degenerate") have no edges and count for no component, valence or
/// Euler characteristic; every other face counts, duplicates included. All offenders are numbered from 0, in the order
/// of the file.
pub fn check(mesh: &TriMesh) -> CheckReport {
    let view = CheckedMesh {
        positions: &mesh.positions,
        corners: mesh.faces.as_flattened(),
        placement: &mesh.placement,
        faces: Triangles(&mesh.faces),
    };
    examine(&view, &EdgeTable::of(&view.faces, mesh.positions.len()))
}

/// Works like [`check`], for polygons: [`CheckReport::polygons`] holds the findings about them. Never fails on a mesh
/// that [`PolyMesh::validate`] accepts.
pub fn check_poly(mesh: &PolyMesh) -> CheckReport {
    let view = CheckedMesh {
        positions: &mesh.positions,
        corners: &mesh.corners,
        placement: &mesh.placement,
        faces: Polygons::new(mesh),
    };
    let table = EdgeTable::of(&view.faces, mesh.positions.len());
    CheckReport {
        polygons: (!PolygonCounts::of(mesh).is_plain()).then(|| polygons::examine(mesh, &table)),
        ..examine(&view, &table)
    }
}

fn examine(mesh: &CheckedMesh<'_, impl FaceList>, table: &EdgeTable) -> CheckReport {
    let mut report = CheckReport {
        vertices: mesh.positions.len() as u64,
        faces: mesh.faces.count() as u64,
        edges: table.len() as u64,
        ..CheckReport::default()
    };
    edges(mesh, table, &mut report);
    let mixed = report.inconsistent_edges.count > 0;
    // Independent walks over the same table, each filling its own report.
    let ((fans, parts), ((f, v), g)) = rayon::join(
        || {
            rayon::join(
                || topology::fans_and_loops(mesh, table),
                || topology::components(mesh, table, mixed),
            )
        },
        || {
            rayon::join(
                || rayon::join(|| faces(mesh, table), || vertices(mesh, table)),
                || geometry(mesh, table),
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

/// Counts defects of single edges.
fn edges(mesh: &CheckedMesh<'_, impl FaceList>, table: &EdgeTable, report: &mut CheckReport) {
    for (e, &ends) in table.edges.iter().enumerate() {
        match table.along(e) {
            [_] => report.boundary_edges.add(ends),
            [g, h] => {
                if mesh.faces.vertex(*g) == mesh.faces.vertex(*h) {
                    report.inconsistent_edges.add(ends);
                }
            }
            _ => report.non_manifold_edges.add(ends),
        }
    }
}

/// Counts defects of single faces, or of the faces along one edge.
fn faces(mesh: &CheckedMesh<'_, impl FaceList>, table: &EdgeTable) -> CheckReport {
    let mut report = CheckReport::default();
    for f in 0..mesh.faces.count() {
        let (face, i) = (mesh.faces.face(f), f as u32);
        if !is_simple(face) {
            report.degenerate_faces.add(i);
            report.zero_area_faces.add(i);
            continue;
        }
        let a = mesh.at(face[0]);
        let fan = face[1..].windows(2);
        let area: DVec3 = fan
            .map(|w| (mesh.at(w[0]) - a).cross(mesh.at(w[1]) - a))
            .sum();
        if area == DVec3::ZERO {
            report.zero_area_faces.add(i);
        }
        let alone = |h: usize| table.along(table.edge_of[h] as usize).len() == 1;
        if mesh.faces.range(f).all(alone) {
            report.isolated_faces.add(i);
        }
    }
    report.duplicate_faces = duplicate_faces(mesh);
    report
}

/// Finds faces with the same vertices as an earlier face: they have the same sum of numbers that are mixed well.
fn duplicate_faces(mesh: &CheckedMesh<'_, impl FaceList>) -> Findings<u32> {
    /// 2^64 over the golden ratio, odd.
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let mixed = |&v: &u32| {
        let x = u64::from(v).wrapping_add(1).wrapping_mul(MIX);
        (x ^ x >> 29).wrapping_mul(MIX)
    };
    let sum = |face: &[u32]| face.iter().map(mixed).fold(0, u64::wrapping_add);
    let mut keys: Vec<(u64, u32)> = mesh
        .proper()
        .map(|(f, face)| (sum(face), f as u32))
        .collect();
    keys.par_sort_unstable();
    let sorted = |f: u32| {
        let mut vertices = mesh.faces.face(f as usize).to_vec();
        vertices.sort_unstable();
        vertices
    };
    let mut repeated = Vec::new();
    for same in keys.chunk_by(|a, b| a.0 == b.0).filter(|s| s.len() > 1) {
        let mut faces: Vec<(Vec<u32>, u32)> = same.iter().map(|&(_, f)| (sorted(f), f)).collect();
        faces.sort_unstable();
        let again = faces.windows(2).filter(|w| w[0].0 == w[1].0);
        repeated.extend(again.map(|w| w[1].1));
    }
    repeated.sort_unstable();
    repeated.into_iter().collect()
}

/// Finds valence, isolated and duplicate vertices.
fn vertices(mesh: &CheckedMesh<'_, impl FaceList>, table: &EdgeTable) -> CheckReport {
    let mut report = CheckReport::default();
    let mut used = vec![false; mesh.positions.len()];
    for f in 0..mesh.faces.count() {
        let face = mesh.faces.face(f).iter();
        face.for_each(|&v| used[v as usize] = true);
    }
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
    report.duplicate_vertices = duplicate_vertices(mesh.positions);
    report
}

/// Finds vertices at exactly the place of an earlier one.
fn duplicate_vertices(positions: &[Vec3]) -> Findings<u32> {
    let place = |v: usize| place_bits(positions[v]);
    let mut order: Vec<([u32; 3], u32)> = (0..positions.len())
        .into_par_iter()
        .lean()
        .map(|v| (place(v), v as u32))
        .collect();
    order.par_sort_unstable();
    let mut repeated: Vec<u32> = order
        .windows(2)
        .filter(|w| w[0].0 == w[1].0)
        .map(|w| w[1].1)
        .collect();
    repeated.sort_unstable();
    repeated.into_iter().collect()
}

/// Computes bounding box and edge lengths, in the world.
fn geometry(mesh: &CheckedMesh<'_, impl FaceList>, table: &EdgeTable) -> CheckReport {
    let mut report = CheckReport {
        bounding_box: bounding_box(mesh.positions, mesh.corners, mesh.placement),
        ..CheckReport::default()
    };
    report.edge_length = EdgeLengths::of(mesh.positions, mesh.placement, &table.edges);
    report
}

/// Derives Euler characteristic, genus and the flags from the counts.
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
