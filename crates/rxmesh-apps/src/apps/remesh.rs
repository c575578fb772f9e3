//! `remesh`: isotropic remeshing.

use crate::app::{Application, Told};
use crate::frame::{EditFlags, Editing, on_session, rounds};
use crate::record::Record;
use crate::text;
use anyhow::Result;
use clap::Args;
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::algo::remesh::{RemeshOptions, RemeshReport, remesh};
use serde::Serialize;

/// The application.
pub(crate) struct Remesh;

#[derive(Debug, Args, Serialize)]
pub(crate) struct RemeshArgs {
    #[command(flatten)]
    #[serde(flatten)]
    remeshing: RemeshOptions,
    /// Keep no sharp edges
    #[arg(long, conflicts_with = "keep_features")]
    #[serde(skip)]
    no_features: bool,
    /// What is done anyhow: accepted from the time when it was not
    #[arg(long = "project", hide = true, conflicts_with = "project")]
    #[serde(skip)]
    projects: bool,
}

impl Options for RemeshArgs {
    fn check(&self) -> Result<(), Error> {
        self.remeshing.check()
    }

    fn scale(&mut self, factor: f64) {
        self.remeshing.scale(factor);
    }
}

impl Application for Remesh {
    const NAME: &'static str = "remesh";
    const SUMMARY: &'static str = "Make triangles of one size and near to equilateral";
    const HELP: &'static str =
        "Example: rxmesh-apps remesh bunny.obj --faces 10000 -o even.ply

Splits edges above 4/3 of the target, contracts those below 4/5, flips towards valence 6 (4 on the
boundary), smooths in the tangent planes and moves vertices back to the input, over and over (Botsch
and Kobbelt 2004). The boundary and sharp edges stay. With --adaptive edges are shorter where the surface
is curved (Dunyach et al. 2013). Meshes that are not manifold are refused.";
    const SEVERAL: bool = true;
    const RECORD: &'static [(&'static str, &'static str)] = &[
        ("target_length", "the length that edges should have"),
        (
            "features",
            "edges that were kept as features at the beginning",
        ),
        ("iterations", "iterations done"),
        ("faces", "faces of the result"),
        (
            "expected_faces",
            "the faces that were asked for, or as many triangles of the target length as the area has room for",
        ),
        (
            "length_over_target",
            "the mean length of edges over the length that they should have",
        ),
        (
            "on_target",
            "whether lengths and faces are near what was asked for",
        ),
        (
            "split",
            "`rounds`, `candidates`, `conflicts`, `refused`, `done`, `finished` of the splits",
        ),
        ("collapse", "the same of the contractions"),
        ("flip", "the same of the flips"),
    ];

    type Options = RemeshArgs;
    type Report = RemeshReport;
    type Frame = Editing;

    fn prepare(args: &mut RemeshArgs, _flags: &EditFlags) -> Result<()> {
        if args.no_features {
            args.remeshing.keep_features = None;
        }
        Ok(())
    }

    fn run(edit: &mut Editing, args: &RemeshArgs) -> Result<RemeshReport> {
        let report = edit.work("remeshing", |session, x| {
            on_session!(session, |session| Ok(remesh(session, x, &args.remeshing)?))
        })?;
        edit.target_length = Some(f64::from(report.target_length));
        Ok(report)
    }

    fn convert(report: &mut RemeshReport, unit: f64) {
        report.target_length = (f64::from(report.target_length) * unit) as f32;
    }

    fn tell(report: &RemeshReport, _args: &RemeshArgs, _record: &Record) -> Told {
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
            "not all was done: the largest number of rounds was reached, or the work no longer got on"
                .into()
        })
        .unless_done(report.on_target, || {
            format!(
                "the result is not what was asked for: edges are {:.2} of their target on average, and there are {} \
                faces in place of {:.0}; sharp edges, boundaries and parts that are finer than the target stay as \
                fine as they are",
                report.length_over_target, report.faces, report.expected_faces
            )
        })
    }
}
