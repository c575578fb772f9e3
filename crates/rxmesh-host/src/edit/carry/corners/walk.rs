//! Places of vertices near a seam, on the side of a face.

use super::super::order::NewFace;
use super::Layer;
use super::charts::NONE;
use crate::algo::distance::tree::{Nearest, closest_parts};
use glam::DVec3;
use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};

/// So much of a way to a place on a chart counts as one of distance from a point: at a seam, where both sides are near,
/// the way decides.
const ASTRAY: f64 = 3.0;

/// A walk that ends farther from a vertex than the closest place of its chart, by this part of the size of the faces
/// around it, has not come to it.
const FAR: f64 = 0.5;

impl Layer<'_> {
    /// Returns the place of a vertex near a seam on the side of a face: that which a walk from the face's origin by its
    /// centre comes to without crossing a seam, or the closest one of the chart if the walk ends far from it.
    pub(super) fn on_side(&self, v: u32, face: &NewFace) -> Option<Nearest> {
        let v = v as usize;
        let (p, size) = (self.places.at[v], self.places.sizes[v]);
        let chart = self.chart(face.origin);
        let [a, b, c] = face.corners.map(|v| self.places.at[v as usize]);
        let centre = self.walk((a + b + c) / 3.0, face.origin);
        let walked = self.walk(p, centre.map_or(face.origin, |at| at.face));
        let normal = self.places.normals[v];
        let accepts = |f: u32| self.chart(f) == chart && self.has_values(f);
        let side = (normal, size);
        let surface = self.surface;
        let closest = surface.nearest(self.mesh, p, face.origin, side, accepts);
        match (walked, closest) {
            (Some(walked), Some(closest)) => {
                let far = walked.square.sqrt() > closest.square.sqrt() + FAR * size;
                Some(if far { closest } else { walked })
            }
            (walked, closest) => walked.or(closest),
        }
    }

    /// Walks over the faces of a chart, never over a seam, from one of them to the place that is nearest to a point. A
    /// path around to the other side of a seam counts as distance: of two places that are about equally near it takes
    /// that with the shorter path.
    fn walk(&self, p: DVec3, from: u32) -> Option<Nearest> {
        let corners = |face: u32| {
            let x = self.mesh.faces[face as usize];
            x.map(|v| self.mesh.positions[v as usize].as_dvec3())
        };
        let place = |face: u32| {
            let (parts, square) = closest_parts(p, corners(face));
            Nearest {
                face,
                parts,
                square,
            }
        };
        let first = place(from);
        if !first.square.is_finite() {
            return None;
        }
        let [a, b, c] = corners(from);
        // The length of the shortest way to each face, and the point where it ends.
        let mut ways = HashMap::from([(from, (0.0, (a + b + c) / 3.0))]);
        let key = |length: f64, at: &Nearest| (length + at.square.sqrt()).to_bits();
        let mut open = BinaryHeap::from([Reverse((key(0.0, &first), from))]);
        let (mut best, mut least) = (first, ASTRAY * first.square.sqrt());
        while let Some(Reverse((bound, face))) = open.pop() {
            if f64::from_bits(bound) >= least {
                break;
            }
            let (length, end) = ways[&face];
            let x = corners(face);
            for (k, next) in self.corners.across[face as usize].into_iter().enumerate() {
                if next == NONE {
                    continue;
                }
                let middle = (x[k] + x[(k + 1) % 3]) * 0.5;
                let length: f64 = length + end.distance(middle);
                if ways.get(&next).is_some_and(|known| known.0 <= length) {
                    continue;
                }
                ways.insert(next, (length, middle));
                let at = place(next);
                if length + ASTRAY * at.square.sqrt() < least {
                    (best, least) = (at, length + ASTRAY * at.square.sqrt());
                }
                open.push(Reverse((key(length, &at), next)));
            }
        }
        // The nearest among the faces connected with that one without a detour.
        let most = best.square;
        let mut open = vec![best.face];
        let mut seen = HashSet::from([best.face]);
        while let Some(face) = open.pop() {
            for next in self.corners.across[face as usize] {
                if next != NONE && seen.insert(next) {
                    let at = place(next);
                    if at.square <= most {
                        open.push(next);
                    }
                    if (at.square, at.face) < (best.square, best.face) {
                        best = at;
                    }
                }
            }
        }
        self.has_values(best.face).then_some(best)
    }
}
