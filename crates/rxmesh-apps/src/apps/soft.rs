//! `soft`: simulates a falling or hanging volume.

use super::shortcut::{self, MeshBox, ShortcutArgs, ShortcutBody, Similar};
use super::simulate::RECORD;
use crate::app::{Application, Message};
use crate::record::Record;
use crate::run::Run;
use anyhow::Result;
use clap::{Args, ValueEnum};
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use serde::Serialize;

pub(crate) struct Soft;

#[derive(Debug, Args, Serialize)]
pub(crate) struct SoftArgs {
    #[command(flatten)]
    #[serde(flatten)]
    shortcut: ShortcutArgs,
    /// Solver of the motion
    #[arg(long, value_name = "SOLVER", value_enum, default_value = "implicit")]
    solver: SoftSolver,
    /// Fix the highest hundredth, in place of letting the body fall
    #[arg(long)]
    pin_top: bool,
}

#[derive(Clone, Copy, Debug, Serialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
enum SoftSolver {
    /// Implicit Euler by Newton's method
    Implicit,
    /// Masses and springs along the edges, by implicit Euler
    Springs,
    /// Projective dynamics
    Projective,
    /// XPBD
    Xpbd,
    /// Vertex block descent
    Vbd,
}

impl SoftSolver {
    /// Young's modulus of a body of two metres. The energies of springs and of projective dynamics do not resist a
    /// change of volume as a material does: they are stiffer, so that they keep theirs.
    fn young(self) -> f64 {
        match self {
            SoftSolver::Implicit | SoftSolver::Xpbd | SoftSolver::Vbd => 1e5,
            SoftSolver::Springs => 3e5,
            SoftSolver::Projective => 6e5,
        }
    }

    /// Returns the line of the scene that chooses the solver.
    fn key(self, similar: Similar) -> String {
        match self {
            SoftSolver::Implicit => "solver.implicit = { newton = 3, linear = 50 }\n".into(),
            SoftSolver::Springs => {
                "solver.implicit = { elasticity = \"springs\", newton = 3, linear = 50 }\n".into()
            }
            // The solver damps little by itself: without this the body bounces for long.
            SoftSolver::Projective => format!(
                "solver.projective = {{ rounds = 5, iterations = 30, damping = {:?} }}\n",
                similar.rate(1.0)
            ),
            SoftSolver::Xpbd => {
                "solver.xpbd = { iterations = 20, order = \"patch-colours\" }\n".into()
            }
            SoftSolver::Vbd => "solver.vbd = { iterations = 30 }\n".into(),
        }
    }
}

impl Options for SoftArgs {
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

impl Application for Soft {
    const NAME: &'static str = "soft";
    const SUMMARY: &'static str = "Simulate a volume as a falling or hanging soft body";
    const HELP: &'static str = "Examples: rxmesh generate ball -n 4 -o ball.msh
          rxmesh soft ball.msh --frames fallen
          rxmesh soft ball.msh --solver vbd --pin-top --steps 100 --frames hung
          rxmesh soft ball.msh --print-scene

The body falls onto ground that lies half its size below it, and sinks into it by at most a hundredth of its
size. Cells are neo-Hookean (as rigid as possible with projective dynamics) with the density of water.
Young's modulus (50 kPa per metre of the longest side; 3 times that for springs, 6 times for projective
dynamics, which has no Poisson's ratio), step and contact follow the size, so that bodies of any size
move alike; --print-scene shows them.";
    const RECORD: &'static [(&'static str, &'static str)] = RECORD;

    type Options = SoftArgs;
    type Report = ();
    type Frame = ();

    fn run((): &mut (), args: &SoftArgs) -> Result<()> {
        let shortcut = &args.shortcut;
        let run = Run::new(Soft::NAME, &shortcut.common)?;
        let around = MeshBox::read(&shortcut.mesh, true)?;
        let similar = around.similar_to(2.0);
        let young = similar.length(args.solver.young());
        let rest = format!(
            "material = {{ young = {young:?}, poisson = 0.4, density = 1000.0 }}\n{}",
            args.solver.key(similar)
        );
        let body = ShortcutBody {
            name: "soft",
            around: &around,
            similar,
            step: 0.01,
            rest: &rest,
            pins: args.pin_top.then(|| around.top()),
            below: 0.5,
        };
        let text = shortcut::scene(shortcut, &body)?;
        shortcut::run(run, shortcut, &text, args)
    }

    fn tell((): &(), _args: &SoftArgs, _record: &Record) -> Message {
        Message::new("")
    }
}
