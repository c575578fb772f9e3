//! Measures of a mesh that several algorithms need before they start.
#![doc(hidden)]

use crate::Error;
use crate::store::reduce::{self, Reduction, Term, several};
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::measure::frame::{Affine, ScaleEach};
use rxmesh_kernels::topo::{Kind, Vertex};

/// Returns a power of two that brings coordinates near one: products of several lengths then stay within `f32`, however
/// small or large the mesh is. Scaling by it changes no digit.
pub(in crate::algo) fn unit_scale(rx: &RxMesh, x: &Attribute<Vertex, Vec3>) -> Result<f64, Error> {
    scale_of(reduce::dot(rx, x, x)?, rx.count(Kind::Vertex))
}

/// Returns the scale of `vertices` vertices, given the sum of their squared coordinates.
pub(in crate::algo) fn scale_of(squares: f64, vertices: u32) -> Result<f64, Error> {
    if !squares.is_finite() {
        return Err(Error::NotFinite {
            what: "a vertex coordinate",
        });
    }
    let size = (squares / (3.0 * f64::from(vertices.max(1)))).sqrt();
    Ok(power_of_two(size))
}

/// Returns a power of two that brings a size near one, which changes no digit; one for no size.
pub(in crate::algo) fn power_of_two(size: f64) -> f64 {
    if size > 0.0 {
        (-size.log2().round()).clamp(-100.0, 100.0).exp2()
    } else {
        1.0
    }
}

/// Multiplies all coordinates.
pub(in crate::algo) fn resize(
    rx: &RxMesh,
    x: &mut Attribute<Vertex, Vec3>,
    scale: f64,
) -> Result<(), Error> {
    transform(rx, x, Vec3::ZERO, scale, Vec3::ZERO)
}

/// Computes `(x - origin) * scale + shift` for all coordinates.
fn transform(
    rx: &RxMesh,
    x: &mut Attribute<Vertex, Vec3>,
    origin: Vec3,
    scale: f64,
    shift: Vec3,
) -> Result<(), Error> {
    Ok(rx.run(Affine {
        x: x.write()?,
        origin,
        scale: scale as f32,
        shift,
    })?)
}

/// Multiplies the positions of each of several meshes.
pub(in crate::algo) fn scale_each(
    rx: &RxMesh,
    x: &mut Attribute<Vertex, Vec3>,
    labels: &Attribute<Vertex, u32>,
    factors: &[f32],
) -> Result<(), Error> {
    let factors = rx.engine().upload(factors)?;
    let kernel = ScaleEach {
        x: x.global_mut()?,
        labels: labels.global()?,
        factors: factors.global(),
    };
    Ok(rx
        .engine()
        .launch_flat(rx.linear_len(Kind::Vertex), kernel)?)
}

/// Frame in which coordinates are near one, for algorithms that commute with moving and scaling: `f32` keeps all its
/// digits for the shape, however small, large or far away it is.
pub(in crate::algo) struct UnitFrame {
    origin: Vec3,
    pub(in crate::algo) scale: f64,
}

impl UnitFrame {
    /// Converts positions to their frame, and returns it.
    pub(in crate::algo) fn enter(
        rx: &RxMesh,
        x: &mut Attribute<Vertex, Vec3>,
    ) -> Result<UnitFrame, Error> {
        let origin = x.buffer().read_range(rx.headers()[0].base[0] as usize, 1)?[0];
        let mut frame = UnitFrame { origin, scale: 1.0 };
        transform(rx, x, origin, 1.0, Vec3::ZERO)?;
        let [most, least] = several(
            rx,
            [Term::of(x, Reduction::Max)?, Term::of(x, Reduction::Min)?],
        )?;
        let size = most.max(-least);
        if !size.is_finite() {
            frame.leave(rx, x)?;
            return Err(Error::NotFinite {
                what: "a vertex coordinate",
            });
        }
        frame.scale = power_of_two(size);
        transform(rx, x, Vec3::ZERO, frame.scale, Vec3::ZERO)?;
        Ok(frame)
    }

    pub(in crate::algo) fn leave(
        &self,
        rx: &RxMesh,
        x: &mut Attribute<Vertex, Vec3>,
    ) -> Result<(), Error> {
        transform(rx, x, Vec3::ZERO, 1.0 / self.scale, self.origin)
    }
}
