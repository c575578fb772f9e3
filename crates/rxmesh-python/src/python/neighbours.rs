//! The function that gives neighbours.

use super::arrays::{wrong_type, wrong_value};
use super::calls::meshes_of;
use super::errors::of_error;
use super::read::{MeshArguments, MeshOrigin};
use super::work::run;
use super::write::corner_array;
use crate::engines;
use crate::forms::CallMesh;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use rxmesh::host::engine::EngineChoice;
use rxmesh::host::mesh::Placement;
use rxmesh::on::AnyMesh;
use rxmesh::{Mesh, NeighbourKind};

/// Returns the neighbours of all vertices, edges or faces: `neighbours(v, f, "VF")`, or `mesh.neighbours("VF")`.
///
/// The first letter of `relation` names the elements that have neighbours, the second one the neighbours: V vertices, E
/// edges, F faces. "VV" are the vertices that share an edge with a vertex, "EE" the edges that share a face with an
/// edge, "FF" the faces that share an edge with a face.
///
/// Arguments:
///     v: positions (n, 3), or a `Mesh`
///     f: triangles (m, 3)
///     relation: "VV", "VE", "VF", "EV", "EE", "EF", "FV", "FE" or "FF"
///     engine: engine that computes: "auto", "cpu", "cuda", "cuda:N"
///
/// Returns an array with a row for each element for "EV" (e, 2), "FV" and "FE" (m, 3), else a pair `(starts, values)`:
/// the neighbours of element `i` are `values[starts[i]:starts[i + 1]]`. Edges are numbered from 0 on, in the same order
/// in all relations of a mesh; "EV" lists their ends.
#[pyfunction]
#[pyo3(signature = (v, f=None, relation=None, *, engine=None))]
pub(super) fn neighbours<'py>(
    py: Python<'py>,
    v: Bound<'py, PyAny>,
    mut f: Option<Bound<'py, PyAny>>,
    mut relation: Option<Bound<'py, PyAny>>,
    engine: Option<&str>,
) -> PyResult<Py<PyAny>> {
    // A mesh has its faces: the relation follows it.
    if relation.is_none() && f.as_ref().is_some_and(|f| f.is_instance_of::<PyString>()) {
        relation = f.take();
    }
    let kind = kind(relation.as_ref())?;
    let choice = super::mesh::choice(engine)?;
    let (mesh, origin, lock) = match f {
        Some(f) => {
            let arguments = MeshArguments {
                goes_to_host: !super::gpu::is_for(engine, &v)?,
                v: Some(v),
                f: Some(f),
                ..MeshArguments::default()
            };
            let (mesh, origin) = arguments.mesh()?;
            (mesh, Some(origin), None)
        }
        None => {
            let (mesh, origin, used) = meshes_of("v", &v)?;
            if used.is_some() && engine.is_some() {
                return Err(wrong_type("engine", "the mesh has its own engine already"));
            }
            (mesh, origin, used)
        }
    };
    let locks = lock.iter().map(|mesh| &mesh.get().lock).collect();
    let rows = run(py, locks, || on_engine(mesh, choice)?.neighbours(kind))?;
    let rows = rows.map_err(|e| of_error(&e))?;
    let origin = origin.unwrap_or_else(|| MeshOrigin::numpy(&Placement::default()));
    let array = |numbers: Vec<u32>, shape| corner_array(py, numbers, shape, &origin.corners);
    match rows.width {
        Some(width) => {
            let shape = vec![rows.values.len() / width as usize, width as usize];
            array(rows.values, shape)
        }
        None => {
            let shapes = [vec![rows.starts.len()], vec![rows.values.len()]];
            let [starts, values] = shapes;
            let pair = [array(rows.starts, starts)?, array(rows.values, values)?];
            Ok(PyTuple::new(py, pair)?.into_any().unbind())
        }
    }
}

fn kind(relation: Option<&Bound<'_, PyAny>>) -> PyResult<NeighbourKind> {
    let name = relation.ok_or_else(|| wrong_type("relation", "is missing"))?;
    let name: String = name
        .extract()
        .map_err(|_| wrong_type("relation", "a text such as \"VV\" is needed"))?;
    let found = NeighbourKind::ALL
        .into_iter()
        .find(|kind| kind.name() == name);
    found.ok_or_else(|| {
        let names = NeighbourKind::ALL.map(NeighbourKind::name);
        wrong_value(
            "relation",
            format!("'{name}' is none of {}", names.join(", ")),
        )
    })
}

/// Puts a surface on an engine, if it is not on one.
pub(super) fn on_engine(mesh: CallMesh, choice: EngineChoice) -> rxmesh::Result<Mesh> {
    let surface = match mesh {
        CallMesh::Resident(mesh) => return Ok(mesh),
        CallMesh::Memory(AnyMesh::Surface(mesh)) => mesh,
        CallMesh::Memory(_) => {
            let why = "f: triangles are needed, shape (m, 3)";
            return Err(rxmesh::Error::Message(why.into()));
        }
    };
    surface.validate().map_err(rxmesh::host::Error::from)?;
    Ok(Mesh::on(surface, engines::engine(choice)?))
}
