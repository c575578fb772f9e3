//! FacesAtEnds that turn too far when an end of an edge moves.

use super::Collapse;
use super::walk::{Ends, RING};
use crate::algo::improve::simplify::{LineForm, QuadricSurface};
use crate::edit::{HalfEdgeMesh, NO_FACE};
use crate::lanes::{LANES, Lanes, Point, four};
use glam::{Vec3, Vec4};

/// Least cosine between the normals of a face before and after a collapse.
const LEAST_COSINE: f32 = 0.2;

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
    /// Returns `true` if a face at one of the ends turns too far: see [`Collapse::folds`].
    #[inline(always)]
    pub(super) fn folds_at_ends(
        &self,
        mesh: &impl HalfEdgeMesh,
        e: u32,
        ends: &Ends,
        p: Vec3,
    ) -> bool {
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
}

/// State of a walk around an end. The position of a neighbour is being loaded while the walk examines the two before.
#[derive(Clone, Copy)]
pub(super) struct EndWalk {
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
    pub(super) fn new(s: &QuadricSurface<impl LineForm>, v: u32) -> EndWalk {
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
    pub(super) fn step(
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
    pub(super) fn turns(&self, s: &QuadricSurface<impl LineForm>, p: Vec3) -> bool {
        let seen = |c: Vec3| Point::from((c - self.at) * s.scale);
        let [c, d] = self.last;
        let (c, d) = if self.turned { (d, c) } else { (c, d) };
        self.pair && turns(seen(c), seen(d), seen(p))
    }
}
