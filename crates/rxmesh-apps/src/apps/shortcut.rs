//! The common part of the shortcuts `cloth` and `soft`: a scene of one mesh, as TOML.

use super::simulate::{SimulateArgs, perform};
use crate::cli::{CommonArgs, EngineArgs};
use crate::console;
use crate::input;
use crate::run::Run;
use crate::text;
use anyhow::{Context, Result, bail};
use clap::Args;
use rxmesh_host::DVec3;
use rxmesh_simulation::scene::{Scene, SolverSpec};
use serde::Serialize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

#[derive(Debug, Args, Serialize)]
pub(crate) struct ShortcutArgs {
    /// The mesh; coordinates are metres
    #[arg(value_name = "MESH", value_hint = clap::ValueHint::FilePath)]
    #[serde(skip)]
    pub(super) mesh: PathBuf,
    /// Folder of the frames, made if it does not exist; without it no frame is written
    #[arg(long, value_name = "FOLDER", value_hint = clap::ValueHint::DirPath)]
    frames: Option<PathBuf>,
    /// Number of steps
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 250)]
    pub(super) steps: u32,
    /// Steps from frame to frame
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..), default_value_t = 10)]
    pub(super) every: u32,
    /// Print the scene as TOML and stop; `simulate` runs an edited copy of it
    #[arg(long)]
    print_scene: bool,
    #[command(flatten)]
    #[serde(skip)]
    engine: EngineArgs,
    #[command(flatten)]
    #[serde(skip)]
    pub(super) common: CommonArgs,
}

/// The box around a mesh, counted from the scene's origin.
pub(super) struct MeshBox {
    /// Place where the mesh was found.
    path: PathBuf,
    /// Zero, unless the mesh lies far from it.
    origin: DVec3,
    low: DVec3,
    high: DVec3,
}

impl MeshBox {
    /// Reads the bounding box of a volume or of a surface from a file.
    pub(super) fn read(name: &Path, volume: bool) -> Result<MeshBox> {
        let found = input::find(name)?;
        let path = &found;
        let is_volume = input::is_volume(path);
        // For a format that holds both kinds, and for a broken file, the reader's error says more.
        let refused = match volume {
            true => {
                !is_volume
                    && input::read_poly(path, false)
                        .is_ok_and(|input| !input.loaded.format.holds_volumes())
            }
            false => is_volume && input::format(path).is_some_and(|f| !f.holds_surfaces()),
        };
        if refused {
            let (is, not) = match volume {
                true => ("a surface", "a volume (`cloth` takes surfaces)"),
                false => ("a volume", "a surface (`soft` takes volumes)"),
            };
            bail!("{}: {is}, but must be {not}", path.display());
        }
        let (bounds, origin) = match volume {
            true => {
                let mut mesh = input::read_tets(path)?.loaded.mesh;
                let bounds = mesh.bounding_box().filter(|_| mesh.cell_count() > 0);
                mesh.normalise();
                (bounds, mesh.placement.origin)
            }
            false => {
                let mut mesh = input::read(path, true)?.loaded.mesh;
                let bounds = mesh.bounding_box().filter(|_| mesh.face_count() > 0);
                mesh.normalise();
                (bounds, mesh.placement.origin)
            }
        };
        let [low, high] = bounds
            .with_context(|| format!("{}: there is nothing in it", path.display()))?
            .map(|corner| DVec3::from_array(corner) - origin);
        let around = MeshBox {
            path: found.clone(),
            origin,
            low,
            high,
        };
        let size = around.size();
        if !(SIZES.0..=SIZES.1).contains(&size) {
            bail!(
                "{}: it is {size:?} m long, and bodies of {:?} to {:?} m can be simulated: `transform --scale` brings \
                it there",
                path.display(),
                SIZES.0,
                SIZES.1
            );
        }
        Ok(around)
    }

    /// Returns the length of the longest side.
    fn size(&self) -> f64 {
        (self.high - self.low).max_element()
    }

    /// Returns the scaling of quantities from a body of `length` metres to one as long as this one.
    pub(super) fn similar_to(&self, length: f64) -> Similar {
        Similar {
            ratio: self.size() / length,
        }
    }

    /// Returns the box of the highest hundredth; for a level mesh, that of its longest side.
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

    /// Returns the height of ground that lies `below` sizes of the mesh below the mesh.
    fn ground(&self, below: f64) -> f64 {
        self.low.z - below * self.size()
    }
}

/// Lengths in metres of bodies with which the solvers' 32-bit numbers were tested.
const SIZES: (f64, f64) = (1e-6, 1e6);

/// Dynamic similarity: under the same gravity a body of another size moves alike, in its own lengths, when times go
/// with the root of the ratio of the sizes, accelerations stay, and elastic forces grow as weights do.
#[derive(Clone, Copy)]
pub(super) struct Similar {
    ratio: f64,
}

impl Similar {
    /// Scales a length, or a quantity proportional to length: stresses and moduli at the same density.
    pub(super) fn length(self, metres: f64) -> f64 {
        metres * self.ratio
    }

    /// Scales a time or a speed.
    pub(super) fn time(self, seconds: f64) -> f64 {
        seconds * self.ratio.sqrt()
    }

    /// Scales the inverse of a time.
    pub(super) fn rate(self, per_second: f64) -> f64 {
        per_second / self.ratio.sqrt()
    }

    /// Scales a compliance in m/N of a sheet with constant mass per square metre.
    pub(super) fn stretch(self, compliance: f64) -> f64 {
        compliance / self.ratio
    }

    /// Scales a compliance in rad/(N m) of a sheet with constant mass per square metre.
    pub(super) fn bending(self, compliance: f64) -> f64 {
        compliance / self.ratio.powi(3)
    }
}

/// Formats a vector as TOML.
fn vector(v: DVec3) -> String {
    format!("[{:?}, {:?}, {:?}]", v.x, v.y, v.z)
}

/// The body of a shortcut.
pub(super) struct ShortcutBody<'a> {
    pub(super) name: &'a str,
    pub(super) around: &'a MeshBox,
    /// Quantities for its size.
    pub(super) similar: Similar,
    /// Seconds of a step of the body that it is similar to.
    pub(super) step: f64,
    /// The other keys of the body, as lines.
    pub(super) rest: &'a str,
    /// Box of the vertices that are held.
    pub(super) pins: Option<[DVec3; 2]>,
    /// Sizes of the body from it down to the ground.
    pub(super) below: f64,
}

/// Returns the scene of one body over the ground, as TOML.
pub(super) fn scene(args: &ShortcutArgs, body: &ShortcutBody<'_>) -> Result<String> {
    // Contact constants for a body of one metre.
    const STIFFNESS: f64 = 1e5;
    const THICKNESS: f64 = 1e-3;
    const SLIP: f64 = 1e-3;
    let path = &body.around.path;
    let Some(mesh) = path.to_str() else {
        bail!(
            "{}: its name is not valid UTF-8, which a scene needs",
            path.display()
        );
    };
    // A string of JSON is one of TOML.
    let mesh = serde_json::to_string(mesh)?;
    let ShortcutBody {
        name,
        around,
        similar,
        rest,
        ..
    } = body;
    let pins = body.pins.map_or(String::new(), |[low, high]| {
        format!(
            "pins = [{{ within = [{}, {}] }}]\n",
            vector(low),
            vector(high)
        )
    });
    let origin = match around.origin == DVec3::ZERO {
        true => String::new(),
        false => format!("origin = {}\n", vector(around.origin)),
    };
    let (steps, every) = (args.steps, args.every);
    let (step, slip) = (similar.time(body.step), similar.time(SLIP));
    let ground = around.ground(body.below);
    let (stiffness, thickness) = (STIFFNESS / similar.ratio, similar.length(THICKNESS));
    Ok(format!(
        "slip = {slip:?}\n{origin}\n[time]\nstep = {step:?}\nsteps = {steps}\n\n[output]\nevery = {every}\n\n\
        [[body]]\nname = \"{name}\"\nmesh = {mesh}\n{rest}{pins}\n\
        [[collider]]\nplane = {{ normal = [0.0, 0.0, 1.0] }}\nat = [0.0, 0.0, {ground:?}]\n\
        stiffness = {stiffness:?}\nthickness = {thickness:?}\nfriction = 0.4\n"
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
    let mut scene = Scene::parse(text, Path::new("scene.toml"))?;
    let content = input::stream(&args.mesh)?;
    if args.print_scene {
        if content.is_some() {
            bail!(
                "{}: a scene names the file of its mesh, and this is a stream: save it, and give the file's name",
                text::named(&args.mesh.display().to_string(), "stdin")
            );
        }
        return console::to_stdout(text.as_bytes());
    }
    scene.content = content.map(Arc::from);
    let simulate = SimulateArgs {
        scene: args.mesh.clone(),
        output: args.frames.clone(),
        format: None,
        steps: None,
        checkpoint: None,
        resume: None,
        engine: args.engine.clone(),
        common: args.common.clone(),
    };
    let chosen = chosen(&scene);
    perform(run, scene, &simulate, (options, chosen.as_str()))
}

/// Returns the lines that report the parameters derived from the size of the body.
fn chosen(scene: &Scene) -> String {
    let number = |x: Option<f32>| text::number(x.unwrap_or_default().into());
    let mut lines = String::new();
    for body in &scene.bodies {
        if let SolverSpec::Xpbd(_) = body.solver
            && body.name == "cloth"
        {
            lines += &format!(
                "for its size: compliances of {} m/N and {} rad/(N m)\n",
                text::number(body.cloth.material.stretch.unwrap_or_default()),
                text::number(body.cloth.material.bending.unwrap_or_default())
            );
        } else {
            lines += &format!(
                "for its size: Young's modulus {} Pa\n",
                text::number(body.material.young)
            );
        }
    }
    for collider in &scene.colliders {
        lines += &format!(
            "ground: stiffness {} 1/s^2 in a layer of {} m\n",
            number(collider.stiffness),
            number(collider.thickness)
        );
    }
    lines
}
