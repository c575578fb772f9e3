//! NRRD, nearly raw raster data (teem.sourceforge.net/nrrd/format.html), versions 1 to 5: a header in text, then the
//! numbers, here or in another file.

mod data;
mod header;
mod write;

pub(super) use write::write;

use crate::grid::{self, Grid, reversed};
use crate::io::budget::Budget;
use crate::io::error::Fault;
use crate::mesh::{Column, ColumnData, ElementKind};
use data::numbers;
use glam::DVec3;
use header::{Axis, Centering, NrrdHeader};
use std::path::Path;

/// Word that every file begins with.
pub(super) const MAGIC: &[u8] = b"NRRD000";
/// Most values of an axis that may be those of a point, without words that say so.
const FEW: u64 = 4;
/// Name of a column that the file does not name.
const NAME: &str = "values";

/// Axis of the values of a point, among four axes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ValueAxis {
    None,
    First,
    Last,
}

/// Reads a file; `name` is its path, which that of a separate file of data is relative to. Returns the grid and
/// warnings.
pub(super) fn read(bytes: &[u8], name: &Path) -> Result<(Grid, Vec<String>), Fault> {
    let header = header::read(bytes)?;
    let at = header.sizes_at;
    let value_axis = value_axis(&header)?;
    let (axes, width) = match value_axis {
        ValueAxis::None => (&header.axes[..], 1),
        ValueAxis::First => (&header.axes[1..], header.axes[0].size),
        ValueAxis::Last => (&header.axes[..3], header.axes[3].size),
    };
    let [x, y, z] = axes else {
        return Err(Fault::text(at, "a grid has 3 axes"));
    };
    let count = |axis: &Axis| u32::try_from(axis.size).unwrap_or(u32::MAX);
    let counts = [count(x), count(y), count(z)];
    let of_grid = |e: grid::GridError| Fault::text(at, e.to_string());
    let points = grid::points(counts).map_err(of_grid)?;
    let many = || Fault::text(at, "too many numbers");
    let width = usize::try_from(width).ok().filter(|w| *w > 0);
    let width = width.ok_or_else(many)?;
    let all = points.checked_mul(width).ok_or_else(many)?;
    let placed = [
        place(&header, x, 0)?,
        place(&header, y, 1)?,
        place(&header, z, 2)?,
    ];
    let mut grid = Grid::new(
        counts,
        DVec3::from(placed.map(|p| p.0)),
        DVec3::from(placed.map(|p| p.1)),
    )
    .map_err(of_grid)?;
    let mut warnings = Vec::new();
    let mut budget = Budget::of(bytes.len());
    let numbers = numbers(bytes, &header, all, name, &mut budget, &mut warnings)?;
    let data = numbers.into_column().ok_or_else(|| {
        let what = "whole numbers of the file have more digits than 64-bit floats hold";
        Fault::text(header.data, what)
    })?;
    grid.columns.push(Column {
        name: header.content.unwrap_or_else(|| NAME.to_owned()),
        element: ElementKind::Vertex,
        width,
        data: match value_axis {
            // One value after the other for each point, where the file has one grid after the other.
            ValueAxis::Last => rows_of(data, points, width),
            _ => data,
        },
    });
    Ok((grid, warnings))
}

fn rows_of(data: ColumnData, points: usize, width: usize) -> ColumnData {
    match width {
        1 => data,
        width => reversed(&data, [points, width, 1]),
    }
}

/// Finds the axis that has the values of a point.
fn value_axis(header: &NrrdHeader) -> Result<ValueAxis, Fault> {
    let at = header.sizes_at;
    let sizes: Vec<String> = header
        .axes
        .iter()
        .take(8)
        .map(|a| a.size.to_string())
        .collect();
    let sizes = sizes.join(" ");
    match &header.axes[..] {
        [x, y, z] => match [x, y, z].iter().position(|axis| axis.is_value) {
            None => Ok(ValueAxis::None),
            Some(k) => Err(Fault::text(
                at,
                format!(
                    "axis {k} (counted from 0) of 3 has the values of a point: a grid has 3 other ones"
                ),
            )),
        },
        [first, _, _, last] => match (first.is_value, last.is_value) {
            (true, false) => Ok(ValueAxis::First),
            (false, true) => Ok(ValueAxis::Last),
            _ if first.size <= FEW => Ok(ValueAxis::First),
            _ if last.size <= FEW => Ok(ValueAxis::Last),
            _ => Err(Fault::text(
                at,
                format!(
                    "there are 4 axes, of {sizes} values: the first or the last one must have at most {FEW} values, \
                        or a kind such as vector"
                ),
            )),
        },
        axes => Err(Fault::text(
            at,
            format!(
                "there are {} axes, of {sizes} values: a grid has 3, or 4 with one for the values of a point",
                axes.len()
            ),
        )),
    }
}

/// Returns the place of the first point along an axis, and the distance to the next one.
fn place(header: &NrrdHeader, axis: &Axis, k: usize) -> Result<(f64, f64), Fault> {
    let wrong = |what: String| Err(Fault::text(header.sizes_at, what));
    let cell = axis.centering == Centering::Cell;
    let between = if cell {
        axis.size
    } else {
        axis.size.saturating_sub(1)
    };
    let ends = axis.low.zip(axis.high).filter(|_| between > 0);
    let spacing = match (axis.direction, axis.spacing, ends) {
        (Some(direction), _, _) => {
            let others = (0..3).filter(|&other| other != k);
            let along = direction[k] > 0.0 && others.clone().all(|other| direction[other] == 0.0);
            if !along {
                return wrong(format!(
                    "the space direction of axis {k} (counted from 0) is {direction:?}: only directions along the \
                        axes x, y and z, in this order and positive, are read"
                ));
            }
            direction[k]
        }
        (None, Some(spacing), _) => spacing,
        (None, None, Some((low, high))) => (high - low) / between as f64,
        (None, None, None) => 1.0,
    };
    let first = match (header.origin, axis.low) {
        (Some(origin), _) => origin[k],
        (None, Some(low)) if cell => low + 0.5 * spacing,
        (None, low) => low.unwrap_or(0.0),
    };
    Ok((first, spacing))
}
