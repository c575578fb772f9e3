//! `simulate`: deformable bodies of a scene.

use crate::app::{Application, Message};
use crate::cli::{CommonArgs, EngineArgs};
use crate::record::{Record, shown};
use crate::run::Run;
use crate::text;
use anyhow::{Context, Result, bail};
use clap::Args;
use rxmesh_host::Error;
use rxmesh_host::algo::Options;
use rxmesh_host::files;
use rxmesh_host::io::{self, Format, WriteOptions};
use rxmesh_simulation::Energies;
use rxmesh_simulation::scene::{RunningScene, Scene};
use serde::Serialize;
use std::path::{Path, PathBuf};

pub(crate) struct Simulate;

#[derive(Debug, Args, Serialize)]
pub(crate) struct SimulateArgs {
    /// The scene, a TOML file
    #[arg(value_name = "SCENE", value_hint = clap::ValueHint::FilePath)]
    #[serde(skip)]
    pub(super) scene: PathBuf,
    /// Folder of the frames, made if it does not exist; without it no frame is written
    #[arg(short, long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    pub(super) output: Option<PathBuf>,
    /// Format of the frames that holds their kind; without it volumes are VTU and cloth is OBJ
    #[arg(long, value_name = "FORMAT", value_enum)]
    #[serde(skip)]
    pub(super) format: Option<Format>,
    /// Stop after N steps, counted from the scene's start, in place of the scene's number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) steps: Option<u32>,
    /// Write the final state to a file, from which `--resume` continues
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(super) checkpoint: Option<PathBuf>,
    /// Continue from the state in a file
    #[arg(long, value_name = "FILE", value_hint = clap::ValueHint::FilePath)]
    pub(super) resume: Option<PathBuf>,
    #[command(flatten)]
    #[serde(skip)]
    pub(super) engine: EngineArgs,
    #[command(flatten)]
    #[serde(skip)]
    pub(super) common: CommonArgs,
}

impl Options for SimulateArgs {
    fn check(&self) -> Result<(), Error> {
        Ok(())
    }
}

/// Keys of the record of a simulated scene.
pub(super) const RECORD: &[(&str, &str)] = &[
    ("scene", "the scene, with all defaults"),
    (
        "bodies",
        "for each body its `name`, and its numbers of `vertices`, `cells` and `faces` (`null` where it has none)",
    ),
    (
        "energies",
        "at the start and at each frame: `step`, `time` (s), and in joules `kinetic`, `elastic` (not of cloth), \
            `gravity` (relative to the shapes at rest), `contact`, `total`",
    ),
    ("frames", "number of frames that were written"),
];

/// Energies at the end of a step.
#[derive(Clone, Copy, Debug, Serialize)]
struct Moment {
    step: u64,
    time: f64,
    #[serde(flatten)]
    energies: Energies,
}

#[derive(Debug, Serialize)]
struct Done {
    scene: Scene,
    bodies: Vec<BodyRecord>,
    energies: Vec<Moment>,
    frames: u32,
}

#[derive(Debug, Serialize)]
struct BodyRecord {
    name: String,
    vertices: u64,
    /// Number of cells of a volume, else null.
    cells: Option<u64>,
    /// Number of faces of cloth, else null.
    faces: Option<u64>,
}

impl Application for Simulate {
    const NAME: &'static str = "simulate";
    const SUMMARY: &'static str = "Simulate the deformable bodies of a scene";
    const HELP: &'static str = "Examples: rxmesh simulate examples/scenes/beam.toml -o frames
          rxmesh simulate examples/scenes/beam.toml --steps 50 --checkpoint half.rxworld
          rxmesh simulate examples/scenes/beam.toml --resume half.rxworld -o frames

A scene has bodies of tetrahedra (neo-Hookean, corotated, linear, ARAP, springs; explicit, implicit,
projective, XPBD, VBD, on a grid), cloth (XPBD), pins and colliders; units are SI.
docs/library/simulation.md describes its keys.";
    const RECORD: &'static [(&'static str, &'static str)] = RECORD;
    type Options = SimulateArgs;
    type Report = ();
    type Frame = ();

    fn run((): &mut (), args: &SimulateArgs) -> Result<()> {
        let run = Run::new(Simulate::NAME, &args.common)?;
        let scene = Scene::read(&args.scene)?;
        perform(run, scene, args, (args, ""))
    }

    fn tell((): &(), _args: &SimulateArgs, _record: &Record) -> Message {
        Message::new("")
    }
}

/// Runs a scene as the flags say. Of the pair, the options go to the record, and the lines report the parameters chosen
/// for the scene.
pub(super) fn perform(
    mut run: Run,
    scene: Scene,
    args: &SimulateArgs,
    (options, chosen): (&impl Serialize, &str),
) -> Result<()> {
    let done = simulate(&mut run, scene, args)?;
    run.record.put(options, &done)?;
    let lines = lines(&done, args) + chosen;
    let text = run.timed(&lines);
    run.finish(&text)
}

fn simulate(run: &mut Run, scene: Scene, args: &SimulateArgs) -> Result<Done> {
    if let Some(path) = &args.checkpoint {
        files::check(path).with_context(|| format!("{}: cannot be written", path.display()))?;
    }
    let engine = run.engine(args.engine.engine)?;
    let (mut stage, ms) = run.stage("preparing", || {
        let mut stage = RunningScene::new(&engine, scene)?;
        if let Some(path) = &args.resume {
            stage.world.restore(path)?;
        }
        Ok(stage)
    })?;
    run.record.timings_ms.patch = ms;
    for warning in std::mem::take(&mut stage.warnings) {
        run.warn(warning);
    }
    let last = args.steps.unwrap_or(stage.scene.time.steps).into();
    if stage.world.steps() >= last {
        bail!(
            "{}: {} steps are done already, and the run ends at step {last}",
            args.scene.display(),
            stage.world.steps()
        );
    }
    // A scene that cannot be made leaves no folder behind.
    if let Some(folder) = &args.output {
        std::fs::create_dir_all(folder)
            .with_context(|| format!("{}: cannot be made", folder.display()))?;
    }
    let mut film = Film::new(args);
    let (energies, ms) = run.stage("moving", || play(&mut stage, last, &mut film))?;
    run.record.timings_ms.run = ms;
    if let Some(path) = &args.checkpoint {
        stage.world.save(path)?;
    }
    Ok(Done {
        bodies: stage.actors.iter().map(body_record).collect(),
        scene: stage.scene,
        energies,
        frames: film.frames,
    })
}

fn body_record(actor: &rxmesh_simulation::scene::Actor) -> BodyRecord {
    let (n, volume) = (actor.element_count() as u64, actor.is_volume());
    BodyRecord {
        name: actor.name.clone(),
        vertices: actor.vertex_count() as u64,
        cells: volume.then_some(n),
        faces: (!volume).then_some(n),
    }
}

/// Runs to the last step; returns the energies at the start, at every frame and at the end.
fn play(stage: &mut RunningScene, last: u64, film: &mut Film<'_>) -> Result<Vec<Moment>> {
    let mut energies = vec![moment(stage)?];
    film.take(stage)?;
    while stage.world.steps() < last {
        stage.step()?;
        let step = stage.world.steps();
        if step.is_multiple_of(stage.scene.output.every.into()) || step == last {
            energies.push(moment(stage).with_context(|| format!("step {step}"))?);
            film.take(stage)?;
        }
    }
    Ok(energies)
}

fn moment(stage: &RunningScene) -> Result<Moment> {
    Ok(Moment {
        step: stage.world.steps(),
        time: stage.world.time(),
        energies: stage.world.energies()?,
    })
}

/// Frames, as files.
struct Film<'a> {
    folder: Option<&'a Path>,
    format: Option<Format>,
    frames: u32,
}

impl Film<'_> {
    fn new(args: &SimulateArgs) -> Film<'_> {
        Film {
            folder: args.output.as_deref(),
            format: args.format,
            frames: 0,
        }
    }

    /// Writes a frame: a file a body, `<name>_<step>.<extension>`.
    fn take(&mut self, stage: &mut RunningScene) -> Result<()> {
        let Some(folder) = self.folder else {
            return Ok(());
        };
        let (step, format) = (stage.world.steps(), self.format);
        stage.frame(|name, mesh| -> Result<()> {
            let (fits, usual): (fn(Format) -> bool, _) = match mesh.cell_count() {
                Some(_) => (Format::holds_volumes, Format::Vtu),
                None => (Format::holds_surfaces, Format::Obj),
            };
            let format = format.filter(|f| fits(*f)).unwrap_or(usual);
            let options = WriteOptions::default().with(|o| o.format = Some(format));
            let name = format!("{name}_{step:06}.{}", format.extension());
            io::write_with(&folder.join(name), mesh, &options, files::Links::Refuse)?;
            Ok(())
        })?;
        self.frames += 1;
        Ok(())
    }
}

fn lines(done: &Done, args: &SimulateArgs) -> String {
    let n = text::number;
    let (first, last) = (done.energies.first(), done.energies.last());
    let steps = first.zip(last).map_or(0, |(a, b)| b.step - a.step);
    let mut lines = format!(
        "{} steps of {} s of {}\n",
        steps,
        n(done.scene.time.step.into()),
        shown(&args.scene)
    );
    for body in &done.bodies {
        let elements = match (body.cells, body.faces) {
            (Some(cells), _) => format!("{cells} cells"),
            (None, faces) => format!("{} faces", faces.unwrap_or(0)),
        };
        lines += &format!("{}: {} vertices, {elements}\n", body.name, body.vertices);
    }
    for moment in [first, last].into_iter().flatten() {
        let e = &moment.energies;
        lines += &format!(
            "energy at {} s: {} kinetic, {} elastic, {} of height, {} of contact, {} in all\n",
            n(moment.time),
            n(e.kinetic),
            n(e.elastic),
            n(e.gravity),
            n(e.contact),
            n(e.total)
        );
    }
    if let Some(folder) = &args.output {
        lines += &format!("wrote {} frames to {}\n", done.frames, shown(folder));
    }
    if let Some(path) = &args.checkpoint {
        lines += &format!("wrote {}\n", shown(path));
    }
    lines
}
