//! `geodesic`: distances along the surface.

use super::session::{Session, explained};
use super::text;
use crate::Outcome;
use crate::cli::GeodesicArgs;
use crate::output::Gives;
use crate::report::{GeodesicRecord, Report};
use anyhow::Result;
use rxmesh_host::algo::geodesic::{GeodesicOptions, geodesic};

const TOO_LARGE: &str = "coordinates are too large to measure distances";

pub(super) fn run(args: &GeodesicArgs) -> Result<Outcome> {
    let mut s = Session::open("geodesic", &args.compute, Gives::Columns)?;
    let options = GeodesicOptions {
        threshold: args.threshold,
        max_iterations: args.max_iter,
    };
    let (mut distance, report) = s.compute("measuring distances", |rx, x| {
        geodesic(rx, x, &args.source, &options).map_err(explained(TOO_LARGE))
    })?;
    s.add_columns([("distance", &mut distance)])?;
    s.write()?;
    let unreached = s.mesh.vertex_count() as u64 - u64::from(report.reached);
    if unreached > 0 {
        s.run.warn(format!(
            "{unreached} vertices are not connected to a source: their distance is infinite"
        ));
    }
    if !report.converged {
        let output = s.output();
        s.run.warn(format!(
            "not converged: some distances still changed after {} iterations; {output} holds the unfinished result",
            report.iterations
        ));
    }
    s.run.record.report = Some(Report::Geodesic(GeodesicRecord {
        sources: args.source.clone(),
        threshold: args.threshold,
        unreached,
        report,
    }));
    let line = format!(
        "geodesic distance: {} reached, largest {}, {} levels, {} iterations",
        report.reached,
        text::number(report.max_distance),
        report.levels,
        report.iterations
    );
    s.run.finish_with(&line)?;
    Ok(Outcome::of(report.converged))
}
