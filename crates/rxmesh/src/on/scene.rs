//! Scenes of bodies that move.

use crate::log::timed;
use crate::{Error, Log, Result, Stage, text};
use rxmesh_host::engine::Engine;
use rxmesh_host::units;
use rxmesh_simulation::Energies;
use rxmesh_simulation::scene::{self, Actor, LoadedMesh};
use serde::Serialize;
use std::fmt;

/// Receiver of frames.
pub(super) type FrameReceiver = Box<dyn FnMut(&mut scene::RunningScene) -> Result<()>>;

/// Scene on an engine.
pub struct Scene {
    /// Bodies and solids, and their world.
    pub stage: scene::RunningScene,
    frames: Option<FrameReceiver>,
}

impl fmt::Debug for Scene {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.stage.fmt(f)
    }
}

impl Scene {
    /// Moves a scene to an engine. Warns of what its meshes lack.
    ///
    /// # Errors
    ///
    /// A scene that cannot be made, and those of the engine.
    pub fn new(engine: &Engine, scene: scene::Scene, log: &mut dyn Log) -> Result<Scene> {
        let mut stage = timed(log, Stage::Prepare, || {
            let made = scene.check();
            let made = made.and_then(|()| scene::RunningScene::new(engine, scene));
            made.map_err(|e| Error::Other(e.into()))
        })?;
        for warning in std::mem::take(&mut stage.warnings) {
            log.warn(warning);
        }
        Ok(Scene {
            stage,
            frames: None,
        })
    }

    /// Sets the receiver of frames: it is called at the start, at each frame of the scene, and at the end.
    pub fn on_frames(
        &mut self,
        frames: impl FnMut(&mut scene::RunningScene) -> Result<()> + 'static,
    ) {
        self.frames = Some(Box::new(frames));
    }

    /// Advances the scene until so many steps are done, counted from its start.
    ///
    /// # Errors
    ///
    /// Nothing to do, a body that left the numbers, and those of the engine and of the receiver of frames.
    pub fn play(&mut self, steps: u32, log: &mut dyn Log) -> Result<Played> {
        let (stage, last) = (&mut self.stage, u64::from(steps));
        if stage.world.steps() >= last {
            return Err(Error::Message(format!(
                "{}: {} steps are done already, and the run ends at step {last}",
                stage.scene.path.display(),
                stage.world.steps()
            )));
        }
        let frames = &mut self.frames;
        let energies = timed(log, Stage::Work("moving"), || moved(stage, last, frames))?;
        let shown = match self.frames {
            Some(_) => energies.len() as u32,
            None => 0,
        };
        Ok(Played {
            name: self.stage.scene.path.display().to_string(),
            bodies: self.stage.actors.iter().map(BodyCounts::of).collect(),
            scene: self.stage.scene.clone(),
            energies,
            frames: shown,
        })
    }

    /// Returns the bodies in their current state, in the order of the scene, with their velocities as a column.
    ///
    /// # Errors
    ///
    /// Those of the engine.
    pub fn into_meshes(self) -> Result<Vec<LoadedMesh>> {
        Ok(self.stage.into_meshes()?)
    }
}

/// Advances to the last step. Returns the energies at the start, at every frame and at the end.
fn moved(
    stage: &mut scene::RunningScene,
    last: u64,
    frames: &mut Option<FrameReceiver>,
) -> Result<Vec<Moment>> {
    let mut show =
        |stage: &mut scene::RunningScene| frames.as_mut().map_or(Ok(()), |show| show(stage));
    let mut energies = vec![Moment::of(stage)?];
    show(stage)?;
    while stage.world.steps() < last {
        stage.step()?;
        let step = stage.world.steps();
        stage.world.engine().note("step", step);
        if step.is_multiple_of(stage.scene.output.every.into()) || step == last {
            energies.push(Moment::of(stage).map_err(|e| e.within(format!("step {step}")))?);
            show(stage)?;
        }
    }
    Ok(energies)
}

/// Report of operations that move a scene.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Played {
    /// Name of the scene or of its mesh.
    #[serde(skip)]
    pub name: String,
    /// Scene, with all defaults (docs/library/simulation.md describes its keys).
    #[cfg_attr(
        feature = "schema",
        schemars(with = "serde_json::Map<String, serde_json::Value>")
    )]
    pub scene: scene::Scene,
    /// Bodies in the order of the scene.
    pub bodies: Vec<BodyCounts>,
    /// Energies at the start, at each frame and at the end.
    pub energies: Vec<Moment>,
    /// Number of frames that were written, or passed to a receiver.
    pub frames: u32,
}

units!(Played {});

/// Number of elements of a body.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BodyCounts {
    /// Name of the body.
    pub name: String,
    /// Number of vertices.
    pub vertices: u64,
    /// Number of cells of a volume; `None` for cloth.
    pub cells: Option<u64>,
    /// Number of faces of cloth; `None` for a volume.
    pub faces: Option<u64>,
}

impl BodyCounts {
    fn of(actor: &Actor) -> BodyCounts {
        let (n, volume) = (actor.element_count() as u64, actor.is_volume());
        BodyCounts {
            name: actor.name.clone(),
            vertices: actor.vertex_count() as u64,
            cells: volume.then_some(n),
            faces: (!volume).then_some(n),
        }
    }
}

/// Energies at the end of a step.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Moment {
    /// Number of steps.
    pub step: u64,
    /// Time in seconds.
    pub time: f64,
    /// Energies in joules.
    #[serde(flatten)]
    pub energies: Energies,
}

impl Moment {
    fn of(stage: &scene::RunningScene) -> Result<Moment> {
        Ok(Moment {
            step: stage.world.steps(),
            time: stage.world.time(),
            energies: stage.world.energies()?,
        })
    }
}

impl Played {
    /// Describes steps, bodies and energies in lines.
    pub fn lines(&self) -> String {
        let n = text::number;
        let (first, last) = (self.energies.first(), self.energies.last());
        let steps = first.zip(last).map_or(0, |(a, b)| b.step - a.step);
        let mut lines = format!(
            "{} steps of {} s of {}\n",
            steps,
            n(self.scene.time.step.into()),
            self.name
        );
        for body in &self.bodies {
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
        lines
    }
}
