//! The class `Result`.

use super::arrays::ArrayOrigin;
use super::element::ElementType;
use super::errors::of_error;
use super::memory::ArrayMemory;
use super::mesh::PyMesh;
use super::read::MeshArguments;
use super::write::MeshArrays;
use crate::outputs::POSITIONS;
use pyo3::exceptions::{PyKeyError, PyValueError};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyTuple};
use rxmesh::host::grid::{self, Grid, GridWriteOptions};
use rxmesh::host::io::Encoding;
use rxmesh::host::mesh::ColumnData;
use serde_json::{Map, Value};

/// Result of an operation. `v2, f2 = result` takes positions and faces (or cells); `result["name"]` is an attribute.
#[pyclass(name = "Result", module = "rxmesh", frozen)]
pub(super) struct PyResultObject {
    pub(super) name: &'static str,
    pub(super) content: ResultContent,
    /// Mesh of the arrays, once it was asked for.
    pub(super) made: PyOnceLock<Py<PyMesh>>,
    pub(super) report: Py<PyDict>,
    pub(super) warnings: Vec<String>,
    pub(super) converged: bool,
    /// Maps of vertices and of faces.
    pub(super) maps: Option<[Py<PyAny>; 2]>,
    pub(super) bodies: Option<Py<PyDict>>,
    pub(super) frames: Option<Py<PyList>>,
    /// Arrays of the caller that values were written into, by name.
    pub(super) filled: PyOnceLock<Py<PyDict>>,
}

/// Mesh of a result.
pub(super) enum ResultContent {
    /// Arrays of the caller's library.
    Arrays(MeshArrays),
    /// Mesh on an engine.
    Mesh(Py<PyMesh>),
    /// Values at the points of a grid.
    Grid(ResultGrid),
    /// None: the report is the result.
    Nothing,
}

/// Grid of a result.
pub(super) struct ResultGrid {
    grid: Grid,
    /// Array of the values, once it was asked for.
    values: PyOnceLock<Py<PyAny>>,
}

impl ResultGrid {
    pub(super) fn new(grid: Grid) -> ResultGrid {
        ResultGrid {
            grid,
            values: PyOnceLock::new(),
        }
    }

    /// Returns the values as an array with the axes x, y and z.
    fn values(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let made = self.values.get_or_try_init(py, || {
            let of_grid = |e| of_error(&rxmesh::Error::from(rxmesh::host::Error::from(e)));
            let column = self.grid.scalar(None).map_err(of_grid)?;
            let shape = self.grid.counts.map(|n| n as usize).to_vec();
            let values = self.grid.in_c_order(column).map_err(of_grid)?;
            let (memory, element) = match values {
                ColumnData::F32(values) => {
                    let element = ElementType::F32;
                    (ArrayMemory::of_vec(values, element, shape), element)
                }
                other => {
                    let values: Vec<f64> = (0..other.len()).map(|i| other.get(i)).collect();
                    let element = ElementType::F64;
                    (ArrayMemory::of_vec(values, element, shape), element)
                }
            };
            ArrayOrigin::numpy(element).export(py, memory)
        });
        made.map(|array| array.clone_ref(py))
    }

    /// Writes the grid to a file.
    fn write(&self, path: &std::path::Path, ascii: bool, format: Option<&str>) -> PyResult<()> {
        let mut options = GridWriteOptions::default();
        if ascii {
            options.encoding = Encoding::Ascii;
        }
        if let Some(word) = format {
            let known = grid::GridFormat::ALL
                .into_iter()
                .find(|f| f.extension() == word);
            options.format = Some(known.ok_or_else(|| {
                let formats = grid::GridFormat::list();
                PyValueError::new_err(format!(
                    "format is '{word}'; formats of grids are {formats}"
                ))
            })?);
        }
        let written = grid::write(path, &self.grid, &options);
        let of_io = |e| of_error(&rxmesh::Error::from(rxmesh::host::Error::from(e)));
        written.map(|_| ()).map_err(of_io)
    }
}

impl PyResultObject {
    fn arrays<'a>(&'a self, py: Python<'a>) -> PyResult<Option<&'a MeshArrays>> {
        match &self.content {
            ResultContent::Arrays(arrays) => Ok(Some(arrays)),
            ResultContent::Mesh(mesh) => Ok(Some(mesh.get().arrays(py)?)),
            ResultContent::Grid(_) | ResultContent::Nothing => Ok(None),
        }
    }

    fn grid(&self) -> Option<&ResultGrid> {
        match &self.content {
            ResultContent::Grid(grid) => Some(grid),
            _ => None,
        }
    }

    /// Returns attributes with the caller's arrays in place of those that were written there.
    fn with_filled<'py>(&self, attributes: Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
        let py = attributes.py();
        let Some(filled) = self.filled.get(py) else {
            return Ok(attributes);
        };
        let all = attributes.copy()?;
        for (name, array) in filled.bind(py).iter() {
            if all.contains(&name)? {
                all.set_item(name, array)?;
            }
        }
        Ok(all)
    }

    /// Returns the mesh: a new one of the arrays, if it is not on an engine.
    pub(super) fn mesh(&self, py: Python<'_>) -> PyResult<Py<PyMesh>> {
        let arrays = match &self.content {
            ResultContent::Mesh(mesh) => return Ok(mesh.clone_ref(py)),
            ResultContent::Grid(_) | ResultContent::Nothing => {
                return Err(PyValueError::new_err("the result is no mesh"));
            }
            ResultContent::Arrays(arrays) => arrays,
        };
        let made = self.made.get_or_try_init(py, || {
            let bound =
                |array: &Option<Py<PyAny>>| array.as_ref().map(|array| array.bind(py).clone());
            let some = |attributes: &Py<PyDict>| {
                let attributes = attributes.bind(py);
                (!attributes.is_empty()).then(|| attributes.clone().into_any())
            };
            let arguments = MeshArguments {
                v: Some(arrays.vertices.bind(py).clone()),
                f: bound(&arrays.faces),
                cells: bound(&arrays.cells),
                attributes: None,
                vertex_attributes: some(&arrays.vertex_attributes),
                face_attributes: some(&arrays.face_attributes),
                goes_to_host: false,
            };
            let (mesh, origin) = arguments.mesh()?;
            Py::new(py, PyMesh::with(mesh, Some(origin)))
        });
        made.map(|mesh| mesh.clone_ref(py))
    }
}

#[pymethods]
impl PyResultObject {
    /// Positions (n, 3).
    #[getter]
    fn vertices(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        if let Some(filled) = self.filled.get(py)
            && let Some(array) = filled.bind(py).get_item(POSITIONS)?
        {
            return Ok(Some(array.unbind()));
        }
        Ok(self.arrays(py)?.map(|a| a.vertices.clone_ref(py)))
    }

    /// Faces (m, k), or a pair `(corners, offsets)` of faces of different sizes; `None` of a volume.
    #[getter]
    fn faces(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let faces = self.arrays(py)?.and_then(|a| a.faces.as_ref());
        Ok(faces.map(|a| a.clone_ref(py)))
    }

    /// Tetrahedra (m, 4); `None` of a surface.
    #[getter]
    fn cells(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        let cells = self.arrays(py)?.and_then(|a| a.cells.as_ref());
        Ok(cells.map(|a| a.clone_ref(py)))
    }

    /// Attributes by name, carried and computed: of vertices, and of faces or cells with other names.
    #[getter]
    fn attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        match self.arrays(py)? {
            Some(arrays) => self.with_filled(arrays.attributes(py)?),
            None => Ok(PyDict::new(py)),
        }
    }

    /// Attributes of vertices by name.
    #[getter]
    fn vertex_attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        match self.arrays(py)? {
            Some(arrays) => self.with_filled(arrays.vertex_attributes.bind(py).clone()),
            None => Ok(PyDict::new(py)),
        }
    }

    /// Attributes of faces or cells by name.
    #[getter]
    fn face_attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let arrays = self.arrays(py)?;
        Ok(arrays.map_or_else(|| PyDict::new(py), |a| a.face_attributes.bind(py).clone()))
    }

    /// Values of a grid (nx, ny, nz), with the axes x, y and z; `None` of a mesh.
    #[getter]
    fn values(&self, py: Python<'_>) -> PyResult<Option<Py<PyAny>>> {
        self.grid().map(|grid| grid.values(py)).transpose()
    }

    /// Place of the first point of a grid; `None` of a mesh.
    #[getter]
    fn origin(&self) -> Option<(f64, f64, f64)> {
        self.grid().map(|g| g.grid.origin.into())
    }

    /// Distance of neighbouring points of a grid along x, y and z; `None` of a mesh.
    #[getter]
    fn spacing(&self) -> Option<(f64, f64, f64)> {
        self.grid().map(|g| g.grid.spacing.into())
    }

    /// Report of the operation, with the keys of the program's record.
    #[getter]
    fn report(&self, py: Python<'_>) -> Py<PyDict> {
        self.report.clone_ref(py)
    }

    /// Warnings of the operation.
    #[getter]
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
    }

    /// `False` if there is a result, but it does not meet the request: a solver did not converge, a number was not
    /// reached.
    #[getter]
    fn converged(&self) -> bool {
        self.converged
    }

    /// The result as a `Mesh`.
    #[getter(mesh)]
    fn get_mesh(&self, py: Python<'_>) -> PyResult<Py<PyMesh>> {
        self.mesh(py)
    }

    /// Place of each vertex of the input in the result, -1 for those that are gone; with `map=True`.
    #[getter]
    fn vertex_map(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.maps
            .as_ref()
            .map(|[vertices, _]| vertices.clone_ref(py))
    }

    /// Place of each face of the input in the result, -1 for those that are gone; with `map=True`.
    #[getter]
    fn face_map(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.maps.as_ref().map(|[_, faces]| faces.clone_ref(py))
    }

    /// Bodies of a scene by name.
    #[getter]
    fn bodies(&self, py: Python<'_>) -> Option<Py<PyDict>> {
        self.bodies.as_ref().map(|bodies| bodies.clone_ref(py))
    }

    /// Frames, if they were asked for: pairs of the number of the step and a dict with a mesh for each name.
    #[getter]
    fn frames(&self, py: Python<'_>) -> Option<Py<PyList>> {
        self.frames.as_ref().map(|frames| frames.clone_ref(py))
    }

    /// Writes the result to a file, in the format of the name's extension, or in `format`.
    #[pyo3(signature = (path, *, ascii=false, format=None))]
    fn write(
        &self,
        py: Python<'_>,
        path: std::path::PathBuf,
        ascii: bool,
        format: Option<&str>,
    ) -> PyResult<()> {
        if let Some(grid) = self.grid() {
            return py.detach(|| grid.write(&path, ascii, format));
        }
        let mesh = self.mesh(py)?;
        mesh.bind(py)
            .call_method("write", (path,), Some(&named(py, ascii, format)?))?;
        Ok(())
    }

    fn __getitem__<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        let all = self.attributes(py)?;
        all.get_item(name)?
            .ok_or_else(|| PyKeyError::new_err(name.to_owned()))
    }

    fn __iter__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let elements = match self.cells(py)? {
            Some(cells) => Some(cells),
            None => self.faces(py)?,
        };
        let pair = PyTuple::new(py, [self.vertices(py)?, elements])?;
        Ok(pair.try_iter()?.into_any())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let arrays = match &self.content {
            ResultContent::Nothing => return Ok(format!("Result({}, report)", self.name)),
            ResultContent::Grid(grid) => {
                let [x, y, z] = grid.grid.counts;
                return Ok(format!(
                    "Result({}, grid of {x} x {y} x {z} points)",
                    self.name
                ));
            }
            ResultContent::Mesh(mesh) => {
                let [vertices, faces] = mesh.get().counts();
                return Ok(format!(
                    "Result({}, {vertices} vertices, {faces} faces)",
                    self.name
                ));
            }
            ResultContent::Arrays(arrays) => arrays,
        };
        let vertices: usize = arrays.vertices.bind(py).len()?;
        Ok(format!("Result({}, {vertices} vertices)", self.name))
    }
}

fn named<'py>(py: Python<'py>, ascii: bool, format: Option<&str>) -> PyResult<Bound<'py, PyDict>> {
    let named = PyDict::new(py);
    named.set_item("ascii", ascii)?;
    named.set_item("format", format)?;
    Ok(named)
}

/// Returns keys of a report as a dict.
pub(super) fn dict<'py>(
    py: Python<'py>,
    keys: &Map<String, Value>,
) -> PyResult<Bound<'py, PyDict>> {
    let all = PyDict::new(py);
    for (key, value) in keys {
        all.set_item(key, object(py, value)?)?;
    }
    Ok(all)
}

fn object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        Value::Null => py.None().into_bound(py),
        Value::Bool(flag) => flag.into_pyobject(py)?.to_owned().into_any(),
        Value::Number(n) => match (n.as_u64(), n.as_i64()) {
            (Some(n), _) => n.into_pyobject(py)?.into_any(),
            (None, Some(n)) => n.into_pyobject(py)?.into_any(),
            (None, None) => n.as_f64().unwrap_or(f64::NAN).into_pyobject(py)?.into_any(),
        },
        Value::String(text) => text.into_pyobject(py)?.into_any(),
        Value::Array(values) => {
            let values = values.iter().map(|value| object(py, value));
            PyList::new(py, values.collect::<PyResult<Vec<_>>>()?)?.into_any()
        }
        Value::Object(keys) => dict(py, keys)?.into_any(),
    })
}
