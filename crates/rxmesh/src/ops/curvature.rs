//! `curvature`: Gaussian and mean curvature.

use crate::error::explained;
use crate::on::Vertices;
use crate::{Group, Log, Message, Operation, OutputKind, Result, text};
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::algo::curvature::{CurvatureReport, curvature};
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::units;
use serde::Serialize;
use std::f64::consts::TAU;

const TOO_LARGE: &str =
    "coordinates are too large or too small to measure curvature: take another unit of length";

/// Computes Gaussian and mean curvature.
#[derive(Clone, Copy, Debug)]
pub struct Curvature;

/// Options of [`Curvature`].
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct CurvatureArgs {
    /// Value for other programs to show: written once more as the column 'quality'
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "VALUE", value_enum, default_value_t)
    )]
    pub quality: CurvatureColumn,
}

units!(CurvatureArgs {});

impl Options for CurvatureArgs {
    fn check(&self) -> std::result::Result<(), Error> {
        Ok(())
    }
}

/// Value of the column `quality`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "lowercase")]
pub enum CurvatureColumn {
    /// The mean curvature
    #[default]
    Mean,
    /// The Gaussian curvature
    Gaussian,
    /// The angle defect
    Defect,
    /// No such column
    None,
}

impl CurvatureColumn {
    fn column(self) -> &'static str {
        match self {
            CurvatureColumn::Gaussian => "gaussian_curvature",
            CurvatureColumn::Mean => "mean_curvature",
            CurvatureColumn::Defect => "angle_defect",
            CurvatureColumn::None => "",
        }
    }
}

/// Report of [`Curvature`].
#[derive(Debug, Serialize)]
pub struct CurvatureOpReport {
    /// Report of the algorithm.
    #[serde(flatten)]
    pub measured: CurvatureReport,
    /// Total Gaussian curvature less `2 pi` times the Euler characteristic.
    pub gauss_bonnet_difference: f64,
}

units!(CurvatureOpReport { measured });

impl Operation for Curvature {
    const NAME: &'static str = "curvature";
    const GROUP: Group = Group::Measure;
    const SUMMARY: &'static str = "Compute Gaussian and mean curvature of the vertices";
    const HELP: &'static str = "Example: rxmesh curvature bunny.obj -o curvature.ply

Writes the columns 'gaussian_curvature' (in one over squared length), 'mean_curvature' (in one over
length, positive where the surface bends away from the faces' normals) and 'angle_defect' (in
radians), as Meyer et al. 2003 define them; and 'quality', which MeshLab and others show as colour.";
    const OUTPUT: OutputKind = OutputKind::Columns("values of vertices");
    const SEVERAL: bool = true;
    const RECORD: &'static [(&'static str, &'static str)] = &[
        (
            "total_gaussian_curvature",
            "sum of the angle defects, in radians",
        ),
        ("euler_characteristic", "V - E + F"),
        (
            "gauss_bonnet_difference",
            "the first less 2 pi times the second: rounding on manifold meshes, multiples of pi on others (with a \
            warning)",
        ),
        (
            "gaussian_range",
            "smallest and largest Gaussian curvature, in one over squared length",
        ),
        (
            "mean_range",
            "smallest and largest mean curvature, in one over length",
        ),
        ("total_area", "area"),
    ];

    type Options = CurvatureArgs;
    type Report = CurvatureOpReport;
    type On = Vertices;

    fn run(
        on: &mut Vertices,
        args: &CurvatureArgs,
        log: &mut dyn Log,
    ) -> Result<CurvatureOpReport> {
        let (mut c, measured) = on.compute(log, "measuring curvature", |rx, x| {
            curvature(rx, x).map_err(explained(TOO_LARGE))
        })?;
        on.add_columns(
            log,
            [
                (CurvatureColumn::Gaussian.column(), -2, &mut c.gaussian),
                (CurvatureColumn::Mean.column(), -1, &mut c.mean),
                (CurvatureColumn::Defect.column(), 0, &mut c.defect),
            ],
        )?;
        if args.quality != CurvatureColumn::None {
            on.show::<Vertex>(log, args.quality.column())?;
        }
        Ok(CurvatureOpReport {
            measured,
            gauss_bonnet_difference: measured.total_gaussian_curvature - expected(&measured),
        })
    }

    fn describe(report: &CurvatureOpReport, _args: &CurvatureArgs) -> Message {
        let (m, difference) = (&report.measured, report.gauss_bonnet_difference);
        let range =
            |[low, high]: [f64; 2]| format!("{} to {}", text::number(low), text::number(high));
        Message::new(format!(
            "curvature: Gaussian {}, mean {}; area {}\n\
             total Gaussian curvature: {:.6}; 2 pi times the Euler characteristic ({}) is {:.6}; \
             difference {difference:.2e}",
            range(m.gaussian_range),
            range(m.mean_range),
            text::number(m.total_area),
            m.total_gaussian_curvature,
            m.euler_characteristic,
            expected(m),
        ))
        .warn_if(difference.abs() > 0.1, || {
            "the total Gaussian curvature is not 2 pi times the Euler characteristic: the mesh is not a manifold".into()
        })
    }
}

/// Returns the total Gaussian curvature of a manifold with this Euler characteristic.
fn expected(report: &CurvatureReport) -> f64 {
    TAU * report.euler_characteristic as f64
}
