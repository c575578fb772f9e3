//! Writing MEDIT.

use super::super::Pieces;
use super::super::soup::{comment_lines, warn_of_columns};
use super::super::text::rows;
use super::super::volume::{MARKER, REGION, references_of};
use crate::mesh::{Column, ElementKind, TetMesh};

pub(in super::super) fn write(mesh: &TetMesh, warnings: &mut Vec<String>) -> Pieces {
    let markers = references_of(mesh, ElementKind::Vertex, MARKER);
    let regions = references_of(mesh, ElementKind::Cell, REGION);
    let kept = |c: &Column| {
        [markers, regions]
            .iter()
            .flatten()
            .any(|k| std::ptr::eq(*k, c))
    };
    let lost = mesh.extras.columns.iter().filter(|c| !kept(c));
    warn_of_columns("MEDIT", lost, warnings);
    let reference = |column: Option<&Column>, i: usize| column.map_or(0, |c| c.data.get(i) as i32);
    // Programs that keep to the book hold 32-bit floats in version 1, 64-bit ones in version 2.
    let version = if mesh.placement.is_world() { 1 } else { 2 };
    let mut pieces = vec![comment_lines(&mesh.extras.comments)];
    let (vertices, cells) = (mesh.vertex_count(), mesh.cell_count());
    let head = format!("MeshVersionFormatted {version}\nDimension 3\nVertices\n{vertices}\n");
    pieces.push(head.into_bytes());
    rows(0, vertices, &mut pieces, |line, v| {
        line.point(&mesh.placement, mesh.positions[v]);
        line.put(b" ");
        line.int(reference(markers, v));
        line.end();
    });
    pieces.push(format!("Tetrahedra\n{cells}\n").into_bytes());
    rows(0, cells, &mut pieces, |line, c| {
        for v in mesh.cells[c] {
            line.int(u64::from(v) + 1);
            line.put(b" ");
        }
        line.int(reference(regions, c));
        line.end();
    });
    pieces.push(b"End\n".to_vec());
    pieces
}
