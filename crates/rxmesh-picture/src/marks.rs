//! Edges drawn on the surface: those of the faces, creases and the boundary.

use crate::color::{LinearColor, mix};
use crate::normals::Scaled;
use crate::options::PictureOptions;
use crate::surface::Hit;
use rayon::prelude::*;
use rxmesh_host::mesh::EdgeTable;

/// Colour of edges, over the surface's colour.
const EDGE: LinearColor = [0.012, 0.014, 0.018];
/// Share of the surface's colour that shows through an edge.
const THROUGH: f32 = 0.22;

/// Edges to be drawn.
#[derive(Debug, Default)]
pub(crate) struct EdgeMarks {
    /// For each face, bit `k` for an edge opposite corner `k`, and bit `3 + k` if it is a crease or on the boundary;
    /// empty if nothing is drawn.
    bits: Vec<u8>,
    /// Half the width of an edge in pixels.
    half: f32,
}

impl EdgeMarks {
    /// Returns the marks of a picture. If the faces were cut from polygons, only edges of these are drawn.
    pub(crate) fn new(
        scaled: Scaled<'_>,
        options: &PictureOptions,
        polygon_edges: Option<&EdgeTable>,
    ) -> EdgeMarks {
        let (edges, creases) = (options.edges, options.creases);
        if !edges && !creases {
            return EdgeMarks::default();
        }
        let side = f64::from(options.size[0].min(options.size[1]));
        let mesh = scaled.mesh;
        let own = EdgeTable::new(&mesh.faces, mesh.vertex_count());
        let cosine = libm::cos(options.crease_angle * (std::f64::consts::PI / 180.0)) as f32;
        let is_crease = |e: usize| match own.along(e) {
            [a, b] => {
                let [a, b] = [a, b].map(|&half| scaled.normal(half as usize / 3));
                a.dot(b) <= cosine
            }
            _ => true,
        };
        let is_drawn = |e: usize| {
            polygon_edges.is_none_or(|table| table.edges.binary_search(&own.edges[e]).is_ok())
        };
        let kinds: Vec<u8> = (0..own.len())
            .into_par_iter()
            .with_min_len(1 << 12)
            .map(|e| {
                let drawn = is_drawn(e);
                u8::from(edges && drawn) | u8::from(creases && drawn && is_crease(e)) << 3
            })
            .collect();
        let of_face = |f: usize| {
            let edge = |k: usize| own.edge_of[3 * f + (k + 1) % 3] as usize;
            (0..3).fold(0, |bits, k| {
                bits | kinds.get(edge(k)).map_or(0, |kind| kind << k)
            })
        };
        EdgeMarks {
            bits: (0..mesh.face_count())
                .into_par_iter()
                .with_min_len(1 << 12)
                .map(of_face)
                .collect(),
            half: (0.5 * side / 1200.0).max(0.5) as f32,
        }
    }

    /// Draws the edges near a place over its light.
    pub(crate) fn draw(&self, hit: &Hit, light: LinearColor) -> LinearColor {
        let Some(&bits) = self.bits.get(hit.face) else {
            return light;
        };
        if bits == 0 {
            return light;
        }
        // Lines of small faces are thinner, so that the surface between them is still seen.
        let size = hit.area.abs();
        let lengths = hit.lengths();
        let longest = lengths.iter().copied().fold(0.0, f32::max);
        let altitude = size / longest;
        let mut cover = 0.0f32;
        for (k, length) in lengths.into_iter().enumerate() {
            let distance = hit.distance(k, length);
            if bits >> k & 1 == 1 {
                let half = self.half.min(0.07 * altitude);
                cover = cover.max(line(distance, half));
            }
            if bits >> (3 + k) & 1 == 1 {
                cover = cover.max(line(distance, 2.0 * self.half));
            }
        }
        let ink = mix(EDGE, light, THROUGH);
        mix(light, ink, cover)
    }
}

/// Returns the share of a pixel that a line covers: `half` is half its width, and `distance` that to its middle.
pub(crate) fn line(distance: f32, half: f32) -> f32 {
    (half + 0.5 - distance).clamp(0.0, (2.0 * half).min(1.0))
}
