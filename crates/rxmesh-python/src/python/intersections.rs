//! The function that finds faces that intersect.

use super::calls::meshes_of;
use super::errors::of_error;
use super::mesh::warn;
use super::neighbours::on_engine;
use super::read::MeshOrigin;
use super::work::run;
use super::write::corner_array;
use pyo3::prelude::*;
use rxmesh::host::engine::{EngineChoice, EngineKind};
use rxmesh::host::mesh::Placement;

/// Engine of arrays, which the work does not need.
const CPU: EngineChoice = EngineChoice::Kind(EngineKind::Cpu);

/// Finds the pairs of faces that intersect: `intersections(mesh)` in a mesh, `intersections(mesh, other)` of two
/// meshes.
///
/// Faces that share no more than corners or a side, at the same places, are no pair; faces that touch otherwise are.
/// Signs are exact. Coordinates are rounded to 32 bits in the frame of the mesh. The CPU does the work.
///
/// Arguments:
///     mesh: a `Mesh`, a `Result`, or a pair `(v, f)` of positions (n, 3) and triangles (m, 3)
///     other: a second one; each pair is then a face of `mesh` and a face of `other`
///
/// Returns an array (k, 2) of numbers of faces, in ascending order; in one mesh the lower face comes first. A warning
/// says so if there may be more, because the search would have taken too long.
#[pyfunction]
#[pyo3(signature = (mesh, other=None))]
pub(super) fn intersections<'py>(
    py: Python<'py>,
    mesh: Bound<'py, PyAny>,
    other: Option<Bound<'py, PyAny>>,
) -> PyResult<Py<PyAny>> {
    let (mesh, origin, used) = meshes_of("mesh", &mesh)?;
    let other = other.map(|o| meshes_of("other", &o)).transpose()?;
    let (other, used_too) = other.map_or((None, None), |(mesh, _, used)| (Some(mesh), used));
    let both = used.iter().chain(&used_too);
    let locks = both.map(|mesh| &mesh.get().lock).collect();
    let found = run(py, locks, || {
        let first = on_engine(mesh, CPU)?;
        match other {
            Some(other) => rxmesh::intersections(&first, &on_engine(other, CPU)?),
            None => rxmesh::self_intersections(&first),
        }
    })?;
    let found = found.map_err(|e| of_error(&e))?;
    if !found.is_complete {
        warn(
            py,
            "there may be more pairs: so many faces intersect that the search ended early",
        )?;
    }
    let origin = origin.unwrap_or_else(|| MeshOrigin::numpy(&Placement::default()));
    let shape = vec![found.pairs.len(), 2];
    corner_array(py, found.pairs.into_flattened(), shape, &origin.corners)
}
