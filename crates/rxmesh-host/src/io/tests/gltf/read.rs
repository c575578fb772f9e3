//! Geometry and attributes.

use super::*;

#[test]
fn triangles_strips_and_fans_of_every_kind_of_index() {
    let list = [[0, 1, 3], [0, 3, 2]];
    let of = |component, bytes: &[u8], count, mode| {
        let mut document = Document::square();
        let indices = document.accessor(component, "SCALAR", count, bytes);
        let primitive =
            json!({ "attributes": { "POSITION": 0 }, "indices": indices, "mode": mode });
        document.primitives(json!([primitive])).mesh().faces
    };
    assert_eq!(of(U8, &[0, 1, 3, 0, 3, 2], 6, 4), list);
    assert_eq!(of(U16, &le!(u16: 0, 1, 3, 0, 3, 2), 6, 4), list);
    assert_eq!(of(5125, &le!(u32: 0, 1, 3, 0, 3, 2), 6, 4), list);
    assert_eq!(of(U8, &[0, 1, 2, 3], 4, 5), [[0, 1, 2], [1, 3, 2]]);
    assert_eq!(of(U8, &[0, 1, 3, 2], 4, 6), [[1, 3, 0], [3, 2, 0]]);
    let plain = json!([{ "attributes": { "POSITION": 0 }, "mode": 5 }]);
    let plain = Document::square().primitives(plain).mesh();
    assert_eq!(plain.faces, [[0, 1, 2], [1, 3, 2]]);
    let torn = Document::square().primitives(json!([{ "attributes": { "POSITION": 0 } }]));
    let torn = torn.read().unwrap();
    assert_eq!(torn.mesh.faces, [[0, 1, 2]]);
    assert!(
        torn.warnings[0].contains("end within one"),
        "{:?}",
        torn.warnings
    );
}

#[test]
fn points_alone_are_a_mesh_and_lines_are_left_out() {
    let of = |mode: u32| json!({ "attributes": { "POSITION": 0 }, "mode": mode });
    let alone = Document::square().primitives(json!([of(0)])).mesh();
    assert_eq!((alone.vertex_count(), alone.face_count()), (4, 0));
    let both = Document::square().primitives(json!([of(0), of(5), of(1)]));
    let both = both.read().unwrap();
    assert_eq!((both.mesh.vertex_count(), both.mesh.face_count()), (4, 2));
    assert_eq!(
        both.warnings,
        ["2 primitives of points and lines are left out"]
    );
    let none = Document::square().primitives(json!([of(1)]));
    assert!(none.refused().contains("holds no vertices"));
}

#[test]
fn attributes_become_columns() {
    let mut d = Document::square();
    let up = le!(f32: 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1);
    let normal = d.accessor(F32, "VEC3", 4, &up);
    let uv = d.accessor(U8, "VEC2", 4, &[0, 255, 255, 255, 0, 0, 51, 0]);
    d.json["accessors"][uv]["normalized"] = true.into();
    let more = d.accessor(F32, "VEC2", 4, &le!(f32: 1, 2, 3, 4, 5, 6, 7, 8));
    let colours = le!(u16: 0, 1, 2, 65535, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    let color = d.accessor(U16, "VEC4", 4, &colours);
    d.json["accessors"][color]["normalized"] = true.into();
    let along = le!(f32: 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, -1);
    let tangent = d.accessor(F32, "VEC4", 4, &along);
    let joints = d.accessor(U8, "VEC4", 4, &(0..16).collect::<Vec<u8>>());
    let one = le!(f32: 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0);
    let weights = d.accessor(F32, "VEC4", 4, &one);
    let heat = d.accessor(5122, "SCALAR", 4, &le!(i16: -5, 0, 5, 32767));
    let attributes = json!({
        "POSITION": 0, "NORMAL": normal, "TEXCOORD_0": uv, "TEXCOORD_1": more, "COLOR_0": color,
        "TANGENT": tangent, "JOINTS_0": joints, "WEIGHTS_0": weights, "_HEAT": heat, "_normal": heat
    });
    let d = d.primitives(json!([{ "mode": 5, "attributes": attributes }]));
    let mesh = d.mesh();
    let floats = |name: &str| match &vertex_column(&mesh, name).data {
        ColumnData::F32(v) => v.clone(),
        other => panic!("{name}: {other:?}"),
    };
    assert_eq!(mesh.vertex_normals().unwrap(), [Vec3::Z; 4]);
    assert_eq!(floats("s"), [0.0, 1.0, 0.0, 0.2]);
    assert_eq!(floats("t"), [0.0, 0.0, 1.0, 1.0]);
    assert_eq!(
        floats("TEXCOORD_1"),
        [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]
    );
    let color = vertex_column(&mesh, "color");
    assert_eq!((color.width, color.data.get(3)), (4, 65535.0));
    assert!(matches!(color.data, ColumnData::U16(_)));
    assert_eq!(floats("TANGENT")[12..], [1.0, 0.0, 0.0, -1.0]);
    let joints = &vertex_column(&mesh, "JOINTS_0").data;
    assert_eq!(*joints, ColumnData::U8((0..16).collect()));
    assert_eq!(floats("WEIGHTS_0").len(), 16);
    let heat = ColumnData::I16(vec![-5, 0, 5, 32767]);
    assert_eq!(vertex_column(&mesh, "HEAT").data, heat);
    assert_eq!(vertex_column(&mesh, "_normal").data, heat);
    // Everything of it comes back, in both forms.
    for (name, encoding) in both_forms() {
        let (bytes, report) = written(name, encoding, &mesh);
        assert_eq!(report.warnings, Vec::<String>::new());
        let back = read_as(name, &bytes).unwrap();
        assert_eq!(back.warnings, Vec::<String>::new());
        for column in &mesh.extras.columns {
            assert_eq!(vertex_column(&back.mesh, &column.name), column);
        }
        assert_same_shape(&mesh, &back.mesh);
        assert_eq!(back.mesh.extras.columns.len(), mesh.extras.columns.len());
    }
}

#[test]
fn interleaved_sparse_and_missing_elements() {
    let mut d = Document::square();
    // Positions, then two bytes and two that fill: 16 bytes a vertex.
    let mut bytes = Vec::new();
    for v in 0..3u8 {
        bytes.extend(le!(f32: v, 2 * v, -1));
        bytes.extend([v, 9 - v, 77, 77]);
    }
    let view = d.view(&bytes);
    d.json["bufferViews"][view]["byteStride"] = 16.into();
    let vec3 = json!({ "componentType": F32, "type": "VEC3", "count": 3 });
    let mut dense = vec3.clone();
    dense["bufferView"] = view.into();
    let at = d.push("accessors", dense.clone());
    let pair = json!({
        "bufferView": view, "byteOffset": 12, "componentType": U8, "type": "VEC2", "count": 3
    });
    let pair = d.push("accessors", pair);
    let (rows, values) = (d.view(&[2]), d.view(&le!(f32: 7, 8, 9)));
    let replaced = json!({
        "count": 1,
        "indices": { "bufferView": rows, "componentType": U8 },
        "values": { "bufferView": values },
    });
    let mut zeros = vec3;
    zeros["sparse"] = replaced.clone();
    let zeros = d.push("accessors", zeros);
    dense["sparse"] = replaced;
    let sparse = d.push("accessors", dense);
    let primitives =
        |at| json!([{ "attributes": { "POSITION": at, "_PAIR": pair, "_zeros": zeros } }]);
    let d = d.primitives(primitives(at));
    let mesh = d.mesh();
    let expected = [[0.0, 0.0, -1.0], [1.0, 2.0, -1.0], [2.0, 4.0, -1.0]];
    assert_eq!(positions(&mesh), expected);
    let pair = ColumnData::U8(vec![0, 9, 1, 8, 2, 7]);
    assert_eq!(vertex_column(&mesh, "PAIR").data, pair);
    let zeros = ColumnData::F32(vec![0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 7.0, 8.0, 9.0]);
    assert_eq!(vertex_column(&mesh, "zeros").data, zeros);
    let mesh = d.primitives(primitives(sparse)).mesh();
    assert_eq!(positions(&mesh)[1..], [[1.0, 2.0, -1.0], [7.0, 8.0, 9.0]]);
}

#[test]
fn nodes_place_meshes_and_name_them() {
    let mut d = Document::square();
    let up = le!(f32: 0, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1);
    let normal = d.accessor(F32, "VEC3", 4, &up);
    let half = std::f64::consts::FRAC_1_SQRT_2;
    let nodes = json!([
        { "translation": [10, 0, 0], "children": [1, 2] },
        { "mesh": 0, "name": "mirrored", "scale": [-1, 1, 1] },
        // A quarter about x, and twice as large.
        { "mesh": 0, "name": "turned", "rotation": [half, 0, 0, half], "scale": [2, 2, 2] },
        { "mesh": 0, "matrix": [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 5, 1] },
        { "mesh": 0, "name": "in no scene" },
    ]);
    let d = d
        .primitives(json!([{ "attributes": { "POSITION": 0, "NORMAL": normal }, "mode": 5 }]))
        .with("scenes", json!([{ "nodes": [3, 0] }, { "nodes": [] }]))
        .with("nodes", nodes);
    let loaded = d.read().unwrap();
    let mesh = loaded.mesh;
    let told = "scene 0 of 2 is read, the others are left out";
    assert_eq!(loaded.warnings, [told]);
    let near = |v: usize, at: [f32; 3]| {
        let p = mesh.positions[v];
        assert!(p.abs_diff_eq(Vec3::from(at), 1e-6), "{v}: {p}");
    };
    near(3, [1.0, 1.0, 5.0]);
    near(5, [9.0, 0.0, 0.0]);
    near(10, [10.0, 0.0, 2.0]);
    let faces = [[0, 1, 2], [1, 3, 2], [4, 6, 5], [5, 6, 7]];
    assert_eq!(mesh.faces[..4], faces);
    let normals = mesh.vertex_normals().unwrap();
    assert_eq!(normals[..8], [Vec3::Z; 8]);
    assert!(normals[8].abs_diff_eq(-Vec3::Y, 1e-6));
    let object = TagKind::Object;
    let expected = [
        (0, object, ""),
        (2, object, "mirrored"),
        (4, object, "turned"),
    ];
    assert_eq!(tags(&mesh), expected);
    // The faces look where the normals do.
    for f in &mesh.faces {
        let [a, b, c] = f.map(|v| mesh.positions[v as usize]);
        let normal = normals[f[0] as usize];
        assert!((b - a).cross(c - a).dot(normal) > 0.0);
    }
}
