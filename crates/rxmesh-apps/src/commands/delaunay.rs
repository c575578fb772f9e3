//! `delaunay`: flips edges until the mesh is Delaunay.

use super::conflicts::{Conflicts, by_conflicts};
use super::edit::{Editing, rounds};
use crate::Outcome;
use crate::cli::DelaunayArgs;
use anyhow::Result;
use rxmesh_host::algo::delaunay::{DelaunayOptions, delaunay};
use rxmesh_host::edit::Runs;
use rxmesh_host::kernels::algo::delaunay::DelaunayFlip;

pub(super) fn run(args: &DelaunayArgs) -> Result<Outcome> {
    by_conflicts!(args.edit.conflicts, run_with(args))
}

fn run_with<C: Conflicts + Runs<DelaunayFlip>>(args: &DelaunayArgs) -> Result<Outcome> {
    let mut edit = Editing::<C>::open("delaunay", &args.edit, |_, _| Ok(()))?;
    let options = DelaunayOptions {
        max_rounds: args.max_rounds,
        ..DelaunayOptions::default()
    };
    let report = edit.work("flipping", |session, x| Ok(delaunay(session, x, &options)?))?;
    if !report.run.finished {
        edit.run.warn(format!(
            "not finished: after {} rounds {} edges are not Delaunay",
            report.run.rounds, report.left
        ));
    }
    let lines = format!(
        "Delaunay: {} flips, {}, {} edges left, {}\n",
        report.run.done,
        rounds(&report.run),
        report.left + report.frozen,
        edit.duration()
    );
    edit.finish(&report, &lines)?;
    Ok(Outcome::of(report.run.finished))
}
