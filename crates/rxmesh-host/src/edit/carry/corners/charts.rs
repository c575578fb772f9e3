//! Entries of a layer by vertex and chart.

use super::super::place::root;
use super::normals::flat_faces;
use crate::mesh::{CornerLayer, EdgeTable, NO_VALUE, TriMesh};
use std::collections::HashMap;

/// A vertex without a value.
pub(super) const NONE: u32 = NO_VALUE;
/// A vertex with more than one.
pub(super) const SEAM: u32 = NO_VALUE - 1;

/// Values of a layer of corners, by vertex.
#[derive(Debug)]
pub(in super::super) struct CornerValues {
    /// Entry of each vertex, [`NONE`] or [`SEAM`].
    pub(super) entries: Vec<u32>,
    /// Chart of each face.
    pub(super) charts: Vec<u32>,
    /// Chart of each vertex that has one entry.
    chart_of: Vec<u32>,
    /// Entries of vertices at seams by chart; [`SEAM`] if there are several even so.
    at_seams: HashMap<(u32, u32), u32>,
    /// Face across each side of a face, [`NONE`] at seams, boundaries and where more than two faces meet.
    pub(super) across: Vec<[u32; 3]>,
    /// `true` for faces whose corners have the face normal; empty for values other than normals.
    pub(super) flat: Vec<bool>,
}

impl CornerValues {
    /// Works like [`CornerValues::new`], for normals, which may be those of the faces.
    pub(in super::super) fn of_normals(mesh: &TriMesh, layer: &CornerLayer) -> CornerValues {
        CornerValues {
            flat: flat_faces(mesh, layer),
            ..CornerValues::new(mesh, layer)
        }
    }

    pub(in super::super) fn new(mesh: &TriMesh, layer: &CornerLayer) -> CornerValues {
        let (charts, across) = charts(mesh, layer);
        let n = mesh.vertex_count();
        let mut corners = CornerValues {
            entries: vec![NONE; n],
            charts,
            chart_of: vec![0; n],
            at_seams: HashMap::new(),
            across,
            flat: Vec::new(),
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

    /// Returns the entry of an old vertex in a chart: `None` if it has none there or several.
    pub(super) fn entry(&self, v: u32, chart: u32) -> Option<u32> {
        let entry = match self.entries[v as usize] {
            SEAM => *self.at_seams.get(&(v, chart))?,
            e if self.chart_of[v as usize] == chart => e,
            _ => return None,
        };
        (entry < SEAM).then_some(entry)
    }
}

/// Returns `true` if two entries have the same values.
pub(in super::super) fn same(layer: &CornerLayer, a: u32, b: u32) -> bool {
    let bits = |e: u32| {
        let at = layer.width * e as usize;
        layer.values[at..at + layer.width]
            .iter()
            .map(|x| x.to_bits())
    };
    a == b || a < SEAM && b < SEAM && bits(a).eq(bits(b))
}

/// Returns the entries of a layer at the ends of a half-edge, at the smaller vertex first.
pub(in super::super) fn at_ends(mesh: &TriMesh, layer: &CornerLayer, half: u32) -> [u32; 2] {
    let (f, k) = (half as usize / 3, half as usize % 3);
    let at = |k: usize| (mesh.faces[f][k % 3], layer.corners[3 * f + k % 3]);
    let (a, b) = (at(k), at(k + 1));
    if a.0 < b.0 { [a.1, b.1] } else { [b.1, a.1] }
}

/// Computes the chart of each face, and the faces across its sides in the same chart.
fn charts(mesh: &TriMesh, layer: &CornerLayer) -> (Vec<u32>, Vec<[u32; 3]>) {
    let mut parent: Vec<u32> = (0..mesh.face_count() as u32).collect();
    let mut across = vec![[NONE; 3]; mesh.face_count()];
    let table = EdgeTable::new(&mesh.faces, mesh.vertex_count());
    for w in table.starts.windows(2) {
        let halves = &table.half_edges[w[0] as usize..w[1] as usize];
        for pair in halves.windows(2) {
            let ends = [pair[0], pair[1]].map(|h| at_ends(mesh, layer, h));
            let [[a, b], [c, d]] = ends;
            if same(layer, a, c) && same(layer, b, d) {
                let [f, g] = [pair[0], pair[1]].map(|h| root(&mut parent, h / 3));
                parent[f.max(g) as usize] = f.min(g);
                if halves.len() == 2 {
                    for (h, other) in [(pair[0], pair[1]), (pair[1], pair[0])] {
                        across[h as usize / 3][h as usize % 3] = other / 3;
                    }
                }
            }
        }
    }
    let charts = (0..mesh.face_count() as u32)
        .map(|f| root(&mut parent, f))
        .collect();
    (charts, across)
}
