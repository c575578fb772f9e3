//! Operations on scenes and on bodies: from a file to the engine, and frames to files.

use crate::app::{Application, Message};
use crate::cli::{CommonArgs, EncodingArgs, EngineArgs};
use crate::console;
use crate::input;
use crate::live::LivePage;
use crate::output::{OutputKind, OutputTarget};
use crate::record::{Record, shown};
use crate::run::Run;
use crate::text;
use anyhow::{Context, Result, bail};
use clap::Args;
use rxmesh::on::{Body, MakesScene, Played, Scene};
use rxmesh::{Error, Operation};
use rxmesh_host::algo::Options;
use rxmesh_host::files;
use rxmesh_host::io::{self, Format, WriteOptions};
use rxmesh_host::mesh::{Column, ColumnData, ElementKind, Extras, TriMesh, merge};
use rxmesh_host::units::{FieldUnit, InUnits};
use rxmesh_picture::Drawable;
use rxmesh_simulation::scene::{self, LoadedMesh, RunningScene};
use serde::Serialize;
use std::marker::PhantomData;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

/// Operation on a scene as a command.
pub(crate) struct OnScene<O>(PhantomData<O>);

/// Flags of operations on scenes.
#[derive(Clone, Debug, Args, Serialize)]
pub(crate) struct SceneArgs<T: Args> {
    /// The scene, a TOML file
    #[arg(value_name = "SCENE", value_hint = clap::ValueHint::FilePath)]
    #[serde(skip)]
    scene: PathBuf,
    /// Folder of the frames, made if it does not exist; without it no frame is written
    #[arg(short, long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    output: Option<PathBuf>,
    /// Format of the frames that holds their kind; without it volumes are VTU and cloth is OBJ
    #[arg(long, value_name = "FORMAT", value_enum)]
    #[serde(skip)]
    format: Option<Format>,
    #[command(flatten)]
    #[serde(flatten)]
    options: T,
    /// Write the final state to a file, from which `--resume` continues
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    checkpoint: Option<PathBuf>,
    /// Continue from the state in a file
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    resume: Option<PathBuf>,
    #[command(flatten)]
    #[serde(skip)]
    engine: EngineArgs,
    #[command(flatten)]
    #[serde(skip)]
    common: CommonArgs,
}

impl<T: Args + InUnits> InUnits for SceneArgs<T> {
    const UNITS: &'static [FieldUnit] = T::UNITS;

    fn scale(&mut self, factor: f64) {
        self.options.scale(factor);
    }
}

impl<T: Args + Options> Options for SceneArgs<T> {
    fn check(&self) -> Result<(), rxmesh_host::Error> {
        self.options.check()
    }
}

impl<O> Application for OnScene<O>
where
    O: Operation<On = Scene, Options: Args, Report = Played>,
{
    const NAME: &'static str = O::NAME;
    const GROUP: Option<&'static str> = Some(O::GROUP.name());
    const SUMMARY: &'static str = O::SUMMARY;
    const HELP: &'static str = O::HELP;
    type Options = SceneArgs<O::Options>;
    type Report = ();
    type Frame = ();

    fn run((): &mut (), args: &Self::Options) -> Result<()> {
        let mut run = Run::new(O::NAME, &args.common)?;
        let scene = scene::Scene::read(&args.scene)?;
        if let Some(path) = &args.checkpoint {
            files::check(path).with_context(|| format!("{}: cannot be written", path.display()))?;
        }
        let engine = run.engine(args.engine.engine)?;
        let mut on = Scene::new(&engine, scene, &mut run)?;
        if let Some(path) = &args.resume {
            on.stage.world.restore(path)?;
        }
        if let Some(receive) = receiver(&run, args.output.clone(), args.format) {
            on.on_frames(receive);
        }
        let report = O::run(&mut on, &args.options, &mut run)?;
        if let Some(live) = run.live.as_deref().filter(|live| live.can_show()) {
            show_scene(live, &mut on.stage)?;
        }
        if let Some(path) = &args.checkpoint {
            on.stage.world.save(path)?;
        }
        draw(&mut run, &args.scene, &mut on.stage)?;
        run.record.put(args, &report)?;
        let mut lines = O::describe(&report, &args.options).lines;
        lines += &written(&report, args.output.as_deref());
        if let Some(path) = &args.checkpoint {
            lines += &format!("wrote {}\n", shown(path));
        }
        let text = run.timed(&lines);
        run.finish(&text)
    }

    fn describe((): &(), _args: &Self::Options, _record: &Record) -> Message {
        Message::new("")
    }
}

/// Draws all bodies of a scene, each in a colour, if a picture was asked for.
fn draw(run: &mut Run, scene: &PathBuf, stage: &mut RunningScene) -> Result<()> {
    if run.portrait.is_none() {
        return Ok(());
    }
    run.draw(&[(scene, (&joined(stage)?).into())])
}

/// Returns all bodies of a scene as one mesh, with their numbers as a column.
fn joined(stage: &mut RunningScene) -> Result<TriMesh> {
    let mut bodies: Vec<TriMesh> = Vec::new();
    stage.frame(|name, body| -> Result<()> {
        let mut mesh = Drawable::new(body, None, name.to_owned())?
            .mesh
            .into_owned();
        mesh.add_column(Column {
            name: "body".into(),
            element: ElementKind::Face,
            width: 1,
            data: ColumnData::U32(vec![bodies.len() as u32; mesh.face_count()]),
        })?;
        bodies.push(mesh);
        Ok(())
    })?;
    Ok(merge(bodies)?.mesh)
}

/// Shows the bodies of a scene on the page of its run.
fn show_scene(live: &LivePage, stage: &mut RunningScene) -> Result<()> {
    let since = Instant::now();
    let name = format!("step {}, {:.3} s", stage.world.steps(), stage.world.time());
    let mesh = joined(stage)?;
    let mesh = Drawable::new((&mesh).into(), None, name.clone())?.into_owned();
    live.show(name, vec![mesh], since);
    Ok(())
}

/// Returns a receiver of frames for a folder and for the page of the run, whichever there is.
fn receiver(
    run: &Run,
    folder: Option<PathBuf>,
    format: Option<Format>,
) -> Option<impl FnMut(&mut RunningScene) -> Result<(), Error> + 'static> {
    let live = run.live.clone();
    let mut files = folder.map(|folder| frames(folder, format));
    (live.is_some() || files.is_some()).then_some(move |stage: &mut RunningScene| {
        if let Some(live) = live.as_deref().filter(|live| live.wants_mesh()) {
            show_scene(live, stage).map_err(|e| Error::Message(format!("{e:#}")))?;
        }
        files.as_mut().map_or(Ok(()), |write| write(stage))
    })
}

/// Operation on a body as a command.
pub(crate) struct OnBody<O>(PhantomData<O>);

/// Flags of operations on bodies.
#[derive(Clone, Debug, Args, Serialize)]
pub(crate) struct BodyArgs<T: Args> {
    /// The mesh, or '-' for stdin; coordinates are metres
    #[arg(value_name = "MESH", value_hint = clap::ValueHint::FilePath)]
    #[serde(skip)]
    mesh: PathBuf,
    /// Output file of the last frame, or '-' for stdout [default: MESH_COMMAND in the input's format, in the current
    /// folder; stdout for a mesh from stdin]
    #[arg(short, long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    #[serde(skip)]
    output: Option<PathBuf>,
    /// Folder of all frames, made if it does not exist; without it the last frame alone is written
    #[arg(long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    frames: Option<PathBuf>,
    #[command(flatten)]
    #[serde(flatten)]
    options: T,
    /// Print the scene as TOML and stop; `simulate` runs an edited copy of it
    #[arg(long)]
    print_scene: bool,
    #[command(flatten)]
    #[serde(skip)]
    encoding: EncodingArgs,
    #[command(flatten)]
    #[serde(skip)]
    engine: EngineArgs,
    #[command(flatten)]
    #[serde(skip)]
    common: CommonArgs,
}

impl<T: Args + InUnits> InUnits for BodyArgs<T> {
    const UNITS: &'static [FieldUnit] = T::UNITS;

    fn scale(&mut self, factor: f64) {
        self.options.scale(factor);
    }
}

impl<T: Args + Options> Options for BodyArgs<T> {
    fn check(&self) -> Result<(), rxmesh_host::Error> {
        self.options.check()
    }
}

impl<O> Application for OnBody<O>
where
    O: MakesScene<Options: Args>,
{
    const NAME: &'static str = O::NAME;
    const GROUP: Option<&'static str> = Some(O::GROUP.name());
    const SUMMARY: &'static str = O::SUMMARY;
    const HELP: &'static str = O::HELP;
    const OUTPUT: OutputKind = O::OUTPUT;
    type Options = BodyArgs<O::Options>;
    type Report = ();
    type Frame = ();

    fn run((): &mut (), args: &Self::Options) -> Result<()> {
        let mut run = Run::new(O::NAME, &args.common)?;
        if args.print_scene {
            let (mesh, path) = read(&mut run, &args.mesh, O::VOLUME)?;
            if input::stream(&args.mesh)?.is_some() {
                bail!(
                    "{}: a scene names the file of its mesh, and this is a stream: save it, and give the file's name",
                    text::named(&args.mesh.display().to_string(), "stdin")
                );
            }
            let scene = O::scene(&mesh, &path, &args.options)?;
            return console::to_stdout(scene.to_text()?.as_bytes());
        }
        let target = OutputTarget::for_input(
            O::NAME,
            (args.mesh.as_path(), args.output.as_deref()),
            &args.encoding,
            O::OUTPUT,
            run.console.json_file(),
        )?;
        run.leads_to(&target);
        run.start_engine(args.engine.engine, false);
        let (mesh, path) = read(&mut run, &args.mesh, O::VOLUME)?;
        let engine = run.engine(args.engine.engine)?;
        let mut on = Body::new(mesh, path, &engine);
        if let Some(receive) = receiver(&run, args.frames.clone(), None) {
            on.on_frames(receive);
        }
        let report = O::run(&mut on, &args.options, &mut run)?;
        write(&mut run, &target, on.mesh)?;
        run.record.put(args, &report)?;
        let mut lines = O::describe(&report, &args.options).lines;
        lines += &written(&report, args.frames.as_deref());
        let text = run.timed(&lines) + &text::output(&run.record);
        run.finish(&text)
    }

    fn describe((): &(), _args: &Self::Options, _record: &Record) -> Message {
        Message::new("")
    }
}

/// Reads a volume or a surface. Returns it with the path where it was found.
fn read(run: &mut Run, name: &Path, volume: bool) -> Result<(LoadedMesh, PathBuf)> {
    let path = input::find(name)?;
    if path.to_str().is_none() {
        bail!(
            "{}: its name is not valid UTF-8, which a scene needs",
            path.display()
        );
    }
    let is_volume = input::is_volume(&path);
    // Of a format that holds both kinds the reader's error says more, as of a file that is broken.
    let refused = is_volume != volume
        && match volume {
            true => input::read_poly(&path, false)
                .is_ok_and(|input| !input.loaded.format.holds_volumes()),
            false => input::format(&path).is_some_and(|f| !f.holds_surfaces()),
        };
    if refused {
        let (is, not) = match volume {
            true => ("a surface", "a volume (`cloth` takes surfaces)"),
            false => ("a volume", "a surface (`soft` takes volumes)"),
        };
        bail!("{}: {is}, but must be {not}", path.display());
    }
    let mesh = match volume {
        true => LoadedMesh::Volume(Arc::new(run.read_tets(&path)?.loaded.mesh)),
        false => LoadedMesh::Surface(Arc::new(run.read(&path, true)?.loaded.mesh)),
    };
    Ok((mesh, path))
}

/// Writes the mesh of the last frame, without the velocities if the format holds no columns.
fn write(run: &mut Run, target: &OutputTarget, mesh: LoadedMesh) -> Result<()> {
    let format = target.options.format;
    let format = format.or_else(|| Format::of_name(&target.path));
    let drop_velocity = |extras: &mut Extras| {
        if format.is_some_and(|f| !f.holds_columns()) {
            extras.columns.retain(|c| c.name != RunningScene::VELOCITY);
        }
    };
    match mesh {
        LoadedMesh::Volume(mesh) => {
            let mut mesh = Arc::unwrap_or_clone(mesh);
            drop_velocity(&mut mesh.extras);
            run.write(target, &mesh)
        }
        LoadedMesh::Surface(mesh) => {
            let mut mesh = Arc::unwrap_or_clone(mesh);
            drop_velocity(&mut mesh.extras);
            run.write(target, &mesh)
        }
    }
}

/// Returns a receiver that writes a file per body and frame into a folder: `<name>_<step>.<extension>`.
fn frames(
    folder: PathBuf,
    format: Option<Format>,
) -> impl FnMut(&mut RunningScene) -> Result<(), Error> + 'static {
    let mut made = false;
    move |stage| {
        // A scene that cannot be made leaves no folder behind.
        if !made {
            let what = || format!("{}: cannot be made", folder.display());
            std::fs::create_dir_all(&folder).map_err(|e| Error::Other(e.into()).within(what()))?;
            made = true;
        }
        let step = stage.world.steps();
        stage.frame(|name, mesh| -> Result<(), Error> {
            let (fits, usual): (fn(Format) -> bool, _) = match mesh.cell_count() {
                Some(_) => (Format::holds_volumes, Format::Vtu),
                None => (Format::holds_surfaces, Format::Obj),
            };
            let format = format.filter(|f| fits(*f)).unwrap_or(usual);
            let options = WriteOptions::default().with(|o| o.format = Some(format));
            let name = format!("{name}_{step:06}.{}", format.extension());
            io::write_with(&folder.join(name), mesh, &options, files::Links::Refuse)?;
            Ok(())
        })
    }
}

/// Formats the number of frames that were written as a line; nothing without a folder.
fn written(report: &Played, folder: Option<&Path>) -> String {
    let line = |folder| format!("wrote {} frames to {}\n", report.frames, shown(folder));
    folder.map_or(String::new(), line)
}
