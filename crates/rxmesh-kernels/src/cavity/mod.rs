//! The cavity operator: a local change of a mesh as a hole that is cut and filled (Mahmoud et al. 2024, section 3).

mod claims;

pub use claims::{Claims, FREE, FROZEN, Key, Priority, RESET_EPOCH, ResetClaims};
