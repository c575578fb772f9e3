//! Vertices with one value each, made of vertices whose corners have several.

use super::super::shape::TriangleView;
use crate::mesh::{CornerLayer, NO_VALUE};

/// Faces of a mesh whose vertices are split where their corners have different values. The first vertices are those of
/// the mesh, in their order, with the value of their first corner; the copies follow.
pub(super) struct SplitVertices {
    pub(super) faces: Vec<[u32; 3]>,
    /// Vertex of the mesh of which each copy is one.
    pub(super) copies: Vec<u32>,
    /// Texture coordinates and normals of all vertices, one after the other; 0 for vertices without.
    pub(super) values: [Option<Vec<f32>>; 2],
}

/// Ends a list of copies.
const NONE: u32 = u32::MAX;

/// Splits the vertices of a mesh by its layers of corners. `None` if it has none.
pub(super) fn split(mesh: TriangleView<'_>) -> Option<SplitVertices> {
    let extras = &mesh.extras;
    let layers = [&extras.corner_texcoords, &extras.corner_normals].map(Option::as_ref);
    if layers.iter().all(Option::is_none) {
        return None;
    }
    let vertices = mesh.positions.len();
    let entries = |corner: usize| layers.map(|l| l.map_or(NO_VALUE, |l| l.corners[corner]));
    // Entries of each new vertex, and the next copy of the same vertex.
    let mut keys = vec![[NO_VALUE; 2]; vertices];
    let mut next = vec![NONE; vertices];
    let mut used = vec![false; vertices];
    let mut copies = Vec::new();
    let same = |a: [u32; 2], b: [u32; 2]| {
        a == b || (0..2).all(|k| layers[k].is_none_or(|l| value(l, a[k]) == value(l, b[k])))
    };
    let mut vertex = |corner: usize, v: u32| {
        let key = entries(corner);
        if !std::mem::replace(&mut used[v as usize], true) {
            keys[v as usize] = key;
            return v;
        }
        let mut at = v;
        loop {
            if same(keys[at as usize], key) {
                return at;
            }
            match next[at as usize] {
                NONE => break,
                more => at = more,
            }
        }
        let copy = keys.len() as u32;
        next[at as usize] = copy;
        keys.push(key);
        next.push(NONE);
        copies.push(v);
        copy
    };
    let faces = mesh.faces.iter().enumerate();
    let faces = faces.map(|(f, face)| {
        let [a, b, c] = *face;
        [vertex(3 * f, a), vertex(3 * f + 1, b), vertex(3 * f + 2, c)]
    });
    let faces = faces.collect();
    let values =
        [0, 1].map(|k| layers[k].map(|layer| values(layer, keys.iter().map(|key| key[k]))));
    Some(SplitVertices {
        faces,
        copies,
        values,
    })
}

/// Returns the bits of an entry's values; a corner without a value differs from all others.
fn value(layer: &CornerLayer, entry: u32) -> Option<[u32; 3]> {
    let mut bits = [0; 3];
    let from = (entry != NO_VALUE).then_some(layer.width * entry as usize)?;
    for (bits, x) in bits.iter_mut().zip(&layer.values[from..from + layer.width]) {
        // -0 and 0 are the same place.
        *bits = (x + 0.0).to_bits();
    }
    Some(bits)
}

fn values(layer: &CornerLayer, entries: impl Iterator<Item = u32>) -> Vec<f32> {
    let width = layer.width;
    let mut all = Vec::with_capacity(width * entries.size_hint().0);
    for entry in entries {
        match entry {
            NO_VALUE => all.resize(all.len() + width, 0.0),
            entry => all.extend_from_slice(&layer.values[width * entry as usize..][..width]),
        }
    }
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::TriMesh;
    use glam::Vec3;

    #[test]
    fn vertices_are_split_by_value_only() {
        let corner = |x, y| Vec3::new(x, y, 0.0);
        let positions = vec![
            corner(0.0, 0.0),
            corner(1.0, 0.0),
            corner(0.0, 1.0),
            corner(1.0, 1.0),
        ];
        let mut mesh = TriMesh::new(positions, vec![[0, 1, 2], [2, 1, 3]]).unwrap();
        assert!(split((&mesh).into()).is_none());
        // Entries 2 and 3 are equal; vertex 1 has none in the second face.
        mesh.extras.corner_texcoords = Some(CornerLayer {
            width: 2,
            values: vec![0.5, 0.0, 1.0, 0.5, 0.0, 1.0, -0.0, 1.0, 1.0, 1.0],
            corners: vec![0, 1, 2, 3, NO_VALUE, 4],
        });
        mesh.extras.corner_normals = Some(CornerLayer {
            width: 3,
            values: vec![0.0, 0.0, 1.0, 1.0, 0.0, 0.0],
            corners: vec![0, 0, 0, 0, 0, 1],
        });
        let out = split((&mesh).into()).unwrap();
        assert_eq!(out.faces, [[0, 1, 2], [2, 4, 3]]);
        assert_eq!(out.copies, [1]);
        let [texcoords, normals] = out.values.map(Option::unwrap);
        assert_eq!(
            texcoords,
            [0.5, 0.0, 1.0, 0.5, 0.0, 1.0, 1.0, 1.0, 0.0, 0.0]
        );
        assert_eq!(normals[9..], [1.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
    }
}
