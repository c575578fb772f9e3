//! `mcf`: mean curvature flow.

use super::session::{Session, explained};
use super::text;
use crate::Outcome;
use crate::cli::McfArgs;
use crate::output::Gives;
use crate::report::{McfRecord, Report};
use anyhow::Result;
use rxmesh_host::algo::mcf::{McfOptions, Preconditioner, Weights, mean_curvature_flow};

const TOO_LARGE: &str = "coordinates or time step are too large or too small to smooth";

pub(super) fn run(args: &McfArgs) -> Result<Outcome> {
    let mut s = Session::open("mcf", &args.compute, Gives::Mesh)?;
    let options = McfOptions {
        time_step: args.time_step,
        tolerance: args.tol,
        max_iterations: args.max_iter,
        weights: match args.matrix_free {
            true => Weights::OnTheFly,
            false => Weights::Assembled,
        },
        preconditioner: match args.no_preconditioner {
            true => Preconditioner::None,
            false => Preconditioner::Jacobi,
        },
    };
    let report = s.move_vertices("smoothing", |rx, x| {
        mean_curvature_flow(rx, x, &options).map_err(explained(TOO_LARGE))
    })?;
    s.write()?;
    s.run.record.report = Some(Report::Mcf(McfRecord {
        tolerance: args.tol,
        max_iterations: args.max_iter,
        matrix_free: args.matrix_free,
        preconditioner: !args.no_preconditioner,
        report,
    }));
    if !report.converged {
        let output = s.output();
        s.run.warn(format!(
            "not converged: after {} iterations the residual is {:.3e}, {:.3e} was asked for; {output} holds the unfinished result",
            report.iterations, report.residual, args.tol
        ));
    }
    let line = format!(
        "mean curvature flow: time step {}, {} iterations, residual {:.2e}",
        text::number(report.time_step),
        report.iterations,
        report.residual
    );
    s.run.finish_with(&line)?;
    Ok(Outcome::of(report.converged))
}
