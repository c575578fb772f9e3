//! Meshes that move as bodies over the ground, at any size.

use super::scene::{FrameReceiver, Played, Scene};
use crate::error::ensure;
use crate::{Error, Log, Operation, Result, text};
use rxmesh_host::DVec3;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{Extras, NORMAL, Placement};
use rxmesh_simulation::scene::{
    self, BodySpec, ColliderSpec, LoadedMesh, Normal, Output, Pins, RunningScene, SolverSpec, Time,
};
use serde::Serialize;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Lengths in metres of bodies with which the solvers' 32-bit numbers were tested.
const SIZES: (f64, f64) = (1e-6, 1e6);

/// Mesh that an operation moves as a body.
pub struct Body {
    /// Mesh at rest, then the mesh at the end.
    pub mesh: LoadedMesh,
    /// File of the mesh.
    path: PathBuf,
    engine: Engine,
    frames: Option<FrameReceiver>,
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fields = (&self.path, &self.engine);
        f.debug_tuple("Body").field(&fields).finish()
    }
}

/// Operation that makes a scene of one mesh and moves it.
pub trait MakesScene: Operation<On = Body, Report = Played> {
    /// `true` if it takes volumes, `false` if surfaces.
    const VOLUME: bool;

    /// Makes the scene of a mesh, which lies in a file.
    ///
    /// # Errors
    ///
    /// A mesh without faces or cells, or of a size that cannot be simulated.
    fn scene(mesh: &LoadedMesh, path: &Path, options: &Self::Options) -> Result<scene::Scene>;
}

impl Body {
    /// Takes a mesh, with the name of its file.
    pub fn new(mesh: LoadedMesh, path: impl Into<PathBuf>, engine: &Engine) -> Body {
        Body {
            mesh,
            path: path.into(),
            engine: engine.clone(),
            frames: None,
        }
    }

    /// Sets the receiver of frames: it is called at the start, at each frame, and at the end.
    pub fn on_frames(&mut self, frames: impl FnMut(&mut RunningScene) -> Result<()> + 'static) {
        self.frames = Some(Box::new(frames));
    }

    /// Makes the scene of the mesh and moves it to its end, where the mesh then is.
    pub(crate) fn play<O: MakesScene>(
        &mut self,
        options: &O::Options,
        log: &mut dyn Log,
    ) -> Result<Played> {
        let scene = O::scene(&self.mesh, &self.path, options)?;
        let steps = scene.time.steps;
        let mut scene = Scene::new(&self.engine, scene, log)?;
        if let Some(frames) = self.frames.take() {
            scene.on_frames(frames);
        }
        let mut played = scene.play(steps, log)?;
        if let Some(name) = log.mesh_name() {
            played.name = name;
        }
        if let Some(end) = scene.into_meshes()?.pop() {
            self.mesh = with_extras(end, &self.mesh, log);
        }
        Ok(played)
    }
}

/// Returns a mesh at its end with the attributes that it had at rest, but for normals, and where it lay before.
fn with_extras(end: LoadedMesh, rest: &LoadedMesh, log: &mut dyn Log) -> LoadedMesh {
    match (end, rest) {
        (LoadedMesh::Volume(end), LoadedMesh::Volume(rest)) => {
            let mut end = Arc::unwrap_or_clone(end);
            end.extras = carried(&rest.extras, &end.extras, log);
            end.return_to(rest.placement);
            LoadedMesh::Volume(Arc::new(end))
        }
        (LoadedMesh::Surface(end), LoadedMesh::Surface(rest)) => {
            let mut end = Arc::unwrap_or_clone(end);
            end.extras = carried(&rest.extras, &end.extras, log);
            end.return_to(rest.placement);
            LoadedMesh::Surface(Arc::new(end))
        }
        (end, _) => end,
    }
}

fn carried(rest: &Extras, end: &Extras, log: &mut dyn Log) -> Extras {
    let mut extras = rest.clone();
    let had = extras.columns.len();
    extras.columns.retain(|c| c.name != NORMAL);
    if extras.corner_normals.take().is_some() || extras.columns.len() < had {
        log.warn("the input's normals no longer fit and are left out".into());
    }
    for column in &end.columns {
        let same = |c: &&mut _| is_same(c, column);
        match extras.columns.iter_mut().find(same) {
            Some(there) => {
                log.warn(format!("the input's column '{}' is replaced", column.name));
                there.clone_from(column);
            }
            None => extras.columns.push(column.clone()),
        }
    }
    extras
}

fn is_same(a: &rxmesh_host::mesh::Column, b: &rxmesh_host::mesh::Column) -> bool {
    (a.element, &a.name) == (b.element, &b.name)
}

/// Box around a mesh, relative to the scene's origin.
pub(crate) struct MeshBox {
    /// Zero, unless the mesh lies far from it.
    origin: DVec3,
    low: DVec3,
    high: DVec3,
}

impl MeshBox {
    /// Measures a mesh.
    pub(crate) fn of(mesh: &LoadedMesh, path: &Path) -> Result<MeshBox> {
        let (bounds, placement) = match mesh {
            LoadedMesh::Volume(mesh) => (
                mesh.bounding_box().filter(|_| mesh.cell_count() > 0),
                mesh.normalised(),
            ),
            LoadedMesh::Surface(mesh) => (
                mesh.bounding_box().filter(|_| mesh.face_count() > 0),
                mesh.normalised(),
            ),
        };
        let Placement { origin, .. } = placement;
        let Some(bounds) = bounds else {
            let path = path.display();
            return Err(Error::Message(format!("{path}: there is nothing in it")));
        };
        let [low, high] = bounds.map(|corner| DVec3::from_array(corner) - origin);
        let extent = MeshBox { origin, low, high };
        let size = extent.size();
        ensure!(
            (SIZES.0..=SIZES.1).contains(&size),
            "{}: it is {size:?} m long, and bodies of {:?} to {:?} m can be simulated: `transform --scale` brings \
            it there",
            path.display(),
            SIZES.0,
            SIZES.1
        );
        Ok(extent)
    }

    /// Returns the longest side.
    fn size(&self) -> f64 {
        (self.high - self.low).max_element()
    }

    /// Returns the quantities for a body that is as long as this one, from those of a body of `length` metres.
    pub(crate) fn similar_to(&self, length: f64) -> Similar {
        Similar {
            ratio: self.size() / length,
        }
    }

    /// Returns the box of the highest hundredth; of a mesh without height, that of its longest side.
    pub(crate) fn top(&self) -> [DVec3; 2] {
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

    /// Returns the height of ground that is so many sizes of the mesh below it.
    fn ground(&self, below: f64) -> f64 {
        self.low.z - below * self.size()
    }
}

/// Dynamic similarity: under the same gravity a body of another size moves alike, in its own lengths, when times go
/// with the root of the ratio of the sizes, accelerations stay, and elastic forces grow as weights do.
#[derive(Clone, Copy)]
pub(crate) struct Similar {
    ratio: f64,
}

impl Similar {
    /// Converts a length, or anything that grows as one: stresses and moduli at the same density.
    pub(crate) fn length(self, metres: f64) -> f64 {
        metres * self.ratio
    }

    /// Converts a time, or a speed.
    pub(crate) fn time(self, seconds: f64) -> f64 {
        seconds * self.ratio.sqrt()
    }

    /// Converts one over a time.
    pub(crate) fn rate(self, per_second: f64) -> f64 {
        per_second / self.ratio.sqrt()
    }

    /// Converts a compliance in m/N of a sheet whose mass per square metre stays.
    pub(crate) fn stretch(self, compliance: f64) -> f64 {
        compliance / self.ratio
    }

    /// Converts a compliance in rad/(N m) of a sheet whose mass per square metre stays.
    pub(crate) fn bending(self, compliance: f64) -> f64 {
        compliance / self.ratio.powi(3)
    }
}

/// Steps of an operation that makes its own scene.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct SceneSteps {
    /// Number of steps
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..),
        default_value_t = 250))]
    pub steps: u32,
    /// Steps from frame to frame
    #[cfg_attr(feature = "cli", arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..),
        default_value_t = 10))]
    pub every: u32,
}

impl Default for SceneSteps {
    fn default() -> SceneSteps {
        SceneSteps {
            steps: 250,
            every: 10,
        }
    }
}

/// Scene of a body over the ground.
pub(crate) struct OverGround<'a> {
    /// Mesh of the body.
    pub(crate) mesh: &'a LoadedMesh,
    /// File of the mesh.
    pub(crate) path: &'a Path,
    pub(crate) extent: &'a MeshBox,
    /// Quantities for its size.
    pub(crate) similar: Similar,
    /// Time of a step of the body that it is similar to, in seconds.
    pub(crate) step: f64,
    /// Distance from the body down to the ground, in sizes of the body.
    pub(crate) below: f64,
}

impl OverGround<'_> {
    /// Makes the scene of a body with material and solver, which holds the vertices in a box.
    pub(crate) fn scene(
        &self,
        mut body: BodySpec,
        pins: Option<[DVec3; 2]>,
        steps: SceneSteps,
    ) -> scene::Scene {
        /// Stiffness, thickness and slip of contact with a body of a metre.
        const STIFFNESS: f64 = 1e5;
        const THICKNESS: f64 = 1e-3;
        const SLIP: f64 = 1e-3;
        let similar = self.similar;
        body.mesh = Some(self.path.to_owned());
        body.content = Some(self.mesh.clone());
        let corners = pins.map(|corners| corners.map(|c| c.as_vec3().to_array()));
        body.pins.extend(corners.map(|within| Pins {
            within: Some(within),
            ..Pins::default()
        }));
        let mut scene = scene::Scene::new(Time {
            step: similar.time(self.step) as f32,
            steps: steps.steps,
        });
        // Files are relative to the scene's own, which would lie in the current folder.
        scene.path = "scene.toml".into();
        scene.slip = similar.time(SLIP) as f32;
        scene.origin = self.extent.origin.to_array();
        scene.output = Output { every: steps.every };
        scene.bodies = vec![body];
        scene.colliders = vec![ColliderSpec {
            plane: Some(Normal {
                normal: [0.0, 0.0, 1.0],
            }),
            at: [0.0, 0.0, self.extent.ground(self.below) as f32],
            stiffness: Some((STIFFNESS / similar.ratio) as f32),
            thickness: Some(similar.length(THICKNESS) as f32),
            friction: 0.4,
            ..ColliderSpec::default()
        }];
        scene
    }
}

impl Played {
    /// Describes what follows the size of the body, in lines.
    pub(crate) fn chosen(&self) -> String {
        let number = |x: Option<f32>| text::number(x.unwrap_or_default().into());
        let mut lines = String::new();
        for body in &self.scene.bodies {
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
        for collider in &self.scene.colliders {
            lines += &format!(
                "ground: stiffness {} 1/s^2 in a layer of {} m\n",
                number(collider.stiffness),
                number(collider.thickness)
            );
        }
        lines
    }
}
