//! `remesh`: isotropic remeshing.

use crate::app::{Application, Told};
use crate::frame::{Editing, on_session, rounds};
use crate::record::Record;
use crate::text;
use anyhow::Result;
use rxmesh_host::algo::remesh::{RemeshOptions, RemeshReport, remesh};

/// The application.
pub(crate) struct Remesh;

impl Application for Remesh {
    const NAME: &'static str = "remesh";
    const SUMMARY: &'static str = "Make triangles of one size and near to equilateral";
    const HELP: &'static str =
        "Example: rxmesh-apps remesh bunny.obj --target-length 0.3 --project -o even.ply

Splits edges above 4/3 of the target, contracts those below 4/5, flips towards valence 6 (4 on the
boundary) and smooths in the tangent planes, over and over (Botsch and Kobbelt 2004). The boundary
stays. Meshes that are not manifold are refused.";
    const RECORD: &'static [(&'static str, &'static str)] = &[
        ("target_length", "the length that edges should have"),
        (
            "features",
            "edges that were kept as features at the beginning",
        ),
        (
            "split",
            "`rounds`, `candidates`, `conflicts`, `refused`, `done`, `finished` of the splits",
        ),
        ("collapse", "the same of the contractions"),
        ("flip", "the same of the flips"),
    ];

    type Options = RemeshOptions;
    type Report = RemeshReport;
    type Frame = Editing;

    fn run(edit: &mut Editing, options: &RemeshOptions) -> Result<RemeshReport> {
        let report = edit.work("remeshing", |session, x| {
            on_session!(session, |session| Ok(remesh(session, x, options)?))
        })?;
        edit.target_length = Some(f64::from(report.target_length));
        Ok(report)
    }

    fn convert(report: &mut RemeshReport, unit: f64) {
        report.target_length = (f64::from(report.target_length) * unit) as f32;
    }

    fn tell(report: &RemeshReport, _options: &RemeshOptions, _record: &Record) -> Told {
        let all = report.run();
        Told::new(format!(
            "remeshed towards edges of {}: {} splits, {} contractions, {} flips, {}",
            text::number(f64::from(report.target_length)),
            report.split.done,
            report.collapse.done,
            report.flip.done,
            rounds(&all)
        ))
        .unless_done(all.finished, || {
            "the largest number of rounds was reached before all was done".into()
        })
    }
}
