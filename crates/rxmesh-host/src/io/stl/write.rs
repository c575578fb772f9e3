//! Writes STL.

use super::super::text::{add, rows};
use super::super::{Encoding, MeshRef, Pieces, soup};
use super::{ATTRIBUTE, HEAD, header};
use crate::mesh::{ColumnData, ElementKind, Placement, TagKind, TriMesh, bytes_of_name};
use glam::Vec3;
use std::ops::Range;

/// The name of a solid that has none.
const UNNAMED: &str = "rxmesh";

pub(in crate::io) fn write(
    mesh: &TriMesh,
    encoding: Encoding,
    warnings: &mut Vec<String>,
) -> Pieces {
    let mut rounded = TriMesh::default();
    let mesh = match mesh.placement.is_world() {
        true => mesh,
        false => {
            rounded.clone_from(mesh);
            let lost = rounded.place(Placement::default());
            warnings.push(format!(
                "STL holds 32-bit floats: positions are rounded, by {lost:.1e} at most (OBJ, OFF and PLY keep them)"
            ));
            &rounded
        }
    };
    warn(mesh, encoding, warnings);
    if encoding == Encoding::Ascii {
        return text(mesh);
    }
    let mut head = binary_head(mesh).to_vec();
    head.extend((mesh.face_count() as u32).to_le_bytes());
    debug_assert_eq!(head.len(), HEAD);
    let attribute = match mesh
        .extras
        .column(ElementKind::Face, ATTRIBUTE)
        .map(|c| &c.data)
    {
        Some(ColumnData::U16(v)) => Some(v),
        _ => None,
    };
    let mut pieces = vec![head];
    rows(0, mesh.face_count(), &mut pieces, |line, f| {
        let corners = corners(mesh, f);
        for p in [normal(corners)].iter().chain(&corners) {
            p.to_array().iter().for_each(|x| line.put(&x.to_le_bytes()));
        }
        line.put(&attribute.map_or(0, |v| v[f]).to_le_bytes());
    });
    pieces
}

/// Returns the only comment, as it came from the head of a binary file, else the name of the first object.
fn binary_head(mesh: &TriMesh) -> [u8; header::TEXT] {
    held_comment(mesh).unwrap_or_else(|| {
        let first = mesh.extras.tags.iter().find(|t| t.kind == TagKind::Object);
        let mut head = [b' '; header::TEXT];
        let name = name_line(first.map_or(UNNAMED, |t| &t.text));
        let name = &name[..name.len().min(header::TEXT - 8)];
        // The head of a binary file must not look like text.
        head[..7].copy_from_slice(b"binary ");
        head[7..7 + name.len()].copy_from_slice(name);
        head
    })
}

/// Returns the head that the mesh's only comment becomes.
fn held_comment(mesh: &TriMesh) -> Option<[u8; header::TEXT]> {
    match &mesh.extras.comments[..] {
        [comment] => header::head(comment),
        _ => None,
    }
}

/// Returns the bytes of a name, which ends with its line.
fn name_line(name: &str) -> Vec<u8> {
    let mut name = bytes_of_name(name).into_owned();
    let ends = name.iter_mut().filter(|b| matches!(**b, b'\n' | b'\r' | 0));
    ends.for_each(|b| *b = b' ');
    name
}

/// Returns the solids of a text file: the objects that have faces, each with its name.
fn solids(mesh: &TriMesh) -> Vec<(Range<usize>, &str)> {
    let faces = mesh.face_count();
    let first = mesh.extras.tags.iter().find(|t| t.kind == TagKind::Object);
    let before = first.map_or(faces, |t| t.face as usize);
    let mut solids = vec![(0..before, UNNAMED)];
    let ranges = mesh.extras.face_ranges(TagKind::Object, faces);
    let objects = ranges
        .into_iter()
        .map(|(faces, name)| (faces.start as usize..faces.end as usize, name));
    solids.extend(objects);
    solids.retain(|(faces, _)| !faces.is_empty());
    if solids.is_empty() {
        solids.push((0..0, first.map_or(UNNAMED, |t| &t.text)));
    }
    solids
}

fn text(mesh: &TriMesh) -> Pieces {
    let mut pieces = Pieces::new();
    let digits = MeshRef::from(mesh).coordinate_text();
    for (faces, name) in solids(mesh) {
        let name = name_line(name);
        add(&mut pieces, &[b"solid ", &name[..], b"\n"].concat());
        rows(faces.start, faces.end, &mut pieces, |line, f| {
            let corners = corners(mesh, f);
            line.put(b"facet normal");
            for x in normal(corners).to_array() {
                line.put(b" ");
                line.float(x);
            }
            line.put(b"\nouter loop\n");
            for p in corners {
                line.put(b"vertex ");
                line.point(&digits, p);
                line.put(b"\n");
            }
            line.put(b"endloop\nendfacet\n");
        });
        add(&mut pieces, &[b"endsolid ", &name[..], b"\n"].concat());
    }
    pieces
}

fn corners(mesh: &TriMesh, face: usize) -> [Vec3; 3] {
    mesh.faces[face].map(|v| mesh.positions[v as usize])
}

/// Returns the unit normal, 0 for a triangle without area.
fn normal([a, b, c]: [Vec3; 3]) -> Vec3 {
    let a = a.as_dvec3();
    (b.as_dvec3() - a)
        .cross(c.as_dvec3() - a)
        .normalize_or_zero()
        .as_vec3()
}

fn warn(mesh: &TriMesh, encoding: Encoding, warnings: &mut Vec<String>) {
    let extras = &mesh.extras;
    let held = |c: &crate::mesh::Column| {
        encoding == Encoding::Binary
            && c.element == ElementKind::Face
            && c.name == ATTRIBUTE
            && matches!(c.data, ColumnData::U16(_))
    };
    soup::warn_of_columns("STL", extras.columns.iter().filter(|c| !held(c)), warnings);
    soup::warn_of_corners("STL", extras, true, warnings);
    let text = encoding == Encoding::Ascii;
    let tags = extras.tags.iter();
    let lost = tags.filter(|t| !(text && t.kind == TagKind::Object));
    soup::warn_of_tags("STL", lost.count(), warnings);
    let solids = solids(mesh).len();
    if !text && solids > 1 {
        warnings.push(format!(
            "binary STL holds one solid: {solids} objects become one (STL as text holds them all)"
        ));
    }
    if !extras.comments.is_empty() && (text || held_comment(mesh).is_none()) {
        let lines = extras.comments.len();
        warnings.push(format!("STL holds no comments ({lines} lines)"));
    }
    let mut used = vec![false; mesh.vertex_count()];
    mesh.faces
        .iter()
        .flatten()
        .for_each(|&v| used[v as usize] = true);
    let lost = used.iter().filter(|u| !**u).count();
    if lost > 0 {
        warnings.push(format!(
            "STL holds no vertices without faces: {lost} are left out"
        ));
    }
    let distinct = super::weld::weld(&mesh.positions).0.len();
    let same = mesh.vertex_count() - distinct;
    if same > 0 {
        warnings.push(format!(
            "STL tells vertices apart by their place only: {same} that share one will be one vertex"
        ));
    }
}
