//! Linear algebra on an engine: sparse matrices, a multigrid preconditioner, conjugate gradients. Algorithms over
//! meshes are its users; of meshes it knows that relations have rows ([`Matrix::over`]).
//!
//! ```
//! use rxmesh_host::Vec3;
//! use rxmesh_host::algebra::{Matrix, Multigrid, SolveOptions, solve};
//! use rxmesh_host::engine::Engine;
//!
//! // One end of a chain of springs is tied to the ground.
//! let engine = Engine::cpu();
//! let row = |i: u32| match i {
//!     0 => vec![(0, 2.0), (1, -1.0)],
//!     99 => vec![(98, -1.0), (99, 1.0)],
//!     _ => vec![(i - 1, -1.0), (i, 2.0), (i + 1, -1.0)],
//! };
//! let matrix = Matrix::from_rows(&engine, &(0..100).map(row).collect::<Vec<_>>())?;
//! let (b, mut x) = (engine.upload(&[Vec3::ONE; 100])?, engine.zeroed(100)?);
//! let multigrid = Multigrid::new(&matrix)?;
//! let report = solve(&matrix, &multigrid, &b, &mut x, &SolveOptions::default())?;
//! assert!(report.converged && report.iterations < 40);
//! # Ok::<(), rxmesh_host::Error>(())
//! ```

#[doc(hidden)]
pub mod cg;
mod choice;
mod cycles;
mod diagonal;
mod matrix;
mod multigrid;
mod solve;

pub use choice::When;
pub(crate) use choice::{
    Assembled, Rewritten, StepSolver, VertexSolveOptions, VertexSolver, batch,
};
pub use matrix::Matrix;
pub(crate) use matrix::MatrixArrays;
pub use multigrid::Multigrid;
pub use rxmesh_kernels::algebra::matrix::Weight;
pub use solve::{Identity, Jacobi, Preconditioner, SolveOptions, SolveReport, solve};
pub(crate) use solve::{Method, Phases, System, method_of};
