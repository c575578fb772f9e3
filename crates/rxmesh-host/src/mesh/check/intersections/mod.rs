//! Faces that cut through each other, found in a tree of boxes and distinguished by exact predicates.

#[cfg(test)]
mod tests;
mod tree;
mod triangle;

use super::Findings;
use crate::mesh::{Column, ColumnData, ElementKind, Faces, MeshError, PolyMesh, TriMesh};
use crate::par::IntoLean;
use glam::Vec3;
use rayon::prelude::*;
use tree::Tree;

/// Triangles whose partners one piece of work finds.
const PIECE: usize = 1024;
/// Most pairs of triangles that exact predicates test in all, or more in a large mesh: those of a surface are few, and
/// those of a heap of triangles go with the square of their number.
const MOST_TESTS: usize = 1 << 23;
/// Pairs per triangle, on average over a piece of work, that are tested for a mesh of any size.
const TESTS_A_TRIANGLE: usize = 256;

/// Finds the pairs of faces that have a point in common other than the vertices and edges that they share.
///
/// Corners at one place count as shared, whatever their numbers. Faces that touch without passing through each other
/// are such pairs too, as are faces that lie upon each other in a plane, and equal faces. Faces without area have no
/// part in it. Signs are exact (Shewchuk 1997). A pair names the lower face first; pairs are in ascending order.
///
/// A tree of bounding boxes makes the time near n log n for surfaces. Heaps of faces end early, and then the number is
/// a lower bound ([`Findings::at_least`]): if a face meets more than 1,000 others that come after it along a
/// space-filling curve, the rest of these does not count; and of pairs whose boxes overlap, 2^23 or 256 a face are
/// tested, shared out evenly along the curve.
pub fn self_intersections(mesh: &TriMesh) -> Findings<[u32; 2]> {
    let Found { pairs, all } = find(&mesh.positions, &mesh.faces);
    findings(pairs, all)
}

/// Works like [`self_intersections`], and returns all pairs that are found.
pub fn self_intersection_pairs(mesh: &TriMesh) -> Vec<[u32; 2]> {
    in_order(find(&mesh.positions, &mesh.faces).pairs)
}

/// Returns the pairs in ascending order, each once.
fn in_order(mut pairs: Vec<[u32; 2]>) -> Vec<[u32; 2]> {
    pairs.par_sort_unstable();
    pairs.dedup();
    pairs
}

fn findings(pairs: Vec<[u32; 2]>, all: bool) -> Findings<[u32; 2]> {
    let pairs = in_order(pairs);
    Findings {
        at_least: !all,
        ..pairs.into_iter().collect()
    }
}

/// Works like [`self_intersections`], for polygons: as they are cut into triangles. A polygon's own triangles are no
/// pair.
///
/// # Errors
///
/// More triangles than ids ([`PolyMesh::triangulate`]).
pub fn self_intersections_poly(mesh: &PolyMesh) -> Result<Findings<[u32; 2]>, MeshError> {
    const FACE: &str = "face";
    let mut plain = PolyMesh {
        positions: mesh.positions.clone(),
        faces: mesh.faces.clone(),
        corners: mesh.corners.clone(),
        ..PolyMesh::default()
    };
    if !matches!(mesh.faces, Faces::Same(3)) {
        plain.extras.columns.push(Column {
            name: FACE.into(),
            element: ElementKind::Face,
            width: 1,
            data: ColumnData::U32((0..mesh.face_count() as u32).collect()),
        });
    }
    let (cut, _) = plain.triangulate()?;
    let Found { mut pairs, all } = find(&cut.positions, &cut.faces);
    if let Some(source) = cut.extras.column(ElementKind::Face, FACE)
        && let ColumnData::U32(source) = &source.data
    {
        for pair in &mut pairs {
            let [f, g] = pair.map(|t| source[t as usize]);
            *pair = [f.min(g), f.max(g)];
        }
        pairs.retain(|[f, g]| f != g);
    }
    Ok(findings(pairs, all))
}

/// Pairs of triangles.
struct Found {
    /// Pairs in any order; the lower triangle of each comes first.
    pairs: Vec<[u32; 2]>,
    /// `true` if there are no others.
    all: bool,
}

fn find(positions: &[Vec3], faces: &[[u32; 3]]) -> Found {
    let tree = Tree::new(positions, faces);
    let count = tree.order.len().div_ceil(PIECE);
    let tests = (MOST_TESTS / count.max(1)).max(TESTS_A_TRIANGLE * PIECE);
    let pieces = (0..count).into_par_iter().lean();
    let found = pieces.map(|piece| {
        let first = piece * PIECE;
        let mut search = Search {
            pairs: Vec::new(),
            tests,
            all: true,
        };
        for i in first..(first + PIECE).min(tree.order.len()) {
            tree.partners(i, positions, faces, &mut search);
        }
        (search.pairs, search.all)
    });
    let (pairs, all): (Vec<_>, Vec<bool>) = found.collect::<Vec<_>>().into_iter().unzip();
    Found {
        pairs: pairs.concat(),
        all: all.into_iter().all(|all| all),
    }
}

/// Pairs of one piece of work.
struct Search {
    pairs: Vec<[u32; 2]>,
    /// Number of pairs that exact predicates may still test.
    tests: usize,
    /// Nothing was left out.
    all: bool,
}
