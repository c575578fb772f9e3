//! `delaunay`: flips edges until the mesh is Delaunay.

use crate::on::Connectivity;
use crate::{Group, Log, Message, Operation, Result, on_session, text};
use rxmesh_host::algo::delaunay::{DelaunayOptions, DelaunayReport, delaunay};

/// Flips edges until the mesh is Delaunay.
#[derive(Clone, Copy, Debug)]
pub struct Delaunay;

impl Operation for Delaunay {
    const NAME: &'static str = "delaunay";
    const GROUP: Group = Group::Reshape;
    const SUMMARY: &'static str = "Flip edges until the mesh is Delaunay";
    const HELP: &'static str = "Examples: rxmesh delaunay bunny.obj -o bunny_delaunay.ply
          rxmesh delaunay spot.ply --conflicts speculative -o spot_delaunay.ply";
    const SEVERAL: bool = true;
    type Options = DelaunayOptions;
    type Report = DelaunayReport;
    type On = Connectivity;

    fn run(
        on: &mut Connectivity,
        options: &DelaunayOptions,
        log: &mut dyn Log,
    ) -> Result<DelaunayReport> {
        on.work(log, "flipping", |session, x| {
            on_session!(session, |session| Ok(delaunay(session, x, options)?))
        })
    }

    fn describe(report: &DelaunayReport, _options: &DelaunayOptions) -> Message {
        Message::new(format!(
            "Delaunay: {} flips, {}, {} edges left",
            report.run.done,
            text::rounds(&report.run),
            report.left + report.frozen
        ))
        .unless_done(report.run.finished, || {
            format!(
                "not finished: after {} rounds {} edges are not Delaunay",
                report.run.rounds, report.left
            )
        })
    }
}
