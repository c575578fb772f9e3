//! Neo-Hookean tetrahedra as pairs of constraints (Macklin and Mueller, "A Constraint-based Formulation of Stable
//! Neo-Hookean Materials", 2021): `|F|` with the compliance `1 / (mu V)`, and `det F - (1 + mu / lambda)` with
//! `1 / (lambda V)`, solved at a time.

use crate::colour::Turns;
use crate::material::{Lame, Materials};
use crate::solve::shape::Shape;
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

/// How a cell's two constraints change their multipliers, and what its corners are moved by for an inverse mass of one.
struct Moves {
    multipliers: [f32; 2],
    corners: [Vec3; 4],
}

/// Solves the two constraints of a cell. `w` are inverse masses as they count in the denominators; `rate` is one over the
/// squared time step.
#[inline(always)]
fn solve(
    (shape, lame): (Shape, Lame),
    x: [Vec3; 4],
    w: [f32; 4],
    multipliers: [f32; 2],
    rate: f32,
) -> Moves {
    let none = Moves {
        multipliers: [0.0; 2],
        corners: [Vec3::ZERO; 4],
    };
    let stiff = lame.mu * shape.volume;
    // Flat cells and those without stiffness, and what is no number.
    if !(stiff > 0.0 && lame.lambda > 0.0) {
        return none;
    }
    let f = shape.deformation(x);
    let (norm, cof) = (sqrt(f.squared()), f.cofactors());
    let inverse = if norm > 0.0 { 1.0 / norm } else { 0.0 };
    let d = shape.apply(f.scaled(inverse));
    let h = shape.apply(cof);
    let dot = |a: [Vec3; 4], b: [Vec3; 4]| {
        w[0] * a[0].dot(b[0]) + w[1] * a[1].dot(b[1]) + w[2] * a[2].dot(b[2]) + w[3] * a[3].dot(b[3])
    };
    let soft = [rate / stiff, rate / (lame.lambda * shape.volume)];
    let (a, b, c) = (dot(d, d) + soft[0], dot(d, h), dot(h, h) + soft[1]);
    // The difference from one first: the determinant is near it.
    let volume = (f.x.dot(cof.x) - 1.0) - lame.mu / lame.lambda;
    let (p, q) = (
        -(norm + soft[0] * multipliers[0]),
        -(volume + soft[1] * multipliers[1]),
    );
    // Scaled, so that neither entries nor the determinant leave the range of numbers.
    let (over_a, over_c) = (1.0 / a, 1.0 / c);
    let (u, v) = (b * over_a, b * over_c);
    let det = 1.0 - u * v;
    if !(det > 1e-6) {
        return none;
    }
    let change = [
        (p * over_a - u * (q * over_c)) / det,
        (q * over_c - v * (p * over_a)) / det,
    ];
    let corner = |k: usize| d[k] * change[0] + h[k] * change[1];
    Moves {
        multipliers: change,
        corners: [corner(0), corner(1), corner(2), corner(3)],
    }
}

kernel! {
    /// A Jacobi iteration: each cell solves its constraints and gives its corners what they are to be moved by, in m.
    pub struct XpbdCells: Distribute<CV, 4> {
        /// Positions.
        pub x: Staged<Vertex, Vec3>,
        /// Positions at rest.
        pub rest: Staged<Vertex, Vec3>,
        /// Inverse masses, and as they count in denominators: times the number of the vertex's cells.
        pub weights: Staged<Vertex, Vec2>,
        /// Materials of the cells.
        pub materials: Materials,
        /// Multipliers.
        pub multipliers: Write<Cell, [f32; 2]>,
        /// One over the squared time step, in 1/s^2.
        pub rate: f32,
        /// Scales changes of multipliers and positions.
        pub relaxation: f32,
    }
}

impl Distribute<CV, 4> for XpbdCells {
    type Value = Vec3;
    #[inline(always)]
    fn run(&self, c: Owned<Cell>, corners: Neighbours<CV>) -> [Vec3; 4] {
        let ids = [corners.get(0), corners.get(1), corners.get(2), corners.get(3)];
        let shape = Shape::new(ids.map(|v| self.rest.get(v)));
        let weights = ids.map(|v| self.weights.get(v));
        let old = self.multipliers.get(c);
        let moves = solve(
            (shape, self.materials.of_cell(c)),
            ids.map(|v| self.x.get(v)),
            weights.map(|w| w.y),
            old,
            self.rate,
        );
        let (m, by) = (moves.multipliers, self.relaxation);
        self.multipliers.set(c, [old[0] + by * m[0], old[1] + by * m[1]]);
        let corner = |k: usize| moves.corners[k] * (by * weights[k].x);
        [corner(0), corner(1), corner(2), corner(3)]
    }
}

kernel! {
    /// A Gauss-Seidel iteration over the patches of one colour: their cells, colour by colour, in shared memory. Patches of
    /// one colour share no vertex of their own cells, cells of one colour no vertex.
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
        pub multipliers: GlobalMut<[f32; 2]>,
        /// Colour of each patch.
        pub colours: Global<u32>,
        /// The colour whose turn it is.
        pub colour: u32,
        /// Cells of each patch by colours.
        pub turns: Turns,
        /// One over the squared time step, in 1/s^2.
        pub rate: f32,
    }
}

// SAFETY: patches of one colour have no vertex in common in what they load and store, cells of one colour neither; phases
// are parted by barriers; ids and sections are the mesh's (contracts U1 to U4).
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
        let (n, map, lists) = (patch.near::<Vertex>(), patch.map::<Vertex>(), self.turns.of(patch));
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
                let weights = ids.map(|v| w.get(v));
                let shape = Shape::new(ids.map(|v| rest.get(v)));
                let at = ids.map(|v| x.get(v));
                let old = self.multipliers.get(base + c);
                let lame = self.materials.of(base + c);
                let moves = solve((shape, lame), at, weights, old, self.rate);
                let m = moves.multipliers;
                self.multipliers.set(base + c, [old[0] + m[0], old[1] + m[1]]);
                let moved = |k: usize| x.set(ids[k], at[k] + moves.corners[k] * weights[k]);
                moved(0);
                moved(1);
                moved(2);
                moved(3);
            });
            colour += 1;
        }
        b.last_phase(|p| p.each(n, |v| self.x.set(map.linear(v), x.get(v))));
    }
}
