//! Surfaces through a grid of values: [`isosurface`].

mod table;

use crate::Error;
use crate::algo::Options;
use crate::engine::{Buffer, Engine};
use crate::parallel::scan;
use glam::{DVec3, Vec3};
use rxmesh_kernels::algo::grid::bricks::SlotBricks;
use rxmesh_kernels::algo::grid::isosurface::LevelGrid;
use rxmesh_kernels::algo::grid::isosurface::cells::{CountCells, CrossedBricks};
use rxmesh_kernels::algo::grid::isosurface::faces::WriteCells;
use rxmesh_kernels::algo::grid::isosurface::table::CellTable;
use rxmesh_kernels::algo::grid::{ActiveBricks, BrickGrid, SIDE, VERTICES};

/// Side of the level on which values are inside.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum InsideOf {
    /// Values below the level are inside, as those of signed distances
    #[default]
    Below,
    /// Values above the level are inside, as those of densities
    Above,
}

/// Options of [`isosurface`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct IsosurfaceOptions {
    /// Value that the surface goes through
    #[cfg_attr(
        feature = "cli",
        arg(
            long,
            value_name = "VALUE",
            default_value_t = 0.0,
            allow_negative_numbers = true
        )
    )]
    pub level: f64,
    /// Side of the level that is inside: normals of faces point to the other one
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t))]
    pub inside: InsideOf,
    /// Leave the surface open where it meets the border of the grid
    #[cfg_attr(feature = "cli", arg(long))]
    pub open: bool,
}

units!(IsosurfaceOptions {});

changeable!(IsosurfaceOptions);

impl Options for IsosurfaceOptions {
    fn check(&self) -> Result<(), Error> {
        if (self.level as f32).is_finite() {
            return Ok(());
        }
        Err(Error::Options(format!(
            "the level is {}, but must be a finite number of 32 bits",
            self.level
        )))
    }
}

/// Axis along which values that follow each other in memory lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FirstAxis {
    /// x, as in files of VTK and NRRD.
    X,
    /// z, as in arrays `[x, y, z]` of NumPy and PyTorch.
    Z,
}

/// Values at the points of a regular grid in an engine's memory.
#[derive(Clone, Copy, Debug)]
pub struct GridValues<'a> {
    /// Values. Points whose value is not a number count as outside.
    pub values: &'a Buffer<f32>,
    /// Number of points along x, y and z.
    pub counts: [u32; 3],
    /// Place of the first point.
    pub origin: DVec3,
    /// Distance of points along x, y and z.
    pub spacing: DVec3,
    /// Order of the values.
    pub first: FirstAxis,
}

/// An isosurface in an engine's memory.
#[derive(Debug)]
pub struct Isosurface {
    /// Positions of the vertices.
    pub positions: Buffer<Vec3>,
    /// Corners of the triangles.
    pub faces: Buffer<[u32; 3]>,
}

/// Makes the surface at which the values of a grid have a level, by marching cubes (Lorensen and Cline 1987).
///
/// In every cell of eight points the surface has the topology of the trilinear interpolant: faces of cells connect
/// corners as the asymptotic decider says (Nielson and Hamann 1991), tunnels through the interior are found by the
/// interpolant's saddle points (Chernyaev 1995; Custodio et al. 2013). Every edge has two faces and every vertex one
/// fan, but at the border of the grid if the surface is left [open](IsosurfaceOptions::open) there; else the outside
/// begins there. Normals point outside. A vertex is at least a thousandth of a cell away from the points. The result
/// is the same on every engine.
///
/// # Errors
///
/// [`Error::Options`] for a level or distances that are no positive numbers, or another number of values than the grid
/// has points; [`Error::TooLarge`]; no memory on the engine, or any error of it.
pub fn isosurface(
    engine: &Engine,
    grid: GridValues<'_>,
    options: &IsosurfaceOptions,
) -> Result<Isosurface, Error> {
    options.check()?;
    let level = level_grid(grid, options)?;
    let points = [level.nx, level.ny, level.nz];
    let [bx, by, bz] = points.map(|n| n.div_ceil(SIDE));
    let all = bx * by * bz;
    let mut slots = engine.uninit::<u32>(all as usize)?;
    let counts = engine.uninit::<u32>(all as usize)?;
    let kernel = CrossedBricks {
        grid: level,
        bricks_x: bx,
        bricks_y: by,
        crossed: counts.global_mut(),
    };
    engine.launch_blocks(all, kernel)?;
    slots.copy_from(&counts)?;
    let count = scan::exclusive(engine, &mut slots)?;
    let list = engine.uninit::<u32>(count as usize)?;
    let kernel = SlotBricks {
        counts: counts.global(),
        slots: slots.global_mut(),
        bricks: list.global_mut(),
    };
    engine.launch_flat(all, kernel)?;
    let cells = u64::from(count) * u64::from(VERTICES);
    if cells > u64::from(u32::MAX) {
        return Err(Error::TooLarge {
            what: "cells of the grid near the surface",
            count: cells,
            limit: u64::from(u32::MAX),
        });
    }
    let active = ActiveBricks {
        grid: BrickGrid {
            origin: Vec3::ZERO,
            cell: 1.0,
            nx: bx,
            ny: by,
            nz: bz,
        },
        slots: slots.global(),
        bricks: list.global(),
    };
    let words = engine.upload(&table::WORDS)?;
    let table = CellTable {
        words: words.global(),
    };
    let cells = engine.uninit::<u32>(cells as usize)?;
    let (mut vertices, mut triangles) = (
        engine.uninit::<u32>(count as usize)?,
        engine.uninit::<u32>(count as usize)?,
    );
    let kernel = CountCells {
        grid: level,
        active,
        table,
        cells: cells.global_mut(),
        vertices: vertices.global_mut(),
        triangles: triangles.global_mut(),
    };
    engine.launch_blocks(count, kernel)?;
    let total = |counts: &mut Buffer<u32>, what| {
        scan::exclusive(engine, counts).map_err(|e| e.too_many(what))
    };
    let vertex_count = total(&mut vertices, "vertices of the surface")?;
    let face_count = total(&mut triangles, "faces of the surface")?;
    let found = Isosurface {
        positions: engine.uninit(vertex_count as usize)?,
        faces: engine.uninit(face_count as usize)?,
    };
    let kernel = WriteCells {
        grid: level,
        active,
        table,
        cells: cells.global(),
        vertices: vertices.global(),
        triangles: triangles.global(),
        places: found.positions.global_mut(),
        faces: found.faces.global_mut().cast(),
    };
    engine.launch_blocks(count, kernel)?;
    Ok(found)
}

/// Checks a grid, and returns it as a kernel argument.
fn level_grid(grid: GridValues<'_>, options: &IsosurfaceOptions) -> Result<LevelGrid, Error> {
    let GridValues {
        values,
        counts,
        origin,
        spacing,
        first,
    } = grid;
    let points: u64 = counts.iter().map(|&n| u64::from(n)).product();
    if counts.contains(&0) || points != values.len() as u64 {
        return Err(Error::Options(format!(
            "a grid of {} x {} x {} points has other than {} values",
            counts[0],
            counts[1],
            counts[2],
            values.len()
        )));
    }
    if !(spacing.is_finite() && spacing.min_element() > 0.0) {
        return Err(Error::Options(format!(
            "the distances of points along the axes are {}, {} and {}, but must be positive numbers",
            spacing.x, spacing.y, spacing.z
        )));
    }
    if !origin.is_finite() {
        let why = format!("the first point of the grid is at {origin}, which is no place");
        return Err(Error::Options(why));
    }
    let border = u32::from(!options.open);
    // With the border and the last brick, coordinates and numbers have 32 bits.
    let most = u64::from(u32::MAX / 2);
    let wide: u64 = counts
        .iter()
        .map(|&n| u64::from(n) + 2 + u64::from(SIDE))
        .product();
    if wide / u64::from(VERTICES) > most || counts.iter().any(|&n| u64::from(n) > most) {
        return Err(Error::TooLarge {
            what: "points of the grid",
            count: points,
            limit: most,
        });
    }
    let is_swapped = first == FirstAxis::Z;
    let order = if is_swapped { [2, 1, 0] } else { [0, 1, 2] };
    let [nx, ny, nz] = order.map(|k| counts[k] + 2 * border);
    let [dx, dy, dz] = order.map(|k| spacing[k]);
    let [ox, oy, oz] = order.map(|k| origin[k]);
    let is_above = options.inside == InsideOf::Above;
    let level = options.level as f32;
    Ok(LevelGrid {
        values: values.global(),
        nx,
        ny,
        nz,
        border,
        level: if is_above { -level } else { level },
        above: u32::from(is_above),
        swapped: u32::from(is_swapped),
        dx,
        dy,
        dz,
        ox,
        oy,
        oz,
    })
}
