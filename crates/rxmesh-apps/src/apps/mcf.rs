//! `mcf`: mean curvature flow.

use crate::app::{Application, Told};
use crate::frame::{Fixed, explained};
use crate::record::Record;
use crate::text;
use anyhow::Result;
use rxmesh_host::algo::mcf::{McfOptions, McfReport, mean_curvature_flow};

const TOO_LARGE: &str = "coordinates or time step are too large or too small to smooth";

/// The application.
pub(crate) struct Mcf;

impl Application for Mcf {
    const NAME: &'static str = "mcf";
    const SUMMARY: &'static str = "Smooth a mesh by mean curvature flow";
    const HELP: &'static str = "Example: rxmesh-apps mcf bunny.obj --time-step 0.001 -o smooth.ply

Solves (2 A + DT L) x = 2 A x0 by conjugate gradients, with cotangent weights and mixed areas of the input.
Normals of the input are computed anew; everything else that it carries goes out unchanged.";
    const RECORD: &'static [(&'static str, &'static str)] = &[
        ("time_step", "the time step, given or not"),
        ("iterations", "iterations done"),
        ("residual", "square root of r.r over r0.r0 at the end"),
        ("converged", "whether it is below the tolerance"),
    ];

    type Options = McfOptions;
    type Report = McfReport;
    type Frame = Fixed;

    fn run(frame: &mut Fixed, options: &McfOptions) -> Result<McfReport> {
        frame.move_vertices("smoothing", |rx, x| {
            mean_curvature_flow(rx, x, options).map_err(explained(TOO_LARGE))
        })
    }

    fn convert(report: &mut McfReport, unit: f64) {
        report.time_step *= unit * unit;
    }

    fn tell(report: &McfReport, options: &McfOptions, record: &Record) -> Told {
        Told::new(format!(
            "mean curvature flow: time step {}, {} iterations, residual {:.2e}",
            text::number(report.time_step),
            report.iterations,
            report.residual
        ))
        .unless_done(report.converged, || {
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
