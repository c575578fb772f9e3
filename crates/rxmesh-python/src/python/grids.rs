//! Grids of arrays.

use super::arrays::{AnyArray, ArrayOrigin, ArrayView, look, shape_text, wrong_type, wrong_value};
use super::element::ElementType;
use super::read::MeshOrigin;
use pyo3::prelude::*;
use rxmesh::DVec3;
use rxmesh::on::{ArrayValues, GridArray};

/// Name of the values of an array.
const VALUES: &str = "values";

/// Makes a grid of an array `[x, y, z]`, the place of its first point and the distance of points. An array on a GPU
/// stays there, unless it goes to main memory for another engine.
pub(super) fn grid<'py>(
    values: &Bound<'py, PyAny>,
    [origin, spacing]: [Option<&Bound<'py, PyAny>>; 2],
    goes_to_host: bool,
) -> PyResult<(GridArray, MeshOrigin)> {
    let py = values.py();
    let array = look(VALUES, values, Some("float32"))?;
    let [nx, ny, nz] = array.shape()[..] else {
        let what = format!(
            "shape (x, y, z) is needed, not {}",
            shape_text(array.shape())
        );
        return Err(wrong_value(VALUES, what));
    };
    let count = |n: usize| {
        let what = "there are more points than 32 bits count";
        u32::try_from(n).map_err(|_| wrong_value(VALUES, what))
    };
    let counts = [count(nx)?, count(ny)?, count(nz)?];
    let element = match array.element() {
        ElementType::F64 => ElementType::F64,
        _ => ElementType::F32,
    };
    let (values, from) = match array {
        AnyArray::Gpu(gpu) if !goes_to_host => match gpu.singles(VALUES)? {
            Some(values) => (ArrayValues::Engine(values), gpu.origin()),
            None => on_host(AnyArray::Gpu(gpu))?,
        },
        array => on_host(array)?,
    };
    let grid = GridArray {
        counts,
        origin: origin.map_or(Ok(DVec3::ZERO), |given| vector("origin", given))?,
        spacing: spacing.map_or(Ok(DVec3::ONE), |given| vector("spacing", given))?,
        values,
    };
    let origin = MeshOrigin {
        positions: from.with(py, element),
        corners: from.with(py, ElementType::I32),
        columns: Vec::new(),
    };
    Ok((grid, origin))
}

/// Copies an array to main memory.
fn on_host(array: AnyArray<'_>) -> PyResult<(ArrayValues, ArrayOrigin)> {
    let view = array.into_host(VALUES)?;
    Ok((ArrayValues::Memory(singles(&view)), view.origin))
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
