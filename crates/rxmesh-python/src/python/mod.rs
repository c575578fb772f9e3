//! The Python module.

mod arrays;
mod call_outputs;
mod calls;
mod devices;
mod dlpack;
mod edit;
mod element;
mod errors;
mod found;
mod gpu;
mod grids;
mod intersections;
mod memory;
mod mesh;
mod neighbours;
mod output;
mod picture;
mod queries;
mod read;
mod result;
mod results;
mod section;
mod subdivision;
mod work;
mod world;
mod write;

use crate::functions::ALL;
use crate::help;
use crate::render::RENDER;
use pyo3::prelude::*;
use pyo3::types::PyCFunction;
use std::ffi::{CStr, CString};
use std::sync::Mutex;

/// Native half of the package `rxmesh`.
#[pymodule(name = "_rxmesh", gil_used = false)]
fn native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<mesh::PyMesh>()?;
    module.add_class::<result::PyResultObject>()?;
    module.add_class::<memory::PyBuffer>()?;
    module.add_class::<picture::PyPicture>()?;
    module.add_class::<subdivision::PySubdivision>()?;
    module.add_class::<world::PyWorld>()?;
    module.add_class::<edit::PyEdit>()?;
    module.add_class::<edit::PyEdgeReport>()?;
    module.add_class::<queries::PySurfaceTree>()?;
    module.add_class::<found::PyClosestPoints>()?;
    module.add_class::<found::PyRayHits>()?;
    module.add_class::<found::PyFaceLists>()?;
    module.add_class::<found::PyNearestVertices>()?;
    module.add("Error", module.py().get_type::<errors::RxmeshError>())?;
    module.add_function(wrap_pyfunction!(mesh::read, module)?)?;
    module.add_function(wrap_pyfunction!(mesh::write, module)?)?;
    module.add_function(wrap_pyfunction!(intersections::intersections, module)?)?;
    module.add_function(wrap_pyfunction!(neighbours::neighbours, module)?)?;
    module.add_function(wrap_pyfunction!(section::section, module)?)?;
    module.add_function(wrap_pyfunction!(operation, module)?)?;
    module.add_function(wrap_pyfunction!(traffic, module)?)?;
    module.add_function(wrap_pyfunction!(trim, module)?)?;
    let names: Vec<&str> = ALL.iter().map(|function| function.name).collect();
    module.add("OPERATIONS", names)
}

/// Returns the bytes that were copied to the engines of this process, and back to main memory.
#[pyfunction]
fn traffic() -> (u64, u64) {
    let all = crate::engines::traffic();
    (all.to_engine, all.to_host)
}

/// Gives memory of GPUs that the library's pools keep back to the driver, for other libraries and processes: that of no
/// array and no mesh. Returns the number of bytes.
///
/// Arguments:
///     engine: "cuda" or "cuda:N" for one GPU; `None` for all that the process has started
///
/// The next calls take memory from the driver again, which is slower.
#[pyfunction]
#[pyo3(signature = (engine=None))]
fn trim(py: Python<'_>, engine: Option<&str>) -> PyResult<u64> {
    let chosen = engine
        .map(|engine| mesh::choice(Some(engine)))
        .transpose()?;
    let trimmed = work::run(py, Vec::new(), || crate::engines::trim(chosen))?;
    trimmed.map_err(|e| errors::of_error(&e))
}

/// Returns the function of an operation.
#[pyfunction]
fn operation<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyCFunction>> {
    if name == RENDER.name {
        let command = Mutex::new(None);
        return PyCFunction::new_closure(
            py,
            Some(forever(name)),
            Some(forever(&help::docstring(&RENDER))),
            move |positional, named| picture::render(&command, positional, named),
        );
    }
    let found = ALL.iter().find(|function| function.name == name);
    let Some(function) = found else {
        let what = format!("there is no operation '{name}'");
        return Err(pyo3::exceptions::PyAttributeError::new_err(what));
    };
    // The command is made when it is first needed, and stays.
    let command = Mutex::new(None);
    let docstring = help::docstring(function);
    PyCFunction::new_closure(
        py,
        Some(forever(function.name)),
        Some(forever(&docstring)),
        move |positional, named| calls::call(function, &command, positional, named),
    )
}

/// Returns a text that is never freed. Each operation is made once.
fn forever(text: &str) -> &'static CStr {
    let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
    Box::leak(text.into_boxed_c_str())
}
