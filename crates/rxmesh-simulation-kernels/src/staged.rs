//! Positions of a patch's cells in shared memory.

use glam::{DVec3, Vec3};
use rxmesh_kernels::exec::{Block, Phase};
use rxmesh_kernels::mem::{Global, Plan, Shared};
use rxmesh_kernels::topo::{Patch, PatchHeader, Vertex};

rxmesh_kernels::args! {
    /// Current and rest positions of a body, by linear ids of vertices.
    pub struct BodyPositions {
        /// Positions.
        pub x: Global<Vec3>,
        /// Positions at rest.
        pub rest: Global<Vec3>,
        /// Vectors that are added to the positions, `scale` times; empty for none.
        pub add: Global<Vec3>,
        /// Factor of `add`.
        pub scale: f32,
    }
}

/// [`BodyPositions`] of the vertices of a patch's owned cells, in shared memory.
#[derive(Clone, Copy, Debug)]
pub struct Staged {
    x: Shared<Vec3>,
    rest: Shared<Vec3>,
    add: Shared<Vec3>,
}

/// Returns the number of vertices of a patch's owned cells, including all owned vertices.
#[inline(always)]
pub fn near(h: &PatchHeader) -> u32 {
    h.near_of(rxmesh_kernels::topo::Kind::Vertex)
}

impl BodyPositions {
    /// Reserves the shared memory.
    #[inline(always)]
    pub fn carve(&self, h: &PatchHeader, plan: &mut Plan) -> Staged {
        let n = near(h);
        Staged {
            x: plan.take(n),
            rest: plan.take(n),
            add: plan.take(if self.add.is_empty() { 0 } else { n }),
        }
    }

    /// Loads the values, inside a phase.
    #[inline(always)]
    pub fn load<B: Block>(&self, p: Phase<B>, patch: &Patch, to: &Staged) {
        bring(p, patch, self.x, to.x);
        bring(p, patch, self.rest, to.rest);
        if !self.add.is_empty() {
            bring(p, patch, self.add, to.add);
        }
    }

    /// Loads the values as [`BodyPositions::load`], with `add + length * along` in place of `add`, which is not empty.
    #[inline(always)]
    pub fn load_moved<B: Block>(
        &self,
        p: Phase<B>,
        patch: &Patch,
        to: &Staged,
        along: Global<Vec3>,
        length: f32,
    ) {
        bring(p, patch, self.x, to.x);
        bring(p, patch, self.rest, to.rest);
        let map = patch.map::<Vertex>();
        p.each(patch.near::<Vertex>(), |i| {
            let v = map.linear(i);
            to.add.set(i, self.add.get(v) + along.get(v) * length);
        });
    }

    /// Returns the added vector at a local vertex, unscaled.
    #[inline(always)]
    pub fn added(&self, at: &Staged, v: u32) -> Vec3 {
        at.add.get(v)
    }

    /// Returns the edges at rest of a cell from corner 0, and the displacements relative to it.
    #[inline(always)]
    pub fn edges(&self, at: &Staged, v: [u32; 4]) -> ([Vec3; 3], [Vec3; 3]) {
        let get = |s: Shared<Vec3>, k: usize| s.get(v[k]) - s.get(v[0]);
        let rest = [get(at.rest, 1), get(at.rest, 2), get(at.rest, 3)];
        let mut d = [
            get(at.x, 1) - rest[0],
            get(at.x, 2) - rest[1],
            get(at.x, 3) - rest[2],
        ];
        if !self.add.is_empty() {
            d = [
                d[0] + get(at.add, 1) * self.scale,
                d[1] + get(at.add, 2) * self.scale,
                d[2] + get(at.add, 3) * self.scale,
            ];
        }
        (rest, d)
    }
}

impl BodyPositions {
    /// Returns [`BodyPositions::edges`], subtracted in double precision.
    #[inline(always)]
    pub fn edges64(&self, at: &Staged, v: [u32; 4]) -> ([DVec3; 3], [DVec3; 3]) {
        let get = |s: Shared<Vec3>, k: usize| s.get(v[k]).as_dvec3() - s.get(v[0]).as_dvec3();
        let rest = [get(at.rest, 1), get(at.rest, 2), get(at.rest, 3)];
        let mut d = [
            get(at.x, 1) - rest[0],
            get(at.x, 2) - rest[1],
            get(at.x, 3) - rest[2],
        ];
        if !self.add.is_empty() {
            let scale = f64::from(self.scale);
            d = [
                d[0] + get(at.add, 1) * scale,
                d[1] + get(at.add, 2) * scale,
                d[2] + get(at.add, 3) * scale,
            ];
        }
        (rest, d)
    }
}

/// Loads the values of near vertices into shared memory, word by word for owned ones.
#[inline(always)]
pub fn bring<B: Block>(p: Phase<B>, patch: &Patch, from: Global<Vec3>, to: Shared<Vec3>) {
    let (owned, near) = (patch.owned::<Vertex>(), patch.near::<Vertex>());
    let words = from.cast::<f32>().from(3 * patch.base::<Vertex>());
    let here = to.cast::<f32>();
    p.each(3 * owned, |k| here.set(k, words.get(k)));
    let map = patch.map::<Vertex>();
    p.each(near - owned, |i| {
        to.set(owned + i, from.get(map.linear(owned + i)));
    });
}
