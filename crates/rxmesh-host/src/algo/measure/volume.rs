//! Signed volume of a surface.

use crate::Error;
use crate::store::reduce::{self, Term, several};
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::measure::volume::{FaceSpans, FaceVolumes};
use rxmesh_kernels::parallel::reduce::Reduction;
use rxmesh_kernels::topo::{Kind, Vertex};

/// Computes the signed volume of the cones from the middle of the bounding box to the faces, in cubed length: that of
/// the solid for a closed mesh. As [`mesh::volume`](crate::mesh::volume) on the host, to the precision of 32-bit
/// volumes of cones that are added up in 64 bits.
///
/// # Errors
///
/// A stale attribute, or any error of the engine.
pub fn volume(rx: &RxMesh, x: &Attribute<Vertex, Vec3>) -> Result<f64, Error> {
    if rx.count(Kind::Face) == 0 {
        return Ok(0.0);
    }
    let (mut low, mut high) = (rx.attribute()?, rx.attribute()?);
    let mut middle = Vec3::ZERO;
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        rx.launch(FaceSpans {
            x: x.read()?,
            low: low.write()?,
            high: high.write()?,
            axis,
        })?;
        let terms = [
            Term::of(&low, Reduction::Min)?,
            Term::of(&high, Reduction::Max)?,
        ];
        let [from, to] = several(rx, terms)?;
        middle += axis * ((from + to) * 0.5) as f32;
    }
    rx.launch(FaceVolumes {
        x: x.read()?,
        volume: low.write()?,
        apex: middle,
    })?;
    reduce::sum(rx, &low)
}
