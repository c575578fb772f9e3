//! The next level of a vertex and of its corners.

use super::super::{ComponentCount, prev};
use super::points::of_slot;
use super::{ACROSS, IN, LINKS, OUT, ROOM, RefineRings, RingVertex};
use crate::topology::NONE;

impl<N: ComponentCount> RefineRings<N> {
    /// Computes the face point of the cell of a corner.
    #[inline(always)]
    pub(super) fn new_face(&self, a: &RingVertex, corner: u32, k: u32) -> f32 {
        let at = |point| self.at(a, corner, point, k);
        0.25 * (self.here(a, k) + at(OUT) + at(ACROSS) + at(IN))
    }

    /// Returns [`RefineRings::new_face`], from shared memory if the vertex is held there.
    #[inline(always)]
    fn face(&self, a: &RingVertex, corner: u32, k: u32) -> f32 {
        if a.centre.small() {
            a.tables
                .faces
                .get((a.centre.slot * ROOM + corner) * N::N + k)
        } else {
            self.new_face(a, corner, k)
        }
    }

    /// Returns the weight of the crease rule at the next point along one of the two edges of a corner.
    #[inline(always)]
    fn weight(&self, a: &RingVertex, h: u32, corner: u32, link: u32) -> f32 {
        if self.creases.smooth != 0 {
            return 0.0;
        }
        let m = &self.mesh;
        let half = if link == 0 { h } else { prev(h) };
        let s = if a.centre.small() {
            let at = (a.centre.slot * ROOM + corner) * LINKS + link;
            a.tables.sharp.get(at)
        } else {
            self.creases.base.edge(m, half)
        };
        let place = if link == 0 { 1 } else { (2 << a.level) - 1 };
        self.creases.weight(m, half, s, a.level, place)
    }

    /// Computes the next level of a point of a corner along one of its two edges, and with the first also of the one
    /// across.
    #[inline(always)]
    pub(super) fn refine_corner(&self, a: &RingVertex, place: u32, link: u32, k: u32) {
        let h = self.mesh.entries.get(a.centre.first + place);
        let corner = if a.centre.small() { place } else { h };
        let point = if link == 0 { OUT } else { IN };
        let v = self.here(a, k);
        let face = self.face(a, corner, k);
        let end = self.at(a, corner, point, k);
        let middle = 0.5 * (v + end);
        let other = self.beside(a, corner, link);
        let weight = self.weight(a, h, corner, link);
        let edge = if other == NONE || weight == 1.0 {
            middle
        } else {
            let smooth = 0.25 * (v + end + face + self.face(a, other, k));
            smooth + weight * (middle - smooth)
        };
        let to = of_slot(a.centre.kept + place, self.depth, N::N, a.level + 1) + k;
        let put = |point: u32, x: f32| {
            self.corners.set(to + point * N::N, x);
            if a.centre.small() {
                self.put(a, a.level + 1, place, point, k, x);
            }
        };
        put(point, edge);
        if link == 0 {
            put(ACROSS, face);
        }
    }

    /// Computes the next level of the vertex.
    #[inline(always)]
    pub(super) fn refine_vertex(&self, a: &RingVertex, k: u32) -> f32 {
        let m = &self.mesh;
        let here = self.here(a, k);
        let n = a.centre.n as f32;
        if a.centre.n == 0 {
            return here;
        }
        let (mut edges, mut faces) = (0.0, 0.0);
        for place in 0..a.centre.n {
            let corner = if a.centre.small() {
                place
            } else {
                m.entries.get(a.centre.first + place)
            };
            edges += self.at(a, corner, OUT, k);
            faces += self.face(a, corner, k);
        }
        let smooth = ((n - 2.0) * here + (edges + faces) / n) / n;
        if self.creases.smooth != 0 {
            smooth
        } else {
            let sharp = |place: u32, h: u32, side: u32| {
                if !a.centre.small() {
                    return self.creases.of_corner(m, h, side);
                }
                let at = (a.centre.slot * ROOM + place) * LINKS + side;
                if side == 1 && a.tables.links.get(at) != NONE {
                    return 0.0;
                }
                a.tables.sharp.get(at)
            };
            let point = |place: u32, h: u32, side: u32| {
                let corner = if a.centre.small() { place } else { h };
                self.at(a, corner, if side == 0 { OUT } else { IN }, k)
            };
            self.creases
                .vertex(m, a.centre.v, a.level, here, smooth, sharp, point)
        }
    }
}
