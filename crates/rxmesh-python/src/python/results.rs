//! Results of calls.

use super::arrays::ArrayOrigin;
use super::element::ElementType;
use super::errors::RxmeshError;
use super::memory::ArrayMemory;
use super::mesh::{PyMesh, warn};
use super::read::MeshOrigin;
use super::result::{PyResultObject, ResultContent, ResultGrid, dict};
use super::write::MeshArrays;
use crate::forms::{CallFrame, CallMesh, Finished, Takes};
use crate::functions::OperationFunction;
use crate::keywords::with_keywords;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList};
use rxmesh::Outcome;

/// Returns a result for each mesh, all with the same report.
pub(super) fn results(
    py: Python<'_>,
    function: &OperationFunction,
    finished: Finished,
    (origins, home): (Vec<Option<MeshOrigin>>, Option<MeshOrigin>),
    mut warnings: Vec<String>,
) -> PyResult<Vec<Py<PyResultObject>>> {
    let text = |warning: &String| with_keywords(warning).replace("{output}", "the result");
    let own: Vec<String> = finished.message.warnings.iter().map(text).collect();
    let converged = match &finished.message.outcome {
        Outcome::Refused(why) => return Err(RxmeshError::new_err(with_keywords(why))),
        outcome => *outcome == Outcome::Success,
    };
    if !converged {
        for warning in &own {
            warn(py, warning)?;
        }
    }
    warnings.extend(own);
    let report = dict(py, &finished.report)?.unbind();
    let frames = match finished.frames.is_empty() {
        true => None,
        false => Some(frames(py, finished.frames)?),
    };
    let maps = finished.map.map(|map| -> PyResult<[Py<PyAny>; 2]> {
        let array = |numbers: Vec<u32>| {
            let shape = vec![numbers.len()];
            let memory = ArrayMemory::of_vec(numbers, ElementType::I32, shape);
            ArrayOrigin::numpy(ElementType::I32).export(py, memory)
        };
        Ok([array(map.vertices)?, array(map.faces)?])
    });
    let maps = maps.transpose()?;
    let mut contents = Vec::new();
    let mut bodies = None;
    if function.takes == Takes::Scene {
        bodies = Some(named_meshes(
            py,
            finished.names.into_iter().zip(finished.meshes),
        )?);
        contents.push(ResultContent::Nothing);
    } else if let Some(grid) = finished.grid {
        contents.push(ResultContent::Grid(ResultGrid::new(grid)));
    } else if finished.meshes.is_empty() {
        contents.push(ResultContent::Nothing);
    } else {
        for (mesh, origin) in finished.meshes.into_iter().zip(origins) {
            let home = home.as_ref().map(|home| home.copy(py));
            contents.push(content(py, mesh, (origin, home))?);
        }
    }
    let result = |content| {
        Py::new(
            py,
            PyResultObject {
                name: function.name,
                content,
                made: PyOnceLock::new(),
                report: report.clone_ref(py),
                warnings: warnings.clone(),
                converged,
                maps: maps
                    .as_ref()
                    .map(|[a, b]| [a.clone_ref(py), b.clone_ref(py)]),
                bodies: bodies.as_ref().map(|bodies| bodies.clone_ref(py)),
                frames: frames.as_ref().map(|frames| frames.clone_ref(py)),
                filled: PyOnceLock::new(),
            },
        )
    };
    contents.into_iter().map(result).collect()
}

/// Takes a mesh as a result: as arrays where arrays came in, else as a `Mesh`, whose arrays go to the GPU of `home`.
fn content(
    py: Python<'_>,
    mesh: CallMesh,
    (origin, home): (Option<MeshOrigin>, Option<MeshOrigin>),
) -> PyResult<ResultContent> {
    Ok(match (mesh, origin) {
        (CallMesh::Memory(mesh), Some(origin)) => {
            ResultContent::Arrays(MeshArrays::of(py, mesh, &origin)?)
        }
        (CallMesh::Resident(mesh), Some(origin)) => {
            ResultContent::Arrays(MeshArrays::of_gpu(py, mesh, None, &origin)?)
        }
        (mesh, None) => ResultContent::Mesh(Py::new(py, PyMesh::with(mesh, home))?),
    })
}

fn named_meshes(
    py: Python<'_>,
    meshes: impl Iterator<Item = (String, CallMesh)>,
) -> PyResult<Py<PyDict>> {
    let all = PyDict::new(py);
    for (name, mesh) in meshes {
        all.set_item(name, Py::new(py, PyMesh::of(mesh))?)?;
    }
    Ok(all.unbind())
}

fn frames(py: Python<'_>, frames: Vec<CallFrame>) -> PyResult<Py<PyList>> {
    let all = PyList::empty(py);
    for frame in frames {
        let bodies = frame.bodies.into_iter();
        let bodies = bodies.map(|(name, mesh)| (name, CallMesh::Memory(mesh)));
        all.append((frame.step, named_meshes(py, bodies)?))?;
    }
    Ok(all.unbind())
}
