//! Checks that only polygons need: sizes, planes, sides that cross, sharpness, holes.

use super::super::face_list::is_simple;
use super::super::polygon::{crosses_itself, off_plane};
use super::report::line;
use super::{EdgeTable, Findings};
use crate::mesh::PolyMesh;
use crate::par::IntoLean;
use glam::Vec3;
use rayon::prelude::*;
use std::fmt;

/// Deviation of a face from its plane.
#[derive(Debug, Clone, Copy, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Deviation {
    /// First face with that deviation.
    pub face: u32,
    /// Largest distance of a corner from the plane through the middle of the corners, along the Newell normal; in the
    /// world.
    pub distance: f64,
}

units!(Deviation { distance: Length });

/// Numbers of polygons by size, of sharp elements and of holes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PolygonCounts {
    /// Faces of three corners.
    pub triangles: u64,
    /// Faces of four corners.
    pub quads: u64,
    /// Faces of more corners.
    pub larger: u64,
    /// Corners of the largest face; 0 without faces.
    pub largest: u64,
    /// Edges of a sharpness above 0.
    pub sharp_edges: u64,
    /// Vertices of a sharpness above 0.
    pub sharp_vertices: u64,
    /// Faces that shape the surface but are not part of it.
    pub holes: u64,
}

impl PolygonCounts {
    /// Counts the polygons of a mesh.
    pub fn of(mesh: &PolyMesh) -> PolygonCounts {
        let (edges, vertices) = (mesh.sharp_edges.iter(), mesh.sharp_vertices.iter());
        let mut counts = PolygonCounts {
            sharp_edges: edges.filter(|e| e.sharpness > 0.0).count() as u64,
            sharp_vertices: vertices.filter(|v| v.sharpness > 0.0).count() as u64,
            holes: mesh.holes.len() as u64,
            ..PolygonCounts::default()
        };
        for f in 0..mesh.face_count() {
            let n = mesh.range(f).len();
            *match n {
                3 => &mut counts.triangles,
                4 => &mut counts.quads,
                _ => &mut counts.larger,
            } += 1;
            counts.largest = counts.largest.max(n as u64);
        }
        counts
    }

    /// Returns `true` if a triangle mesh can hold all of it.
    pub fn is_plain(&self) -> bool {
        let marks = self.sharp_edges + self.sharp_vertices + self.holes;
        self.largest <= 3 && marks == 0
    }
}

impl fmt::Display for PolygonCounts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} triangles, {} quads, {} larger polygons; at most {} corners",
            self.triangles, self.quads, self.larger, self.largest
        )?;
        writeln!(
            f,
            "{} sharp edges, {} sharp vertices, {} holes",
            self.sharp_edges, self.sharp_vertices, self.holes
        )
    }
}

/// Findings of [`check_poly`](super::check_poly) about polygons. All numbers count from 0.
#[derive(Debug, Clone, PartialEq, Default)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct PolygonReport {
    /// Sizes, sharpness and holes.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub counts: PolygonCounts,
    /// Face that is farthest from flat, where one is not flat.
    pub least_flat: Option<Deviation>,
    /// Faces that seen along their Newell normal have two sides that cross. Faces of more than
    /// [`PolygonReport::MOST_CORNERS`] corners that are not convex are not examined.
    pub crossing_faces: Findings<u32>,
    /// Sharp edges whose ends no edge joins.
    pub loose_sharp_edges: Findings<[u32; 2]>,
}

units!(PolygonReport { least_flat });

impl PolygonReport {
    /// Most corners of a face in which all pairs of sides are compared.
    pub const MOST_CORNERS: usize = 1000;
}

pub(super) fn examine(mesh: &PolyMesh, table: &EdgeTable) -> PolygonReport {
    let mut report = PolygonReport {
        counts: PolygonCounts::of(mesh),
        ..PolygonReport::default()
    };
    let faces = (0..mesh.face_count()).into_par_iter().lean();
    let shapes: Vec<(f64, bool)> = faces.map(|f| shape(mesh, f)).collect();
    for (f, &(distance, crosses)) in shapes.iter().enumerate() {
        let (face, distance) = (f as u32, mesh.placement.scale * distance);
        if distance > report.least_flat.map_or(0.0, |d| d.distance) {
            report.least_flat = Some(Deviation { face, distance });
        }
        if crosses {
            report.crossing_faces.add(face);
        }
    }
    for e in mesh.sharp_edges.iter().filter(|e| e.sharpness > 0.0) {
        let ends = [e.ends[0].min(e.ends[1]), e.ends[0].max(e.ends[1])];
        if table.edges.binary_search(&ends).is_err() {
            report.loose_sharp_edges.add(ends);
        }
    }
    report
}

/// Returns the distance of a face from its plane and `true` if its sides cross. A face that names a vertex twice is
/// reported by another check.
fn shape(mesh: &PolyMesh, face: usize) -> (f64, bool) {
    let face = mesh.face(face);
    if face.len() < 4 || !is_simple(face) {
        return (0.0, false);
    }
    let points: Vec<Vec3> = face.iter().map(|&v| mesh.positions[v as usize]).collect();
    let crosses = crosses_itself(&points, PolygonReport::MOST_CORNERS);
    (off_plane(&points), crosses)
}

impl fmt::Display for PolygonReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.counts)?;
        if let Some(d) = self.least_flat {
            let (face, distance) = (d.face, d.distance);
            writeln!(
                f,
                "largest distance of a corner from its face's plane: {distance:.6e} (face {face}; counted from 0)"
            )?;
        }
        line(f, "faces that cross themselves", &self.crossing_faces)?;
        line(f, "sharp edges that are no edges", &self.loose_sharp_edges)
    }
}
