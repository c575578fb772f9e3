//! Options of a surface.

use crate::MOST_LEVELS;
use rxmesh_host::{Error, units};
use serde::Serialize;

/// Subdivision scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Scheme {
    /// Catmull and Clark 1978: any polygons, each into quads.
    #[default]
    CatmullClark,
    /// Loop 1987: triangles, each into four.
    Loop,
    /// Kobbelt 2000: triangles, each into three.
    Sqrt3,
}

/// Rule at boundaries (names as in OpenSubdiv's `VtxBoundaryInterpolation`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Boundary {
    /// Faces with a vertex at a boundary shape the surface but are not part of it.
    None,
    /// Boundary edges are sharp, and their corners are smooth.
    EdgeOnly,
    /// Boundary edges are sharp, and vertices of one face stay where they are.
    #[default]
    EdgeAndCorner,
}

/// Rule by which sharpness decreases from level to level.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum Creasing {
    /// By one per level.
    #[default]
    Uniform,
    /// By one per level, and evened out along a crease by Chaikin's rule (DeRose et al. 1998, section 3.3).
    Chaikin,
}

/// Parts of face-varying values, such as texture coordinates, that are interpolated linearly (as OpenSubdiv's
/// `FVarLinearInterpolation`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum FaceVarying {
    /// Nothing: seams are smooth curves, and their corners are rounded.
    None,
    /// Corners stay; seams are smooth curves.
    #[default]
    CornersOnly,
    /// As `corners-only`; vertices stay, too, where more than two regions meet, and where a sharp edge ends at a seam.
    #[cfg_attr(feature = "cli", value(name = "corners-plus1"))]
    #[serde(rename = "corners-plus1")]
    CornersPlus1,
    /// As `corners-plus1`; so do both sides of a seam where one of them has a corner, and ends of seams.
    #[cfg_attr(feature = "cli", value(name = "corners-plus2"))]
    #[serde(rename = "corners-plus2")]
    CornersPlus2,
    /// Vertices at seams stay.
    Boundaries,
    /// Everything: values are bilinear in each face.
    All,
}

/// Options of a surface.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct Options {
    /// Subdivision scheme.
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "SCHEME",
            value_enum,
            default_value = "catmull-clark"
        )
    )]
    pub scheme: Scheme,
    /// Number of levels, 0 to 10.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "N", default_value_t = Options::default().levels)
    )]
    pub levels: u32,
    /// Rule at boundaries.
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "RULE",
            value_enum,
            default_value = "edge-and-corner"
        )
    )]
    pub boundary: Boundary,
    /// Rule by which sharpness decreases.
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "RULE", value_enum, default_value = "uniform")
    )]
    pub creasing: Creasing,
    /// Parts of the corners' texture coordinates that are interpolated linearly.
    #[cfg_attr(
        feature = "cli",
        arg(
            long = "uv",
            value_name = "RULE",
            value_enum,
            default_value = "corners-only"
        )
    )]
    #[serde(rename = "uv")]
    pub face_varying: FaceVarying,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            scheme: Scheme::default(),
            levels: 2,
            boundary: Boundary::default(),
            creasing: Creasing::default(),
            face_varying: FaceVarying::default(),
        }
    }
}

units!(Options {});

impl rxmesh_host::algo::Options for Options {
    fn check(&self) -> Result<(), Error> {
        match self.levels {
            0..=MOST_LEVELS => Ok(()),
            n => Err(Error::Options(format!(
                "{n} levels are wanted, but {MOST_LEVELS} are the most"
            ))),
        }
    }
}
