//! `smooth`: Laplacian and Taubin smoothing.

use crate::error::explained;
use crate::on::Vertices;
use crate::{Group, Log, Message, Operation, Result, Volumes, text};
use rxmesh_host::algo::laplacian::{SmoothOptions, SmoothReport, SmoothWeights, smooth};
use rxmesh_host::units;
use serde::Serialize;

const TOO_LARGE: &str = "coordinates are too large to smooth";

/// Report of [`Smooth`].
#[derive(Debug, Serialize)]
pub struct SmoothOpReport {
    /// Report of the algorithm.
    #[serde(flatten)]
    pub done: SmoothReport,
    /// Volumes before and after.
    #[serde(flatten)]
    pub volumes: Volumes,
}

units!(SmoothOpReport { done, volumes });

/// Smooths by Laplacian or Taubin smoothing.
#[derive(Clone, Copy, Debug)]
pub struct Smooth;

impl Operation for Smooth {
    const NAME: &'static str = "smooth";
    const GROUP: Group = Group::Smooth;
    const SUMMARY: &'static str = "Smooth a mesh by Laplacian or Taubin smoothing";
    const HELP: &'static str = "Examples: rxmesh smooth bunny.obj --iterations 20 -o smooth.obj
          rxmesh smooth bunny.obj --taubin --weights cotangent -o smooth.obj

Each step moves a vertex by a part of the way to the mean of its neighbours (Taubin 1995). Normals of
the input are recomputed.";
    const SEVERAL: bool = true;
    const JOINS_SEAMS: bool = true;
    const RECORD: &'static [(&'static str, &'static str)] = &[
        ("weights", "weights of the neighbours"),
        ("steps", "steps of either kind done"),
        (
            "volume_before",
            "signed volume of the input; for an open mesh that of the cones from its middle",
        ),
        ("volume_after", "the same of the output"),
    ];

    type Options = SmoothOptions;
    type Report = SmoothOpReport;
    type On = Vertices;

    fn run(
        on: &mut Vertices,
        options: &SmoothOptions,
        log: &mut dyn Log,
    ) -> Result<SmoothOpReport> {
        let before = on.volume()?;
        let done = on.move_vertices(log, "smoothing", |rx, x| {
            smooth(rx, x, options).map_err(explained(TOO_LARGE))
        })?;
        let volumes = Volumes::new(before, on.volume()?);
        Ok(SmoothOpReport { done, volumes })
    }

    fn describe(report: &SmoothOpReport, options: &SmoothOptions) -> Message {
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
        Message::new(line + &volumes.line())
    }
}
