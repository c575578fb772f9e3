//! The surface with its quadrics: places and costs of new vertices.

use super::quadric::{Quadric, Stored};
use super::{
    FIRST_PLACE, FREE_TO_MOVE, LOCKED, LineForm, MeshRule, ON_LINE, PLACE_BEST, PLACE_CHEAPER_END,
    PLACE_MIDDLE, PLACE_OTHER_END, REFUSED, RULES, TOO_FAR,
};
use crate::args;
use crate::edit::NONE;
use crate::lanes::{LANES, Lanes, Point, four};
use crate::mem::{Global, GlobalMut};
use crate::parallel::labels::label_of;
use glam::{Vec3, Vec4};

args! {
    /// Surface that all kernels of a simplification work on.
    pub struct QuadricSurface<L: LineForm> {
        /// Positions of the vertices.
        pub x: GlobalMut<Vec3>,
        /// Quadrics of the vertices; empty when the length is the cost.
        pub quadrics: GlobalMut<Stored>,
        /// Freedom of each vertex to move: [`FREE_TO_MOVE`], [`STAYS`](super::STAYS), a place, [`ON_LINE`] or
        /// [`LOCKED`]; empty if all may move.
        pub holds: Global<u32>,
        /// Lines of the surface.
        pub lines: L,
        /// Lengths are measured in units of one over this, so that their powers are in range.
        pub scale: f32,
        /// Position of new vertices: one of the `PLACE_` numbers.
        pub placing: u32,
        /// Options of each mesh, [`RULES`] words of it: see [`MeshRule`].
        pub rules: Global<f32>,
        /// Number of the mesh of each vertex; empty if all are in the first.
        pub parts: Global<u32>,
    }
}

/// Position of the new vertex of a collapse, and its cost.
#[derive(Clone, Copy, Debug)]
pub struct Placement {
    /// Position of the new vertex.
    pub at: Vec3,
    /// Quadric there, without that of lines where these are apart.
    pub quadric: Quadric,
    /// Quadric of lines there; zero if it is not apart.
    pub lines: Quadric,
    /// Cost of the collapse.
    pub cost: f32,
}

impl Placement {
    /// Returns `true` if the new vertex would be farther than `limit` from the planes of the faces, or from those of
    /// the lines, that it stands for.
    #[inline(always)]
    pub(super) fn is_far(&self, limit: f32) -> bool {
        let far = |q: &Quadric| q.constant > limit * q.weight();
        far(&self.quadric) || far(&self.lines)
    }
}

/// Planes that a vertex stands for: all, or where those of lines are apart these alone and the others.
#[derive(Clone, Copy)]
pub(super) struct Planes<T = f32> {
    pub(super) quadric: Quadric<T>,
    pub(super) lines: Quadric<T>,
}

/// Returns the bits of a cost; [`NONE`] if it is NaN or infinite.
#[inline(always)]
fn cost_bits(cost: f32) -> u32 {
    if cost < f32::INFINITY {
        cost.to_bits() & !REFUSED
    } else {
        NONE
    }
}

impl<L: LineForm> QuadricSurface<L> {
    #[inline(always)]
    pub(super) fn by_length(&self) -> bool {
        self.quadrics.is_empty()
    }

    /// Returns `true` if the planes of lines are apart from those of faces.
    #[inline(always)]
    pub(super) fn has_lines(&self) -> bool {
        self.lines.quadrics().is_some()
    }

    #[inline(always)]
    pub(super) fn planes(&self, v: u32) -> Planes {
        Planes {
            quadric: Quadric::load(self.quadrics.get(v)),
            lines: match self.lines.quadrics() {
                Some(quadrics) => Quadric::load(quadrics.get(v)),
                None => Quadric::ZERO,
            },
        }
    }

    /// Prefetches a quadric ([`GlobalMut::ask`]), which lies in two lines of a cache.
    #[inline(always)]
    pub(super) fn ask_quadric(&self, v: u32) {
        self.quadrics.ask(v);
        self.quadrics.ask(v + 1);
    }

    /// Returns the freedom of a vertex to move.
    #[inline(always)]
    pub(super) fn hold(&self, v: u32) -> u32 {
        if self.holds.is_empty() {
            FREE_TO_MOVE
        } else {
            self.holds.get(v)
        }
    }

    /// Returns `true` if a vertex is one of several in one place.
    #[inline(always)]
    pub(super) fn is_placed(&self, v: u32) -> bool {
        let hold = self.hold(v);
        (FIRST_PLACE..ON_LINE).contains(&hold)
    }

    /// Returns the end of an edge that stays: `0` and `1` for the first and the second, [`NONE`] if both may move.
    /// `None` if the edge must stay.
    #[inline(always)]
    pub(super) fn stays(&self, e: u32, hold_a: u32, hold_b: u32) -> Option<u32> {
        let (mut hold_a, mut hold_b) = (hold_a, hold_b);
        let on_line = hold_a == ON_LINE || hold_b == ON_LINE;
        if let Some(marks) = self.lines.marks()
            && on_line
            && marks.is_marked(e)
        {
            // Along the line its inner vertices move.
            hold_a = if hold_a == ON_LINE {
                FREE_TO_MOVE
            } else {
                hold_a
            };
            hold_b = if hold_b == ON_LINE {
                FREE_TO_MOVE
            } else {
                hold_b
            };
        }
        if hold_a == LOCKED || hold_b == LOCKED || hold_a != 0 && hold_b != 0 {
            None
        } else if hold_a != 0 {
            Some(0)
        } else if hold_b != 0 {
            Some(1)
        } else {
            Some(NONE)
        }
    }

    /// Returns the placement for an edge between two vertices with these positions and quadrics, of which `stays`
    /// stays.
    #[inline(always)]
    pub(super) fn placement(
        &self,
        a: Vec3,
        qa: Planes,
        b: Vec3,
        qb: Planes,
        stays: u32,
    ) -> Placement {
        let half = Point::from((b - a) * (0.5 * self.scale));
        let faces = Quadric::of_edge(qa.quadric, qb.quadric, half);
        let (mut q, mut lines) = (faces, Quadric::ZERO);
        if self.has_lines() {
            lines = Quadric::of_edge(qa.lines, qb.lines, half);
            q = faces.plus(lines);
        }
        let end = match (stays, self.placing) {
            (NONE, PLACE_CHEAPER_END | PLACE_OTHER_END) => {
                let cheaper = u32::from(q.at(half) < q.at(-half));
                cheaper ^ u32::from(self.placing == PLACE_OTHER_END)
            }
            _ => stays,
        };
        let offset = match (end, self.placing) {
            (0, _) => -half,
            (1, _) => half,
            (_, PLACE_MIDDLE) => Vec3::ZERO.into(),
            _ => q.minimum(2.0 * half.length()),
        };
        let quadric = faces.moved(offset);
        let mut cost = quadric.constant;
        if self.has_lines() {
            lines = lines.moved(offset);
            cost += lines.constant;
        }
        let at = match end {
            0 => a,
            1 => b,
            _ => (a + b) * 0.5 + Vec3::from(offset) * (1.0 / self.scale),
        };
        Placement {
            at,
            quadric,
            lines,
            cost,
        }
    }

    /// Returns the number of the mesh of a vertex.
    #[inline(always)]
    pub(super) fn part(&self, v: u32) -> u32 {
        label_of(self.parts, v)
    }

    /// Returns an option of the mesh of a vertex.
    #[inline(always)]
    pub(super) fn rule(&self, v: u32, rule: MeshRule) -> f32 {
        self.rules.get(self.part(v) * RULES + rule as u32)
    }

    /// Returns [`MeshRule::Boundary`] of the mesh of a vertex.
    #[inline(always)]
    pub(super) fn boundary(&self, v: u32) -> f32 {
        self.rule(v, MeshRule::Boundary)
    }

    /// Returns the bits of an edge's cost: they order as the costs do. [`NONE`] if it must not be collapsed,
    /// [`TOO_FAR`] if the new vertex would be farther than `limit` from the planes that it stands for: their squared
    /// distances, weighted as in the quadric, in the mean. Planes of lines, whose weight is another one, have a
    /// separate mean.
    #[inline(always)]
    pub(super) fn cost(
        &self,
        a: Vec3,
        qa: Planes,
        b: Vec3,
        qb: Planes,
        stays: u32,
        limit: f32,
    ) -> u32 {
        let d = (b - a) * self.scale;
        let cost = if self.by_length() {
            d.dot(d)
        } else {
            let p = self.placement(a, qa, b, qb, stays);
            if p.is_far(limit) {
                return TOO_FAR;
            }
            p.cost
        };
        cost_bits(cost)
    }

    /// Returns `true` if all costs are those of the point of least cost of two quadrics, which
    /// [`QuadricSurface::cost_four`] computes.
    #[inline(always)]
    pub(super) fn is_plain(&self) -> bool {
        !self.by_length() && self.holds.is_empty() && self.placing == PLACE_BEST
    }

    /// Works like [`QuadricSurface::cost`], for four edges at a time, if [`QuadricSurface::is_plain`].
    #[inline(always)]
    pub(super) fn cost_four(
        &self,
        a: Point<Vec4>,
        qa: Planes<Vec4>,
        b: Point<Vec4>,
        qb: Planes<Vec4>,
        limit: Vec4,
    ) -> [u32; 4] {
        let half = (b - a).times(Vec4::splat(0.5 * self.scale));
        let most = Vec4::splat(2.0) * half.length();
        let q = Quadric::of_edge(qa.quadric, qb.quadric, half);
        let (cost, far) = if self.has_lines() {
            let lines = Quadric::of_edge(qa.lines, qb.lines, half);
            let to = q.plus(lines).minimum(most);
            let (faces, lines_off) = (q.at(to), lines.at(to));
            let far = faces.above(limit * q.weight()) | lines_off.above(limit * lines.weight());
            (faces + lines_off, far.bitmask())
        } else {
            let cost = q.at(q.minimum(most));
            (cost, cost.above(limit * q.weight()).bitmask())
        };
        let cost = cost.to_array();
        four(|k| {
            if far >> k & 1 != 0 {
                TOO_FAR
            } else {
                cost_bits(cost[k])
            }
        })
    }

    /// Returns the positions and quadrics of four vertices.
    #[inline(always)]
    pub(super) fn four(&self, v: [u32; 4]) -> (Point<Vec4>, Planes<Vec4>) {
        let x = four(|k| self.x.get(v[k]));
        let gather = |from: GlobalMut<Stored>| {
            let quadrics = four(|k| from.get(v[k]));
            Quadric::gather(quadrics.each_ref())
        };
        let planes = Planes {
            quadric: gather(self.quadrics),
            lines: match self.lines.quadrics() {
                Some(quadrics) => gather(quadrics),
                None => Quadric::splat(Quadric::ZERO),
            },
        };
        (Point::gather(x), planes)
    }

    /// Works like [`QuadricSurface::cost_of`], for four edges, given the first ends and then the others.
    #[inline(always)]
    pub(super) fn cost_of_four(&self, e: [u32; 4], a: [u32; 4], b: [u32; 4]) -> [u32; 4] {
        if !self.is_plain() {
            return four(|k| self.cost_of(e[k], a[k], b[k]));
        }
        let ((at_a, qa), (at_b, qb)) = (self.four(a), self.four(b));
        let limit = Vec4::from_array(four(|k| self.rule(a[k], MeshRule::Limit)));
        self.cost_four(at_a, qa, at_b, qb, limit)
    }

    /// Computes the costs of `n` edges from one vertex to others.
    #[inline(always)]
    pub(super) fn cost_star(
        &self,
        centre: u32,
        n: u32,
        edge: impl Fn(u32) -> u32,
        other: impl Fn(u32) -> u32,
        mut cost: impl FnMut(u32, u32),
    ) {
        let mut i = 0;
        if !self.is_plain() {
            while i < n {
                cost(i, self.cost_of(edge(i), centre, other(i)));
                i += 1;
            }
            return;
        }
        let at = Point::splat(self.x.get(centre));
        let planes = self.planes(centre);
        let q = Planes {
            quadric: Quadric::splat(planes.quadric),
            lines: Quadric::splat(planes.lines),
        };
        let limit = Vec4::splat(self.rule(centre, MeshRule::Limit));
        while i < n {
            let others = four(|k| other((i + k as u32).min(n - 1)));
            let (at_other, q_other) = self.four(others);
            let costs = self.cost_four(at, q, at_other, q_other, limit);
            for (k, bits) in (i..n).zip(costs) {
                cost(k, bits);
            }
            i += LANES as u32;
        }
    }

    /// Returns the cost of an edge from its ends' quadrics in memory.
    #[inline(always)]
    pub(super) fn cost_of(&self, e: u32, a: u32, b: u32) -> u32 {
        let Some(stays) = self.stays(e, self.hold(a), self.hold(b)) else {
            return NONE;
        };
        let planes = |v: u32| {
            if self.by_length() {
                Planes {
                    quadric: Quadric::ZERO,
                    lines: Quadric::ZERO,
                }
            } else {
                self.planes(v)
            }
        };
        let (qa, qb) = (planes(a), planes(b));
        let limit = self.rule(a, MeshRule::Limit);
        self.cost(self.x.get(a), qa, self.x.get(b), qb, stays, limit)
    }
}
