//! Writing VTI.

use super::super::{Encoding, Pieces};
use super::write::{VtuWriter, escaped};
use crate::grid::Grid;

/// Writes a grid as an image of one piece.
pub(in super::super) fn write(grid: &Grid, encoding: Encoding) -> Pieces {
    let mut file = VtuWriter::new(encoding);
    let [x, y, z] = grid.counts.map(|n| n - 1);
    let extent = format!("0 {x} 0 {y} 0 {z}");
    let numbers = |v: glam::DVec3| format!("{:?} {:?} {:?}", v.x, v.y, v.z);
    let (origin, spacing) = (numbers(grid.origin), numbers(grid.spacing));
    let shown = grid.columns.iter().find(|c| c.width == 1);
    let scalars = shown.map_or(String::new(), |c| {
        format!(" Scalars=\"{}\"", escaped(&c.name))
    });
    file.text(&format!(
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"ImageData\" version=\"1.0\" byte_order=\"LittleEndian\" \
            header_type=\"UInt64\">\n<ImageData WholeExtent=\"{extent}\" Origin=\"{origin}\" \
            Spacing=\"{spacing}\">\n<Piece Extent=\"{extent}\">\n<PointData{scalars}>\n"
    ));
    for column in &grid.columns {
        file.array(&escaped(&column.name), column.width, &column.data);
    }
    file.text("</PointData>\n<CellData>\n</CellData>\n</Piece>\n</ImageData>\n");
    file.finish()
}
