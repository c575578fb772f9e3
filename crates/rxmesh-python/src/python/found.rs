//! Results of queries of a surface.

use super::arrays::ArrayOrigin;
use super::element::ElementType;
use super::errors::of_error;
use super::memory::ArrayMemory;
use super::work::run;
use super::write::{floats_as, position_array};
use pyo3::prelude::*;
use rxmesh::Vec3;
use rxmesh::host::Error as HostError;
use rxmesh::host::algo::lists::TriangleLists;
use rxmesh::host::algo::nearest::NearPoints;
use rxmesh::host::engine::{Buffer, EngineError};
use rxmesh::host::mesh::Placement;
use rxmesh::host::parallel::flags;
use std::sync::Arc;

/// Points of a surface that are closest to given points.
#[pyclass(name = "ClosestPoints", module = "rxmesh", frozen)]
pub(super) struct PyClosestPoints {
    /// Positions (n, 3).
    #[pyo3(get)]
    pub(super) points: Py<PyAny>,
    /// Distances (n,) from the given points; negative inside, if `signed`.
    #[pyo3(get)]
    pub(super) distances: Py<PyAny>,
    /// Faces (n,), of several equally close ones the first; -1 on a mesh without faces.
    #[pyo3(get)]
    pub(super) faces: Py<PyAny>,
    /// Barycentric coordinates (n, 3) in the faces.
    #[pyo3(get)]
    pub(super) barycentric: Py<PyAny>,
}

/// First hits of rays.
#[pyclass(name = "RayHits", module = "rxmesh", frozen)]
pub(super) struct PyRayHits {
    /// Places (n,) on the rays, in multiples of their directions; infinity for rays that hit nothing.
    #[pyo3(get)]
    pub(super) distances: Py<PyAny>,
    /// Faces (n,), of several at the same place the first; -1 for none.
    #[pyo3(get)]
    pub(super) faces: Py<PyAny>,
    /// Barycentric coordinates (n, 3) in the faces; zeroes for none.
    #[pyo3(get)]
    pub(super) barycentric: Py<PyAny>,
}

/// Faces that queries found: a list for each query, one after the other, the nearest face first.
#[pyclass(name = "FaceLists", module = "rxmesh", frozen)]
pub(super) struct PyFaceLists {
    /// First places (n + 1,) of the lists, and that after the last one: list `i` is `starts[i]` to `starts[i + 1]`.
    #[pyo3(get)]
    pub(super) starts: Py<PyAny>,
    /// Distances (k,) of the faces from the point, or places of the hits on the ray, in multiples of its direction.
    #[pyo3(get)]
    pub(super) distances: Py<PyAny>,
    /// Faces (k,); of equally near ones the first comes first.
    #[pyo3(get)]
    pub(super) faces: Py<PyAny>,
}

impl PyFaceLists {
    /// Exports lists; their distances times a scale.
    pub(super) fn new(
        py: Python<'_>,
        asked: &QueryPoints,
        found: TriangleLists,
        scale: f64,
    ) -> PyResult<PyFaceLists> {
        let (count, limit) = (found.triangles.len() as u64, i32::MAX as u64);
        if count > limit {
            let what = "found faces";
            let error = HostError::TooLarge { what, count, limit };
            return Err(of_error(&error.into()));
        }
        Ok(PyFaceLists {
            starts: asked.numbers(py, found.starts)?,
            distances: asked.floats(py, found.distances, 1, scale)?,
            faces: asked.numbers(py, found.triangles)?,
        })
    }
}

/// Vertices that are nearest to points.
#[pyclass(name = "NearestVertices", module = "rxmesh", frozen)]
pub(super) struct PyNearestVertices {
    /// Vertices (n, k), nearest first, of equally near ones the first; -1 where the mesh has fewer.
    #[pyo3(get)]
    pub(super) vertices: Py<PyAny>,
    /// Distances (n, k); infinity where the mesh has fewer vertices.
    #[pyo3(get)]
    pub(super) distances: Py<PyAny>,
}

impl PyNearestVertices {
    /// Exports what was found, `k` vertices a point; distances times a scale.
    pub(super) fn new(
        py: Python<'_>,
        asked: &QueryPoints,
        found: NearPoints,
        k: usize,
        scale: f64,
    ) -> PyResult<PyNearestVertices> {
        let shape = vec![asked.len(), k];
        Ok(PyNearestVertices {
            vertices: asked.numbers_as(py, found.numbers, shape.clone())?,
            distances: asked.floats_as(py, found.distances, shape, scale)?,
        })
    }
}

/// Points of a query on the tree's engine, and the library that results go back to.
pub(super) struct QueryPoints {
    pub(super) points: Buffer<Vec3>,
    pub(super) origin: ArrayOrigin,
    /// `true` if results stay on the GPU.
    pub(super) stays: bool,
}

impl QueryPoints {
    pub(super) fn len(&self) -> usize {
        self.points.len()
    }

    /// Exports floats of the engine's frame, `width` for each value (one dimension for 1), times a scale.
    pub(super) fn floats<T: bytemuck::Pod + Send + Sync>(
        &self,
        py: Python<'_>,
        values: Buffer<T>,
        width: usize,
        scale: f64,
    ) -> PyResult<Py<PyAny>> {
        let shape = match width {
            1 => vec![values.len()],
            width => vec![values.len(), width],
        };
        self.floats_as(py, values, shape, scale)
    }

    /// Works like [`QueryPoints::floats`], for a shape.
    fn floats_as<T: bytemuck::Pod + Send + Sync>(
        &self,
        py: Python<'_>,
        values: Buffer<T>,
        shape: Vec<usize>,
        scale: f64,
    ) -> PyResult<Py<PyAny>> {
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

    /// Exports whole numbers.
    pub(super) fn numbers(&self, py: Python<'_>, values: Buffer<u32>) -> PyResult<Py<PyAny>> {
        let shape = vec![values.len()];
        self.numbers_as(py, values, shape)
    }

    /// Works like [`QueryPoints::numbers`], for a shape.
    fn numbers_as(
        &self,
        py: Python<'_>,
        values: Buffer<u32>,
        shape: Vec<usize>,
    ) -> PyResult<Py<PyAny>> {
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
    pub(super) fn mask(&self, py: Python<'_>, values: Buffer<u32>) -> PyResult<Py<PyAny>> {
        let shape = vec![values.len()];
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
    pub(super) fn positions(
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
