//! Options of bodies on a grid.

use crate::Elasticity;
use crate::solve::Damping;
use rxmesh_host::{Error, Vec3};
use rxmesh_simulation_kernels::solve::mpm::grid;

/// Maximum number of nodes along an axis: there, 32-bit grid coordinates have an error of a 4,000th of the spacing.
const AXIS: f64 = 4096.0;

/// Maximum number of nodes: a word for each block of 64 of them takes 268 MB.
const NODES: f64 = 4_294_967_296.0;

/// Options of a body on a grid.
#[derive(Clone, Copy, Debug, PartialEq, Default, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct HybridOptions {
    /// Energy of the cells.
    pub elasticity: Elasticity,
    /// Damping.
    pub damping: Damping,
}

/// Grid that bodies share.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct GridOptions {
    /// Distance of neighbouring nodes in metres: about the length of the cells' edges. Bodies interact within one and a
    /// half of it.
    pub spacing: f32,
    /// Lowest corner of the box that bodies stay in, in metres.
    pub low: [f32; 3],
    /// Highest corner. The box is enlarged to a multiple of the spacing.
    pub high: [f32; 3],
    /// Maximum distance that a vertex moves in a step, as a multiple of the spacing; at most 0.9.
    #[serde(default = "cfl")]
    pub cfl: f32,
    /// Maximum length of a step as a multiple of that which elastic waves allow at rest, at most 1: compressed cells
    /// are stiffer.
    #[serde(default = "elastic")]
    pub elastic: f32,
}

fn cfl() -> f32 {
    0.4
}

fn elastic() -> f32 {
    0.5
}

impl GridOptions {
    /// Makes a grid over a box, with the default step limits.
    pub fn new(spacing: f32, low: Vec3, high: Vec3) -> GridOptions {
        GridOptions {
            spacing,
            low: low.to_array(),
            high: high.to_array(),
            cfl: cfl(),
            elastic: elastic(),
        }
    }

    /// Refuses values out of range.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] names the number and its range.
    pub fn check(&self) -> Result<(), Error> {
        self.nodes().map(drop)
    }

    /// Returns the grid in the form that kernels take.
    pub(super) fn grid(&self) -> Result<grid::Grid, Error> {
        let [x, y, z] = self.nodes()?;
        Ok(grid::Grid {
            // A stencil's first node is up to one and a half spacings below a position.
            low: Vec3::from(self.low) - 0.5 * self.spacing,
            spacing: self.spacing,
            x,
            y,
            z,
        })
    }

    /// Returns the number of nodes along the axes.
    fn nodes(&self) -> Result<[u32; 3], Error> {
        let GridOptions {
            spacing,
            low,
            high,
            cfl,
            elastic,
        } = *self;
        if !(spacing.is_normal() && spacing > 0.0 && (1.0 / (spacing * spacing)).is_normal()) {
            return no(format!(
                "the grid's spacing is {spacing} m, but must be a positive number"
            ));
        }
        let order = low.iter().zip(&high).all(|(l, h)| l < h);
        if !order || !low.iter().chain(&high).all(|x| x.is_finite()) {
            return no(format!(
                "the grid's corners are {low:?} and {high:?}, but the second must be above the first along each axis"
            ));
        }
        for (what, x, most) in [("cfl", cfl, 0.9), ("elastic", elastic, 1.0)] {
            if !(x > 0.0 && x <= most) {
                return no(format!(
                    "the grid's `{what}` is {x}, but must be above 0 and at most {most}"
                ));
            }
        }
        let [a, b, c] = [0, 1, 2].map(|k| {
            let length = f64::from(high[k]) - f64::from(low[k]);
            // A length that is a multiple of the spacing but for rounding counts as a multiple.
            (length / f64::from(spacing) * (1.0 - 1e-6)).ceil() + 2.0
        });
        if a.max(b).max(c) > AXIS || a * b * c > NODES {
            return no(format!(
                "a grid of {a} x {b} x {c} nodes: it may have {AXIS} along an axis and {NODES} in all; a larger \
                    spacing or a smaller box has fewer"
            ));
        }
        Ok([a as u32, b as u32, c as u32])
    }
}

fn no<T>(why: String) -> Result<T, Error> {
    Err(Error::Options(why))
}
