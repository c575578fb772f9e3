//! Data of meshes go through repair.

use super::super::*;
use super::{cube, inverted, repaired};
use crate::mesh::{Column, ColumnData, CornerLayer, ElementKind, NORMAL, Tag, TagKind, TriMesh};
use glam::Vec3;

fn tag(face: u32, kind: TagKind, text: &str) -> Tag {
    let text = text.into();
    Tag { face, kind, text }
}

/// Returns a square of two faces with a face without area between them, with everything that a mesh can carry.
fn square() -> TriMesh {
    let positions = [
        [0., 0.],
        [2., 0.],
        [2., 2.],
        [0., 2.],
        [1., 1.],
        [0., 0.],
        [7., 7.],
    ];
    let positions = positions.map(|[x, y]| Vec3::new(x, y, 0.0)).to_vec();
    // The last face uses a second vertex at the place of the first.
    let mut mesh =
        TriMesh::new(positions, vec![[0, 1, 2], [5, 2, 4], [5, 4, 3], [4, 2, 3]]).unwrap();
    mesh.add_vertex_column("heat", (0..7).map(|i| i as f32).collect())
        .unwrap();
    mesh.add_face_column("part", (0..4).map(|i| i as f32).collect())
        .unwrap();
    let layer = |width: usize, values: Vec<f32>| CornerLayer {
        width,
        values,
        corners: (0..12).collect(),
    };
    let uv = [
        [0., 0.],
        [2., 0.],
        [2., 2.],
        [0., 0.],
        [2., 2.],
        [1., 1.],
        [0., 0.],
        [1., 1.],
        [0., 2.],
        [1., 1.],
    ];
    let mut uv: Vec<f32> = uv.concat();
    uv.extend([2., 2., 0., 2.]);
    mesh.extras.corner_texcoords = Some(layer(2, uv));
    mesh.extras.tags = vec![
        tag(0, TagKind::Group, "first"),
        tag(1, TagKind::Group, "flat"),
        tag(2, TagKind::Group, "rest"),
    ];
    mesh.extras.comments = vec!["a square".into()];
    mesh.validate().unwrap();
    mesh
}

#[test]
fn values_stay_with_what_they_belong_to() {
    let (mesh, report) = repaired(&square());
    let weld = report.weld.unwrap();
    // The second vertex had another heat.
    assert_eq!((weld.vertices, weld.other_values), (1, 1));
    assert_eq!(report.unused, Some(1));
    assert_eq!(report.degenerate.unwrap().caps, 1);
    // Face 0 was cut at vertex 4, where face 1 had it.
    assert_eq!(mesh.faces, [[4, 1, 2], [0, 1, 4], [0, 4, 3], [4, 2, 3]]);
    let column = |element, name| mesh.extras.column(element, name).unwrap().data.clone();
    assert_eq!(
        column(ElementKind::Vertex, "heat"),
        ColumnData::F32(vec![0., 1., 2., 3., 4.])
    );
    assert_eq!(
        column(ElementKind::Face, "part"),
        ColumnData::F32(vec![0., 0., 2., 3.])
    );
    let uv = mesh.extras.corner_texcoords.as_ref().unwrap();
    for (corner, &v) in mesh.faces.as_flattened().iter().enumerate() {
        let entry = uv.corners[corner] as usize;
        let at = mesh.positions[v as usize];
        assert_eq!(
            uv.values[2 * entry..2 * entry + 2],
            [at.x, at.y],
            "corner {corner}"
        );
    }
    let tags: Vec<(u32, &str)> = mesh
        .extras
        .tags
        .iter()
        .map(|t| (t.face, &t.text[..]))
        .collect();
    assert_eq!(tags, [(0, "first"), (2, "rest")]);
    assert_eq!(mesh.extras.comments, ["a square"]);
}

#[test]
fn normals_turn_with_their_faces() {
    let mut mesh = inverted(cube(Vec3::ZERO, 1.0));
    let normal = |element, rows: usize| Column {
        name: NORMAL.into(),
        element,
        width: 3,
        data: ColumnData::F32((0..3 * rows).map(|i| i as f32 + 1.0).collect()),
    };
    mesh.add_column(normal(ElementKind::Vertex, 8)).unwrap();
    mesh.add_column(normal(ElementKind::Face, 12)).unwrap();
    mesh.extras.corner_normals = Some(CornerLayer {
        width: 3,
        values: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0],
        corners: (0..36).map(|c| u32::from(c % 3 == 1)).collect(),
    });
    let (after, _) = repaired(&mesh);
    assert_eq!(after.faces, cube(Vec3::ZERO, 1.0).faces);
    for element in [ElementKind::Vertex, ElementKind::Face] {
        let data = &after.extras.column(element, NORMAL).unwrap().data;
        assert!((0..data.len()).all(|i| data.get(i) == -(i as f64) - 1.0));
    }
    let layer = after.extras.corner_normals.unwrap();
    for (corner, &entry) in layer.corners.iter().enumerate() {
        // The second corner is now the third.
        let want = if corner % 3 == 2 {
            [-4.0, -5.0, -6.0]
        } else {
            [-1.0, -2.0, -3.0]
        };
        assert_eq!(layer.values[3 * entry as usize..][..3], want);
    }
}

#[test]
fn copies_have_the_values_of_their_vertex() {
    // Two triangles that touch at a vertex.
    let positions = (0..5)
        .map(|i| Vec3::new(i as f32, (i * i) as f32, 0.0))
        .collect();
    let mut mesh = TriMesh::new(positions, vec![[0, 1, 2], [3, 2, 4]]).unwrap();
    mesh.add_vertex_column("heat", vec![1., 2., 3., 4., 5.])
        .unwrap();
    split_non_manifold(&mut mesh);
    assert_eq!(mesh.faces, [[0, 1, 2], [3, 5, 4]]);
    let heat = &mesh
        .extras
        .column(ElementKind::Vertex, "heat")
        .unwrap()
        .data;
    assert_eq!(heat, &ColumnData::F32(vec![1., 2., 3., 4., 5., 3.]));
}
