//! Lines that are of no use take nothing else along: they are left out with one warning that counts them.

use super::*;

fn warned(name: &str, bytes: &[u8]) -> (TriMesh, Vec<String>) {
    let read = read_as(name, bytes).unwrap_or_else(|e| panic!("{name}: {e}"));
    (read.mesh, read.warnings)
}

const TRIANGLE: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\n";

#[test]
fn normals_and_texture_coordinates_that_are_no_numbers() {
    for bad in [
        "nan nan nan",
        "-nan(ind) 0 0",
        "0 1.#QNAN 0",
        "inf 0 0",
        "1e60 0 0",
        "0 0",
        "a b c",
    ] {
        let text = format!("{TRIANGLE}vn 0 0 1\nvn {bad}\nvn 1 0 0\nvn {bad}\nf 1//1 2//2 3//3\n");
        let (mesh, warnings) = warned("a.obj", text.as_bytes());
        let want = "2 normals (vn) are no finite numbers and are left out, the first is on line 5";
        assert_eq!(warnings, [want], "{bad}");
        let layer = mesh.extras.corner_normals.unwrap();
        assert_eq!(layer.corners, [0, NO_VALUE, 1]);
        assert_eq!(layer.values, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]);
    }
    let text = format!("{TRIANGLE}vt nan 0\nvt 1 1\nvt 0\nf 1/1 2/2 3/3\nf 1/1 3/1 2/1\n");
    let (mesh, warnings) = warned("a.obj", text.as_bytes());
    let want =
        "1 texture coordinates (vt) are no finite numbers and are left out, the first is on line 4";
    assert_eq!(warnings, [want]);
    let layer = mesh.extras.corner_texcoords.unwrap();
    assert_eq!(
        layer.corners,
        [NO_VALUE, 0, 1, NO_VALUE, NO_VALUE, NO_VALUE]
    );
    // One normal per vertex: no direction where there was none.
    let text = format!("{TRIANGLE}vn nan nan nan\nvn 0 0 1\nvn 0 1 0\nf 1//1 2//2 3//3\n");
    let (mesh, _) = warned("a.obj", text.as_bytes());
    let normals = mesh.vertex_normals().unwrap();
    assert_eq!(normals, [Vec3::ZERO, Vec3::Z, Vec3::Y]);
    // Nothing is left.
    let text = format!("{TRIANGLE}vn nan nan nan\nf 1//1 2//1 3//1\n");
    let (mesh, _) = warned("a.obj", text.as_bytes());
    assert!(mesh.extras.corner_normals.is_none());
    let text = "NOFF\n3 1 0\n0 0 0 nan 0 0\n1 0 0 0 0 1\n0 1 0 0 0 inf\n3 0 1 2\n";
    let (mesh, warnings) = warned("a.off", text.as_bytes());
    let normals = mesh.vertex_normals().unwrap();
    assert_eq!(normals, [Vec3::ZERO, Vec3::Z, Vec3::ZERO]);
    assert_eq!(
        warnings,
        [
            "2 normals are no finite numbers: they are 0 now, the first is of vertex 0 (counted from 0)"
        ]
    );
    // Positions are the mesh.
    assert!(read_as("a.obj", b"v nan 0 0\n").is_err());
}

#[test]
fn dangling_numbers_of_texture_coordinates_and_normals() {
    let text = format!("{TRIANGLE}vt 0 0\nf 1/1 2/1 3/1\nf 1/9 2/1 3/-7\nf 1//1 2 3/999\n");
    let (mesh, warnings) = warned("a.obj", text.as_bytes());
    assert_eq!(
        warnings,
        [
            "3 corners of faces name texture coordinates that the file has not: they get none, the first is on line 6",
            "1 corners of faces name normals that the file has not: they get none, the first is on line 7"
        ]
    );
    let layer = mesh.extras.corner_texcoords.unwrap();
    let none = NO_VALUE;
    assert_eq!(layer.corners, [0, 0, 0, none, 0, none, none, none, none]);
    assert!(mesh.extras.corner_normals.is_none());
    let error = read_as("a.obj", format!("{TRIANGLE}f 1/1 2/1 4/1\n").as_bytes()).unwrap_err();
    assert!(error.to_string().contains("names vertex 4"), "{error}");
}

#[test]
fn faces_of_less_than_three_corners() {
    let obj = format!(
        "{TRIANGLE}v 1 1 0\nf\nf 1\nusemtl a\nf 2//9 -1/-7\nf 1 2 3\nf 9 9\nf 2 4 3\nt hole 2/0/0 1 5\n\
         t hole 1/0/0 3\n"
    );
    let read =
        read_poly_bytes(obj.as_bytes(), Path::new("a.obj"), &ReadOptions::default()).unwrap();
    assert_eq!(read.mesh.corners, [0, 1, 2, 1, 3, 2]);
    assert_eq!(
        read.mesh.holes,
        [0, 1],
        "numbers of faces as the file has them"
    );
    assert_eq!(read.mesh.extras.tags[0].face, 0);
    let want = "4 faces of less than three corners are left out, the first is on line 5";
    assert_eq!(read.warnings, [want]);

    let ply = "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nelement \
        face 5\nproperty list uchar int vertex_indices\nproperty uchar mark\nend_header\n0 0 0\n1 0 0\n0 1 0\n1 1 \
        0\n0 7\n3 0 1 2 8\n2 0 1 9\n4 0 1 3 2 10\n1 0 11\n";
    let read =
        read_poly_bytes(ply.as_bytes(), Path::new("a.ply"), &ReadOptions::default()).unwrap();
    assert_eq!(read.mesh.corners, [0, 1, 2, 0, 1, 3, 2]);
    assert_eq!(
        read.mesh.extras.columns[0].data,
        ColumnData::U8(vec![8, 10])
    );
    let want =
        "3 faces of less than three corners are left out, the first is face 0 (counted from 0)";
    assert_eq!(read.warnings, [want]);

    let off =
        "OFF\n4 4 0\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0\n3 0 1 2 255 0 0\n2 0 1 7\n4 0 1 3 2 0 0 255\n";
    let read =
        read_poly_bytes(off.as_bytes(), Path::new("a.off"), &ReadOptions::default()).unwrap();
    assert_eq!(read.mesh.corners, [0, 1, 2, 0, 1, 3, 2]);
    let colours = ColumnData::U8(vec![255, 0, 0, 0, 0, 255]);
    assert_eq!(read.mesh.extras.columns[0].data, colours);
    let want = "2 of 4 faces have fewer than three corners and are left out";
    assert_eq!(read.warnings, [want]);

    let mut binary = b"OFF BINARY\n".to_vec();
    let words = [
        3u32, 3, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 1, 0, 3, 0, 1, 2, 2, 0, 1,
    ];
    binary.extend(words.iter().flat_map(|n| n.to_le_bytes()));
    let (mesh, warnings) = warned("a.off", &binary);
    assert_eq!(mesh.faces, [[0, 1, 2]]);
    let want = "2 of 3 faces have fewer than three corners and are left out";
    assert_eq!(warnings, [want]);

    let facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
    let short =
        "facet normal nan nan nan\nouter loop\nvertex 5 5 5\nvertex 1 0 0\nendloop\nendfacet\n";
    let (mesh, warnings) = warned(
        "a.stl",
        format!("solid a\n{short}{facet}endsolid a\n").as_bytes(),
    );
    assert_eq!((mesh.face_count(), mesh.vertex_count()), (1, 3));
    let want = "1 facets of less than three corners are left out, the first is on line 2";
    assert_eq!(warnings, [want]);
}

#[test]
fn colours_that_are_none() {
    let text = "v 0 0 0 1 0 0\nv 1 0 0 nan 0 0\nv 0 1 0 1 2\nf 1 2 3\n";
    let (mesh, warnings) = warned("a.obj", text.as_bytes());
    let told =
        |w: &String| w.starts_with("2 vertices have neither a weight") && w.ends_with("line 2");
    assert!(warnings.iter().any(told), "{warnings:?}");
    let colours = ColumnData::U8(vec![255, 0, 0, 255, 255, 255, 255, 255, 255]);
    assert_eq!(mesh.extras.columns[0].data, colours);
}

/// Two letters of GBK and two of Shift-JIS whose second byte is a backslash, a folder of Windows, and plain ends.
#[test]
fn a_backslash_may_end_a_name() {
    let names = [
        (&b"g \xd5\x5c"[..], &b"\xd5\x5c"[..], false),
        (b"usemtl \x83\x5c\x95\x5c", b"\x83\x5c\x95\x5c", false),
        (b"o \xa5\x5c  ", b"\xa5\x5c", false),
        (b"mtllib C:\\maps\\", b"C:\\maps\\", true),
        (b"g name \\", b"name", true),
    ];
    for (line, name, told) in names {
        for end in [&b"\n"[..], b"\r\n"] {
            let mut text = TRIANGLE.as_bytes().to_vec();
            text.extend([line, end, b"f 1 2 3", end, b"f 3 2 1", end].concat());
            let (mesh, warnings) = warned("a.obj", &text);
            assert_eq!(mesh.face_count(), 2, "{line:x?}");
            assert_eq!(&*names::to_bytes(&mesh.extras.tags[0].text), name);
            assert_eq!(warnings.len(), usize::from(told), "{warnings:?}");
            if told {
                assert!(warnings[0].contains("backslash") && warnings[0].ends_with("line 4"));
            }
        }
    }
}

#[test]
fn a_backslash_carries_numbers_and_names_on() {
    let text = b"v 0 0 0\nv 1 0 \\\n 0\nv 0 1 0\ng a C:\\b \\ \n  c\ng d\\\ne\nf 1 \\ \t\n 2 \\\n3\nf 1 2 3 # C:\\x\\\n\
        f 3 2 1 \\\n";
    let (mesh, warnings) = warned("a.obj", text);
    assert_eq!(mesh.faces, [[0, 1, 2], [0, 1, 2], [2, 1, 0]]);
    let names: Vec<&str> = mesh.extras.tags.iter().map(|t| t.text.as_str()).collect();
    assert_eq!(names.len(), 2);
    let words: Vec<&str> = names[0].split_whitespace().collect();
    assert_eq!(words, ["a", "C:\\b", "c"]);
    assert_eq!(names[1].split_whitespace().collect::<Vec<_>>(), ["d", "e"]);
    assert!(warnings.is_empty(), "{warnings:?}");
    // A name that continues at the end of the file, before an empty line, a comment.
    for end in ["", "\n", "\n\n", "\n# c\n"] {
        let text = format!("{TRIANGLE}f 1 2 3\ng D:\\x\\{end}");
        let (mesh, _) = warned("a.obj", text.as_bytes());
        assert_eq!(mesh.extras.tags[0].text, "D:\\x\\", "{end:?}");
    }
}

/// Chunks are cut between lines, wherever these end in backslashes.
#[test]
fn chunks_do_not_tear_lines() {
    let mut text = TRIANGLE.as_bytes().to_vec();
    for i in 0..20_000 {
        text.extend(match i % 3 {
            0 => &b"f 1 \\\n2 \\ \n 3\n"[..],
            1 => b"g \xd5\x5c\nf 1 2 3\n",
            _ => b"mtllib C:\\maps\\\nf 1 2 3\n\\\n\n",
        });
    }
    let (mesh, _) = warned("a.obj", &text);
    assert_eq!(mesh.face_count(), 20_000);
}
