//! The class `Mesh`.

use super::errors::of_error;
use super::gpu;
use super::read::{MeshArguments, MeshOrigin, mesh_error};
use super::work::run;
use super::write::MeshArrays;
use crate::engines;
use crate::forms::CallMesh;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyDict;
use rxmesh::host::engine::EngineChoice;
use rxmesh::host::io::{self, Encoding, Format, Model, ReadOptions, WriteOptions};
use rxmesh::on::AnyMesh;
use std::path::PathBuf;
use std::process;
use std::sync::{Arc, Mutex};

/// Mesh that stays on its engine between operations, or a mesh of polygons or a volume in main memory.
///
/// Operations are methods, too: `mesh.simplify(faces=1000)`. They give a new mesh and leave this one as it is.
#[pyclass(name = "Mesh", module = "rxmesh", frozen)]
pub(super) struct PyMesh {
    kind: MeshKind,
    /// Held by the call that uses the mesh.
    pub(super) lock: Mutex<()>,
    /// Process that made it.
    process: u32,
    /// Library and types of its arrays, if they are on a GPU.
    origin: Option<MeshOrigin>,
    arrays: PyOnceLock<MeshArrays>,
}

/// Content of a mesh.
enum MeshKind {
    Surface(rxmesh::Mesh),
    Other(Arc<AnyMesh>),
}

impl PyMesh {
    pub(super) fn of(mesh: CallMesh) -> PyMesh {
        PyMesh::with(mesh, None)
    }

    /// Takes a mesh whose arrays go back where others came from, if they came from a GPU.
    pub(super) fn with(mesh: CallMesh, origin: Option<MeshOrigin>) -> PyMesh {
        PyMesh {
            origin: origin.filter(MeshOrigin::is_on_gpu),
            kind: match mesh {
                CallMesh::Resident(mesh) => MeshKind::Surface(mesh),
                CallMesh::Memory(mesh) => MeshKind::Other(Arc::new(mesh)),
            },
            lock: Mutex::new(()),
            process: process::id(),
            arrays: PyOnceLock::new(),
        }
    }

    /// Returns the origin of its arrays, if they came from a GPU.
    pub(super) fn origin(&self, py: Python<'_>) -> Option<MeshOrigin> {
        self.origin.as_ref().map(|origin| origin.copy(py))
    }

    /// Returns the mesh as an argument of a function.
    pub(super) fn argument(&self) -> PyResult<CallMesh> {
        Ok(match &self.kind {
            MeshKind::Surface(mesh) => {
                engines::check(mesh.engine(), self.process).map_err(|e| of_error(&e))?;
                CallMesh::Resident(mesh.clone())
            }
            MeshKind::Other(mesh) => CallMesh::Memory(AnyMesh::clone(mesh)),
        })
    }

    /// Returns its arrays, which are made when they are first needed.
    pub(super) fn arrays<'a>(&'a self, py: Python<'a>) -> PyResult<&'a MeshArrays> {
        self.arrays.get_or_try_init(py, || match &self.kind {
            MeshKind::Surface(mesh) => {
                engines::check(mesh.engine(), self.process).map_err(|e| of_error(&e))?;
                match &self.origin {
                    Some(origin) => MeshArrays::of_gpu(py, mesh.clone(), Some(&self.lock), origin),
                    None => MeshArrays::of_mesh(py, mesh, &self.lock),
                }
            }
            MeshKind::Other(mesh) => MeshArrays::of_any(py, mesh),
        })
    }

    /// Returns the numbers of vertices, and of faces or cells.
    pub(super) fn counts(&self) -> [usize; 2] {
        match &self.kind {
            MeshKind::Surface(mesh) => [mesh.vertex_count(), mesh.face_count()],
            MeshKind::Other(mesh) => match &**mesh {
                AnyMesh::Surface(m) => [m.vertex_count(), m.face_count()],
                AnyMesh::Polygons(m) => [m.vertex_count(), m.face_count()],
                AnyMesh::Volume(m) => [m.vertex_count(), m.cell_count()],
            },
        }
    }

    pub(super) fn is_volume(&self) -> bool {
        matches!(&self.kind, MeshKind::Other(mesh) if matches!(&**mesh, AnyMesh::Volume(_)))
    }
}

/// Returns the choice of an engine with a name.
pub(super) fn choice(engine: Option<&str>) -> PyResult<EngineChoice> {
    let parsed = engine.map_or(Ok(EngineChoice::Auto), str::parse);
    parsed.map_err(|what: String| PyValueError::new_err(format!("engine: {what}")))
}

/// Puts a surface of triangles on an engine; other meshes stay in main memory.
fn on_engine(
    py: Python<'_>,
    mesh: AnyMesh,
    engine: EngineChoice,
    origin: Option<MeshOrigin>,
) -> PyResult<PyMesh> {
    let mesh = match mesh {
        AnyMesh::Surface(mesh) => {
            let engine = run(py, Vec::new(), || engines::engine(engine))?;
            let engine = engine.map_err(|e| of_error(&e))?;
            CallMesh::Resident(rxmesh::Mesh::on(mesh, engine))
        }
        mesh => CallMesh::Memory(mesh),
    };
    Ok(PyMesh::with(mesh, origin))
}

#[pymethods]
impl PyMesh {
    #[new]
    #[pyo3(signature = (
        v, f=None, *, cells=None, attributes=None, vertex_attributes=None, face_attributes=None, engine=None
    ))]
    #[allow(clippy::too_many_arguments)]
    fn new(
        py: Python<'_>,
        v: Bound<'_, PyAny>,
        f: Option<Bound<'_, PyAny>>,
        cells: Option<Bound<'_, PyAny>>,
        attributes: Option<Bound<'_, PyAny>>,
        vertex_attributes: Option<Bound<'_, PyAny>>,
        face_attributes: Option<Bound<'_, PyAny>>,
        engine: Option<&str>,
    ) -> PyResult<PyMesh> {
        let goes_to_host = !gpu::is_for(engine, &v)?;
        let engine = choice(engine)?;
        let arguments = MeshArguments {
            v: Some(v),
            f,
            cells,
            attributes,
            vertex_attributes,
            face_attributes,
            goes_to_host,
        };
        let (mesh, origin) = arguments.mesh()?;
        let mesh = match mesh {
            CallMesh::Memory(mesh) => mesh,
            resident => return Ok(PyMesh::with(resident, Some(origin))),
        };
        let valid = run(py, Vec::new(), || match &mesh {
            AnyMesh::Surface(mesh) => mesh.validate(),
            AnyMesh::Polygons(mesh) => mesh.validate(),
            AnyMesh::Volume(mesh) => mesh.validate(),
        });
        valid?.map_err(|e| mesh_error(&e))?;
        on_engine(py, mesh, engine, Some(origin))
    }

    /// Positions (n, 3): float32, or float64 if the mesh lies far from the origin.
    #[getter]
    fn vertices(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.arrays(py)?.vertices.clone_ref(py))
    }

    /// Faces (m, k), or a pair `(corners, offsets)` of faces of different sizes; `None` of a volume.
    #[getter]
    fn faces(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        Ok(self.arrays(py)?.faces.as_ref().map(|a| a.clone_ref(py)))
    }

    /// Tetrahedra (m, 4); `None` of a surface.
    #[getter]
    fn cells(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        Ok(self.arrays(py)?.cells.as_ref().map(|a| a.clone_ref(py)))
    }

    /// Attributes by name: of vertices, and of faces or cells with other names.
    #[getter]
    fn attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.arrays(py)?.attributes(py)
    }

    /// Attributes of vertices by name.
    #[getter]
    fn vertex_attributes(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        Ok(self.arrays(py)?.vertex_attributes.clone_ref(py))
    }

    /// Attributes of faces or cells by name.
    #[getter]
    fn face_attributes(&self, py: Python<'_>) -> PyResult<Py<PyDict>> {
        Ok(self.arrays(py)?.face_attributes.clone_ref(py))
    }

    /// Name of the engine: "cpu" or "cuda"; `None` of a mesh in main memory.
    #[getter]
    fn engine(&self) -> Option<String> {
        match &self.kind {
            MeshKind::Surface(mesh) => Some(mesh.engine().name()),
            MeshKind::Other(_) => None,
        }
    }

    /// Writes the mesh to a file, in the format of the name's extension, or in `format`.
    #[pyo3(signature = (path, *, ascii=false, format=None))]
    fn write(
        &self,
        py: Python<'_>,
        path: PathBuf,
        ascii: bool,
        format: Option<&str>,
    ) -> PyResult<()> {
        let options = WriteOptions::default().with(|o| {
            o.encoding = match ascii {
                true => Encoding::Ascii,
                false => Encoding::Binary,
            };
        });
        let format = format.map(format_named).transpose()?;
        let options = options.with(|o| o.format = format);
        let written = run(py, vec![&self.lock], || match &self.kind {
            MeshKind::Surface(mesh) => {
                let mesh = mesh.to_host()?;
                Ok(io::write(&path, mesh, &options).map(drop)?)
            }
            MeshKind::Other(mesh) => {
                Ok(io::write(&path, Model::from(&**mesh), &options).map(drop)?)
            }
        })?;
        written.map_err(|e: rxmesh::Error| of_error(&e))
    }

    fn __repr__(&self) -> String {
        let [vertices, elements] = self.counts();
        let kind = match self.is_volume() {
            true => "cells",
            false => "faces",
        };
        let engine = self
            .engine()
            .map_or(String::new(), |name| format!(", {name}"));
        format!("Mesh({vertices} vertices, {elements} {kind}{engine})")
    }
}

fn format_named(name: &str) -> PyResult<Format> {
    let found = Format::ALL.iter().find(|format| format.word() == name);
    found.copied().ok_or_else(|| {
        let words: Vec<&str> = Format::ALL.iter().map(|format| format.word()).collect();
        PyValueError::new_err(format!("format: '{name}' is none of {}", words.join(", ")))
    })
}

/// Reads a mesh from a file, in any format that rxmesh reads. Polygons are cut into triangles, unless `polygons` asks
/// for them. A volume stays a volume.
#[pyfunction]
#[pyo3(signature = (path, *, polygons=false, format=None, engine=None))]
pub(super) fn read(
    py: Python<'_>,
    path: PathBuf,
    polygons: bool,
    format: Option<&str>,
    engine: Option<&str>,
) -> PyResult<PyMesh> {
    let engine = choice(engine)?;
    let format = format.map(format_named).transpose()?;
    let options = ReadOptions::default().with(|o| {
        o.triangulate = true;
        o.format = format;
    });
    let read = run(
        py,
        Vec::new(),
        || -> rxmesh::Result<(AnyMesh, Vec<String>)> {
            let bytes = rxmesh::host::files::read(&path).map_err(|source| io::IoError::Read {
                path: path.clone(),
                source,
            })?;
            if io::is_volume_bytes(&bytes, &path, &options).unwrap_or(false) {
                let loaded = io::read_tets_bytes(&bytes, &path, &options)?;
                return Ok((AnyMesh::Volume(loaded.mesh), loaded.warnings));
            }
            if polygons {
                let loaded = io::read_poly_bytes(&bytes, &path, &options)?;
                return Ok((AnyMesh::Polygons(loaded.mesh), loaded.warnings));
            }
            let loaded = io::read_bytes(&bytes, &path, &options)?;
            Ok((AnyMesh::Surface(loaded.mesh), loaded.warnings))
        },
    )?;
    let (mesh, warnings) = read.map_err(|e| of_error(&e))?;
    for warning in warnings {
        warn(py, &format!("{}: {warning}", path.display()))?;
    }
    on_engine(py, mesh, engine, None)
}

/// Shows a warning as Python does.
pub(super) fn warn(py: Python<'_>, text: &str) -> PyResult<()> {
    let category = py.get_type::<pyo3::exceptions::PyRuntimeWarning>();
    let text = std::ffi::CString::new(text.replace('\0', " ")).unwrap_or_default();
    PyErr::warn(py, &category, &text, 1)
}

/// Writes a mesh to a file, in the format of the name's extension: `write(path, mesh)`, `write(path, v, f)`.
#[pyfunction]
#[pyo3(signature = (
    path, v, f=None, *, cells=None, attributes=None, vertex_attributes=None, face_attributes=None, ascii=false,
    format=None
))]
#[allow(clippy::too_many_arguments)]
pub(super) fn write(
    py: Python<'_>,
    path: PathBuf,
    v: Bound<'_, PyAny>,
    f: Option<Bound<'_, PyAny>>,
    cells: Option<Bound<'_, PyAny>>,
    attributes: Option<Bound<'_, PyAny>>,
    vertex_attributes: Option<Bound<'_, PyAny>>,
    face_attributes: Option<Bound<'_, PyAny>>,
    ascii: bool,
    format: Option<&str>,
) -> PyResult<()> {
    let more = [
        &f,
        &cells,
        &attributes,
        &vertex_attributes,
        &face_attributes,
    ];
    if let Ok(mesh) = v.cast::<PyMesh>() {
        if more.iter().any(|given| given.is_some()) {
            return Err(PyTypeError::new_err(
                "a mesh has its own faces and attributes",
            ));
        }
        return mesh.get().write(py, path, ascii, format);
    }
    if let Ok(result) = v.cast::<super::result::PyResultObject>() {
        let mesh = result.get().mesh(py)?;
        return mesh.get().write(py, path, ascii, format);
    }
    let arguments = MeshArguments {
        v: Some(v),
        f,
        cells,
        attributes,
        vertex_attributes,
        face_attributes,
        goes_to_host: true,
    };
    let mesh = PyMesh::of(arguments.mesh()?.0);
    mesh.write(py, path, ascii, format)
}
