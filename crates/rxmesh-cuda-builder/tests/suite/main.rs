//! Tests that build device code and run it.

mod build;
mod common;
mod launch;
