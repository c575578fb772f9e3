//! The class `Picture`, and the function that draws one.

use super::calls::arguments;
use super::errors::of_failure;
use super::mesh::warn;
use super::work::run;
use crate::render::{RENDER, draw};
use clap::Command;
use pyo3::exceptions::PyOSError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyTuple};
use std::path::PathBuf;
use std::sync::Mutex;

/// Picture of meshes: a PNG file in memory. Notebooks show it.
#[pyclass(name = "Picture", module = "rxmesh", frozen)]
pub(super) struct PyPicture {
    png: Vec<u8>,
    size: [u32; 2],
}

#[pymethods]
impl PyPicture {
    /// Bytes of the PNG file.
    #[getter]
    fn png<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.png)
    }

    /// Pixels in a row.
    #[getter]
    fn width(&self) -> u32 {
        self.size[0]
    }

    /// Rows.
    #[getter]
    fn height(&self) -> u32 {
        self.size[1]
    }

    /// Writes the PNG file.
    fn write(&self, py: Python<'_>, path: PathBuf) -> PyResult<()> {
        let written = run(py, Vec::new(), || {
            rxmesh::host::files::write_bytes(&path, &self.png)
        })?;
        written.map_err(|e| PyOSError::new_err(format!("{}: {e}", path.display())))
    }

    fn _repr_png_<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        self.png(py)
    }

    fn __repr__(&self) -> String {
        let [width, height] = self.size;
        format!("Picture({width} x {height})")
    }
}

/// Draws the meshes of a call.
pub(super) fn render(
    command: &Mutex<Option<Command>>,
    positional: &Bound<'_, PyTuple>,
    named: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyAny>> {
    let py = positional.py();
    let mut call = arguments(&RENDER, command, positional, named)?;
    let locks = call.meshes.used.iter().map(|mesh| &mesh.get().lock);
    let subject = std::mem::take(&mut call.meshes.subject);
    let log = &mut call.log;
    let drawn = run(py, locks.collect(), || draw(&call.matches, subject, log))?;
    if let Some(raised) = call.log.raised {
        return Err(raised);
    }
    let drawn = drawn.map_err(of_failure)?;
    for warning in &call.log.warnings {
        warn(py, warning)?;
    }
    let picture = PyPicture {
        png: drawn.png,
        size: drawn.size,
    };
    Ok(Py::new(py, picture)?.into_any())
}
