//! The collapse of an edge.

use super::order::URGENCY_BITS;
use super::quadric::Quadric;
use super::{
    Course, EdgePriority, FREE_TO_MOVE, LOCKED, LineForm, MeshCount, NEW, PLACE_CHEAPER_END,
    PLACE_OTHER_END, Placement, QuadricSurface, REFUSALS, REFUSED, Refusal, SomeLines, TOO_FAR,
    part_word,
};
use crate::algo::improve::remesh::{LineEdges, MOST_CORNERS};
use crate::cavity::{
    Cavity, Corner, Hole, LinkWalk, Operator, Origin, Priority, Seed, SeedQueue, Sieves, Site,
    Spoke, link_condition, template,
};
use crate::edit::{FlatMesh, HalfEdgeMesh, NO_FACE, NONE};
use crate::kernel::FlatKernel;
use crate::lanes::{LANES, Lanes, Point, four};
use crate::math::{length, normalize_or_zero};
use crate::mem::{Global, GlobalMut};
use crate::{args, kernel};
use glam::{Vec3, Vec4};

/// Largest distance of an end of a boundary edge from the new boundary, over the edge's length.
const MOST_BEND: f32 = 0.1;

/// Least cosine between the normals of a face before and after a collapse.
const LEAST_COSINE: f32 = 0.2;

args! {
    /// Collapses an edge to the place of least cost.
    pub struct Collapse<L: LineForm> {
        /// Positions and quadrics.
        pub surface: QuadricSurface<L>,
        /// Costs of the edges.
        pub costs: GlobalMut<u32>,
        /// Set of refused edges, a bit each.
        pub refused: GlobalMut<u32>,
        /// See [`Course`], of which [`Course::Borders`] is counted.
        pub course: GlobalMut<u32>,
        /// Target of each vertex that was collapsed, plus 1; empty if it is not needed.
        pub went: GlobalMut<u32>,
        /// Order of the edges at a vertex.
        pub order: EdgePriority,
        /// Number of the mesh of each edge; empty for one mesh.
        pub labels: Global<u32>,
        /// Counts of each mesh, of which [`MeshCount::Gone`] is updated.
        pub parts: GlobalMut<u32>,
    }
}

/// Results of the walks around the ends of an edge.
#[derive(Clone, Copy)]
struct Ends {
    walk: LinkWalk,
    /// `true` if an end or a neighbour is one of several in one place.
    near_place: bool,
    /// Neighbours of each end.
    rings: [FirstTips; 2],
    /// `true` if a face turns too far; `None` if the walks have not computed it.
    folds: Option<bool>,
}

/// Neighbours of a vertex that a CPU keeps.
const RING: usize = 16;

/// `true` to keep rings: a GPU would have to put them into memory.
const KEEPS_RINGS: bool = cfg!(not(target_arch = "nvptx64"));

/// The first neighbours of a vertex as a walk comes to them, and their number.
#[derive(Clone, Copy)]
struct FirstTips {
    tips: [u32; RING],
    n: usize,
}

impl FirstTips {
    const EMPTY: FirstTips = FirstTips {
        tips: [NONE; RING],
        n: 0,
    };

    #[inline(always)]
    fn enter(&mut self, tip: u32) {
        if self.n < RING {
            self.tips[self.n] = tip;
        }
        self.n += 1;
    }

    /// Returns all neighbours but the first, if they are kept.
    #[inline(always)]
    fn others(&self) -> Option<&[u32]> {
        if !KEEPS_RINGS {
            return None;
        }
        self.tips.get(1..self.n).filter(|others| others.len() > 1)
    }
}

/// Returns the lanes in which a face turns too far when its third corner, from which the others are seen in `c` and
/// `d`, moves by `by`.
#[inline(always)]
fn turns<T: Lanes>(c: Point<T>, d: Point<T>, by: Point<T>) -> T::Mask {
    let (old, new) = (c.cross(d), (c - by).cross(d - by));
    let (before, after) = (old.dot(old), new.dot(new));
    let dot = old.dot(new);
    let zero = T::splat(0.0);
    let least = T::splat(LEAST_COSINE * LEAST_COSINE) * before * after;
    // A face that has no area can only get better.
    before.differs(zero) & !(dot.above(zero) & (dot * dot).above(least))
}

impl<L: LineForm> Collapse<L> {
    /// Returns the end of an edge that stays, if one does: see [`QuadricSurface::stays`]. For edges that have a cost.
    #[inline(always)]
    fn stays(&self, mesh: &impl HalfEdgeMesh, e: u32) -> u32 {
        let s = &self.surface;
        let (a, b) = (mesh.origin(2 * e), mesh.tip(2 * e));
        s.stays(e, s.hold(a), s.hold(b)).unwrap_or(NONE)
    }

    /// Returns the position and cost of the new vertex.
    #[inline(always)]
    fn placement(&self, mesh: &impl HalfEdgeMesh, e: u32) -> Placement {
        let s = &self.surface;
        let (a, b) = (mesh.origin(2 * e), mesh.tip(2 * e));
        let (xa, xb) = (s.x.get(a), s.x.get(b));
        let stays = self.stays(mesh, e);
        if s.by_length() {
            let on_border = |v: u32| s.boundary(v) > 0.0 && crate::cavity::is_border(mesh, v);
            let at = match (stays, s.placing) {
                (0, _) => xa,
                (1, _) => xb,
                _ => match (on_border(a), on_border(b)) {
                    (true, false) => xa,
                    (false, true) => xb,
                    _ => match s.placing {
                        PLACE_CHEAPER_END => xa,
                        PLACE_OTHER_END => xb,
                        _ => (xa + xb) * 0.5,
                    },
                },
            };
            return Placement {
                at,
                quadric: Quadric::ZERO,
                lines: Quadric::ZERO,
                cost: 0.0,
            };
        }
        s.placement(xa, s.planes(a), xb, s.planes(b), stays)
    }

    /// Returns the place between the ends of an edge that is nearest to a point.
    #[inline(always)]
    fn origin(&self, mesh: &impl HalfEdgeMesh, e: u32, p: Vec3) -> Origin {
        let s = &self.surface;
        let (a, b) = (mesh.origin(2 * e), mesh.tip(2 * e));
        let xa = s.x.get(a);
        let (along, to) = ((s.x.get(b) - xa) * s.scale, (p - xa) * s.scale);
        let square = along.dot(along);
        let part = if square > 0.0 {
            (along.dot(to) / square).clamp(0.0, 1.0)
        } else {
            0.5
        };
        Origin::between(a, b, part)
    }

    /// Returns the reason why an edge must not be collapsed, if any, given the results at its ends, and the position of
    /// the new vertex if that is known.
    #[inline(always)]
    fn refusal(
        &self,
        mesh: &impl HalfEdgeMesh,
        e: u32,
        ends: Ends,
        to: Option<Vec3>,
    ) -> Option<Refusal> {
        // Walks that have found one have not gone on.
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
    fn refusal_in_one_walk(&self, mesh: &impl HalfEdgeMesh, e: u32) -> (Ends, Option<Refusal>) {
        let p = self.placement(mesh, e).at;
        let ends = self.ends_with_folds(mesh, e, p);
        (ends, self.refusal(mesh, e, ends, Some(p)))
    }

    /// Returns `true` if a face at one of the ends turns too far: see [`Collapse::folds`].
    #[inline(always)]
    fn folds_at_ends(&self, mesh: &impl HalfEdgeMesh, e: u32, ends: &Ends, p: Vec3) -> bool {
        // One call, so that it is inlined.
        let mut side = 0;
        while side < 2 {
            let around = match ends.rings[side as usize].others() {
                Some(ring) if !ends.walk.border[side as usize] && !ends.near_place => {
                    self.folds_ring(mesh.origin(2 * e + side), ring, p)
                }
                _ => self.folds(mesh, 2 * e + side, p),
            };
            if around {
                return true;
            }
            side += 1;
        }
        false
    }

    /// Returns `true` if a collapse near vertices that share a place would change how the surface meets itself there:
    /// two of them would become neighbours of one vertex that had one for a neighbour, or an edge or a face between
    /// places would arise, which may exist already.
    #[inline(always)]
    fn joins_places(&self, mesh: &impl HalfEdgeMesh, e: u32) -> bool {
        let s = &self.surface;
        let stays = self.stays(mesh, e);
        // The half-edge from the end that goes.
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

    /// Returns `true` if a face at the origin of a half-edge, but not at its tip, turns too far, or vanishes, when the
    /// origin moves to `p`.
    #[inline(always)]
    fn folds(&self, mesh: &impl HalfEdgeMesh, half: u32, p: Vec3) -> bool {
        let (v, w) = (mesh.origin(half), mesh.tip(half));
        let s = &self.surface;
        let at = s.x.get(v);
        let by = (p - at) * s.scale;
        let seen = |c: Vec3| Point::from((c - at) * s.scale);
        let turns = |[c, d]: [Vec3; 2]| turns(seen(c), seen(d), by.into());
        // A face at the tip counts as one without area.
        let places = |[c, d]: [u32; 2]| {
            if c == w || d == w {
                [at; 2]
            } else {
                [s.x.get(c), s.x.get(d)]
            }
        };
        // A step uses the positions that the preceding one has loaded, and loads those of the corners that the
        // preceding one has found: accesses that would wait for each other are in flight at a time.
        let (mut corners, mut asked) = ([w; 2], [at; 2]);
        let all = mesh.each_spoke_from(half, |h| {
            let folded = turns(asked);
            asked = places(corners);
            corners = if mesh.face(h) == NO_FACE {
                [w; 2]
            } else {
                [mesh.tip(h), mesh.apex(h)]
            };
            !folded
        });
        !all || turns(asked) || turns(places(corners))
    }

    /// Works like [`Collapse::folds`], for a vertex in the interior whose neighbours are known, except the other end of
    /// the edge, which comes before the first of them: four faces at a time.
    #[inline(always)]
    fn folds_ring(&self, v: u32, ring: &[u32], p: Vec3) -> bool {
        let s = &self.surface;
        let at = s.x.get(v);
        let by = Point::splat((p - at) * s.scale);
        // Behind the last one it comes again: faces without area.
        let mut seen = [[0.0; RING + LANES]; 3];
        let mut last = [0.0; 3];
        for (i, &tip) in ring.iter().enumerate() {
            last = ((s.x.get(tip) - at) * s.scale).to_array();
            for (seen, x) in seen.iter_mut().zip(last) {
                seen[i] = x;
            }
        }
        for (seen, x) in seen.iter_mut().zip(last) {
            seen[ring.len()..ring.len() + LANES].fill(x);
        }
        let [x, y, z] = &seen;
        let lanes = |i: usize| {
            let part = |x: &[f32]| Vec4::from_array(four(|k| x[i + k]));
            Point::new(part(x), part(y), part(z))
        };
        let mut i = 0;
        while i + 1 < ring.len() {
            if Vec4::any(turns(lanes(i), lanes(i + 1), by)) {
                return true;
            }
            i += LANES;
        }
        false
    }

    /// Walks around both ends, and keeps the neighbours.
    #[inline(always)]
    fn ends(&self, mesh: &impl HalfEdgeMesh, e: u32) -> Ends {
        let mut ends = self.start(mesh, e);
        mesh.each_spoke_of_ends(e, |side, h, face, tip| {
            self.step(&mut ends, e, [side, h, face, tip]);
            if KEEPS_RINGS {
                ends.rings[side as usize].enter(tip);
            }
            true
        });
        ends
    }

    /// Walks both ends, and computes which faces there turn too far when the new vertex comes to `p`. One walk finds
    /// all that a thread needs to know about most edges; if the ends are walked first, and then the faces at one after
    /// the other, three walks wait for each other.
    #[inline(always)]
    fn ends_with_folds(&self, mesh: &impl HalfEdgeMesh, e: u32, p: Vec3) -> Ends {
        let s = &self.surface;
        let mut ends = self.start(mesh, e);
        let (a, b) = (mesh.origin(2 * e), mesh.tip(2 * e));
        let (mut first, mut second) = (EndWalk::new(s, a), EndWalk::new(s, b));
        let mut folds = false;
        mesh.each_spoke_of_ends(e, |side, h, face, tip| {
            self.step(&mut ends, e, [side, h, face, tip]);
            // Copies and no indices, so that both stay in registers.
            let (mut around, other) = if side == 0 { (first, b) } else { (second, a) };
            folds |= around.step(s, p, [tip == other, face == NO_FACE], tip);
            if side == 0 {
                first = around;
            } else {
                second = around;
            }
            !folds
        });
        folds |= first.turns(s, p) || second.turns(s, p);
        ends.folds = Some(folds);
        ends
    }

    /// Returns the state before the walks around both ends.
    #[inline(always)]
    fn start(&self, mesh: &impl HalfEdgeMesh, e: u32) -> Ends {
        let s = &self.surface;
        Ends {
            walk: LinkWalk::START,
            near_place: s.is_placed(mesh.origin(2 * e)) || s.is_placed(mesh.tip(2 * e)),
            rings: [FirstTips::EMPTY; 2],
            folds: None,
        }
    }

    /// Runs a step of these walks.
    #[inline(always)]
    fn step(&self, ends: &mut Ends, e: u32, at: [u32; 4]) {
        ends.walk.step(e, at);
        ends.near_place |= self.surface.is_placed(at[3]);
    }
}

/// State of a walk around an end. The position of a neighbour is being loaded while the walk examines the two before.
#[derive(Clone, Copy)]
struct EndWalk {
    /// Position of the end.
    at: Vec3,
    /// Places of the last two neighbours.
    last: [Vec3; 2],
    /// `true` if the second of them belongs to a face that follows; the next, if both belong to the same one.
    follows: bool,
    pair: bool,
    /// `true` if the walk had met the boundary before that face, behind which it goes the other way.
    back: bool,
    turned: bool,
}

impl EndWalk {
    #[inline(always)]
    fn new(s: &QuadricSurface<impl LineForm>, v: u32) -> EndWalk {
        let at = s.x.get(v);
        EndWalk {
            at,
            last: [at; 2],
            follows: false,
            pair: false,
            back: false,
            turned: false,
        }
    }

    /// Adds a neighbour, with `true` if it is the other end, and `true` if there is no face behind it. Returns `true`
    /// if the preceding face turns too far when the end moves to `p`.
    #[inline(always)]
    fn step(
        &mut self,
        s: &QuadricSurface<impl LineForm>,
        p: Vec3,
        [is_other, is_border]: [bool; 2],
        tip: u32,
    ) -> bool {
        let turns = self.turns(s, p);
        self.last = [self.last[1], s.x.get(tip)];
        self.pair = self.follows && !is_other;
        self.turned = self.back;
        self.back |= is_border;
        self.follows = !is_other && !is_border;
        turns
    }

    /// Returns `true` if the face between the last two neighbours, if there is one, turns too far.
    #[inline(always)]
    fn turns(&self, s: &QuadricSurface<impl LineForm>, p: Vec3) -> bool {
        let seen = |c: Vec3| Point::from((c - self.at) * s.scale);
        let [c, d] = self.last;
        let (c, d) = if self.turned { (d, c) } else { (c, d) };
        self.pair && turns(seen(c), seen(d), seen(p))
    }
}

/// Plan of a collapse, from its cavity to its fill-in.
#[derive(Clone, Copy, Debug)]
pub struct CollapsePlan {
    at: Vec3,
    /// End that stays, or [`NONE`].
    stays: u32,
    /// Ends of the edge.
    ends: [u32; 2],
    origin: Origin,
    quadric: Quadric,
    /// See [`LineEdges::on_rim`](crate::algo::improve::remesh::LineEdges::on_rim).
    marked: u32,
}

// SAFETY: `fill` writes its new elements and the hole's boundary loop, all else only reads; ids are the mesh's
// (contracts U3, U4).
unsafe impl<L: LineForm> Operator for Collapse<L> {
    type Template = template::EV;
    type Plan = CollapsePlan;
    const RIM_IS_SIMPLE: bool = true;
    const SIEVES: Sieves = Sieves::Every;
    const STAR: bool = true;
    // `LimitWinners` and `SimplifySelect` come between.
    const TOGETHER: bool = false;

    #[inline(always)]
    fn template(&self) -> template::EV {
        template::EV
    }

    #[inline(always)]
    fn wants(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> bool {
        let e = seed.0;
        let cost = self.costs.get(e);
        cost < REFUSED && self.order.is_free(mesh, e, cost)
    }

    #[inline(always)]
    fn ask(&self, vertex: u32, of_seed: bool) {
        self.surface.x.ask(vertex);
        if of_seed && !self.surface.by_length() {
            self.surface.ask_quadric(vertex);
        }
    }

    #[inline(always)]
    fn ask_corner(&self, vertex: u32) {
        self.ask(vertex, true);
    }

    /// Writes the edge's own bit among the refused: it is not read before the round is over.
    #[inline(always)]
    fn candidate(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        let e = seed.0;
        let cost = self.costs.get(e);
        if cost >= REFUSED {
            return None;
        }
        let (ends, refusal) = if KEEPS_RINGS {
            let ends = self.ends(mesh, e);
            let refusal = self.refusal(mesh, e, ends, None);
            // The test of a GPU, which has no debug builds.
            debug_assert_eq!(
                refusal.is_some(),
                self.refusal_in_one_walk(mesh, e).1.is_some()
            );
            (ends, refusal)
        } else {
            self.refusal_in_one_walk(mesh, e)
        };
        if refusal.is_some() {
            self.refused.fetch_or(e / 32, 1 << (e % 32));
            return None;
        }
        let class = cost >> URGENCY_BITS << URGENCY_BITS;
        Some(Priority::ascending(f32::from_bits(class)).meeting(ends.walk.faces))
    }

    /// Guards the places of neighbours: a vertex drawn into a place brings its neighbours there, and none of them may
    /// come to another vertex of the place in the same round.
    #[inline(always)]
    fn guards(
        &self,
        mesh: &impl HalfEdgeMesh,
        seed: Seed<Self>,
        vertex: &mut impl FnMut(u32) -> bool,
    ) -> bool {
        let s = &self.surface;
        if s.holds.is_empty() {
            return true;
        }
        let e = seed.0;
        let stays = self.stays(mesh, e);
        if stays == NONE || !s.is_placed(mesh.origin(2 * e + stays)) {
            return true;
        }
        mesh.each_spoke_from(2 * e + (1 - stays), |h| h >> 1 == e || vertex(mesh.tip(h)))
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> CollapsePlan {
        let p = self.placement(cavity.mesh(), cavity.seed());
        let mut i = 0;
        while i < cavity.edges() {
            self.costs.set(cavity.edge(i), NONE);
            i += 1;
        }
        let e = cavity.seed();
        let border =
            cavity.mesh().face(2 * e) == NO_FACE || cavity.mesh().face(2 * e + 1) == NO_FACE;
        if border {
            self.course.fetch_add(Course::Borders as u32, 1);
        }
        if !self.labels.is_empty() {
            let gone = part_word(self.labels.get(e), MeshCount::Gone);
            self.parts.fetch_add(gone, if border { 1 } else { 2 });
        }
        let mesh = cavity.mesh();
        let s = &self.surface;
        if let Some(quadrics) = s.lines.quadrics() {
            // The new vertex has the slot of one of the ends.
            quadrics.set(mesh.origin(2 * e), p.lines.store());
            quadrics.set(mesh.tip(2 * e), p.lines.store());
        }
        CollapsePlan {
            at: p.at,
            stays: match self.stays(mesh, e) {
                NONE => NONE,
                end => mesh.origin(2 * e + end),
            },
            ends: [mesh.origin(2 * e), mesh.tip(2 * e)],
            origin: self.origin(mesh, e, p.at),
            quadric: p.quadric,
            marked: s.lines.marks().map_or(0, |marks| marks.on_rim(cavity)),
        }
    }

    #[inline(always)]
    fn fill(&self, new: CollapsePlan, hole: &mut Hole<'_, impl Site>) {
        hole.add_star_of(self, new);
    }

    #[inline(always)]
    fn centre<'h>(&self, new: CollapsePlan, hole: &mut Hole<'h, impl Site>) -> (Corner<'h>, u32) {
        let s = &self.surface;
        let v = if new.stays == NONE {
            hole.add_vertex_at(new.origin)
        } else {
            hole.keep_vertex(new.stays)
        };
        if !self.went.is_empty() {
            let [a, b] = new.ends;
            self.went.set(if v.id() == a { b } else { a }, v.id() + 1);
        }
        s.x.set(v.id(), new.at);
        if !s.by_length() {
            s.quadrics.set(v.id(), new.quadric.store());
        }
        (v, new.marked)
    }

    /// Computes the cost of a new edge when all are there, one thread each.
    #[inline(always)]
    fn spoke(&self, spoke: Spoke<'_>, marked: u32, _: SeedQueue<'_, impl Site>) {
        if let Some(marks) = self.surface.lines.marks() {
            marks.mark_spoke(&spoke, marked);
        }
        self.costs.set(spoke.side.edge(), NEW);
    }

    /// Computes the costs of the new edges four at a time, by one thread, which has the centre at hand.
    #[inline(always)]
    fn settle(&self, cavity: &Cavity<impl Site>) {
        let (centre, n) = (cavity.vertex(0), cavity.corners());
        let set = |i: u32, cost: u32| self.costs.set(cavity.edge(i), cost);
        let edge = |i: u32| cavity.edge(i);
        (self.surface).cost_star(centre, n, edge, |i| cavity.corner(i), set);
    }
}

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
}

kernel! {
    /// Counts the live edges by the reason why they are not collapsed, for each of several meshes. One index per edge
    /// slot.
    pub struct SimplifyRefusals: Flat {
        /// Operator to run.
        pub collapse: Collapse<SomeLines>,
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Counts by mesh and [`Refusal`].
        pub refusals: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for SimplifyRefusals {
    #[inline(always)]
    fn run(&self, e: u32) {
        let (c, mesh) = (&self.collapse, &self.mesh);
        if !mesh.edge_lives(e) {
            return;
        }
        if let Some(refusal) = c.why_not(mesh, e) {
            let part = c.surface.part(mesh.origin(2 * e));
            self.refusals
                .fetch_add(part * REFUSALS as u32 + refusal as u32, 1);
        }
    }
}
