//! The program's tests, by subject.

mod applications;
mod carried;
mod cli;
mod components;
mod conflicts;
mod content;
mod editing;
mod edits;
mod extents;
#[cfg(unix)]
mod files;
mod mcf;
mod measures;
mod odd_inputs;
mod places;
mod polygons;
mod repair;
mod seams;
mod several;
mod shown;
mod simulate;
mod simulate_grid;
mod simulate_sizes;
mod streams;
mod support;
mod surfaces;
mod tools;
mod volumes;
