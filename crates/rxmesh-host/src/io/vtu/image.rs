//! Reading VTI: images, which are regular grids of points.

use super::super::budget::Budget;
use super::super::error::Fault;
use super::super::names;
use super::super::scan::quote;
use super::super::unique_names::UniqueNames;
use super::data::numbers;
use super::tags::{Array, Attributes, Section, VtuFile, Wanted, tags};
use crate::grid::{self, Grid};
use crate::mesh::{Column, ColumnData, ElementKind};
use glam::DVec3;
use std::collections::HashMap;

/// Points of an image, by their numbers along each axis: the first, and the number of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    first: [i64; 3],
    counts: [u32; 3],
}

/// Places of the points of an image.
#[derive(Debug, Clone, Copy)]
pub(super) struct ImageTag {
    extent: Extent,
    origin: DVec3,
    spacing: DVec3,
    /// Offset of the tag.
    at: usize,
}

impl Extent {
    /// Reads the attribute that has the first and the last number along each axis, if it is there.
    pub(super) fn of(attributes: &Attributes, name: &str) -> Result<Option<Extent>, Fault> {
        let Some(text) = attributes.get(name) else {
            return Ok(None);
        };
        let wrong = |what: &str| {
            let what = format!("'{name}' is {}, and {what}", quote(text.as_bytes()));
            Fault::text(attributes.at, what)
        };
        let words = text.split_ascii_whitespace().map(|w| w.parse::<i32>());
        let numbers: Result<Vec<i32>, _> = words.collect();
        let Ok([x0, x1, y0, y1, z0, z1]) = numbers.as_deref() else {
            return Err(wrong("must be six whole numbers"));
        };
        let count = |low: i32, high: i32| {
            let points = i64::from(high) - i64::from(low) + 1;
            u32::try_from(points.max(0)).unwrap_or(u32::MAX)
        };
        Ok(Some(Extent {
            first: [*x0, *y0, *z0].map(i64::from),
            counts: [count(*x0, *x1), count(*y0, *y1), count(*z0, *z1)],
        }))
    }

    /// Returns the cells between the points. An axis with one point has one cell.
    fn cells(self) -> Extent {
        let counts = self.counts.map(|n| if n > 1 { n - 1 } else { n });
        Extent { counts, ..self }
    }

    fn is_empty(&self) -> bool {
        self.counts.contains(&0)
    }

    /// Returns `true` if another one lies inside.
    fn has(&self, other: &Extent) -> bool {
        (0..3).all(|axis| {
            let end = |e: &Extent| e.first[axis] + i64::from(e.counts[axis]);
            self.first[axis] <= other.first[axis] && end(other) <= end(self)
        })
    }
}

impl ImageTag {
    pub(super) fn of(attributes: &Attributes) -> Result<ImageTag, Fault> {
        let at = attributes.at;
        let missing = || Fault::text(at, "an image without 'WholeExtent'");
        let extent = Extent::of(attributes, "WholeExtent")?.ok_or_else(missing)?;
        let direction = numbers_of(
            attributes,
            "Direction",
            [1., 0., 0., 0., 1., 0., 0., 0., 1.],
        )?;
        let identity = |k: usize| if k.is_multiple_of(4) { 1.0 } else { 0.0 };
        if (0..9).any(|k| direction[k] != identity(k)) {
            let given = quote(attributes.get("Direction").unwrap_or_default().as_bytes());
            let what = format!(
                "'Direction' is {given}: only grids along the axes, '1 0 0 0 1 0 0 0 1', are read"
            );
            return Err(Fault::text(at, what));
        }
        Ok(ImageTag {
            extent,
            origin: DVec3::from(numbers_of(attributes, "Origin", [0.0; 3])?),
            spacing: DVec3::from(numbers_of(attributes, "Spacing", [1.0; 3])?),
            at,
        })
    }
}

/// Reads an attribute of several numbers.
fn numbers_of<const N: usize>(
    attributes: &Attributes,
    name: &str,
    missing: [f64; N],
) -> Result<[f64; N], Fault> {
    let Some(text) = attributes.get(name) else {
        return Ok(missing);
    };
    let words = text.split_ascii_whitespace().map(|w| w.parse::<f64>());
    let numbers: Result<Vec<f64>, _> = words.collect();
    let numbers = numbers.ok().and_then(|n| <[f64; N]>::try_from(n).ok());
    numbers.ok_or_else(|| {
        let what = format!(
            "'{name}' must be {N} numbers, and is {}",
            quote(text.as_bytes())
        );
        Fault::text(attributes.at, what)
    })
}

/// A piece of an image that has values.
struct ImagePiece<'a> {
    extent: Extent,
    arrays: Vec<&'a Array>,
}

/// Reads a file. Returns the grid and warnings.
pub(in super::super) fn read(bytes: &[u8]) -> Result<(Grid, Vec<String>), Fault> {
    let file = tags(bytes, Wanted::Images)?;
    if memchr::memmem::rfind(bytes, b"</VTKFile").is_none() {
        let what = "the file ends before </VTKFile>: it is cut off";
        return Err(Fault::text(bytes.len(), what));
    }
    let mut warnings = Vec::new();
    if file.field_data {
        warnings.push("arrays of the whole data set are not kept".to_owned());
    }
    let tag = file
        .image
        .ok_or_else(|| Fault::file("there is no <ImageData>"))?;
    let section = section(&file, &mut warnings);
    let cells = section == Section::CellData;
    let of = |extent: Extent| if cells { extent.cells() } else { extent };
    let whole = of(tag.extent);
    let half = |axis: usize| {
        if cells && tag.extent.counts[axis] > 1 {
            0.5
        } else {
            0.0
        }
    };
    let first = |axis: usize| whole.first[axis] as f64 + half(axis);
    let mut grid = Grid {
        counts: whole.counts,
        origin: tag.origin + tag.spacing * DVec3::from([0, 1, 2].map(first)),
        spacing: tag.spacing,
        columns: Vec::new(),
    };
    grid.validate()
        .map_err(|e| Fault::text(tag.at, e.to_string()))?;
    let mut pieces = Vec::new();
    for piece in &file.pieces {
        let extent = of(piece.extent.unwrap_or(tag.extent));
        if extent.is_empty() {
            continue;
        }
        if !whole.has(&extent) {
            let what = "a piece has points that are not in 'WholeExtent'";
            return Err(Fault::text(tag.at, what));
        }
        let arrays = piece.arrays.iter().filter(|(s, _)| *s == section);
        pieces.push(ImagePiece {
            extent,
            arrays: arrays.map(|(_, array)| array).collect(),
        });
        warnings.extend(piece.strings.iter().map(|name| {
            let name = names::shown(name);
            format!("array '{name}' holds strings or bits and is not kept")
        }));
    }
    let mut budget = Budget::of(bytes.len());
    let rows = rows(&whole, &pieces, &mut budget).map_err(|what| Fault::text(tag.at, what))?;
    grid.columns = columns(
        bytes,
        &file,
        &pieces,
        rows.as_deref(),
        budget,
        &mut warnings,
    )?;
    let shown = file
        .pieces
        .first()
        .and_then(|p| p.scalars[usize::from(cells)].as_ref());
    if let Some(at) = grid.columns.iter().position(|c| Some(&c.name) == shown) {
        grid.columns[..=at].rotate_right(1);
    }
    grid.validate().map_err(|e| Fault::file(e.to_string()))?;
    Ok((grid, warnings))
}

/// Returns the section whose values are read: those of points, if there are any.
fn section(file: &VtuFile, warnings: &mut Vec<String>) -> Section {
    let has = |section| {
        let mut arrays = file.pieces.iter().flat_map(|p| &p.arrays);
        arrays.any(|(s, array)| *s == section && array.name != "vtkGhostType")
    };
    match (has(Section::PointData), has(Section::CellData)) {
        (false, true) => {
            let what = "the values are those of cells: the points of the grid are the centres of the cells";
            warnings.push(what.to_owned());
            Section::CellData
        }
        (true, true) => {
            warnings.push("values of cells are not kept, only those of points".to_owned());
            Section::PointData
        }
        _ => Section::PointData,
    }
}

/// Returns the row of each point of the whole grid among those of all pieces, one piece after the other; nothing if
/// there is one piece with all points.
fn rows(
    whole: &Extent,
    pieces: &[ImagePiece<'_>],
    budget: &mut Budget,
) -> Result<Option<Vec<u32>>, String> {
    if matches!(pieces, [piece] if piece.extent == *whole) {
        return Ok(None);
    }
    let points = grid::points(whole.counts).map_err(|e| e.to_string())?;
    let mut all = 0usize;
    for piece in pieces {
        let n = grid::points(piece.extent.counts).map_err(|e| e.to_string())?;
        all = all.saturating_add(n);
    }
    if all >= u32::MAX as usize {
        return Err(format!("{all} points of the pieces are too many"));
    }
    let missing = |n: usize| format!("the pieces have {n} of the {points} points of 'WholeExtent'");
    if all < points {
        return Err(missing(all));
    }
    // Pieces may overlap: their points bound the time, too.
    budget.take(all.saturating_mul(size_of::<u32>()))?;
    let mut rows = vec![u32::MAX; points];
    let mut row = 0;
    let counts = whole.counts.map(|n| n as usize);
    for ImagePiece { extent, .. } in pieces {
        let from = [0, 1, 2].map(|axis| (extent.first[axis] - whole.first[axis]) as usize);
        let [nx, ny, nz] = extent.counts.map(|n| n as usize);
        for z in from[2]..from[2] + nz {
            for y in from[1]..from[1] + ny {
                let start = from[0] + counts[0] * (y + counts[1] * z);
                for to in &mut rows[start..start + nx] {
                    *to = row;
                    row += 1;
                }
            }
        }
    }
    let there = rows.iter().filter(|&&row| row != u32::MAX).count();
    if there < points {
        return Err(missing(there));
    }
    Ok(Some(rows))
}

/// Reads the arrays that all pieces have.
fn columns(
    bytes: &[u8],
    file: &VtuFile,
    pieces: &[ImagePiece<'_>],
    rows: Option<&[u32]>,
    mut budget: Budget,
    warnings: &mut Vec<String>,
) -> Result<Vec<Column>, Fault> {
    let (mut columns, mut names) = (Vec::new(), UniqueNames::default());
    let Some((first, others)) = pieces.split_first() else {
        return Ok(columns);
    };
    let by_name = |piece: &ImagePiece<'_>| {
        let mut all = HashMap::new();
        for (k, array) in piece.arrays.iter().enumerate() {
            all.entry(array.name.clone()).or_insert(k);
        }
        all
    };
    let others: Vec<_> = others.iter().map(|piece| (piece, by_name(piece))).collect();
    for array in &first.arrays {
        let shown = || names::shown(&array.name);
        if array.name == "vtkGhostType" {
            continue;
        }
        let mut same = vec![(first, *array)];
        for (piece, by_name) in &others {
            let found = by_name.get(&array.name).map(|&k| piece.arrays[k]);
            same.extend(
                found
                    .filter(|a| a.width == array.width)
                    .map(|a| (*piece, a)),
            );
        }
        let types: Option<Vec<_>> = same.iter().map(|(_, array)| array.scalar).collect();
        let Some(types) = types.filter(|_| array.width > 0 && same.len() == pieces.len()) else {
            warnings.push(format!(
                "array '{}' holds no numbers, or is not in every piece, and is not kept",
                shown()
            ));
            continue;
        };
        let mut parts = Vec::new();
        for ((piece, array), scalar) in same.into_iter().zip(types) {
            let many = || Fault::text(array.at, "too many numbers");
            let n = grid::points(piece.extent.counts).map_err(|_| many())?;
            let n = n.checked_mul(array.width).ok_or_else(many)?;
            parts.extend(numbers(bytes, file, array, scalar, n, &mut budget)?.into_column());
        }
        if parts.len() < pieces.len() {
            warnings.push(format!(
                "array '{}' is not kept: its whole numbers have more digits than 64-bit floats hold",
                shown()
            ));
            continue;
        }
        let data = match (rows, parts.pop()) {
            (None, Some(data)) => data,
            (_, last) => {
                parts.extend(last);
                let all: usize = parts.iter().map(ColumnData::len).sum();
                let took = budget.take(all.saturating_mul(2 * size_of::<f64>()));
                took.map_err(|what| Fault::text(array.at, what))?;
                let parts: Vec<&ColumnData> = parts.iter().collect();
                ColumnData::joined(&parts).gather(array.width, rows.unwrap_or_default())
            }
        };
        columns.push(Column {
            name: free_name(&mut names, &array.name),
            element: ElementKind::Vertex,
            width: array.width,
            data,
        });
    }
    Ok(columns)
}

/// Reserves a name as it is, if it is free.
fn free_name(names: &mut UniqueNames, name: &str) -> String {
    if name.is_empty() || names.is_taken(ElementKind::Vertex, name) {
        let name = if name.is_empty() { "values" } else { name };
        return names.free(ElementKind::Vertex, name);
    }
    names.take(ElementKind::Vertex, name);
    name.to_owned()
}
