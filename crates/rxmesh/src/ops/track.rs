//! `track`: moves a surface with a velocity field.

use crate::on::{Connectivity, TrackedFrame};
use crate::{Error, Group, Log, Message, Operation, Result, text};
use rxmesh_host::algo::Options;
use rxmesh_host::algo::track::{TrackOptions, TrackReport};
use rxmesh_host::units;
use serde::Serialize;

/// Moves a surface with a velocity field and keeps its mesh good.
#[derive(Clone, Copy, Debug)]
pub struct Track;

/// Options of [`Track`].
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct TrackArgs {
    /// Options of the algorithm.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub tracking: TrackOptions,
    /// Write every frame, numbered, beside the last one
    #[cfg_attr(feature = "cli", arg(long))]
    pub sequence: bool,
}

units!(TrackArgs { tracking });

impl Options for TrackArgs {
    fn check(&self) -> std::result::Result<(), rxmesh_host::Error> {
        self.tracking.check()
    }
}

impl Operation for Track {
    const NAME: &'static str = "track";
    const GROUP: Group = Group::Reshape;
    const SUMMARY: &'static str = "Move a surface with a velocity field, and improve its mesh";
    const HELP: &'static str = "Example: rxmesh track sphere.ply --frames 20 --sequence -o flow.ply

The field is curl noise (Bridson et al. 2007), which keeps volumes. After each frame long edges and
those opposite wide angles are split, short ones contracted, edges flipped towards equal valences and
vertices smoothed, much as El Topo does with collisions off (Brochu and Bridson 2009). Non-manifold
meshes are refused.";
    const JOINS_SEAMS: bool = true;

    type Options = TrackArgs;
    type Report = TrackReport;
    type On = Connectivity;

    fn prepare(options: &mut TrackArgs, seed: u64) -> Result<()> {
        // Both halves count.
        options.tracking.seed = (seed ^ seed >> 32) as u32;
        Ok(())
    }

    fn gives_frames(options: &TrackArgs) -> bool {
        options.sequence
    }

    fn run(on: &mut Connectivity, options: &TrackArgs, log: &mut dyn Log) -> Result<TrackReport> {
        let mut wants = on.wants_frame.take();
        let mut frames = on
            .frames
            .take()
            .filter(|_| options.sequence || wants.is_some());
        let validate = on.validates_frames;
        let (carried, home, seams) = (on.carried.clone(), on.home, on.seams.clone());
        let mut each = |frame, now: &dyn TrackedFrame| {
            if validate && let Some(first) = now.faults()?.first() {
                return Err(Error::Message(format!(
                    "frame {frame} is not sound: {first}; this is a bug in rxmesh"
                )));
            }
            let is_wanted = wants.as_mut().is_none_or(|wants| wants());
            if let (Some(show), Some(carried)) = (&mut frames, &carried)
                && is_wanted
            {
                let mut mesh = now.mesh(carried)?;
                if let Some(seams) = &seams {
                    mesh = seams.split_again(&mesh)?;
                }
                mesh.return_to(home);
                show(frame, &mesh)?;
            }
            Ok(())
        };
        let report = on.work(log, "tracking", |session, x| {
            session.track(x, &options.tracking, &mut each)
        })?;
        on.target_length = Some(f64::from(report.target_length));
        Ok(report)
    }

    fn describe(report: &TrackReport, options: &TrackArgs) -> Message {
        Message::new(format!(
            "tracked for {} frames of {}: {} splits, {} contractions, {} flips, {}\n",
            report.frames,
            options.tracking.time_step,
            report.split.done,
            report.collapse.done,
            report.flip.done,
            text::rounds(&report.run())
        ))
    }
}
