//! `simplify`: collapses edges until no more than a number of faces is left.

use super::edit::{Editing, rounds};
use crate::Outcome;
use crate::cli::{ConflictsChoice, CostChoice, SimplifyArgs};
use anyhow::{Context, Result, ensure};
use rxmesh_host::algo::simplify::{Cost, End, SimplifyOptions, SimplifyReport, Target, simplify};
use rxmesh_host::edit::Claims;

pub(super) fn run(args: &SimplifyArgs) -> Result<Outcome> {
    ensure!(
        args.edit.conflicts == ConflictsChoice::Claims,
        "simplification takes the cheapest edges first, and the speculative engine has no order of changes (ordered updates are no goal of Mahmoud et al. 2024); leave --conflicts at claims"
    );
    let target = match (args.faces, args.ratio) {
        (Some(n), _) => Target::Faces(n),
        (None, ratio) => Target::Ratio(ratio.context("neither --faces nor --ratio")?),
    };
    let options = SimplifyOptions {
        target,
        cost: match args.cost {
            CostChoice::Quadric => Cost::Quadric,
            CostChoice::Length => Cost::Length,
        },
        quantile: args.quantile,
        seed: args.edit.compute.patch.seed.seed as u32,
        max_rounds: args.max_rounds,
    };
    let mut edit = Editing::<Claims>::open("simplify", &args.edit, |mesh, _| {
        Ok(options.check(mesh.face_count() as u32)?)
    })?;
    let report = edit.work("simplifying", |session, x| {
        Ok(simplify(session, x, &options)?)
    })?;
    let reached = report.end == End::Reached;
    if !reached {
        edit.run.warn(why(&report));
    }
    let lines = format!(
        "simplified: {} to {} faces ({} wanted), {} collapses, {}, {}\n",
        report.faces_before,
        report.faces,
        report.target,
        report.run.done,
        rounds(&report.run),
        edit.duration()
    );
    edit.finish(&report, &lines)?;
    Ok(Outcome::of(reached))
}

/// Why there are more faces than wanted.
fn why(report: &SimplifyReport) -> String {
    let r = &report.refused;
    let left = format!(
        "{} faces are left, {} were wanted",
        report.faces, report.target
    );
    let cause = match report.end {
        End::Rounds => "the rounds are used up",
        _ => "every edge that is left is refused",
    };
    format!(
        "{left}: {cause} (edges at frozen faces: {}, that would change the topology: {}, that would turn a face over: {}, with a place that is not finite: {})",
        r.frozen, r.link, r.fold, r.not_finite
    )
}
