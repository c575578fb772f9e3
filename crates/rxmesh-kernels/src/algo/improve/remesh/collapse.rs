//! Contractions of short edges.

use super::{CORNER_COSINE, HintedPoints, LineEdges, OnLine, Sizing, agree, shape};
use crate::args;
use crate::cavity::{
    Cavity, Corner, Hole, Operator, Origin, Priority, Seed, SeedQueue, Sieves, Site, Spoke,
    link_condition, template,
};
use crate::edit::{HalfEdgeMesh, NO_FACE};
use crate::mem::Global;
use glam::Vec3;

/// No normal turns by more than the angle of this cosine (60 degrees).
const TURN: f32 = 0.5;

/// Quality from which triangles are good enough ([`shape`]). If a worse one remains, there was one as bad before.
const GOOD: f32 = 0.3;

/// The worst triangle may get worse by this factor: where all are slender, each contraction makes some a little
/// narrower on its way to wide ones.
const NO_WORSE: f32 = 0.7;

/// Least radius of curvature, as a part of the target length, of a surface that a contraction may move as far as it
/// takes; the square of the inverse. Edges of that length follow such a surface, and parts that bend more are thinner
/// than they are long.
const ROUND: f32 = 0.81;

/// Squared sine (53 degrees) of the angle between the way of an end and the plane of a face there, above which a
/// contraction is refused. It applies if the surface bends more than its edges should, or the new vertex has few faces:
/// a closed part keeps the volume of an octahedron, whatever the length.
const STEEP: f32 = 0.64;

/// Faces at both ends together, below which the new vertex has less than six.
const FEW_FACES: u32 = 10;

args! {
    /// Contracts edges that are shorter than some length, if no edge gets longer than another length that was not
    /// before, no normal turns over, the worst triangle nearby gets no worse, the new vertex is near the planes of the
    /// faces that it replaces, lines stay, and the topology stays.
    pub struct CollapseShort {
        /// Positions.
        pub x: HintedPoints,
        /// Lines: their edges are contracted along them, and corners stay.
        pub lines: LineEdges,
        /// Target length of edges.
        pub length: Sizing,
        /// Edges shorter than this many lengths go; the square of it.
        pub shortest: f32,
        /// No edge may get longer than this many lengths; the square of it.
        pub longest: f32,
        /// Largest distance of the new vertex from the plane of a face that it replaces, in three numbers for each
        /// mesh. They are the square of a distance that is allowed whatever the length, and of one in lengths; and the
        /// number of faces at both ends together below which they must not move along the normals of their faces.
        pub limits: Global<f32>,
    }
}

/// Plan of a contraction.
#[derive(Clone, Copy, Debug)]
pub struct Contraction {
    place: Vec3,
    origin: Origin,
    /// Target length of edges there.
    length: f32,
    /// Number of the mesh.
    label: u32,
    hint: u32,
    /// Rim corners from which a marked edge leads to the new vertex, a bit each.
    marked: u32,
}

impl CollapseShort {
    #[inline(always)]
    fn place_of(&self, v: u32) -> Vec3 {
        self.x.get(v)
    }

    #[inline(always)]
    fn may_leave(&self, v: u32, on: &OnLine) -> bool {
        let x = |v: u32| self.place_of(v);
        on.is_smooth(x(v), x(on.before), x(on.after), CORNER_COSINE)
    }

    /// Returns the point where the ends of an edge meet, given the lines that they are on, and its position between
    /// source (0) and target (1): in the middle, or at the end that a line holds. `None` if lines hold both.
    #[inline(always)]
    fn target(&self, mesh: &impl HalfEdgeMesh, e: u32, on: [OnLine; 2]) -> Option<(Vec3, f32)> {
        let (a, b) = (mesh.origin(2 * e), mesh.tip(2 * e));
        let [on_a, on_b] = on;
        let (x_a, x_b) = (self.place_of(a), self.place_of(b));
        if on_a.count == 0 && on_b.count == 0 {
            return Some(((x_a + x_b) * 0.5, 0.5));
        }
        if !self.lines.has(mesh, e) {
            return match (on_a.count, on_b.count) {
                (0, _) => Some((x_b, 1.0)),
                (_, 0) => Some((x_a, 0.0)),
                _ => None,
            };
        }
        if self.may_leave(b, &on_b) {
            Some((x_a, 0.0))
        } else {
            self.may_leave(a, &on_a).then_some((x_b, 1.0))
        }
    }

    /// Returns `true` if the faces at both ends, of which there are `faces`, allow them to move to a place, which is
    /// some part of the way. A face at distance `d` whose plane makes an angle with the way belongs to a surface whose
    /// radius is about `d` over the sine of the angle.
    #[inline(always)]
    fn may_meet(&self, mesh: &impl HalfEdgeMesh, e: u32, to: Vec3, part: f32, faces: u32) -> bool {
        let length = self
            .length
            .between(mesh.origin(2 * e), mesh.tip(2 * e), part);
        let at = [mesh.origin(2 * e), mesh.tip(2 * e)];
        let [x_a, x_b] = at.map(|v| self.place_of(v));
        let [floor, reach, few] = self.limits.several(3 * self.length.label(at[0]));
        let square = self.length.square_at(length);
        let way = (x_b - x_a) * part.max(1.0 - part);
        let way = way.dot(way);
        let steep = STEEP * way;
        let reach = floor.min(steep).max(reach * square);
        let reach = if (faces as f32) < few {
            reach.min(steep)
        } else {
            reach
        };
        let bend = ROUND * 0.25 * way / square;
        let most = if faces < FEW_FACES { steep } else { f32::MAX };
        let mut worst = GOOD;
        // Both ends at a time: steps of one wait for each other.
        let may = mesh.each_spoke_of_ends(e, |side, h, face, tip| {
            if h >> 1 == e {
                return true;
            }
            let (at, other) = if side == 0 {
                (x_a, at[1])
            } else {
                (x_b, at[0])
            };
            let third = if face == NO_FACE { other } else { mesh.apex(h) };
            let (p, q) = (self.place_of(tip), self.place_of(third));
            let (d, next, old) = (p - to, q - to, p - at);
            let longest = self.longest * self.length.square_to(tip, length);
            let grows = d.dot(d) > longest && old.dot(old) <= longest;
            let stays = third == other;
            if !stays {
                worst = worst.min(shape(to, p, q));
            }
            let normal = old.cross(q - at);
            let off = normal.dot(d);
            let far = d + next;
            let reach = reach.max(bend * far.dot(far)).min(most);
            !grows
                && (stays
                    || off * off <= reach * normal.dot(normal)
                        && agree(normal, d.cross(next), TURN))
        });
        may && (worst >= GOOD || worst >= NO_WORSE * self.worst(mesh, e))
    }

    /// Returns the worst shape of the faces at the ends of an edge.
    #[inline(always)]
    fn worst(&self, mesh: &impl HalfEdgeMesh, e: u32) -> f32 {
        let (mut end, mut worst) = (0, 1.0f32);
        while end < 2 {
            let v = mesh.origin(2 * e + end);
            let at = self.place_of(v);
            let mut turn = mesh.turn(v);
            while let Some(h) = turn.step(mesh) {
                if mesh.face(h) != NO_FACE {
                    let (p, q) = (mesh.tip(h), mesh.apex(h));
                    worst = worst.min(shape(at, self.place_of(p), self.place_of(q)));
                }
            }
            end += 1;
        }
        worst
    }
}

// SAFETY: `fill` writes its new elements and the hole's boundary loop, all else only reads; ids are the mesh's
// (contracts U3, U4).
unsafe impl Operator for CollapseShort {
    type Template = template::EV;
    type Plan = Contraction;
    const RIM_IS_SIMPLE: bool = true;
    const SHARE: f32 = 0.125;
    const SIEVES: Sieves = Sieves::Every;
    const STAR: bool = true;

    #[inline(always)]
    fn template(&self) -> template::EV {
        template::EV
    }

    #[inline(always)]
    fn candidate(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> Option<Priority> {
        if !self.wants(mesh, seed) {
            return None;
        }
        let e = seed.0;
        let (on, walk) = self.lines.ends(mesh, e);
        let (to, part) = self.target(mesh, e, on)?;
        let interior = mesh.face(2 * e) != NO_FACE && mesh.face(2 * e + 1) != NO_FACE;
        let faces = if interior {
            walk.faces[0] + walk.faces[1]
        } else {
            u32::MAX
        };
        let may = self.may_meet(mesh, e, to, part, faces)
            && (self.lines.any == 0 || self.lines.stay_apart(mesh, e))
            && (walk.is_plain(interior) || link_condition(mesh, e));
        may.then_some(Priority::NONE.meeting(walk.faces))
    }

    #[inline(always)]
    fn wants(&self, mesh: &impl HalfEdgeMesh, seed: Seed<Self>) -> bool {
        let (a, b) = (mesh.origin(2 * seed.0), mesh.tip(2 * seed.0));
        let d = self.place_of(a) - self.place_of(b);
        d.dot(d) < self.shortest * self.length.square(a, b) && !self.length.rests(a)
    }

    #[inline(always)]
    fn plan(&self, cavity: &Cavity<impl Site>) -> Contraction {
        let mesh = cavity.mesh();
        let e = cavity.seed();
        let (a, b) = (mesh.origin(2 * e), mesh.tip(2 * e));
        let (on, _) = self.lines.ends(mesh, e);
        let (place, part) = self.target(mesh, e, on).unwrap_or((Vec3::ZERO, 0.0));
        Contraction {
            place,
            origin: Origin::between(a, b, part),
            length: self.length.between(a, b, part),
            label: self.length.label(a),
            hint: self.x.hint(a),
            marked: self.lines.on_rim(cavity),
        }
    }

    #[inline(always)]
    fn fill(&self, plan: Contraction, hole: &mut Hole<'_, impl Site>) {
        hole.add_star_of(self, plan);
    }

    /// Adds the centre, and returns the marks of lines for the spokes.
    #[inline(always)]
    fn centre<'h>(&self, plan: Contraction, hole: &mut Hole<'h, impl Site>) -> (Corner<'h>, u32) {
        let v = hole.add_vertex_at(plan.origin);
        self.x.set(v.id(), plan.place, plan.hint);
        self.length.set(v.id(), plan.length, plan.label);
        (v, plan.marked)
    }

    #[inline(always)]
    fn spoke(&self, spoke: Spoke<'_>, marked: u32, queue: SeedQueue<'_, impl Site>) {
        let e = spoke.side.edge();
        self.lines.mark_spoke(&spoke, marked);
        let (v, corner) = (spoke.centre.id(), spoke.corner.id());
        let d = self.place_of(corner) - self.place_of(v);
        if d.dot(d) < self.shortest * self.length.square(v, corner) {
            queue.again(e);
        }
    }
}
