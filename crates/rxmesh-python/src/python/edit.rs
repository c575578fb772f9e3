//! The class `Edit`.

use super::arrays::{AnyArray, ArrayView, look, shape_text, wrong_type, wrong_value};
use super::calls::meshes_of;
use super::element::ElementType;
use super::errors::of_error;
use super::memory::ArrayMemory;
use super::mesh::{PyMesh, choice, warn};
use super::neighbours::on_engine;
use super::read::{MeshOrigin, indices};
use super::work::{PythonLog, run};
use super::write::{corner_array, floats_as, indices_as, position_array};
use crate::engines;
use crate::forms::CallMesh;
use crate::keywords::with_keywords;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt as _;
use rxmesh::host::engine::Buffer;
use rxmesh::host::mesh::Placement;
use rxmesh::host::parallel::flags;
use rxmesh::{EdgeChange, EdgeReport, Edit, EditElements, EngineEdit, Error, Result};
use std::process;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Mesh that is open on its engine for flips, splits and contractions of edges that the caller chooses.
///
/// `mesh.edit()` or `Edit(mesh)` opens a mesh, `finish()` gives the result, and the mesh itself stays as it is. In
/// `with mesh.edit() as edit:` the end of the block finishes it; `edit.mesh` is the result.
///
/// `edges` lists the ends of the edges, as rows of `vertices`; the masks and indices that `flip`, `split` and
/// `collapse` take are over its rows. After a change `vertices`, `edges` and `faces` are those of the new mesh:
/// vertices and edges that are left keep their order.
///
/// Arguments:
///     mesh: a `Mesh`, a `Result`, or a pair `(v, f)` of positions (n, 3) and triangles (m, 3)
///     engine: engine that computes, of arrays: "auto", "cpu", "cuda", "cuda:N"
#[pyclass(name = "Edit", module = "rxmesh", frozen)]
pub(super) struct PyEdit {
    state: Mutex<EditState>,
    /// Process that made it.
    process: u32,
    /// Library and types of arrays.
    origin: MeshOrigin,
    /// `true` if elements stay on the GPU that the mesh's arrays are on.
    is_on_gpu: bool,
}

/// State of an edit.
enum EditState {
    Open(Box<Edit>),
    Finished(Py<PyMesh>),
    /// Left by an exception, or finished without a result.
    Ended,
}

/// Result of a change of edges.
#[pyclass(name = "EdgeReport", module = "rxmesh", frozen)]
pub(super) struct PyEdgeReport {
    report: EdgeReport,
    mask: Py<PyAny>,
}

#[pymethods]
impl PyEdgeReport {
    /// Edges that were chosen, each counted once.
    #[getter]
    fn asked(&self) -> u64 {
        self.report.asked
    }

    /// Edges that were changed.
    #[getter]
    fn done(&self) -> u64 {
        self.report.done
    }

    /// Edges whose change is not possible: on the boundary or a line (flips), an edge that exists already, the link
    /// condition, places that are not manifold.
    #[getter]
    fn refused(&self) -> u64 {
        self.report.refused
    }

    /// Edges whose change overlapped others: a contraction took an end of the edge, or the rounds were over.
    #[getter]
    fn conflicts(&self) -> u64 {
        self.report.conflicts
    }

    /// Rounds that were needed.
    #[getter]
    fn rounds(&self) -> u32 {
        self.report.rounds
    }

    /// `True` for each edge that was changed (e,), over the edges before.
    #[getter]
    fn mask(&self, py: Python<'_>) -> Py<PyAny> {
        self.mask.clone_ref(py)
    }

    fn __repr__(&self) -> String {
        let r = &self.report;
        format!(
            "EdgeReport(asked={}, done={}, refused={}, conflicts={}, rounds={})",
            r.asked, r.done, r.refused, r.conflicts, r.rounds
        )
    }
}

#[pymethods]
impl PyEdit {
    #[new]
    #[pyo3(signature = (mesh, *, engine=None))]
    fn new(py: Python<'_>, mesh: Bound<'_, PyAny>, engine: Option<&str>) -> PyResult<PyEdit> {
        let choice = choice(engine)?;
        let (mesh, origin, used) = meshes_of("mesh", &mesh)?;
        if engine.is_some() && matches!(mesh, CallMesh::Resident(_)) {
            let what = "the mesh has its own engine already; `Mesh(…, engine=…)` chooses it";
            return Err(wrong_type("engine", what));
        }
        let locks = used.iter().map(|mesh| &mesh.get().lock).collect();
        let opened = run(py, locks, || Edit::new(&on_engine(mesh, choice)?))?;
        let mut edit = opened.map_err(|e| of_error(&e))?;
        for warning in &edit.warnings {
            warn(py, &with_keywords(warning))?;
        }
        let home = used.as_ref().and_then(|mesh| mesh.get().origin(py));
        let origin = origin.filter(MeshOrigin::is_on_gpu).or(home);
        let origin = origin.unwrap_or_else(|| MeshOrigin::numpy(&Placement::default()));
        Ok(PyEdit {
            is_on_gpu: origin.is_on_gpu() && edit.on_engine().is_some(),
            state: Mutex::new(EditState::Open(Box::new(edit))),
            process: process::id(),
            origin,
        })
    }

    /// Positions (n, 3), a new array.
    #[getter]
    fn vertices(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if self.is_on_gpu {
            let memory = self.on_engine(py, |edit| {
                let positions = edit.positions()?;
                let shape = vec![positions.len(), 3];
                Ok(floats_as(Arc::new(positions), ElementType::F32, shape)?)
            })?;
            let origin = self.origin.positions.with(py, ElementType::F32);
            return origin.export(py, memory);
        }
        let get = |elements: &EditElements| {
            let mesh = &elements.mesh;
            (mesh.positions.clone(), mesh.placement)
        };
        let (positions, placement) = self.elements(py, get)?;
        let element = match placement.is_world() {
            true => ElementType::F32,
            false => ElementType::F64,
        };
        let origin = self.origin.positions.with(py, element);
        position_array(py, positions, &placement, &origin)
    }

    /// Triangles (m, 3), a new array.
    #[getter]
    fn faces(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if self.is_on_gpu {
            return self.rows(py, |edit| edit.faces());
        }
        let faces = self.elements(py, |elements| elements.mesh.faces.clone())?;
        let shape = vec![faces.len(), 3];
        corner_array(py, faces.into_flattened(), shape, &self.origin.corners)
    }

    /// Ends of the edges (e, 2), rows of `vertices`; a new array.
    #[getter]
    fn edges(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        if self.is_on_gpu {
            return self.rows(py, |edit| edit.edges());
        }
        let edges = self.elements(py, |elements| elements.edges.clone())?;
        let shape = vec![edges.len(), 2];
        corner_array(py, edges.into_flattened(), shape, &self.origin.corners)
    }

    /// Flips edges: the other diagonal of the two faces takes the place of each.
    ///
    /// Arguments:
    ///     edges: mask (e,) of bool, or indices (k,), over the rows of `edges`
    ///     rounds: most rounds: of changes that overlap one is carried out in each; None for as many as are needed
    #[pyo3(signature = (edges, *, rounds=None))]
    fn flip(&self, edges: Bound<'_, PyAny>, rounds: Option<u32>) -> PyResult<PyEdgeReport> {
        self.change(EdgeChange::Flip, &edges, rounds)
    }

    /// Splits edges in their middle, and the faces beside them. Attributes are interpolated.
    ///
    /// Arguments:
    ///     edges: mask (e,) of bool, or indices (k,), over the rows of `edges`
    ///     rounds: most rounds: of changes that overlap one is carried out in each; None for as many as are needed
    #[pyo3(signature = (edges, *, rounds=None))]
    fn split(&self, edges: Bound<'_, PyAny>, rounds: Option<u32>) -> PyResult<PyEdgeReport> {
        self.change(EdgeChange::Split, &edges, rounds)
    }

    /// Contracts edges if the topology stays: the ends become one vertex in the middle, or where the boundary or a line
    /// holds one of them. Edges at the ends of a contracted edge are not contracted by the same call.
    ///
    /// Arguments:
    ///     edges: mask (e,) of bool, or indices (k,), over the rows of `edges`
    ///     rounds: most rounds: of changes that overlap one is carried out in each; None for as many as are needed
    #[pyo3(signature = (edges, *, rounds=None))]
    fn collapse(&self, edges: Bound<'_, PyAny>, rounds: Option<u32>) -> PyResult<PyEdgeReport> {
        self.change(EdgeChange::Collapse, &edges, rounds)
    }

    /// Checks every invariant of the connectivity. Returns the faults, of which there are none unless rxmesh has a bug.
    fn validate(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        let faults = self.work(py, |edit| edit.validate())?;
        Ok(faults.iter().map(ToString::to_string).collect())
    }

    /// Ends the edit. Returns the result, the same when it is called again.
    fn finish(&self, py: Python<'_>) -> PyResult<Py<PyMesh>> {
        let edit = {
            let mut state = self.lock(py);
            match std::mem::replace(&mut *state, EditState::Ended) {
                EditState::Open(edit) => edit,
                EditState::Finished(mesh) => {
                    let again = mesh.clone_ref(py);
                    *state = EditState::Finished(mesh);
                    return Ok(again);
                }
                EditState::Ended => return Err(ended()),
            }
        };
        engines::check(edit.engine(), self.process).map_err(|e| of_error(&e))?;
        let mut log = PythonLog::new(None);
        let mesh = run(py, Vec::new(), || edit.finish_with(&mut log))?;
        if let Some(raised) = log.raised {
            return Err(raised);
        }
        let mesh = mesh.map_err(|e| of_error(&e))?;
        for warning in &log.warnings {
            warn(py, warning)?;
        }
        let home = Some(self.origin.copy(py));
        let mesh = Py::new(py, PyMesh::with(CallMesh::Resident(mesh), home))?;
        *self.lock(py) = EditState::Finished(mesh.clone_ref(py));
        Ok(mesh)
    }

    /// The result; ends the edit.
    #[getter]
    fn mesh(&self, py: Python<'_>) -> PyResult<Py<PyMesh>> {
        self.finish(py)
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    #[pyo3(signature = (kind, _value, _traceback))]
    fn __exit__(
        &self,
        py: Python<'_>,
        kind: Option<Bound<'_, PyAny>>,
        _value: Option<Bound<'_, PyAny>>,
        _traceback: Option<Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        match kind {
            None => drop(self.finish(py)?),
            Some(_) => {
                let mut state = self.lock(py);
                if matches!(*state, EditState::Open(_)) {
                    *state = EditState::Ended;
                }
            }
        }
        Ok(false)
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        if !matches!(*self.lock(py), EditState::Open(_)) {
            return Ok("Edit(finished)".into());
        }
        let [vertices, edges, faces] = match self.is_on_gpu {
            true => self.on_engine(py, |edit| edit.counts())?,
            false => self.elements(py, |elements| {
                let mesh = &elements.mesh;
                [mesh.vertex_count(), elements.edges.len(), mesh.face_count()]
            })?,
        };
        Ok(format!(
            "Edit({vertices} vertices, {edges} edges, {faces} faces)"
        ))
    }
}

impl PyEdit {
    /// Runs work on the edit without the interpreter's lock.
    fn work<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut Edit) -> Result<T> + Send,
    ) -> PyResult<T> {
        let done = run(py, Vec::new(), || {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            let EditState::Open(edit) = &mut *state else {
                return Ok(None);
            };
            engines::check(edit.engine(), self.process)?;
            work(edit).map(Some)
        })?;
        done.map_err(|e| of_error(&e))?.ok_or_else(ended)
    }

    fn lock<'a>(&'a self, py: Python<'a>) -> MutexGuard<'a, EditState> {
        let state = self.state.lock_py_attached(py);
        state.unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns values of the elements as they are now.
    fn elements<T: Send>(
        &self,
        py: Python<'_>,
        get: impl FnOnce(&EditElements) -> T + Send,
    ) -> PyResult<T> {
        self.work(py, |edit| edit.elements().map(get))
    }

    fn change(
        &self,
        change: EdgeChange,
        edges: &Bound<'_, PyAny>,
        rounds: Option<u32>,
    ) -> PyResult<PyEdgeReport> {
        let py = edges.py();
        let count = match self.is_on_gpu {
            true => self.on_engine(py, |edit| edit.counts())?[1],
            false => self.elements(py, |elements| elements.edges.len())?,
        };
        let edges = look("edges", edges, None)?;
        check_chosen(&edges, count)?;
        let (report, mask) = match self.is_on_gpu {
            true => self.change_on_gpu(py, change, edges, count, rounds)?,
            false => {
                let edges = chosen(&edges.into_host("edges")?, count)?;
                let report = self.work(py, |edit| edit.change(change, &edges, rounds))?;
                let mask = report.changed.iter().map(|&changed| changed.into());
                let mask: Vec<u8> = mask.collect();
                let memory = ArrayMemory::of_vec(mask, ElementType::Bool, vec![count]);
                (report, memory)
            }
        };
        let origin = self.origin.corners.with(py, ElementType::Bool);
        Ok(PyEdgeReport {
            mask: origin.export(py, mask)?,
            report,
        })
    }

    /// Changes edges of a mesh that is on a GPU. Masks and indices that are there, too, are not copied to main memory.
    /// Returns the report and the mask of the edges that were changed.
    fn change_on_gpu(
        &self,
        py: Python<'_>,
        change: EdgeChange,
        edges: AnyArray<'_>,
        count: usize,
        rounds: Option<u32>,
    ) -> PyResult<(EdgeReport, ArrayMemory)> {
        let flags = match &edges {
            AnyArray::Gpu(array) if edges.gpu() == self.origin.positions.gpu => {
                array.flags("edges", count)?
            }
            _ => None,
        };
        let here = match flags {
            Some(_) => Vec::new(),
            None => chosen(&edges.into_host("edges")?, count)?,
        };
        self.on_engine(py, |mut edit| {
            let flags = match flags {
                Some(flags) => flags,
                None => {
                    let mut words = vec![0u32; count];
                    here.into_iter().for_each(|edge| words[edge as usize] = 1);
                    edit.engine().upload(&words)?
                }
            };
            let (report, changed) = edit.change(change, &flags, rounds)?;
            let mask = Arc::new(flags::to_mask(&changed)?);
            let memory = ArrayMemory::of_buffer(mask, ElementType::Bool, vec![count]);
            Ok((report, memory))
        })
    }

    /// Runs work on an edit whose elements stay on a GPU, and waits for it.
    fn on_engine<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(EngineEdit<'_>) -> Result<T> + Send,
    ) -> PyResult<T> {
        self.work(py, |edit| {
            let on = edit.on_engine();
            let on = on.ok_or_else(|| Error::Message("the edit is not on a GPU".into()))?;
            let done = work(on)?;
            edit.engine().synchronize()?;
            Ok(done)
        })
    }

    /// Returns numbers of vertices that are on a GPU, in rows of `N`, as an array of the corners' type.
    fn rows<const N: usize>(
        &self,
        py: Python<'_>,
        get: impl FnOnce(EngineEdit<'_>) -> Result<Buffer<[u32; N]>> + Send,
    ) -> PyResult<Py<PyAny>>
    where
        [u32; N]: bytemuck::Pod,
    {
        let origin = &self.origin.corners;
        let element = origin.element;
        let memory = self.on_engine(py, |edit| {
            let rows = get(edit)?;
            let shape = vec![rows.len(), N];
            Ok(indices_as(Arc::new(rows), element, shape)?)
        })?;
        origin.export(py, memory)
    }
}

fn ended() -> PyErr {
    PyValueError::new_err("the edit is finished; `mesh` is its result")
}

/// Refuses a mask or a list of indices of another shape than one over a number of edges.
fn check_chosen(edges: &AnyArray<'_>, count: usize) -> PyResult<()> {
    let &[rows] = edges.shape() else {
        let found = shape_text(edges.shape());
        let what = format!("a mask ({count},) or indices (k,) are needed, not {found}");
        return Err(wrong_value("edges", what));
    };
    if edges.element() == ElementType::Bool && rows != count {
        let what = format!("a mask has shape ({count},), not ({rows},)");
        return Err(wrong_value("edges", what));
    }
    Ok(())
}

/// Reads a mask, or indices, over a number of edges.
fn chosen(array: &ArrayView<'_>, count: usize) -> PyResult<Vec<u32>> {
    if array.element == ElementType::Bool {
        let mask: Vec<u8> = array.values();
        let chosen = (0..).zip(mask).filter(|(_, is_chosen)| *is_chosen != 0);
        return Ok(chosen.map(|(edge, _)| edge).collect());
    }
    match array.shape[..] {
        // An empty list has no type.
        [0] => Ok(Vec::new()),
        _ => indices("edges", array, count),
    }
}
