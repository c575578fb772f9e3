//! Scenes: worlds described by files. `docs/library/simulation.md` describes every key.

mod collider;
mod copies;
mod make;
mod materials;
mod spec;

pub use crate::solve::SolverSpec;
pub use collider::{ColliderSpec, GridFile, Half, Normal, Radius};
pub use copies::Copies;
pub use make::{Actor, RunningScene};
pub use materials::CellMaterial;
pub use spec::{Ball, BodySpec, Cloth, Cuboid, Output, Pins, Scene, Sheet, Time, Turn};

use rxmesh_host::{Error, files};
use std::path::{Path, PathBuf};

/// Reason why a file is no valid scene.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SceneError {
    /// The file could not be read.
    #[error("{path}: {error}")]
    Io {
        /// The file.
        path: String,
        /// Reason given by the system.
        error: std::io::Error,
    },
    /// The text is no TOML, or has an unknown key or a value of the wrong type.
    #[error("{path}:{line}:{column}: {why}")]
    Text {
        /// The file.
        path: String,
        /// Line, from 1.
        line: usize,
        /// Column, from 1.
        column: usize,
        /// Error message of the parser.
        why: String,
    },
    /// A value is out of range or contradicts another.
    #[error("{path}: {place}: {why}")]
    Value {
        /// The scene's file.
        path: String,
        /// Place in the scene, as `body "beam"` or `collider 0`.
        place: String,
        /// Reason.
        why: Box<Error>,
    },
}

impl Scene {
    /// Reads a scene and checks it; meshes are not read yet.
    ///
    /// # Errors
    ///
    /// [`SceneError`].
    pub fn read(path: &Path) -> Result<Scene, SceneError> {
        let read = files::read(path).and_then(|bytes| {
            String::from_utf8(bytes)
                .map_err(|e| std::io::Error::new(std::io::ErrorKind::InvalidData, e))
        });
        let text = read.map_err(|error| SceneError::Io {
            path: path.display().to_string(),
            error,
        })?;
        Scene::parse(&text, path)
    }

    /// Parses a scene from text; relative paths are resolved from `path`, which error messages name.
    ///
    /// # Errors
    ///
    /// [`SceneError`].
    pub fn parse(text: &str, path: &Path) -> Result<Scene, SceneError> {
        let mut scene: Scene = toml::from_str(text).map_err(|e| {
            let before = &text[..e.span().map_or(0, |s| s.start.min(text.len()))];
            let last = before.rfind('\n').map_or(0, |at| at + 1);
            SceneError::Text {
                path: path.display().to_string(),
                line: before.matches('\n').count() + 1,
                column: before[last..].chars().count() + 1,
                why: e.message().replace('\n', " "),
            }
        })?;
        scene.path = path.to_owned();
        scene.check()?;
        Ok(scene)
    }

    /// Resolves a path that the scene names, relative to the scene's own.
    pub(crate) fn beside(&self, file: &Path) -> PathBuf {
        match self.path.parent() {
            Some(folder) => folder.join(file),
            None => file.to_owned(),
        }
    }

    pub(crate) fn wrong(&self, place: impl Into<String>, why: Error) -> SceneError {
        SceneError::Value {
            path: self.path.display().to_string(),
            place: place.into(),
            why: Box::new(why),
        }
    }
}
