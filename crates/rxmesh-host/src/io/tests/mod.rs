//! Tests of all readers and writers together.

mod real;

use super::*;
use std::path::PathBuf;

/// Reads from memory with the options most tests use.
fn read_as(name: &str, bytes: &[u8]) -> Result<Loaded, IoError> {
    read_bytes(bytes, Path::new(name), &ReadOptions { triangulate: true, format: None })
}
