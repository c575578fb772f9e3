//! Writing TetGen's files.

use super::super::soup::{comment_lines, is_finite, warn_of_columns};
use super::super::text::{LineBuffer, rows};
use super::super::volume::{MARKER, REGION, references_of};
use super::super::{Model, Pieces};
use crate::mesh::{Column, ElementKind, TetMesh};

/// Writes both files, counted from 0: vertices, cells.
pub(in super::super) fn write(mesh: &TetMesh, warnings: &mut Vec<String>) -> [Pieces; 2] {
    let column = |element, name| mesh.extras.column(element, name).filter(|c| is_finite(c));
    let attributes = column(ElementKind::Vertex, "attribute");
    let regions = column(ElementKind::Cell, REGION);
    let markers = references_of(&mesh.extras, ElementKind::Vertex, MARKER);
    let used = [attributes, regions, markers];
    let kept = |c: &Column| used.iter().flatten().any(|k| std::ptr::eq(*k, c));
    let lost = mesh.extras.columns.iter().filter(|c| !kept(c));
    warn_of_columns("TetGen", lost, warnings);
    let width = |c: Option<&Column>| c.map_or(0, |c| c.width);
    let marked = u8::from(markers.is_some());
    let (vertices, cells) = (mesh.vertex_count(), mesh.cell_count());
    let head = format!("{vertices} 3 {} {marked}\n", width(attributes));
    let mut nodes = vec![comment_lines(&mesh.extras.comments), head.into_bytes()];
    let digits = Model::Volume(mesh).coordinate_text();
    rows(0, vertices, &mut nodes, |line, v| {
        line.int(v as u64);
        line.put(b" ");
        line.point(&digits, mesh.positions[v]);
        values(line, attributes, v);
        values(line, markers, v);
        line.end();
    });
    let mut elements = vec![format!("{cells} 4 {}\n", width(regions)).into_bytes()];
    rows(0, cells, &mut elements, |line, c| {
        line.int(c as u64);
        for v in mesh.cells[c] {
            line.put(b" ");
            line.int(v);
        }
        values(line, regions, c);
        line.end();
    });
    [nodes, elements]
}

/// Writes a row of a column, with a space before each value.
fn values(line: &mut LineBuffer, column: Option<&Column>, row: usize) {
    let Some(column) = column else {
        return;
    };
    for i in row * column.width..(row + 1) * column.width {
        line.put(b" ");
        line.value(&column.data, i);
    }
}
