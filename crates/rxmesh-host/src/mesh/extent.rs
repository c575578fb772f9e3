//! The extent of a mesh: the vertices that count for its size, and the box around them.
//!
//! A surface is as large as its faces, a volume as its cells, a mesh without any as its vertices. Vertices of no face
//! or cell lie in many files, often far away, and never count.

use super::{PolyMesh, TetMesh, TriMesh};
use crate::par::IntoLean;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::sync::atomic::{AtomicU64, Ordering};

/// Corners or points that one thread takes at a time.
const CHUNK: usize = 1 << 16;

/// Vertices that count for the size of a mesh: corners of its faces or cells, or all if it has none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UsedVertices {
    /// A bit per vertex; empty if all of them count.
    words: Vec<u64>,
}

impl UsedVertices {
    /// Marks the corners of all faces or cells. Corners that are no vertices are passed over.
    pub(crate) fn of(vertices: usize, corners: &[u32]) -> UsedVertices {
        if corners.is_empty() {
            return UsedVertices { words: Vec::new() };
        }
        let marks = || (0..vertices.div_ceil(64)).into_par_iter().lean();
        let words: Vec<AtomicU64> = marks().map(|_| AtomicU64::new(0)).collect();
        corners.par_chunks(CHUNK).lean().for_each(|part| {
            for &v in part {
                let bit = 1 << (v % 64);
                match words.get(v as usize / 64) {
                    // Most corners name a vertex that another has marked.
                    Some(word) if word.load(Ordering::Relaxed) & bit == 0 => {
                        word.fetch_or(bit, Ordering::Relaxed);
                    }
                    _ => {}
                }
            }
        });
        let words: Vec<u64> = words.into_iter().map(AtomicU64::into_inner).collect();
        let used: usize = words.iter().map(|w| w.count_ones() as usize).sum();
        UsedVertices {
            words: if used >= vertices { Vec::new() } else { words },
        }
    }

    /// Returns `true` if the vertex counts.
    pub fn contains(&self, vertex: usize) -> bool {
        self.are_all() || self.words[vertex / 64] >> (vertex % 64) & 1 == 1
    }

    /// Returns `true` if every vertex counts.
    pub fn are_all(&self) -> bool {
        self.words.is_empty()
    }
}

impl TriMesh {
    /// Returns the vertices that count for the mesh's size: corners of faces, or all if there are no faces.
    pub fn used_vertices(&self) -> UsedVertices {
        UsedVertices::of(self.positions.len(), self.faces.as_flattened())
    }
}

impl PolyMesh {
    /// Works like [`TriMesh::used_vertices`].
    pub fn used_vertices(&self) -> UsedVertices {
        UsedVertices::of(self.positions.len(), &self.corners)
    }
}

impl TetMesh {
    /// Returns the vertices that count for the mesh's size: corners of cells, or all if there are no cells.
    pub fn used_vertices(&self) -> UsedVertices {
        UsedVertices::of(self.positions.len(), self.cells.as_flattened())
    }
}

/// Returns the box around the points that are corners, around all if there are no corners; `None` without points.
pub(crate) fn box_of_corners<P: Sync>(
    points: &[P],
    corners: &[u32],
    at: impl Fn(&P) -> DVec3 + Sync,
) -> Option<[DVec3; 2]> {
    box_of_used(points, &UsedVertices::of(points.len(), corners), at)
}

/// Returns the box around the points that count; `None` without any.
pub(super) fn box_of_used<P: Sync>(
    points: &[P],
    used: &UsedVertices,
    at: impl Fn(&P) -> DVec3 + Sync,
) -> Option<[DVec3; 2]> {
    if used.are_all() {
        return box_of(points, at);
    }
    // Each vertex once: corners name it six times, from all over the mesh.
    let parts = points.par_chunks(CHUNK).enumerate().lean();
    let boxes = parts.map(|(part, points)| {
        let each = points.iter().enumerate();
        let counted = each.filter(|(i, _)| used.contains(part * CHUNK + i));
        around(counted.map(|(_, p)| at(p)))
    });
    let [low, high] = boxes.reduce(|| around(std::iter::empty()), union);
    low.cmple(high).all().then_some([low, high])
}

/// Returns the box around points.
pub(super) fn box_of<P: Sync>(points: &[P], at: impl Fn(&P) -> DVec3 + Sync) -> Option<[DVec3; 2]> {
    let first = at(points.first()?);
    let boxes = points
        .par_chunks(CHUNK)
        .lean()
        .map(|part| around(part.iter().map(&at)));
    Some(boxes.reduce(|| [first; 2], union))
}

fn around(points: impl Iterator<Item = DVec3>) -> [DVec3; 2] {
    let none = [DVec3::INFINITY, DVec3::NEG_INFINITY];
    points.fold(none, |[low, high], p| [low.min(p), high.max(p)])
}

fn union(a: [DVec3; 2], b: [DVec3; 2]) -> [DVec3; 2] {
    [a[0].min(b[0]), a[1].max(b[1])]
}

/// Returns the box around a mesh, in the unit of its positions: around the corners of its faces or cells, or around all
/// vertices if it has none. `None` without vertices.
pub(crate) fn extent(positions: &[Vec3], corners: &[u32]) -> Option<[DVec3; 2]> {
    box_of_corners(positions, corners, |p| p.as_dvec3())
}

/// Returns the length of the diagonal of [`extent`], 0 without vertices.
pub(crate) fn diagonal(positions: &[Vec3], corners: &[u32]) -> f64 {
    extent(positions, corners).map_or(0.0, |[low, high]| low.distance(high))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate;

    /// A mesh with a vertex of no face or cell far outside is as large as without it.
    #[test]
    fn vertices_of_no_face_or_cell_do_not_count() {
        let far = Vec3::new(100.0, -300.0, 1e6);
        let mut surface = generate::icosphere(2).unwrap();
        let of_surface = surface.bounding_box();
        assert!(surface.used_vertices().are_all());
        surface.positions.insert(0, far);
        surface
            .faces
            .as_flattened_mut()
            .iter_mut()
            .for_each(|v| *v += 1);
        let used = surface.used_vertices();
        assert!(!used.contains(0) && !used.are_all());
        assert!((1..surface.vertex_count()).all(|v| used.contains(v)));
        assert_eq!(surface.bounding_box(), of_surface);

        let mut volume = generate::tet_ball(2).unwrap();
        let of_volume = volume.bounding_box();
        volume.positions.push(far);
        assert_eq!(volume.bounding_box(), of_volume);
        assert!(!volume.used_vertices().contains(volume.vertex_count() - 1));

        let mut polygons = generate::cube(3).unwrap();
        let of_polygons = polygons.bounding_box();
        polygons.positions.push(far);
        assert_eq!(polygons.bounding_box(), of_polygons);
        // Points are all that a mesh without faces has.
        surface.faces.clear();
        let [_, high] = surface.bounding_box().unwrap();
        assert_eq!(high[2], 1e6);
        assert_eq!(TriMesh::default().bounding_box(), None);
    }

    /// The frame of a mesh, and so all that is computed in it, is the same with and without such vertices.
    #[test]
    fn the_frame_follows_the_faces() {
        for by in [Vec3::ZERO, Vec3::new(5e5, 5.4e6, 0.0)] {
            for stray in [Vec3::ZERO, Vec3::splat(-4e7), Vec3::new(1e30, 0.0, 0.0)] {
                let mut mesh = generate::torus(12, 8, 16.0, 4.0).unwrap();
                mesh.positions.iter_mut().for_each(|p| *p += by);
                let mut with = mesh.clone();
                with.positions.extend([stray; 9]);
                mesh.normalise();
                with.normalise();
                with.validate().unwrap();
                assert_eq!(with.placement, mesh.placement, "{by} {stray}");
                let count = mesh.vertex_count();
                assert_eq!(with.positions[..count], mesh.positions[..]);
            }
        }
    }
}
