//! The one list of this crate's kernels.
