//! Values of corners as a separate topology, by which face-varying data are refined.

use super::face_list::{FaceList, Polygons};
use super::{CornerLayer, EdgeTable, NO_VALUE, PolyMesh};
use std::collections::HashMap;

/// Values that a vertex has in the faces around it. A wedge is a vertex with one of them.
///
/// Corners that see the same value at the same vertex share a wedge, however often the file repeats the value; corners
/// of different vertices never do. The first wedges are those of the vertices, in their order, with the value of the
/// vertex's first corner (0 if it has none): a layer without seams has no others. More follow in the order of the
/// corners that need them.
#[derive(Debug, Clone, PartialEq)]
pub struct Wedges {
    /// Wedge of each corner of the mesh: with these corners its faces are those of the values.
    pub corners: Vec<u32>,
    /// Vertex of each wedge.
    pub vertices: Vec<u32>,
    /// Values a wedge.
    pub width: usize,
    /// Values of the wedges, one after the other. Corners without a value have 0.
    pub values: Vec<f32>,
}

impl Wedges {
    /// Computes the wedges of a layer of a mesh.
    ///
    /// # Panics
    ///
    /// When the mesh is not [valid](PolyMesh::validate), or the layer is not one of such a mesh.
    pub fn new(mesh: &PolyMesh, layer: &CornerLayer) -> Wedges {
        let n = mesh.vertex_count();
        let mut wedges = Wedges {
            corners: Vec::with_capacity(mesh.corners.len()),
            vertices: (0..n as u32).collect(),
            width: layer.width,
            values: vec![0.0; n * layer.width],
        };
        let mut first: Vec<Option<u32>> = vec![None; n];
        let mut more: HashMap<(u32, [u32; 3]), u32> = HashMap::new();
        for (&v, &entry) in mesh.corners.iter().zip(&layer.corners) {
            let own = first[v as usize].get_or_insert_with(|| {
                wedges.set(v, layer, entry);
                entry
            });
            let key = entry_bits(layer, entry);
            let wedge = match entry_bits(layer, *own) == key {
                true => v,
                false => *more.entry((v, key)).or_insert_with(|| {
                    let wedge = wedges.vertices.len() as u32;
                    wedges.vertices.push(v);
                    wedges.values.resize(wedges.values.len() + layer.width, 0.0);
                    wedges.set(wedge, layer, entry);
                    wedge
                }),
            };
            wedges.corners.push(wedge);
        }
        wedges
    }

    /// Returns the number of wedges.
    pub fn count(&self) -> usize {
        self.vertices.len()
    }

    /// Returns the edges of the mesh, by number in the table, whose faces do not see the same wedges at both ends.
    /// Boundary edges are none.
    pub fn seams(&self, mesh: &PolyMesh, table: &EdgeTable) -> Vec<u32> {
        let faces = Polygons::new(mesh);
        // The wedges at the edge's ends, the smaller vertex first.
        let sides = |h: u32| {
            let ends = [h, faces.next(h)];
            let turned = faces.vertex(ends[0]) > faces.vertex(ends[1]);
            let [a, b] = ends.map(|c| self.corners[c as usize]);
            if turned { [b, a] } else { [a, b] }
        };
        let torn = |e: &u32| {
            let along = table.along(*e as usize);
            along.windows(2).any(|w| sides(w[0]) != sides(w[1]))
        };
        (0..table.len() as u32).filter(torn).collect()
    }

    fn set(&mut self, wedge: u32, layer: &CornerLayer, entry: u32) {
        if entry != NO_VALUE {
            let at = self.width * wedge as usize;
            self.values[at..at + self.width].copy_from_slice(value(layer, entry));
        }
    }
}

fn value(layer: &CornerLayer, entry: u32) -> &[f32] {
    &layer.values[layer.width * entry as usize..layer.width * (entry as usize + 1)]
}

/// Returns the key that tells values apart; a corner without a value differs from all others.
pub(crate) fn entry_bits(layer: &CornerLayer, entry: u32) -> [u32; 3] {
    if entry == NO_VALUE {
        return [u32::MAX; 3];
    }
    let mut bits = [0; 3];
    for (b, x) in bits.iter_mut().zip(value(layer, entry)) {
        // -0 and 0 are the same place.
        *b = (x + 0.0).to_bits();
    }
    bits
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::generate;

    /// Makes a cube whose sides have the unit square each, with values repeated or not.
    fn sides(shared: bool) -> (PolyMesh, CornerLayer) {
        let mesh = generate::cube(1).unwrap();
        let square = [0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0];
        let n = if shared { 1 } else { 6 };
        let layer = CornerLayer {
            width: 2,
            values: square.repeat(n),
            corners: (0..24).map(|c| if shared { c % 4 } else { c }).collect(),
        };
        (mesh, layer)
    }

    /// However a file numbers its values, the wedges are the same.
    #[test]
    fn wedges_go_by_vertex_and_value() {
        let (mesh, layer) = sides(true);
        let wedges = Wedges::new(&mesh, &layer);
        assert_eq!(wedges, Wedges::new(&mesh, &sides(false).1));
        for (c, &w) in wedges.corners.iter().enumerate() {
            assert_eq!(wedges.vertices[w as usize], mesh.corners[c]);
            let at = 2 * w as usize;
            assert_eq!(wedges.values[at..at + 2], *value(&layer, layer.corners[c]));
        }
        let mut all: Vec<(u32, &[f32])> = (0..wedges.count())
            .map(|w| (wedges.vertices[w], &wedges.values[2 * w..2 * w + 2]))
            .collect();
        all.sort_by(|a, b| a.partial_cmp(b).unwrap());
        assert!(all.windows(2).all(|w| w[0] != w[1]));
        // An edge is no seam where both sides have the same values at both ends.
        let table = EdgeTable::of_polygons(&mesh);
        let seams = wedges.seams(&mesh, &table);
        let seen = |h: u32, v: u32| {
            let range = mesh.range(h as usize / 4);
            let corner = range.clone().find(|&c| mesh.corners[c] == v).unwrap();
            value(&layer, layer.corners[corner]).to_vec()
        };
        for e in 0..table.len() as u32 {
            let &[g, h] = table.along(e as usize) else {
                panic!("the cube is closed");
            };
            let torn = table.edges[e as usize]
                .iter()
                .any(|&v| seen(g, v) != seen(h, v));
            assert_eq!(seams.contains(&e), torn);
        }
        assert!(!seams.is_empty());
    }

    /// One value per vertex: the wedges are the vertices; one that no face names has one, too.
    #[test]
    fn layers_without_seams() {
        let mut mesh = generate::quad_torus(5, 4, 1.0, 0.3).unwrap();
        mesh.positions.push(glam::Vec3::ZERO);
        let values: Vec<f32> = (0..63).map(|k| (k % 60) as f32).collect();
        let layer = CornerLayer {
            width: 3,
            values: values.clone(),
            corners: mesh.corners.clone(),
        };
        let wedges = Wedges::new(&mesh, &layer);
        assert_eq!(wedges.corners, mesh.corners);
        assert_eq!(wedges.values[..60], values[..60]);
        assert_eq!(wedges.values[60..], [0.0; 3]);
        assert_eq!(wedges.count(), 21);
        assert!(
            wedges
                .seams(&mesh, &EdgeTable::of_polygons(&mesh))
                .is_empty()
        );
        // A corner without a value is a separate wedge, of zeros.
        let mut gap = layer;
        gap.corners[7] = NO_VALUE;
        let wedges = Wedges::new(&mesh, &gap);
        assert_eq!(wedges.count(), 22);
        assert_eq!(wedges.vertices[21], mesh.corners[7]);
        assert_eq!(wedges.values[63..], [0.0; 3]);
    }
}
