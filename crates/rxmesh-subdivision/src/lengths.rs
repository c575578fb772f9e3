//! Lengths of the buffers that callers give.

use rxmesh_host::Error;
use rxmesh_host::engine::{Buffer, EngineError};

/// Refuses buffers that are not `width` values a row, each with its number of rows.
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

/// Refuses what a surface of `vertices` does not take as values, limits and normals: three floats a vertex each.
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
