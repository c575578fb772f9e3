//! `simulate`: moves the deformable bodies of a scene.

use crate::on::{Played, Scene};
use crate::{Group, Log, Message, Operation, Result};
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::units;
use serde::Serialize;

/// Moves the bodies of a scene.
#[derive(Clone, Copy, Debug)]
pub struct Simulate;

/// Options of [`Simulate`].
#[derive(Clone, Copy, Debug, Default, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct SimulateOptions {
    /// Stop after N steps, counted from the scene's start, in place of the scene's number
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..)))]
    pub steps: Option<u32>,
}

units!(SimulateOptions {});

impl Options for SimulateOptions {
    fn check(&self) -> std::result::Result<(), Error> {
        Ok(())
    }
}

impl Operation for Simulate {
    const NAME: &'static str = "simulate";
    const GROUP: Group = Group::Simulate;
    const SUMMARY: &'static str = "Simulate the deformable bodies of a scene";
    const HELP: &'static str = "Examples: rxmesh simulate examples/scenes/beam.toml -o frames
          rxmesh simulate examples/scenes/beam.toml --steps 50 --checkpoint half.rxworld
          rxmesh simulate examples/scenes/beam.toml --resume half.rxworld -o frames

A scene has bodies of tetrahedra (neo-Hookean, corotated, linear, ARAP, springs; explicit, implicit,
projective, XPBD, VBD, on a grid), cloth (XPBD), pins and colliders; units are SI.
docs/library/simulation.md describes its keys.";
    const RECORD: &'static [(&'static str, &'static str)] = Played::RECORD;

    type Options = SimulateOptions;
    type Report = Played;
    type On = Scene;

    fn run(on: &mut Scene, options: &SimulateOptions, log: &mut dyn Log) -> Result<Played> {
        let steps = options.steps.unwrap_or(on.stage.scene.time.steps);
        on.play(steps, log)
    }

    fn describe(report: &Played, _options: &SimulateOptions) -> Message {
        Message::new(report.lines())
    }
}
