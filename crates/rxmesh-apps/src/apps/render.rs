//! `render`: draws meshes into a picture.

use crate::app::{Application, Message};
use crate::cli::CommonArgs;
use crate::console::is_stdout;
use crate::frame::Tool;
use crate::page;
use crate::picture;
use crate::record::Record;
use crate::text;
use anyhow::Result;
use clap::{Args, Command, ValueHint};
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::units;
use rxmesh_picture::PictureArgs;
use serde::Serialize;
use std::path::PathBuf;

pub(crate) struct Render;

#[derive(Clone, Debug, Args, Serialize)]
pub(crate) struct RenderArgs {
    /// The mesh, or '-' for stdin; several are drawn beside each other, in the size of the first
    #[arg(value_name = "MESH", value_hint = ValueHint::FilePath, required = true)]
    #[serde(skip)]
    meshes: Vec<PathBuf>,
    /// The picture, a PNG file, or '-' for stdout; not needed with --html
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath, required_unless_present = "html_file")]
    #[serde(skip)]
    output: Option<PathBuf>,
    #[command(flatten)]
    #[serde(skip)]
    picture: PictureArgs,
}

units!(RenderArgs {});

impl Options for RenderArgs {
    fn check(&self) -> Result<(), Error> {
        let checked = self.picture.check();
        checked.map_err(|e| Error::Options(e.to_string()))
    }
}

impl Application for Render {
    const NAME: &'static str = "render";
    const SUMMARY: &'static str = "Draw a mesh into a picture";
    const HELP: &'static str = "Examples: rxmesh render bunny.obj -o bunny.png
          rxmesh render bunny.obj --edges --view front -o bunny.png
          rxmesh render bunny.obj spot.ply --patches -o both.png
          rxmesh render bob.ply nut.ply --animate 2 -o film.png
          rxmesh render bunny.obj --html bunny.html

The picture is the same on every machine: no GPU or display is used. Polygons are drawn with their own
edges, a volume as its boundary, a mesh without faces as points; images of materials (OBJ, glTF) by the
texture coordinates. Commands that write a mesh draw it with --picture; docs/use/pictures.md shows what the
flags do.";

    type Options = RenderArgs;
    type Report = ();
    type Frame = Tool;

    fn prepare(args: &mut RenderArgs, _flags: &CommonArgs) -> Result<()> {
        args.output.as_deref().map_or(Ok(()), picture::check)
    }

    fn adapt(command: Command) -> Command {
        command
            .mut_arg("picture_file", |arg| {
                arg.hide(true).conflicts_with("output")
            })
            .mut_arg("difference", |arg| arg.hide(true).conflicts_with("output"))
    }

    fn run(Tool { run }: &mut Tool, args: &RenderArgs) -> Result<()> {
        let meshes = run.read_drawables(&args.meshes, args.picture.cut())?;
        if let Some(path) = run.take_page() {
            let write = || page::write(args.picture.page(&meshes), &meshes, &path);
            let ((record, warnings), ms) = run.stage("writing the page", write)?;
            warnings.into_iter().for_each(|w| run.warn(w));
            run.record.timings_ms.page = ms;
            run.record.page = Some(record);
        }
        if let Some(output) = &args.output {
            let (drawn, ms) = run.stage("drawing", || {
                picture::drawn(args.picture.draw(&meshes), &meshes)
            })?;
            drawn.warnings.iter().for_each(|w| run.warn(w.clone()));
            run.record.timings_ms.run = ms;
            run.console.mesh_on_stdout |= is_stdout(output);
            run.record.picture = Some(picture::write(&drawn, output)?);
        }
        Ok(())
    }

    fn describe((): &(), _args: &RenderArgs, record: &Record) -> Message {
        Message::new(text::input(record))
    }
}
