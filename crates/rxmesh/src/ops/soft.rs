//! `soft`: lets a volume fall or hang.

use crate::on::{Body, MakesScene, MeshBox, OverGround, Played, SceneSteps, Similar};
use crate::{Group, Log, Message, Operation, OutputKind, Result};
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::units;
use rxmesh_simulation::scene::{self, BodySpec, LoadedMesh, SolverSpec};
use rxmesh_simulation::solve::{
    ImplicitOptions, ProjectiveOptions, VbdOptions, XpbdOptions, XpbdOrder,
};
use rxmesh_simulation::{Elasticity, Material};
use serde::Serialize;
use std::path::Path;

/// Lets a volume fall or hang as a soft body.
#[derive(Clone, Copy, Debug)]
pub struct Soft;

/// Options of [`Soft`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct SoftOptions {
    /// Steps and frames.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub time: SceneSteps,
    /// Solver of the motion
    #[cfg_attr(
        feature = "cli",
        arg(long, value_name = "SOLVER", value_enum, default_value = "implicit")
    )]
    pub solver: SoftSolver,
    /// Fix the highest hundredth, in place of letting the body fall
    #[cfg_attr(feature = "cli", arg(long))]
    pub pin_top: bool,
}

units!(SoftOptions {});

/// Solver of [`Soft`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[serde(rename_all = "kebab-case")]
pub enum SoftSolver {
    /// Implicit Euler by Newton's method
    #[default]
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
    /// Returns Young's modulus of a body of two metres. The energies of springs and of projective dynamics do not
    /// resist a change of volume as a material does: they are stiffer, so that they keep theirs.
    fn young(self) -> f64 {
        match self {
            SoftSolver::Implicit | SoftSolver::Xpbd | SoftSolver::Vbd => 1e5,
            SoftSolver::Springs => 3e5,
            SoftSolver::Projective => 6e5,
        }
    }

    /// Returns the solver of the scene's body.
    fn spec(self, similar: Similar) -> SolverSpec {
        let implicit = |elasticity| {
            SolverSpec::Implicit(ImplicitOptions {
                elasticity,
                newton: 3,
                linear: 50,
                ..ImplicitOptions::default()
            })
        };
        match self {
            SoftSolver::Implicit => implicit(Elasticity::default()),
            SoftSolver::Springs => implicit(Elasticity::Springs),
            // The solver damps little by itself: without this the body bounces for long.
            SoftSolver::Projective => SolverSpec::Projective(ProjectiveOptions {
                rounds: 5,
                iterations: 30,
                damping: similar.rate(1.0),
                ..ProjectiveOptions::default()
            }),
            SoftSolver::Xpbd => SolverSpec::Xpbd(XpbdOptions {
                iterations: 20,
                order: XpbdOrder::PatchColours,
                ..XpbdOptions::default()
            }),
            SoftSolver::Vbd => SolverSpec::VertexBlockDescent(VbdOptions {
                iterations: 30,
                ..VbdOptions::default()
            }),
        }
    }
}

impl Options for SoftOptions {
    fn check(&self) -> std::result::Result<(), Error> {
        Ok(())
    }
}

impl Operation for Soft {
    const NAME: &'static str = "soft";
    const GROUP: Group = Group::Simulate;
    const SUMMARY: &'static str = "Simulate a volume as a falling or hanging soft body";
    const HELP: &'static str = "Examples: rxmesh generate ball -n 3 -o ball.msh
          rxmesh soft ball.msh -o fallen.vtu
          rxmesh soft ball.msh --solver vbd --pin-top --steps 100 --frames hung
          rxmesh soft ball.msh --print-scene

The body falls onto ground that lies half its size below it, and sinks into it by at most a hundredth of its
size. Cells are neo-Hookean (as rigid as possible with projective dynamics) with the density of water.
Young's modulus (50 kPa per metre of the longest side; 3 times that for springs, 6 times for projective
dynamics, which has no Poisson's ratio), step and contact follow the size, so that bodies of any size
move alike; --print-scene shows them.";
    const OUTPUT: OutputKind = OutputKind::Volume;
    type Options = SoftOptions;
    type Report = Played;
    type On = Body;

    fn run(on: &mut Body, options: &SoftOptions, log: &mut dyn Log) -> Result<Played> {
        on.play::<Soft>(options, log)
    }

    fn describe(report: &Played, _options: &SoftOptions) -> Message {
        Message::new(report.lines() + &report.chosen())
    }
}

impl MakesScene for Soft {
    const VOLUME: bool = true;

    fn scene(mesh: &LoadedMesh, path: &Path, options: &SoftOptions) -> Result<scene::Scene> {
        let extent = MeshBox::of(mesh, path)?;
        let similar = extent.similar_to(2.0);
        let mut body = BodySpec::new("soft");
        body.material = Material {
            young: similar.length(options.solver.young()),
            poisson: 0.4,
            density: 1000.0,
        };
        body.solver = options.solver.spec(similar);
        let over = OverGround {
            mesh,
            path,
            extent: &extent,
            similar,
            step: 0.01,
            below: 0.5,
        };
        let pins = options.pin_top.then(|| extent.top());
        Ok(over.scene(body, pins, options.time))
    }
}
