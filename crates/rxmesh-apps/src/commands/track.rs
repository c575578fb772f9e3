//! `track`: explicit surface tracking.

use super::conflicts::{Conflicts, by_conflicts};
use super::edit::{Editing, rounds};
use crate::Outcome;
use crate::cli::TrackArgs;
use crate::output::numbered;
use anyhow::{Result, bail};
use rxmesh_host::algo::remesh::Remeshes;
use rxmesh_host::algo::track::{TrackOptions, track};
use rxmesh_host::edit::Runs;
use rxmesh_host::kernels::algo::noise::CurlNoise;
use rxmesh_host::kernels::algo::track::SplitStretched;

pub(super) fn run(args: &TrackArgs) -> Result<Outcome> {
    by_conflicts!(args.edit.conflicts, run_with(args))
}

fn run_with<C: Conflicts + Remeshes + Runs<SplitStretched>>(args: &TrackArgs) -> Result<Outcome> {
    let options = TrackOptions {
        frames: args.frames,
        target_length: args.target_length.map(|l| l as f32),
        time_step: args.time_step as f32,
        field: CurlNoise {
            frequency: (1.0 / args.noise_scale) as f32,
            speed: args.speed as f32,
            // Both halves count.
            seed: (args.edit.compute.patch.seed.seed ^ args.edit.compute.patch.seed.seed >> 32)
                as u32,
        },
        ..TrackOptions::default()
    };
    options.check()?;
    let mut edit = Editing::<C>::open("track", &args.edit, |_, _| Ok(()))?;
    let (validate, x) = (args.edit.validate, edit.x);
    let (target, carried) = (edit.target.clone(), edit.carried.clone());
    let mut sequence = Vec::new();
    let report = edit.work("tracking", |session, _| {
        track(session, x, &options, |frame, session| {
            if validate && let Some(first) = session.validate()?.first() {
                bail!("frame {frame} is not sound: {first}; this is a bug in rxmesh");
            }
            if args.sequence {
                let path = numbered(&target.path, frame);
                rxmesh_host::io::write(&path, &carried.mesh(session)?.0, &target.options)?;
                sequence.push(path);
            }
            Ok(())
        })
    })?;
    edit.target_length = Some(f64::from(report.target_length));
    let mut lines = format!(
        "tracked for {} frames of {}: {} splits, {} contractions, {} flips, {}, {}\n",
        report.frames,
        args.time_step,
        report.split.done,
        report.collapse.done,
        report.flip.done,
        rounds(&report.run()),
        edit.duration()
    );
    if let (Some(first), Some(last)) = (sequence.first(), sequence.last()) {
        lines += &format!(
            "wrote the frames {} to {}\n",
            first.display(),
            last.display()
        );
    }
    edit.finish(&report, &lines)?;
    Ok(Outcome::Success)
}
