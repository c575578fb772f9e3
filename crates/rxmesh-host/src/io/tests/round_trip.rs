//! Written meshes read back the same.

use super::*;
use crate::mesh::generate;

#[test]
fn positions_and_faces_survive_every_format_to_the_last_bit() {
    let mut noisy = generate::torus(40, 30, 2.0, 0.7).unwrap();
    generate::noise(&mut noisy, 0.3, 7).unwrap();
    generate::shuffle(&mut noisy, 8);
    for mesh in [awkward(), noisy] {
        for (name, encoding) in forms().into_iter().filter(|f| f.0 != "a.stl") {
            let (bytes, report) = written(name, encoding, &mesh);
            assert_eq!(report.warnings, Vec::<String>::new());
            assert_eq!(report.bytes, bytes.len() as u64);
            let back = read_as(name, &bytes).unwrap();
            assert_same_shape(&mesh, &back.mesh);
            assert!(back.warnings.is_empty(), "{name}: {:?}", back.warnings);
            assert!(back.mesh.extras.is_empty(), "{name}");
        }
    }
}

/// STL has no vertices, so corners are compared, and vertices come in the order of their use.
#[test]
fn corners_survive_stl() {
    let mut mesh = generate::icosphere(3).unwrap();
    generate::shuffle(&mut mesh, 1);
    mesh.extras.tags.push(Tag {
        face: 0,
        kind: TagKind::Object,
        text: "ball # 1".into(),
    });
    let corners = |m: &TriMesh| -> Vec<_> {
        m.faces
            .iter()
            .flatten()
            .map(|&v| m.positions[v as usize].to_array().map(f32::to_bits))
            .collect()
    };
    for encoding in [Encoding::Ascii, Encoding::Binary] {
        let (bytes, _) = written("a.stl", encoding, &mesh);
        let back = read_as("a.stl", &bytes).unwrap().mesh;
        assert_eq!(corners(&mesh), corners(&back));
        assert_eq!(mesh.vertex_count(), back.vertex_count());
        let again = read_as("a.stl", &written("a.stl", encoding, &back).0)
            .unwrap()
            .mesh;
        assert_same_shape(&back, &again);
        if encoding == Encoding::Ascii {
            assert_eq!(back.extras.tags, mesh.extras.tags);
        }
    }
}

#[test]
fn ply_keeps_columns_of_every_type() {
    let mesh = laden();
    for encoding in [Encoding::Ascii, Encoding::Binary, Encoding::BinaryBigEndian] {
        let (bytes, report) = written("a.ply", encoding, &mesh);
        let back = read_as("a.ply", &bytes).unwrap();
        assert_eq!(back.mesh.extras.columns, mesh.extras.columns);
        assert_eq!(
            back.mesh.extras.corner_texcoords,
            mesh.extras.corner_texcoords
        );
        assert_same_shape(&mesh, &back.mesh);
        assert_eq!(
            report.warnings,
            ["PLY holds no groups, objects or materials (6 statements)"]
        );
    }
}

#[test]
fn obj_keeps_layers_and_tags_and_names_what_it_drops() {
    let mut mesh = laden();
    let corners = vec![0, 1, 1, 1, 1, 1, 0, 0, NO_VALUE];
    mesh.extras.corner_normals = Some(CornerLayer {
        width: 3,
        values: vec![0.0, 0.0, 1.0, 0.0, 1.0, 0.0],
        corners,
    });
    let (bytes, report) = written("a.obj", Encoding::Binary, &mesh);
    let back = read_as("a.obj", &bytes).unwrap().mesh;
    assert_same_shape(&mesh, &back);
    assert_eq!(back.extras.corner_texcoords, mesh.extras.corner_texcoords);
    assert_eq!(back.extras.corner_normals, mesh.extras.corner_normals);
    assert_eq!(back.extras.tags, mesh.extras.tags);
    for name in [
        "distance", "precise", "i8", "i16", "u16", "i32", "u32", "normal",
    ] {
        assert!(
            report
                .warnings
                .iter()
                .any(|w| w.contains(&format!("'{name}'"))),
            "{name}: {:?}",
            report.warnings
        );
    }
    // OBJ writes colours as fractions, and they come back the same.
    let colour = |m: &TriMesh| m.extras.column(ElementKind::Vertex, "color").cloned();
    assert_eq!(colour(&back), colour(&mesh));
    let again = read_as("a.obj", &written("a.obj", Encoding::Binary, &back).0)
        .unwrap()
        .mesh;
    assert_eq!(again, back);
}

#[test]
fn normals_and_texcoords_of_vertices_cross_from_obj_to_ply_and_back() {
    let text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0.5\nvt 1 0\nvt 0.25 1\nvn 0 0 1\nvn 0 1 0\nvn 1 0 0\nf 3/3/3 1/1/1 \
        2/2/2\n";
    let first = read_as("a.obj", text).unwrap().mesh;
    assert_eq!(first.vertex_normals().unwrap()[1], Vec3::Y);
    assert!(first.extras.corner_normals.is_none() && first.extras.corner_texcoords.is_none());
    let ply = read_as("a.ply", &written("a.ply", Encoding::Binary, &first).0)
        .unwrap()
        .mesh;
    assert_eq!(ply, first);
    let obj = read_as("a.obj", &written("a.obj", Encoding::Binary, &ply).0)
        .unwrap()
        .mesh;
    assert_eq!(obj, first);
}

#[test]
fn off_keeps_colours_normals_and_texcoords() {
    let mut mesh = awkward();
    mesh.set_vertex_normals(vec![Vec3::X; 5]).unwrap();
    let (v, f) = (ElementKind::Vertex, ElementKind::Face);
    let scalars = |k: f32| ColumnData::F32((0..5).map(|i| i as f32 / 7.0 + k).collect());
    for c in [
        column(
            "color",
            v,
            4,
            ColumnData::F32((0..20).map(|i| i as f32 / 19.0).collect()),
        ),
        column("s", v, 1, scalars(0.0)),
        column("t", v, 1, scalars(1.0)),
        column(
            "color",
            f,
            3,
            ColumnData::U8(vec![1, 2, 3, 0, 0, 1, 255, 254, 253]),
        ),
    ] {
        mesh.add_column(c).unwrap();
    }
    let (bytes, report) = written("a.off", Encoding::Binary, &mesh);
    assert!(
        bytes.starts_with(b"STCNOFF\n"),
        "{}",
        String::from_utf8_lossy(&bytes)
    );
    assert!(report.warnings.is_empty());
    assert_eq!(read_as("a.off", &bytes).unwrap().mesh, mesh);
}

#[test]
fn stl_keeps_its_attribute_bytes_and_names_what_it_drops() {
    let mut mesh = laden();
    mesh.add_column(column(
        "stl_attribute",
        ElementKind::Face,
        1,
        ColumnData::U16(vec![1, 0, 65535]),
    ))
    .unwrap();
    mesh.positions.push(mesh.positions[0]);
    mesh.extras
        .columns
        .retain(|c| c.element == ElementKind::Face || c.name == "distance");
    mesh.add_vertex_column("distance", vec![0.0; 6]).unwrap();
    let (bytes, report) = written("a.stl", Encoding::Binary, &mesh);
    let back = read_as("a.stl", &bytes).unwrap().mesh;
    assert_eq!(
        back.extras.columns,
        [mesh
            .extras
            .column(ElementKind::Face, "stl_attribute")
            .unwrap()
            .clone()]
    );
    let all = report.warnings.join("\n");
    for part in [
        "vertex column 'distance'",
        "texture coordinates",
        "groups",
        "without faces: 1",
        "1 that share",
    ] {
        assert!(all.contains(part), "'{part}' is not in:\n{all}");
    }
}

#[test]
fn points_without_faces_are_a_mesh() {
    let points = TriMesh::new(vec![Vec3::X, Vec3::Y], vec![]).unwrap();
    for (name, encoding) in forms().into_iter().filter(|f| f.0 != "a.stl") {
        let (bytes, _) = written(name, encoding, &points);
        assert_eq!(read_as(name, &bytes).unwrap().mesh, points, "{name}");
    }
}

#[test]
fn writing_replaces_whole_files_only() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("out.obj");
    let mesh = awkward();
    write(&path, &mesh, &WriteOptions::default()).unwrap();
    assert_same_shape(&read(&path, &ReadOptions::default()).unwrap().mesh, &mesh);
    let before = std::fs::read(&path).unwrap();
    let mut broken = mesh.clone();
    broken.faces.push([0, 1, 99]);
    assert!(matches!(
        write(&path, &broken, &WriteOptions::default()),
        Err(IoError::Mesh { .. })
    ));
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let mut read_only = std::fs::metadata(&path).unwrap().permissions();
    read_only.set_readonly(true);
    std::fs::set_permissions(&path, read_only).unwrap();
    let refused = write(&path, &mesh, &WriteOptions::default()).unwrap_err();
    assert!(
        refused.to_string().contains("out.obj") && refused.to_string().contains("read-only"),
        "{refused}"
    );
    assert_eq!(
        std::fs::read_dir(folder.path()).unwrap().count(),
        1,
        "a temporary file was left behind"
    );
    let missing = folder.path().join("no").join("out.obj");
    let refused = write(&missing, &mesh, &WriteOptions::default())
        .unwrap_err()
        .to_string();
    assert!(
        refused.contains("no/out.obj") && refused.contains("there is no folder"),
        "{refused}"
    );
    let is_folder = write(
        folder.path(),
        &mesh,
        &WriteOptions {
            format: Some(Format::Obj),
            ..Default::default()
        },
    );
    assert!(
        is_folder
            .unwrap_err()
            .to_string()
            .contains("it is a folder")
    );
}

#[cfg(unix)]
#[test]
fn writing_follows_links_and_keeps_modes() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (real, link) = (
        folder.path().join("real.ply"),
        folder.path().join("link.ply"),
    );
    std::fs::write(&real, "old").unwrap();
    std::fs::set_permissions(&real, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::os::unix::fs::symlink(&real, &link).unwrap();
    write(&link, &awkward(), &WriteOptions::default()).unwrap();
    assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(
        std::fs::metadata(&real).unwrap().permissions().mode() & 0o777,
        0o640
    );
    assert_same_shape(
        &read(&real, &ReadOptions::default()).unwrap().mesh,
        &awkward(),
    );
}

/// PLY may bring NaN in columns; text formats must not become unreadable by it.
#[test]
fn columns_with_nan_stay_in_ply_and_out_of_the_others() {
    let mut mesh = awkward();
    mesh.set_vertex_normals(vec![Vec3::NAN; 5]).unwrap();
    for (name, encoding) in forms() {
        let (bytes, report) = written(name, encoding, &mesh);
        let back = read_as(name, &bytes).unwrap().mesh;
        assert_eq!(back.vertex_normals().is_some(), name == "a.ply");
        assert_eq!(
            report.warnings.is_empty(),
            name == "a.ply",
            "{:?}",
            report.warnings
        );
    }
}
