//! The class `SurfaceTree`.

use super::arrays::{AnyArray, ArrayOrigin, look, wrong_type, wrong_value};
use super::calls::meshes_of;
use super::element::ElementType;
use super::errors::of_error;
use super::memory::ArrayMemory;
use super::mesh::choice;
use super::neighbours::on_engine;
use super::read::Points;
use super::work::run;
use super::write::{floats_as, position_array};
use crate::engines;
use crate::forms::CallMesh;
use pyo3::prelude::*;
use rxmesh::host::Error as HostError;
use rxmesh::host::algo::bounds::check_finite;
use rxmesh::host::algo::closest::ClosestPlaces;
use rxmesh::host::algo::rays::Rays;
use rxmesh::host::engine::{Buffer, EngineError};
use rxmesh::host::mesh::Placement;
use rxmesh::host::parallel::flags;
use rxmesh::{Result, SurfaceTree, Vec3};
use std::process;
use std::sync::Arc;

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

/// Points of a surface that are closest to given points.
#[pyclass(name = "ClosestPoints", module = "rxmesh", frozen)]
pub(super) struct PyClosestPoints {
    /// Positions (n, 3).
    #[pyo3(get)]
    points: Py<PyAny>,
    /// Distances (n,) from the given points; negative inside, if `signed`.
    #[pyo3(get)]
    distances: Py<PyAny>,
    /// Faces (n,), of several equally close ones the first; -1 on a mesh without faces.
    #[pyo3(get)]
    faces: Py<PyAny>,
    /// Barycentric coordinates (n, 3) in the faces.
    #[pyo3(get)]
    barycentric: Py<PyAny>,
}

/// First hits of rays.
#[pyclass(name = "RayHits", module = "rxmesh", frozen)]
pub(super) struct PyRayHits {
    /// Places (n,) on the rays, in multiples of their directions; infinity for rays that hit nothing.
    #[pyo3(get)]
    distances: Py<PyAny>,
    /// Faces (n,), of several at the same place the first; -1 for none.
    #[pyo3(get)]
    faces: Py<PyAny>,
    /// Barycentric coordinates (n, 3) in the faces; zeroes for none.
    #[pyo3(get)]
    barycentric: Py<PyAny>,
}

/// Points of a query on the tree's engine, and the library that results go back to.
struct QueryPoints {
    points: Buffer<Vec3>,
    origin: ArrayOrigin,
    /// `true` if results stay on the GPU.
    stays: bool,
}

impl QueryPoints {
    fn len(&self) -> usize {
        self.points.len()
    }

    /// Exports floats of the engine's frame, `width` for each point (one dimension for 1), times a scale.
    fn floats<T: bytemuck::Pod + Send + Sync>(
        &self,
        py: Python<'_>,
        values: Buffer<T>,
        width: usize,
        scale: f64,
    ) -> PyResult<Py<PyAny>> {
        let shape = match width {
            1 => vec![self.len()],
            width => vec![self.len(), width],
        };
        let element = self.origin.element;
        let memory = if self.stays {
            self.complete(py, || floats_as(Arc::new(values), element, shape))?
        } else {
            let read = self.done(py, || values.read())?;
            let read: &[f32] = bytemuck::cast_slice(&read);
            match element {
                ElementType::F64 => {
                    let wide: Vec<f64> = read.iter().map(|&x| f64::from(x) * scale).collect();
                    ArrayMemory::of_vec(wide, element, shape)
                }
                _ => {
                    let scaled: Vec<f32> = read.iter().map(|&x| x * scale as f32).collect();
                    ArrayMemory::of_vec(scaled, ElementType::F32, shape)
                }
            }
        };
        self.origin.export(py, memory)
    }

    /// Exports whole numbers, one for each point.
    fn numbers(&self, py: Python<'_>, values: Buffer<u32>) -> PyResult<Py<PyAny>> {
        let shape = vec![self.len()];
        let memory = if self.stays {
            let values = self.complete(py, || Ok(Arc::new(values)))?;
            ArrayMemory::of_buffer(values, ElementType::I32, shape)
        } else {
            let read = self.done(py, || values.read())?;
            ArrayMemory::of_vec(read, ElementType::I32, shape)
        };
        self.origin.with(py, ElementType::I32).export(py, memory)
    }

    /// Exports flags as a mask.
    fn mask(&self, py: Python<'_>, values: Buffer<u32>) -> PyResult<Py<PyAny>> {
        let shape = vec![self.len()];
        let memory = if self.stays {
            let mask = self.complete(py, || flags::to_mask(&values))?;
            ArrayMemory::of_buffer(Arc::new(mask), ElementType::Bool, shape)
        } else {
            let read = self.done(py, || values.read())?;
            let mask: Vec<u8> = read.into_iter().map(|flag| flag as u8).collect();
            ArrayMemory::of_vec(mask, ElementType::Bool, shape)
        };
        self.origin.with(py, ElementType::Bool).export(py, memory)
    }

    /// Exports positions of the engine's frame.
    fn positions(
        &self,
        py: Python<'_>,
        positions: Buffer<Vec3>,
        placement: &Placement,
    ) -> PyResult<Py<PyAny>> {
        if self.stays {
            return self.floats(py, positions, 3, 1.0);
        }
        let read = self.done(py, || positions.read())?;
        position_array(py, read, placement, &self.origin)
    }

    /// Makes values on the GPU, and waits until they are complete.
    fn complete<T: Send>(
        &self,
        py: Python<'_>,
        make: impl FnOnce() -> std::result::Result<T, EngineError> + Send,
    ) -> PyResult<T> {
        let engine = self.points.engine();
        self.done(py, || {
            let made = make()?;
            engine.synchronize()?;
            Ok(made)
        })
    }

    fn done<T: Send>(
        &self,
        py: Python<'_>,
        work: impl FnOnce() -> std::result::Result<T, EngineError> + Send,
    ) -> PyResult<T> {
        let done = run(py, Vec::new(), work)?;
        done.map_err(|e| of_error(&HostError::from(e).into()))
    }
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
