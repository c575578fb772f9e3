//! A patch whose edges can be flipped and whose faces can be divided.

use super::patch::{HolePatch, unit_normal};
use super::triangulate::is_solid;
use glam::DVec3;
use std::collections::{HashMap, HashSet};

/// "No face at the other side": a side of the ring.
const NONE: u32 = u32::MAX;

/// Most flips for each edge in one go. Flips that make angles larger come to an end in the plane; in space they might
/// not.
const MOST_FLIPS: usize = 16;

/// Folds up to this are no worse than none: the cosine of 30 degrees.
const SLIGHT: f64 = 0.866;

/// Least excess of the sum of two angles over 180 degrees (its sine), so that squares are not flipped forever.
const MARGIN: f64 = 1e-6;

pub(super) struct Flips<'a> {
    pub(super) patch: &'a mut HolePatch,
    is_there: &'a dyn Fn(u32, u32) -> bool,
    /// Half-edge at the other side of half-edge `3 f + k`.
    twins: Vec<u32>,
    /// Patch's edges, the smaller vertex first.
    edges: HashSet<[u32; 2]>,
}

impl<'a> Flips<'a> {
    pub(super) fn new(
        patch: &'a mut HolePatch,
        is_there: &'a dyn Fn(u32, u32) -> bool,
    ) -> Flips<'a> {
        let halves = 3 * patch.faces.len();
        let mut at: HashMap<[u32; 2], u32> = HashMap::with_capacity(halves);
        let ends = |h: usize| [patch.faces[h / 3][h % 3], patch.faces[h / 3][(h + 1) % 3]];
        for h in 0..halves {
            at.insert(ends(h), h as u32);
        }
        let twin = |h: usize| {
            let [a, b] = ends(h);
            at.get(&[b, a]).copied().unwrap_or(NONE)
        };
        Flips {
            twins: (0..halves).map(twin).collect(),
            edges: at.keys().map(|&[a, b]| [a.min(b), a.max(b)]).collect(),
            patch,
            is_there,
        }
    }

    /// Returns the first, second and opposite vertex of a half-edge.
    fn corners(&self, h: u32) -> [u32; 3] {
        let (f, k) = (h as usize / 3, h as usize % 3);
        let f = &self.patch.faces[f];
        [f[k], f[(k + 1) % 3], f[(k + 2) % 3]]
    }

    fn next(h: u32) -> u32 {
        h / 3 * 3 + (h + 1) % 3
    }

    fn join(&mut self, h: u32, twin: u32) {
        self.twins[h as usize] = twin;
        if twin != NONE {
            self.twins[twin as usize] = h;
        }
    }

    /// Divides a face at its centroid; the new edges are [`edges_of`](Self::edges_of) the three faces.
    pub(super) fn divide(&mut self, f: u32) -> [u32; 3] {
        let [a, b, c] = self.patch.faces[f as usize];
        let v = self.patch.points.len() as u32;
        let x = [a, b, c].map(|v| self.patch.points[v as usize]);
        self.patch.points.push((x[0] + x[1] + x[2]) / 3.0);
        self.patch.parents.push([a, b, c]);
        let (g, h) = (
            self.patch.faces.len() as u32,
            self.patch.faces.len() as u32 + 1,
        );
        let (beyond_g, beyond_h) = (
            self.twins[3 * f as usize + 1],
            self.twins[3 * f as usize + 2],
        );
        self.patch.faces[f as usize] = [a, b, v];
        self.patch.faces.extend([[b, c, v], [c, a, v]]);
        self.twins.extend([NONE; 6]);
        self.join(3 * g, beyond_g);
        self.join(3 * h, beyond_h);
        for (left, right) in [(f, g), (g, h), (h, f)] {
            self.join(3 * left + 1, 3 * right + 2);
        }
        self.edges.extend([[a, v], [b, v], [c, v]]);
        [f, g, h]
    }

    /// Returns the half-edges of some faces.
    pub(super) fn edges_of(faces: &[u32]) -> Vec<u32> {
        faces.iter().flat_map(|&f| 3 * f..3 * f + 3).collect()
    }

    /// Flips edges until the two angles opposite to each sum up to at most 180 degrees, beginning with some half-edges.
    pub(super) fn relax(&mut self, mut queue: Vec<u32>) {
        let mut left = MOST_FLIPS * self.twins.len();
        while let Some(h) = queue.pop() {
            if left == 0 {
                return;
            }
            if let Some(new) = self.flip(h) {
                left -= 1;
                queue.extend(new);
            }
        }
    }

    /// Flips every edge of which this makes the angles larger.
    pub(super) fn relax_all(&mut self) {
        self.relax((0..self.twins.len() as u32).rev().collect());
    }

    /// Flips one edge if that makes the angles larger; the sides of the two faces then.
    fn flip(&mut self, h: u32) -> Option<[u32; 4]> {
        let t = self.twins[h as usize];
        if t == NONE {
            return None;
        }
        let ([a, b, c], [_, _, d]) = (self.corners(h), self.corners(t));
        let edge = [c.min(d), c.max(d)];
        if c == d || !self.is_wide(a, b, c, d) || self.edges.contains(&edge) {
            return None;
        }
        let ring = self.patch.ring;
        if edge[1] < ring && (self.is_there)(c, d) {
            return None;
        }
        let x = |v: u32| self.patch.points[v as usize];
        let normal = |a, b, c| unit_normal(x(a), x(b), x(c));
        let before = normal(a, b, c).dot(normal(b, a, d));
        let after = normal(a, d, c).dot(normal(d, b, c));
        let solid = |a: DVec3, b: DVec3, c: DVec3| is_solid((b - a).cross(c - a).length(), a, b, c);
        if after < before.min(SLIGHT) || !solid(x(a), x(d), x(c)) || !solid(x(d), x(b), x(c)) {
            return None;
        }
        let (hn, tn) = (Self::next(h), Self::next(t));
        let (hp, tp) = (Self::next(hn), Self::next(tn));
        let [bc, ca, ad, db] = [hn, hp, tn, tp].map(|i| self.twins[i as usize]);
        let (f, g) = (h / 3, t / 3);
        self.patch.faces[f as usize] = [a, d, c];
        self.patch.faces[g as usize] = [d, b, c];
        self.join(3 * f, ad);
        self.join(3 * f + 2, ca);
        self.join(3 * g, db);
        self.join(3 * g + 1, bc);
        self.join(3 * f + 1, 3 * g + 2);
        self.edges.remove(&[a.min(b), a.max(b)]);
        self.edges.insert(edge);
        Some([3 * f, 3 * f + 2, 3 * g, 3 * g + 1])
    }

    /// Returns `true` if the angles at `c` and `d`, opposite to edge `a`-`b`, sum up to more than 180 degrees.
    fn is_wide(&self, a: u32, b: u32, c: u32, d: u32) -> bool {
        let x = |v: u32| self.patch.points[v as usize];
        let angle = |at: u32| {
            let (u, v) = (x(a) - x(at), x(b) - x(at));
            (u.cross(v).length(), u.dot(v))
        };
        let ((sin_c, cos_c), (sin_d, cos_d)) = (angle(c), angle(d));
        let scale = sin_c.hypot(cos_c) * sin_d.hypot(cos_d);
        sin_c * cos_d + cos_c * sin_d < -MARGIN * scale
    }
}
