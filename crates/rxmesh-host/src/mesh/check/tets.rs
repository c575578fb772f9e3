//! Defects of a volume mesh.

use super::report::line;
use super::{EdgeLengths, Findings};
use crate::mesh::tet::{CellFaces, is_proper_cell, signed_volume};
use crate::mesh::{Sets, Spread, TetMesh};
use crate::par::IntoLean;
use glam::DVec3;
use rayon::prelude::*;
use std::fmt;

/// Below this smallest dihedral angle a cell is a sliver: in degrees, as Shewchuk 2002 and TetGen's users have it.
pub const SLIVER_DEGREES: f64 = 5.0;

/// Worst cell by one measure.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Worst {
    /// First cell that has it.
    pub cell: u32,
    /// Value of the measure there.
    pub value: f64,
}

/// All findings of [`check_tets`]. The field names are the keys of the JSON form and stay.
///
/// Faces are named by their three vertices, ascending, edges by their two. All numbers count from 0.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct TetReport {
    /// Number of vertices, unused ones included.
    pub vertices: u64,
    /// Number of edges.
    pub edges: u64,
    /// Number of faces, those between two cells counted once.
    pub faces: u64,
    /// Number of cells, degenerate ones included.
    pub cells: u64,
    /// Faces that belong to one cell.
    pub boundary_faces: u64,
    /// No face of more than two cells, no degenerate and no repeated cell.
    pub manifold: bool,
    /// Sets of cells connected through shared faces.
    pub face_components: u64,
    /// Sets of cells connected through shared vertices.
    pub vertex_components: u64,
    /// Cells of negative volume.
    pub inverted_cells: Findings<u32>,
    /// Cells that name a vertex twice.
    pub degenerate_cells: Findings<u32>,
    /// Cells whose volume is exactly 0 (in double precision), degenerate ones included.
    pub flat_cells: Findings<u32>,
    /// Cells that are neither, and have a dihedral angle below [`SLIVER_DEGREES`].
    pub slivers: Findings<u32>,
    /// Cells with the same vertices as an earlier cell, in any order.
    pub repeated_cells: Findings<u32>,
    /// Faces of more than two cells.
    pub crowded_faces: Findings<[u32; 3]>,
    /// Edges at which the boundary faces are not one closed ring: more than two of them.
    pub pinched_edges: Findings<[u32; 2]>,
    /// Vertices that no cell names.
    pub unused_vertices: Findings<u32>,
    /// Vertices at exactly the place of an earlier vertex.
    pub duplicate_vertices: Findings<u32>,
    /// Sum of the cells' signed volumes, in the world, in cubed length.
    pub volume: f64,
    /// Signed volumes of the cells that are not degenerate, in the world.
    pub cell_volume: Option<Spread>,
    /// Smallest dihedral angles of the cells that are neither degenerate nor flat, in degrees: 70.5 of a regular one.
    pub dihedral_angle: Option<Spread>,
    /// Cell with the smallest of them.
    pub least_angle: Option<Worst>,
    /// Three times the radius of the inscribed over that of the circumscribed sphere, of the same cells: 1 of a regular
    /// one (Liu and Joe 1994).
    pub radius_ratio: Option<Spread>,
    /// Cell with the smallest of them.
    pub least_ratio: Option<Worst>,
    /// Lowest and highest corner, in the world.
    pub bounding_box: Option<[[f64; 3]; 2]>,
    /// Lengths of the edges, in the world.
    pub edge_length: Option<EdgeLengths>,
}

units!(TetReport {
    volume: Volume,
    cell_volume: Volume,
    bounding_box: Length,
    edge_length
});

/// Measures of one cell.
#[derive(Debug, Clone, Copy)]
struct TetMeasures {
    volume: f64,
    /// Smallest dihedral angle in degrees; 0 for cells of no volume.
    angle: f64,
    ratio: f64,
}

/// Examines a volume mesh. Never fails on a mesh that [`TetMesh::validate`] accepts.
///
/// Cells that name a vertex twice ("degenerate") have no faces and edges here and count for no component; every other
/// cell counts, repeated ones included.
pub fn check_tets(mesh: &TetMesh) -> TetReport {
    let mut report = TetReport {
        vertices: mesh.vertex_count() as u64,
        cells: mesh.cell_count() as u64,
        bounding_box: mesh.bounding_box(),
        volume: mesh.volume(),
        ..TetReport::default()
    };
    let edges = mesh.edges();
    report.edges = edges.len() as u64;
    report.edge_length = EdgeLengths::of(&mesh.positions, &mesh.placement, &edges);
    drop(edges);
    faces(mesh, &mut report);
    shapes(mesh, &mut report);
    report.repeated_cells = repeated(mesh);
    vertices(mesh, &mut report);
    report.manifold = report.crowded_faces.count == 0
        && report.degenerate_cells.count == 0
        && report.repeated_cells.count == 0;
    report
}

/// Finds boundary faces, faces of more than two cells, pinched edges and components.
fn faces(mesh: &TetMesh, report: &mut TetReport) {
    let faces = CellFaces::new(&mesh.cells);
    let mut by_face = Sets::new(mesh.cell_count());
    let mut face_merges = 0;
    let mut rims = Vec::new();
    for group in faces.groups() {
        report.faces += 1;
        let face = group[0].0;
        match group.len() {
            1 => {
                report.boundary_faces += 1;
                let [a, b, c] = face;
                rims.extend([[a, b], [a, c], [b, c]]);
            }
            2 => {}
            _ => report.crowded_faces.add(face),
        }
        for pair in group.windows(2) {
            face_merges += u64::from(by_face.unite(pair[0].1 / 4, pair[1].1 / 4));
        }
    }
    rims.par_sort_unstable();
    let rings = rims.chunk_by(|a, b| a == b);
    report.pinched_edges = rings.filter(|r| r.len() != 2).map(|r| r[0]).collect();
    let proper = mesh.cells.iter().filter(|c| is_proper_cell(c)).count() as u64;
    report.face_components = proper - face_merges;
    report.vertex_components = vertex_components(mesh);
}

fn vertex_components(mesh: &TetMesh) -> u64 {
    let mut sets = Sets::new(mesh.vertex_count());
    let mut used = vec![false; mesh.vertex_count()];
    let mut merges = 0;
    for cell in mesh.cells.iter().filter(|c| is_proper_cell(c)) {
        cell.iter().for_each(|&v| used[v as usize] = true);
        for k in 1..4 {
            merges += u64::from(sets.unite(cell[0], cell[k]));
        }
    }
    used.into_iter().filter(|u| *u).count() as u64 - merges
}

fn shapes(mesh: &TetMesh, report: &mut TetReport) {
    let shapes: Vec<TetMeasures> = (0..mesh.cell_count())
        .into_par_iter()
        .lean()
        .map(|c| shape(mesh.corners(c)))
        .collect();
    let unit = mesh.placement.scale.powi(3);
    let (mut volumes, mut sound) = (Vec::new(), Vec::new());
    for (c, s) in (0..).zip(&shapes) {
        let proper = is_proper_cell(&mesh.cells[c as usize]);
        if !proper {
            report.degenerate_cells.add(c);
        } else {
            volumes.push(s.volume * unit);
        }
        if s.volume < 0.0 && proper {
            report.inverted_cells.add(c);
        }
        if s.volume == 0.0 || !proper {
            report.flat_cells.add(c);
            continue;
        }
        if s.angle < SLIVER_DEGREES {
            report.slivers.add(c);
        }
        sound.push(c);
    }
    let spread = |of: &[f64]| (!of.is_empty()).then(|| Spread::of(of.iter().copied()));
    report.cell_volume = spread(&volumes);
    let measures = |of: fn(&TetMeasures) -> f64| {
        let values: Vec<f64> = sound.iter().map(|&c| of(&shapes[c as usize])).collect();
        let least = sound.iter().zip(&values).min_by(|a, b| a.1.total_cmp(b.1));
        let worst = least.map(|(&cell, &value)| Worst { cell, value });
        (spread(&values), worst)
    };
    (report.dihedral_angle, report.least_angle) = measures(|s| s.angle);
    (report.radius_ratio, report.least_ratio) = measures(|s| s.ratio);
}

/// Measures a tetrahedron, whatever its winding.
fn shape(p: [DVec3; 4]) -> TetMeasures {
    let volume = signed_volume(p);
    let [a, b, c] = [p[1] - p[0], p[2] - p[0], p[3] - p[0]];
    // Twice the areas' vectors, out of a cell that is positive.
    let normals = [(b - a).cross(c - a), c.cross(b), a.cross(c), b.cross(a)];
    let mut angle = f64::INFINITY;
    for i in 0..4 {
        for j in 0..i {
            let (m, n) = (normals[i], normals[j]);
            let between = m.cross(n).length().atan2(m.dot(n)).to_degrees();
            angle = angle.min(180.0 - between);
        }
    }
    let area: f64 = normals.iter().map(|n| 0.5 * n.length()).sum();
    let inner = 3.0 * volume.abs() / area;
    let middle = a.length_squared() * b.cross(c)
        + b.length_squared() * c.cross(a)
        + c.length_squared() * a.cross(b);
    let outer = middle.length() / (12.0 * volume.abs());
    let ratio = 3.0 * inner / outer;
    // The measures of a nearly flat cell may be infinite or NaN.
    let known = |x: f64| if x.is_finite() { x.max(0.0) } else { 0.0 };
    TetMeasures {
        volume,
        angle: known(angle),
        ratio: known(ratio),
    }
}

/// Finds cells with the vertices of an earlier one.
fn repeated(mesh: &TetMesh) -> Findings<u32> {
    let sorted = |c: usize| {
        let mut cell = mesh.cells[c];
        cell.sort_unstable();
        (cell, c as u32)
    };
    let mut cells: Vec<([u32; 4], u32)> = (0..mesh.cell_count())
        .into_par_iter()
        .lean()
        .map(sorted)
        .collect();
    cells.par_sort_unstable();
    let again = cells.windows(2).filter(|w| w[0].0 == w[1].0);
    let mut again: Vec<u32> = again.map(|w| w[1].1).collect();
    again.sort_unstable();
    again
        .into_iter()
        .filter(|&c| is_proper_cell(&mesh.cells[c as usize]))
        .collect()
}

fn vertices(mesh: &TetMesh, report: &mut TetReport) {
    let mut used = vec![false; mesh.vertex_count()];
    mesh.cells
        .iter()
        .flatten()
        .for_each(|&v| used[v as usize] = true);
    let unused = (0..).zip(used).filter(|(_, used)| !used);
    report.unused_vertices = unused.map(|(v, _)| v).collect();
    report.duplicate_vertices = super::duplicate_vertices(&mesh.positions);
}

impl TetReport {
    /// Returns the report as text, one finding per line.
    pub fn to_text(&self) -> String {
        self.to_string()
    }
}

impl fmt::Display for TetReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} vertices, {} edges, {} faces ({} on the boundary), {} cells",
            self.vertices, self.edges, self.faces, self.boundary_faces, self.cells
        )?;
        writeln!(f, "manifold: {}", if self.manifold { "yes" } else { "no" })?;
        let (by_face, by_vertex) = (self.face_components, self.vertex_components);
        writeln!(
            f,
            "components: {by_face} through faces, {by_vertex} through vertices"
        )?;
        if let Some([low, high]) = self.bounding_box {
            writeln!(f, "bounding box: {low:?} to {high:?}")?;
        }
        writeln!(f, "volume: {:.6e}", self.volume)?;
        let spread = |f: &mut fmt::Formatter<'_>, name, s: Option<Spread>, worst: Option<Worst>| {
            let Some(s) = s else {
                return Ok(());
            };
            write!(f, "{name}: {:.6e} min", s.min)?;
            if let Some(w) = worst {
                write!(f, " (cell {})", w.cell)?;
            }
            writeln!(f, ", {:.6e} mean, {:.6e} max", s.mean, s.max)
        };
        spread(f, "volume of a cell", self.cell_volume, None)?;
        spread(
            f,
            "smallest dihedral angle (degrees)",
            self.dihedral_angle,
            self.least_angle,
        )?;
        spread(f, "radius ratio", self.radius_ratio, self.least_ratio)?;
        if let Some(l) = self.edge_length {
            writeln!(
                f,
                "edge length: {:.6e} min, {:.6e} mean, {:.6e} max",
                l.min, l.mean, l.max
            )?;
        }
        line(f, "inverted cells", &self.inverted_cells)?;
        line(f, "degenerate cells", &self.degenerate_cells)?;
        line(f, "cells of no volume", &self.flat_cells)?;
        line(f, "slivers", &self.slivers)?;
        line(f, "repeated cells", &self.repeated_cells)?;
        line(f, "faces of more than two cells", &self.crowded_faces)?;
        line(
            f,
            "edges where the boundary is pinched",
            &self.pinched_edges,
        )?;
        line(f, "unused vertices", &self.unused_vertices)?;
        line(f, "duplicate vertices", &self.duplicate_vertices)
    }
}
