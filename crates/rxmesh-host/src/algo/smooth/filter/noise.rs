//! Estimate of the noise.

use super::meshes::FilteredMeshes;
use crate::Error;
use crate::algo::smooth::laplacian::Steps;
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::smooth::filter::normals::{FaceFrames, NormalOffsets};
use rxmesh_kernels::topo::{Face, Vertex};

/// Taubin's factors: the steps remove the part that changes from vertex to vertex.
pub(super) const TAUBIN: [f32; 2] = [0.5, -0.53];

/// Pairs of steps.
const PAIRS: u32 = 3;

/// Median of the size of a normally distributed number, over its standard deviation.
const MEDIAN: f64 = 0.674_489_75;

/// Part of white noise that the steps take away, about the same on all meshes of about six edges a vertex (measured:
/// 0.63 to 0.65).
const TAKEN: f64 = 0.635;

/// One step to the mean of the ring takes away more than the noise: it reaches no sharp edge from two vertices away,
/// but takes curvature for noise.
const ONE_STEP: [f32; 2] = [1.0, 0.0];

/// Estimates the standard deviation of the noise across the surface of each mesh: the median of the displacement by a
/// few steps of smoothing, so that sharp edges, which are few, do not count. If the faces between them are so coarse
/// that the steps reach them from everywhere, the distance to the mean of the ring is less, and is taken instead.
/// Detail as small as a triangle counts as noise.
pub(super) fn estimate(
    rx: &RxMesh,
    x: &Attribute<Vertex, Vec3>,
    meshes: &FilteredMeshes,
) -> Result<Vec<f64>, Error> {
    let mut steps = Steps::new(rx)?;
    let mut smooth = rx.attribute()?;
    smooth.copy_from(x)?;
    steps.pairs(&mut smooth, TAUBIN, PAIRS)?;
    let far = medians(rx, meshes, x, &smooth, &smooth)?;
    smooth.copy_from(x)?;
    steps.pairs(&mut smooth, ONE_STEP, 1)?;
    let near = medians(rx, meshes, x, &smooth, x)?;
    let least = |(far, near): (f64, f64)| (far / (MEDIAN * TAKEN)).min(near / MEDIAN);
    Ok(far.into_iter().zip(near).map(least).collect())
}

/// Returns for each mesh the median of the distances between positions across the surface, whose normals are those of a
/// third set.
fn medians(
    rx: &RxMesh,
    meshes: &FilteredMeshes,
    x: &Attribute<Vertex, Vec3>,
    to: &Attribute<Vertex, Vec3>,
    surface: &Attribute<Vertex, Vec3>,
) -> Result<Vec<f64>, Error> {
    let (mut normal, mut area, mut centre) = (
        rx.attribute::<Face, Vec3>()?,
        rx.attribute()?,
        rx.attribute()?,
    );
    let mut square = rx.attribute::<Vertex, f32>()?;
    rx.run_for_each(FaceFrames {
        x: surface.staged()?,
        normal: normal.write()?,
        area: area.write()?,
        centre: centre.write()?,
    })?;
    rx.run_for_each(NormalOffsets {
        from: x.read()?,
        to: to.read()?,
        normal: normal.read()?,
        square: square.write()?,
    })?;
    let squares = meshes.apart(square.to_input(rx)?);
    Ok(squares.into_iter().map(root_of_median).collect())
}

/// Returns the square root of the median of those that are not negative; 0 when there is none.
fn root_of_median(mut squares: Vec<f32>) -> f64 {
    squares.retain(|&s| s >= 0.0);
    if squares.is_empty() {
        return 0.0;
    }
    let middle = squares.len() / 2;
    let (_, median, _) = squares.select_nth_unstable_by(middle, f32::total_cmp);
    f64::from(*median).sqrt()
}
