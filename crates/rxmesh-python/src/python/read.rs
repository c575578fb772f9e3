//! Meshes of arrays.

use super::arrays::{
    AnyArray, ArrayOrigin, ArrayView, grouped, look, view, wrong_index, wrong_type, wrong_value,
};
use super::element::ElementType;
use super::errors::wrong_corner;
use super::gpu::{self, GpuArray};
use super::work::run;
use crate::forms::CallMesh;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyMapping, PyTuple};
use rxmesh::host::mesh::{
    Column, ColumnData, ElementKind, Extras, Faces, MeshError, Placement, PolyMesh, TetMesh,
    round_points,
};
use rxmesh::on::AnyMesh;
use rxmesh::{DVec3, TriMesh, Vec3};

/// Libraries and types that results of a mesh go back to.
pub(super) struct MeshOrigin {
    pub(super) positions: ArrayOrigin,
    pub(super) corners: ArrayOrigin,
    /// Attributes that had other types than columns: their names, kinds of element and types.
    pub(super) columns: Vec<(ElementKind, String, ElementType)>,
}

impl MeshOrigin {
    /// Returns the same origin.
    pub(super) fn copy(&self, py: Python<'_>) -> MeshOrigin {
        let same = |origin: &ArrayOrigin| origin.with(py, origin.element);
        MeshOrigin {
            positions: same(&self.positions),
            corners: same(&self.corners),
            columns: self.columns.clone(),
        }
    }

    /// Returns `true` if results go to a GPU.
    pub(super) fn is_on_gpu(&self) -> bool {
        self.positions.gpu.is_some()
    }

    /// Arrays of numpy: positions with 32 bits, or 64 if the mesh lies far from the origin.
    pub(super) fn numpy(placement: &Placement) -> MeshOrigin {
        let positions = match placement.is_world() {
            true => ElementType::F32,
            false => ElementType::F64,
        };
        MeshOrigin {
            positions: ArrayOrigin::numpy(positions),
            corners: ArrayOrigin::numpy(ElementType::I32),
            columns: Vec::new(),
        }
    }
}

/// Arrays that make a mesh.
#[derive(Default)]
pub(super) struct MeshArguments<'py> {
    pub(super) v: Option<Bound<'py, PyAny>>,
    pub(super) f: Option<Bound<'py, PyAny>>,
    pub(super) cells: Option<Bound<'py, PyAny>>,
    pub(super) attributes: Option<Bound<'py, PyAny>>,
    pub(super) vertex_attributes: Option<Bound<'py, PyAny>>,
    pub(super) face_attributes: Option<Bound<'py, PyAny>>,
    /// `true` if arrays on a GPU are copied to main memory, because the work is not for that GPU.
    pub(super) goes_to_host: bool,
}

/// Corners of faces.
pub(super) enum Corners {
    Same(usize, Vec<u32>),
    Offsets(Vec<u32>, Vec<u32>),
}

impl MeshArguments<'_> {
    /// Makes the mesh of the arrays. Positions and triangles on a GPU stay there if their types allow it, and nothing
    /// else is given.
    pub(super) fn mesh(&self) -> PyResult<(CallMesh, MeshOrigin)> {
        let v = self.v.as_ref();
        let v = v.ok_or_else(|| wrong_type("v", "the positions are needed"))?;
        let v = look("v", v, Some("float64"))?;
        if let (AnyArray::Gpu(v), false) = (&v, self.goes_to_host)
            && let Some(made) = self.on_gpu(v)?
        {
            return Ok(made);
        }
        let gpu = v.gpu();
        let v = v.into_host("v")?;
        let points = Points::of("v", &v)?;
        let count = points.len();
        let (corners, origin) = match (&self.f, &self.cells) {
            (Some(_), Some(_)) => {
                return Err(wrong_type("cells", "faces are given already"));
            }
            (Some(f), None) => {
                on_one_device("f", f, gpu)?;
                faces("f", f, count)?
            }
            (None, Some(cells)) => {
                on_one_device("cells", cells, gpu)?;
                let read = view("cells", cells, Some("int64"))?;
                if read.shape.len() != 2 || read.shape[1] != 4 {
                    let what = format!("shape (m, 4) is needed, not {}", read.shape_text());
                    return Err(wrong_value("cells", what));
                }
                (
                    Corners::Same(4, indices("cells", &read, count)?),
                    read.origin,
                )
            }
            (None, None) => return Err(wrong_type("f", "the faces are needed")),
        };
        let is_volume = self.cells.is_some();
        let placed = run(v.py(), Vec::new(), || points.placed(&corners));
        let (positions, placement) = placed?;
        let mut mesh = made(positions, placement, corners, is_volume);
        let origin = MeshOrigin {
            positions: v.origin,
            corners: origin,
            columns: self.add_attributes(&mut mesh)?,
        };
        Ok((CallMesh::Memory(mesh), origin))
    }

    /// Makes a mesh of positions and triangles that are on a GPU; `None` if main memory is needed for it.
    fn on_gpu(&self, v: &GpuArray<'_>) -> PyResult<Option<(CallMesh, MeshOrigin)>> {
        let more = [
            &self.cells,
            &self.attributes,
            &self.vertex_attributes,
            &self.face_attributes,
        ];
        let is_pair = |f: &&Bound<'_, PyAny>| f.is_instance_of::<PyTuple>();
        let Some(f) = self.f.as_ref().filter(|f| !is_pair(f)) else {
            return Ok(None);
        };
        if more.iter().any(|given| given.is_some()) {
            return Ok(None);
        }
        on_one_device("f", f, Some(v.gpu()))?;
        let AnyArray::Gpu(f) = look("f", f, None)? else {
            return Ok(None);
        };
        let Some(mesh) = v.mesh(&f)? else {
            return Ok(None);
        };
        let (py, positions) = (v.owner().py(), v.origin_ref());
        let origin = MeshOrigin {
            positions: positions.with(py, positions.element),
            corners: f.origin(),
            columns: Vec::new(),
        };
        Ok(Some((CallMesh::Resident(mesh), origin)))
    }

    /// Adds the attributes. Returns the types of those that columns do not have.
    fn add_attributes(
        &self,
        mesh: &mut AnyMesh,
    ) -> PyResult<Vec<(ElementKind, String, ElementType)>> {
        let (vertices, elements, kind) = match mesh {
            AnyMesh::Surface(m) => (m.vertex_count(), m.face_count(), ElementKind::Face),
            AnyMesh::Polygons(m) => (m.vertex_count(), m.face_count(), ElementKind::Face),
            AnyMesh::Volume(m) => (m.vertex_count(), m.cell_count(), ElementKind::Cell),
        };
        let extras = match mesh {
            AnyMesh::Surface(m) => &mut m.extras,
            AnyMesh::Polygons(m) => &mut m.extras,
            AnyMesh::Volume(m) => &mut m.extras,
        };
        let mut others = Vec::new();
        let of_rows = |name: &str, rows: usize| match (rows == vertices, rows == elements) {
            (true, true) => Err(wrong_value(
                name,
                format!(
                    "there are {rows} vertices and as many {kind}s: vertex_attributes or face_attributes says which"
                ),
            )),
            (true, false) => Ok(ElementKind::Vertex),
            (false, true) => Ok(kind),
            _ => Err(wrong_value(
                name,
                format!("{rows} rows, but there are {vertices} vertices and {elements} {kind}s"),
            )),
        };
        for (given, element) in [
            (&self.attributes, None),
            (
                &self.vertex_attributes,
                Some((ElementKind::Vertex, vertices)),
            ),
            (&self.face_attributes, Some((kind, elements))),
        ] {
            let Some(given) = given else { continue };
            let mapping = given.cast::<PyMapping>();
            let mapping = mapping.map_err(|_| wrong_type("attributes", "a dict is needed"))?;
            for item in mapping.items()?.iter() {
                let (key, array): (String, Bound<'_, PyAny>) = item.extract()?;
                let name = format!("attributes[{key:?}]");
                let array = view(&name, &array, None)?;
                let rows = array.shape.first().copied().unwrap_or(0);
                let element = match element {
                    None => of_rows(&name, rows)?,
                    Some((element, count)) if rows == count => element,
                    Some((element, count)) => {
                        let what = format!("{rows} rows, but there are {count} of a {element}");
                        return Err(wrong_value(&name, what));
                    }
                };
                add(extras, (&name, key, element), &array, &mut others)?;
            }
        }
        Ok(others)
    }
}

/// Refuses an array on another device than the positions.
fn on_one_device(name: &str, array: &Bound<'_, PyAny>, gpu: Option<u32>) -> PyResult<()> {
    let device = |gpu: Option<u32>| match gpu {
        Some(number) => format!("on GPU {number}"),
        None => "in main memory".to_owned(),
    };
    let here = match gpu::is_on_gpu(array)? {
        false => None,
        // An interface without a device says it later.
        true => match gpu::device_of(array)? {
            Some((_, number)) => u32::try_from(number).ok(),
            None => gpu,
        },
    };
    if here == gpu {
        return Ok(());
    }
    let what = format!("the array is {}, and `v` is {}", device(here), device(gpu));
    Err(wrong_value(name, what))
}

/// Adds an attribute to a mesh.
fn add(
    extras: &mut Extras,
    (name, key, element): (&str, String, ElementKind),
    array: &ArrayView<'_>,
    others: &mut Vec<(ElementKind, String, ElementType)>,
) -> PyResult<()> {
    let width = match array.shape[..] {
        [_] => 1,
        [_, width] if width > 0 => width,
        _ => {
            let what = format!("shape (n,) or (n, k) is needed, not {}", array.shape_text());
            return Err(wrong_value(name, what));
        }
    };
    let whole = |values: Vec<i64>| -> PyResult<ColumnData> {
        let narrow: Result<Vec<i32>, _> = values.iter().map(|&x| i32::try_from(x)).collect();
        let large = |_| wrong_value(name, "whole numbers of more than 32 bits are not supported");
        narrow.map(ColumnData::I32).map_err(large)
    };
    let data = match array.element {
        ElementType::Bool => ColumnData::U8(array.values()),
        ElementType::I8 => ColumnData::I8(array.values()),
        ElementType::I16 => ColumnData::I16(array.values()),
        ElementType::I32 => ColumnData::I32(array.values()),
        ElementType::I64 => whole(array.values())?,
        ElementType::U8 => ColumnData::U8(array.values()),
        ElementType::U16 => ColumnData::U16(array.values()),
        ElementType::U32 => ColumnData::U32(array.values()),
        ElementType::U64 => whole(array.read(|x: u64| i64::try_from(x).unwrap_or(i64::MAX)))?,
        ElementType::F32 => ColumnData::F32(array.values()),
        ElementType::F64 => ColumnData::F64(array.values()),
    };
    if matches!(
        array.element,
        ElementType::Bool | ElementType::I64 | ElementType::U64
    ) {
        others.push((element, key.clone(), array.element));
    }
    if extras.column(element, &key).is_some() {
        return Err(wrong_value(name, "the attribute is given twice"));
    }
    extras.columns.push(Column {
        name: key,
        element,
        width,
        data,
    });
    Ok(())
}

/// Positions as they came.
pub(super) enum Points {
    Single(Vec<Vec3>),
    Double(Vec<DVec3>),
}

impl Points {
    pub(super) fn of(name: &str, v: &ArrayView<'_>) -> PyResult<Points> {
        if v.shape.len() != 2 || v.shape[1] != 3 {
            let what = format!("shape (n, 3) is needed, not {}", v.shape_text());
            return Err(wrong_value(name, what));
        }
        match v.element {
            // Conversions of elements of one size keep the memory.
            ElementType::F32 => {
                let rows = grouped::<f32, 3>(v.values()).into_iter();
                Ok(Points::Single(rows.map(Vec3::from_array).collect()))
            }
            ElementType::F64 => {
                let rows = grouped::<f64, 3>(v.values()).into_iter();
                let points: Vec<DVec3> = rows.map(DVec3::from_array).collect();
                // Without a finite point there is no frame to round in.
                if let Some(first) = points.first()
                    && !points.iter().any(|p| p.is_finite())
                {
                    let what =
                        format!("vertex 0 (counted from 0) lies at {first}, which is not finite");
                    return Err(wrong_value(name, what));
                }
                Ok(Points::Double(points))
            }
            other => {
                let what = format!("float32 or float64 is needed, not {}", other.name());
                Err(wrong_type(name, what))
            }
        }
    }

    fn len(&self) -> usize {
        match self {
            Points::Single(points) => points.len(),
            Points::Double(points) => points.len(),
        }
    }

    /// Returns positions with 32 bits in a frame.
    pub(super) fn placed(self, corners: &Corners) -> (Vec<Vec3>, Placement) {
        let (Corners::Same(_, corners) | Corners::Offsets(corners, _)) = corners;
        match self {
            Points::Single(positions) => (positions, Placement::default()),
            Points::Double(points) => round_points(&points, corners),
        }
    }
}

/// Reads faces: an array with a row for each, or a pair of all corners and of the first corner of each face.
pub(super) fn faces(
    name: &str,
    f: &Bound<'_, PyAny>,
    vertices: usize,
) -> PyResult<(Corners, ArrayOrigin)> {
    if let Ok(pair) = f.cast::<PyTuple>()
        && pair.len() == 2
        && !pair.get_item(0)?.is_instance_of::<PyTuple>()
    {
        let corners = view(name, &pair.get_item(0)?, Some("int64"))?;
        let offsets = view(name, &pair.get_item(1)?, Some("int64"))?;
        if corners.shape.len() != 1 || offsets.shape.len() != 1 {
            return Err(wrong_value(
                name,
                "a pair of arrays with one dimension is needed",
            ));
        }
        let read = indices(name, &corners, vertices)?;
        let starts = indices(name, &offsets, read.len() + 1)?;
        let ascending = starts.windows(2).all(|w| w[0] <= w[1]);
        if starts.first() != Some(&0) || starts.last() != Some(&(read.len() as u32)) || !ascending {
            let what = "the offsets must ascend from 0 to the number of corners";
            return Err(wrong_value(name, what));
        }
        return Ok((Corners::Offsets(read, starts), corners.origin));
    }
    let read = view(name, f, Some("int64"))?;
    if read.shape.len() != 2 || read.shape[1] < 3 {
        let what = format!("shape (m, 3) is needed, not {}", read.shape_text());
        return Err(wrong_value(name, what));
    }
    let corners = indices(name, &read, vertices)?;
    Ok((Corners::Same(read.shape[1], corners), read.origin))
}

/// Reads whole numbers below a limit.
pub(super) fn indices(name: &str, array: &ArrayView<'_>, limit: usize) -> PyResult<Vec<u32>> {
    let mut bad = None;
    let values: Vec<u32> = match array.element {
        ElementType::I32 => array
            .values::<i32>()
            .into_iter()
            .map(i32::cast_unsigned)
            .collect(),
        ElementType::U32 => array.values(),
        ElementType::I64 => array.read(|x: i64| u32::try_from(x).unwrap_or(u32::MAX)),
        ElementType::U64 => array.read(|x: u64| u32::try_from(x).unwrap_or(u32::MAX)),
        ElementType::I16 => array.read(|x: i16| i32::from(x).cast_unsigned()),
        ElementType::U16 => array.read(u32::from as fn(u16) -> u32),
        ElementType::I8 => array.read(|x: i8| i32::from(x).cast_unsigned()),
        ElementType::U8 => array.read(u32::from as fn(u8) -> u32),
        other => {
            let what = format!("int32, int64 or uint32 is needed, not {}", other.name());
            return Err(wrong_type(name, what));
        }
    };
    for (i, &x) in values.iter().enumerate() {
        if x as usize >= limit {
            bad = Some(i);
            break;
        }
    }
    let Some(at) = bad else {
        return Ok(values);
    };
    let width = array.shape.get(1).copied().unwrap_or(1).max(1);
    let value = match array.element {
        ElementType::I64 => array.read(|x: i64| i128::from(x))[at],
        ElementType::U64 => array.read(|x: u64| i128::from(x))[at],
        ElementType::I8 | ElementType::I16 | ElementType::I32 => {
            i128::from(values[at].cast_signed())
        }
        _ => i128::from(values[at]),
    };
    Err(wrong_index(name, at / width, value, limit))
}

fn made(positions: Vec<Vec3>, placement: Placement, corners: Corners, is_volume: bool) -> AnyMesh {
    match corners {
        Corners::Same(4, corners) if is_volume => AnyMesh::Volume(TetMesh {
            positions,
            cells: grouped(corners),
            extras: Extras::default(),
            placement,
        }),
        Corners::Same(3, corners) => AnyMesh::Surface(TriMesh {
            positions,
            faces: grouped(corners),
            extras: Extras::default(),
            placement,
        }),
        Corners::Same(size, corners) => AnyMesh::Polygons(PolyMesh {
            positions,
            faces: Faces::Same(size as u32),
            corners,
            placement,
            ..PolyMesh::default()
        }),
        Corners::Offsets(corners, offsets) => AnyMesh::Polygons(PolyMesh {
            positions,
            faces: Faces::Offsets(offsets),
            corners,
            placement,
            ..PolyMesh::default()
        }),
    }
}

/// Returns the error of a mesh, with the argument that it is in.
pub(super) fn mesh_error(e: &MeshError) -> PyErr {
    if let MeshError::IndexOutOfRange {
        face,
        index,
        vertices,
    } = e
    {
        return wrong_corner("f", *face, *index, *vertices);
    }
    let name = match e {
        MeshError::NotFinite { .. } => "v",
        MeshError::RepeatedVertex { .. } | MeshError::NoSurface { .. } => "f",
        MeshError::CellIndexOutOfRange { .. } => "cells",
        MeshError::ColumnLength { .. } | MeshError::ColumnName { .. } => "attributes",
        _ => return pyo3::exceptions::PyValueError::new_err(e.to_string()),
    };
    wrong_value(name, e)
}

/// Takes a keyword argument out of a dict; `None` counts as not given.
pub(super) fn take<'py>(
    named: Option<&Bound<'py, PyDict>>,
    name: &str,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let Some(named) = named else { return Ok(None) };
    let value = named.get_item(name)?;
    if value.is_some() {
        named.del_item(name)?;
    }
    Ok(value.filter(|value| !value.is_none()))
}
