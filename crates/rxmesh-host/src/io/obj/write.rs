//! Writes OBJ.

use super::super::names;
use super::super::soup::written_sharpness;
use super::super::text::{LineBuffer, add, rows};
use super::super::{MeshRef, Pieces, soup};
use crate::mesh::{
    COLOR, Column, CornerLayer, ElementKind, NO_VALUE, NORMAL, PolyMesh, Tag, TagKind,
};

/// Numbers after a corner's vertex number.
enum CornerNumbers<'a> {
    None,
    /// One value per vertex: the number is the vertex's own.
    Same,
    Layer(&'a CornerLayer),
}

impl CornerNumbers<'_> {
    fn get(&self, corner: usize, vertex: u32) -> Option<u32> {
        match self {
            CornerNumbers::None => None,
            CornerNumbers::Same => Some(vertex),
            CornerNumbers::Layer(l) => Some(l.corners[corner]).filter(|&c| c != NO_VALUE),
        }
    }
}

pub(in crate::io) fn write(mesh: MeshRef<'_>, warnings: &mut Vec<String>) -> Pieces {
    let extras = mesh.extras();
    let mut pieces = vec![soup::comment_lines(&extras.comments)];
    let libraries = extras.tags.iter().filter(|t| t.kind == TagKind::Library);
    pieces.push(libraries.flat_map(statement).collect());
    let find = |name: &str, widths: &[usize]| {
        let column = extras.column(ElementKind::Vertex, name);
        column.filter(|c| widths.contains(&c.width) && soup::is_finite(c))
    };
    let colour = find(COLOR, &[3, 4]);
    let normal = find(NORMAL, &[3]);
    let st = [find("s", &[1]), find("t", &[1])];
    let texture_layer = finite_layer("texture coordinates", &extras.corner_texcoords, warnings);
    let normal_layer = finite_layer("normals", &extras.corner_normals, warnings);
    vertices(mesh, colour, &mut pieces);
    let texture = match (texture_layer, st) {
        (Some(layer), _) => layer_lines(b"vt", layer, &mut pieces),
        (None, [Some(s), Some(t)]) => vertex_lines(mesh, b"vt", &[(s, 0), (t, 0)], &mut pieces),
        _ => CornerNumbers::None,
    };
    let normals = match (normal_layer, normal) {
        (Some(layer), _) => layer_lines(b"vn", layer, &mut pieces),
        (None, Some(n)) => vertex_lines(mesh, b"vn", &[(n, 0), (n, 1), (n, 2)], &mut pieces),
        _ => CornerNumbers::None,
    };
    let used = |c: &Column| {
        let as_column = |r: &CornerNumbers, names: &[&str]| {
            matches!(r, CornerNumbers::Same) && names.contains(&c.name.as_str())
        };
        let is_colour = colour.is_some() && c.name == COLOR;
        c.element == ElementKind::Vertex
            && (is_colour || as_column(&texture, &["s", "t"]) || as_column(&normals, &[NORMAL]))
    };
    soup::warn_of_columns("OBJ", extras.columns.iter().filter(|c| !used(c)), warnings);
    faces(mesh, &texture, &normals, &mut pieces);
    if let MeshRef::Polygons(mesh) = mesh {
        marks(mesh, &mut pieces);
    }
    pieces
}

/// Returns a corner layer without NaN and infinity; another is left out with a warning.
fn finite_layer<'a>(
    what: &str,
    layer: &'a Option<CornerLayer>,
    warnings: &mut Vec<String>,
) -> Option<&'a CornerLayer> {
    let layer = layer.as_ref()?;
    if layer.values.iter().all(|x| x.is_finite()) {
        return Some(layer);
    }
    warnings.push(format!(
        "OBJ holds no {what} of face corners that are not finite"
    ));
    None
}

/// Writes one line per vertex, of values of columns (and the index of the value in its row).
fn vertex_lines<'a>(
    mesh: MeshRef<'_>,
    word: &[u8],
    parts: &[(&Column, usize)],
    pieces: &mut Pieces,
) -> CornerNumbers<'a> {
    rows(0, mesh.vertex_count(), pieces, |line, v| {
        line.put(word);
        for (column, k) in parts {
            line.put(b" ");
            line.float(column.data.get(column.width * v + k) as f32);
        }
        line.put(b"\n");
    });
    CornerNumbers::Same
}

fn vertices(mesh: MeshRef<'_>, colour: Option<&Column>, pieces: &mut Pieces) {
    let scale = colour.map_or(1.0, |c| soup::colour_scale(&c.data));
    let digits = mesh.coordinate_text();
    rows(0, mesh.vertex_count(), pieces, |line, v| {
        line.put(b"v ");
        line.point(&digits, mesh.positions()[v]);
        if let Some(c) = colour {
            for k in 0..c.width {
                line.put(b" ");
                line.float((c.data.get(c.width * v + k) * scale) as f32);
            }
        }
        line.put(b"\n");
    });
}

/// Writes one line an entry of a layer.
fn layer_lines<'a>(word: &[u8], layer: &'a CornerLayer, pieces: &mut Pieces) -> CornerNumbers<'a> {
    rows(0, layer.entries(), pieces, |line, i| {
        line.put(word);
        for &x in &layer.values[layer.width * i..layer.width * (i + 1)] {
            line.put(b" ");
            line.float(x);
        }
        line.put(b"\n");
    });
    CornerNumbers::Layer(layer)
}

/// Writes faces, with the tags in front of the face from which they hold.
fn faces(
    mesh: MeshRef<'_>,
    texture: &CornerNumbers<'_>,
    normals: &CornerNumbers<'_>,
    pieces: &mut Pieces,
) {
    let plain = matches!(
        (texture, normals),
        (CornerNumbers::None, CornerNumbers::None)
    );
    let face = |line: &mut LineBuffer, f: usize| {
        line.put(b"f");
        for (corner, &v) in mesh.range(f).zip(mesh.face(f)) {
            line.put(b" ");
            line.int(u64::from(v) + 1);
            if plain {
                continue;
            }
            let (t, n) = (texture.get(corner, v), normals.get(corner, v));
            if t.is_some() || n.is_some() {
                line.put(b"/");
                t.iter().for_each(|&t| line.int(u64::from(t) + 1));
            }
            if let Some(n) = n {
                line.put(b"/");
                line.int(u64::from(n) + 1);
            }
        }
        line.put(b"\n");
    };
    let mut done = 0;
    let tags: Vec<&Tag> = mesh
        .extras()
        .tags
        .iter()
        .filter(|t| t.kind != TagKind::Library)
        .collect();
    for same in tags.chunk_by(|a, b| a.face == b.face) {
        let to = same[0].face as usize;
        rows(done, to, pieces, face);
        done = to;
        same.iter().for_each(|t| add(pieces, &statement(t)));
    }
    rows(done, mesh.face_count(), pieces, face);
}

/// Writes sharpness and holes, as the tags of OpenSubdiv's shapes: vertices and faces are counted from 0.
fn marks(mesh: &PolyMesh, pieces: &mut Pieces) {
    let sharpness = |line: &mut LineBuffer, s: f32| {
        line.put(b" ");
        line.float(written_sharpness(s));
        line.put(b"\n");
    };
    rows(0, mesh.sharp_edges.len(), pieces, |line, i| {
        let edge = mesh.sharp_edges[i];
        line.put(b"t crease 2/1/0 ");
        line.int(edge.ends[0]);
        line.put(b" ");
        line.int(edge.ends[1]);
        sharpness(line, edge.sharpness);
    });
    rows(0, mesh.sharp_vertices.len(), pieces, |line, i| {
        let vertex = mesh.sharp_vertices[i];
        line.put(b"t corner 1/1/0 ");
        line.int(vertex.vertex);
        sharpness(line, vertex.sharpness);
    });
    rows(0, mesh.holes.len(), pieces, |line, i| {
        line.put(b"t hole 1/0/0 ");
        line.int(mesh.holes[i]);
        line.put(b"\n");
    });
}

fn statement(tag: &Tag) -> Vec<u8> {
    let word: &[u8] = match tag.kind {
        TagKind::Object => b"o",
        TagKind::Group => b"g",
        TagKind::Material => b"usemtl",
        TagKind::Smoothing => b"s",
        TagKind::Library => b"mtllib",
    };
    [word, b" ", &names::on_one_line(&tag.text), b"\n"].concat()
}
