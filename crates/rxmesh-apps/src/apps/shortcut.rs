//! What the shortcuts `cloth` and `soft` share: a scene of one mesh, as TOML.

use super::simulate::{SimulateArgs, perform};
use crate::cli::{CommonArgs, EngineArgs};
use crate::console;
use crate::run::Run;
use anyhow::{Context, Result, bail};
use clap::Args;
use rxmesh_host::DVec3;
use rxmesh_host::io::{self, Format, Loaded, ReadOptions};
use rxmesh_simulation::scene::Scene;
use serde::Serialize;
use std::path::{Path, PathBuf};

#[derive(Debug, Args, Serialize)]
pub(crate) struct ShortcutArgs {
    /// The mesh; coordinates are metres
    #[arg(value_name = "MESH", value_hint = clap::ValueHint::FilePath)]
    #[serde(skip)]
    pub(super) mesh: PathBuf,
    /// Folder of the frames, which is made if need be; without it no frame is written
    #[arg(long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    frames: Option<PathBuf>,
    /// Number of steps
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 250)]
    pub(super) steps: u32,
    /// Steps from frame to frame
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 10)]
    pub(super) every: u32,
    /// Print the scene and stop: a start for a scene of one's own, which `simulate` moves
    #[arg(long)]
    print_scene: bool,
    #[command(flatten)]
    #[serde(skip)]
    engine: EngineArgs,
    #[command(flatten)]
    #[serde(skip)]
    pub(super) common: CommonArgs,
}

/// Where a mesh is, in the world.
pub(super) struct Around {
    low: DVec3,
    high: DVec3,
}

impl Around {
    /// Of a file of a volume, or of a surface.
    pub(super) fn read(path: &Path, volume: bool) -> Result<Around> {
        if Format::of_name(path).is_some_and(|f| f.is_volume() != volume) {
            let (is, not) = match volume {
                true => ("a surface", "a volume (`cloth` takes surfaces)"),
                false => ("a volume", "a surface (`soft` takes volumes)"),
            };
            bail!("{}: {is}, but must be {not}", path.display());
        }
        let options = ReadOptions::default().with(|o| o.triangulate = true);
        let bounds = match volume {
            true => {
                let Loaded { mesh, .. } = io::read_tets(path, &options)?;
                mesh.bounding_box().filter(|_| mesh.cell_count() > 0)
            }
            false => {
                let Loaded { mesh, .. } = io::read(path, &options)?;
                mesh.bounding_box().filter(|_| mesh.face_count() > 0)
            }
        };
        let [low, high] = bounds
            .with_context(|| format!("{}: there is nothing in it", path.display()))?
            .map(DVec3::from_array);
        Ok(Around { low, high })
    }

    fn size(&self) -> f64 {
        (self.high - self.low).max_element()
    }

    /// Its highest hundredth; of a mesh without height, that of its longest side.
    pub(super) fn top(&self) -> [DVec3; 2] {
        let sides = self.high - self.low;
        let axis = if sides.z > 1e-3 * self.size() {
            2
        } else if sides.x >= sides.y {
            0
        } else {
            1
        };
        let (mut low, high) = (self.low - self.size(), self.high + self.size());
        low[axis] = self.high[axis] - 0.01 * sides[axis];
        [low, high]
    }

    /// The height of ground that is so many sizes of the mesh below it.
    pub(super) fn ground(&self, below: f64) -> f64 {
        self.low.z - below * self.size()
    }
}

/// A vector as TOML.
fn vector(v: DVec3) -> String {
    format!("[{:?}, {:?}, {:?}]", v.x, v.y, v.z)
}

/// The scene of a body of a file over the ground: `rest` are the body's other keys.
pub(super) fn scene(
    args: &ShortcutArgs,
    (name, step): (&str, f64),
    rest: &str,
    (pins, ground): (Option<[DVec3; 2]>, f64),
) -> Result<String> {
    let path = &args.mesh;
    let Some(mesh) = path.to_str() else {
        bail!(
            "{}: its name is no text that a scene can hold",
            path.display()
        );
    };
    // A string of JSON is one of TOML.
    let mesh = serde_json::to_string(mesh)?;
    let pins = pins.map_or(String::new(), |[low, high]| {
        format!(
            "pins = [{{ within = [{}, {}] }}]\n",
            vector(low),
            vector(high)
        )
    });
    let (steps, every) = (args.steps, args.every);
    Ok(format!(
        "[time]\nstep = {step}\nsteps = {steps}\n\n[output]\nevery = {every}\n\n\
        [[body]]\nname = \"{name}\"\nmesh = {mesh}\n{rest}{pins}\n\
        [[collider]]\nplane = {{ normal = [0.0, 0.0, 1.0] }}\nat = [0.0, 0.0, {ground:?}]\nfriction = 0.4\n"
    ))
}

/// Moves the scene, or prints it.
pub(super) fn run(
    run: Run,
    args: &ShortcutArgs,
    text: &str,
    options: &impl Serialize,
) -> Result<()> {
    // Files are relative to the scene's own, which would lie in the current folder.
    let scene = Scene::parse(text, Path::new("scene.toml"))?;
    if args.print_scene {
        return console::to_stdout(text.as_bytes());
    }
    let simulate = SimulateArgs {
        scene: args.mesh.clone(),
        output: args.frames.clone(),
        format: Format::Vtu,
        steps: None,
        checkpoint: None,
        resume: None,
        engine: args.engine.clone(),
        common: args.common.clone(),
    };
    perform(run, scene, &simulate, options)
}
