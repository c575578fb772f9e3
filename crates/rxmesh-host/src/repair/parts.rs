//! Small components.

use super::length::diagonal;
use super::rebuild::keep_faces;
use crate::mesh::{EdgeTable, Sets, TriMesh};
use glam::DVec3;

/// Counts of [`drop_small_components`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[non_exhaustive]
pub struct SmallReport {
    /// Components of the mesh.
    pub components: u64,
    /// Components that were dropped.
    pub dropped: u64,
    /// Faces of the components that were dropped.
    pub faces: u64,
}

/// Drops the components (faces connected through edges) that have fewer faces than `min_faces`, or a bounding box whose
/// diagonal is less than the part `min_size` of the mesh's. The largest one by faces always stays.
pub fn drop_small_components(mesh: &mut TriMesh, min_faces: u32, min_size: f64) -> SmallReport {
    struct FaceSet {
        root: u32,
        faces: u64,
        low: DVec3,
        high: DVec3,
    }
    let count = mesh.faces.len();
    let table = EdgeTable::new(&mesh.faces, mesh.positions.len());
    let mut sets = Sets::new(count);
    for e in 0..table.len() {
        for pair in table.along(e).windows(2) {
            sets.unite(pair[0] / 3, pair[1] / 3);
        }
    }
    let mut parts: Vec<FaceSet> = Vec::new();
    let mut part_of = vec![0u32; count];
    for f in 0..count {
        let root = sets.root(f as u32) as usize;
        if root == f {
            part_of[f] = parts.len() as u32;
            parts.push(FaceSet {
                root: f as u32,
                faces: 0,
                low: DVec3::INFINITY,
                high: DVec3::NEG_INFINITY,
            });
        }
        part_of[f] = part_of[root];
        let part = &mut parts[part_of[f] as usize];
        part.faces += 1;
        for v in mesh.faces[f] {
            let x = mesh.positions[v as usize].as_dvec3();
            (part.low, part.high) = (part.low.min(x), part.high.max(x));
        }
    }
    let least = min_size * diagonal(mesh);
    // The first one of equals.
    let largest = parts
        .iter()
        .max_by_key(|p| (p.faces, std::cmp::Reverse(p.root)))
        .map(|p| p.root);
    let stays = |p: &FaceSet| {
        Some(p.root) == largest
            || p.faces >= u64::from(min_faces) && p.low.distance(p.high) >= least
    };
    let stays: Vec<bool> = parts.iter().map(stays).collect();
    let keep: Vec<bool> = part_of.iter().map(|&p| stays[p as usize]).collect();
    keep_faces(mesh, &keep);
    SmallReport {
        components: parts.len() as u64,
        dropped: stays.iter().filter(|stays| !**stays).count() as u64,
        faces: keep.iter().filter(|keep| !**keep).count() as u64,
    }
}
