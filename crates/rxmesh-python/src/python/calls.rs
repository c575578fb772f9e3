//! Calls of operations.

use super::arrays::wrong_type;
use super::call_outputs::CallOutputs;
use super::devices;
use super::errors::{RxmeshError, of_argument, of_failure};
use super::gpu;
use super::grids;
use super::mesh::PyMesh;
use super::read::{MeshArguments, MeshOrigin, take};
use super::result::PyResultObject;
use super::results::results;
use super::work::{PythonLog, run};
use crate::forms::{CallMesh, CallSubject, SceneSource, Takes};
use crate::functions::OperationFunction;
use crate::help::takes_devices;
use crate::keywords::{self, KeywordValue};
use crate::outputs;
use clap::{ArgMatches, Command};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use std::sync::{Mutex, PoisonError};

/// Meshes of a call.
#[derive(Default)]
pub(super) struct CallMeshes<'py> {
    pub(super) subject: CallSubject,
    /// Library and types of each mesh; `None` of a `Mesh`.
    pub(super) origins: Vec<Option<MeshOrigin>>,
    /// Meshes on engines that the call uses.
    pub(super) used: Vec<Bound<'py, PyMesh>>,
}

/// Arguments of a call.
pub(super) struct CallArguments<'py> {
    pub(super) matches: ArgMatches,
    pub(super) meshes: CallMeshes<'py>,
    pub(super) log: PythonLog,
}

/// Takes the arguments of a call.
pub(super) fn arguments<'py>(
    function: &'static OperationFunction,
    command: &Mutex<Option<Command>>,
    positional: &Bound<'py, PyTuple>,
    named: Option<&Bound<'py, PyDict>>,
) -> PyResult<CallArguments<'py>> {
    let named = named.map(|named| named.copy()).transpose()?;
    let mut arguments = bound(function, positional, named.as_ref())?;
    arguments.meet_engine(function.takes, named.as_ref())?;
    let progress = take(named.as_ref(), "progress")?;
    if let Some(progress) = progress.as_ref().filter(|p| !p.is_callable()) {
        let what = format!("a function is needed, not {}", progress.get_type().name()?);
        return Err(wrong_type("progress", what));
    }
    Ok(CallArguments {
        matches: parsed(function, command, named.as_ref())?,
        meshes: meshes(function, &mut arguments)?,
        log: PythonLog::new(progress.map(Bound::unbind)),
    })
}

/// Calls an operation.
pub(super) fn call<'py>(
    function: &'static OperationFunction,
    command: &Mutex<Option<Command>>,
    positional: &Bound<'py, PyTuple>,
    named: Option<&Bound<'py, PyDict>>,
) -> PyResult<Py<PyAny>> {
    let py = positional.py();
    let named = named.map(|named| named.copy()).transpose()?;
    let devices = match takes_devices(function) {
        true => devices::taken(named.as_ref())?,
        false => None,
    };
    let outputs = match outputs::columns(function.name) {
        [] if take(named.as_ref(), "out")?.is_some() => {
            let what = format!("{}() takes no arrays for its results", function.name);
            return Err(wrong_type("out", what));
        }
        columns => CallOutputs::new(columns, take(named.as_ref(), "out")?)?,
    };
    let arguments = arguments(function, command, positional, named.as_ref())?;
    if let Some(devices) = devices {
        return devices::call(py, function, arguments, &devices);
    }
    let CallArguments {
        matches,
        meshes,
        mut log,
    } = arguments;
    outputs.check(py, &meshes, &matches)?;
    let locks = meshes.used.iter().map(|mesh| &mesh.get().lock).collect();
    let (subject, listed) = (meshes.subject, meshes.origins.len());
    let is_list = subject.listed;
    let finished = run(py, locks, || (function.call)(&matches, subject, &mut log))?;
    if let Some(raised) = log.raised {
        return Err(raised);
    }
    let finished = finished.map_err(of_failure)?;
    let joins = matches!(function.takes, Takes::List);
    let homes = meshes.used.iter().map(|mesh| mesh.get().origin(py));
    let home = homes.flatten().next();
    let origins = match joins {
        true => meshes.origins.into_iter().take(1).collect(),
        false => meshes.origins,
    };
    let origins = (origins, home);
    let results = results(py, function, finished, origins, log.warnings)?;
    for result in &results {
        outputs.fill(py, result)?;
    }
    match is_list && !joins {
        true => {
            debug_assert_eq!(results.len(), listed);
            Ok(PyList::new(py, results)?.into_any().unbind())
        }
        false => {
            let first = results.into_iter().next();
            let first = first.ok_or_else(|| RxmeshError::new_err("there is no result"))?;
            Ok(first.into_any())
        }
    }
}

impl BoundArguments<'_> {
    /// Takes an engine that is the GPU of the arrays out of the arguments: work on them is done there. Arrays on a GPU
    /// go through main memory to another engine.
    fn meet_engine(&mut self, takes: Takes, named: Option<&Bound<'_, PyDict>>) -> PyResult<()> {
        let Some(named) = named else { return Ok(()) };
        let is_grid = takes == Takes::Grid;
        let Some(v) = self
            .arrays
            .v
            .as_ref()
            .filter(|_| is_grid || self.arrays.f.is_some())
        else {
            return Ok(());
        };
        let engine = named.get_item("engine")?;
        let engine = engine.and_then(|engine| engine.extract::<String>().ok());
        if engine.is_none() || !gpu::is_on_gpu(v)? {
            return Ok(());
        }
        match gpu::is_for(engine.as_deref(), v)? {
            true => named.del_item("engine"),
            false => {
                self.arrays.goes_to_host = true;
                Ok(())
            }
        }
    }
}

/// Names of the positional arguments.
fn names(takes: Takes) -> &'static [&'static str] {
    match takes {
        Takes::Surface | Takes::Polygons => &["v", "f"],
        Takes::Any => &["v", "f", "cells"],
        Takes::Volume => &["v", "cells"],
        Takes::Pair => &["v", "f", "reference"],
        Takes::List => &["meshes"],
        Takes::Scene => &["scene"],
        Takes::Grid => &["values", "origin", "spacing"],
    }
}

/// Positional arguments by their places, and those of arrays.
struct BoundArguments<'py> {
    first: Bound<'py, PyAny>,
    arrays: MeshArguments<'py>,
    reference: Option<Bound<'py, PyAny>>,
    /// Place of the first point and distance of points, of a grid.
    placement: [Option<Bound<'py, PyAny>>; 2],
}

/// Takes the positional arguments, which may be named, too, out of those of a call.
fn bound<'py>(
    function: &OperationFunction,
    positional: &Bound<'py, PyTuple>,
    named: Option<&Bound<'py, PyDict>>,
) -> PyResult<BoundArguments<'py>> {
    let names = names(function.takes);
    let name = function.name;
    if positional.len() > names.len() {
        let what = format!(
            "takes {} positional arguments ({}), not {}",
            names.len(),
            names.join(", "),
            positional.len()
        );
        return Err(wrong_type(&format!("{name}()"), what));
    }
    let mut found = Vec::new();
    for (i, argument) in names.iter().enumerate() {
        let by_name = take(named, argument)?;
        let by_place = positional.get_item(i).ok().filter(|value| !value.is_none());
        if by_name.is_some() && by_place.is_some() {
            return Err(wrong_type(argument, "is given twice"));
        }
        found.push(by_place.or(by_name));
    }
    let get = |wanted: &str| {
        let at = names.iter().position(|argument| *argument == wanted);
        at.and_then(|at| found[at].clone())
    };
    let Some(first) = found[0].clone() else {
        return Err(wrong_type(names[0], "is missing"));
    };
    let (mut f, mut reference) = (get("f"), get("reference"));
    // A mesh has its faces: what follows is the one that it is compared with.
    let is_whole = first.is_instance_of::<PyMesh>()
        || first.is_instance_of::<PyResultObject>()
        || first.is_instance_of::<PyTuple>();
    if function.takes == Takes::Pair && is_whole && reference.is_none() {
        reference = f.take();
    }
    let arrays = MeshArguments {
        v: Some(first.clone()),
        f,
        cells: get("cells"),
        attributes: take(named, "attributes")?,
        vertex_attributes: take(named, "vertex_attributes")?,
        face_attributes: take(named, "face_attributes")?,
        goes_to_host: false,
    };
    Ok(BoundArguments {
        first,
        arrays,
        reference,
        placement: [get("origin"), get("spacing")],
    })
}

/// Parses the keyword arguments that are options of the command line.
fn parsed(
    function: &OperationFunction,
    command: &Mutex<Option<Command>>,
    named: Option<&Bound<'_, PyDict>>,
) -> PyResult<ArgMatches> {
    let mut given = Vec::new();
    for (name, value) in named.into_iter().flat_map(|named| named.iter()) {
        let name: String = name.extract()?;
        if !value.is_none() {
            let value = keyword(&name, &value)?;
            given.push((name, value));
        }
    }
    let mut command = command.lock().unwrap_or_else(PoisonError::into_inner);
    let command = command.get_or_insert_with(function.command);
    keywords::parse(command, &given).map_err(of_argument)
}

/// Returns a value of Python as one of the command line.
fn keyword(name: &str, value: &Bound<'_, PyAny>) -> PyResult<KeywordValue> {
    if let Ok(flag) = value.cast::<PyBool>() {
        return Ok(KeywordValue::Flag(flag.is_true()));
    }
    let words = |values: &Bound<'_, PyAny>| -> PyResult<Vec<String>> {
        values
            .try_iter()?
            .map(|value| word(name, &value?))
            .collect()
    };
    if value.is_instance_of::<PyTuple>() {
        return Ok(KeywordValue::Tuple(words(value)?));
    }
    if value.is_instance_of::<PyString>() {
        return Ok(KeywordValue::Word(word(name, value)?));
    }
    let is_scalar = value.hasattr("__float__")? && !value.hasattr("__len__")?;
    if !is_scalar && !value.hasattr("__fspath__")? && value.hasattr("__iter__")? {
        let dimensions = value.getattr("ndim").and_then(|n| n.extract::<usize>());
        if dimensions.is_ok_and(|n| n == 0) {
            return Ok(KeywordValue::Word(word(
                name,
                &value.call_method0("item")?,
            )?));
        }
        return Ok(KeywordValue::List(words(value)?));
    }
    Ok(KeywordValue::Word(word(name, value)?))
}

/// Returns a number, a text or a path as a word.
fn word(name: &str, value: &Bound<'_, PyAny>) -> PyResult<String> {
    let py = value.py();
    if value.is_instance_of::<PyString>() {
        return value.extract();
    }
    if value.is_instance_of::<PyInt>() || value.is_instance_of::<PyFloat>() {
        return Ok(value.repr()?.to_string()).map(|text| plain(&text, value));
    }
    if value.hasattr("__fspath__")? {
        return py.import("os")?.call_method1("fspath", (value,))?.extract();
    }
    if value.is_instance_of::<PyTuple>() || value.is_instance_of::<PyList>() {
        let parts = value.try_iter()?.map(|part| word(name, &part?));
        return Ok(parts.collect::<PyResult<Vec<_>>>()?.join(","));
    }
    if value.hasattr("__index__")? {
        let number = value.call_method0("__index__")?;
        return Ok(number.str()?.to_string());
    }
    if value.hasattr("__float__")? {
        let number: f64 = value.call_method0("__float__")?.extract()?;
        return Ok(format!("{number:?}"));
    }
    let found = value.get_type().name()?;
    Err(wrong_type(
        name,
        format!("a number or a text is needed, not {found}"),
    ))
}

/// Returns the digits of a number whose type may show more than them (`np.float64(0.1)`).
fn plain(text: &str, value: &Bound<'_, PyAny>) -> String {
    match text.parse::<f64>() {
        Ok(_) => text.to_owned(),
        Err(_) => value
            .extract::<f64>()
            .map_or_else(|_| text.to_owned(), |x| format!("{x:?}")),
    }
}

/// Makes the meshes of the arguments.
fn meshes<'py>(
    function: &OperationFunction,
    arguments: &mut BoundArguments<'py>,
) -> PyResult<CallMeshes<'py>> {
    let mut all = CallMeshes::default();
    let first = arguments.first.clone();
    match function.takes {
        Takes::Scene => {
            all.subject.scene = Some(scene(&first)?);
            return Ok(all);
        }
        Takes::List => {
            all.add_list("meshes", &first)?;
            return Ok(all);
        }
        Takes::Grid => {
            let [origin, spacing] = &arguments.placement;
            let placement = [origin.as_ref(), spacing.as_ref()];
            let (grid, home) = grids::grid(&first, placement, arguments.arrays.goes_to_host)?;
            all.subject.grid = Some(grid);
            all.origins.push(Some(home));
            return Ok(all);
        }
        _ => {}
    }
    let arrays = std::mem::take(&mut arguments.arrays);
    let alone = arrays.f.is_none() && arrays.cells.is_none();
    if alone && first.is_instance_of::<PyList>() && function.several {
        no_attributes(&arrays)?;
        all.add_list("v", &first)?;
    } else if alone {
        no_attributes(&arrays)?;
        all.add("v", &first)?;
    } else {
        let (mesh, origin) = arrays.mesh()?;
        all.subject.meshes.push(mesh);
        all.origins.push(Some(origin));
    }
    if let Some(reference) = &arguments.reference {
        let mut other = CallMeshes::default();
        other.add("reference", reference)?;
        all.subject.reference = other.subject.meshes.pop();
        all.used.append(&mut other.used);
    }
    Ok(all)
}

/// Refuses attributes of a mesh that has its own.
fn no_attributes(arrays: &MeshArguments<'_>) -> PyResult<()> {
    let given = [
        &arrays.attributes,
        &arrays.vertex_attributes,
        &arrays.face_attributes,
    ];
    match given.iter().any(|given| given.is_some()) {
        true => Err(wrong_type(
            "attributes",
            "a mesh has its own; they go with `v` and `f`",
        )),
        false => Ok(()),
    }
}

pub(super) fn scene(first: &Bound<'_, PyAny>) -> PyResult<SceneSource> {
    let text: String = match first.hasattr("__fspath__")? {
        true => first
            .py()
            .import("os")?
            .call_method1("fspath", (first,))?
            .extract()?,
        false => first
            .extract()
            .map_err(|_| wrong_type("scene", "a path or a text is needed"))?,
    };
    Ok(match text.contains('\n') {
        true => SceneSource::Text(text),
        false => SceneSource::File(text.into()),
    })
}

/// Returns the arrays of a mesh of pyvista, meshio or open3d.
fn of_other_library<'py>(name: &str, object: &Bound<'py, PyAny>) -> PyResult<MeshArguments<'py>> {
    let adapters = object.py().import("rxmesh.adapters")?;
    let found = adapters.call_method1("_arrays", (object,))?;
    let Ok(found) = found.cast::<PyDict>() else {
        let found = object.get_type().name()?;
        let what = format!("a Mesh, or arrays `v` and `f`, are needed, not {found} alone");
        return Err(wrong_type(name, what));
    };
    Ok(MeshArguments {
        v: found.get_item("v")?,
        f: found.get_item("f")?,
        cells: found.get_item("cells")?,
        attributes: None,
        vertex_attributes: found.get_item("vertex_attributes")?,
        face_attributes: found.get_item("face_attributes")?,
        goes_to_host: true,
    })
}

/// Returns a `Mesh`, a `Result`, a pair of arrays, or an object with `vertices` and `faces` as a mesh, with its origin,
/// and the `Mesh` that is used.
pub(super) fn meshes_of<'py>(
    name: &str,
    object: &Bound<'py, PyAny>,
) -> PyResult<(CallMesh, Option<MeshOrigin>, Option<Bound<'py, PyMesh>>)> {
    let mut all = CallMeshes::default();
    all.add(name, object)?;
    let mesh = all.subject.meshes.pop();
    let mesh = mesh.ok_or_else(|| wrong_type(name, "a mesh is needed"))?;
    Ok((mesh, all.origins.pop().flatten(), all.used.pop()))
}

impl<'py> CallMeshes<'py> {
    /// Returns the number of the GPU that the arrays of the result are on; `None` of main memory.
    pub(super) fn gpu(&self, py: Python<'_>) -> Option<u32> {
        let of_mesh = |mesh: &Bound<'_, PyMesh>| mesh.get().origin(py);
        match self.origins.first() {
            Some(Some(origin)) => origin.positions.gpu,
            _ => self.used.first().and_then(of_mesh)?.positions.gpu,
        }
    }

    fn add_list(&mut self, name: &str, list: &Bound<'py, PyAny>) -> PyResult<()> {
        let items = list.try_iter();
        let items = items.map_err(|_| wrong_type(name, "a list of meshes is needed"))?;
        for (i, item) in items.enumerate() {
            self.add(&format!("{name}[{i}]"), &item?)?;
        }
        self.subject.listed = true;
        match self.subject.meshes.is_empty() {
            true => Err(super::arrays::wrong_value(name, "the list is empty")),
            false => Ok(()),
        }
    }

    /// Adds a `Mesh`, a `Result`, a pair of arrays, or an object with `vertices` and `faces`.
    fn add(&mut self, name: &str, object: &Bound<'py, PyAny>) -> PyResult<()> {
        let py = object.py();
        let mesh = match object.cast::<PyResultObject>() {
            Ok(result) => Some(result.get().mesh(py)?.into_bound(py)),
            Err(_) => object.cast::<PyMesh>().ok().cloned(),
        };
        if let Some(mesh) = mesh {
            self.subject.meshes.push(mesh.get().argument()?);
            self.origins.push(None);
            self.used.push(mesh);
            return Ok(());
        }
        let pair = object.cast::<PyTuple>().ok().filter(|pair| pair.len() == 2);
        let arguments = match pair {
            Some(pair) => MeshArguments {
                v: Some(pair.get_item(0)?),
                f: Some(pair.get_item(1)?),
                ..MeshArguments::default()
            },
            None if object.hasattr("vertices")? && object.hasattr("faces")? => MeshArguments {
                v: Some(object.getattr("vertices")?),
                f: Some(object.getattr("faces")?),
                ..MeshArguments::default()
            },
            None => of_other_library(name, object)?,
        };
        let named = |e: PyErr| -> PyErr {
            let text = format!("{name}: {}", e.value(py));
            PyErr::from_type(e.get_type(py), text)
        };
        let (mesh, origin) = arguments.mesh().map_err(named)?;
        self.subject.meshes.push(mesh);
        self.origins.push(Some(origin));
        Ok(())
    }
}
