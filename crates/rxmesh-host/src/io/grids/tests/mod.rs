//! Tests of files of grids.

mod goldens;
mod hostile;
mod read;
mod round_trip;

use super::*;
use crate::io::base64;
use crate::mesh::{Column, ColumnData, ElementKind};
use glam::{DVec3, dvec3};

/// Decodes a file of `goldens`.
fn golden(text: &str) -> Vec<u8> {
    base64::decode(text.as_bytes(), usize::MAX).unwrap().0
}

fn read(name: &str, bytes: &[u8]) -> LoadedGrid {
    let read = read_grid_bytes(bytes, Path::new(name), &GridReadOptions::default());
    let loaded = read.unwrap_or_else(|e| panic!("{e}"));
    loaded.grid.validate().unwrap();
    loaded
}

fn refused(name: &str, bytes: &[u8]) -> String {
    match read_grid_bytes(bytes, Path::new(name), &GridReadOptions::default()) {
        Ok(loaded) => panic!("{name} is read: {:?}", loaded.grid),
        Err(e) => e.to_string(),
    }
}

/// Returns the values of the files of `goldens`: `100 x + 10 y + z`, x fastest.
fn values() -> Vec<f64> {
    let all = (0..24).map(|i| (i % 2, i / 2 % 3, i / 6));
    all.map(|(x, y, z)| f64::from(100 * x + 10 * y + z))
        .collect()
}

fn doubles(column: &Column) -> Vec<f64> {
    (0..column.data.len()).map(|i| column.data.get(i)).collect()
}

fn column(name: &str, width: usize, data: ColumnData) -> Column {
    Column {
        name: name.to_owned(),
        element: ElementKind::Vertex,
        width,
        data,
    }
}

/// Returns a grid of 2 x 3 x 4 points with columns of several types.
fn laden() -> Grid {
    let mut grid = Grid::new([2, 3, 4], dvec3(1.0, -2.5, 1e-7), dvec3(0.5, 1.0, 0.1)).unwrap();
    let values = values();
    let floats = values.iter().map(|x| *x as f32 / 7.0).collect();
    let vectors = (0..72).map(|i| f64::from(i) / 3.0).collect();
    let bytes = (0..24).map(|i| i * 10).collect();
    for c in [
        column("velocity", 3, ColumnData::F64(vectors)),
        column("distance", 1, ColumnData::F32(floats)),
        column("a <name> & \"more\"", 1, ColumnData::U8(bytes)),
    ] {
        grid.add_column(c).unwrap();
    }
    grid
}

fn written(name: &str, grid: &Grid, encoding: Encoding) -> (Vec<u8>, GridWriteReport) {
    let options = GridWriteOptions::default().with(|o| o.encoding = encoding);
    write_grid_bytes(Path::new(name), grid, &options).unwrap()
}

/// Returns a file of every form.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let grid = laden();
    let mut all = Vec::new();
    for (name, encoding) in [
        ("a.vti", Encoding::Binary),
        ("a.vti", Encoding::Ascii),
        ("a.vti", Encoding::Base64),
        ("a.npy", Encoding::Binary),
        ("a.nrrd", Encoding::Binary),
        ("a.nrrd", Encoding::Ascii),
    ] {
        all.push((name, written(name, &grid, encoding).0));
    }
    let others = [
        ("b.npy", goldens::NPY_I2),
        ("b.nrrd", goldens::NRRD_GZIP),
        ("b.vti", goldens::VTI_BASE64_BIG),
        ("b.vti", goldens::VTI_ZLIB),
        ("b.vti", goldens::VTI_LZ4),
        ("b.vti", goldens::VTI_LZMA),
    ];
    all.extend(others.map(|(name, text)| (name, golden(text))));
    all
}
