//! The program's tests, by subject.

mod applications;
mod carried;
mod cli;
mod conflicts;
mod editing;
mod edits;
#[cfg(unix)]
mod files;
mod mcf;
mod support;
mod tools;
