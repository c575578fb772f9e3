//! Meshes that are written and read again.

use super::*;
use crate::mesh::{generate, merge};

#[test]
fn objects_groups_and_materials_come_back() {
    let mut mesh = generate::grid(4, 1).unwrap();
    mesh.extras.tags = vec![
        tag(0, TagKind::Object, "left"),
        tag(0, TagKind::Material, "wood"),
        tag(2, TagKind::Material, "steel"),
        tag(3, TagKind::Group, "door"),
        tag(4, TagKind::Object, "right"),
        tag(6, TagKind::Material, "wood"),
        tag(6, TagKind::Group, ""),
    ];
    let (bytes, report) = written("a.glb", Encoding::Binary, &mesh);
    assert_eq!(report.warnings, Vec::<String>::new());
    let back = read_as("a.glb", &bytes).unwrap().mesh;
    assert_same_shape(&mesh, &back);
    assert_eq!(back.extras.tags, mesh.extras.tags);
    // Meshes that share no vertex have their own accessors, and the order is that of before.
    let twice = merge(vec![mesh.clone(), mesh]).unwrap().mesh;
    let bytes = written("a.glb", Encoding::Binary, &twice).0;
    let back = read_as("a.glb", &bytes).unwrap().mesh;
    assert_same_shape(&twice, &back);
    // The material that holds already is not named again.
    let mut expected = tags(&twice);
    expected.retain(|t| *t != (8, TagKind::Material, "wood"));
    assert_eq!(tags(&back), expected);
}

#[test]
fn values_of_corners_split_vertices() {
    let mut mesh = generate::grid(2, 1).unwrap();
    let corners = 3 * mesh.face_count() as u32;
    mesh.extras.corner_texcoords = Some(CornerLayer {
        width: 2,
        values: (0..2 * corners).map(|i| (i % 7) as f32 / 8.0).collect(),
        corners: (0..corners).collect(),
    });
    let heat = (0..mesh.vertex_count()).map(|v| v as f32);
    mesh.add_vertex_column("heat", heat.collect()).unwrap();
    let bytes = written("a.glb", Encoding::Binary, &mesh).0;
    let back = read_as("a.glb", &bytes).unwrap().mesh;
    assert!(back.vertex_count() > mesh.vertex_count());
    let layer = mesh.extras.corner_texcoords.as_ref().unwrap();
    let all = mesh
        .faces
        .as_flattened()
        .iter()
        .zip(back.faces.as_flattened());
    for (corner, (&old, &new)) in all.enumerate() {
        let [old, new] = [old, new].map(|v| v as usize);
        assert_eq!(mesh.positions[old], back.positions[new]);
        let entry = layer.corners[corner] as usize;
        let at = |name| vertex_column(&back, name).data.get(new) as f32;
        assert_eq!([at("s"), at("t")], layer.values[2 * entry..2 * entry + 2]);
        assert_eq!(at("heat"), old as f32);
    }
}

#[test]
fn meshes_far_from_the_origin_keep_their_digits() {
    let mut mesh = generate::icosphere(2).unwrap();
    mesh.placement.origin = glam::DVec3::new(500_000.25, 4_649_776.5, 100.0);
    for (name, encoding) in both_forms() {
        let (bytes, report) = written(name, encoding, &mesh);
        assert_eq!(report.warnings, Vec::<String>::new());
        let loaded = read_as(name, &bytes).unwrap();
        assert_eq!(loaded.warnings, Vec::<String>::new());
        for v in 0..mesh.vertex_count() {
            let (a, b) = (loaded.mesh.world(v), mesh.world(v));
            assert!(a.abs_diff_eq(b, 1e-6), "{v}: {a} {b}");
        }
    }
}

#[test]
fn quantised_and_packed_files_are_near() {
    let mut mesh = generate::torus(30, 20, 3.0, 1.0).unwrap();
    mesh.placement.origin.x = 1e6;
    let n = mesh.vertex_count();
    let unit = mesh.positions.iter().map(|p| p.normalize());
    mesh.set_vertex_normals(unit.collect()).unwrap();
    for name in ["s", "t"] {
        let values = (0..n).map(|v| v as f32 / n as f32);
        mesh.add_vertex_column(name, values.collect()).unwrap();
    }
    let plain = written("a.glb", Encoding::Binary, &mesh).0.len();
    let mut sizes = vec![plain];
    for encoding in [Encoding::Quantised, Encoding::Packed] {
        for name in ["a.glb", "a.gltf"] {
            let (bytes, report) = written(name, encoding, &mesh);
            assert_eq!(report.warnings, Vec::<String>::new());
            let loaded = read_as(name, &bytes).unwrap();
            assert_eq!(loaded.warnings, Vec::<String>::new());
            let back = loaded.mesh;
            assert_eq!(back.vertex_count(), n);
            let turned = |f: &[u32; 3]| {
                let least = (0..3).min_by_key(|&k| f[k]).unwrap();
                [0, 1, 2].map(|k| f[(least + k) % 3])
            };
            let faces = |m: &TriMesh| m.faces.iter().map(turned).collect::<Vec<_>>();
            assert_eq!(faces(&back), faces(&mesh));
            // Half a step of the longest side along each axis.
            let step = 8.0 / 65535.0;
            let [before, after] = [&mesh, &back].map(|m| m.vertex_normals().unwrap());
            for (v, (a, b)) in before.iter().zip(&after).enumerate() {
                assert!(back.world(v).abs_diff_eq(mesh.world(v), 0.6 * step), "{v}");
                assert!(a.abs_diff_eq(*b, 0.006), "{v}");
            }
            for name in ["s", "t"] {
                let [a, b] = [&mesh, &back].map(|m| &vertex_column(m, name).data);
                assert!((0..n).all(|v| (a.get(v) - b.get(v)).abs() < 1e-5));
            }
            if name == "a.glb" {
                sizes.push(bytes.len());
            }
        }
    }
    assert!(
        sizes[1] < 7 * sizes[0] / 10 && sizes[2] < 7 * sizes[1] / 10,
        "{sizes:?}"
    );
    let options = WriteOptions {
        format: None,
        encoding: Encoding::Packed,
    };
    let why = write_bytes(Path::new("a.ply"), &mesh, &options).unwrap_err();
    let told = "PLY has no packed numbers; GLB and glTF have them";
    assert!(why.to_string().contains(told), "{why}");
}

#[test]
fn names_have_every_character() {
    let mut mesh = generate::grid(1, 1).unwrap();
    let text = "\"\\\u{1}\u{ef80}\u{1F600}";
    mesh.extras.tags.push(tag(0, TagKind::Object, text));
    for (name, encoding) in both_forms() {
        let bytes = written(name, encoding, &mesh).0;
        assert_eq!(tags(&read_as(name, &bytes).unwrap().mesh), tags(&mesh));
    }
}

#[test]
fn what_the_format_does_not_hold_is_named() {
    let mut mesh = generate::grid(1, 1).unwrap();
    mesh.extras.tags = vec![
        tag(0, TagKind::Library, "a.mtl"),
        tag(0, TagKind::Smoothing, "1"),
    ];
    let normals = vec![Vec3::ZERO, Vec3::Z * 2.0, Vec3::Z, Vec3::Y];
    mesh.set_vertex_normals(normals).unwrap();
    mesh.add_face_column("stress", vec![0.0; 2]).unwrap();
    let v = ElementKind::Vertex;
    for c in [
        column("color", v, 3, ColumnData::F32([0.0, 0.5, 2.0].repeat(4))),
        column("big", v, 1, ColumnData::U32(vec![u32::MAX, 1, 2, 3])),
        column("five", v, 5, ColumnData::U8(vec![0; 20])),
        column("TEXCOORD_1", v, 2, ColumnData::F32(vec![0.25; 8])),
        column("nan", v, 1, ColumnData::F32(vec![f32::NAN; 4])),
    ] {
        mesh.add_column(c).unwrap();
    }
    let (bytes, report) = written("a.glb", Encoding::Binary, &mesh);
    for word in [
        "no smoothing groups",
        "libraries (mtllib) were not found",
        "1 normals have no direction",
        "1 normals are not of length 1",
        "4 values are clamped",
        "column 'big' as 32-bit floats: 1 values are rounded",
        "no face column 'stress'",
        "no vertex column 'five'",
        "no vertex column 'nan'",
    ] {
        let told = report.warnings.iter().any(|w| w.contains(word));
        assert!(told, "{word}: {:?}", report.warnings);
    }
    let back = read_as("a.glb", &bytes).unwrap().mesh;
    let normals = back.vertex_normals().unwrap();
    assert_eq!(normals, [Vec3::Z, Vec3::Z, Vec3::Z, Vec3::Y]);
    // Without the first set, the second is an attribute of our own.
    let second = vertex_column(&back, "_TEXCOORD_1");
    assert_eq!(second.data.get(0), 0.25);
}

#[test]
fn what_a_mesh_does_not_hold_is_named() {
    let morphed = json!({
        "attributes": { "POSITION": 0 }, "mode": 5, "targets": [{ "POSITION": 0 }]
    });
    let scene = Document::square()
        .primitives(json!([morphed]))
        .with("animations", json!([{}, {}]))
        .with(
            "nodes",
            json!([{ "mesh": 0, "skin": 0, "translation": [9, 9, 9] }]),
        )
        .with(
            "extensions",
            json!({ "KHR_lights_punctual": { "lights": [] } }),
        )
        .with("skins", json!([{}]));
    let loaded = scene.read().unwrap();
    assert_eq!(positions(&loaded.mesh)[0], [0.0; 3]);
    let all = loaded.warnings.join("; ");
    for word in [
        "skin 0 has no joints",
        "1 primitives have morph targets",
        "2 animations, lights",
    ] {
        assert!(all.contains(word), "{all}");
    }
}
