//! How much noise there is.

use crate::Error;
use crate::algo::smooth::Steps;
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::normal_filter::{FaceFrames, NormalOffsets};
use rxmesh_kernels::topo::{Face, Vertex};

/// Taubin's factors: what the steps take away is what changes from vertex to vertex.
pub(super) const TAUBIN: [f32; 2] = [0.5, -0.53];

/// Pairs of steps.
const PAIRS: u32 = 3;

/// Median of the size of a normally distributed number, over its standard deviation.
const MEDIAN: f64 = 0.674_489_75;

/// The part of white noise that the steps take away, about the same on all meshes of about six edges a vertex
/// (measured: 0.63 to 0.65).
const TAKEN: f64 = 0.635;

/// Standard deviation of the noise across the surface: what a few steps of smoothing take away, its median, so that
/// sharp edges, which are few, do not count. Detail as small as a triangle counts as noise.
pub(super) fn estimate(rx: &RxMesh, x: &Attribute<Vertex, Vec3>) -> Result<f64, Error> {
    let (mut normal, mut area, mut centre) = (
        rx.attribute::<Face, Vec3>()?,
        rx.attribute()?,
        rx.attribute()?,
    );
    let mut square = rx.attribute::<Vertex, f32>()?;
    let mut smooth = rx.attribute()?;
    smooth.copy_from(x)?;
    Steps::new(rx)?.pairs(&mut smooth, TAUBIN, PAIRS)?;
    rx.run_for_each(FaceFrames {
        x: smooth.staged()?,
        normal: normal.write()?,
        area: area.write()?,
        centre: centre.write()?,
    })?;
    rx.run_for_each(NormalOffsets {
        from: x.read()?,
        to: smooth.read()?,
        normal: normal.read()?,
        square: square.write()?,
    })?;
    let mut squares = square.to_input(rx)?;
    squares.retain(|&s| s >= 0.0);
    if squares.is_empty() {
        return Ok(0.0);
    }
    let middle = squares.len() / 2;
    let (_, median, _) = squares.select_nth_unstable_by(middle, f32::total_cmp);
    Ok(f64::from(*median).sqrt() / (MEDIAN * TAKEN))
}
