//! Conjugate gradients of mean curvature flow over directed edges, and their bilateral filter.

use anyhow::{Result, ensure};
use glam::Vec3;
use rxmesh_bench_kernels::filter::{BALLS, DirectedBall, DirectedBalls, LargeBalls};
use rxmesh_bench_kernels::flow::{FLOW_VERTICES, FlowDirection, FlowProduct};
use rxmesh_bench_kernels::normals::DirectedNormals;
use rxmesh_host::engine::{Buffer, Engine};
use rxmesh_kernels::algebra::cg::{CgStep, CgSums, SCALARS, STEP_WORDS, Scalar, Scalars};
use rxmesh_kernels::algo::corners::corner_weights;
use rxmesh_kernels::mem::{Global, GlobalMut};

use super::layout::HalfEdgeArrays;

/// Way to the new direction of an iteration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NewDirection {
    /// A launch of its own, so that the product reads one vector at neighbours.
    Apart,
    /// By the product, which reads residual and old direction at neighbours: a launch less.
    InProduct,
}

/// Solver of one implicit step, as [`rxmesh_host::algo::mcf::McfIterations`] without a matrix and preconditioner.
pub(crate) struct DirectedFlow<'a, L> {
    engine: &'a Engine,
    layout: &'a L,
    way: NewDirection,
    x0: Buffer<Vec3>,
    mass: Buffer<f32>,
    x: Buffer<Vec3>,
    r: Buffer<Vec3>,
    /// Direction; with [`NewDirection::InProduct`] the old and the new one in turns.
    directions: [Buffer<Vec3>; 2],
    q: Buffer<Vec3>,
    partials: Buffer<f64>,
    step_partials: Buffer<f64>,
    arrived: Buffer<u32>,
    scalars: Buffer<f64>,
    dt: f32,
}

impl<'a, L: HalfEdgeArrays> DirectedFlow<'a, L> {
    /// Sets up the system: areas on the host, first residual on the engine.
    pub(crate) fn new(
        engine: &'a Engine,
        layout: &'a L,
        way: NewDirection,
        positions: &[Vec3],
        faces: &[[u32; 3]],
        dt: f64,
    ) -> Result<Self> {
        let n = positions.len();
        let step_blocks = (3 * n).div_ceil(STEP_WORDS as usize);
        let mut scalars = [0.0; SCALARS];
        // Never reached: iterations are timed.
        scalars[Scalar::Tolerance2 as usize] = 1e-60;
        let flow = Self {
            engine,
            layout,
            way,
            x0: engine.upload(positions)?,
            mass: engine.upload(&masses(positions, faces))?,
            x: engine.upload(positions)?,
            r: engine.zeroed(n)?,
            directions: [engine.zeroed(n)?, engine.zeroed(n)?],
            q: engine.zeroed(n)?,
            partials: engine.zeroed(2 * n.div_ceil(FLOW_VERTICES as usize))?,
            step_partials: engine.zeroed(2 * step_blocks)?,
            arrived: engine.zeroed(2)?,
            scalars: engine.upload(&scalars)?,
            dt: dt as f32,
        };
        let start = FlowProduct {
            d: flow.x0.global(),
            q: flow.r.global_mut(),
            start: 1,
            ..flow.product()
        };
        flow.multiply(start)?;
        Ok(flow)
    }

    fn sums(&self) -> CgSums {
        CgSums {
            partials: self.partials.global_mut(),
            arrived: self.arrived.global_mut(),
            scalars: Scalars(self.scalars.global_mut()),
        }
    }

    /// Returns the product's arguments for the direction in the first array.
    fn product(&self) -> FlowProduct<L::View> {
        FlowProduct {
            mesh: self.layout.view(),
            x0: self.x0.global(),
            mass: self.mass.global(),
            d: self.directions[0].global(),
            old: Global::empty(),
            new: GlobalMut::empty(),
            q: self.q.global_mut(),
            sums: self.sums(),
            dt: self.dt,
            start: 0,
        }
    }

    fn multiply(&self, kernel: FlowProduct<L::View>) -> Result<()> {
        let blocks = (self.x0.len() as u32).div_ceil(FLOW_VERTICES);
        // SAFETY: vectors of one length, the mesh's number of vertices; two sums a block (contracts U3, U4).
        unsafe { self.engine.run_blocks(blocks, kernel)? };
        Ok(())
    }

    /// Launches one iteration.
    pub(crate) fn iterate(&mut self) -> Result<()> {
        let words = 3 * self.x0.len() as u32;
        let [first, second] = &self.directions;
        let direction = match self.way {
            NewDirection::Apart => {
                let kernel = FlowDirection {
                    r: self.r.global().cast(),
                    d: first.global_mut().cast(),
                    scalars: Scalars(self.scalars.global_mut()),
                };
                // SAFETY: vectors of one length, four words an index (contracts U3, U4).
                unsafe { self.engine.run_flat(words.div_ceil(4), kernel)? };
                self.multiply(self.product())?;
                first.global()
            }
            NewDirection::InProduct => {
                self.multiply(FlowProduct {
                    d: self.r.global(),
                    old: first.global(),
                    new: second.global_mut(),
                    ..self.product()
                })?;
                second.global()
            }
        };
        let step = CgStep {
            x: self.x.global_mut(),
            r: self.r.global_mut(),
            d: direction,
            q: self.q.global(),
            inverse: Global::empty(),
            sums: CgSums {
                partials: self.step_partials.global_mut(),
                ..self.sums()
            },
        };
        let blocks = self.step_partials.len() as u32 / 2;
        // SAFETY: vectors of one length, two sums a block (contracts U3, U4).
        unsafe { self.engine.run_blocks(blocks, step)? };
        if self.way == NewDirection::InProduct {
            self.directions.swap(0, 1);
        }
        Ok(())
    }

    /// Returns the iterations done and the relative residual.
    pub(crate) fn progress(&self) -> Result<(u32, f64)> {
        let s = self.scalars.read()?;
        let [norm, first] = [Scalar::Norm, Scalar::Norm0].map(|i| s[i as usize]);
        Ok((s[Scalar::Iterations as usize] as u32, (norm / first).sqrt()))
    }

    #[cfg(test)]
    pub(crate) fn solution(&self) -> Result<Vec<Vec3>> {
        Ok(self.x.read()?)
    }
}

/// Returns two times the mixed Voronoi area of each vertex.
fn masses(positions: &[Vec3], faces: &[[u32; 3]]) -> Vec<f32> {
    let mut masses = vec![0.0; positions.len()];
    for face in faces {
        let [x, y, z] = face.map(|v| positions[v as usize]);
        let (_, areas) = corner_weights(x, y, z);
        for (&v, area) in face.iter().zip(areas.to_array()) {
            masses[v as usize] += 2.0 * area;
        }
    }
    masses
}

/// Bilateral filter with balls by the shortest edge.
pub(crate) struct DirectedFilter<'a, L> {
    engine: &'a Engine,
    layout: &'a L,
    start: Vec<Vec3>,
    x: Buffer<Vec3>,
    y: Buffer<Vec3>,
    normal: Buffer<Vec3>,
    large: Buffer<u32>,
    /// Number of large balls of the last iteration.
    pub(crate) large_balls: u32,
}

/// Most vertices of a large ball.
const LARGE: u32 = 1 << 14;
/// Most large balls of one launch.
const BATCH: u32 = 1 << 10;

impl<'a, L: HalfEdgeArrays> DirectedFilter<'a, L> {
    pub(crate) fn new(engine: &'a Engine, layout: &'a L, positions: &[Vec3]) -> Result<Self> {
        let n = positions.len();
        Ok(Self {
            engine,
            layout,
            start: positions.to_vec(),
            x: engine.upload(positions)?,
            y: engine.zeroed(n)?,
            normal: engine.zeroed(n)?,
            large: engine.zeroed(1 + n)?,
            large_balls: 0,
        })
    }

    /// Takes the positions back to those of the start.
    pub(crate) fn reset(&mut self) -> Result<()> {
        Ok(self.x.write(&self.start)?)
    }

    /// Computes the normals of the present positions.
    pub(crate) fn compute_normals(&self) -> Result<()> {
        let kernel = DirectedNormals {
            mesh: self.layout.view(),
            x: self.x.global(),
            n: self.normal.global_mut(),
        };
        // SAFETY: arrays of one mesh (contracts U3, U4).
        unsafe { self.engine.run_flat(self.x.len() as u32, kernel)? };
        Ok(())
    }

    fn ball(&self, large: &Buffer<u32>) -> DirectedBall<L::View> {
        DirectedBall {
            mesh: self.layout.view(),
            x: self.x.global(),
            normal: self.normal.global(),
            y: self.y.global_mut(),
            large: large.global_mut(),
        }
    }

    /// Runs one iteration.
    pub(crate) fn iterate(&mut self) -> Result<()> {
        self.compute_normals()?;
        let n = self.x.len() as u32;
        let balls = DirectedBalls {
            ball: self.ball(&self.large),
            n,
        };
        // SAFETY: arrays of one mesh; as many vertices as blocks take (contracts U3, U4).
        unsafe { self.engine.run_blocks(n.div_ceil(BALLS), balls)? };
        self.large_balls = self.large.read_range(0, 1)?[0];
        if self.large_balls > 0 {
            let fresh = self.engine.zeroed(1 + n as usize)?;
            let pending = std::mem::replace(&mut self.large, fresh);
            self.do_large(&pending)?;
        }
        std::mem::swap(&mut self.x, &mut self.y);
        Ok(())
    }

    /// Does the balls that did not fit shared memory.
    fn do_large(&self, pending: &Buffer<u32>) -> Result<()> {
        let capacity = LARGE.min(self.x.len() as u32);
        let batch = BATCH.min(self.large_balls);
        let lists = self.engine.zeroed(batch as usize * capacity as usize)?;
        let left = self.engine.zeroed(1 + self.large_balls as usize)?;
        for first in (0..self.large_balls).step_by(batch as usize) {
            let kernel = LargeBalls {
                ball: self.ball(&left),
                vertices: pending.global().from(1 + first),
                lists: lists.global_mut(),
                capacity,
            };
            let n = batch.min(self.large_balls - first);
            // SAFETY: a list for each of the vertices (contracts U3, U4).
            unsafe { self.engine.run_flat(n, kernel)? };
        }
        let count = left.read_range(0, 1)?[0];
        ensure!(
            count == 0,
            "{count} balls have more than {capacity} vertices"
        );
        Ok(())
    }

    pub(crate) fn positions(&self) -> Result<Vec<Vec3>> {
        Ok(self.x.read()?)
    }

    pub(crate) fn normals(&self) -> Result<Vec<Vec3>> {
        Ok(self.normal.read()?)
    }
}
