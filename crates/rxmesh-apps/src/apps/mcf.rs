//! `mcf`: mean curvature flow.

use crate::app::{Application, Told};
use crate::frame::{Fixed, explained};
use crate::record::Record;
use crate::text;
use crate::volume::Volumes;
use anyhow::Result;
use rxmesh_host::algo::mcf::{McfOptions, McfReport, mean_curvature_flow};
use serde::Serialize;

const TOO_LARGE: &str = "coordinates or time step are too large or too small to smooth";

#[derive(Debug, Serialize)]
pub(crate) struct Report {
    #[serde(flatten)]
    done: McfReport,
    #[serde(flatten)]
    volumes: Volumes,
}

/// The application.
pub(crate) struct Mcf;

impl Application for Mcf {
    const NAME: &'static str = "mcf";
    const SUMMARY: &'static str = "Smooth a mesh by mean curvature flow";
    const HELP: &'static str = "Examples: rxmesh-apps mcf bunny.obj -o smooth.ply
          rxmesh-apps mcf bunny.obj --time-step 0.15 -o smoother.ply

Solves (2 A + DT L) x = 2 A x0 by conjugate gradients, with cotangent weights and mixed areas of the input
(RXMesh 2021, listing 4). Where triangles are needles they go on with multigrid. Every step takes volume, the
longer the more: how much stands in the output.
Normals of the input are computed anew; everything else that it carries goes out unchanged.";
    const SEVERAL: bool = true;
    const RECORD: &'static [(&'static str, &'static str)] = &[
        ("time_step", "the time step, given or not"),
        ("iterations", "iterations done"),
        ("cycles", "how many of them multigrid preconditioned"),
        ("residual", "square root of r.r over r0.r0 at the end"),
        ("converged", "whether it is below the tolerance"),
        (
            "volume_before",
            "signed volume of the input; of an open mesh that of the cones from its middle",
        ),
        ("volume_after", "the same of the output"),
    ];

    type Options = McfOptions;
    type Report = Report;
    type Frame = Fixed;

    fn run(frame: &mut Fixed, options: &McfOptions) -> Result<Report> {
        let before = Volumes::before(&frame.mesh);
        let done = frame.move_vertices("smoothing", |rx, x| {
            mean_curvature_flow(rx, x, options).map_err(explained(TOO_LARGE))
        })?;
        let volumes = Volumes::of(&before, &frame.mesh);
        Ok(Report { done, volumes })
    }

    fn convert(report: &mut Report, unit: f64) {
        report.done.time_step *= unit * unit;
    }

    fn tell(report: &Report, options: &McfOptions, record: &Record) -> Told {
        let (report, volumes) = (&report.done, &report.volumes);
        let cycles = match report.cycles {
            0 => String::new(),
            n => format!(" ({n} with multigrid)"),
        };
        let line = format!(
            "mean curvature flow: time step {}, {} iterations{cycles}, residual {:.2e}",
            text::number(report.time_step),
            report.iterations,
            report.residual
        );
        Told::new(line + &volumes.line()).unless_done(report.converged, || {
            format!(
                "not converged: after {} iterations the residual is {:.3e}, {:.3e} was asked for; {} holds the \
                unfinished result",
                report.iterations,
                report.residual,
                options.tolerance,
                record.output_path()
            )
        })
    }
}
