//! Closing of gaps: boundaries that nearly touch are joined.

mod divide;
#[cfg(test)]
mod tests;
mod weld;

use crate::Error;
use crate::mesh::{EdgeTable, MeshError, TriMesh};
use crate::options::Options;
use crate::repair::Length;

/// Options of closing gaps.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct GapOptions {
    /// The widest gap, a length in the mesh's unit or a percentage of its diagonal ('0.01%').
    #[cfg_attr(
        feature = "cli",
        arg(long = "gap", value_name = "LENGTH", default_value_t = Self::default().tolerance)
    )]
    pub tolerance: Length,
}

units!(GapOptions { tolerance: Length });

changeable!(GapOptions);

impl Default for GapOptions {
    /// Returns a tolerance of a thousandth of a percent of the diagonal.
    fn default() -> Self {
        GapOptions {
            tolerance: Length::OfDiagonal(1e-5),
        }
    }
}

impl GapOptions {
    fn valid(&self) -> Result<(), MeshError> {
        self.tolerance.valid("the widest gap")
    }
}

impl Options for GapOptions {
    fn check(&self) -> Result<(), Error> {
        Ok(self.valid()?)
    }
}

/// Counts of closing the gaps of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct GapReport {
    /// Vertices that became one with another one.
    pub merged: usize,
    /// Edges that were divided at a vertex beside them.
    pub divided: usize,
    /// Boundary edges before.
    pub edges_before: usize,
    /// Boundary edges that are left.
    pub edges_after: usize,
}

/// Most rounds: each ends with fewer boundary vertices, and mostly the second finds nothing.
const MOST_ROUNDS: usize = 32;

/// Closes gaps between boundaries, or between parts of one.
///
/// Boundary vertices that are no farther apart than the tolerance become one, in the middle; a boundary edge that
/// passes a boundary vertex that near is divided there. Nothing is done unless two boundary edges become one by it, no
/// edge gets more than two faces, faces that agree stay so, and none turns over or loses its area; vertices do not move
/// farther than half of the shortest edge at them. A vertex that others went into keeps the smallest number and its
/// values; vertices after the deleted ones move up. The result depends on nothing but the mesh and the tolerance.
///
/// # Errors
///
/// A mesh that is not valid ([`TriMesh::validate`]), options out of range. The mesh is then unchanged.
pub fn close_gaps(mesh: &mut TriMesh, options: &GapOptions) -> Result<GapReport, MeshError> {
    options.valid()?;
    mesh.validate()?;
    let mut report = GapReport::default();
    for round in 0..MOST_ROUNDS {
        let border = Border::new(mesh);
        let reach = options.tolerance.on(mesh);
        if round == 0 {
            report.edges_before = border.halves.len();
        }
        let merged = weld::weld(mesh, &border, reach);
        let border = if merged > 0 {
            Border::new(mesh)
        } else {
            border
        };
        let divided = divide::divide(mesh, &border, reach)?;
        report.merged += merged;
        report.divided += divided;
        if merged + divided == 0 {
            break;
        }
    }
    report.edges_after = Border::new(mesh).halves.len();
    mesh.validate()?;
    Ok(report)
}

/// Boundary of a mesh.
struct Border {
    table: EdgeTable,
    /// Half-edges along boundary edges, by edge.
    halves: Vec<u32>,
    /// Vertices of boundary edges, ascending.
    vertices: Vec<u32>,
}

impl Border {
    fn new(mesh: &TriMesh) -> Border {
        let table = EdgeTable::new(&mesh.faces, mesh.positions.len());
        let mut halves = Vec::new();
        let mut vertices = Vec::new();
        for e in 0..table.len() {
            if let [h] = table.along(e) {
                halves.push(*h);
                vertices.extend(table.edges[e]);
            }
        }
        vertices.sort_unstable();
        vertices.dedup();
        Border {
            table,
            halves,
            vertices,
        }
    }
}
