//! Texture coordinates of corners.
//!
//! Where a vertex has one texture coordinate, the same in all of its faces, it is a value of the vertex and is
//! interpolated as such. At a seam a vertex has several. *Charts* are the parts of the texture that hang together: two
//! faces are in one when both ends of a side that they share have the same coordinates in both. A corner of a face that
//! changed takes its vertex's coordinate in the chart of the face that it arose from.

use super::blend::Values;
use super::order::{NewFace, Order};
use crate::mesh::{CornerLayer, EdgeTable, NO_VALUE, TriMesh};
use std::collections::HashMap;

/// A vertex without a texture coordinate.
const NONE: u32 = NO_VALUE;
/// A vertex with more than one.
const SEAM: u32 = NO_VALUE - 1;

/// The texture coordinates of a mesh as vertices see them.
#[derive(Debug)]
pub(super) struct Corners {
    /// For each vertex the entry, [`NONE`] or [`SEAM`].
    entries: Vec<u32>,
    /// The chart of each face.
    charts: Vec<u32>,
    /// The chart of each vertex that has one entry.
    chart_of: Vec<u32>,
    /// Entries of vertices at seams by chart; [`SEAM`] where there are several even so.
    at_seams: HashMap<(u32, u32), u32>,
}

impl Corners {
    pub(super) fn new(mesh: &TriMesh, layer: &CornerLayer) -> Corners {
        let charts = charts(mesh, layer);
        let n = mesh.vertex_count();
        let mut corners = Corners {
            entries: vec![NONE; n],
            charts,
            chart_of: vec![0; n],
            at_seams: HashMap::new(),
        };
        let mut met = vec![false; n];
        let of_corners = mesh.faces.as_flattened().iter().zip(&layer.corners);
        for (i, (&v, &entry)) in of_corners.clone().enumerate() {
            let v = v as usize;
            if !std::mem::replace(&mut met[v], true) {
                corners.entries[v] = entry;
                corners.chart_of[v] = corners.charts[i / 3];
            } else if !same(layer, corners.entries[v], entry) {
                corners.entries[v] = SEAM;
            }
        }
        for (i, (&v, &entry)) in of_corners.enumerate() {
            if corners.entries[v as usize] == SEAM {
                let chart = corners.charts[i / 3];
                let at = corners.at_seams.entry((v, chart)).or_insert(entry);
                if !same(layer, *at, entry) {
                    *at = SEAM;
                }
            }
        }
        corners
    }

    /// The coordinates as numbers of vertices, not a number where a vertex has none or several: so is every mean with
    /// it.
    pub(super) fn of_vertices<'a>(
        &'a self,
        layer: &'a CornerLayer,
    ) -> impl Iterator<Item = Vec<f32>> + 'a {
        let value = move |e: u32, k: usize| match e {
            NONE | SEAM => f32::NAN,
            e => layer.values[layer.width * e as usize + k],
        };
        let entries = &self.entries;
        (0..layer.width).map(move |k| entries.iter().map(|&e| value(e, k)).collect())
    }

    /// The entry of an old vertex in a chart: nothing if it has none there or several.
    fn entry(&self, v: u32, chart: u32) -> Option<u32> {
        let entry = match self.entries[v as usize] {
            SEAM => *self.at_seams.get(&(v, chart))?,
            e if self.chart_of[v as usize] == chart => e,
            _ => return None,
        };
        (entry < SEAM).then_some(entry)
    }
}

/// Whether two entries have the same values.
fn same(layer: &CornerLayer, a: u32, b: u32) -> bool {
    let bits = |e: u32| {
        let at = layer.width * e as usize;
        layer.values[at..at + layer.width]
            .iter()
            .map(|x| x.to_bits())
    };
    a == b || a < SEAM && b < SEAM && bits(a).eq(bits(b))
}

/// The chart of each face.
fn charts(mesh: &TriMesh, layer: &CornerLayer) -> Vec<u32> {
    let mut parent: Vec<u32> = (0..mesh.face_count() as u32).collect();
    let table = EdgeTable::new(&mesh.faces, mesh.vertex_count());
    // The entries at both ends of a half-edge, at the smaller vertex first.
    let ends = |half: u32| {
        let (f, k) = (half as usize / 3, half as usize % 3);
        let at = |k: usize| (mesh.faces[f][k % 3], layer.corners[3 * f + k % 3]);
        let (a, b) = (at(k), at(k + 1));
        if a.0 < b.0 { [a.1, b.1] } else { [b.1, a.1] }
    };
    for w in table.starts.windows(2) {
        let halves = &table.half_edges[w[0] as usize..w[1] as usize];
        for pair in halves.windows(2) {
            let ([a, b], [c, d]) = (ends(pair[0]), ends(pair[1]));
            if same(layer, a, c) && same(layer, b, d) {
                let (f, g) = (
                    root(&mut parent, pair[0] / 3),
                    root(&mut parent, pair[1] / 3),
                );
                parent[f.max(g) as usize] = f.min(g);
            }
        }
    }
    (0..mesh.face_count() as u32)
        .map(|f| root(&mut parent, f))
        .collect()
}

fn root(parent: &mut [u32], mut f: u32) -> u32 {
    while parent[f as usize] != f {
        parent[f as usize] = parent[parent[f as usize] as usize];
        f = parent[f as usize];
    }
    f
}

/// The layer of the new mesh, being made.
pub(super) struct Layer<'a> {
    corners: &'a Corners,
    old: &'a CornerLayer,
    mesh: &'a TriMesh,
    order: &'a Order,
    values: &'a Values,
    new: CornerLayer,
    /// Entries of new vertices.
    born: HashMap<u32, u32>,
}

impl<'a> Layer<'a> {
    pub(super) fn new(
        corners: &'a Corners,
        old: &'a CornerLayer,
        mesh: &'a TriMesh,
        order: &'a Order,
        values: &'a Values,
    ) -> Layer<'a> {
        Layer {
            corners,
            old,
            mesh,
            order,
            values,
            new: CornerLayer {
                width: old.width,
                values: old.values.clone(),
                corners: Vec::with_capacity(3 * order.faces.len()),
            },
            born: HashMap::new(),
        }
    }

    /// The layer, and how many faces have lost their coordinates.
    pub(super) fn make(mut self) -> (CornerLayer, usize) {
        let mut without = 0;
        for face in &self.order.faces {
            let before = self.before(face);
            let now = if face.same {
                before
            } else {
                match face.corners.map(|v| self.entry(v, face.origin)) {
                    [Some(a), Some(b), Some(c)] => [a, b, c],
                    _ => {
                        without += usize::from(before != [NO_VALUE; 3]);
                        [NO_VALUE; 3]
                    }
                }
            };
            self.new.corners.extend(now);
        }
        (self.new, without)
    }

    /// The entries of the old face.
    fn before(&self, face: &NewFace) -> [u32; 3] {
        let at = 3 * face.origin as usize;
        [0, 1, 2].map(|k| self.old.corners[at + k])
    }

    /// The entry of a vertex in a face that arose from an old one.
    fn entry(&mut self, v: u32, origin: u32) -> Option<u32> {
        let vertex = self.order.vertices[v as usize];
        if !vertex.born {
            // A corner of the old face has what it had there, even where its chart has several.
            let old = self.mesh.faces[origin as usize];
            if let Some(k) = old.iter().position(|&w| w == vertex.origin) {
                let entry = self.old.corners[3 * origin as usize + k];
                return (entry != NO_VALUE).then_some(entry);
            }
            return self.corners.entry(vertex.origin, self.chart(origin));
        }
        let width = self.old.width;
        let values = (0..width).map(|k| self.values.texcoord(vertex.slot, k));
        let values: Vec<f32> = values.collect();
        let chart = self.corners.chart_of[vertex.origin as usize];
        if values.iter().any(|x| x.is_nan()) || chart != self.chart(origin) {
            return None;
        }
        let next = self.new.entries() as u32;
        let entry = *self.born.entry(v).or_insert(next);
        if entry == next {
            self.new.values.extend(values);
        }
        Some(entry)
    }

    fn chart(&self, face: u32) -> u32 {
        self.corners.charts[face as usize]
    }
}
