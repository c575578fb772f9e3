//! `smooth`: Laplacian and Taubin smoothing.

use crate::app::{Application, Told};
use crate::frame::{Fixed, explained};
use crate::record::Record;
use crate::text;
use anyhow::Result;
use rxmesh_host::algo::smooth::{SmoothOptions, SmoothReport, SmoothWeights, smooth};

const TOO_LARGE: &str = "coordinates are too large to smooth";

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
    const RECORD: &'static [(&'static str, &'static str)] = &[
        ("weights", "how neighbours counted"),
        ("steps", "steps of either kind done"),
    ];

    type Options = SmoothOptions;
    type Report = SmoothReport;
    type Frame = Fixed;

    fn run(frame: &mut Fixed, options: &SmoothOptions) -> Result<SmoothReport> {
        frame.move_vertices("smoothing", |rx, x| {
            smooth(rx, x, options).map_err(explained(TOO_LARGE))
        })
    }

    fn tell(report: &SmoothReport, options: &SmoothOptions, _record: &Record) -> Told {
        let lambda = text::number(options.lambda);
        let factors = match options.mu {
            Some(mu) => format!("Taubin smoothing: lambda {lambda}, mu {}", text::number(mu)),
            None => format!("Laplacian smoothing: lambda {lambda}"),
        };
        let weights = match report.weights {
            SmoothWeights::Uniform => "uniform",
            SmoothWeights::Cotangent => "cotangent",
        };
        Told::new(format!(
            "{factors}, {weights} weights, {} steps",
            report.steps
        ))
    }
}
