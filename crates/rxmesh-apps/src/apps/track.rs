//! `track`: explicit surface tracking.

use crate::app::{Application, Message};
use crate::frame::{EditFlags, Editing};
use crate::output::numbered;
use crate::record::Record;
use anyhow::{Result, bail};
use clap::Args;
use rxmesh::on::TrackedFrame;
use rxmesh::text::rounds;
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::algo::track::{TrackOptions, TrackReport};
use serde::Serialize;
use std::path::{Path, PathBuf};

pub(crate) struct Track;

#[derive(Debug, Args, Serialize)]
pub(crate) struct TrackArgs {
    #[command(flatten)]
    #[serde(flatten)]
    tracking: TrackOptions,
    /// Write every frame, numbered, beside the last one
    #[arg(long)]
    sequence: bool,
}

impl Options for TrackArgs {
    fn check(&self) -> Result<(), Error> {
        self.tracking.check()
    }

    fn scale(&mut self, factor: f64) {
        self.tracking.scale(factor);
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct TrackOpReport {
    #[serde(flatten)]
    tracking: TrackReport,
    /// The files of the frames.
    #[serde(skip)]
    files: Vec<PathBuf>,
}

impl Application for Track {
    const NAME: &'static str = "track";
    const SUMMARY: &'static str = "Move a surface with a velocity field, and improve its mesh";
    const HELP: &'static str =
        "Example: rxmesh track sphere.ply --frames 20 --sequence -o flow.ply

The field is curl noise (Bridson et al. 2007), which keeps volumes. After each frame long edges and
those opposite wide angles are split, short ones contracted, edges flipped towards equal valences and
vertices smoothed, much as El Topo does with collisions off (Brochu and Bridson 2009).";
    const RECORD: &'static [(&'static str, &'static str)] = &[
        ("frames", "frames done"),
        ("target_length", "approximate length of edges"),
        (
            "split",
            "`rounds`, `candidates`, `conflicts`, `refused`, `done`, `finished` of the splits",
        ),
        ("collapse", "the same of the contractions"),
        ("flip", "the same of the flips"),
    ];

    const JOINS_SEAMS: bool = true;

    type Options = TrackArgs;
    type Report = TrackOpReport;
    type Frame = Editing;

    fn prepare(args: &mut TrackArgs, flags: &EditFlags) -> Result<()> {
        let output = flags.compute.output.as_deref();
        if args.sequence && output.unwrap_or(&flags.compute.input.mesh) == Path::new("-") {
            bail!("--sequence writes a file a frame, which stdout has no room for");
        }
        // Both halves count.
        let seed = flags.seed();
        args.tracking.seed = (seed ^ seed >> 32) as u32;
        Ok(())
    }

    fn run(edit: &mut Editing, args: &TrackArgs) -> Result<TrackOpReport> {
        let (validate, target) = (edit.validate, &edit.target);
        let on = &mut edit.on;
        let (carried, home, seams) = (on.carried.clone(), on.home, on.seams.clone());
        let mut files = Vec::new();
        let mut each = |frame, now: &dyn TrackedFrame| {
            if validate && let Some(first) = now.faults()?.first() {
                return Err(rxmesh::Error::Message(format!(
                    "frame {frame} is not sound: {first}; this is a bug in rxmesh"
                )));
            }
            if args.sequence {
                let path = numbered(&target.path, frame);
                let mut mesh = now.mesh(&carried)?;
                if let Some(seams) = &seams {
                    mesh = seams.split_again(&mesh)?;
                }
                mesh.return_to(home);
                let links = rxmesh_host::files::Links::Refuse;
                rxmesh_host::io::write_with(&path, &mesh, &target.options, links)?;
                files.push(path);
            }
            Ok(())
        };
        let tracking = on.work(&mut edit.run, "tracking", |session, x| {
            session.track(x, &args.tracking, &mut each)
        })?;
        on.target_length = Some(f64::from(tracking.target_length));
        Ok(TrackOpReport { tracking, files })
    }

    fn convert(report: &mut TrackOpReport, unit: f64) {
        let length = &mut report.tracking.target_length;
        *length = (f64::from(*length) * unit) as f32;
    }

    fn tell(report: &TrackOpReport, args: &TrackArgs, _record: &Record) -> Message {
        let done = &report.tracking;
        let mut lines = format!(
            "tracked for {} frames of {}: {} splits, {} contractions, {} flips, {}\n",
            done.frames,
            args.tracking.time_step,
            done.split.done,
            done.collapse.done,
            done.flip.done,
            rounds(&done.run())
        );
        if let (Some(first), Some(last)) = (report.files.first(), report.files.last()) {
            lines += &format!(
                "wrote the frames {} to {}\n",
                first.display(),
                last.display()
            );
        }
        Message::new(lines)
    }
}
