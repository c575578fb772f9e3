//! `soft`: a volume that falls, or hangs.

use super::shortcut::{self, Around, ShortcutArgs};
use super::simulate::RECORD;
use crate::app::{Application, Told};
use crate::record::Record;
use crate::run::Run;
use anyhow::Result;
use clap::{Args, ValueEnum};
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use serde::Serialize;

/// The application.
pub(crate) struct Soft;

#[derive(Debug, Args, Serialize)]
pub(crate) struct SoftArgs {
    #[command(flatten)]
    #[serde(flatten)]
    shortcut: ShortcutArgs,
    /// How it moves
    #[arg(long, value_name = "SOLVER", value_enum, default_value = "implicit")]
    solver: SoftSolver,
    /// Hold the highest hundredth, instead of letting all fall
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
    /// The scene's key.
    fn key(self) -> &'static str {
        match self {
            SoftSolver::Implicit => "solver.implicit = { newton = 3, linear = 50 }\n",
            SoftSolver::Springs => {
                "solver.implicit = { elasticity = \"springs\", newton = 3, linear = 50 }\n"
            }
            SoftSolver::Projective => "solver.projective = { rounds = 5, iterations = 30 }\n",
            SoftSolver::Xpbd => "solver.xpbd = { iterations = 20, order = \"patch-colours\" }\n",
            SoftSolver::Vbd => "solver.vbd = { iterations = 30 }\n",
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
    const SUMMARY: &'static str = "Let a volume fall or hang as a soft body";
    const HELP: &'static str = "Examples: rxmesh-apps generate ball -n 4 -o ball.msh
          rxmesh-apps soft ball.msh --frames fallen
          rxmesh-apps soft ball.msh --solver vbd --pin-top --steps 100 --frames hung
          rxmesh-apps soft ball.msh --print-scene

It falls onto ground that lies half its size below it. Cells are neo-Hookean (as rigid as possible with
projective dynamics), with a Young's modulus of 0.1 MPa and the density of water.";
    const RECORD: &'static [(&'static str, &'static str)] = RECORD;

    type Options = SoftArgs;
    type Report = ();
    type Frame = ();

    fn run((): &mut (), args: &SoftArgs) -> Result<()> {
        let shortcut = &args.shortcut;
        let run = Run::new(Soft::NAME, &shortcut.common)?;
        let around = Around::read(&shortcut.mesh, true)?;
        let material = "material = { young = 1e5, poisson = 0.4, density = 1000.0 }\n";
        let rest = format!("{material}{}", args.solver.key());
        let pins = args.pin_top.then(|| around.top());
        let places = (pins, around.ground(0.5));
        let text = shortcut::scene(shortcut, ("soft", 0.01), &rest, places)?;
        shortcut::run(run, shortcut, &text, args)
    }

    fn tell((): &(), _args: &SoftArgs, _record: &Record) -> Told {
        Told::new("")
    }
}
