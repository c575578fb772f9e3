//! `smooth`: Laplacian and Taubin smoothing.

use super::session::{Session, explained};
use super::text;
use crate::cli::{SmoothArgs, WeightsChoice};
use crate::output::Gives;
use crate::report::{Report, SmoothRecord};
use anyhow::Result;
use rxmesh_host::algo::smooth::{SmoothOptions, SmoothWeights, smooth};

const TOO_LARGE: &str = "coordinates are too large to smooth";

pub(super) fn run(args: &SmoothArgs) -> Result<()> {
    let mut s = Session::open("smooth", &args.compute, Gives::Mesh)?;
    let options = options(args);
    let report = s.move_vertices("smoothing", |rx, x| {
        smooth(rx, x, &options).map_err(explained(TOO_LARGE))
    })?;
    s.write()?;
    s.run.record.report = Some(Report::Smooth(SmoothRecord {
        lambda: options.lambda,
        mu: options.mu,
        report,
    }));
    let factors = match options.mu {
        Some(mu) => format!(
            "Taubin smoothing: lambda {}, mu {}",
            text::number(options.lambda),
            text::number(mu)
        ),
        None => format!(
            "Laplacian smoothing: lambda {}",
            text::number(options.lambda)
        ),
    };
    let weights = match report.weights {
        SmoothWeights::Uniform => "uniform",
        SmoothWeights::Cotangent => "cotangent",
    };
    s.run.finish_with(&format!(
        "{factors}, {weights} weights, {} steps",
        report.steps
    ))
}

fn options(args: &SmoothArgs) -> SmoothOptions {
    let defaults = if args.taubin {
        SmoothOptions::taubin(args.iterations)
    } else {
        SmoothOptions::default()
    };
    SmoothOptions {
        lambda: args.lambda.unwrap_or(defaults.lambda),
        mu: args.mu.or(defaults.mu),
        iterations: args.iterations,
        weights: match args.weights {
            WeightsChoice::Uniform => SmoothWeights::Uniform,
            WeightsChoice::Cotangent => SmoothWeights::Cotangent,
        },
        keep_boundary: !args.move_boundary,
    }
}
