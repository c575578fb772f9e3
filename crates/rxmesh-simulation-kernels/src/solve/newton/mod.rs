//! Implicit Euler as minimisation of the incremental potential, the sum of inertia, elasticity and contact, over the
//! displacement `u` of a step (Martin et al. 2011). Newton's method with conjugate gradients (Shewchuk 1994, appendix
//! B3), preconditioned by the inverse 3 by 3 diagonal blocks, and a line search that halves the step until the energy
//! falls.
//!
//! - [`state`]: scalars of the method;
//! - [`inertia`]: forces other than those of cells;
//! - [`time_step`]: beginning and end of a time step;
//! - [`linear`]: conjugate gradients;
//! - [`search`]: line search.
//!
//! All scalars stay on the engine: the host launches a fixed number of iterations without waiting, and launches after
//! convergence do nothing.

pub mod inertia;
pub mod linear;
pub mod search;
pub mod state;
pub mod time_step;

use crate::body::share;
use crate::energy::energy_kernels;
use linear::{Begin, Step};
use search::{Move, Trial};
use time_step::{End, Start, Stay};

energy_kernels!(trials {
    flat sim_newton_start: Start;
    flat sim_newton_stay: Stay;
    block sim_newton_begin: Begin;
    block sim_newton_step: Step;
    block sim_newton_move: Move;
    flat sim_newton_end: End;
});

/// Number of vertices per block of [`Begin`], [`Step`] and [`Move`].
pub const VERTICES: u32 = 256;

/// Returns the first vertex and the number of vertices of a block.
#[inline(always)]
fn range(block: u32, all: u32) -> (u32, u32) {
    share::<VERTICES>(block, all)
}
