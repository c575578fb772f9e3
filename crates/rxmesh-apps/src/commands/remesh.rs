//! `remesh`: isotropic remeshing.

use super::conflicts::{Conflicts, by_conflicts};
use super::edit::{Editing, rounds};
use super::text;
use crate::Outcome;
use crate::cli::RemeshArgs;
use anyhow::Result;
use rxmesh_host::algo::remesh::{RemeshOptions, Remeshes, remesh};

pub(super) fn run(args: &RemeshArgs) -> Result<Outcome> {
    by_conflicts!(args.edit.conflicts, run_with(args))
}

fn run_with<C: Conflicts + Remeshes>(args: &RemeshArgs) -> Result<Outcome> {
    let options = RemeshOptions {
        target_length: args.target_length.map(|l| l as f32),
        iterations: args.iterations,
        keep_features: args.keep_features.map(|a| a as f32),
        project: args.project,
        ..RemeshOptions::default()
    };
    options.check()?;
    let mut edit = Editing::<C>::open("remesh", &args.edit, |_, _| Ok(()))?;
    let report = edit.work("remeshing", |session, x| Ok(remesh(session, x, &options)?))?;
    edit.target_length = Some(f64::from(report.target_length));
    let all = report.run();
    if !all.finished {
        edit.run
            .warn("the largest number of rounds was reached before all was done".into());
    }
    let lines = format!(
        "remeshed towards edges of {}: {} splits, {} contractions, {} flips, {}, {}\n",
        text::number(f64::from(report.target_length)),
        report.split.done,
        report.collapse.done,
        report.flip.done,
        rounds(&all),
        edit.duration()
    );
    edit.finish(&report, &lines)?;
    Ok(Outcome::of(all.finished))
}
