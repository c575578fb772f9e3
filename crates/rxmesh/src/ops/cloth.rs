//! `cloth`: lets a surface hang.

use crate::on::{Body, MakesScene, MeshBox, OverGround, Played, SceneSteps};
use crate::{Group, Log, Message, Operation, Result};
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::units;
use rxmesh_simulation::scene::{self, BodySpec, LoadedMesh, SolverSpec};
use rxmesh_simulation::solve::{ClothMaterial, XpbdOptions, XpbdOrder};
use serde::Serialize;
use std::path::Path;

/// Lets a surface hang as cloth.
#[derive(Clone, Copy, Debug)]
pub struct Cloth;

/// Options of [`Cloth`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct ClothOptions {
    /// Steps and frames.
    #[cfg_attr(feature = "cli", command(flatten))]
    #[serde(flatten)]
    pub time: SceneSteps,
}

units!(ClothOptions {});

impl Options for ClothOptions {
    fn check(&self) -> std::result::Result<(), Error> {
        Ok(())
    }
}

impl Operation for Cloth {
    const NAME: &'static str = "cloth";
    const GROUP: Group = Group::Simulate;
    const SUMMARY: &'static str = "Simulate a surface as hanging cloth";
    const HELP: &'static str = "Examples: rxmesh generate grid --nx 20 --ny 20 -o sheet.obj
          rxmesh cloth sheet.obj -o hung.obj
          rxmesh cloth sheet.obj --frames hung -o hung.ply
          rxmesh cloth sheet.obj --print-scene

The highest hundredth of the mesh is fixed; of a level mesh, that of its longest side. The ground lies one
mesh size below it. Lengths of edges and angles between faces are constraints of XPBD, by patch colours.
Step, compliances and contact follow the size, so that sheets of any size move alike; --print-scene shows them.";
    type Options = ClothOptions;
    type Report = Played;
    type On = Body;

    fn run(on: &mut Body, options: &ClothOptions, log: &mut dyn Log) -> Result<Played> {
        on.play::<Cloth>(options, log)
    }

    fn describe(report: &Played, _options: &ClothOptions) -> Message {
        Message::new(report.lines() + &report.chosen())
    }
}

impl MakesScene for Cloth {
    const VOLUME: bool = false;

    fn scene(mesh: &LoadedMesh, path: &Path, options: &ClothOptions) -> Result<scene::Scene> {
        let extent = MeshBox::of(mesh, path)?;
        let similar = extent.similar_to(1.0);
        let mut body = BodySpec::new("cloth");
        body.cloth = scene::Cloth {
            density: 0.2,
            material: ClothMaterial {
                stretch: Some(similar.stretch(1e-6)),
                bending: Some(similar.bending(10.0)),
            },
        };
        body.solver = SolverSpec::Xpbd(XpbdOptions {
            iterations: 20,
            order: XpbdOrder::PatchColours,
            damping: similar.rate(0.5),
            ..XpbdOptions::default()
        });
        let over = OverGround {
            mesh,
            path,
            extent: &extent,
            similar,
            step: 0.004,
            below: 1.0,
        };
        Ok(over.scene(body, Some(extent.top()), options.time))
    }
}
