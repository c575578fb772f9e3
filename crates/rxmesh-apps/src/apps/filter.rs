//! `filter`: bilateral denoising.

use crate::app::{Application, Told};
use crate::frame::{Fixed, explained};
use crate::record::Record;
use crate::text;
use anyhow::Result;
use rxmesh_host::algo::filter::{Closeness, FilterOptions, FilterReport, bilateral_filter};

const TOO_LARGE: &str = "coordinates are too large or too small to filter";

/// The application.
pub(crate) struct Filter;

impl Application for Filter {
    const NAME: &'static str = "filter";
    const SUMMARY: &'static str = "Remove noise and keep features, by bilateral filtering";
    const HELP: &'static str = "Examples: rxmesh-apps filter bunny.obj --iterations 10 -o clean.obj
          rxmesh-apps filter bunny.obj --sigma-c 0.05 --sigma-s 0.01 -o clean.ply

Each vertex moves along its normal by the weighted mean height of its neighbours over its tangent
plane (Fleishman, Drori, Cohen-Or 2003). Normals of the input are computed anew.";
    const RECORD: &'static [(&'static str, &'static str)] = &[
        ("iterations", "iterations done"),
        (
            "large_balls",
            "balls over all iterations that did not fit shared memory",
        ),
    ];

    type Options = FilterOptions;
    type Report = FilterReport;
    type Frame = Fixed;

    fn run(frame: &mut Fixed, options: &FilterOptions) -> Result<FilterReport> {
        frame.move_vertices("filtering", |rx, x| {
            bilateral_filter(rx, x, options).map_err(explained(TOO_LARGE))
        })
    }

    fn tell(report: &FilterReport, options: &FilterOptions, _record: &Record) -> Told {
        let closeness = match options.sigma_c {
            Closeness::Given(length) => text::number(length),
            rule => rule.to_string(),
        };
        let similarity = match options.sigma_s {
            Some(length) => text::number(length),
            None => "each ball's deviation".to_owned(),
        };
        Told::new(format!(
            "bilateral filter: {} iterations, sigma_c {closeness}, sigma_s {similarity}",
            report.iterations
        ))
    }
}
