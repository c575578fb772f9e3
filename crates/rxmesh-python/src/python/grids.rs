//! Grids of arrays.

use super::arrays::{ArrayOrigin, ArrayView, look, wrong_type, wrong_value};
use super::element::ElementType;
use super::errors::of_error;
use super::read::MeshOrigin;
use pyo3::prelude::*;
use rxmesh::DVec3;
use rxmesh::host::grid::Grid;
use rxmesh::host::mesh::{Column, ColumnData, ElementKind};

/// Name of the values of an array.
const VALUES: &str = "values";

/// Makes a grid of an array `[x, y, z]`, the place of its first point and the distance of points.
pub(super) fn grid<'py>(
    values: &Bound<'py, PyAny>,
    origin: Option<&Bound<'py, PyAny>>,
    spacing: Option<&Bound<'py, PyAny>>,
) -> PyResult<(Grid, MeshOrigin)> {
    let view = look(VALUES, values, Some("float32"))?.into_host(VALUES)?;
    let [nx, ny, nz] = view.shape[..] else {
        let what = format!("shape (x, y, z) is needed, not {}", view.shape_text());
        return Err(wrong_value(VALUES, what));
    };
    let count = |n: usize| {
        u32::try_from(n).map_err(|_| wrong_value(VALUES, "there are more points than 32 bits count"))
    };
    let counts = [count(nx)?, count(ny)?, count(nz)?];
    let origin = origin.map_or(Ok(DVec3::ZERO), |given| vector("origin", given))?;
    let spacing = spacing.map_or(Ok(DVec3::ONE), |given| vector("spacing", given))?;
    let wrong = |e: rxmesh::host::grid::GridError| of_error(&e.into());
    let mut grid = Grid::new(counts, origin, spacing).map_err(wrong)?;
    // The values of an array lie z fastest, those of a grid x fastest.
    let given = singles(&view);
    let mut data = Vec::with_capacity(given.len());
    for z in 0..nz {
        for y in 0..ny {
            data.extend((0..nx).map(|x| given[(x * ny + y) * nz + z]));
        }
    }
    let column = Column {
        name: VALUES.to_owned(),
        element: ElementKind::Vertex,
        width: 1,
        data: ColumnData::F32(data),
    };
    grid.add_column(column).map_err(wrong)?;
    let py = view.py();
    let positions = match view.element {
        ElementType::F64 => ElementType::F64,
        _ => ElementType::F32,
    };
    let of = |element: ElementType| -> ArrayOrigin { view.origin.with(py, element) };
    let origin = MeshOrigin {
        positions: of(positions),
        corners: of(ElementType::I32),
        columns: Vec::new(),
    };
    Ok((grid, origin))
}

/// Returns the values of an array, row by row.
fn singles(view: &ArrayView<'_>) -> Vec<f32> {
    use ElementType::{Bool, F32, F64, I8, I16, I32, I64, U8, U16, U32, U64};
    match view.element {
        Bool | U8 => view.read(|x: u8| f32::from(x)),
        I8 => view.read(|x: i8| f32::from(x)),
        U16 => view.read(|x: u16| f32::from(x)),
        I16 => view.read(|x: i16| f32::from(x)),
        U32 => view.read(|x: u32| x as f32),
        I32 => view.read(|x: i32| x as f32),
        U64 => view.read(|x: u64| x as f32),
        I64 => view.read(|x: i64| x as f32),
        F32 => view.values::<f32>(),
        F64 => view.read(|x: f64| x as f32),
    }
}

/// Returns three numbers; one number stands for three that are equal.
fn vector(name: &str, given: &Bound<'_, PyAny>) -> PyResult<DVec3> {
    if let Ok(number) = given.extract::<f64>() {
        return Ok(DVec3::splat(number));
    }
    let numbers: Option<Vec<f64>> = given.extract().ok();
    match numbers.as_deref() {
        Some(&[x, y, z]) => Ok(DVec3::new(x, y, z)),
        _ => Err(wrong_type(name, "a number or three numbers are needed")),
    }
}
