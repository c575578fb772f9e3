//! `repair`: removes defects that prevent edits of a mesh.

use crate::app::{Application, Message};
use crate::cli::{EncodingArgs, InputArgs};
use crate::frame::{Tool, counts, holes_left, passes, repaired};
use crate::input;
use crate::output::OutputTarget;
use crate::record::Record;
use crate::text;
use anyhow::Result;
use clap::{Args, ValueHint};
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::io::Format;
use rxmesh_host::mesh::{Findings, self_intersections};
use rxmesh_host::repair::{RepairOptions, RepairReport};
use serde::Serialize;
use std::path::PathBuf;

const OUTPUT: &str =
    "Output file [default: <input>_repair in the input's format, in the current folder]";

pub(crate) struct Repair;

#[derive(Debug, Args, Serialize)]
pub(crate) struct RepairArgs {
    #[command(flatten)]
    #[serde(skip)]
    input: InputArgs,
    #[arg(short, long, help = OUTPUT, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[serde(skip)]
    output: Option<PathBuf>,
    #[command(flatten)]
    #[serde(skip)]
    encoding: EncodingArgs,
    #[command(flatten)]
    #[serde(flatten)]
    repair: RepairOptions,
}

impl Options for RepairArgs {
    fn check(&self) -> Result<(), Error> {
        self.repair.check()
    }
}

#[derive(Debug, Serialize)]
pub(crate) struct RepairOpReport {
    repair: RepairReport,
    /// Requested repairs that could not be done.
    undone: Vec<String>,
    /// Faces of the result that intersect.
    self_intersections: Findings<[u32; 2]>,
}

impl Application for Repair {
    const NAME: &'static str = "repair";
    const SUMMARY: &'static str =
        "Make a mesh manifold and consistently oriented, close gaps and fill holes";
    const HELP: &'static str = "Examples: rxmesh repair teapot.obj -o clean.ply
          rxmesh repair spot.ply --weld=0.001% --watertight -o solid.ply
          rxmesh repair ant.ply --min-component 20 --skip outward -o parts.ply

The passes, unless skipped: vertices at one place are united; faces without area are removed without
leaving a hole; of equal faces one is kept, of walls between two solids none; at edges of more than two
faces, and vertices of several fans, each sheet gets separate vertices; faces are oriented like their
neighbours, closed components outwards, those inside another one inwards; isolated vertices are
removed. The data of the mesh is carried. Gaps and holes are closed on request only, and intersecting
faces are counted, not changed.

If a request could not be met, the result is written and the exit code is 3.";
    const RECORD: &'static [(&'static str, &'static str)] = &[
        (
            "repair",
            "`before` and `after` (counts of elements and of defects), and the report of each pass: `weld`, \
            `degenerate`, `duplicates`, `split`, `orient`, `small`, `gaps`, `holes`, `outward`, `unused`; `null` for a \
            pass that was not done",
        ),
        ("undone", "requests that could not be met"),
        (
            "self_intersections",
            "pairs of faces of the result that intersect: `count`, and the `first` ten",
        ),
    ];

    type Options = RepairArgs;
    type Report = RepairOpReport;
    type Frame = Tool;

    fn run(Tool { run }: &mut Tool, args: &RepairArgs) -> Result<RepairOpReport> {
        let output = args.output.clone().unwrap_or_else(|| beside(args));
        let mut target = OutputTarget::new(&output, &args.encoding, run.console.json_file())?;
        if args.output.is_none() {
            target = target.unnamed()?;
        }
        run.leads_to(&target);
        let input = run.read(&args.input.mesh, args.input.triangulate.triangulate)?;
        let mut mesh = input.loaded.mesh;
        // Far from the origin new vertices lie between the 32-bit floats.
        let home = mesh.normalise();
        let report = repaired(run, &mut mesh, &args.repair)?;
        let (self_intersections, _) = run.stage("looking for intersections", || {
            Ok(self_intersections(&mesh))
        })?;
        mesh.return_to(home);
        run.write(&target, &mesh)?;
        let copies = report.split.is_some_and(|s| s.copies > 0);
        if copies && Format::of_name(&target.path) == Some(Format::Stl) {
            run.warn(format!(
                "{}: STL names no vertices, so whoever reads it unites the copies again that were made of vertices",
                target.path.display()
            ));
        }
        Ok(RepairOpReport {
            undone: report.undone(&args.repair),
            repair: report,
            self_intersections,
        })
    }

    fn tell(report: &RepairOpReport, _args: &RepairArgs, record: &Record) -> Message {
        let r = &report.repair;
        let told = text::input(record)
            + &counts("before", &r.before)
            + &passes(r)
            + &holes_left(r)
            + &counts("after", &r.after)
            + &intersecting(&report.self_intersections)
            + &text::output(record);
        Message::new(told).unless_done(report.undone.is_empty(), || {
            format!("not repaired: {}", report.undone.join(", "))
        })
    }
}

/// Returns a line on the intersecting faces, empty without any.
fn intersecting(pairs: &Findings<[u32; 2]>) -> String {
    match (pairs.count, pairs.first.first()) {
        (n, Some([f, g])) => {
            let least = if pairs.at_least { "at least " } else { "" };
            format!(
                "left: {least}{n} pairs of faces that intersect, first {f} and {g} (counted from 0)\n"
            )
        }
        _ => String::new(),
    }
}

/// Returns the default name of the output.
fn beside(args: &RepairArgs) -> PathBuf {
    let mesh = &args.input.mesh;
    // A mesh from stdin goes to stdout.
    if input::is_stdin(mesh) {
        return mesh.clone();
    }
    let format = input::format(mesh).unwrap_or(Format::Obj);
    let mut name = input::stem(mesh);
    name.push(format!("_repair.{}", format.extension()));
    name.into()
}
