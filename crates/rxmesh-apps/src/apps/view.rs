//! `view`: shows meshes in a browser.

use crate::app::{Application, Message};
use crate::cli::{CommonArgs, Upward, viewpoint};
use crate::frame::Tool;
use crate::page;
use crate::picture::Drawable;
use crate::record::Record;
use crate::text;
use anyhow::Result;
use clap::{Args, Command, ValueHint};
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::units;
use rxmesh_picture::{PictureOptions, Viewpoint};
use serde::Serialize;
use std::path::PathBuf;

pub(crate) struct View;

#[derive(Clone, Debug, Args, Serialize)]
pub(crate) struct ViewArgs {
    /// The mesh, or '-' for stdin; of several the first is shown first, and each can be compared with another
    #[arg(value_name = "MESH", value_hint = ValueHint::FilePath, required = true)]
    #[serde(skip)]
    meshes: Vec<PathBuf>,
    /// Column whose values are shown first; or a colour, such as #8fb3b0
    #[arg(long, value_name = "COLUMN|COLOUR")]
    #[serde(skip)]
    color: Option<String>,
    /// Side that is seen first: front, back, left, right, top, bottom, or two angles in degrees, round the vertical
    /// axis and above the horizon
    #[arg(long, value_name = "SIDE|A,B", default_value = "30,20", allow_hyphen_values = true, value_parser = viewpoint)]
    #[serde(skip)]
    view: Viewpoint,
    /// Axis of the mesh that points upwards
    #[arg(long, value_name = "AXIS", default_value = "y")]
    #[serde(skip)]
    up: Upward,
    /// Show flat faces first
    #[arg(long)]
    #[serde(skip)]
    flat: bool,
    /// Show edges first
    #[arg(long)]
    #[serde(skip)]
    edges: bool,
    /// Show the meshes as frames of a motion: all have the faces of the first
    #[arg(long)]
    #[serde(skip)]
    frames: bool,
}

units!(ViewArgs {});

impl ViewArgs {
    fn options(&self) -> PictureOptions {
        PictureOptions::default().with(|o| {
            o.paint = crate::cli::paint(self.color.as_deref());
            o.view = self.view;
            o.up = self.up.axis();
            (o.flat, o.edges) = (self.flat, self.edges);
        })
    }
}

impl Options for ViewArgs {
    fn check(&self) -> Result<(), Error> {
        self.options()
            .check()
            .map_err(|e| Error::Options(e.to_string()))
    }
}

impl Application for View {
    const NAME: &'static str = "view";
    const SUMMARY: &'static str = "Show a mesh in a browser";
    const HELP: &'static str = "Examples: rxmesh view bunny.obj
          rxmesh view small.ply bunny.obj --edges
          rxmesh view frames/*.obj --frames --html film.html

The page is one file with its own viewer and needs no network: drag to turn, drag with the right button or
Shift to move, wheel to zoom. It is written to a temporary folder, or to --html FILE, and opened by the
system's program for pages (xdg-open, open or start). Where there is none, the path is printed. Other
commands write a page of their result with --html.";

    type Options = ViewArgs;
    type Report = ();
    type Frame = Tool;

    fn adapt(command: Command) -> Command {
        command.mut_arg("html_file", |arg| {
            arg.help("Write the page to a file, and not to a temporary one")
        })
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
        let (mut record, ms) = run.stage("writing the page", || match args.frames {
            true => page::write_motion(&path, &meshes, &args.options()),
            false => page::write(&path, &meshes, &[], &args.options()),
        })?;
        record.opened = Some(page::open(&path));
        run.record.timings_ms.page = ms;
        run.record.page = Some(record);
        Ok(())
    }

    fn describe((): &(), _args: &ViewArgs, record: &Record) -> Message {
        Message::new(text::input(record))
    }
}
