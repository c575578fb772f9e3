//! `simplify`: collapses edges until no more than a number of faces is left.

use crate::app::{Application, Told};
use crate::frame::{Conflicts, EditFlags, Editing, rounds};
use crate::record::Record;
use anyhow::{Context, Result, ensure};
use clap::Command;
use rxmesh_host::algo::simplify::{End, SimplifyOptions, SimplifyReport, simplify};

const NO_ORDER: &str = "simplification takes the cheapest edges first, and the speculative engine has no order of \
    changes (ordered updates are no goal of Mahmoud et al. 2024); leave --conflicts at claims";

/// The application.
pub(crate) struct Simplify;

impl Application for Simplify {
    const NAME: &'static str = "simplify";
    const SUMMARY: &'static str = "Simplify a mesh to a number of faces by collapsing edges";
    const HELP: &'static str = "Examples: rxmesh-apps simplify bunny.obj --ratio 0.1 -o small.obj
          rxmesh-apps simplify spot.ply --faces 1000 --validate -o small.ply

Edges collapse to the point of least quadric error (Garland and Heckbert 1997), boundaries are held.
Collapses that would change the topology or turn a face over are refused, and vertices at places that
are not manifold stay; when that leaves more faces than were asked for, the exit code is 3 and the
reasons are listed.";
    const RECORD: &'static [(&'static str, &'static str)] = &[
        (
            "run",
            "`rounds`, `candidates`, `conflicts`, `refused`, `done` (collapses), `finished`",
        ),
        ("faces_before", "faces at the beginning"),
        ("target", "faces that were wanted"),
        ("faces", "faces at the end"),
        ("end", "`reached`, `stuck` or `rounds`"),
        (
            "refused",
            "edges that are left by why (`frozen`, `link`, `fold`, `not_finite`, `bend`), when the number was not \
            reached",
        ),
    ];

    type Options = SimplifyOptions;
    type Report = SimplifyReport;
    type Frame = Editing;

    fn adapt(command: Command) -> Command {
        // There is no choice.
        command.mut_arg("conflicts", |arg| arg.hide(true))
    }

    fn prepare(options: &mut SimplifyOptions, flags: &EditFlags) -> Result<()> {
        options.seed = flags.seed() as u32;
        ensure!(flags.conflicts == Conflicts::Claims, NO_ORDER);
        Ok(())
    }

    fn run(edit: &mut Editing, options: &SimplifyOptions) -> Result<SimplifyReport> {
        edit.work("simplifying", |session, x| {
            let session = session.claims().context(NO_ORDER)?;
            Ok(simplify(session, x, options)?)
        })
    }

    fn tell(report: &SimplifyReport, _options: &SimplifyOptions, _record: &Record) -> Told {
        Told::new(format!(
            "simplified: {} to {} faces ({} wanted), {} collapses, {}",
            report.faces_before,
            report.faces,
            report.target,
            report.run.done,
            rounds(&report.run)
        ))
        .unless_done(report.end == End::Reached, || why(report))
    }
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
        "{left}: {cause} (edges between vertices that stay: {}, that would change the topology: {}, that would turn a \
        face over: {}, that would bend the boundary: {}, with a place that is not finite: {})",
        r.frozen, r.link, r.fold, r.bend, r.not_finite
    )
}
