//! Cells whose constraint is the deformation gradient: nine numbers, and a matrix of multipliers `L`.
//!
//! `F` is linear in the positions, so that `x = s + sum w L g` holds exactly after any number of iterations, and their
//! limit, `L = -dt^2 V P(F)` with the stress `P`, is the step of implicit Euler for any energy. (The two scalar
//! constraints of Macklin and Mueller 2021, of the same energy, have parallel gradients at rest: all resistance against
//! shear is in the change of these gradients, which iterations from multipliers of zero do not see.)
//!
//! A cell's iteration is a Newton step on `L + dt^2 V P(F + change of L times G) = 0`, where `G = sum w g g^T`, with an
//! upper bound of the energy's Hessian in its deviatoric part and the exact hydrostatic part `lambda cof cof^T`: a 3 by
//! 3 system and a rank-one correction.

use crate::colour::Turns;
use crate::material::{Lame, Materials};
use crate::solve::shape::{ColumnMatrix, RestShape};
use glam::{Vec2, Vec3};
use rxmesh_kernels::attr::{Staged, Write};
use rxmesh_kernels::exec::Block;
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::PatchKernel;
use rxmesh_kernels::math::sqrt;
use rxmesh_kernels::mem::{Global, GlobalMut, Plan, Shared};
use rxmesh_kernels::query::{CV, Neighbours};
use rxmesh_kernels::topo::{Cell, Kind, Needs, Owned, Patch, PatchHeader, Vertex};
use rxmesh_kernels::volume::distribute::Distribute;

kernel_list! {
    distribute xpbd_cells: XpbdCells;
    patch xpbd_cells_sweep: XpbdCellsSweep;
}

/// Input of a cell's iteration: its shape and material, and its corners' positions and inverse masses as used in the
/// denominators.
struct Start {
    shape: RestShape,
    lame: Lame,
    x: [Vec3; 4],
    w: [f32; 4],
}

/// Symmetric matrix: xx, xy, xz, yy, yz, zz.
type Symmetric = [f32; 6];

/// Returns `m` times a symmetric matrix.
#[inline(always)]
fn times(m: ColumnMatrix, [xx, xy, xz, yy, yz, zz]: Symmetric) -> ColumnMatrix {
    ColumnMatrix {
        x: m.x * xx + m.y * xy + m.z * xz,
        y: m.x * xy + m.y * yy + m.z * yz,
        z: m.x * xz + m.y * yz + m.z * zz,
    }
}

/// Returns the sum of products of all entries.
#[inline(always)]
fn dot(a: ColumnMatrix, b: ColumnMatrix) -> f32 {
    a.x.dot(b.x) + a.y.dot(b.y) + a.z.dot(b.z)
}

/// Returns the sum of `w g g^T` over the corners.
#[inline(always)]
fn gram(shape: &RestShape, w: [f32; 4]) -> Symmetric {
    let [a, b, c] = shape.g;
    let (o, [p, q, r, t]) = (shape.g0(), w);
    let entry = |o: f32, a: f32, b: f32, c: f32| p * o + q * a + r * b + t * c;
    [
        entry(o.x * o.x, a.x * a.x, b.x * b.x, c.x * c.x),
        entry(o.x * o.y, a.x * a.y, b.x * b.y, c.x * c.y),
        entry(o.x * o.z, a.x * a.z, b.x * b.z, c.x * c.z),
        entry(o.y * o.y, a.y * a.y, b.y * b.y, c.y * c.y),
        entry(o.y * o.z, a.y * a.z, b.y * b.z, c.y * c.z),
        entry(o.z * o.z, a.z * a.z, b.z * b.z, c.z * c.z),
    ]
}

/// Returns the inverse of `1 + k m` for a positive semidefinite `m`.
#[inline(always)]
fn inverse_of_one_and(k: f32, m: Symmetric) -> Symmetric {
    let [a, b, c, d, e, f] = m.map(|m| m * k);
    let (a, d, f) = (1.0 + a, 1.0 + d, 1.0 + f);
    // By elimination: cofactors of entries of very different size would lose the small ones.
    let ia = 1.0 / a;
    let (l1, l2) = (b * ia, c * ia);
    let (d1, e1) = (d - l1 * b, e - l1 * c);
    let id = 1.0 / d1;
    let l3 = e1 * id;
    let d2 = f - l2 * c - l3 * e1;
    let i2 = 1.0 / d2;
    // The inverse of the lower triangle with ones on its diagonal: (1, 0, 0), (-l1, 1, 0), (n, -l3, 1).
    let n = l1 * l3 - l2;
    [
        ia + l1 * l1 * id + n * n * i2,
        -l1 * id - n * l3 * i2,
        n * i2,
        id + l3 * l3 * i2,
        -l3 * i2,
        i2,
    ]
}

/// Returns the change of a cell's multipliers; `rate` is one over the squared time step.
#[inline(always)]
fn solve(s: &Start, multipliers: ColumnMatrix, rate: f32) -> ColumnMatrix {
    let (mu, bulk) = (s.lame.mu, s.lame.mu + s.lame.lambda);
    let size = s.shape.volume / rate;
    // Flat cells, cells without stiffness, and NaN.
    let stiff = mu * size;
    if stiff.is_nan() || stiff <= 0.0 {
        return multipliers.scaled(0.0);
    }
    let f = s.shape.deformation(s.x);
    let cof = f.cofactors();
    let pressure = bulk * (f.x.dot(cof.x) - 1.0) - mu;
    let stress = f.scaled(mu).minus(cof.scaled(-pressure));
    let left = multipliers.minus(stress.scaled(-size)).scaled(-1.0);
    // The change of the cofactors is at most that of `F` times its norm.
    let most = mu + pressure.abs() * sqrt(f.squared());
    let g = gram(&s.shape, s.w);
    let inverse = inverse_of_one_and(most * size, g);
    let (y, cg, ci) = (times(left, inverse), times(cof, g), times(cof, inverse));
    let k = bulk * size;
    y.minus(ci.scaled(k * dot(cg, y) / (1.0 + k * dot(cg, ci))))
}

/// Returns a matrix as nine words, column by column.
#[inline(always)]
fn words(m: ColumnMatrix) -> [f32; 9] {
    [
        m.x.x, m.x.y, m.x.z, m.y.x, m.y.y, m.y.z, m.z.x, m.z.y, m.z.z,
    ]
}

/// Returns a matrix from its words.
#[inline(always)]
fn matrix([a, b, c, d, e, f, g, h, i]: [f32; 9]) -> ColumnMatrix {
    ColumnMatrix {
        x: Vec3::new(a, b, c),
        y: Vec3::new(d, e, f),
        z: Vec3::new(g, h, i),
    }
}

kernel! {
    /// Runs a Jacobi iteration: each cell solves its constraints and gives its corners their displacements, in m.
    pub struct XpbdCells: Distribute<CV, 4>, threads = 160 {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
        /// Positions at rest.
        pub rest: Staged<Vertex, Vec3>,
        /// Inverse masses, and inverse masses times the number of the vertex's cells, for denominators.
        pub weights: Staged<Vertex, Vec2>,
        /// Materials of the cells.
        pub materials: Materials,
        /// Multipliers.
        pub multipliers: Write<Cell, [f32; 9]>,
        /// One over the squared time step, in 1/s^2.
        pub rate: f32,
        /// Factor of the changes of multipliers and positions.
        pub relaxation: f32,
    }
}

impl Distribute<CV, 4> for XpbdCells {
    type Value = Vec3;
    #[inline(always)]
    fn run(&self, c: Owned<Cell>, corners: Neighbours<CV>) -> [Vec3; 4] {
        let ids = [
            corners.get(0),
            corners.get(1),
            corners.get(2),
            corners.get(3),
        ];
        let weights = ids.map(|v| self.weights.get(v));
        let start = Start {
            shape: RestShape::new(ids.map(|v| self.rest.get(v))),
            lame: self.materials.of_cell(c),
            x: ids.map(|v| self.x.get(v)),
            w: weights.map(|w| w.y),
        };
        let old = matrix(self.multipliers.get(c));
        let change = solve(&start, old, self.rate).scaled(self.relaxation);
        self.multipliers
            .set(c, words(old.minus(change.scaled(-1.0))));
        let [a, b, c, d] = start.shape.apply(change);
        let [p, q, r, s] = weights;
        [a * p.x, b * q.x, c * r.x, d * s.x]
    }
}

kernel! {
    /// Runs a Gauss-Seidel iteration over the patches of one colour: their cells, colour by colour, in shared memory.
    /// Patches of one colour share no vertex of their owned cells, and cells of one colour share no vertex.
    pub struct XpbdCellsSweep: Patch {
        /// Positions.
        pub x: GlobalMut<Vec3>,
        /// Positions at rest.
        pub rest: Global<Vec3>,
        /// Inverse masses.
        pub inverse_mass: Global<f32>,
        /// Materials of the cells.
        pub materials: Materials,
        /// Multipliers.
        pub multipliers: GlobalMut<[f32; 9]>,
        /// Colour of each patch.
        pub colours: Global<u32>,
        /// Colour to process.
        pub colour: u32,
        /// Cells of each patch by colour.
        pub turns: Turns,
        /// One over the squared time step, in 1/s^2.
        pub rate: f32,
    }
}

// SAFETY: patches of one colour have no vertex in common in what they load and store, nor do cells of one colour;
// phases are separated by barriers; ids and sections are the mesh's (contracts U1 to U4).
unsafe impl PatchKernel for XpbdCellsSweep {
    const THREADS: u32 = 64;
    const NEEDS: Needs = Needs::CELLS;
    type Tables = (Shared<Vec3>, Shared<Vec3>, Shared<f32>);

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Self::Tables {
        let n = h.near_of(Kind::Vertex);
        (plan.take(n), plan.take(n), plan.take(n))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, &(x, rest, w): &Self::Tables) {
        if self.colours.get(patch.id()) != self.colour {
            return;
        }
        let (n, map, lists) = (
            patch.near::<Vertex>(),
            patch.map::<Vertex>(),
            self.turns.of(patch),
        );
        b.each(n, |v| {
            let from = map.linear(v);
            x.set(v, self.x.get(from));
            rest.set(v, self.rest.get(from));
            w.set(v, self.inverse_mass.get(from));
        });
        let base = patch.base::<Cell>();
        let mut colour = 0;
        while colour < lists.colours {
            let (first, end) = lists.range(colour);
            b.each(end - first, |i| {
                let c = lists.item(first + i);
                let ids = patch.cell_vertices(c);
                let start = Start {
                    shape: RestShape::new(ids.map(|v| rest.get(v))),
                    lame: self.materials.of(base + c),
                    x: ids.map(|v| x.get(v)),
                    w: ids.map(|v| w.get(v)),
                };
                let old = matrix(self.multipliers.get(base + c));
                let change = solve(&start, old, self.rate);
                let new = words(old.minus(change.scaled(-1.0)));
                self.multipliers.set(base + c, new);
                let (by, at, w) = (start.shape.apply(change), start.x, start.w);
                x.set(ids[0], at[0] + by[0] * w[0]);
                x.set(ids[1], at[1] + by[1] * w[1]);
                x.set(ids[2], at[2] + by[2] * w[2]);
                x.set(ids[3], at[3] + by[3] * w[3]);
            });
            colour += 1;
        }
        b.last_phase(|p| p.each(n, |v| self.x.set(map.linear(v), x.get(v))));
    }
}
