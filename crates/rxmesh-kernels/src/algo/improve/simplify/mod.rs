//! Simplification by edge collapse: quadric errors (Garland and Heckbert 1997) or the shortest edge first.
//!
//! Serial simplification takes the cheapest edge of the whole mesh, over and over. Here a round takes all edges that
//! are cheaper than a bound and the cheapest among the edges at their ends; the bound is a quantile of the costs, so
//! that no round carries out collapses that a serial run would come to much later. The cost of an edge is kept, and
//! recomputed only when one of its ends has changed.

mod batch;
mod collapse;
mod deviation;
mod order;
mod prepare;
pub mod quadric;
mod select;

use batch::part_word;
pub use batch::{
    BATCH_BLOCKS, BatchCheck, BatchDecide, BatchFaces, BatchLimit, BatchList, BatchSelect,
    BatchUnbind, BatchWinners, Batched, FACES, MeshCount, WORDS_A_PART, Winning,
};
pub use collapse::{Collapse, CollapsePlan, SimplifyRefusals};
pub use deviation::{BOUND_WORDS, SimplifyBounds, SimplifyDeviation, from_ordered, ordered};
pub use order::{EdgePriority, MOST_TURNS};
pub use prepare::{COSTS_ALONE, SimplifyBorders, SimplifyCosts, SimplifyHolds, SimplifyQuadrics};
pub use select::{COURSE_WORDS, Course, EdgeCosts, IDLE_ROUNDS, SELECT_WORDS, SimplifySelect};

use crate::algo::improve::remesh::LineEdges;
use crate::args;
use crate::edit::NONE;
use crate::lanes::{LANES, Lanes, Point, four};
use crate::mem::{Bind, Global, GlobalMut, Hashed};
use crate::parallel::labels::label_of;
use glam::{Vec3, Vec4};
use quadric::{Quadric, Stored};

kernel_list! {
    flat simplify_quadrics: SimplifyQuadrics;
    flat simplify_holds: SimplifyHolds;
    flat simplify_borders: SimplifyBorders;
    flat simplify_costs: SimplifyCosts<NoLines>;
    block simplify_select: SimplifySelect<NoLines>;
    operator simplify: Collapse<NoLines>;
    flat simplify_costs_lines: SimplifyCosts<SomeLines>;
    block simplify_select_lines: SimplifySelect<SomeLines>;
    operator simplify_lines: Collapse<SomeLines>;
    flat simplify_refusals: SimplifyRefusals;
    flat simplify_deviation: SimplifyDeviation;
    flat simplify_bounds: SimplifyBounds;
    flat batch_check: BatchCheck;
    block batch_faces: BatchFaces;
    flat batch_unbind: BatchUnbind;
    block batch_select: BatchSelect<NoLines>;
    block batch_select_lines: BatchSelect<SomeLines>;
    block batch_decide: BatchDecide;
    block batch_winners: BatchWinners;
    block batch_list: BatchList;
    block batch_limit: BatchLimit;
}

/// Bit of a cost: the edge was refused, and waits until refusals are forgiven.
pub const REFUSED: u32 = 1 << 31;

/// Value of a cost: the collapse would move the surface farther than is allowed.
pub const TOO_FAR: u32 = NONE - 1;

/// Value in place of a cost: the edge is new, and its cost is computed before the next round.
pub const NEW: u32 = NONE - 2;

/// In [`QuadricSurface::holds`]: the vertex moves, and may go.
pub const FREE_TO_MOVE: u32 = 0;

/// In [`QuadricSurface::holds`]: the vertex stays where it is; others may be drawn into it.
pub const STAYS: u32 = 1;

/// In [`QuadricSurface::holds`], this and larger numbers: as [`STAYS`], and the vertex is one of several in one place,
/// all of which have this number.
pub const FIRST_PLACE: u32 = 2;

/// In [`QuadricSurface::holds`]: the vertex is inside a line of marked edges, and moves and goes along it only.
pub const ON_LINE: u32 = NONE - 1;

/// In [`QuadricSurface::holds`]: the vertex stays, and all around it.
pub const LOCKED: u32 = NONE;

/// In [`QuadricSurface::placing`]: new vertices come to the point of least cost.
pub const PLACE_BEST: u32 = 0;

/// In [`QuadricSurface::placing`]: to the end of the edge that costs less. For edges whose best point turns faces over.
pub const PLACE_CHEAPER_END: u32 = 1;

/// In [`QuadricSurface::placing`]: to the other end.
pub const PLACE_OTHER_END: u32 = 2;

/// In [`QuadricSurface::placing`]: to the middle.
pub const PLACE_MIDDLE: u32 = 3;

/// Bins of the histogram of costs: by exponent and three bits of the mantissa.
pub const COST_BINS: u32 = 1 << 11;

/// Bits of a cost below its bin.
pub const COST_SHIFT: u32 = 20;

/// Words of a histogram's buffer: word 0 is not used.
pub const HISTOGRAM_WORDS: u32 = COST_BINS + 1;

/// Reason why an edge is not collapsed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Refusal {
    /// Frozen edge: it touches a frozen face, or both its ends stay.
    Frozen = 1,
    /// The surface would become another one (the link condition), or vanish.
    Link = 2,
    /// A face would turn over.
    Fold = 3,
    /// Something is not a finite number.
    NotFinite = 4,
    /// The boundary would take another course. Quadrics see to that by themselves.
    Bend = 5,
    /// The surface would move too far.
    Deviation = 6,
}

/// Words of a count of refusals: word 0 is not used.
pub const REFUSALS: usize = 7;

/// Options of a mesh, by word of its part of [`QuadricSurface::rules`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum MeshRule {
    /// Largest distance of the surface from its input, squared and in the unit of lengths; infinite without a limit.
    Limit = 0,
    /// Weight of the planes that hold the boundary against those of the faces; 0 leaves it free.
    Boundary = 1,
    /// Weight of those that hold edges.
    Groups = 2,
    /// Nonzero if the vertices of the boundary stay.
    Keep = 3,
}

/// Words of [`QuadricSurface::rules`] a mesh.
pub const RULES: u32 = 4;

/// Lines of a surface: edges that are kept, and planes of edges and the boundary that are apart from those of faces.
/// Kernels are compiled for surfaces with and without them: the latter neither hold lines' quadrics nor read marks.
pub trait LineForm: Bind + Hashed + Copy + core::fmt::Debug + Send + Sync + 'static {
    /// Returns the quadrics, by vertex, of the planes that stand on the boundary and on edges that are held, where
    /// these are bounded apart from those of the faces.
    fn quadrics(&self) -> Option<GlobalMut<Stored>>;

    /// Returns the marks of the lines that [`ON_LINE`] is about.
    fn marks(&self) -> Option<LineEdges>;
}

args! {
    /// No lines.
    pub struct NoLines {}
}

args! {
    /// Lines, if there are any.
    pub struct SomeLines {
        /// See [`LineForm::quadrics`]; empty when [`QuadricSurface::quadrics`] has them.
        pub quadrics: GlobalMut<Stored>,
        /// See [`LineForm::marks`].
        pub marks: LineEdges,
    }
}

impl LineForm for NoLines {
    #[inline(always)]
    fn quadrics(&self) -> Option<GlobalMut<Stored>> {
        None
    }

    #[inline(always)]
    fn marks(&self) -> Option<LineEdges> {
        None
    }
}

impl LineForm for SomeLines {
    #[inline(always)]
    fn quadrics(&self) -> Option<GlobalMut<Stored>> {
        (!self.quadrics.is_empty()).then_some(self.quadrics)
    }

    #[inline(always)]
    fn marks(&self) -> Option<LineEdges> {
        (self.marks.any != 0).then_some(self.marks)
    }
}

args! {
    /// Surface that all kernels of a simplification work on.
    pub struct QuadricSurface<L: LineForm> {
        /// Positions of the vertices.
        pub x: GlobalMut<Vec3>,
        /// Quadrics of the vertices; empty when the length is the cost.
        pub quadrics: GlobalMut<Stored>,
        /// Freedom of each vertex to move: [`FREE_TO_MOVE`], [`STAYS`], a place, [`ON_LINE`] or [`LOCKED`]; empty if
        /// all may move.
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
    fn is_far(&self, limit: f32) -> bool {
        let far = |q: &Quadric| q.constant > limit * q.weight();
        far(&self.quadric) || far(&self.lines)
    }
}

/// Planes that a vertex stands for: all, or where those of lines are apart these alone and the others.
#[derive(Clone, Copy)]
struct Planes<T = f32> {
    quadric: Quadric<T>,
    lines: Quadric<T>,
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
    fn by_length(&self) -> bool {
        self.quadrics.is_empty()
    }

    /// Returns `true` if the planes of lines are apart from those of faces.
    #[inline(always)]
    fn has_lines(&self) -> bool {
        self.lines.quadrics().is_some()
    }

    #[inline(always)]
    fn planes(&self, v: u32) -> Planes {
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
    fn ask_quadric(&self, v: u32) {
        self.quadrics.ask(v);
        self.quadrics.ask(v + 1);
    }

    /// Returns the freedom of a vertex to move.
    #[inline(always)]
    fn hold(&self, v: u32) -> u32 {
        if self.holds.is_empty() {
            FREE_TO_MOVE
        } else {
            self.holds.get(v)
        }
    }

    /// Returns `true` if a vertex is one of several in one place.
    #[inline(always)]
    fn is_placed(&self, v: u32) -> bool {
        let hold = self.hold(v);
        (FIRST_PLACE..ON_LINE).contains(&hold)
    }

    /// Returns the end of an edge that stays: `0` and `1` for the first and the second, [`NONE`] if both may move.
    /// `None` if the edge must stay.
    #[inline(always)]
    fn stays(&self, e: u32, hold_a: u32, hold_b: u32) -> Option<u32> {
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
    fn placement(&self, a: Vec3, qa: Planes, b: Vec3, qb: Planes, stays: u32) -> Placement {
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
    fn part(&self, v: u32) -> u32 {
        label_of(self.parts, v)
    }

    /// Returns an option of the mesh of a vertex.
    #[inline(always)]
    fn rule(&self, v: u32, rule: MeshRule) -> f32 {
        self.rules.get(self.part(v) * RULES + rule as u32)
    }

    /// Returns [`MeshRule::Boundary`] of the mesh of a vertex.
    #[inline(always)]
    fn boundary(&self, v: u32) -> f32 {
        self.rule(v, MeshRule::Boundary)
    }

    /// Returns the bits of an edge's cost: they order as the costs do. [`NONE`] if it must not be collapsed,
    /// [`TOO_FAR`] if the new vertex would be farther than `limit` from the planes that it stands for: their squared
    /// distances, weighted as in the quadric, in the mean. Planes of lines, whose weight is another one, have a
    /// separate mean.
    #[inline(always)]
    fn cost(&self, a: Vec3, qa: Planes, b: Vec3, qb: Planes, stays: u32, limit: f32) -> u32 {
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
    fn is_plain(&self) -> bool {
        !self.by_length() && self.holds.is_empty() && self.placing == PLACE_BEST
    }

    /// Works like [`QuadricSurface::cost`], for four edges at a time, if [`QuadricSurface::is_plain`].
    #[inline(always)]
    fn cost_four(
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
    fn four(&self, v: [u32; 4]) -> (Point<Vec4>, Planes<Vec4>) {
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
    fn cost_of_four(&self, e: [u32; 4], a: [u32; 4], b: [u32; 4]) -> [u32; 4] {
        if !self.is_plain() {
            return four(|k| self.cost_of(e[k], a[k], b[k]));
        }
        let ((at_a, qa), (at_b, qb)) = (self.four(a), self.four(b));
        let limit = Vec4::from_array(four(|k| self.rule(a[k], MeshRule::Limit)));
        self.cost_four(at_a, qa, at_b, qb, limit)
    }

    /// Computes the costs of `n` edges from one vertex to others.
    #[inline(always)]
    fn cost_star(
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
    fn cost_of(&self, e: u32, a: u32, b: u32) -> u32 {
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
