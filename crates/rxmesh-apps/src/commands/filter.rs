//! `filter`: bilateral denoising.

use super::session::{Session, explained};
use super::text;
use crate::cli::FilterArgs;
use crate::output::Gives;
use crate::report::{FilterRecord, LengthOrRule, Report};
use anyhow::Result;
use rxmesh_host::algo::filter::{Closeness, FilterOptions, bilateral_filter};

const TOO_LARGE: &str = "coordinates are too large or too small to filter";

pub(super) fn run(args: &FilterArgs) -> Result<()> {
    let mut s = Session::open("filter", &args.compute, Gives::Mesh)?;
    let options = FilterOptions {
        iterations: args.iterations,
        sigma_c: args.sigma_c,
        sigma_s: args.sigma_s,
    };
    let report = s.move_vertices("filtering", |rx, x| {
        bilateral_filter(rx, x, &options).map_err(explained(TOO_LARGE))
    })?;
    s.write()?;
    let sigma_c = match args.sigma_c {
        Closeness::Given(length) => LengthOrRule::Length(length),
        Closeness::MeanEdge => LengthOrRule::Rule("mean-edge"),
        Closeness::ShortestEdge => LengthOrRule::Rule("shortest-edge"),
        Closeness::MeshMeanEdge => LengthOrRule::Rule("mesh-mean-edge"),
    };
    let words = match &sigma_c {
        LengthOrRule::Length(length) => text::number(*length),
        LengthOrRule::Rule(rule) => (*rule).to_owned(),
    };
    let similarity = match args.sigma_s {
        Some(length) => text::number(length),
        None => "each ball's deviation".to_owned(),
    };
    s.run.record.report = Some(Report::Filter(FilterRecord {
        sigma_c,
        sigma_s: args.sigma_s,
        report,
    }));
    let line = format!(
        "bilateral filter: {} iterations, sigma_c {words}, sigma_s {similarity}",
        report.iterations
    );
    s.run.finish_with(&line)
}
