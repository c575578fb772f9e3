//! Solve.
