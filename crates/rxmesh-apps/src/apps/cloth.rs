//! `cloth`: simulates a hanging surface.

use super::shortcut::{self, MeshBox, ShortcutArgs, ShortcutBody};
use super::simulate::RECORD;
use crate::app::{Application, Message};
use crate::record::Record;
use crate::run::Run;
use anyhow::Result;
use clap::Args;
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use serde::Serialize;

pub(crate) struct Cloth;

#[derive(Debug, Args, Serialize)]
pub(crate) struct ClothArgs {
    #[command(flatten)]
    #[serde(flatten)]
    shortcut: ShortcutArgs,
}

impl Options for ClothArgs {
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

impl Application for Cloth {
    const NAME: &'static str = "cloth";
    const SUMMARY: &'static str = "Simulate a surface as hanging cloth";
    const HELP: &'static str =
        "Examples: rxmesh generate grid --nx 40 --ny 40 -o sheet.obj
          rxmesh cloth sheet.obj --frames hung
          rxmesh cloth sheet.obj --print-scene

The highest hundredth of the mesh is fixed; of a level mesh, that of its longest side. The ground lies one
mesh size below it. Lengths of edges and angles between faces are constraints of XPBD, by patch colours.
Step, compliances and contact follow the size, so that sheets of any size move alike; --print-scene shows them.";
    const RECORD: &'static [(&'static str, &'static str)] = RECORD;

    type Options = ClothArgs;
    type Report = ();
    type Frame = ();

    fn run((): &mut (), args: &ClothArgs) -> Result<()> {
        let shortcut = &args.shortcut;
        let run = Run::new(Cloth::NAME, &shortcut.common)?;
        let around = MeshBox::read(&shortcut.mesh, false)?;
        let similar = around.similar_to(1.0);
        let (stretch, bending) = (similar.stretch(1e-6), similar.bending(10.0));
        let damping = similar.rate(0.5);
        let rest = format!(
            "cloth = {{ density = 0.2, material = {{ stretch = {stretch:?}, bending = {bending:?} }} }}\n\
            solver.xpbd = {{ iterations = 20, order = \"patch-colours\", damping = {damping:?} }}\n"
        );
        let body = ShortcutBody {
            name: "cloth",
            around: &around,
            similar,
            step: 0.004,
            rest: &rest,
            pins: Some(around.top()),
            below: 1.0,
        };
        let text = shortcut::scene(shortcut, &body)?;
        shortcut::run(run, shortcut, &text, args)
    }

    fn tell((): &(), _args: &ClothArgs, _record: &Record) -> Message {
        Message::new("")
    }
}
