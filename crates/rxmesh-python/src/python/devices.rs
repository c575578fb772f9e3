//! Lists of meshes that several GPUs share.

use super::arrays::{wrong_type, wrong_value};
use super::calls::CallArguments;
use super::errors::{of_error, of_failure};
use super::read::take;
use super::results::results;
use super::work::{PythonLog, run};
use crate::engines;
use crate::forms::{CallMesh, CallSubject, Finished};
use crate::functions::OperationFunction;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString};
use rxmesh::host::engine::EngineChoice;
use rxmesh::on::AnyMesh;
use rxmesh::{Engine, Engines, Log, Mesh, Stage};
use std::sync::{Mutex, PoisonError};

/// Most faces of meshes that are processed together.
const BATCH_FACES: usize = 1 << 20;

/// GPUs of a call.
pub(super) enum Devices {
    All,
    /// Their numbers.
    Some(Vec<u32>),
}

/// Takes the GPUs out of the keyword arguments, if there are some.
pub(super) fn taken(named: Option<&Bound<'_, PyDict>>) -> PyResult<Option<Devices>> {
    const NAME: &str = "devices";
    let Some(value) = take(named, NAME)? else {
        return Ok(None);
    };
    if let Some(named) = named {
        for other in ["engine", "out"] {
            if named.get_item(other)?.is_some_and(|given| !given.is_none()) {
                return Err(wrong_type(NAME, format!("cannot be given with `{other}`")));
            }
        }
    }
    let wanted = "\"all\" or a list of numbers of GPUs is needed";
    if value.is_instance_of::<PyString>() {
        return match value.extract::<String>()?.as_str() {
            "all" => Ok(Some(Devices::All)),
            other => Err(wrong_value(NAME, format!("{wanted}, not {other:?}"))),
        };
    }
    let numbers: Vec<u32> = value.extract().map_err(|_| wrong_type(NAME, wanted))?;
    let mut distinct = numbers.clone();
    distinct.sort_unstable();
    distinct.dedup();
    if numbers.is_empty() || distinct.len() < numbers.len() {
        let what = format!("{wanted}, each once");
        return Err(wrong_value(NAME, what));
    }
    Ok(Some(Devices::Some(numbers)))
}

impl Devices {
    /// Starts the engines.
    fn start(&self) -> rxmesh::Result<Engines> {
        match self {
            Devices::All => Engines::new(engines::all_gpus()?),
            Devices::Some(numbers) => {
                let each = numbers
                    .iter()
                    .map(|n| engines::engine(EngineChoice::Gpu(*n)));
                Engines::new(each.collect::<rxmesh::Result<Vec<_>>>()?)
            }
        }
    }
}

/// Log of a batch, which passes everything on to that of the call.
struct SharedLog<'a>(&'a Mutex<PythonLog>);

impl SharedLog<'_> {
    fn with<T>(&self, f: impl FnOnce(&mut PythonLog) -> T) -> T {
        f(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Log for SharedLog<'_> {
    fn begin(&mut self, stage: Stage) {
        self.with(|log| log.begin(stage));
    }

    fn end(&mut self, stage: Stage, milliseconds: f64) {
        self.with(|log| log.end(stage, milliseconds));
    }

    fn warn(&mut self, warning: String) {
        self.with(|log| log.warn(warning));
    }

    fn is_stopped(&mut self) -> bool {
        self.with(|log| log.is_stopped())
    }
}

/// Calls an operation on a list of meshes whose batches GPUs share. Batches depend on the meshes alone, so that results
/// have the same bits on any number of GPUs of one kind.
pub(super) fn call(
    py: Python<'_>,
    function: &OperationFunction,
    arguments: CallArguments<'_>,
    devices: &Devices,
) -> PyResult<Py<PyAny>> {
    let CallArguments {
        matches,
        meshes,
        log,
    } = arguments;
    if !meshes.subject.listed {
        let what = "several GPUs share a list of meshes, and one mesh is given";
        return Err(wrong_type("devices", what));
    }
    let locks = meshes.used.iter().map(|mesh| &mesh.get().lock).collect();
    let keeps: Vec<bool> = meshes.origins.iter().map(Option::is_none).collect();
    let batches = batches(meshes.subject.meshes);
    let sizes: Vec<usize> = batches.iter().map(|b| b.meshes.len()).collect();
    let log = Mutex::new(log);
    let done = run(py, locks, || {
        let engines = devices.start()?;
        let size = |batch: &CallSubject| batch.meshes.iter().map(faces).sum();
        Ok(engines.map(batches, size, |engine, batch| {
            let first = batch.first;
            let subject = CallSubject {
                engine: Some(engine.clone()),
                ..batch
            };
            let finished = (function.call)(&matches, subject, &mut SharedLog(&log))?;
            Ok(settled(finished, engine, &keeps[first..]))
        }))
    })?;
    let log = log.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(raised) = log.raised {
        return Err(raised);
    }
    let done = done.map_err(|e: rxmesh::Error| of_error(&e))?;
    let all = PyList::empty(py);
    let mut origins = meshes.origins.into_iter();
    for (finished, size) in done.into_iter().zip(sizes) {
        let finished = finished.map_err(of_failure)?;
        let origins = origins.by_ref().take(size).collect();
        for result in results(
            py,
            function,
            finished,
            (origins, None),
            log.warnings.clone(),
        )? {
            all.append(result)?;
        }
    }
    Ok(all.into_any().unbind())
}

/// Parts meshes, in their order, into batches of at most so many faces, and larger meshes alone.
fn batches(meshes: Vec<CallMesh>) -> Vec<CallSubject> {
    let mut first = 0;
    let subject = |meshes: Vec<CallMesh>| {
        let number = first;
        first += meshes.len();
        CallSubject {
            meshes,
            listed: true,
            first: number,
            ..CallSubject::default()
        }
    };
    let parts = rxmesh::batches(meshes, BATCH_FACES, faces);
    parts.into_iter().map(subject).collect()
}

fn faces(mesh: &CallMesh) -> usize {
    match mesh {
        CallMesh::Memory(AnyMesh::Surface(mesh)) => mesh.face_count(),
        CallMesh::Memory(AnyMesh::Polygons(mesh)) => mesh.face_count(),
        CallMesh::Memory(AnyMesh::Volume(mesh)) => mesh.cell_count(),
        CallMesh::Resident(mesh) => mesh.face_count(),
    }
}

/// Puts results of meshes that were a `Mesh` on the engine that computed them.
fn settled(finished: Finished, engine: &Engine, keeps: &[bool]) -> Finished {
    let settle = |(mesh, keeps): (CallMesh, &bool)| match (mesh, keeps) {
        (CallMesh::Memory(AnyMesh::Surface(mesh)), true) => {
            CallMesh::Resident(Mesh::on(mesh, engine.clone()))
        }
        (mesh, _) => mesh,
    };
    let meshes = finished.meshes.into_iter().zip(keeps).map(settle);
    Finished {
        meshes: meshes.collect(),
        ..finished
    }
}
