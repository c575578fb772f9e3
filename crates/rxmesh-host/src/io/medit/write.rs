//! Writing MEDIT.

use super::super::Pieces;
use super::super::shape::Model;
use super::super::soup::{comment_lines, warn_of_columns};
use super::super::text::rows;
use super::super::volume::{MARKER, REGION, references_of};
use crate::mesh::{Column, ElementKind, NORMAL};

pub(in super::super) fn write(
    mesh: Model<'_>,
    columns: &[&Column],
    warnings: &mut Vec<String>,
) -> Pieces {
    let extras = mesh.extras();
    let markers = references_of(extras, ElementKind::Vertex, MARKER);
    let regions = references_of(extras, mesh.element_kind(), REGION);
    let normals = match mesh {
        Model::Surface(_) => extras
            .column(ElementKind::Vertex, NORMAL)
            .filter(|c| c.width == 3),
        Model::Volume(_) => None,
    };
    let kept = |c: &Column| {
        [markers, regions, normals]
            .iter()
            .flatten()
            .any(|k| std::ptr::eq(*k, c))
    };
    let lost = columns.iter().copied().filter(|c| !kept(c));
    warn_of_columns("MEDIT", lost, warnings);
    let reference = |column: Option<&Column>, i: usize| column.map_or(0, |c| c.data.get(i) as i32);
    let (positions, placement) = (mesh.positions(), mesh.placement());
    // Programs that keep to the book hold 32-bit floats in version 1, 64-bit ones in version 2.
    let version = if placement.is_world() { 1 } else { 2 };
    let mut pieces = vec![comment_lines(&extras.comments)];
    let vertices = positions.len();
    let head = format!("MeshVersionFormatted {version}\nDimension 3\nVertices\n{vertices}\n");
    pieces.push(head.into_bytes());
    let digits = mesh.coordinate_text();
    rows(0, vertices, &mut pieces, |line, v| {
        line.point(&digits, positions[v]);
        line.put(b" ");
        line.int(reference(markers, v));
        line.end();
    });
    // Elements of one kind are contiguous.
    let kinds: &[(&str, usize)] = match mesh {
        Model::Surface(_) => &[("Triangles", 3), ("Quadrilaterals", 4)],
        Model::Volume(_) => &[("Tetrahedra", 4)],
    };
    for &(name, corners) in kinds {
        let all = 0..mesh.element_count();
        let own: Vec<u32> = all
            .filter(|&i| mesh.element(i).len() == corners)
            .map(|i| i as u32)
            .collect();
        if own.is_empty() && name != "Tetrahedra" {
            continue;
        }
        pieces.push(format!("{name}\n{}\n", own.len()).into_bytes());
        rows(0, own.len(), &mut pieces, |line, k| {
            let i = own[k] as usize;
            for &v in mesh.element(i) {
                line.int(u64::from(v) + 1);
                line.put(b" ");
            }
            line.int(reference(regions, i));
            line.end();
        });
    }
    if let Some(normals) = normals {
        pieces.push(format!("Normals\n{vertices}\n").into_bytes());
        rows(0, vertices, &mut pieces, |line, v| {
            for k in 3 * v..3 * v + 3 {
                line.value(&normals.data, k);
                line.put(b" ");
            }
            line.end();
        });
        pieces.push(format!("NormalAtVertices\n{vertices}\n").into_bytes());
        rows(0, vertices, &mut pieces, |line, v| {
            line.int(v as u64 + 1);
            line.put(b" ");
            line.int(v as u64 + 1);
            line.end();
        });
    }
    pieces.push(b"End\n".to_vec());
    pieces
}
