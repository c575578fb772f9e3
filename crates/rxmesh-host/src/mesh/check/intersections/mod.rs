//! Faces that cut through each other, found in a tree of boxes and distinguished by exact predicates.

#[cfg(test)]
mod tests;
mod tree;
mod triangle;

use super::Findings;
use crate::mesh::{
    Column, ColumnData, ElementKind, Faces, MeshError, PolyMesh, TriMesh, check_counts,
};
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
    self_intersection_pairs(mesh).findings()
}

/// Pairs of faces that intersect.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FacePairs {
    /// Numbers of the faces, in ascending order.
    pub pairs: Vec<[u32; 2]>,
    /// `true` if there are no others; `false` if the search ended early, because it would have taken too long.
    pub is_complete: bool,
}

impl FacePairs {
    /// Puts pairs in order, each once.
    fn new(Found { mut pairs, all }: Found) -> FacePairs {
        pairs.par_sort_unstable();
        pairs.dedup();
        FacePairs {
            pairs,
            is_complete: all,
        }
    }

    fn findings(self) -> Findings<[u32; 2]> {
        Findings {
            at_least: !self.is_complete,
            ..self.pairs.into_iter().collect()
        }
    }
}

/// Works like [`self_intersections`], and returns all pairs.
pub fn self_intersection_pairs(mesh: &TriMesh) -> FacePairs {
    FacePairs::new(find(&mesh.positions, &mesh.faces, None))
}

/// Finds the pairs of a face of one mesh and a face of another one that intersect, as [`self_intersections`] does for
/// those of one mesh: faces that share no more than corners or a side, at the same places, are no pair. Positions of
/// the second mesh are rounded in the frame of the first one.
///
/// # Errors
///
/// More vertices or faces together than ids.
pub fn intersection_pairs(first: &TriMesh, second: &TriMesh) -> Result<FacePairs, MeshError> {
    let vertices = first.vertex_count() as u64 + second.vertex_count() as u64;
    let faces = first.face_count() as u64 + second.face_count() as u64;
    check_counts(vertices, faces)?;
    let mut moved = TriMesh {
        positions: second.positions.clone(),
        placement: second.placement,
        ..TriMesh::default()
    };
    moved.place(first.placement);
    let base = first.vertex_count() as u32;
    let split = first.face_count() as u32;
    let positions = [&*first.positions, &*moved.positions].concat();
    let mut all = first.faces.clone();
    all.extend(second.faces.iter().map(|f| f.map(|v| v + base)));
    let mut found = find(&positions, &all, Some(split));
    for [_, g] in &mut found.pairs {
        *g -= split;
    }
    Ok(FacePairs::new(found))
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
    let Found { mut pairs, all } = find(&cut.positions, &cut.faces, None);
    if let Some(source) = cut.extras.column(ElementKind::Face, FACE)
        && let ColumnData::U32(source) = &source.data
    {
        for pair in &mut pairs {
            let [f, g] = pair.map(|t| source[t as usize]);
            *pair = [f.min(g), f.max(g)];
        }
        pairs.retain(|[f, g]| f != g);
    }
    Ok(FacePairs::new(Found { pairs, all }).findings())
}

/// Pairs of triangles.
struct Found {
    /// Pairs in any order; the lower triangle of each comes first.
    pairs: Vec<[u32; 2]>,
    /// `true` if there are no others.
    all: bool,
}

fn find(positions: &[Vec3], faces: &[[u32; 3]], split: Option<u32>) -> Found {
    let tree = Tree::new(positions, faces, split);
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
