//! Writes OFF as text, with the prefix that the columns require.

use super::super::text::{LineBuffer, rows};
use super::super::{MeshRef, Pieces, soup};
use crate::mesh::{COLOR, Column, ColumnData, ElementKind, NORMAL};

/// Columns that OFF holds.
struct Held<'a> {
    normal: Option<&'a Column>,
    colour: Option<&'a Column>,
    texcoords: Option<[&'a Column; 2]>,
    face_colour: Option<&'a Column>,
}

impl<'a> Held<'a> {
    fn of(mesh: MeshRef<'a>) -> Held<'a> {
        let find = |element, name: &str, widths: &[usize]| {
            let column = mesh.extras().column(element, name);
            column.filter(|c| widths.contains(&c.width) && soup::is_finite(c))
        };
        let (v, f) = (ElementKind::Vertex, ElementKind::Face);
        Held {
            normal: find(v, NORMAL, &[3]),
            colour: find(v, COLOR, &[3, 4]),
            texcoords: find(v, "s", &[1])
                .zip(find(v, "t", &[1]))
                .map(|(s, t)| [s, t]),
            face_colour: find(f, COLOR, &[3, 4]).or_else(|| find(f, "color_index", &[1])),
        }
    }

    fn contains(&self, column: &Column) -> bool {
        let single = [self.normal, self.colour, self.face_colour];
        let mut all = single
            .into_iter()
            .flatten()
            .chain(self.texcoords.into_iter().flatten());
        all.any(|c| std::ptr::eq(c, column))
    }

    fn prefix(&self) -> String {
        let part = |there: bool, text: &'static str| if there { text } else { "" };
        let texcoords = part(self.texcoords.is_some(), "ST");
        [
            texcoords,
            part(self.colour.is_some(), "C"),
            part(self.normal.is_some(), "N"),
        ]
        .concat()
    }
}

pub(in crate::io) fn write(mesh: MeshRef<'_>, warnings: &mut Vec<String>) -> Pieces {
    let held = Held::of(mesh);
    let left = mesh.extras().columns.iter().filter(|c| !held.contains(c));
    soup::warn_of_columns("OFF", left, warnings);
    soup::warn_of_layers("OFF", mesh.extras(), true, warnings);
    soup::warn_of_marks("OFF", mesh, warnings);
    let (v, f) = (mesh.vertex_count(), mesh.face_count());
    let head = format!("{}OFF\n", held.prefix()).into_bytes();
    let comments = soup::comment_lines(&mesh.extras().comments);
    let counts = format!("{v} {f} 0\n").into_bytes();
    let mut pieces = vec![head, comments, counts];
    let digits = mesh.coordinate_text();
    rows(0, v, &mut pieces, |line, v| {
        line.point(&digits, mesh.positions()[v]);
        values_behind(line, &held, v);
    });
    rows(0, f, &mut pieces, |line, f| {
        let corners = mesh.face(f);
        line.int(corners.len());
        for v in corners {
            line.put(b" ");
            line.int(*v);
        }
        held.face_colour.iter().for_each(|c| put_colour(line, c, f));
        line.end();
    });
    pieces
}

/// Writes the values of a vertex after its coordinates.
fn values_behind(line: &mut LineBuffer, held: &Held<'_>, v: usize) {
    held.normal
        .iter()
        .for_each(|c| (0..3).for_each(|k| value(line, c, 3 * v + k)));
    held.colour.iter().for_each(|c| put_colour(line, c, v));
    held.texcoords
        .iter()
        .flatten()
        .for_each(|c| value(line, c, v));
    line.end();
}

fn value(line: &mut LineBuffer, column: &Column, i: usize) {
    line.put(b" ");
    line.float(column.data.get(i) as f32);
}

/// Writes whole numbers from 0 to 255 and indices as they are, all others from 0 to 1 and with a point, by which
/// readers tell them apart.
fn put_colour(line: &mut LineBuffer, column: &Column, row: usize) {
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
