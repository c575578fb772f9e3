//! Extended position-based dynamics (Macklin, Mueller and Chentanez, "XPBD: Position-Based Simulation of Compliant
//! Constrained Dynamics", 2016).
//!
//! A constraint `C` with the compliance `a` has the energy `C^2 / (2 a)`. Its multiplier changes by
//! `-(C + a' l) / (sum_i w_i |grad_i C|^2 + a')` with `a' = a / dt^2`, and vertices by `w_i grad_i C` times that.
//! Multipliers are zero at the start of a step and kept from iteration to iteration.
//!
//! In a Jacobi iteration all constraints start from the same positions, so a vertex takes part in many moves at a time.
//! Here its inverse mass is multiplied by the number of its constraints in each denominator, which splits the mass
//! among them (Tonge et al., "Mass Splitting for Jitter-Free Parallel Rigid Body Simulation", 2012): by the
//! Cauchy-Schwarz inequality the denominators then dominate the matrix, and the iteration converges for any mesh and
//! stiffness, and every relaxation below two. The relaxation scales multipliers and moves alike. Scaling the moves
//! alone, as is often done, changes the stiffness with the number of iterations.

pub mod cells;
pub mod cloth;
