//! Conjugate gradients preconditioned by the diagonal: one launch for all iterations if the engine can hold all blocks
//! at a time, else a launch per step, and two launches per iteration for large systems.

use super::matrix::Matrix;
use super::solve::{Method, SolverBuffers, System};
use crate::Error;
use crate::engine::{Buffer, Engine, EngineError};
use glam::Vec3;
use rxmesh_kernels::algebra::cg::Scalars;
use rxmesh_kernels::algebra::jacobi::{
    ENTRIES, JacobiProduct, JacobiSolve, JacobiStep, SUMMED, steps_of,
};
use rxmesh_kernels::algebra::matrix::{MatrixView, ROWS, Weight};
use rxmesh_kernels::mem::{Global, GlobalMut};

/// Iterations before the first read-back if each has separate launches.
const FIRST_LOOK: u32 = 8;

/// Most iterations of one launch, which cannot be stopped.
const IN_ONE: u32 = 4096;

#[derive(Debug)]
pub(crate) struct Diagonal<W: Weight> {
    engine: Engine,
    /// Empty for no preconditioner.
    inverse: Buffer<W>,
    u: Buffer<Vec3>,
    /// Directions, in turns.
    even: Buffer<Vec3>,
    odd: Buffer<Vec3>,
    q: Buffer<Vec3>,
    partials: Buffer<f64>,
}

impl<W: Weight> Diagonal<W> {
    pub(crate) fn new(matrix: &Matrix<W>, inverse: Buffer<W>) -> Result<Diagonal<W>, Error> {
        let (engine, rows) = (matrix.engine(), matrix.rows());
        let n = rows as usize;
        Ok(Diagonal {
            engine: engine.clone(),
            inverse,
            u: engine.uninit(n)?,
            even: engine.uninit(n)?,
            odd: engine.uninit(n)?,
            q: engine.uninit(n)?,
            partials: engine.uninit(3 * rows.div_ceil(ROWS) as usize)?,
        })
    }

    fn kernel(&self, system: &System<'_, W>, work: &SolverBuffers, in_one: bool) -> JacobiSolve<W> {
        JacobiSolve {
            matrix: system.matrix.view(),
            inverse: self.inverse.global(),
            x: system.x,
            low: work.low.global_mut(),
            r: work.r.global_mut(),
            u: self.u.global_mut(),
            even: self.even.global_mut(),
            odd: self.odd.global_mut(),
            q: self.q.global_mut(),
            partials: self.partials.global_mut(),
            scalars: work.scalars(),
            entries: if in_one { ENTRIES } else { 0 },
        }
    }

    /// Launches two kernels per iteration.
    fn run_large(
        &self,
        blocks: u32,
        system: &System<'_, W>,
        work: &SolverBuffers,
        iterations: u32,
    ) -> Result<(), Error> {
        let sums = work.sums();
        let (mut old, mut new) = (&self.even, &self.odd);
        let step = |direction: &Buffer<Vec3>, begin: u32| JacobiStep {
            inverse: self.inverse.global(),
            x: system.x,
            low: work.low.global_mut(),
            r: work.r.global_mut(),
            u: self.u.global_mut(),
            d: direction.global(),
            q: self.q.global(),
            sums,
            begin,
        };
        self.engine.launch_blocks(blocks, step(new, 1))?;
        let mut launched = 0;
        loop {
            let batch = (launched / 2).max(FIRST_LOOK).min(iterations - launched);
            for _ in 0..batch {
                let product = JacobiProduct {
                    matrix: system.matrix.view(),
                    u: self.u.global(),
                    old: old.global(),
                    new: new.global_mut(),
                    q: self.q.global_mut(),
                    sums,
                };
                self.engine.launch_blocks(blocks, product)?;
                self.engine.launch_blocks(blocks, step(new, 0))?;
                (old, new) = (new, old);
            }
            launched += batch;
            if launched == iterations || work.progress()?.done {
                return Ok(());
            }
        }
    }
}

impl<W: Weight> Method<W> for Diagonal<W> {
    fn run(
        &self,
        system: &System<'_, W>,
        work: &SolverBuffers,
        iterations: u32,
    ) -> Result<(), Error> {
        let rows = self.u.len() as u32;
        let blocks = blocks_of(rows);
        if blocks > SUMMED {
            return self.run_large(blocks, system, work, iterations);
        }
        // The kernel counts steps in 32 bits.
        let iterations = iterations.min(u32::MAX / 2 - 1);
        let in_one = solves_in_one::<W>(&self.engine, rows)?;
        let kernel = self.kernel(system, work, in_one);
        let (mut launched, mut first) = (0, 0);
        loop {
            let batch = if in_one {
                IN_ONE
            } else {
                (launched / 2).max(FIRST_LOOK)
            };
            launched += batch.min(iterations - launched);
            let end = steps_of(launched);
            self.engine.launch_grid(blocks, first..end, kernel)?;
            if launched == iterations || work.progress()?.done {
                return Ok(());
            }
            first = end;
        }
    }
}

/// Returns the number of blocks of a launch.
fn blocks_of(rows: u32) -> u32 {
    rows.div_ceil(ROWS)
}

/// Returns `true` if one launch of an engine solves a system of `rows` rows.
///
/// # Errors
///
/// Any error of the engine.
pub(crate) fn solves_in_one<W: Weight>(engine: &Engine, rows: u32) -> Result<bool, EngineError> {
    let (vector, empty) = (GlobalMut::empty(), Global::empty());
    let matrix = MatrixView::<W> {
        starts: empty,
        ends: empty,
        columns: empty,
        weights: Global::empty(),
        excess: Global::empty(),
    };
    let kernel = JacobiSolve {
        matrix,
        inverse: Global::empty(),
        x: vector,
        low: vector,
        r: vector,
        u: vector,
        even: vector,
        odd: vector,
        q: vector,
        partials: GlobalMut::empty(),
        scalars: Scalars(GlobalMut::empty()),
        entries: ENTRIES,
    };
    let blocks = blocks_of(rows);
    Ok(blocks <= SUMMED && engine.has_room_for_grid(blocks, &kernel)?)
}
