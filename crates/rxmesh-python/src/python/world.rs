//! The class `World`.

use super::arrays::ArrayOrigin;
use super::calls::scene as scene_of;
use super::element::ElementType;
use super::errors::of_error;
use super::mesh::{PyMesh, choice, warn};
use super::output::OutputArray;
use super::result::dict;
use super::work::{PythonLog, run};
use super::write::position_array;
use crate::engines;
use crate::forms::{CallMesh, keys, opened};
use pyo3::exceptions::PyKeyError;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rxmesh::host::Error as HostError;
use rxmesh::host::engine::{Buffer, EngineChoice};
use rxmesh::host::mesh::Placement;
use rxmesh::on::AnyMesh;
use rxmesh::simulation::scene::RunningScene;
use rxmesh::{Error, Log as _, Result, Stage};
use std::path::PathBuf;
use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Bodies of a scene that move step by step, and stay on their engine between steps.
///
/// `World(scene, engine="auto")` takes the path of a scene, or its text, as `simulate` does.
#[pyclass(name = "World", module = "rxmesh", frozen)]
pub(super) struct PyWorld {
    stage: Mutex<RunningScene>,
    /// Process that made it.
    process: u32,
}

impl PyWorld {
    /// Runs work on the scene without the interpreter's lock.
    fn work<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut RunningScene) -> Result<T> + Send,
    ) -> PyResult<T> {
        let done = run(py, Vec::new(), || {
            let mut stage = self.lock();
            engines::check(stage.world.engine(), self.process)?;
            work(&mut stage)
        })?;
        done.map_err(|e| of_error(&e))
    }

    fn lock(&self) -> MutexGuard<'_, RunningScene> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[pymethods]
impl PyWorld {
    #[new]
    #[pyo3(signature = (scene, *, engine=None))]
    fn new(py: Python<'_>, scene: Bound<'_, PyAny>, engine: Option<&str>) -> PyResult<PyWorld> {
        let (choice, source): (EngineChoice, _) = (choice(engine)?, scene_of(&scene)?);
        let mut log = PythonLog::new(None);
        let made = run(py, Vec::new(), || {
            opened(&source, &engines::engine(choice)?, &mut log)
        })?;
        let stage = made.map_err(|e| of_error(&e))?;
        for warning in &log.warnings {
            warn(py, warning)?;
        }
        Ok(PyWorld {
            stage: Mutex::new(stage),
            process: process::id(),
        })
    }

    /// Advances all bodies by some steps of the scene's length. Ctrl-C ends the work between two steps.
    #[pyo3(signature = (steps=1))]
    fn step(&self, py: Python<'_>, steps: u32) -> PyResult<()> {
        let mut log = PythonLog::new(None);
        let each = &mut log;
        self.work(py, |stage| {
            for _ in 0..steps {
                each.begin(Stage::Work("moving"));
                if each.is_stopped() {
                    break;
                }
                stage.step()?;
            }
            Ok(stage
                .world
                .engine()
                .synchronize()
                .map_err(rxmesh::host::Error::from)?)
        })?;
        log.raised.map_or(Ok(()), Err)
    }

    /// The bodies in their current state by name: a `Mesh` each, with the column "velocity".
    #[getter]
    fn bodies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let meshes = self.work(py, |stage| {
            let mut meshes: Vec<(String, AnyMesh)> = Vec::new();
            stage.frame(|name, mesh| -> Result<()> {
                meshes.push((name.to_owned(), crate::forms::copy(mesh)));
                Ok(())
            })?;
            Ok(meshes)
        })?;
        let all = PyDict::new(py);
        for (name, mesh) in meshes {
            all.set_item(name, Py::new(py, PyMesh::of(CallMesh::Memory(mesh)))?)?;
        }
        Ok(all)
    }

    /// Positions of the vertices of a body (n, 3) in their current state: float32, of numpy.
    ///
    /// Arguments:
    ///     name: name of the body
    ///     out: array that they are written into: float32 or float64, contiguous; in main memory, or on the GPU that
    ///         computes, without a copy to main memory. It is the result
    #[pyo3(signature = (name, *, out=None))]
    fn positions(
        &self,
        py: Python<'_>,
        name: &str,
        out: Option<Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let out = out.map(|out| OutputArray::new("out", &out)).transpose()?;
        let (count, engine) = self.work(py, |stage| {
            let mut named = stage.actors.iter().filter(|actor| actor.name == name);
            let count = named.next().map(|actor| actor.vertex_count());
            Ok((count, stage.world.engine().clone()))
        })?;
        let Some(count) = count else {
            return Err(PyKeyError::new_err(name.to_owned()));
        };
        let world = Placement::default();
        let Some(out) = out else {
            let positions = self.work(py, |stage| Ok(stage.positions(name)?))?;
            let numpy = ArrayOrigin::numpy(ElementType::F32);
            return position_array(py, positions.unwrap_or_default(), &world, &numpy);
        };
        out.check_shape(&[count, 3])?;
        if out.is_beside(&engine) {
            let positions = self.work(py, |stage| {
                let positions = stage.engine_positions(name)?;
                Ok(positions
                    .map(Buffer::cast)
                    .transpose()
                    .map_err(HostError::from)?)
            })?;
            if let Some(positions) = positions {
                out.fill_from(py, &positions)?;
            }
        } else {
            out.check_device(None, engine.gpu())?;
            let positions = self.work(py, |stage| Ok(stage.positions(name)?))?;
            out.fill_points(py, &positions.unwrap_or_default(), &world)?;
        }
        Ok(out.object.unbind())
    }

    /// Seconds since the start of the scene.
    #[getter]
    fn time(&self, py: Python<'_>) -> PyResult<f64> {
        self.work(py, |stage| Ok(stage.world.time()))
    }

    /// Steps since the start of the scene.
    #[getter]
    fn steps(&self, py: Python<'_>) -> PyResult<u64> {
        self.work(py, |stage| Ok(stage.world.steps()))
    }

    /// Energies of all bodies in joules, by kind.
    fn energies<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let energies = self.work(py, |stage| Ok(stage.world.energies()?))?;
        dict(py, &keys(&energies))
    }

    /// Writes the state to a file, from which `restore` and `simulate(resume=…)` continue.
    fn save(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.work(py, |stage| {
            let saved = stage.world.save(&path);
            saved.map(drop).map_err(|e| Error::Other(e.into()))
        })
    }

    /// Continues from the state in a file, of a world of the same scene.
    fn restore(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        self.work(py, |stage| {
            let restored = stage.world.restore(&path);
            restored.map(drop).map_err(|e| Error::Other(e.into()))
        })
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let (bodies, steps) =
            self.work(py, |stage| Ok((stage.actors.len(), stage.world.steps())))?;
        Ok(format!("World({bodies} bodies, {steps} steps)"))
    }
}
