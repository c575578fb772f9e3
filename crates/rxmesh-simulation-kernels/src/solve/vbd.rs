//! Vertex block descent (Chen et al., "Vertex Block Descent", 2024): each vertex in turn moves to the minimum of the
//! energy's second-order model in its three coordinates.
//!
//! The energy is that of implicit Euler with stable neo-Hookean cells (Macklin and Mueller 2021), `V (mu / 2 (|F|^2 -
//! 3) - mu (J - 1) + k / 2 (J - 1)^2)` with `J = det F` and `k = lambda + mu`, which gives small strains the stress of
//! Hooke's law. `J` is linear in each vertex, so that the Hessian of a vertex is `m / dt^2 + sum V (mu |g|^2 + k c
//! c^T)`: positive definite without projection, for any cell.

use crate::colour::{ColourLists, Turns};
use crate::contact::Contacts;
use crate::material::{Lame, Materials};
use crate::solve::shape::RestShape;
use rxmesh_kernels::Vec3;
use rxmesh_kernels::attr::Field;
use rxmesh_kernels::exec::Block;
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::PatchKernel;
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};
use rxmesh_kernels::query::{Prepared, PreparedTable, VC};
use rxmesh_kernels::topo::{Cell, Kind, Map, Needs, Patch, PatchHeader, Vertex};

kernel_list! {
    patch vbd_vertices: VbdVertices;
    patch vbd_patches: VbdPatches;
}

/// Number of threads that share the cells of a vertex.
const LANES: u32 = 8;
/// Number of vertices at a time.
const CHUNK: u32 = 32;
/// Number of values that a lane adds up: the force and the Hessian.
const NUMBERS: u32 = 9;

rxmesh_kernels::args! {
    /// Data of a body for both kernels.
    pub struct VbdBody {
        /// Positions at rest.
        pub rest: Global<Vec3>,
        /// Positions of vertices without forces between them.
        pub target: Global<Vec3>,
        /// Positions before the step.
        pub before: Global<Vec3>,
        /// Solids that bodies touch.
        pub contacts: Contacts,
        /// Masses, in kg.
        pub mass: Global<f32>,
        /// Inverse masses; zero where a vertex is pinned.
        pub inverse_mass: Global<f32>,
        /// Materials of the cells.
        pub materials: Materials,
        /// Cells of vertices.
        pub vc: Prepared<VC>,
        /// Vertices of each patch by colour: no two of one colour share a cell.
        pub turns: Turns,
        /// One over the squared time step, in 1/s^2.
        pub rate: f32,
        /// Time step, in s.
        pub dt: f32,
    }
}

// SAFETY: no prologue and no epilogue.
unsafe impl Field for VbdBody {}

/// Sums of the lanes of a chunk of vertices, in shared memory: value `k` of lane `i` is at `k * CHUNK * LANES + i`.
#[derive(Clone, Copy)]
pub struct VbdSums(Shared<f32>);

impl VbdSums {
    #[inline(always)]
    fn carve(plan: &mut Plan) -> VbdSums {
        VbdSums(plan.take(NUMBERS * CHUNK * LANES))
    }

    /// Stores value `k` of a lane.
    #[inline(always)]
    fn put(&self, lane: u32, k: u32, value: f32) {
        self.0.set(k * (CHUNK * LANES) + lane, value);
    }

    /// Returns the sum of value `k` over the lanes of a vertex.
    #[inline(always)]
    fn total(&self, vertex: u32, k: u32) -> f32 {
        let first = k * (CHUNK * LANES) + LANES * vertex;
        let (mut lane, mut sum) = (0, 0.0);
        while lane < LANES {
            sum += self.0.get(first + lane);
            lane += 1;
        }
        sum
    }
}

/// Access to the positions of a patch's vertices.
trait PatchPositions: Copy {
    /// Returns the position of a local vertex.
    fn x(self, v: u32) -> Vec3;
    /// Returns its position at rest.
    fn rest(self, v: u32) -> Vec3;
    /// Sets its position.
    fn put(self, v: u32, x: Vec3);
}

/// Positions in shared memory.
#[derive(Clone, Copy)]
pub struct Here {
    x: Shared<Vec3>,
    rest: Shared<Vec3>,
}

impl PatchPositions for Here {
    #[inline(always)]
    fn x(self, v: u32) -> Vec3 {
        self.x.get(v)
    }
    #[inline(always)]
    fn rest(self, v: u32) -> Vec3 {
        self.rest.get(v)
    }
    #[inline(always)]
    fn put(self, v: u32, x: Vec3) {
        self.x.set(v, x);
    }
}

/// Positions in global memory.
#[derive(Clone, Copy)]
struct There {
    x: GlobalMut<Vec3>,
    rest: Global<Vec3>,
    map: Map<Vertex>,
}

impl PatchPositions for There {
    #[inline(always)]
    fn x(self, v: u32) -> Vec3 {
        self.x.get(self.map.linear(v))
    }
    #[inline(always)]
    fn rest(self, v: u32) -> Vec3 {
        self.rest.get(self.map.linear(v))
    }
    #[inline(always)]
    fn put(self, v: u32, x: Vec3) {
        self.x.set(self.map.linear(v), x);
    }
}

/// Force on a vertex and its Hessian (xx, xy, xz, yy, yz, zz).
#[derive(Clone, Copy)]
struct ForceHessian {
    force: Vec3,
    hessian: [f32; 6],
}

impl ForceHessian {
    /// Adds the contribution of a cell to its corner with the gradient `g`.
    #[inline(always)]
    fn add(&mut self, (shape, lame): (RestShape, Lame), x: [Vec3; 4], g: Vec3) {
        let f = shape.deformation(x);
        let cof = f.cofactors();
        let (grown, c) = (f.x.dot(cof.x) - 1.0, cof.times(g));
        let (mu, lambda) = (
            lame.mu * shape.volume,
            (lame.mu + lame.lambda) * shape.volume,
        );
        self.force -= f.times(g) * mu + c * (lambda * grown - mu);
        let (d, s) = (mu * g.dot(g), c * lambda);
        let h = &mut self.hessian;
        h[0] += s.x * c.x + d;
        h[1] += s.x * c.y;
        h[2] += s.x * c.z;
        h[3] += s.y * c.y + d;
        h[4] += s.y * c.z;
        h[5] += s.z * c.z + d;
    }

    /// Solves the Hessian for the force; returns zero if the Hessian is not positive definite.
    #[inline(always)]
    fn solve(&self) -> Vec3 {
        let [a, b, c, d, e, f] = self.hessian;
        let r = self.force;
        if a.is_nan() || a <= 0.0 {
            return Vec3::ZERO;
        }
        let (l1, l2) = (b / a, c / a);
        let (d1, e1) = (d - l1 * b, e - l1 * c);
        if d1.is_nan() || d1 <= 0.0 {
            return Vec3::ZERO;
        }
        let l3 = e1 / d1;
        let d2 = f - l2 * c - l3 * e1;
        if d2.is_nan() || d2 <= 0.0 {
            return Vec3::ZERO;
        }
        let y = r.y - l1 * r.x;
        let z = (r.z - l2 * r.x - l3 * y) / d2;
        let y = y / d1 - l3 * z;
        Vec3::new(r.x / a - l1 * y - l2 * z, y, z)
    }
}

impl VbdBody {
    /// Moves the vertices of one colour.
    #[inline(always)]
    fn descend<B: Block>(
        &self,
        b: B,
        patch: &Patch,
        (t, points): (VbdSums, impl PatchPositions),
        lists: ColourLists,
        colour: u32,
    ) {
        let (mut first, end) = lists.range(colour);
        let (vc, cells) = (self.vc.table(patch), patch.map::<Cell>());
        while first < end {
            let left = end - first;
            let n = if left < CHUNK { left } else { CHUNK };
            b.each(n * LANES, |i| {
                let v = lists.item(first + i / LANES);
                let sum = self.around(patch, points, (vc, cells), v, i % LANES);
                let [xx, xy, xz, yy, yz, zz] = sum.hessian;
                t.put(i, 0, sum.force.x);
                t.put(i, 1, sum.force.y);
                t.put(i, 2, sum.force.z);
                t.put(i, 3, xx);
                t.put(i, 4, xy);
                t.put(i, 5, xz);
                t.put(i, 6, yy);
                t.put(i, 7, yz);
                t.put(i, 8, zz);
            });
            b.each(n, |i| {
                let v = lists.item(first + i);
                let linear = patch.base::<Vertex>() + v;
                if self.inverse_mass.get(linear) > 0.0 {
                    let (x, mass) = (points.x(v), self.mass.get(linear));
                    let (inertia, start) = (mass * self.rate, self.before.get(linear));
                    let touch = self.contacts.touch(start, x - start, self.dt);
                    let pull = (self.target.get(linear) - x) * inertia + touch.force * mass;
                    // `touch.hessian` has the order xx, yy, zz, xy, xz, yz.
                    let h = touch.hessian;
                    let sum = ForceHessian {
                        force: Vec3::new(t.total(i, 0), t.total(i, 1), t.total(i, 2)) + pull,
                        hessian: [
                            t.total(i, 3) + inertia + h[0] * mass,
                            t.total(i, 4) + h[3] * mass,
                            t.total(i, 5) + h[4] * mass,
                            t.total(i, 6) + inertia + h[1] * mass,
                            t.total(i, 7) + h[5] * mass,
                            t.total(i, 8) + inertia + h[2] * mass,
                        ],
                    };
                    points.put(v, x + sum.solve());
                }
            });
            first += n;
        }
    }

    /// Sums the contributions of every eighth cell of a vertex, from `lane` on.
    #[inline(always)]
    fn around(
        &self,
        patch: &Patch,
        points: impl PatchPositions,
        (vc, cells): (PreparedTable<VC>, Map<Cell>),
        v: u32,
        lane: u32,
    ) -> ForceHessian {
        let mut sum = ForceHessian {
            force: Vec3::ZERO,
            hessian: [0.0; 6],
        };
        let (lo, hi) = vc.bounds(v);
        let mut at = lo + lane;
        if at >= hi {
            return sum;
        }
        let cell = |at: u32| {
            let c = vc.value(at);
            (c, patch.cell_vertices(c))
        };
        let mut next = cell(at);
        while at < hi {
            let (c, ids) = next;
            // Loaded while the current cell is processed.
            next = cell(if at + LANES < hi { at + LANES } else { at });
            let shape = RestShape::new(ids.map(|k| points.rest(k)));
            // Selects: an array indexed at run time would be in local memory on the device.
            let pick = |k: usize, g: Vec3, or: Vec3| if ids[k] == v { g } else { or };
            let [g1, g2, g3] = shape.g;
            let g = pick(1, g1, pick(2, g2, pick(3, g3, shape.g0())));
            let lame = self.materials.of(cells.linear(c));
            sum.add((shape, lame), ids.map(|k| points.x(k)), g);
            at += LANES;
        }
        sum
    }
}

kernel! {
    /// Moves all vertices of one colour, in global memory: they are too few to stage all positions for them.
    pub struct VbdVertices: Patch {
        /// The body.
        pub body: VbdBody,
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Colour to process.
        pub colour: u32,
    }
}

// SAFETY: a patch writes what it owns; vertices of one colour share no cell, so that no vertex that is written is read
// for another; phases are separated by barriers; ids and sections are the mesh's (contracts U1 to U4).
unsafe impl PatchKernel for VbdVertices {
    const NEEDS: Needs = Needs::CELLS;
    type Tables = VbdSums;

    #[inline(always)]
    fn carve(&mut self, _: &PatchHeader, plan: &mut Plan) -> VbdSums {
        VbdSums::carve(plan)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, &t: &VbdSums) {
        let points = There {
            x: self.x,
            rest: self.body.rest,
            map: patch.map(),
        };
        let lists = self.body.turns.of(patch);
        self.body.descend(b, patch, (t, points), lists, self.colour);
    }
}

kernel! {
    /// Moves the vertices of all patches of one colour, in place: colour by colour in shared memory. No patch of that
    /// colour has a vertex of another one in its ribbon.
    pub struct VbdPatches: Patch {
        /// The body.
        pub body: VbdBody,
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Colour of each patch.
        pub colours: Global<u32>,
        /// Colour to process.
        pub colour: u32,
    }
}

// SAFETY: a patch writes what it owns, and no patch of the same colour reads it; phases are separated by barriers;
// vertices of one colour share no cell; ids and sections are the mesh's (contracts U1 to U4).
unsafe impl PatchKernel for VbdPatches {
    const NEEDS: Needs = Needs::CELLS;
    type Tables = (VbdSums, Here);

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Self::Tables {
        let n = h.total_of(Kind::Vertex);
        let here = Here {
            x: plan.take(n),
            rest: plan.take(n),
        };
        (VbdSums::carve(plan), here)
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, &(t, here): &Self::Tables) {
        if self.colours.get(patch.id()) != self.colour {
            return;
        }
        let map = patch.map::<Vertex>();
        b.each(patch.total::<Vertex>(), |v| {
            let from = map.linear(v);
            here.x.set(v, self.x.get(from));
            here.rest.set(v, self.body.rest.get(from));
        });
        let lists = self.body.turns.of(patch);
        let mut colour = 0;
        while colour < lists.colours {
            self.body.descend(b, patch, (t, here), lists, colour);
            colour += 1;
        }
        let base = patch.base::<Vertex>();
        b.last_phase(|p| {
            p.each(patch.owned::<Vertex>(), |v| {
                self.x.set(base + v, here.x.get(v))
            })
        });
    }
}
