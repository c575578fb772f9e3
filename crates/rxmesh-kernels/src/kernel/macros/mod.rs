//! `args!`, `kernel!` and `entries!`.

mod args;
mod entries;
mod kernel;
