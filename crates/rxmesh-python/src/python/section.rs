//! The function that cuts a mesh by a plane.

use super::calls::meshes_of;
use super::element::ElementType;
use super::errors::of_error;
use super::memory::ArrayMemory;
use super::neighbours::on_engine;
use super::read::MeshOrigin;
use super::work::run;
use pyo3::prelude::*;
use pyo3::types::PyList;
use rxmesh::DVec3;
use rxmesh::host::engine::{EngineChoice, EngineKind};
use rxmesh::host::mesh::Placement;

/// Cuts a mesh by a plane: the curves in which the plane meets its faces.
///
/// Curves of closed surfaces are closed: their last point is the first one again. Where more than two faces meet at an
/// edge curves end. Seen from the tip of the normal curves run counter-clockwise around what the faces enclose, where
/// these look outwards. Faces need not share vertices. The CPU does the work.
///
/// Arguments:
///     mesh: a `Mesh`, a `Result`, or a pair `(v, f)` of positions (n, 3) and triangles (m, 3)
///     origin: point of the plane
///     normal: direction that is perpendicular to the plane, of any length
///
/// Returns a list of arrays (k, 3) of float64.
#[pyfunction]
#[pyo3(signature = (mesh, origin=(0.0, 0.0, 0.0), normal=(0.0, 0.0, 1.0)))]
pub(super) fn section<'py>(
    py: Python<'py>,
    mesh: Bound<'py, PyAny>,
    origin: (f64, f64, f64),
    normal: (f64, f64, f64),
) -> PyResult<Bound<'py, PyList>> {
    let (mesh, of, used) = meshes_of("mesh", &mesh)?;
    let locks = used.iter().map(|mesh| &mesh.get().lock).collect();
    let plane = [origin, normal].map(|(x, y, z)| DVec3::new(x, y, z));
    let found = run(py, locks, || {
        let mesh = on_engine(mesh, EngineChoice::Kind(EngineKind::Cpu))?;
        rxmesh::section(&mesh, plane[0], plane[1])
    })?;
    let found = found.map_err(|e| of_error(&e))?;
    let of = of.unwrap_or_else(|| MeshOrigin::numpy(&Placement::default()));
    let of = of.positions.with(py, ElementType::F64);
    let curve = |i: usize| {
        let (points, is_closed) = found.curve(i);
        let mut points = points.to_vec();
        if is_closed {
            points.push(points[0]);
        }
        let shape = vec![points.len(), 3];
        of.export(py, ArrayMemory::of_vec(points, ElementType::F64, shape))
    };
    let curves = (0..found.len()).map(curve).collect::<PyResult<Vec<_>>>()?;
    PyList::new(py, curves)
}
