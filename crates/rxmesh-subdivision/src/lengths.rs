//! Checks of the lengths of buffers that callers pass.

use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, EngineError};

/// Refuses buffers that do not have `width` values for each of their rows.
///
/// # Errors
///
/// [`EngineError::Length`].
pub(crate) fn check_rows<const N: usize>(
    width: u32,
    buffers: [(usize, u32); N],
) -> Result<(), EngineError> {
    for (got, rows) in buffers {
        let want = rows as usize * width as usize;
        if got != want {
            return Err(EngineError::Length { got, want });
        }
    }
    Ok(())
}

/// Refuses values, limits and normals that do not have three floats per vertex of a surface.
///
/// # Errors
///
/// [`EngineError::Length`].
pub(crate) fn check_limit(
    vertices: u32,
    values: &Buffer<f32>,
    points: &Buffer<f32>,
    normals: Option<&Buffer<f32>>,
) -> Result<(), Error> {
    check_rows(3, [(values.len(), vertices), (points.len(), vertices)])?;
    if let Some(normals) = normals {
        check_rows(3, [(normals.len(), vertices)])?;
    }
    Ok(())
}
