//! Cloth: the length of each edge, and the angle between the two faces of each edge (Mueller et al., "Position Based
//! Dynamics", 2007; MeshTaichi 2022, section 8.5).
//!
//! An edge and the two vertices opposite to it are a *hinge*: four local vertices, of which the last two may be
//! missing.

use crate::colour::Turns;
use glam::{Vec2, Vec3};
use rxmesh_kernels::attr::{Field, Staged};
use rxmesh_kernels::exec::Block;
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::{Fields, PatchKernel};
use rxmesh_kernels::math::{angle, sqrt};
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};
use rxmesh_kernels::query::each_of;
use rxmesh_kernels::topo::{Edge, Patch, PatchHeader, Vertex};

kernel_list! {
    patch xpbd_cloth_rest: ClothRest;
    patch xpbd_cloth: XpbdCloth;
    patch xpbd_cloth_sweep: XpbdClothSweep;
}

/// Id of a vertex that a hinge does not have.
const MISSING: u32 = u16::MAX as u32;

rxmesh_kernels::args! {
    /// Hinges of a cloth.
    pub struct Hinges {
        /// Offset of each patch's hinges in `vertices`, in hinges.
        pub starts: Global<u32>,
        /// Local vertices of each owned edge: its two ends, and the two opposite to it; 0xffff for a missing one.
        pub vertices: Global<u16>,
        /// Rest values of each edge (by linear id): length (m), angle (rad), compliance against stretch (m/N) and
        /// against bending (rad/(N m)). A negative compliance means no constraint.
        pub rest: Global<[f32; 4]>,
    }
}

// SAFETY: no prologue and no epilogue.
unsafe impl Field for Hinges {}

impl Hinges {
    /// Returns the local vertices of an owned edge.
    #[inline(always)]
    fn of(&self, first: u32, edge: u32) -> [u32; 4] {
        let words = self.vertices.cast::<u32>();
        let at = 2 * (first + edge);
        let (a, b) = (words.get(at), words.get(at + 1));
        [a & 0xffff, a >> 16, b & 0xffff, b >> 16]
    }
}

/// Angle of a hinge, and the values for its gradients.
struct Bend {
    angle: f32,
    /// Gradients at the two opposite vertices.
    u: [Vec3; 2],
    /// Projections of the opposite vertices onto the edge: 0 at its first end, 1 at the second.
    along: [f32; 2],
}

/// Returns the angle between the faces of a hinge, from -pi to pi; 0 if they are coplanar. `None` if a face has no
/// area.
#[inline(always)]
fn bend(p: [Vec3; 4]) -> Option<Bend> {
    let (e, a, b) = (p[1] - p[0], p[2] - p[0], p[3] - p[0]);
    let (n, m) = (e.cross(a), b.cross(e));
    let (nn, mm, ee) = (n.dot(n), m.dot(m), e.dot(e));
    if !(nn > 0.0 && mm > 0.0 && nn * mm < f32::INFINITY && ee > 0.0) {
        return None;
    }
    let l = sqrt(ee);
    let unit = 1.0 / l;
    let unit2 = unit * unit;
    // Sine and cosine times the lengths of both normals: the sine as the product of the edge with their cross product.
    let sine = n.cross(m).dot(e) * unit;
    let turn = angle(if sine < 0.0 { -sine } else { sine }, n.dot(m));
    Some(Bend {
        angle: if sine < 0.0 { -turn } else { turn },
        u: [n * (-l / nn), m * (-l / mm)],
        along: [a.dot(e) * unit2, b.dot(e) * unit2],
    })
}

impl Bend {
    /// Returns the gradients at the four vertices: a rigid motion of the hinge keeps its angle.
    #[inline(always)]
    fn gradients(&self) -> [Vec3; 4] {
        let ([u, v], [s, t]) = (self.u, self.along);
        let second = u * s + v * t;
        [second - (u + v), -second, u, v]
    }
}

/// Returns the change of a constraint's multiplier.
#[inline(always)]
fn change(c: f32, weight: f32, soft: f32, multiplier: f32) -> f32 {
    let all = weight + soft;
    if all > 0.0 {
        -(c + soft * multiplier) / all
    } else {
        0.0
    }
}

/// Solves the length constraint of a hinge's edge. `w` are inverse masses for the denominator, `rate` is one over the
/// squared time step.
#[inline(always)]
fn stretch(rest: [f32; 4], p: [Vec3; 4], w: [f32; 4], multiplier: f32, rate: f32) -> (f32, Vec3) {
    let e = p[1] - p[0];
    let l2 = e.dot(e);
    if rest[2] < 0.0 || l2.is_nan() || l2 <= 0.0 {
        return (0.0, Vec3::ZERO);
    }
    let l = sqrt(l2);
    let by = change(l - rest[0], w[0] + w[1], rest[2] * rate, multiplier);
    (by, e * (by / l))
}

/// Solves the angle constraint of a hinge.
#[inline(always)]
fn fold(rest: [f32; 4], p: [Vec3; 4], w: [f32; 4], multiplier: f32, rate: f32) -> (f32, [Vec3; 4]) {
    use core::f32::consts::PI;
    let none = (0.0, [Vec3::ZERO; 4]);
    if rest[3] < 0.0 {
        return none;
    }
    let Some(bend) = bend(p) else {
        return none;
    };
    let c = bend.angle - rest[1];
    // Wraps the difference to the range from -pi to pi.
    let c = if c > PI {
        c - 2.0 * PI
    } else if c < -PI {
        c + 2.0 * PI
    } else {
        c
    };
    let g = bend.gradients();
    let weight = w[0] * g[0].dot(g[0])
        + w[1] * g[1].dot(g[1])
        + w[2] * g[2].dot(g[2])
        + w[3] * g[3].dot(g[3]);
    let by = change(c, weight, rest[3] * rate, multiplier);
    (by, g.map(|g| g * by))
}

/// Reads a value of each vertex of a hinge; `missing` stands for a missing one.
#[inline(always)]
fn each<T: Copy>(ids: [u32; 4], missing: T, get: impl Fn(u32) -> T) -> [T; 4] {
    let at = |v: u32| if v == MISSING { missing } else { get(v) };
    [get(ids[0]), get(ids[1]), at(ids[2]), at(ids[3])]
}

/// Returns `true` if a hinge has both faces.
#[inline(always)]
fn bends(ids: [u32; 4]) -> bool {
    ids[2] != MISSING && ids[3] != MISSING
}

kernel! {
    /// Sets the rest lengths and angles to the current ones; compliances are kept.
    pub struct ClothRest: Patch {
        /// Positions at rest.
        pub x: Staged<Vertex, Vec3>,
        /// Offsets of hinges, as in [`Hinges`].
        pub starts: Global<u32>,
        /// Local vertices, as in [`Hinges`].
        pub vertices: Global<u16>,
        /// Rest values, as in [`Hinges`].
        pub rest: GlobalMut<[f32; 4]>,
    }
}

// SAFETY: a patch writes what it owns, in phases separated by barriers; ids and sections are the mesh's (contracts U1
// to U4).
unsafe impl PatchKernel for ClothRest {
    type Tables = ();

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) {
        Fields::carve(self, h, plan);
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, (): &()) {
        b.phase(|p| self.load(p, patch));
        let (first, base) = (self.starts.get(patch.id()), patch.base::<Edge>());
        let hinges = Hinges {
            starts: self.starts,
            vertices: self.vertices,
            rest: self.rest.read(),
        };
        b.last_phase(|p| {
            p.each(patch.owned::<Edge>(), |e| {
                let ids = hinges.of(first, e);
                let x = each(ids, Vec3::ZERO, |v| self.x.at(v));
                let (d, old) = (x[1] - x[0], self.rest.get(base + e));
                let angle = match bend(x) {
                    Some(bend) if bends(ids) => bend.angle,
                    _ => 0.0,
                };
                self.rest
                    .set(base + e, [sqrt(d.dot(d)), angle, old[2], old[3]]);
            });
        });
    }
}

kernel! {
    /// Runs a Jacobi iteration: each edge's owner solves its constraints once and stores the displacements in shared
    /// memory, where each vertex adds up its own, always in the same order. Displacements of vertices of other patches
    /// are stored as parts, which [`AddParts`](rxmesh_kernels::volume::distribute::AddParts) adds in the order of the
    /// patches.
    pub struct XpbdCloth: Patch {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
        /// Inverse masses, and inverse masses times the number of the vertex's constraints, for denominators.
        pub weights: Staged<Vertex, Vec2>,
        /// Hinges.
        pub hinges: Hinges,
        /// Multipliers of each edge's constraints.
        pub multipliers: GlobalMut<[f32; 2]>,
        /// Offset of each patch's table of slots in `slots`: the end of each local vertex's row, then the rows. A slot
        /// is an owned edge times four plus the vertex's index in its hinge.
        pub slots_starts: Global<u32>,
        /// Tables of slots.
        pub slots: Global<u16>,
        /// New positions, word by word, without the contributions of other patches.
        pub y: GlobalMut<f32>,
        /// Contributions to ribbon vertices, word by word.
        pub parts: GlobalMut<f32>,
        /// Offset of each patch's parts in `parts`, in vertices.
        pub places: Global<u32>,
        /// One over the squared time step, in 1/s^2.
        pub rate: f32,
        /// Factor of the changes of multipliers and positions.
        pub relaxation: f32,
    }
}

// SAFETY: a patch writes what it owns, and its parts, in phases separated by barriers; slots and ids are the mesh's
// (contracts U1 to U4).
unsafe impl PatchKernel for XpbdCloth {
    const THREADS: u32 = 192;
    /// Four vectors per owned edge.
    type Tables = Shared<Vec3>;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Shared<Vec3> {
        Fields::carve(self, h, plan);
        plan.take(4 * u32::from(h.owned[1]))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, &moves: &Shared<Vec3>) {
        b.phase(|p| self.load(p, patch));
        let first = self.hinges.starts.get(patch.id());
        b.phase(|p| {
            let base = patch.base::<Edge>();
            let load = |e| Hinge {
                ids: self.hinges.of(first, e),
                rest: self.hinges.rest.get(base + e),
                old: self.multipliers.get(base + e),
            };
            p.each_ahead(patch.owned::<Edge>(), load, |e, hinge| {
                self.solve(moves, base, e, hinge);
            });
        });
        let (owned, total) = (patch.owned::<Vertex>(), patch.total::<Vertex>());
        let ends = self.slots.from(self.slots_starts.get(patch.id()));
        let rows = ClothSlots {
            ends,
            slots: ends.from(total),
            moves: moves.cast(),
        };
        let y = self.y.from(3 * patch.base::<Vertex>());
        let parts = self.parts.from(3 * self.places.get(patch.id()));
        // Separate loops: a single one would select an address for every store.
        b.last_phase(|p| {
            p.each(3 * owned, |k| {
                let x = self.x.at(k / 3);
                let x = match k % 3 {
                    0 => x.x,
                    1 => x.y,
                    _ => x.z,
                };
                y.set(k, x + rows.sum(k));
            });
            p.each(3 * (total - owned), |k| {
                parts.set(k, rows.sum(3 * owned + k))
            });
        });
    }
}

/// Loaded data of an owned edge.
#[derive(Clone, Copy)]
struct Hinge {
    ids: [u32; 4],
    rest: [f32; 4],
    /// Multipliers of its constraints.
    old: [f32; 2],
}

impl XpbdCloth {
    /// Solves the constraints of an owned edge.
    #[inline(always)]
    fn solve(&self, moves: Shared<Vec3>, base: u32, e: u32, hinge: Hinge) {
        let Hinge { ids, rest, old } = hinge;
        let p = each(ids, Vec3::ZERO, |v| self.x.at(v));
        let weights = each(ids, Vec2::ZERO, |v| self.weights.at(v));
        let (w, by) = (weights.map(|w| w.y), self.relaxation);
        let (l, n) = stretch(rest, p, w, old[0], self.rate);
        let (a, g) = if bends(ids) {
            fold(rest, p, w, old[1], self.rate)
        } else {
            (0.0, [Vec3::ZERO; 4])
        };
        self.multipliers
            .set(base + e, [old[0] + by * l, old[1] + by * a]);
        let put = |k: u32, v: Vec3, w: Vec2| moves.set(4 * e + k, v * (by * w.x));
        put(0, g[0] - n, weights[0]);
        put(1, g[1] + n, weights[1]);
        put(2, g[2], weights[2]);
        put(3, g[3], weights[3]);
    }
}

/// Slots of a patch's vertices, and their values.
#[derive(Clone, Copy)]
struct ClothSlots {
    ends: Global<u16>,
    slots: Global<u16>,
    moves: Shared<f32>,
}

impl ClothSlots {
    /// Sums component `k % 3` of the values in the slots of vertex `k / 3`.
    #[inline(always)]
    fn sum(self, k: u32) -> f32 {
        let (v, c) = (k / 3, k % 3);
        let first = if v == 0 {
            0
        } else {
            u32::from(self.ends.get(v - 1))
        };
        let (end, mut sum) = (u32::from(self.ends.get(v)), 0.0);
        let load = |at| self.moves.get(3 * u32::from(self.slots.get(at)) + c);
        each_of::<4, _>(first, end, load, |value| sum += value);
        sum
    }
}

kernel! {
    /// Runs a Gauss-Seidel iteration over the patches of one colour: their edges, colour by colour, in shared memory.
    /// Patches of one colour have no vertex in common, nor do hinges of one colour.
    pub struct XpbdClothSweep: Patch {
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Inverse masses.
        pub inverse_mass: Global<f32>,
        /// Hinges.
        pub hinges: Hinges,
        /// Multipliers of each edge's constraints.
        pub multipliers: GlobalMut<[f32; 2]>,
        /// Colour of each patch.
        pub colours: Global<u32>,
        /// Colour to process.
        pub colour: u32,
        /// Owned edges of each patch by colour.
        pub turns: Turns,
        /// One over the squared time step, in 1/s^2.
        pub rate: f32,
    }
}

// SAFETY: patches of one colour have no vertex in common in what they load and store, nor do hinges of one colour;
// phases are separated by barriers; ids and sections are the mesh's (contracts U1 to U4).
unsafe impl PatchKernel for XpbdClothSweep {
    const THREADS: u32 = 64;
    type Tables = (Shared<Vec3>, Shared<f32>);

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Self::Tables {
        let n = u32::from(h.total[0]);
        (plan.take(n), plan.take(n))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, &(x, w): &Self::Tables) {
        if self.colours.get(patch.id()) != self.colour {
            return;
        }
        let (n, map, lists) = (
            patch.total::<Vertex>(),
            patch.map::<Vertex>(),
            self.turns.of(patch),
        );
        b.each(n, |v| {
            let from = map.linear(v);
            x.set(v, self.x.get(from));
            w.set(v, self.inverse_mass.get(from));
        });
        let start = self.hinges.starts.get(patch.id());
        let mut colour = 0;
        while colour < lists.colours {
            let (first, end) = lists.range(colour);
            b.each(end - first, |i| {
                self.turn(patch, (x, w), start, lists.item(first + i))
            });
            colour += 1;
        }
        b.last_phase(|p| p.each(n, |v| self.x.set(map.linear(v), x.get(v))));
    }
}

impl XpbdClothSweep {
    /// Solves the length of an edge, then its angle.
    #[inline(always)]
    fn turn(&self, patch: &Patch, (x, w): (Shared<Vec3>, Shared<f32>), start: u32, e: u32) {
        let (ids, linear) = (self.hinges.of(start, e), patch.base::<Edge>() + e);
        let (rest, old) = (self.hinges.rest.get(linear), self.multipliers.get(linear));
        let mut p = each(ids, Vec3::ZERO, |v| x.get(v));
        let weights = each(ids, 0.0, |v| w.get(v));
        let (l, n) = stretch(rest, p, weights, old[0], self.rate);
        p[0] -= n * weights[0];
        p[1] += n * weights[1];
        let mut a = 0.0;
        if bends(ids) {
            let (by, g) = fold(rest, p, weights, old[1], self.rate);
            a = by;
            p[0] += g[0] * weights[0];
            p[1] += g[1] * weights[1];
            x.set(ids[2], p[2] + g[2] * weights[2]);
            x.set(ids[3], p[3] + g[3] * weights[3]);
        }
        x.set(ids[0], p[0]);
        x.set(ids[1], p[1]);
        self.multipliers.set(linear, [old[0] + l, old[1] + a]);
    }
}
