//! `view`: shows meshes in a browser.

use crate::app::{Application, Message};
use crate::cli::CommonArgs;
use crate::frame::Tool;
use crate::page;
use crate::record::Record;
use crate::text;
use anyhow::Result;
use clap::{Args, Command, ValueHint};
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::units;
use rxmesh_picture::{Drawable, PageArgs};
use serde::Serialize;
use std::path::PathBuf;

pub(crate) struct ViewCommand;

#[derive(Clone, Debug, Args, Serialize)]
pub(crate) struct ViewArgs {
    /// The mesh, or '-' for stdin; of several the first is shown first, and each can be compared with another
    #[arg(value_name = "MESH", value_hint = ValueHint::FilePath, required = true)]
    #[serde(skip)]
    meshes: Vec<PathBuf>,
    #[command(flatten)]
    #[serde(skip)]
    page: PageArgs,
}

units!(ViewArgs {});

impl Options for ViewArgs {
    fn check(&self) -> Result<(), Error> {
        let checked = self.page.check();
        checked.map_err(|e| Error::Options(e.to_string()))
    }
}

impl Application for ViewCommand {
    const NAME: &'static str = "view";
    const SUMMARY: &'static str = "Show a mesh in a browser";
    const HELP: &'static str = "Examples: rxmesh view bunny.obj
          rxmesh view small.ply bunny.obj --edges

The page is one file with its own viewer and needs no network: drag to turn, drag with the right button or
Shift to move, wheel to zoom. It is written to a temporary folder, or to --html FILE, and opened by the
system's program for pages (xdg-open, open or start). Where there is none, the path is printed. Other
commands write a page of their result with --html.";

    type Options = ViewArgs;
    type Report = ();
    type Frame = Tool;

    fn adapt(command: Command) -> Command {
        command
            .mut_arg("html_file", |arg| {
                arg.help("Write the page to a file, and not to a temporary one")
            })
            .mut_arg("difference", |arg| arg.hide(true))
    }

    fn prepare(_args: &mut ViewArgs, flags: &CommonArgs) -> Result<()> {
        flags.html.as_deref().map_or(Ok(()), page::check)
    }

    fn run(Tool { run }: &mut Tool, args: &ViewArgs) -> Result<()> {
        let meshes = run.read_drawables(&args.meshes, None)?;
        let path = match run.take_page() {
            Some(path) => path,
            None => page::temporary(
                meshes
                    .first()
                    .map_or("mesh", |mesh: &Drawable<'_>| &mesh.name),
            )?,
        };
        let write = || page::write(args.page.page(&meshes), &meshes, &path);
        let ((mut record, warnings), ms) = run.stage("writing the page", write)?;
        warnings.into_iter().for_each(|w| run.warn(w));
        record.opened = Some(page::open(&path));
        run.record.timings_ms.page = ms;
        run.record.page = Some(record);
        Ok(())
    }

    fn describe((): &(), _args: &ViewArgs, record: &Record) -> Message {
        Message::new(text::input(record))
    }
}
