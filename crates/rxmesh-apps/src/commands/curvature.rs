//! `curvature`: Gaussian and mean curvature.

use super::session::{Session, explained};
use super::text;
use crate::cli::CurvatureArgs;
use crate::output::Gives;
use crate::report::{CurvatureRecord, Report};
use anyhow::Result;
use rxmesh_host::algo::curvature::curvature;
use std::f64::consts::TAU;

const TOO_LARGE: &str =
    "coordinates are too large or too small to measure curvature: take another unit of length";

pub(super) fn run(args: &CurvatureArgs) -> Result<()> {
    let mut s = Session::open("curvature", &args.compute, Gives::Columns)?;
    let (mut c, report) = s.compute("measuring curvature", |rx, x| {
        curvature(rx, x).map_err(explained(TOO_LARGE))
    })?;
    s.add_columns([
        ("gaussian_curvature", &mut c.gaussian),
        ("mean_curvature", &mut c.mean),
        ("angle_defect", &mut c.defect),
    ])?;
    s.write()?;
    let expected = TAU * report.euler_characteristic as f64;
    let difference = report.total_gaussian_curvature - expected;
    if difference.abs() > 0.1 {
        s.run.warn("the total Gaussian curvature is not 2 pi times the Euler characteristic: the mesh is not a manifold".into());
    }
    s.run.record.report = Some(Report::Curvature(CurvatureRecord {
        report,
        gauss_bonnet_difference: difference,
    }));
    let range = |[low, high]: [f64; 2]| format!("{} to {}", text::number(low), text::number(high));
    let line = format!(
        "curvature: Gaussian {}, mean {}; area {}\n\
         total Gaussian curvature: {:.6}; 2 pi times the Euler characteristic ({}) is {expected:.6}; difference {difference:.2e}",
        range(report.gaussian_range),
        range(report.mean_range),
        text::number(report.total_area),
        report.total_gaussian_curvature,
        report.euler_characteristic,
    );
    s.run.finish_with(&line)
}
