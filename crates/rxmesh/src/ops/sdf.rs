//! `sdf`: computes signed distances on a grid.

use crate::on::{AnyTriangles, Tool};
use crate::{Group, Log, Mesh, Message, Operation, OutputKind, Result, Silent, Stage, stage, text};
use rxmesh_host::algo::sdf::{SdfOptions, SdfReport, sdf};
use rxmesh_host::grid::Grid;
use rxmesh_host::mesh::{Column, ColumnData};
use rxmesh_host::units;
use rxmesh_host::units::InUnits;
use serde::Serialize;

/// Computes signed distances on a grid.
#[derive(Clone, Copy, Debug)]
pub struct Sdf;

/// Report of [`Sdf`].
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SdfOpReport {
    /// Report of the distances.
    #[serde(flatten)]
    pub distances: SdfReport,
    /// Place of the first point.
    pub origin: [f64; 3],
}

units!(SdfOpReport {
    distances,
    origin: Length
});

impl Operation for Sdf {
    const NAME: &'static str = "sdf";
    const GROUP: Group = Group::Measure;
    const SUMMARY: &'static str = "Compute signed distances on a grid";
    const HELP: &'static str =
        "Examples: rxmesh sdf bunny.obj --resolution 24 -o bunny.vti
          rxmesh sdf spot.ply --cell 0.1 --band 0.2 -o spot.nrrd
          rxmesh sdf teapot.obj --resolution 24 --unsigned -o teapot.npy

Distances from the triangles are computed at the points of a grid of cubes around them. They are
negative inside: where the winding number is at least one half, so open surfaces, soups and crossing
parts have an inside as well (Jacobson, Kavan and Sorkine-Hornung 2013). Faces must look outwards;
`repair` turns them.

The extension of the output gives its format: .vti (VTK's images, which ParaView shows), .nrrd, or
.npy (NumPy's arrays, with the axes x, y and z, without the place of the grid: the first point and the
cell are printed and in the record).";
    const OUTPUT: OutputKind = OutputKind::Grid;

    type Options = SdfOptions;
    type Report = SdfOpReport;
    type On = Tool<AnyTriangles>;

    fn run(
        on: &mut Tool<AnyTriangles>,
        options: &SdfOptions,
        log: &mut dyn Log,
    ) -> Result<SdfOpReport> {
        let engine = on.engine().clone();
        let AnyTriangles(mesh) = &mut on.input;
        let home = mesh.normalise();
        let placement = mesh.placement;
        let mut options = *options;
        options.scale(1.0 / placement.scale);
        let (x, faces) = stage(log, Stage::Upload, || {
            Ok((engine.upload(&mesh.positions)?, engine.upload(&mesh.faces)?))
        })?;
        mesh.return_to(home);
        let (mut grid, mut distances) = stage(log, Stage::Work("computing distances"), || {
            Ok(sdf(&engine, &x, &faces, &options)?)
        })?;
        grid.origin = placement.origin + grid.origin * placement.scale;
        grid.spacing *= placement.scale;
        for column in &mut grid.columns {
            scale(column, placement.scale);
        }
        grid.validate().map_err(rxmesh_host::Error::from)?;
        distances.scale(placement.scale);
        let report = SdfOpReport {
            distances,
            origin: grid.origin.to_array(),
        };
        on.grid = Some(grid);
        Ok(report)
    }

    fn describe(report: &SdfOpReport, _options: &SdfOptions) -> Message {
        let r = &report.distances;
        let [nx, ny, nz] = r.counts;
        let [x, y, z] = report.origin.map(text::number);
        let mut lines = format!(
            "grid: {nx} x {ny} x {nz} points, cells of {}, the first point at ({x}, {y}, {z})\n\
            distances: from {} to {}",
            text::number(r.cell),
            text::number(r.least),
            text::number(r.greatest)
        );
        if let Some(inside) = r.inside {
            lines += &format!("; {inside} of {} points inside", r.points);
        }
        lines += "\n";
        if let Some(edges) = r.boundary_edges.filter(|edges| *edges > 0) {
            lines += &format!(
                "the surface is open ({edges} boundary edges): its inside has winding numbers of at least one half\n"
            );
        }
        Message::new(lines)
    }
}

/// Multiplies distances by a power of two: 32-bit numbers stay, unless these do not hold the products.
fn scale(column: &mut Column, factor: f64) {
    let ColumnData::F32(values) = &mut column.data else {
        return;
    };
    if factor == 1.0 {
        return;
    }
    let scaled = |x: f32| f64::from(x) * factor;
    let fits = |x: &f32| (scaled(*x) as f32).is_finite();
    if values.iter().all(fits) {
        values.iter_mut().for_each(|x| *x = scaled(*x) as f32);
    } else {
        column.data = ColumnData::F64(values.iter().map(|x| scaled(*x)).collect());
    }
}

/// Computes the distances of a mesh at the points of a grid around it, negative inside.
///
/// ```
/// use rxmesh::{Mesh, SdfOptions, generate, sdf_grid};
///
/// # fn main() -> Result<(), rxmesh::Error> {
/// let ball = Mesh::new(generate::icosphere(4)?);
/// let options = SdfOptions::default().with(|o| o.resolution = 32);
/// let (grid, report) = sdf_grid(&ball, &options)?;
/// assert_eq!(grid.counts, [39; 3]);
/// let centre = grid.row([19; 3]).unwrap();
/// assert!((grid.scalar(None)?.data.get(centre) + 1.0).abs() < 0.01);
/// assert_eq!(report.distances.boundary_edges, Some(0));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
///
/// As [`rxmesh_host::algo::sdf::sdf`].
pub fn sdf_grid(mesh: &Mesh, options: &SdfOptions) -> Result<(Grid, SdfOpReport)> {
    let mut tool = Tool::new(AnyTriangles(mesh.to_host()?.clone()), Vec::new());
    tool.set_engine(mesh.engine().clone());
    let report = Sdf::run(&mut tool, options, &mut Silent::default())?;
    let grid = tool.grid.take();
    let grid = grid.ok_or_else(|| crate::Error::Message("there is no grid".into()))?;
    Ok((grid, report))
}
