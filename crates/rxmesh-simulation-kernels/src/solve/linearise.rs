//! Forces of cells and their derivatives, once a Newton iteration.
//!
//! The derivatives are kept factored, 30 words a cell: the rotation `U`, the gradients of the shape functions in the
//! frame of `V` (with the root of the volume), and the [`Hessian`] between them. A product with them needs neither
//! singular values nor the shape at rest.

use super::newton::{Newton, Scalar};
use crate::assemble::{Sums, THREADS};
use crate::cells::balanced;
use crate::energy::{Arap, Corotated, Energy, Hessian, Linear, NeoHookean};
use crate::force::{CellTables, NEEDS};
use crate::material::Materials;
use crate::small::{Symmetric, times};
use crate::staged::Places;
use core::marker::PhantomData;
use glam::{Mat3, Vec3};
use rxmesh_kernels::exec::Block;
use rxmesh_kernels::kernel::PatchKernel;
use rxmesh_kernels::math::rsqrt_fast;
use rxmesh_kernels::mem::{Global, GlobalMut, Plan};
use rxmesh_kernels::topo::{Cell, Needs, Patch, PatchHeader};

kernel_list! {
    patch sim_linearise_neo_hookean: Linearise<NeoHookean>;
    patch sim_linearise_corotated: Linearise<Corotated>;
    patch sim_linearise_linear: Linearise<Linear>;
    patch sim_linearise_arap: Linearise<Arap>;
}

/// Words of a cell's derivatives.
pub const WORDS: u32 = 30;

/// Words a vertex that [`Linearise`] sums up: the force, and the symmetric block of the Hessian.
pub const SUMS: usize = 9;

/// Cells whose words lie together, word by word.
const TILE: u32 = 32;

/// Words that the derivatives of so many cells take.
pub const fn words(cells: u32) -> u64 {
    cells.div_ceil(TILE) as u64 * (TILE * WORDS) as u64
}

/// Where a cell's first word lies; the others follow at distances of [`TILE`].
#[inline(always)]
fn place(cell: u32) -> u32 {
    cell / TILE * (TILE * WORDS) + cell % TILE
}

/// The derivatives of a cell's forces.
#[derive(Clone, Copy, Debug)]
pub struct Tangent {
    /// `U`.
    u: Mat3,
    /// Gradients of the shape functions of corners 1 to 3, in the frame of `V`, times the root of the volume.
    w: [Vec3; 3],
    hessian: Hessian,
}

impl Tangent {
    /// Minus the change of the corners' forces (1 to 3) when they move by `d` relative to corner 0.
    #[inline(always)]
    pub fn apply(&self, d: [Vec3; 3]) -> [Vec3; 3] {
        let (u, w) = (self.u, self.w);
        let turn = |d: Vec3| Vec3::new(u.x_axis.dot(d), u.y_axis.dot(d), u.z_axis.dot(d));
        let (a, b, c) = (turn(d[0]), turn(d[1]), turn(d[2]));
        let z = Mat3::from_cols(
            a * w[0].x + b * w[1].x + c * w[2].x,
            a * w[0].y + b * w[1].y + c * w[2].y,
            a * w[0].z + b * w[1].z + c * w[2].z,
        );
        let s = self.hessian.apply(z);
        let back = |w: Vec3| {
            let t = s.x_axis * w.x + s.y_axis * w.y + s.z_axis * w.z;
            u.x_axis * t.x + u.y_axis * t.y + u.z_axis * t.z
        };
        [back(w[0]), back(w[1]), back(w[2])]
    }

    /// The block that couples a corner with itself.
    #[inline(always)]
    fn block(&self, w: Vec3) -> Symmetric {
        let m = self.hessian.block(w);
        let t = self.u.transpose();
        // U M U^T, column by column of U^T.
        let (x, y, z) = (times(m, t.x_axis), times(m, t.y_axis), times(m, t.z_axis));
        [
            t.x_axis.dot(x),
            t.y_axis.dot(y),
            t.z_axis.dot(z),
            t.x_axis.dot(y),
            t.x_axis.dot(z),
            t.y_axis.dot(z),
        ]
    }

    /// Of a cell, from where `Tangent::keep` put it.
    #[inline(always)]
    pub fn of(from: Global<f32>, cell: u32) -> Tangent {
        let from = from.from(place(cell));
        let get = |k: u32| from.get(k * TILE);
        let vector = |k: u32| Vec3::new(get(k), get(k + 1), get(k + 2));
        Tangent {
            u: Mat3::from_cols(vector(0), vector(3), vector(6)),
            w: [vector(9), vector(12), vector(15)],
            hessian: Hessian {
                same: vector(18),
                cross: vector(21),
                diagonal: [get(24), get(25), get(26), get(27), get(28), get(29)],
            },
        }
    }

    #[inline(always)]
    fn keep(&self, to: GlobalMut<f32>, cell: u32) {
        let to = to.from(place(cell));
        let put = |k: u32, v: Vec3| {
            to.set(k * TILE, v.x);
            to.set((k + 1) * TILE, v.y);
            to.set((k + 2) * TILE, v.z);
        };
        put(0, self.u.x_axis);
        put(3, self.u.y_axis);
        put(6, self.u.z_axis);
        put(9, self.w[0]);
        put(12, self.w[1]);
        put(15, self.w[2]);
        put(18, self.hessian.same);
        put(21, self.hessian.cross);
        let [a, b, c, d, e, f] = self.hessian.diagonal;
        put(24, Vec3::new(a, b, c));
        put(27, Vec3::new(d, e, f));
    }
}

rxmesh_kernels::args! {
    /// Forces of all cells, their derivatives, and the blocks of these on the diagonal.
    pub struct Linearise<E> {
        /// Where the body is.
        pub places: Places,
        /// The materials of its cells.
        pub materials: Materials,
        /// Derivatives of each cell ([`words`]).
        pub tangents: GlobalMut<f32>,
        /// [`SUMS`] words a vertex.
        pub to: Sums,
        /// What derivatives are multiplied with: `1 + scale` of places that are moved by so much of their own step.
        pub factor: f32,
        /// The solver's state.
        pub state: Newton,
        /// The energy.
        pub energy: PhantomData<E>,
    }
}

/// The corner's nine words.
#[inline(always)]
fn nine(f: Vec3, m: Symmetric) -> [f32; SUMS] {
    [f.x, f.y, f.z, m[0], m[1], m[2], m[3], m[4], m[5]]
}

// SAFETY: a patch writes the derivatives and sums of what it owns, and its parts, in phases that barriers part; slots
// and ids are the mesh's (contracts U1 to U4).
unsafe impl<E: Energy> PatchKernel for Linearise<E> {
    const THREADS: u32 = THREADS;
    const NEEDS: Needs = NEEDS;
    type Tables = CellTables;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> CellTables {
        CellTables {
            staged: self.places.carve(h, plan),
            tables: Sums::carve::<SUMS>(h, plan),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, t: &CellTables) {
        if self.state.is(Scalar::Stopped) {
            return;
        }
        let base = patch.base::<Cell>();
        b.phase(|p| self.places.load(p, patch, &t.staged));
        let cell = |c: u32, v: [u32; 4]| {
            let at = self.places.edges(&t.staged, v);
            let (forces, tangent) = self.linear(base + c, at);
            tangent.keep(self.tangents, base + c);
            let f = balanced(forces);
            let w = balanced(tangent.w);
            [
                nine(f[0], tangent.block(w[0])),
                nine(f[1], tangent.block(w[1])),
                nine(f[2], tangent.block(w[2])),
                nine(f[3], tangent.block(w[3])),
            ]
        };
        self.to.run(b, patch, &t.tables, cell, |_, sum| sum);
    }
}

impl<E: Energy> Linearise<E> {
    /// A cell's forces and their derivatives.
    #[inline(always)]
    fn linear(&self, cell: u32, (rest, d): ([Vec3; 3], [Vec3; 3])) -> ([Vec3; 3], Tangent) {
        let (shape, material) = (crate::cells::Shape::new(rest), self.materials.of(cell));
        let resists = material.mu > 0.0;
        if !resists {
            let none = Tangent {
                u: Mat3::IDENTITY,
                w: [Vec3::ZERO; 3],
                hessian: Hessian {
                    diagonal: [0.0; 6],
                    same: Vec3::ZERO,
                    cross: Vec3::ZERO,
                },
            };
            return ([Vec3::ZERO; 3], none);
        }
        let gradient = shape.gradient(d);
        let (f, h) = E::hessian(material, gradient);
        let (v, k) = (f.v, shape.cofactors);
        let root = rsqrt_fast(6.0 * shape.six);
        let turn = |g: Vec3| Vec3::new(v.x_axis.dot(g), v.y_axis.dot(g), v.z_axis.dot(g)) * root;
        let tangent = Tangent {
            u: f.u,
            w: [turn(k.x_axis), turn(k.y_axis), turn(k.z_axis)],
            hessian: Hessian {
                diagonal: h.diagonal.map(|x| x * self.factor),
                same: h.same * self.factor,
                cross: h.cross * self.factor,
            },
        };
        (shape.forces(E::stress(material, gradient)), tangent)
    }
}
