//! The class `SurfaceTree`.

use super::arrays::{AnyArray, look, wrong_type, wrong_value};
use super::calls::meshes_of;
use super::errors::of_error;
use super::found::{PyClosestPoints, PyFaceLists, PyNearestVertices, PyRayHits, QueryPoints};
use super::mesh::choice;
use super::neighbours::on_engine;
use super::read::Points;
use super::work::run;
use crate::engines;
use crate::forms::CallMesh;
use pyo3::prelude::*;
use rxmesh::host::Error as HostError;
use rxmesh::host::algo::bounds::check_finite;
use rxmesh::host::algo::closest::ClosestPlaces;
use rxmesh::host::algo::rays::Rays;
use rxmesh::host::engine::Buffer;
use rxmesh::{Result, SurfaceTree, Vec3};
use std::process;

/// Surface that is prepared for queries: closest points, rays, winding numbers. It is made once, and stays on its
/// engine.
///
/// `mesh.tree()` or `SurfaceTree(mesh)` prepares a mesh. Points, origins and directions are arrays (n, 3) of float32 or
/// float64; results are arrays of the same library, on the same device, floats of the same type. Faces are int32, and
/// -1 stands for none.
///
/// Arguments:
///     mesh: a `Mesh`, a `Result`, or a pair `(v, f)` of positions (n, 3) and triangles (m, 3)
///     engine: engine that computes, of arrays: "auto", "cpu", "cuda", "cuda:N"
#[pyclass(name = "SurfaceTree", module = "rxmesh", frozen)]
pub(super) struct PySurfaceTree {
    tree: SurfaceTree,
    /// Process that made it.
    process: u32,
}

#[pymethods]
impl PySurfaceTree {
    #[new]
    #[pyo3(signature = (mesh, *, engine=None))]
    fn new(
        py: Python<'_>,
        mesh: Bound<'_, PyAny>,
        engine: Option<&str>,
    ) -> PyResult<PySurfaceTree> {
        let choice = choice(engine)?;
        let (mesh, _, used) = meshes_of("mesh", &mesh)?;
        if engine.is_some() && matches!(mesh, CallMesh::Resident(_)) {
            let what = "the mesh has its own engine already; `Mesh(…, engine=…)` chooses it";
            return Err(wrong_type("engine", what));
        }
        let locks = used.iter().map(|mesh| &mesh.get().lock).collect();
        let made = run(py, locks, || SurfaceTree::new(&on_engine(mesh, choice)?))?;
        Ok(PySurfaceTree {
            tree: made.map_err(|e| of_error(&e))?,
            process: process::id(),
        })
    }

    /// Finds the points of the surface that are closest to points: a `ClosestPoints`.
    ///
    /// Arguments:
    ///     points: array (n, 3)
    ///     signed: give distances that are negative inside, where the winding number is at least one half
    #[pyo3(signature = (points, *, signed=false))]
    fn closest(
        &self,
        py: Python<'_>,
        points: Bound<'_, PyAny>,
        signed: bool,
    ) -> PyResult<PyClosestPoints> {
        let asked = self.points(py, "points", &points)?;
        let (found, distances) = self.work(py, || -> Result<(ClosestPlaces, Buffer<f32>)> {
            if signed {
                return Ok(self.tree.inside()?.signed_distances(&asked.points)?);
            }
            let found = self.tree.on_engine().closest(&asked.points)?;
            let distances = found.distances(&asked.points)?;
            Ok((found, distances))
        })?;
        let placement = self.tree.placement();
        Ok(PyClosestPoints {
            points: asked.positions(py, found.places, placement)?,
            distances: asked.floats(py, distances, 1, placement.scale)?,
            faces: asked.numbers(py, found.triangles)?,
            barycentric: asked.floats(py, found.parts, 3, 1.0)?,
        })
    }

    /// Computes how often the surface goes around each point (n,): 1 inside a closed surface whose faces look outwards,
    /// 0 outside, and between them near holes.
    ///
    /// Arguments:
    ///     points: array (n, 3)
    fn winding_numbers(&self, py: Python<'_>, points: Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let asked = self.points(py, "points", &points)?;
        let numbers = self.work(py, || {
            Ok(self.tree.inside()?.winding_numbers(&asked.points)?)
        })?;
        asked.floats(py, numbers, 1, 1.0)
    }

    /// Finds out which points are inside (n,), as bool: those whose winding number is at least one half.
    ///
    /// Arguments:
    ///     points: array (n, 3)
    fn contains(&self, py: Python<'_>, points: Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
        let asked = self.points(py, "points", &points)?;
        let inside = self.work(py, || Ok(self.tree.inside()?.contains(&asked.points)?))?;
        asked.mask(py, inside)
    }

    /// Finds the first hit of each ray, `origin + t * direction` with `t` from 0 to `limit`: a `RayHits`. Both sides of
    /// a face are hit.
    ///
    /// Arguments:
    ///     origins: array (n, 3)
    ///     directions: array (n, 3), of any lengths
    ///     limit: greatest `t`
    #[pyo3(signature = (origins, directions, *, limit=f64::INFINITY))]
    fn first_hits(
        &self,
        py: Python<'_>,
        origins: Bound<'_, PyAny>,
        directions: Bound<'_, PyAny>,
        limit: f64,
    ) -> PyResult<PyRayHits> {
        let (asked, hits) = self.cast(py, [&origins, &directions], limit, |rays| {
            Ok(self.tree.on_engine().first_hits(rays)?)
        })?;
        Ok(PyRayHits {
            distances: asked.floats(py, hits.distances, 1, 1.0)?,
            faces: asked.numbers(py, hits.triangles)?,
            barycentric: asked.floats(py, hits.parts, 3, 1.0)?,
        })
    }

    /// Counts the hits of each ray (n,), as int32. A ray through an edge counts one of its faces for each side of the
    /// surface.
    ///
    /// Arguments:
    ///     origins: array (n, 3)
    ///     directions: array (n, 3), of any lengths
    ///     limit: greatest `t`
    #[pyo3(signature = (origins, directions, *, limit=f64::INFINITY))]
    fn count_hits(
        &self,
        py: Python<'_>,
        origins: Bound<'_, PyAny>,
        directions: Bound<'_, PyAny>,
        limit: f64,
    ) -> PyResult<Py<PyAny>> {
        let (asked, counts) = self.cast(py, [&origins, &directions], limit, |rays| {
            Ok(self.tree.on_engine().count_hits(rays)?)
        })?;
        asked.numbers(py, counts)
    }

    /// Lists all hits of each ray: a `FaceLists`. They are those that `count_hits` counts; distances are their places
    /// on the ray, in multiples of its direction.
    ///
    /// Arguments:
    ///     origins: array (n, 3)
    ///     directions: array (n, 3), of any lengths
    ///     limit: greatest `t`
    #[pyo3(signature = (origins, directions, *, limit=f64::INFINITY))]
    fn all_hits(
        &self,
        py: Python<'_>,
        origins: Bound<'_, PyAny>,
        directions: Bound<'_, PyAny>,
        limit: f64,
    ) -> PyResult<PyFaceLists> {
        let (asked, found) = self.cast(py, [&origins, &directions], limit, |rays| {
            Ok(self.tree.on_engine().all_hits(rays)?)
        })?;
        PyFaceLists::new(py, &asked, found, 1.0)
    }

    /// Lists the faces that are at most as far from each point as a radius: a `FaceLists`.
    ///
    /// Arguments:
    ///     points: array (n, 3)
    ///     radius: greatest distance
    fn faces_within(
        &self,
        py: Python<'_>,
        points: Bound<'_, PyAny>,
        radius: f64,
    ) -> PyResult<PyFaceLists> {
        if radius.is_nan() || radius < 0.0 {
            let what = format!("0 or more is needed, not {radius}");
            return Err(wrong_value("radius", what));
        }
        let asked = self.points(py, "points", &points)?;
        let scale = self.tree.placement().scale;
        let found = self.work(py, || {
            let local = (radius / scale) as f32;
            Ok(self
                .tree
                .on_engine()
                .triangles_within(&asked.points, local)?)
        })?;
        PyFaceLists::new(py, &asked, found, scale)
    }

    /// Finds the vertices that are nearest to each point, of faces and of none: a `NearestVertices`.
    ///
    /// Arguments:
    ///     points: array (n, 3)
    ///     k: number of vertices to find for each
    #[pyo3(signature = (points, k=1))]
    fn nearest_vertices(
        &self,
        py: Python<'_>,
        points: Bound<'_, PyAny>,
        k: u32,
    ) -> PyResult<PyNearestVertices> {
        if k == 0 {
            return Err(wrong_value("k", "1 or more is needed, not 0"));
        }
        let asked = self.points(py, "points", &points)?;
        let found = self.work(py, || {
            Ok(self.tree.vertices()?.nearest(&asked.points, k)?)
        })?;
        let scale = self.tree.placement().scale;
        PyNearestVertices::new(py, &asked, found, k as usize, scale)
    }

    /// Finds out which rays hit anything (n,), as bool.
    ///
    /// Arguments:
    ///     origins: array (n, 3)
    ///     directions: array (n, 3), of any lengths
    ///     limit: greatest `t`: 1 for the segments between two points
    #[pyo3(signature = (origins, directions, *, limit=f64::INFINITY))]
    fn find_blocked(
        &self,
        py: Python<'_>,
        origins: Bound<'_, PyAny>,
        directions: Bound<'_, PyAny>,
        limit: f64,
    ) -> PyResult<Py<PyAny>> {
        let (asked, flags) = self.cast(py, [&origins, &directions], limit, |rays| {
            Ok(self.tree.on_engine().find_blocked(rays)?)
        })?;
        asked.mask(py, flags)
    }

    /// Name of the engine: "cpu" or "cuda".
    #[getter]
    fn engine(&self) -> String {
        self.tree.engine().name()
    }

    fn __repr__(&self) -> String {
        format!(
            "SurfaceTree({} faces, {})",
            self.tree.face_count(),
            self.tree.engine().name()
        )
    }
}

impl PySurfaceTree {
    /// Runs work without the interpreter's lock.
    fn work<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce() -> Result<T> + Send,
    ) -> PyResult<T> {
        let done = run(py, Vec::new(), || {
            engines::check(self.tree.engine(), self.process)?;
            work()
        })?;
        done.map_err(|e| of_error(&e))
    }

    /// Takes points to the tree's engine. Those on its GPU stay there.
    fn points(
        &self,
        py: Python<'_>,
        name: &str,
        array: &Bound<'_, PyAny>,
    ) -> PyResult<QueryPoints> {
        let placement = *self.tree.placement();
        self.taken(py, name, array, &|p| placement.local(p))
    }

    /// Takes rows of three numbers to the tree's engine, in its frame.
    fn taken(
        &self,
        py: Python<'_>,
        name: &str,
        array: &Bound<'_, PyAny>,
        local: &(dyn Fn(rxmesh::DVec3) -> Vec3 + Sync),
    ) -> PyResult<QueryPoints> {
        let (engine, is_world) = (self.tree.engine(), self.tree.placement().is_world());
        let array = look(name, array, Some("float64"))?;
        if let AnyArray::Gpu(array) = &array
            && is_world
            && array.engine().gpu() == engine.gpu()
            && let Some(points) = array.points(name)?
        {
            self.check(py, name, &points)?;
            let origin = array.origin_ref();
            return Ok(QueryPoints {
                origin: origin.with(py, origin.element),
                stays: true,
                points,
            });
        }
        let view = array.into_host(name)?;
        let rows = match Points::of(name, &view)? {
            Points::Single(points) if is_world => points,
            Points::Single(points) => points.iter().map(|p| local(p.as_dvec3())).collect(),
            Points::Double(points) => points.iter().map(|&p| local(p)).collect(),
        };
        let points = self.work(py, || Ok(engine.upload(&rows).map_err(HostError::from)?))?;
        self.check(py, name, &points)?;
        Ok(QueryPoints {
            points,
            origin: view.origin,
            stays: false,
        })
    }

    /// Refuses points that are not finite.
    fn check(&self, py: Python<'_>, name: &str, points: &Buffer<Vec3>) -> PyResult<()> {
        self.work(py, || Ok(check_finite(points, &format!("{name}: row"))?))
    }

    /// Runs work on rays; results go to the library of the origins.
    fn cast<T: Send>(
        &self,
        py: Python<'_>,
        [origins, directions]: [&Bound<'_, PyAny>; 2],
        limit: f64,
        work: impl FnOnce(Rays<'_>) -> Result<T> + Send,
    ) -> PyResult<(QueryPoints, T)> {
        let placement = *self.tree.placement();
        let asked = self.points(py, "origins", origins)?;
        let directions = self.taken(py, "directions", directions, &|d| {
            placement.local_direction(d)
        })?;
        if directions.len() != asked.len() {
            let (found, wanted) = (directions.len(), asked.len());
            let what = format!("shape ({wanted}, 3) is needed, as of origins, not ({found}, 3)");
            return Err(wrong_value("directions", what));
        }
        if limit.is_nan() || limit < 0.0 {
            let what = format!("0 or more is needed, not {limit}");
            return Err(wrong_value("limit", what));
        }
        let done = self.work(py, || {
            work(Rays {
                origins: &asked.points,
                directions: &directions.points,
                limit: limit as f32,
            })
        })?;
        Ok((asked, done))
    }
}
