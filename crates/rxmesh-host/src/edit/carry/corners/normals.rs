//! Layers of normals.

use super::super::order::NewElements;
use super::charts::{CornerValues, SEAM, same};
use crate::mesh::{CornerLayer, NO_VALUE, TriMesh};
use glam::Vec3;
use std::collections::HashMap;

impl CornerValues {
    /// Assigns face normals to the corners of faces that have changed and come from a flat-shaded face: the normal of
    /// the old face if they have not turned.
    pub(in super::super) fn keep_flat(
        &self,
        old: &CornerLayer,
        order: &NewElements,
        mesh: &TriMesh,
        layer: &mut CornerLayer,
    ) {
        let corners = layer.corners.as_chunks_mut::<3>().0;
        for ((face, entries), new) in order.faces.iter().zip(corners).zip(&mesh.faces) {
            let flat = self.flat.get(face.origin as usize) == Some(&true);
            if !flat || *entries != [NO_VALUE; 3] {
                continue;
            }
            let [a, b, c] = new.map(|v| mesh.positions[v as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            let before = old.corners[3 * face.origin as usize];
            let at = 3 * before as usize;
            let turned = Vec3::from_slice(&old.values[at..at + 3])
                .normalize_or_zero()
                .dot(normal)
                < TURNED;
            let next = (layer.values.len() / 3) as u32;
            *entries = [if turned { next } else { before }; 3];
            if turned {
                layer.values.extend(normal.to_array());
            }
        }
    }
}

/// Normalises the entries from `first` on, of three numbers each.
pub(in super::super) fn make_units(layer: &mut CornerLayer, first: usize) {
    for n in layer.values[3 * first..].chunks_exact_mut(3) {
        let unit = Vec3::from_slice(n).normalize_or_zero();
        n.copy_from_slice(&unit.to_array());
    }
}

/// Recomputes normals of corners: the sum of the areas of the faces at a vertex whose corners have one value.
pub(in super::super) fn renew_normals(mesh: &TriMesh, layer: &mut CornerLayer) {
    let mut sums: Vec<Vec3> = Vec::new();
    let mut places = HashMap::new();
    let corners = layer.corners.as_chunks_mut::<3>().0;
    for (face, entries) in mesh.faces.iter().zip(corners) {
        let [a, b, c] = face.map(|v| mesh.positions[v as usize]);
        let normal = (b - a).cross(c - a);
        for (&v, entry) in face.iter().zip(entries) {
            if *entry != NO_VALUE {
                let at = *places.entry((v, *entry)).or_insert(sums.len());
                if at == sums.len() {
                    sums.push(Vec3::ZERO);
                }
                sums[at] += normal;
                *entry = at as u32;
            }
        }
    }
    let units = sums.iter().map(|n| n.normalize_or_zero().to_array());
    layer.values = units.flatten().collect();
}

/// Returns for each face `true` if its corners have one normal, which is the face's.
pub(in super::super) fn flat_faces(mesh: &TriMesh, layer: &CornerLayer) -> Vec<bool> {
    let corners = layer.corners.as_chunks::<3>().0;
    let flat = |(face, entries): (&[u32; 3], &[u32; 3])| {
        let [a, b, c] = *entries;
        if a >= SEAM || !same(layer, a, b) || !same(layer, b, c) {
            return false;
        }
        let [p, q, r] = face.map(|v| mesh.positions[v as usize]);
        let up = (q - p).cross(r - p).normalize_or_zero();
        let at = 3 * a as usize;
        let n = Vec3::from_slice(&layer.values[at..at + 3]);
        n.normalize_or_zero().dot(up) > FLAT
    };
    mesh.faces.iter().zip(corners).map(flat).collect()
}

/// A flat face has turned where the cosine between its normals is below this.
const TURNED: f32 = 0.999_99;

/// Least cosine between a face and the normal of its corners where it counts as flat: normals of files have few digits.
const FLAT: f32 = 0.999;
