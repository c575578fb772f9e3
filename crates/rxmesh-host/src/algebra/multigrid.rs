//! Multigrid by aggregation.

use super::matrix::{Matrix, MatrixArrays};
use crate::Error;
use crate::engine::Buffer;
use crate::parallel::scan;
use glam::Vec3;
use rxmesh_kernels::algebra::aggregate::{
    AggregateBegin, AggregateLeaders, AggregateLengths, AggregateMatch, AggregateMerge,
    AggregateNumber, AggregatePropose, MEMBERS, NONE,
};
use rxmesh_kernels::algebra::cg::CgSums;
use rxmesh_kernels::algebra::cycle::{CycleDown, CycleUp};
use rxmesh_kernels::algebra::matrix::{MatrixView, ROWS};
use rxmesh_kernels::edit::Fill;
use rxmesh_kernels::mem::{Global, GlobalMut};

/// Handshakes a level.
const HANDSHAKES: u32 = 3;

/// Most levels: each but the last has little more than half the rows of the one before.
const LEVELS: usize = 40;

/// A level with more than this part of the rows before it is not worth having.
const LEAST_PROGRESS: f64 = 0.95;

/// A V-cycle over coarser and coarser matrices, as a preconditioner of conjugate gradients
/// ([`solve`](super::solve())). It is made for symmetric matrices whose entries beside the diagonal are negative or
/// zero and whose rows have sums of zero or more: Laplacians, with masses or without.
///
/// Strongly connected rows become one, in pairs of which each is good by itself (Napov and Notay 2012). So it follows
/// the strength of the weights, not the geometry: if triangles are needles, the ends of their short sides are united
/// soon. A level has little more than half the rows of the one before: larger aggregates make fewer levels, which cost
/// less, but need several times the iterations if weights differ much.
#[derive(Debug)]
pub struct Multigrid {
    levels: Vec<MultigridLevel>,
}

#[derive(Debug)]
struct MultigridLevel {
    /// None at the top: the matrix is the caller's.
    matrix: Option<Matrix>,
    rows: u32,
    inverse: Buffer<f32>,
    /// Aggregate of each row, and the rows of each aggregate of the next level.
    aggregate: Buffer<u32>,
    members: Buffer<u32>,
    /// Right-hand side and correction; empty at the top.
    r: Buffer<Vec3>,
    z: Buffer<Vec3>,
}

impl Multigrid {
    /// Builds the coarser matrices of a matrix. All work is the engine's; the host waits twice a level, to know its
    /// size.
    ///
    /// # Errors
    ///
    /// No memory, or any error of the engine.
    pub fn new(matrix: &Matrix) -> Result<Multigrid, Error> {
        let mut levels = vec![MultigridLevel::new(matrix, true)?];
        loop {
            let last = levels.len() - 1;
            let fine = levels[last].matrix.as_ref().unwrap_or(matrix);
            if last + 1 == LEVELS {
                break;
            }
            let Some((coarse, aggregate, members)) = coarsen(fine, &levels[last].inverse)? else {
                break;
            };
            let next = MultigridLevel::new(&coarse, false)?;
            (levels[last].aggregate, levels[last].members) = (aggregate, members);
            levels.push(MultigridLevel {
                matrix: Some(coarse),
                ..next
            });
        }
        // No row of the last level has an aggregate.
        if let Some(last) = levels.last_mut() {
            last.aggregate = matrix.engine().uninit(last.rows as usize)?;
            let to = last.aggregate.global_mut();
            matrix
                .engine()
                .launch_flat(last.rows, Fill { to, value: NONE })?;
        }
        Ok(Multigrid { levels })
    }

    /// Returns the number of rows of each level, the matrix's own first.
    pub fn sizes(&self) -> Vec<u32> {
        self.levels.iter().map(|level| level.rows).collect()
    }

    /// Launches a cycle: `z` is about the solution for `r`, and its product with `r` among the scalars.
    pub(super) fn cycle(
        &self,
        matrix: &Matrix,
        r: Global<Vec3>,
        z: GlobalMut<Vec3>,
        sums: CgSums,
        begin: bool,
    ) -> Result<(), Error> {
        let engine = matrix.engine();
        let view = |level: &MultigridLevel| -> MatrixView<f32> {
            level
                .matrix
                .as_ref()
                .map_or_else(|| matrix.view(), Matrix::view)
        };
        let right = |k: usize| if k == 0 { r } else { self.levels[k].r.global() };
        for (k, pair) in self.levels.windows(2).enumerate() {
            let [fine, coarse] = pair else { continue };
            let down = CycleDown {
                matrix: view(fine),
                inverse: fine.inverse.global(),
                r: right(k),
                members: fine.members.global(),
                coarse: coarse.r.global_mut(),
                scalars: sums.scalars.0.read(),
            };
            engine.launch_flat(coarse.rows, down)?;
        }
        let quiet = CgSums {
            partials: GlobalMut::empty(),
            arrived: GlobalMut::empty(),
            ..sums
        };
        for (k, level) in self.levels.iter().enumerate().rev() {
            let up = CycleUp {
                matrix: view(level),
                inverse: level.inverse.global(),
                r: right(k),
                aggregate: level.aggregate.global(),
                coarse: self
                    .levels
                    .get(k + 1)
                    .map_or(Global::empty(), |l| l.z.global()),
                z: if k == 0 { z } else { level.z.global_mut() },
                sums: if k == 0 { sums } else { quiet },
                begin: u32::from(begin),
            };
            engine.launch_blocks(level.rows.div_ceil(ROWS), up)?;
        }
        Ok(())
    }
}

impl MultigridLevel {
    fn new(matrix: &Matrix, top: bool) -> Result<MultigridLevel, Error> {
        let (engine, n) = (matrix.engine(), matrix.rows() as usize);
        let values = if top { 0 } else { n };
        Ok(MultigridLevel {
            matrix: None,
            rows: matrix.rows(),
            inverse: matrix.inverse()?,
            aggregate: engine.zeroed(0)?,
            members: engine.zeroed(0)?,
            r: engine.zeroed(values)?,
            z: engine.zeroed(values)?,
        })
    }
}

/// Returns the matrix of the next level, the aggregate of each row, and the rows of each aggregate; `None` if it would
/// not be much smaller, or has no row.
#[allow(clippy::type_complexity, reason = "taken apart at the one call")]
fn coarsen(
    fine: &Matrix,
    inverse: &Buffer<f32>,
) -> Result<Option<(Matrix, Buffer<u32>, Buffer<u32>)>, Error> {
    let (engine, n) = (fine.engine(), fine.rows());
    let (mate, proposal) = (
        engine.uninit::<u32>(n as usize)?,
        engine.uninit::<u32>(n as usize)?,
    );
    let begin = AggregateBegin {
        matrix: fine.view(),
        mate: mate.global_mut(),
    };
    engine.launch_flat(n, begin)?;
    for _ in 0..HANDSHAKES {
        let propose = AggregatePropose {
            matrix: fine.view(),
            inverse: inverse.global(),
            mate: mate.global(),
            proposal: proposal.global_mut(),
        };
        engine.launch_flat(n, propose)?;
        let pair = AggregateMatch {
            proposal: proposal.global(),
            mate: mate.global_mut(),
        };
        engine.launch_flat(n, pair)?;
    }
    let number = engine.zeroed::<u32>(n as usize + 1)?;
    let leaders = AggregateLeaders {
        mate: mate.global(),
        number: number.global_mut(),
    };
    engine.launch_flat(n, leaders)?;
    let rows = scan::exclusive_shared(engine, &number)?;
    if rows == 0 || f64::from(rows) > LEAST_PROGRESS * f64::from(n) {
        return Ok(None);
    }
    let (aggregate, pairs) = (proposal, engine.uninit((MEMBERS * rows) as usize)?);
    let numbers = AggregateNumber {
        mate: mate.global(),
        number: number.global(),
        aggregate: aggregate.global_mut(),
        pairs: pairs.global_mut(),
    };
    engine.launch_flat(n, numbers)?;
    let starts = engine.zeroed::<u32>(rows as usize + 1)?;
    let lengths = AggregateLengths {
        matrix: fine.view(),
        pairs: pairs.global(),
        lengths: starts.global_mut(),
    };
    engine.launch_flat(rows, lengths)?;
    // Entries of the rows of each aggregate: an upper bound of those left when these are one row.
    let room = scan::exclusive_shared(engine, &starts)? as usize;
    let parts = MatrixArrays {
        starts,
        ends: engine.uninit(rows as usize)?,
        columns: engine.uninit(room)?,
        weights: engine.uninit(room)?,
        excess: engine.uninit(rows as usize)?,
    };
    let merge = AggregateMerge {
        matrix: fine.view(),
        aggregate: aggregate.global(),
        pairs: pairs.global(),
        starts: parts.starts.global(),
        ends: parts.ends.global_mut(),
        columns: parts.columns.global_mut(),
        weights: parts.weights.global_mut(),
        excess: parts.excess.global_mut(),
    };
    engine.launch_flat(rows, merge)?;
    let matrix = Matrix::from_parts(engine, parts);
    Ok(Some((matrix, aggregate, pairs)))
}
