//! Conjugate gradients preconditioned by multigrid: three launches per iteration, and two a level.

use super::matrix::Matrix;
use super::multigrid::Multigrid;
use super::solve::{Method, SolverBuffers, System};
use crate::Error;
use crate::engine::{Buffer, Engine};
use glam::Vec3;
use rxmesh_kernels::algebra::matrix::ROWS;
use rxmesh_kernels::algebra::solve::{SolveDirection, SolveProduct, SolveStep};

/// Iterations before the first read-back.
const FIRST_LOOK: u32 = 8;

pub(super) struct Cycles<'a> {
    engine: Engine,
    multigrid: &'a Multigrid,
    z: Buffer<Vec3>,
    d: Buffer<Vec3>,
    q: Buffer<Vec3>,
}

impl<'a> Cycles<'a> {
    pub(super) fn new(matrix: &Matrix, multigrid: &'a Multigrid) -> Result<Cycles<'a>, Error> {
        let (engine, n) = (matrix.engine(), matrix.rows() as usize);
        Ok(Cycles {
            engine: engine.clone(),
            multigrid,
            z: engine.uninit(n)?,
            d: engine.uninit(n)?,
            q: engine.uninit(n)?,
        })
    }

    fn cycle(&self, system: &System<'_>, work: &SolverBuffers, begin: bool) -> Result<(), Error> {
        let (r, z) = (work.r.global(), self.z.global_mut());
        self.multigrid
            .cycle(system.matrix, r, z, work.sums(), begin)
    }

    fn iterate(&self, system: &System<'_>, work: &SolverBuffers) -> Result<(), Error> {
        let rows = self.d.len() as u32;
        let blocks = rows.div_ceil(ROWS);
        let sums = work.sums();
        let direction = SolveDirection {
            z: self.z.global(),
            d: self.d.global_mut(),
            scalars: sums.scalars.0.read(),
        };
        self.engine.launch_flat(rows, direction)?;
        let product = SolveProduct {
            matrix: system.matrix.view(),
            d: self.d.global(),
            q: self.q.global_mut(),
            sums,
        };
        self.engine.launch_blocks(blocks, product)?;
        let step = SolveStep {
            x: system.x,
            low: work.low.global_mut(),
            r: work.r.global_mut(),
            d: self.d.global(),
            q: self.q.global(),
            sums,
        };
        self.engine.launch_blocks(blocks, step)?;
        self.cycle(system, work, false)
    }
}

impl Method<f32> for Cycles<'_> {
    fn run(&self, system: &System<'_>, work: &SolverBuffers, iterations: u32) -> Result<(), Error> {
        self.cycle(system, work, true)?;
        let mut launched = 0;
        loop {
            let batch = (launched / 2).max(FIRST_LOOK).min(iterations - launched);
            for _ in 0..batch {
                self.iterate(system, work)?;
            }
            launched += batch;
            if launched == iterations || work.progress()?.done {
                return Ok(());
            }
        }
    }
}
