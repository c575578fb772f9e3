//! The program's tests, by subject.

mod applications;
mod cli;
mod conflicts;
mod editing;
mod edits;
#[cfg(unix)]
mod files;
mod mcf;
mod shown;
mod support;
mod tools;
