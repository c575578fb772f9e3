//! Shape of the faces.

use crate::Error;
use crate::algo::measure::frame::unit_scale;
use crate::store::reduce::{Term, several};
use crate::store::{Attribute, RxMesh};
use glam::Vec3;
use rxmesh_kernels::algo::measure::quality::FaceShapes;
use rxmesh_kernels::parallel::reduce::Reduction;
use rxmesh_kernels::topo::{Face, Kind, Vertex};

/// Measures of the shape of each face (Stimpson et al. 2007, "The Verdict geometric quality library", section 2).
#[derive(Debug)]
pub struct FaceQuality {
    /// Twice the inscribed over the circumscribed radius: 1 for an equilateral face, 0 for one without area.
    pub radius_ratio: Attribute<Face, f32>,
    /// Longest side over the inscribed diameter, over what that is in an equilateral face: 1 for that, infinite for a
    /// face without area.
    pub aspect_ratio: Attribute<Face, f32>,
    /// Smallest angle, in degrees: 60 for an equilateral face, 0 for one without area.
    pub smallest_angle: Attribute<Face, f32>,
    /// Area, in squared length.
    pub area: Attribute<Face, f32>,
}

/// Figures over the whole mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct FaceQualityReport {
    /// Number of faces.
    pub faces: u32,
    /// Smallest radius ratio; 1 without faces.
    pub least_radius_ratio: f64,
    /// Mean radius ratio; 1 without faces.
    pub mean_radius_ratio: f64,
    /// Largest aspect ratio; infinite if a face has no area, 1 without faces.
    pub largest_aspect_ratio: f64,
    /// Smallest angle of all faces, in degrees; 60 without faces.
    pub least_angle: f64,
    /// Mean over the faces of their smallest angle, in degrees; 60 without faces.
    pub mean_angle: f64,
    /// Area of the smallest face, in squared length; 0 without faces.
    pub least_area: f64,
    /// Area of the largest face, in squared length; 0 without faces.
    pub largest_area: f64,
    /// Area of all faces, in squared length.
    pub total_area: f64,
}

units!(FaceQualityReport {
    least_area: Area,
    largest_area: Area,
    total_area: Area
});

/// Measures the shape of every face of `x`.
///
/// # Errors
///
/// [`Error::NotFinite`] for a coordinate that is not finite, and when areas leave `f32`; a stale attribute, or what the
/// engine says.
pub fn face_quality(
    rx: &RxMesh,
    x: &Attribute<Vertex, Vec3>,
) -> Result<(FaceQuality, FaceQualityReport), Error> {
    let scale = unit_scale(rx, x)? as f32;
    let mut q = FaceQuality {
        radius_ratio: rx.attribute()?,
        aspect_ratio: rx.attribute()?,
        smallest_angle: rx.attribute()?,
        area: rx.attribute()?,
    };
    rx.launch(FaceShapes {
        x: x.read()?,
        radius_ratio: q.radius_ratio.write()?,
        aspect_ratio: q.aspect_ratio.write()?,
        smallest_angle: q.smallest_angle.write()?,
        area: q.area.write()?,
        scale,
    })?;
    let terms = [
        Term::of(&q.radius_ratio, Reduction::Min)?,
        Term::of(&q.radius_ratio, Reduction::Sum)?,
        Term::of(&q.aspect_ratio, Reduction::Max)?,
        Term::of(&q.smallest_angle, Reduction::Min)?,
        Term::of(&q.smallest_angle, Reduction::Sum)?,
        Term::of(&q.area, Reduction::Min)?,
        Term::of(&q.area, Reduction::Max)?,
        Term::of(&q.area, Reduction::Sum)?,
    ];
    let [ratio, ratios, aspect, angle, angles, least, largest, total] = several(rx, terms)?;
    if !total.is_finite() {
        return Err(Error::NotFinite {
            what: "a face's area",
        });
    }
    let faces = rx.count(Kind::Face);
    let (n, any) = (f64::from(faces), faces > 0);
    let or = |value: f64, without: f64| if any { value } else { without };
    let report = FaceQualityReport {
        faces,
        least_radius_ratio: or(ratio, 1.0),
        mean_radius_ratio: or(ratios / n, 1.0),
        largest_aspect_ratio: or(aspect, 1.0),
        least_angle: or(angle, 60.0),
        mean_angle: or(angles / n, 60.0),
        least_area: or(least, 0.0),
        largest_area: or(largest, 0.0),
        total_area: or(total, 0.0),
    };
    Ok((q, report))
}
