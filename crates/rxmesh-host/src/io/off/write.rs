//! Writes OFF as text, with the prefix that the columns ask for.

use super::super::text::{Line, rows};
use super::super::{Pieces, soup};
use crate::mesh::{COLOR, Column, ColumnData, ElementKind, NORMAL, TriMesh};

pub(in crate::io) fn write(mesh: &TriMesh, warnings: &mut Vec<String>) -> Pieces {
    let extras = &mesh.extras;
    let find = |element, name: &str, widths: &[usize]| {
        extras
            .column(element, name)
            .filter(|c| widths.contains(&c.width) && soup::is_finite(c))
    };
    let normal = find(ElementKind::Vertex, NORMAL, &[3]);
    let colour = find(ElementKind::Vertex, COLOR, &[3, 4]);
    let st = [
        find(ElementKind::Vertex, "s", &[1]),
        find(ElementKind::Vertex, "t", &[1]),
    ];
    let st = if let [Some(s), Some(t)] = st {
        Some([s, t])
    } else {
        None
    };
    let face_colour = find(ElementKind::Face, COLOR, &[3, 4])
        .or_else(|| find(ElementKind::Face, "color_index", &[1]));
    let used = [
        normal,
        colour,
        face_colour,
        st.map(|p| p[0]),
        st.map(|p| p[1]),
    ];
    let left = extras
        .columns
        .iter()
        .filter(|c| !used.iter().flatten().any(|u| std::ptr::eq(*u, *c)));
    soup::warn_of_columns("OFF", left, warnings);
    soup::warn_of_layers("OFF", extras, true, warnings);
    let part = |there: bool, text: &'static str| if there { text } else { "" };
    let prefix = [
        part(st.is_some(), "ST"),
        part(colour.is_some(), "C"),
        part(normal.is_some(), "N"),
    ]
    .concat();
    let head = format!(
        "{prefix}OFF\n{} {} 0\n",
        mesh.vertex_count(),
        mesh.face_count()
    );
    let mut pieces = vec![head.into_bytes()];
    rows(0, mesh.vertex_count(), &mut pieces, |line, v| {
        let p = mesh.positions[v].to_array();
        p.iter().enumerate().for_each(|(k, &x)| {
            line.put(if k == 0 { b"" } else { b" " });
            line.float(x);
        });
        normal
            .iter()
            .for_each(|c| (0..3).for_each(|k| value(line, c, 3 * v + k)));
        colour.iter().for_each(|c| put_colour(line, c, v));
        st.iter().flatten().for_each(|c| value(line, c, v));
        line.end();
    });
    rows(0, mesh.face_count(), &mut pieces, |line, f| {
        line.put(b"3");
        for v in mesh.faces[f] {
            line.put(b" ");
            line.int(v);
        }
        face_colour.iter().for_each(|c| put_colour(line, c, f));
        line.end();
    });
    pieces
}

fn value(line: &mut Line, column: &Column, i: usize) {
    line.put(b" ");
    line.float(column.data.get(i) as f32);
}

/// Whole numbers from 0 to 255 and indices as they are; all else from 0 to 1 and with a point, by which readers tell them apart.
fn put_colour(line: &mut Line, column: &Column, row: usize) {
    let scale = soup::colour_scale(&column.data);
    for i in row * column.width..(row + 1) * column.width {
        line.put(b" ");
        match &column.data {
            ColumnData::U8(v) => line.int(v[i]),
            data if column.width == 1 => line.int(data.get(i) as i64),
            data => line.float_with_point((data.get(i) * scale) as f32),
        }
    }
}
