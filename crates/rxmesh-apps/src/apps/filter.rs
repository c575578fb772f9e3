//! `filter`: bilateral denoising.

use crate::app::{Application, Told};
use crate::frame::{Fixed, explained};
use crate::record::Record;
use crate::text;
use crate::volume::Volumes;
use anyhow::Result;
use rxmesh_host::algo::filter::{
    Closeness, FilterOptions, FilterReport, FilterScheme, Similarity, bilateral_filter,
};
use rxmesh_host::algo::mcf::mean_edge_length;
use rxmesh_host::kernels::topo::Kind;
use serde::Serialize;

const TOO_LARGE: &str = "coordinates are too large or too small to filter";

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    #[serde(flatten)]
    done: FilterReport,
    #[serde(flatten)]
    volumes: Volumes,
}

/// The application.
pub(crate) struct Filter;

impl Application for Filter {
    const NAME: &'static str = "filter";
    const SUMMARY: &'static str = "Remove noise and keep features, by bilateral filtering";
    const HELP: &'static str = "Examples: rxmesh-apps filter bunny.obj -o clean.obj
          rxmesh-apps filter bunny.obj --noise 0.02 -o clean.obj
          rxmesh-apps filter bunny.obj --sigma-c 0.05 --sigma-s 0.01 -o clean.ply

Normals of faces are filtered, by area, closeness and similarity, and vertices follow them (Zheng, Fu,
Au, Tai 2011), until what is gone is as large as the noise, which is estimated: sharp edges and volume
stay, and a mesh without noise hardly changes. With --scheme vertices each vertex moves along its normal
by the weighted mean height of its neighbours over its tangent plane (Fleishman, Drori, Cohen-Or 2003).
Normals of the input are computed anew.";
    const SEVERAL: bool = true;
    const RECORD: &'static [(&'static str, &'static str)] = &[
        ("scheme", "what was filtered: `normals` or `vertices`"),
        ("iterations", "iterations done"),
        (
            "noise",
            "standard deviation of the noise across the surface, given or estimated",
        ),
        ("noise_over_edge", "the same over the mean length of edges"),
        (
            "large_balls",
            "balls over all iterations that did not fit shared memory",
        ),
        (
            "volume_before",
            "signed volume of the input; of an open mesh that of the cones from its middle",
        ),
        ("volume_after", "the same of the output"),
    ];

    type Options = FilterOptions;
    type Report = Report;
    type Frame = Fixed;

    fn run(frame: &mut Fixed, options: &FilterOptions) -> Result<Report> {
        let before = Volumes::before(&frame.mesh);
        announce(frame, options)?;
        let done = frame.move_vertices("filtering", |rx, x| {
            bilateral_filter(rx, x, options).map_err(explained(TOO_LARGE))
        })?;
        let volumes = Volumes::of(&before, &frame.mesh);
        Ok(Report { done, volumes })
    }

    fn convert(report: &mut Report, unit: f64) {
        report.done.noise *= unit;
    }

    fn tell(report: &Report, options: &FilterOptions, _record: &Record) -> Told {
        let (report, volumes) = (&report.done, &report.volumes);
        let noise = format!(
            "noise {} ({:.3} edges)",
            text::number(report.noise),
            report.noise_over_edge
        );
        let iterations = report.iterations;
        let line = match report.scheme {
            FilterScheme::Normals => {
                format!("bilateral filter of normals: {noise}, {iterations} iterations")
            }
            FilterScheme::Vertices => {
                let closeness = match options.sigma_c.unwrap_or_default() {
                    Closeness::Given(length) => text::number(length),
                    rule => rule.to_string(),
                };
                let similarity = match options.sigma_s.unwrap_or_default() {
                    Similarity::Given(length) => text::number(length),
                    Similarity::Ball => "each ball's deviation".to_owned(),
                    Similarity::Noise => noise,
                };
                format!(
                    "bilateral filter of vertices: {iterations} iterations, sigma_c {closeness}, sigma_s {similarity}"
                )
            }
        };
        Told::new(line + &volumes.line())
    }
}

/// Neighbours that are looked at in some ten seconds.
const MANY: f64 = 5e7;

/// Says beforehand that balls are large.
fn announce(frame: &mut Fixed, options: &FilterOptions) -> Result<()> {
    let vertices = frame.rx.count(Kind::Vertex);
    let edge = mean_edge_length(&frame.rx, &frame.x)?;
    let all = options.neighbours(vertices, edge);
    if all > MANY {
        let each = all / f64::from(vertices) / f64::from(options.iterations());
        frame.run.warn(format!(
            "sigma_c takes in about {each:.0} vertices around each of {vertices}, which takes long; the time grows \
            with its square"
        ));
    }
    Ok(())
}
