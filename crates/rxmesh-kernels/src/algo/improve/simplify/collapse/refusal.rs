//! Reasons why an edge is not collapsed.

use super::Collapse;
use super::walk::Ends;
use crate::algo::improve::remesh::{LineEdges, MOST_CORNERS};
use crate::algo::improve::simplify::{FREE_TO_MOVE, LOCKED, LineForm, Refusal, TOO_FAR};
use crate::cavity::link_condition;
use crate::edit::{HalfEdgeMesh, NO_FACE, NONE};
use crate::math::{length, normalize_or_zero};
use glam::Vec3;

/// Largest distance of an end of a boundary edge from the new boundary, over the edge's length.
const MOST_BEND: f32 = 0.1;

impl<L: LineForm> Collapse<L> {
    /// Returns the reason why a live edge is not collapsed, whatever its cost.
    #[inline(always)]
    pub(super) fn why_not(&self, mesh: &impl HalfEdgeMesh, e: u32) -> Option<Refusal> {
        let (a, b) = (mesh.origin(2 * e), mesh.tip(2 * e));
        let s = &self.surface;
        if s.stays(e, s.hold(a), s.hold(b)).is_none() {
            return Some(Refusal::Frozen);
        }
        match self.costs.get(e) {
            NONE => Some(Refusal::NotFinite),
            TOO_FAR => Some(Refusal::Deviation),
            _ => self.refusal(mesh, e, self.ends(mesh, e), None),
        }
    }

    /// Returns the reason why an edge must not be collapsed, if any, given the results at its ends, and the position of
    /// the new vertex if that is known.
    #[inline(always)]
    pub(super) fn refusal(
        &self,
        mesh: &impl HalfEdgeMesh,
        e: u32,
        ends: Ends,
        to: Option<Vec3>,
    ) -> Option<Refusal> {
        // Walks that have found one have stopped.
        if ends.folds == Some(true) {
            return Some(Refusal::Fold);
        }
        let interior = mesh.face(2 * e) != NO_FACE && mesh.face(2 * e + 1) != NO_FACE;
        // The new vertex has three edges or more, two at the boundary: else two faces, or none, would be left of a
        // tetrahedron.
        let walk = &ends.walk;
        let left = walk.edges - if interior { 4 } else { 3 };
        let on_border = !interior || walk.border[0] || walk.border[1];
        if left < if on_border { 2 } else { 3 } {
            return Some(Refusal::Link);
        }
        // Two edges may be between the same vertices where the surface was cut, at places only.
        let plain = !ends.near_place && walk.is_plain(interior);
        if !plain && !link_condition(mesh, e) {
            return Some(Refusal::Link);
        }
        if ends.near_place && self.joins_places(mesh, e) {
            return Some(Refusal::Link);
        }
        if let Some(marks) = self.surface.lines.marks()
            && self.joins_lines(mesh, marks, e, walk.edges)
        {
            return Some(Refusal::Link);
        }
        let p = match to {
            Some(p) => p,
            None => self.placement(mesh, e).at,
        };
        if !p.is_finite() {
            return Some(Refusal::NotFinite);
        }
        if !interior && self.surface.by_length() && self.bends_boundary(mesh, e, p) {
            return Some(Refusal::Bend);
        }
        let folds = ends.folds.is_none() && self.folds_at_ends(mesh, e, &ends, p);
        folds.then_some(Refusal::Fold)
    }

    /// Works like [`Collapse::refusal`], but the new vertex is placed first: other reasons may come before those that
    /// it names.
    #[inline(always)]
    pub(super) fn refusal_in_one_walk(
        &self,
        mesh: &impl HalfEdgeMesh,
        e: u32,
    ) -> (Ends, Option<Refusal>) {
        let p = self.placement(mesh, e).at;
        let ends = self.ends_with_folds(mesh, e, p);
        (ends, self.refusal(mesh, e, ends, Some(p)))
    }

    /// Returns `true` if a collapse near vertices that share a place would change how the surface meets itself there:
    /// two of them would become neighbours of one vertex that had one for a neighbour, or an edge or a face between
    /// places would arise, which may exist already.
    #[inline(always)]
    fn joins_places(&self, mesh: &impl HalfEdgeMesh, e: u32) -> bool {
        let s = &self.surface;
        let stays = self.stays(mesh, e);
        // The half-edge from the end that is deleted.
        let h = if stays == 0 { 2 * e + 1 } else { 2 * e };
        let (a, b) = (mesh.origin(h), mesh.tip(h));
        let place = if stays != NONE && s.is_placed(b) {
            s.hold(b)
        } else {
            LOCKED
        };
        let mut turn = mesh.turn(a);
        while let Some(g) = turn.step(mesh) {
            let x = mesh.tip(g);
            if x == b {
                continue;
            }
            let hold = s.hold(x);
            let placed = s.is_placed(x);
            // Two neighbours in one place.
            if placed && !mesh.each_spoke(b, |k| mesh.tip(k) == x || s.hold(mesh.tip(k)) != hold) {
                return true;
            }
            if place == LOCKED {
                continue;
            }
            if hold == place || placed && !mesh.joined(b, x) {
                return true;
            }
            // A face between three places.
            if placed && mesh.face(g) != NO_FACE {
                let y = mesh.apex(g);
                if y != b && s.is_placed(y) {
                    return true;
                }
            }
            // A neighbour that has another vertex of the place for a neighbour.
            if !mesh.each_spoke(x, |k| mesh.tip(k) == b || s.hold(mesh.tip(k)) != place) {
                return true;
            }
        }
        false
    }

    /// Returns `true` if two lines would become one, or if the `edges` edges at the ends are too many to remember their
    /// lines.
    #[inline(always)]
    fn joins_lines(&self, mesh: &impl HalfEdgeMesh, marks: LineEdges, e: u32, edges: u32) -> bool {
        let s = &self.surface;
        let free = |v: u32| s.hold(v) == FREE_TO_MOVE;
        let marked = marks.is_marked(e);
        if free(mesh.origin(2 * e)) && free(mesh.tip(2 * e)) {
            return false;
        }
        edges > MOST_CORNERS || marked && marks.merge_at(mesh, e)
    }

    /// Returns `true` if the ends of a boundary edge are far from the boundary that there would be with a vertex in
    /// `p`.
    #[inline(always)]
    fn bends_boundary(&self, mesh: &impl HalfEdgeMesh, e: u32, p: Vec3) -> bool {
        let s = &self.surface;
        let (first, second) = (mesh.origin(2 * e), mesh.tip(2 * e));
        if s.boundary(first) <= 0.0 {
            return false;
        }
        let (a, b) = (s.x.get(first), s.x.get(second));
        let most = MOST_BEND * length((b - a) * s.scale);
        let mut bends = false;
        let mut side = 0;
        while side < 2 {
            let (v, at) = if side == 0 { (first, a) } else { (second, b) };
            mesh.each_spoke(v, |h| {
                let border = mesh.face(h) == NO_FACE || mesh.face(h ^ 1) == NO_FACE;
                if border && h >> 1 != e {
                    let from = s.x.get(mesh.tip(h));
                    let (way, to) = ((p - from) * s.scale, (at - from) * s.scale);
                    bends |= length(normalize_or_zero(way).cross(to)) > most;
                }
                true
            });
            side += 1;
        }
        bends
    }
}
