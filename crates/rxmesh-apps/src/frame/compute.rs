//! Operations on a mesh whose connectivity stays: from a file to the engine, and back to a file.

use super::{Frame, Several, leak_at_exit};
use crate::Outcome;
use crate::app::{Application, Message};
use crate::cli::{ComputeArgs, PatchArgs};
use crate::output::{OutputKind, OutputTarget};
use crate::record::Record;
use crate::run::Run;
use crate::text;
use anyhow::Result;
use clap::Command;
use rxmesh::Operation;
use rxmesh::on::{Prepared, Vertices};
use rxmesh_host::engine::Engine;
use std::marker::PhantomData;

const VALUES_OUTPUT: &str = "Output file, or '-' for stdout; a format that holds columns (PLY) [default: \
    <input>_<command>.ply in the current folder; stdout for a mesh from stdin]";

/// Operation on vertices as a command.
pub(crate) struct OnVertices<O>(PhantomData<O>);

impl<O> Application for OnVertices<O>
where
    O: Operation<On = Vertices, Options: clap::Args>,
{
    const NAME: &'static str = O::NAME;
    const GROUP: Option<&'static str> = Some(O::GROUP.name());
    const SUMMARY: &'static str = O::SUMMARY;
    const HELP: &'static str = O::HELP;
    const OUTPUT: OutputKind = O::OUTPUT;
    const SEVERAL: bool = O::SEVERAL;
    const JOINS_SEAMS: bool = O::JOINS_SEAMS;
    type Options = O::Options;
    type Report = O::Report;
    type Frame = Compute;

    fn prepare(options: &mut O::Options, flags: &ComputeArgs) -> Result<()> {
        Ok(O::prepare(options, flags.patch.seed.seed)?)
    }

    fn output(options: &O::Options) -> OutputKind {
        O::output(options)
    }

    fn run(frame: &mut Compute, options: &O::Options) -> Result<O::Report> {
        Ok(O::run(&mut frame.on, options, &mut frame.run)?)
    }

    fn describe(report: &O::Report, options: &O::Options, record: &Record) -> Message {
        super::named(O::describe(report, options), record)
    }
}

/// Mesh on an engine, with the run that it belongs to.
#[derive(Debug)]
pub(crate) struct Compute {
    run: Run,
    on: Vertices,
    target: OutputTarget,
    /// Several meshes, if it is not one.
    several: Option<Several>,
    engine: Engine,
}

impl Frame for Compute {
    #[cfg(test)]
    const KIND: &'static str = "computations";

    type Flags = ComputeArgs;

    fn adapt(command: Command, kind: OutputKind) -> Command {
        match kind {
            OutputKind::Mesh
            | OutputKind::Normals
            | OutputKind::Volume
            | OutputKind::Points
            | OutputKind::Grid => command,
            OutputKind::Columns(_) => command.mut_arg("output", |arg| arg.help(VALUES_OUTPUT)),
        }
    }

    fn compute_args(args: &mut ComputeArgs) -> Option<&mut ComputeArgs> {
        Some(args)
    }

    /// Reads the mesh, starts the engine, cuts the mesh into patches and moves it over. Refuses an output that could
    /// not be written before any of it.
    fn open<A: Application<Frame = Compute>>(
        mut args: ComputeArgs,
        options: &A::Options,
    ) -> Result<Compute> {
        let (mut run, mesh, path, target, several) = match args.batch.take() {
            None => {
                let (mut run, target) = Run::with_target(A::NAME, &args, A::output(options))?;
                let input = run.read(&args.input.mesh, args.input.triangulate.triangulate)?;
                (run, input.loaded.mesh, input.path, target, None)
            }
            Some(batch) => {
                let (run, mesh, several) = batch.join()?;
                let (path, target) = (several.path(), several.target());
                (run, mesh, path, target, Some(several))
            }
        };
        let shared = several.as_ref().map(Several::shared);
        let prepared = Prepared::new(mesh, shared, A::JOINS_SEAMS, &mut run)?;
        let engine = run.engine(args.engine.engine)?;
        let patches = run.patch(
            &engine,
            (prepared.shape(), &path),
            &args.patch,
            PatchArgs::DEFAULT_SIZE,
        )?;
        let on = prepared.upload(&engine, patches, &mut run)?;
        run.uploaded(on.rx.device_bytes());
        Ok(Compute {
            run,
            on,
            target,
            several,
            engine,
        })
    }

    fn unit(&self) -> f64 {
        self.on.unit()
    }

    fn close<A: Application<Frame = Compute>>(
        mut self,
        options: &A::Options,
        report: &A::Report,
    ) -> Result<Outcome> {
        match self.several {
            Some(several) => {
                let parts = several.part_unchanged(self.on.mesh(&mut self.run)?);
                several.write(&mut self.run, &parts)?;
            }
            None => {
                let mesh = self.on.mesh(&mut self.run)?;
                self.run.write(&self.target, mesh)?;
            }
        }
        let mut run = self.run;
        let is_last = !run.is_of_batch();
        run.record.put(options, report)?;
        let Message { lines, outcome, .. } = run.describe::<A>(options, report);
        let r = &run.record;
        let out = text::input(r) + &text::engine(r) + &run.timed(&lines) + &text::output(r);
        run.finish(&out)?;
        if is_last {
            leak_at_exit((self.on, self.engine));
        }
        Ok(outcome)
    }
}
