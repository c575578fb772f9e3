//! Building device code, and running it.

mod build;
mod common;
mod launch;
