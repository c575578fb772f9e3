//! Operations on bodies and on scenes.

use super::shared::{FrameKeywords, SceneKeywords};
use super::{
    Answer, BothOptions, CallForm, CallFrame, CallMesh, CallSubject, Finished, SceneSource, Takes,
    usage,
};
use clap::{ArgMatches, Args, FromArgMatches};
use rxmesh::host::io::{MeshRef, Model};
use rxmesh::on::{AnyMesh, Body, Scene};
use rxmesh::simulation::scene::{self, LoadedMesh, RunningScene};
use rxmesh::{Engine, Error, Log, Operation, Result};
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// Frames so far.
type Frames = Rc<RefCell<Vec<CallFrame>>>;

impl CallForm for Body {
    type Shared = FrameKeywords;

    /// Operations on volumes say so themselves.
    const TAKES: Takes = Takes::Surface;

    fn call<O>(
        matches: &ArgMatches,
        mut subject: CallSubject,
        log: &mut dyn Log,
    ) -> Answer<Finished>
    where
        O: Operation<On = Self, Options: Args>,
    {
        let shared = FrameKeywords::from_arg_matches(matches)?;
        let options = BothOptions::new::<O>(matches, 1)?.given;
        let (engine, home) = (subject.engine(matches, &shared.engine)?, subject.home());
        let mesh = match subject.one()? {
            CallMesh::Memory(AnyMesh::Volume(mesh)) => {
                mesh.validate()?;
                LoadedMesh::Volume(Arc::new(mesh))
            }
            surface => {
                let mesh = surface.into_surface(log)?;
                mesh.validate()?;
                LoadedMesh::Surface(Arc::new(mesh))
            }
        };
        let mut on = Body::new(mesh, O::NAME, &engine);
        let frames = Frames::default();
        if shared.frames {
            on.on_frames(receiver(&frames));
        }
        let report = O::run(&mut on, &options, log)?;
        let mesh = CallMesh::settled(any(on.mesh), home.as_ref());
        let mut finished = Finished::new::<O>(&report, &options, vec![mesh]);
        finished.frames = frames.take();
        Ok(finished)
    }
}

impl CallForm for Scene {
    type Shared = SceneKeywords;

    const TAKES: Takes = Takes::Scene;

    fn call<O>(matches: &ArgMatches, subject: CallSubject, log: &mut dyn Log) -> Answer<Finished>
    where
        O: Operation<On = Self, Options: Args>,
    {
        let shared = SceneKeywords::from_arg_matches(matches)?;
        let options = BothOptions::new::<O>(matches, 1)?.given;
        let Some(source) = &subject.scene else {
            return Err(usage("scene: a file or a text is needed"));
        };
        let read = read(source)?;
        let engine = crate::engines::engine(shared.frame.engine.engine)?;
        let mut on = Scene::new(&engine, read, log)?;
        if let Some(path) = &shared.resume {
            let restored = on.stage.world.restore(path);
            restored.map_err(|e| Error::Other(e.into()))?;
        }
        let frames = Frames::default();
        if shared.frame.frames {
            on.on_frames(receiver(&frames));
        }
        let report = O::run(&mut on, &options, log)?;
        if let Some(path) = &shared.checkpoint {
            let saved = on.stage.world.save(path);
            saved.map_err(|e| Error::Other(e.into()))?;
        }
        let names = on.stage.actors.iter().map(|actor| actor.name.clone());
        let names = names.collect();
        let meshes = on.into_meshes()?.into_iter().map(any);
        let meshes = meshes.map(CallMesh::Memory).collect();
        let mut finished = Finished::new::<O>(&report, &options, meshes);
        finished.names = names;
        finished.frames = frames.take();
        Ok(finished)
    }
}

/// Reads a scene.
fn read(source: &SceneSource) -> Result<scene::Scene> {
    let read = match source {
        SceneSource::File(path) => scene::Scene::read(path),
        SceneSource::Text(text) => scene::Scene::parse(text, Path::new("scene.toml")),
    };
    read.map_err(|e| Error::Other(e.into()))
}

/// Opens a scene on an engine.
///
/// # Errors
///
/// A scene that cannot be made, and those of the engine.
pub fn opened(source: &SceneSource, engine: &Engine, log: &mut dyn Log) -> Result<RunningScene> {
    Ok(Scene::new(engine, read(source)?, log)?.stage)
}

/// Returns a receiver that keeps frames.
fn receiver(frames: &Frames) -> impl FnMut(&mut RunningScene) -> Result<()> + 'static {
    let frames = frames.clone();
    move |stage| {
        let mut bodies = Vec::new();
        stage.frame(|name, mesh| -> Result<()> {
            bodies.push((name.to_owned(), copy(mesh)));
            Ok(())
        })?;
        frames.borrow_mut().push(CallFrame {
            step: stage.world.steps(),
            bodies,
        });
        Ok(())
    }
}

/// Returns a copy of a mesh.
pub fn copy(mesh: Model<'_>) -> AnyMesh {
    match mesh {
        Model::Surface(MeshRef::Triangles(mesh)) => AnyMesh::Surface(mesh.clone()),
        Model::Surface(MeshRef::Polygons(mesh)) => AnyMesh::Polygons(mesh.clone()),
        Model::Volume(mesh) => AnyMesh::Volume(mesh.clone()),
    }
}

fn any(mesh: LoadedMesh) -> AnyMesh {
    match mesh {
        LoadedMesh::Volume(mesh) => AnyMesh::Volume(Arc::unwrap_or_clone(mesh)),
        LoadedMesh::Surface(mesh) => AnyMesh::Surface(Arc::unwrap_or_clone(mesh)),
    }
}
