//! A closed surface around anything: [`wrap`].

use super::bricks::Distances;
use super::cavities::add_cavities;
use super::contour::contour;
use super::flood::Outside;
use crate::Error;
use crate::algo::Options;
use crate::algo::bounds::{self, TriangleBox};
use crate::algo::closest::SurfaceTree;
use crate::algo::inside::InsideTree;
use crate::engine::{Buffer, Engine};
use crate::options::{MOST_CELLS, cells_around, not_negative};
use glam::Vec3;
use rxmesh_kernels::algo::grid::{BrickGrid, SIDE};
use rxmesh_kernels::algo::tree::IndexedTriangles;
use std::sync::Arc;

/// Options of [`wrap`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct WrapOptions {
    /// Number of cells of the grid along the longest side of the mesh's box
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", default_value_t = Self::default().resolution))]
    pub resolution: u32,
    /// Side of a cell, in place of a number of them
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "LENGTH", conflicts_with = "resolution")
    )]
    pub cell: Option<f64>,
    /// Distance of the result from the mesh; a quarter of a cell unless given, and at least a hundredth
    #[cfg_attr(feature = "cli", arg(long, value_name = "LENGTH"))]
    pub offset: Option<f64>,
    /// Width up to which gaps and holes are closed; one and a half cells unless given, and at least
    #[cfg_attr(feature = "cli", arg(long, value_name = "LENGTH"))]
    pub gap: Option<f64>,
    /// Keep enclosed spaces hollow that the triangles do not go around, by their winding numbers
    #[cfg_attr(feature = "cli", arg(long))]
    pub keep_cavities: bool,
}

units!(WrapOptions {
    cell: Length,
    offset: Length,
    gap: Length
});

changeable!(WrapOptions);

/// Fewest cells along the longest side.
const FEWEST_CELLS: u32 = 4;

/// Level of the contour, in cells: no two grid vertices on both sides of a sheet are farther than that from it.
const LEVEL: f64 = 0.75;

/// Least offset, in cells: without one both sides of a sheet would lie in one place.
const LEAST_OFFSET: f64 = 0.01;

impl Default for WrapOptions {
    fn default() -> Self {
        WrapOptions {
            resolution: 256,
            cell: None,
            offset: None,
            gap: None,
            keep_cavities: false,
        }
    }
}

impl Options for WrapOptions {
    fn check(&self) -> Result<(), Error> {
        cells_around(self.resolution, FEWEST_CELLS, self.cell)?;
        if let Some(offset) = self.offset {
            not_negative("the offset", offset)?;
        }
        not_negative("the gap", self.gap.unwrap_or(0.0))
    }
}

/// Report of [`wrap`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WrapReport {
    /// Cells of the grid along each axis.
    pub cells: [u32; 3],
    /// Side of a cell.
    pub cell: f64,
    /// Distance of the result from the mesh.
    pub offset: f64,
    /// Width up to which gaps and holes are closed.
    pub gap: f64,
    /// Volume of the enclosed spaces that stay hollow, in whole cells; none unless they are kept.
    pub hollow: Option<f64>,
    /// Number of bricks of 8 x 8 x 8 cells near the mesh.
    pub bricks: u32,
    /// Number of vertices of the result.
    pub vertices: u32,
    /// Number of faces of the result.
    pub faces: u32,
    /// Number of vertices of faces of the result that intersect.
    pub intersecting: u32,
}

units!(WrapReport {
    cell: Length,
    offset: Length,
    gap: Length,
    hollow: Volume
});

/// A closed surface in an engine's memory.
#[derive(Debug)]
pub struct Wrapped {
    /// Positions of the vertices.
    pub positions: Buffer<Vec3>,
    /// Corners of the triangles.
    pub faces: Buffer<[u32; 3]>,
    /// Numbers.
    pub report: WrapReport,
}

/// Makes a closed, oriented, manifold surface around triangles of any kind: soups, open and crossing sheets, doubled
/// walls. It encloses all that cannot be reached from outside without passing the triangles or gaps narrower than
/// [`WrapOptions::gap`], at the distance [`WrapOptions::offset`]; sheets become thin solids. Sharp edges are kept. With
/// [`WrapOptions::keep_cavities`] hollows of solids get surfaces of their own, which look inwards.
///
/// Distances from the triangles are computed on a sparse grid, at grid vertices near them; a flood from the border over
/// grid vertices that are farther than half the gap finds the outside (as in Huang, Su and Guibas 2018, "Robust
/// watertight manifold surface generation method for ShapeNet models"); dual contouring, with a vertex for each piece
/// of surface in a cell, makes the surface, whose vertices then move to the least squared distances from planes
/// (Ju et al. 2002) at the offset. The result is the same on every engine, with cavities up to winding numbers close to
/// one half ([`InsideTree::winding_numbers`]).
///
/// # Errors
///
/// [`Error::Options`] for options that make no sense, no triangles, a corner that does not exist, or more cells than
/// can be, or a coordinate that is not finite; [`Error::TooLarge`]; no memory on the engine, or any error of it.
pub fn wrap(
    engine: &Engine,
    x: &Buffer<Vec3>,
    faces: &Buffer<[u32; 3]>,
    options: &WrapOptions,
) -> Result<Wrapped, Error> {
    options.check()?;
    let triangles = IndexedTriangles {
        x: x.global(),
        faces: faces.global().cast(),
    };
    let [low, high] = bounds(engine, triangles)?;
    let size = GridSize::new(low, high, options)?;
    let distances = Distances::new(engine, &size, triangles)?;
    let mut outside = Outside::new(engine, &distances)?;
    let mut hollow = None;
    if options.keep_cavities {
        let tree = Arc::new(SurfaceTree::on_engine(engine, x, faces)?);
        let inside = InsideTree::new(tree, x, faces)?;
        let points = add_cavities(engine, &distances, &mut outside, &inside)?;
        hollow = Some(points as f64 * f64::from(size.grid.cell).powi(3));
    }
    let levels = [size.level, size.offset];
    let contour = contour(engine, &distances, &outside, triangles, levels)?;
    let report = WrapReport {
        cells: [size.grid.nx, size.grid.ny, size.grid.nz].map(|n| n * SIDE),
        cell: f64::from(size.grid.cell),
        offset: f64::from(size.offset),
        gap: 2.0 * f64::from(size.level),
        hollow,
        bricks: distances.count(),
        vertices: contour.positions.len() as u32,
        faces: contour.faces.len() as u32,
        intersecting: contour.intersecting,
    };
    Ok(Wrapped {
        positions: contour.positions,
        faces: contour.faces,
        report,
    })
}

/// Returns the box of the triangles, which must be there and finite.
fn bounds(engine: &Engine, triangles: IndexedTriangles) -> Result<[Vec3; 2], Error> {
    let n = triangles.count();
    if n == 0 {
        let why = "there are no faces, so there is nothing to wrap";
        return Err(Error::Options(why.into()));
    }
    let TriangleBox { low, high, .. } = bounds::checked(engine, triangles)?;
    Ok([low, high])
}

/// Grid around a mesh, with the distances that count.
#[derive(Debug)]
pub(super) struct GridSize {
    pub(super) grid: BrickGrid,
    /// Distance of the contour from the mesh.
    pub(super) level: f32,
    offset: f32,
    /// Distance from the mesh up to which distances count.
    pub(super) reach: f32,
}

impl GridSize {
    fn new(low: Vec3, high: Vec3, options: &WrapOptions) -> Result<GridSize, Error> {
        let (low, high) = (low.as_dvec3(), high.as_dvec3());
        let extent = high - low;
        let longest = extent.max_element();
        if longest <= 0.0 {
            let why = "all corners are at one place, so there is nothing to wrap";
            return Err(Error::Options(why.into()));
        }
        let cell = options
            .cell
            .unwrap_or(longest / f64::from(options.resolution));
        let offset = options
            .offset
            .unwrap_or(0.25 * cell)
            .max(LEAST_OFFSET * cell);
        let level = (LEVEL * cell)
            .max(0.5 * options.gap.unwrap_or(0.0))
            .max(offset);
        // The outer ends of edges that the contour crosses are at most a cell farther than the level.
        let reach = level + 1.01 * cell;
        // Bricks at the border are out of reach.
        let border = level + 2.0 * cell + f64::from(SIDE) * cell;
        let bricks = (extent + 2.0 * border) / (f64::from(SIDE) * cell);
        let most = f64::from(MOST_CELLS / SIDE + 64);
        if !bricks.is_finite() || bricks.max_element() > most {
            return Err(Error::Options(format!(
                "the grid would have {:.0} cells along the longest side, but at most {} are possible: take larger \
                 cells, or a smaller gap or offset",
                bricks.max_element() * f64::from(SIDE),
                most * f64::from(SIDE)
            )));
        }
        let count = |n: f64| n.ceil() as u32;
        let (cell, origin) = (cell as f32, (low - border).as_vec3());
        Ok(GridSize {
            grid: BrickGrid {
                origin,
                cell,
                nx: count(bricks.x),
                ny: count(bricks.y),
                nz: count(bricks.z),
            },
            level: level as f32,
            offset: offset as f32,
            reach: reach as f32,
        })
    }
}
