//! Writes STL.

use super::super::names;
use super::super::text::{Line, rows};
use super::super::{Encoding, Pieces, soup};
use super::{ATTRIBUTE, HEAD};
use crate::mesh::{ColumnData, ElementKind, Placement, TagKind, TriMesh};
use glam::Vec3;

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
    let first = mesh.extras.tags.iter().find(|t| t.kind == TagKind::Object);
    let name = names::on_one_line(first.map_or("rxmesh", |t| &t.text));
    if encoding == Encoding::Ascii {
        return text(mesh, &name);
    }
    let mut head = vec![b' '; 80];
    let name = names::cut(&name, 72);
    head[..7].copy_from_slice(b"binary ");
    head[7..7 + name.len()].copy_from_slice(name);
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

fn text(mesh: &TriMesh, name: &[u8]) -> Pieces {
    let mut pieces = vec![[b"solid ", name, b"\n"].concat()];
    let point = |line: &mut Line, p: Vec3| {
        for x in p.to_array() {
            line.put(b" ");
            line.float(x);
        }
        line.put(b"\n");
    };
    rows(0, mesh.face_count(), &mut pieces, |line, f| {
        let corners = corners(mesh, f);
        line.put(b"facet normal");
        point(line, normal(corners));
        line.put(b"outer loop\n");
        for p in corners {
            line.put(b"vertex");
            point(line, p);
        }
        line.put(b"endloop\nendfacet\n");
    });
    pieces.push([b"endsolid ", name, b"\n"].concat());
    pieces
}

fn corners(mesh: &TriMesh, face: usize) -> [Vec3; 3] {
    mesh.faces[face].map(|v| mesh.positions[v as usize])
}

/// The unit normal, 0 for a triangle without area.
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
    soup::warn_of_layers("STL", extras, true, warnings);
    if !extras.comments.is_empty() {
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
