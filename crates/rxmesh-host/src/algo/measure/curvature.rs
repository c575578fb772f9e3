//! Gaussian and mean curvature.

use crate::Error;
use crate::algo::measure::frame::unit_scale;
use crate::store::reduce::{Term, several};
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::measure::curvature::Curvatures;
use rxmesh_kernels::parallel::reduce::Reduction;
use rxmesh_kernels::topo::{Kind, Vertex};

/// Curvatures of each vertex (Meyer, Desbrun, Schroeder, Barr 2003, sections 3 to 5).
#[derive(Debug)]
pub struct Curvature {
    /// Gaussian curvature integrated over the vertex, in radians: `2 pi` less the sum of its angles, on a boundary `pi`
    /// less it; 0 at a vertex of no face.
    pub defect: Attribute<Vertex, f32>,
    /// Gaussian curvature, in one over squared length: the defect over the mixed Voronoi area; 0 if there is no
    /// area.
    pub gaussian: Attribute<Vertex, f32>,
    /// Mean curvature, in one over length: half the length of the cotangent Laplacian. It is positive where the surface
    /// bends away from the faces' normals (a sphere with normals outwards has one over its radius), and 0 on a
    /// boundary, where the Laplacian is no curvature, and where there is no area.
    pub mean: Attribute<Vertex, f32>,
    /// Mixed Voronoi area, in squared length; a third of all corners' areas on average.
    pub area: Attribute<Vertex, f32>,
}

/// Figures over the whole mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct CurvatureReport {
    /// Sum of the integrated Gaussian curvatures, boundary included. `2 pi` times the Euler characteristic on every
    /// manifold mesh, closed or not (Gauss-Bonnet: the boundary's angle defects are its geodesic curvature).
    pub total_gaussian_curvature: f64,
    /// Vertices less edges plus faces; vertices of no face do not count.
    pub euler_characteristic: i64,
    /// Smallest and largest Gaussian curvature, in one over squared length; zeroes when there is no vertex.
    pub gaussian_range: [f64; 2],
    /// Smallest and largest mean curvature, in one over length; zeroes when there is no vertex.
    pub mean_range: [f64; 2],
    /// Area of the surface, in squared length.
    pub total_area: f64,
}

units!(CurvatureReport {
    gaussian_range: PerArea,
    mean_range: PerLength,
    total_area: Area
});

/// Computes the curvatures of every vertex of `x`, from its faces alone; any triangles will do. The three angles of a
/// face add up to pi even if it has no area.
///
/// # Errors
///
/// [`Error::NotFinite`] for a coordinate that is not finite, and when lengths are so small or large that squared
/// lengths leave `f32`; a stale attribute, or any error of the engine.
pub fn curvature(
    rx: &RxMesh,
    x: &Attribute<Vertex, Vec3>,
) -> Result<(Curvature, CurvatureReport), Error> {
    let scale = unit_scale(rx, x)? as f32;
    let mut c = Curvature {
        defect: rx.attribute()?,
        gaussian: rx.attribute()?,
        mean: rx.attribute()?,
        area: rx.attribute()?,
    };
    rx.launch(Curvatures {
        x: x.staged()?,
        defect: c.defect.global_mut()?,
        gaussian: c.gaussian.global_mut()?,
        mean: c.mean.global_mut()?,
        area: c.area.global_mut()?,
        scale,
    })?;
    let report = report(rx, &c)?;
    // The curvatures of a mesh in a sensible unit are finite: other units overflow one over a squared length, or an
    // area.
    let finite = |r: [f64; 2]| r[0].is_finite() && r[1].is_finite();
    for (ok, what) in [
        (
            finite(report.gaussian_range),
            "a vertex's Gaussian curvature",
        ),
        (finite(report.mean_range), "a vertex's mean curvature"),
        (report.total_area.is_finite(), "a vertex's area"),
    ] {
        if !ok {
            return Err(Error::NotFinite { what });
        }
    }
    Ok((c, report))
}

fn report(rx: &RxMesh, c: &Curvature) -> Result<CurvatureReport, Error> {
    let [_, e, f] = Kind::ALL.map(|kind| i64::from(rx.count(kind)));
    // Patches of no face own the vertices of no face, and no others.
    let with_faces = rx.headers().iter().filter(|h| h.total[2] > 0);
    let v: i64 = with_faces.map(|h| i64::from(h.owned[0])).sum();
    let [defects, least, most, least_mean, most_mean, total_area] = several(
        rx,
        [
            Term::of(&c.defect, Reduction::Sum)?,
            Term::of(&c.gaussian, Reduction::Min)?,
            Term::of(&c.gaussian, Reduction::Max)?,
            Term::of(&c.mean, Reduction::Min)?,
            Term::of(&c.mean, Reduction::Max)?,
            Term::of(&c.area, Reduction::Sum)?,
        ],
    )?;
    let range = |range: [f64; 2]| if v == 0 { [0.0; 2] } else { range };
    Ok(CurvatureReport {
        total_gaussian_curvature: defects,
        euler_characteristic: v - e + f,
        gaussian_range: range([least, most]),
        mean_range: range([least_mean, most_mean]),
        total_area,
    })
}
