//! Boxes of triangles, and checks of arrays.

use crate::Error;
use crate::engine::{Buffer, Engine};
use glam::Vec3;
use rxmesh_kernels::algo::distance::bounds::{CHUNK, CheckCorners, CheckPoints, TriangleBounds};
use rxmesh_kernels::algo::distance::tree::IndexedTriangles;
use rxmesh_kernels::edit::NONE;

/// Box of triangles.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TriangleBox {
    /// Least coordinates of the corners; infinity without triangles.
    pub(crate) low: Vec3,
    /// Greatest coordinates of the corners.
    pub(crate) high: Vec3,
    /// First triangle with a coordinate that is not finite.
    wrong: Option<usize>,
}

/// Computes the box of triangles, whose corners all exist.
pub(crate) fn of_triangles(
    engine: &Engine,
    triangles: IndexedTriangles,
) -> Result<TriangleBox, Error> {
    let chunks = triangles.count().div_ceil(CHUNK);
    let found = engine.uninit::<f64>(7 * chunks as usize)?;
    let kernel = TriangleBounds {
        triangles,
        bounds: found.global_mut(),
    };
    engine.launch_blocks(chunks, kernel)?;
    let found = found.read()?;
    let extreme = |from: usize, first: f64, of: fn(f64, f64) -> f64| {
        let axis = |k: usize| found.chunks(7).map(|c| c[from + k]).fold(first, of) as f32;
        Vec3::new(axis(0), axis(1), axis(2))
    };
    let wrong = found.chunks(7).map(|c| c[6]).fold(f64::INFINITY, f64::min);
    Ok(TriangleBox {
        low: extreme(0, f64::INFINITY, f64::min),
        high: extreme(3, f64::NEG_INFINITY, f64::max),
        wrong: wrong.is_finite().then_some(wrong as usize),
    })
}

/// Refuses triangles with corners that do not exist or are not finite, and computes their box.
pub(crate) fn checked(engine: &Engine, triangles: IndexedTriangles) -> Result<TriangleBox, Error> {
    let vertices = triangles.x.len();
    let wrong = engine.upload(&[NONE; 2])?;
    let kernel = CheckCorners {
        faces: triangles.faces,
        vertices,
        wrong: wrong.global_mut(),
    };
    engine.launch_flat(triangles.count(), kernel)?;
    if let Some(face) = first_wrong(&wrong)? {
        return Err(no_corner(face, vertices as usize));
    }
    let found = of_triangles(engine, triangles)?;
    found.wrong.map_or(Ok(found), |face| Err(not_finite(face)))
}

/// Refuses points of a list with a coordinate that is not finite; `what` is the name of one in the error.
///
/// # Errors
///
/// [`Error::Options`] for such a point; any error of the engine.
pub fn check_finite(points: &Buffer<Vec3>, what: &str) -> Result<(), Error> {
    let engine = points.engine();
    let wrong = engine.upload(&[NONE; 2])?;
    let kernel = CheckPoints {
        points: points.global(),
        wrong: wrong.global_mut(),
    };
    engine.launch_flat(points.len() as u32, kernel)?;
    match first_wrong(&wrong)? {
        Some(i) => Err(Error::Options(format!(
            "{what} {i} (counted from 0) has a coordinate that is not a finite number"
        ))),
        None => Ok(()),
    }
}

fn first_wrong(wrong: &Buffer<u32>) -> Result<Option<usize>, Error> {
    let first = wrong.read()?[1];
    Ok((first != NONE).then_some(first as usize))
}

/// Returns the error of a face with a corner that does not exist.
pub(super) fn no_corner(face: usize, vertices: usize) -> Error {
    Error::Options(format!(
        "face {face} has a corner that is none of the {vertices} vertices"
    ))
}

/// Returns the error of a face with a corner that is not finite.
pub(super) fn not_finite(face: usize) -> Error {
    Error::Options(format!(
        "face {face} has a corner with a coordinate that is not a finite number"
    ))
}
