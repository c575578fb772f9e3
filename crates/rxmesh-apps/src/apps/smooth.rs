//! `smooth`: Laplacian and Taubin smoothing.

use crate::app::{Application, Told};
use crate::frame::{Fixed, explained};
use crate::record::Record;
use crate::text;
use crate::volume::Volumes;
use anyhow::Result;
use rxmesh_host::algo::smooth::{SmoothOptions, SmoothReport, SmoothWeights, smooth};
use serde::Serialize;

const TOO_LARGE: &str = "coordinates are too large to smooth";

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    #[serde(flatten)]
    done: SmoothReport,
    #[serde(flatten)]
    volumes: Volumes,
}

/// The application.
pub(crate) struct Smooth;

impl Application for Smooth {
    const NAME: &'static str = "smooth";
    const SUMMARY: &'static str = "Smooth a mesh by Laplacian or Taubin smoothing";
    const HELP: &'static str =
        "Examples: rxmesh-apps smooth bunny.obj --iterations 20 -o smooth.obj
          rxmesh-apps smooth bunny.obj --taubin --weights cotangent -o smooth.obj

Each vertex goes part of the way to the mean of its neighbours (Taubin 1995). Normals of the input
are computed anew.";
    const SEVERAL: bool = true;
    const JOINS_SEAMS: bool = true;
    const RECORD: &'static [(&'static str, &'static str)] = &[
        ("weights", "how neighbours counted"),
        ("steps", "steps of either kind done"),
        (
            "volume_before",
            "signed volume of the input; of an open mesh that of the cones from its middle",
        ),
        ("volume_after", "the same of the output"),
    ];

    type Options = SmoothOptions;
    type Report = Report;
    type Frame = Fixed;

    fn run(frame: &mut Fixed, options: &SmoothOptions) -> Result<Report> {
        let before = Volumes::before(&frame.mesh);
        let done = frame.move_vertices("smoothing", |rx, x| {
            smooth(rx, x, options).map_err(explained(TOO_LARGE))
        })?;
        let volumes = Volumes::of(&before, &frame.mesh);
        Ok(Report { done, volumes })
    }

    fn tell(report: &Report, options: &SmoothOptions, _record: &Record) -> Told {
        let lambda = text::number(options.lambda);
        let factors = match options.mu {
            Some(mu) => format!("Taubin smoothing: lambda {lambda}, mu {}", text::number(mu)),
            None => format!("Laplacian smoothing: lambda {lambda}"),
        };
        let (report, volumes) = (&report.done, &report.volumes);
        let weights = match report.weights {
            SmoothWeights::Uniform => "uniform",
            SmoothWeights::Cotangent => "cotangent",
        };
        let line = format!("{factors}, {weights} weights, {} steps", report.steps);
        Told::new(line + &volumes.line())
    }
}
