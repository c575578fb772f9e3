//! What can be chosen.

use crate::Elasticity;
use crate::solve::Damping;
use rxmesh_host::{Error, Vec3};
use rxmesh_simulation_kernels::solve::mpm::grid;

/// The most nodes along an axis: 32-bit places in the grid have an error of a 4,000th of the distance of nodes there.
const AXIS: f64 = 4096.0;

/// The most nodes.
const NODES: f64 = 1_073_741_824.0;

/// How a body moves on a grid.
#[derive(Clone, Copy, Debug, PartialEq, Default, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields, default)]
pub struct HybridOptions {
    /// The energy of the cells.
    pub elasticity: Elasticity,
    /// Damping.
    pub damping: Damping,
}

/// The grid that bodies share.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
#[serde(deny_unknown_fields)]
pub struct GridOptions {
    /// Distance of neighbouring nodes in metres: about the length of the cells' edges. Bodies feel each other from one
    /// and a half of it on.
    pub spacing: f32,
    /// The lowest corner of the box that bodies stay in, in metres.
    pub low: [f32; 3],
    /// The highest corner. The box is enlarged to a whole number of distances.
    pub high: [f32; 3],
    /// The most distances of nodes that a vertex goes in a step, at most 0.9.
    #[serde(default = "cfl")]
    pub cfl: f32,
    /// The most of a step that elastic waves allow at rest, at most 1: compressed cells are stiffer.
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
    /// A grid over a box, with the usual steps.
    pub fn new(spacing: f32, low: Vec3, high: Vec3) -> GridOptions {
        GridOptions {
            spacing,
            low: low.to_array(),
            high: high.to_array(),
            cfl: cfl(),
            elastic: elastic(),
        }
    }

    /// Refuses what cannot be.
    ///
    /// # Errors
    ///
    /// [`Error::Options`] names the number and its range.
    pub fn check(&self) -> Result<(), Error> {
        self.nodes().map(drop)
    }

    /// The grid as kernels have it.
    pub(super) fn grid(&self) -> Result<grid::Grid, Error> {
        let [x, y, z] = self.nodes()?;
        Ok(grid::Grid {
            // A stencil's first node is up to one and a half distances below a place.
            low: Vec3::from(self.low) - 0.5 * self.spacing,
            spacing: self.spacing,
            x,
            y,
            z,
        })
    }

    /// Nodes along the axes.
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
            // A length that is whole but for rounding is whole.
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
