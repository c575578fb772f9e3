//! `isosurface`: makes a surface through the values of a grid.

use crate::on::{AnyGrid, AnyMesh, ArrayValues, EngineArrays, Tool};
use crate::{Error, Group, Log, Mesh, Message, Operation, Result, Silent, Stage, stage};
use rayon::prelude::*;
use rxmesh_host::algo::Options;
use rxmesh_host::algo::isosurface::{
    FirstAxis, GridValues, InsideOf, IsosurfaceOptions, isosurface,
};
use rxmesh_host::engine::Buffer;
use rxmesh_host::grid::Grid;
use rxmesh_host::mesh::{Column, ColumnData, ElementKind, Placement, TriMesh};
use rxmesh_host::units;
use rxmesh_host::{DVec3, Vec3};
use serde::Serialize;
use std::borrow::Cow;

/// Values that a task looks at.
const CHUNK: usize = 1 << 16;

/// Makes a surface through the values of a grid.
#[derive(Clone, Copy, Debug)]
pub struct Isosurface;

/// Options of [`Isosurface`].
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct IsosurfaceArgs {
    /// Options of the surface.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub surface: IsosurfaceOptions,
    /// Name of the values, if the grid has several; the first column of single numbers unless given
    #[cfg_attr(feature = "cli", arg(long, value_name = "NAME"))]
    pub values: Option<String>,
}

units!(IsosurfaceArgs { surface });

impl Options for IsosurfaceArgs {
    fn check(&self) -> std::result::Result<(), rxmesh_host::Error> {
        self.surface.check()
    }
}

/// Report of [`Isosurface`].
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct IsosurfaceReport {
    /// Number of points of the grid along each axis.
    pub points: [u32; 3],
    /// Name of the values.
    pub name: String,
    /// Least and greatest value of the grid; null if it has none that is a number, or the values are on a GPU.
    pub range: Option<[f32; 2]>,
    /// Number of points without a value; null if the values are on a GPU.
    pub missing: Option<u64>,
    /// Number of vertices of the result.
    pub result_vertices: u32,
    /// Number of faces of the result.
    pub result_faces: u32,
}

units!(IsosurfaceReport {});

impl Operation for Isosurface {
    const NAME: &'static str = "isosurface";
    const GROUP: Group = Group::Reshape;
    const SUMMARY: &'static str = "Make the surface at a level of a grid's values";
    const HELP: &'static str = "Examples: rxmesh sdf spot.ply --resolution 32 -o spot.vti
          rxmesh isosurface spot.vti -o again.ply
          rxmesh isosurface spot.vti --level 0.05 -o larger.ply

Takes a grid of values (VTI, NRRD, NPY): signed distances, as `sdf` writes them, densities, voxels of a
scan. The surface goes through the places where values that are interpolated between the points have the
level. It is closed, unless --open, manifold and oriented: normals point away from the inside.

Marching cubes (Lorensen and Cline 1987) with the topology of the trilinear interpolant in each cell
(Nielson and Hamann 1991, Chernyaev 1995). Further columns of the grid become columns of vertices.";

    type Options = IsosurfaceArgs;
    type Report = IsosurfaceReport;
    type On = Tool<AnyGrid>;

    fn run(
        on: &mut Tool<AnyGrid>,
        args: &IsosurfaceArgs,
        log: &mut dyn Log,
    ) -> Result<IsosurfaceReport> {
        let engine = on.engine().clone();
        let source = GridSource::new(&on.input, args.values.as_deref())?;
        // In units near a cell, so that 32-bit positions have their digits for it. On an engine results are in the
        // world.
        let placement = match source.values {
            SourceValues::Memory(_) => {
                Placement::of_size(source.origin, source.spacing.max_element())
            }
            SourceValues::Engine(_) => Placement::default(),
        };
        let spacing = source.spacing / placement.scale;
        let uploaded;
        let values = match &source.values {
            SourceValues::Engine(values) => *values,
            SourceValues::Memory(numbers) => {
                uploaded = stage(log, Stage::Upload, || Ok(engine.upload(&numbers[..])?))?;
                &uploaded
            }
        };
        let found = stage(log, Stage::Work("contouring"), || {
            let grid = GridValues {
                values,
                counts: source.counts,
                origin: source.origin - placement.origin,
                spacing,
                first: source.first,
            };
            let found = isosurface(&engine, grid, &args.surface)?;
            engine.synchronize()?;
            Ok(found)
        })?;
        let (range, missing) = match &source.values {
            SourceValues::Memory(numbers) => {
                let (range, missing) = summary(numbers);
                (range, Some(missing))
            }
            SourceValues::Engine(_) => (None, None),
        };
        if found.faces.is_empty() {
            return Err(empty(&source.name, range, missing, &args.surface));
        }
        let report = IsosurfaceReport {
            points: source.counts,
            name: source.name.clone(),
            range,
            missing,
            result_vertices: found.positions.len() as u32,
            result_faces: found.faces.len() as u32,
        };
        if let SourceValues::Engine(_) = source.values {
            let arrays = EngineArrays::new(found.positions, found.faces);
            on.resident = Some(Mesh::from_engine(arrays));
            return Ok(report);
        }
        let mut mesh = stage(log, Stage::Download, || {
            Ok(TriMesh {
                positions: found.positions.read()?,
                faces: found.faces.read()?,
                placement,
                ..TriMesh::default()
            })
        })?;
        drop(found);
        if let AnyGrid::Memory(grid) = &on.input {
            stage(log, Stage::Aside("looking up columns"), || {
                for other in grid.columns.iter().filter(|c| c.name != source.name) {
                    let at = |p: &Vec3| p.as_dvec3() / spacing;
                    let values = at_points(other, grid, mesh.positions.iter().map(at));
                    mesh.add_column(values)?;
                }
                Ok(())
            })?;
        }
        mesh.return_to(Placement::default());
        on.result = Some(AnyMesh::Surface(mesh));
        Ok(report)
    }

    fn describe(report: &IsosurfaceReport, args: &IsosurfaceArgs) -> Message {
        let [x, y, z] = report.points;
        let (name, level) = (&report.name, args.surface.level);
        let range = report.range.map_or(String::new(), |[low, high]| {
            format!(", '{name}' from {low} to {high}")
        });
        let lines = format!(
            "grid of {x} x {y} x {z} points{range}\nsurface at {level}: {} vertices, {} faces\n",
            report.result_vertices, report.result_faces
        );
        let missing = report.missing.unwrap_or(0);
        Message::new(lines).warn_if(missing > 0, || {
            format!("{missing} points have no value (NaN): they count as outside")
        })
    }
}

/// Makes the surface at a level of a grid's values, on a GPU if there is one.
///
/// ```
/// use rxmesh::{IsosurfaceArgs, Mesh, SdfOptions, generate, grid_surface, sdf_grid};
///
/// # fn main() -> Result<(), rxmesh::Error> {
/// let ball = Mesh::new(generate::icosphere(4)?);
/// let (grid, _) = sdf_grid(&ball, &SdfOptions::default().with(|o| o.resolution = 16))?;
/// let (surface, report) = grid_surface(grid, &IsosurfaceArgs::default())?;
/// assert_eq!(surface.face_count() as u32, report.result_faces);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// As [`isosurface`], and a grid without a surface at the level.
pub fn grid_surface(grid: Grid, options: &IsosurfaceArgs) -> Result<(Mesh, IsosurfaceReport)> {
    let mut tool = Tool::new(AnyGrid::Memory(grid), Vec::new());
    let engine = tool.engine().clone();
    let report = Isosurface::run(&mut tool, options, &mut Silent::default())?;
    match tool.result.take() {
        Some(AnyMesh::Surface(mesh)) => Ok((Mesh::on(mesh, engine), report)),
        _ => Err(Error::Message("there is no surface".into())),
    }
}

/// Values of a grid that a surface is made of.
struct GridSource<'a> {
    counts: [u32; 3],
    origin: DVec3,
    spacing: DVec3,
    first: FirstAxis,
    name: String,
    values: SourceValues<'a>,
}

/// Values, where they are.
enum SourceValues<'a> {
    Memory(Cow<'a, [f32]>),
    Engine(&'a Buffer<f32>),
}

impl GridSource<'_> {
    /// Takes the values with a name, else the first ones.
    fn new<'a>(grid: &'a AnyGrid, name: Option<&str>) -> Result<GridSource<'a>> {
        match (grid, name) {
            (AnyGrid::Memory(grid), name) => {
                grid.validate()?;
                let column = grid.scalar(name)?;
                Ok(GridSource {
                    counts: grid.counts,
                    origin: grid.origin,
                    spacing: grid.spacing,
                    first: FirstAxis::X,
                    name: column.name.clone(),
                    values: SourceValues::Memory(single(column)),
                })
            }
            (AnyGrid::Array(_), Some(name)) => {
                let why = format!("an array has one value a point, and no name '{name}' for it");
                Err(Error::Message(why))
            }
            (AnyGrid::Array(array), None) => {
                Grid::new(array.counts, array.origin, array.spacing)?;
                Ok(GridSource {
                    counts: array.counts,
                    origin: array.origin,
                    spacing: array.spacing,
                    first: FirstAxis::Z,
                    name: "values".into(),
                    values: match &array.values {
                        ArrayValues::Memory(values) => SourceValues::Memory(values.into()),
                        ArrayValues::Engine(values) => SourceValues::Engine(values),
                    },
                })
            }
        }
    }
}

/// Returns the least and the greatest of the values that are numbers, and the number of the others.
fn summary(values: &[f32]) -> (Option<[f32; 2]>, u64) {
    const NONE: (f32, f32, u64) = (f32::INFINITY, f32::NEG_INFINITY, 0);
    let with = |(low, high, missing): (f32, f32, u64), v: &f32| {
        // `min` and `max` leave out what is not a number.
        (low.min(*v), high.max(*v), missing + u64::from(v.is_nan()))
    };
    let of_chunk = |chunk: &[f32]| chunk.iter().fold(NONE, with);
    let (low, high, missing) = values
        .par_chunks(CHUNK)
        .map(of_chunk)
        .reduce(|| NONE, |a, b| (a.0.min(b.0), a.1.max(b.1), a.2 + b.2));
    ((low <= high).then_some([low, high]), missing)
}

/// Returns the error of a grid without a surface.
fn empty(
    name: &str,
    range: Option<[f32; 2]>,
    missing: Option<u64>,
    options: &IsosurfaceOptions,
) -> Error {
    let level = options.level;
    if range.is_none() && missing.is_some() {
        return Error::Message(format!("no value of '{name}' is a number"));
    }
    let (side, other) = match options.inside {
        InsideOf::Below => ("below", "above"),
        InsideOf::Above => ("above", "below"),
    };
    let range = range.map_or(String::new(), |[low, high]| {
        format!("values of '{name}' are from {low} to {high}, and ")
    });
    Error::Message(format!(
        "there is no surface at the level {level}: {range}those {side} the level are inside (--level; --inside \
         {other} turns this round)"
    ))
}

/// Returns the values of a column as 32-bit numbers.
fn single(column: &Column) -> Cow<'_, [f32]> {
    match &column.data {
        ColumnData::F32(values) => values.into(),
        data => (0..data.len()).map(|i| data.get(i) as f32).collect(),
    }
}

/// Returns the values of a column of a grid at places in cells: interpolated if they can be, else those of the nearest
/// points. Places outside have the values of the border.
fn at_points(column: &Column, grid: &Grid, places: impl Iterator<Item = DVec3>) -> Column {
    let last = DVec3::from(grid.counts.map(|n| f64::from(n - 1)));
    let (mut nearest, mut cells) = (Vec::new(), Vec::new());
    let row = |p: DVec3| {
        let [x, y, z] = p.to_array().map(|k| k as u32);
        x + grid.counts[0] * (y + grid.counts[1] * z)
    };
    for p in places {
        let p = p.clamp(DVec3::ZERO, last);
        nearest.push(row(p.round()));
        cells.push((p.floor(), p - p.floor()));
    }
    let mut result = column.gather(&nearest);
    result.element = ElementKind::Vertex;
    if !column.is_blended() {
        return result;
    }
    for (i, &(low, part)) in cells.iter().enumerate() {
        for k in 0..column.width {
            let corner = |c: usize| {
                let bits = DVec3::new((c & 1) as f64, (c >> 1 & 1) as f64, (c >> 2) as f64);
                let weight = (DVec3::ONE - bits) * (DVec3::ONE - part) + bits * part;
                let weight = weight.x * weight.y * weight.z;
                if weight == 0.0 {
                    return 0.0;
                }
                let at = row((low + bits).min(last));
                weight * column.data.get(at as usize * column.width + k)
            };
            let mean = (0..8).map(corner).sum();
            result.data.set(i * column.width + k, mean);
        }
    }
    result
}
