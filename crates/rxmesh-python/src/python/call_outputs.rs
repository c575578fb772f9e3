//! The argument `out` of functions: arrays of the caller that results are written into.

use super::arrays::{wrong_type, wrong_value};
use super::calls::CallMeshes;
use super::errors::{RxmeshError, of_error, of_failure};
use super::output::OutputArray;
use super::result::PyResultObject;
use super::work::run;
use crate::engines;
use crate::forms::{CallMesh, EngineKeyword};
use crate::outputs::{self, OutputColumn, POSITIONS};
use clap::{ArgMatches, FromArgMatches};
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rxmesh::on::AnyMesh;

/// Arrays of a call, each with the values that go there.
pub(super) struct CallOutputs<'py> {
    arrays: Vec<(OutputColumn, OutputArray<'py>)>,
}

impl<'py> CallOutputs<'py> {
    /// Takes an array of the only values, or a dict of arrays by name.
    pub(super) fn new(
        columns: &'static [OutputColumn],
        out: Option<Bound<'py, PyAny>>,
    ) -> PyResult<CallOutputs<'py>> {
        let mut arrays = Vec::new();
        let Some(out) = out else {
            return Ok(CallOutputs { arrays });
        };
        let Ok(named) = out.cast::<PyDict>() else {
            let [column] = columns else {
                let names = outputs::names(columns);
                let what = format!("a dict of arrays by name is needed: there are {names}");
                return Err(wrong_type("out", what));
            };
            arrays.push((*column, OutputArray::new("out", &out)?));
            return Ok(CallOutputs { arrays });
        };
        for (key, array) in named.iter() {
            let key: String = key
                .extract()
                .map_err(|_| wrong_type("out", "the names are texts"))?;
            let column = columns.iter().find(|column| column.name == key);
            let column = column.ok_or_else(|| {
                let names = outputs::names(columns);
                wrong_value("out", format!("'{key}' is none of {names}"))
            })?;
            let name = format!("out[{key:?}]");
            arrays.push((*column, OutputArray::new(&name, &array)?));
        }
        Ok(CallOutputs { arrays })
    }

    /// Refuses arrays of other shapes and devices than the results of a call have.
    pub(super) fn check(
        &self,
        py: Python<'_>,
        meshes: &CallMeshes<'_>,
        matches: &ArgMatches,
    ) -> PyResult<()> {
        if self.arrays.is_empty() {
            return Ok(());
        }
        let subject = &meshes.subject;
        let (Some(mesh), false) = (subject.meshes.first(), subject.listed) else {
            return Err(wrong_type("out", "it goes with one mesh, not with a list"));
        };
        let vertices = match mesh {
            CallMesh::Resident(mesh) => mesh.vertex_count(),
            CallMesh::Memory(AnyMesh::Surface(mesh)) => mesh.vertex_count(),
            CallMesh::Memory(AnyMesh::Polygons(mesh)) => mesh.vertex_count(),
            CallMesh::Memory(AnyMesh::Volume(mesh)) => mesh.vertex_count(),
        };
        let of_arrays = meshes.gpu(py);
        let is_elsewhere = |out: &OutputArray<'_>| out.gpu().is_some() && out.gpu() != of_arrays;
        let mut of_engine = None;
        if self.arrays.iter().any(|(_, out)| is_elsewhere(out)) {
            of_engine = engine_gpu(py, mesh, matches)?;
        }
        for (column, out) in &self.arrays {
            match column.width {
                1 => out.check_shape(&[vertices])?,
                width => out.check_shape(&[vertices, width])?,
            }
            out.check_device(of_arrays, of_engine)?;
        }
        Ok(())
    }

    /// Writes the values of a result, whose attributes are the arrays afterwards.
    pub(super) fn fill(&self, py: Python<'_>, result: &Py<PyResultObject>) -> PyResult<()> {
        if self.arrays.is_empty() {
            return Ok(());
        }
        let filled = PyDict::new(py);
        for (column, out) in &self.arrays {
            let source = match column.name {
                POSITIONS => result.bind(py).getattr(POSITIONS)?,
                name => result
                    .bind(py)
                    .getattr("vertex_attributes")?
                    .get_item(name)?,
            };
            out.fill_with(py, &source)?;
            filled.set_item(column.name, &out.object)?;
        }
        let kept = result.get().filled.set(py, filled.unbind());
        kept.map_err(|_| RxmeshError::new_err("the result has arrays already"))
    }
}

/// Returns the number of the GPU that a call runs on; `None` of the CPU.
fn engine_gpu(py: Python<'_>, mesh: &CallMesh, matches: &ArgMatches) -> PyResult<Option<u32>> {
    if let CallMesh::Resident(mesh) = mesh {
        return Ok(mesh.engine().gpu());
    }
    let keyword = EngineKeyword::from_arg_matches(matches).map_err(|e| of_failure(e.into()))?;
    let engine = run(py, Vec::new(), || engines::engine(keyword.engine))?;
    Ok(engine.map_err(|e| of_error(&e))?.gpu())
}
