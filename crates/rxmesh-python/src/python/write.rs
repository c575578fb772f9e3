//! Arrays of meshes.

use super::arrays::ArrayOrigin;
use super::element::ElementType;
use super::errors::of_error;
use super::memory::ArrayMemory;
use super::read::MeshOrigin;
use super::work::run;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use rxmesh::host::Error as HostError;
use rxmesh::host::engine::{Buffer, EngineError};
use rxmesh::host::mesh::{Column, ColumnData, ElementKind, Extras, Faces, Placement};
use rxmesh::host::parallel::convert::{widen_floats, widen_indices};
use rxmesh::on::AnyMesh;
use rxmesh::{DVec3, Vec3};
use std::sync::{Arc, Mutex};

/// Arrays of a mesh.
pub(super) struct MeshArrays {
    pub(super) vertices: Py<PyAny>,
    /// Faces of a surface: an array, or a pair of corners and offsets.
    pub(super) faces: Option<Py<PyAny>>,
    pub(super) cells: Option<Py<PyAny>>,
    pub(super) vertex_attributes: Py<PyDict>,
    pub(super) face_attributes: Py<PyDict>,
}

impl MeshArrays {
    /// Takes the memory of a mesh. What has another type in its origin is converted.
    pub(super) fn of(py: Python<'_>, mesh: AnyMesh, origin: &MeshOrigin) -> PyResult<MeshArrays> {
        let (positions, placement, extras, elements) = match mesh {
            AnyMesh::Surface(m) => {
                let count = m.faces.len();
                let corners = m.faces.into_flattened();
                let faces = corner_array(py, corners, vec![count, 3], &origin.corners)?;
                (m.positions, m.placement, m.extras, (Some(faces), None))
            }
            AnyMesh::Polygons(m) => {
                let faces = match m.faces {
                    Faces::Same(size) => {
                        let shape = vec![m.corners.len() / size as usize, size as usize];
                        corner_array(py, m.corners, shape, &origin.corners)?
                    }
                    Faces::Offsets(offsets) => {
                        let shapes = [vec![m.corners.len()], vec![offsets.len()]];
                        let [a, b] = shapes;
                        let corners = corner_array(py, m.corners, a, &origin.corners)?;
                        let offsets = corner_array(py, offsets, b, &origin.corners)?;
                        PyTuple::new(py, [corners, offsets])?.into_any().unbind()
                    }
                };
                (m.positions, m.placement, m.extras, (Some(faces), None))
            }
            AnyMesh::Volume(m) => {
                let count = m.cells.len();
                let corners = m.cells.into_flattened();
                let cells = corner_array(py, corners, vec![count, 4], &origin.corners)?;
                (m.positions, m.placement, m.extras, (None, Some(cells)))
            }
        };
        let [vertex_attributes, face_attributes] = attributes(py, extras, origin)?;
        let vertices = position_array(py, positions, &placement, &origin.positions)?;
        let (faces, cells) = elements;
        Ok(MeshArrays {
            vertices,
            faces,
            cells,
            vertex_attributes,
            face_attributes,
        })
    }

    /// Takes the arrays of a mesh on a GPU that came from there. They are read only if the mesh stays. Positions and
    /// corners that have 64 bits in their origin are converted there. A mesh that came back to the host is copied from
    /// main memory.
    pub(super) fn of_gpu(
        py: Python<'_>,
        mesh: rxmesh::Mesh,
        lock: Option<&Mutex<()>>,
        origin: &MeshOrigin,
    ) -> PyResult<MeshArrays> {
        let locks = lock.into_iter().collect();
        let arrays = run(py, locks, || mesh.engine_arrays())?;
        let arrays = arrays.map_err(|e| of_error(&e))?;
        let Some(arrays) = arrays else {
            let locks = lock.into_iter().collect();
            let host = run(py, locks, || mesh.into_inner())?;
            let host = host.map_err(|e| of_error(&e))?;
            return MeshArrays::of(py, AnyMesh::Surface(host), origin);
        };
        let engine = mesh.engine().clone();
        drop(mesh);
        let [vertices, faces] = arrays.counts();
        let (positions, corners) = (&origin.positions, &origin.corners);
        let (of_v, of_f) = (positions.element, corners.element);
        let made = run(py, Vec::new(), || -> Result<_, EngineError> {
            let made = [
                floats_as(arrays.positions, of_v, vec![vertices, 3])?,
                indices_as(arrays.faces, of_f, vec![faces, 3])?,
            ];
            engine.synchronize()?;
            Ok(made)
        })?;
        let [v, f] = made.map_err(|e| of_error(&HostError::from(e).into()))?;
        let (v, f) = (positions.export(py, v)?, corners.export(py, f)?);
        let (of_vertices, of_faces) = (PyDict::new(py), PyDict::new(py));
        for column in arrays.columns {
            let (rows, all) = match column.element {
                ElementKind::Vertex => (vertices, &of_vertices),
                _ => (faces, &of_faces),
            };
            let shape = match column.width {
                1 => vec![rows],
                width => vec![rows, width],
            };
            let memory = ArrayMemory::of_buffer(column.values, ElementType::F32, shape);
            let origin = positions.with(py, ElementType::F32);
            all.set_item(column.name, origin.export(py, memory)?)?;
        }
        Ok(MeshArrays {
            vertices: v,
            faces: Some(f),
            cells: None,
            vertex_attributes: of_vertices.unbind(),
            face_attributes: of_faces.unbind(),
        })
    }

    /// Shares the memory of a mesh that stays on its engine: arrays of numpy that are read only.
    pub(super) fn of_mesh(
        py: Python<'_>,
        mesh: &rxmesh::Mesh,
        lock: &Mutex<()>,
    ) -> PyResult<MeshArrays> {
        let host = run(py, vec![lock], || mesh.to_host())?;
        let host = host.map_err(|e| of_error(&e))?;
        let origin = MeshOrigin::numpy(&host.placement);
        let vertices = match host.placement.is_world() {
            true => {
                let shape = vec![host.vertex_count(), 3];
                let memory = ArrayMemory::of_mesh(mesh, &host.positions, ElementType::F32, shape);
                origin.positions.export(py, memory)?
            }
            false => position_array(
                py,
                host.positions.clone(),
                &host.placement,
                &origin.positions,
            )?,
        };
        let shape = vec![host.face_count(), 3];
        let memory = ArrayMemory::of_mesh(mesh, &host.faces, ElementType::I32, shape);
        let [vertex_attributes, face_attributes] = attributes(py, host.extras.clone(), &origin)?;
        Ok(MeshArrays {
            vertices,
            faces: Some(origin.corners.export(py, memory)?),
            cells: None,
            vertex_attributes,
            face_attributes,
        })
    }

    /// Copies the memory of a mesh of polygons or of a volume.
    pub(super) fn of_any(py: Python<'_>, mesh: &Arc<AnyMesh>) -> PyResult<MeshArrays> {
        let placement = match &**mesh {
            AnyMesh::Surface(m) => m.placement,
            AnyMesh::Polygons(m) => m.placement,
            AnyMesh::Volume(m) => m.placement,
        };
        let origin = MeshOrigin::numpy(&placement);
        MeshArrays::of(py, AnyMesh::clone(mesh), &origin)
    }

    /// Returns all attributes by name: of vertices, and of faces or cells with other names.
    pub(super) fn attributes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let all = self.face_attributes.bind(py).copy()?;
        all.update(self.vertex_attributes.bind(py).as_mapping())?;
        Ok(all)
    }
}

/// Takes a buffer of floats as an array of a type: of 64 bits by a conversion on the engine.
pub(super) fn floats_as<T: bytemuck::Pod + Send + Sync>(
    values: Arc<Buffer<T>>,
    element: ElementType,
    shape: Vec<usize>,
) -> Result<ArrayMemory, EngineError> {
    Ok(match element {
        ElementType::F64 => {
            ArrayMemory::of_buffer(Arc::new(widen_floats(&values)?), element, shape)
        }
        _ => ArrayMemory::of_buffer(values, ElementType::F32, shape),
    })
}

/// Works like [`floats_as`], for whole numbers.
pub(super) fn indices_as<T: bytemuck::Pod + Send + Sync>(
    values: Arc<Buffer<T>>,
    element: ElementType,
    shape: Vec<usize>,
) -> Result<ArrayMemory, EngineError> {
    Ok(match element {
        ElementType::I64 | ElementType::U64 => {
            ArrayMemory::of_buffer(Arc::new(widen_indices(&values)?), ElementType::I64, shape)
        }
        ElementType::U32 => ArrayMemory::of_buffer(values, element, shape),
        _ => ArrayMemory::of_buffer(values, ElementType::I32, shape),
    })
}

pub(super) fn position_array(
    py: Python<'_>,
    positions: Vec<Vec3>,
    placement: &Placement,
    origin: &ArrayOrigin,
) -> PyResult<Py<PyAny>> {
    let shape = vec![positions.len(), 3];
    let memory = match origin.element {
        ElementType::F64 => {
            let world: Vec<DVec3> = positions.iter().map(|p| placement.world(*p)).collect();
            ArrayMemory::of_vec(world, ElementType::F64, shape)
        }
        _ if placement.is_world() => ArrayMemory::of_vec(positions, ElementType::F32, shape),
        _ => {
            let world = positions.iter().map(|p| placement.world(*p).as_vec3());
            ArrayMemory::of_vec(world.collect::<Vec<Vec3>>(), ElementType::F32, shape)
        }
    };
    origin.export(py, memory)
}

pub(super) fn corner_array(
    py: Python<'_>,
    corners: Vec<u32>,
    shape: Vec<usize>,
    origin: &ArrayOrigin,
) -> PyResult<Py<PyAny>> {
    let memory = match origin.element {
        ElementType::I64 | ElementType::U64 => {
            let wide: Vec<i64> = corners.into_iter().map(i64::from).collect();
            ArrayMemory::of_vec(wide, ElementType::I64, shape)
        }
        ElementType::U32 => ArrayMemory::of_vec(corners, ElementType::U32, shape),
        // Vertices and corners beyond its range do not fit into any engine.
        _ => ArrayMemory::of_vec(corners, ElementType::I32, shape),
    };
    origin.export(py, memory)
}

/// Returns the columns of vertices, and those of faces or cells, as arrays.
fn attributes(py: Python<'_>, extras: Extras, origin: &MeshOrigin) -> PyResult<[Py<PyDict>; 2]> {
    let (of_vertices, of_faces) = (PyDict::new(py), PyDict::new(py));
    for column in extras.columns {
        let named =
            |c: &&(ElementKind, String, ElementType)| (c.0, &c.1) == (column.element, &column.name);
        let wanted = origin.columns.iter().find(named).map(|c| c.2);
        let all = match column.element {
            ElementKind::Vertex => &of_vertices,
            _ => &of_faces,
        };
        let name = column.name.clone();
        let memory = column_memory(column, wanted);
        let origin = origin.positions.with(py, memory.element);
        all.set_item(name, origin.export(py, memory)?)?;
    }
    Ok([of_vertices.unbind(), of_faces.unbind()])
}

fn column_memory(column: Column, wanted: Option<ElementType>) -> ArrayMemory {
    let rows = column.data.len() / column.width;
    let shape = match column.width {
        1 => vec![rows],
        width => vec![rows, width],
    };
    match column.data {
        ColumnData::I8(v) => ArrayMemory::of_vec(v, ElementType::I8, shape),
        ColumnData::U8(v) if wanted == Some(ElementType::Bool) => {
            ArrayMemory::of_vec(v, ElementType::Bool, shape)
        }
        ColumnData::U8(v) => ArrayMemory::of_vec(v, ElementType::U8, shape),
        ColumnData::I16(v) => ArrayMemory::of_vec(v, ElementType::I16, shape),
        ColumnData::U16(v) => ArrayMemory::of_vec(v, ElementType::U16, shape),
        ColumnData::I32(v) if wanted.is_some() => {
            let wide: Vec<i64> = v.into_iter().map(i64::from).collect();
            ArrayMemory::of_vec(wide, ElementType::I64, shape)
        }
        ColumnData::I32(v) => ArrayMemory::of_vec(v, ElementType::I32, shape),
        ColumnData::U32(v) => ArrayMemory::of_vec(v, ElementType::U32, shape),
        ColumnData::F32(v) => ArrayMemory::of_vec(v, ElementType::F32, shape),
        ColumnData::F64(v) => ArrayMemory::of_vec(v, ElementType::F64, shape),
    }
}
