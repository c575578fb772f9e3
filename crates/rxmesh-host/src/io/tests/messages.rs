//! Good files in odd spellings are read; bad ones are refused with file, line and value.

use super::*;

/// Returns the whole message about a text.
fn refusal(name: &str, text: &[u8]) -> String {
    match read_bytes(text, Path::new(name), &ReadOptions::default()) {
        Err(e) => e.to_string(),
        Ok(l) => panic!("{name} was read: {:?}", l.mesh),
    }
}

#[test]
fn faults_name_file_line_and_value() {
    let ply = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement \
        face 1\nproperty list uchar int vertex_indices\nend_header\n";
    let ply = |rows: &str| format!("{ply}{rows}");
    let cases: Vec<(&str, String, &str)> = vec![
        ("a.obj", "v 0 0 0\nv 1 nan 0\n".into(), "a.obj: line 2: 'nan' is not a finite number"),
        ("a.obj", "v 0 0 0\n\n# c\nv 1 -inf 0\n".into(), "a.obj: line 4: '-inf' is not a finite number"),
        ("a.obj", "v 0 1e309 0\n".into(), "a.obj: line 1: '1e309' is too large for a 64-bit float"),
        ("a.obj", "v 0 1,5 0\n".into(), "a.obj: line 1: '1,5' is not a number"),
        ("a.obj", "v 0 0 0\nv 0 1\n".into(), "a.obj: line 2: z expected, but the line ends"),
        ("a.obj", "v 0 0 0\nf 1 0 1\n".into(), "a.obj: line 2: '0' names element 0; OBJ counts from 1"),
        ("a.obj", "v 0 0 0\nf 1 1 7/2\n".into(), "a.obj: line 2: '7/2' names vertex 7, but the file has 1"),
        ("a.obj", "v 0 0 0\nf -1 -2 1\nv 0 0 0\n".into(), "a.obj: line 2: '-2' names vertex -2 from here, but 1 of \
            the file's 2 come before"),
        ("a.obj", "v 0 0 0\nf 1 1 99999999999999999999999\n".into(), "names vertex 1152921504606846976, but the file \
            has 1"),
        ("a.obj", "v 0 0 0\nf 1 1 x\n".into(), "a.obj: line 2: 'x' is not a face corner"),
        ("a.obj", "v 0 0 0\nf 1 1 1/1/1/1\n".into(), "a.obj: line 2: '1/1/1/1' has more than three numbers"),
        ("a.obj", "v 0 0 0\nf 1 1 1\nf 1 1 \\\n 1 1\n".into(), "a.obj: line 3: a face has 4 corners; only triangles"),
        ("a.obj", "f 1 2 3\n".into(), "a.obj: line 1: '1' names vertex 1, but the file has 0"),
        ("a.obj", "# nothing\n".into(), "a.obj: holds no vertices"),
        ("a.obj", "# v\nOFF\n1 1 0\n0 0 0\n3 0 0 1\n".into(), "a.obj: line 5: face 0 names vertex 1 (both counted \
            from 0), but the file has 1 (the name says OBJ, the content is OFF)"),
        ("a.obj", String::new(), "a.obj: the file is empty"),
        ("a.xyz", "1 2 3\n".into(), "a.xyz: the format cannot be told from the name or the content; formats are obj, \
            ply, off, stl"),
        ("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 nan 0\n3 0 1 2\n".into(), "a.off: line 5: 'nan' is not a finite number"),
        ("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 \
            3\n".into(), "a.off: line 6: face 0 names vertex 3 (both counted from 0), but the file has 3"),
        ("a.off", "OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n-2 0 1\n".into(), "a.off: line 6: the number of corners is \
            '-2'"),
        ("a.off", "OFF\n4 1 0\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n4 0 1 2 3\n".into(), "a.off: line 7: a face has 4 corners"),
        ("a.off", "OFF\n-3 1 0\n".into(), "a.off: line 2: the number of vertices is '-3'"),
        ("a.off", "4OFF\n".into(), "a.off: line 1: '4OFF': vertices of more than three coordinates are not read"),
        ("a.off", "PFF\n".into(), "a.off: line 1: an OFF file begins with 'OFF', this one with 'PFF'"),
        ("a.ply", ply("0 0 0\n1 0 0\n0 inf 0\n3 0 1 2\n"), "a.ply: line 12: 'inf' is not a finite number (y of vertex \
            2"),
        ("a.ply", ply("0 0 0\n1 0 0\n0 1 0\n3 0 1 3\n"), "a.ply: line 13: face 0 (counted from 0) names vertex 3, but \
            the file has 3"),
        ("a.ply", ply("0 0 0\n1 0 0\n0 1 0\n3 0 1 -1\n"), "a.ply: line 13: face 0 (counted from 0) names vertex -1"),
        ("a.ply", ply("0 0 0\n1 0 0\n0 1 0\n4 0 1 2 0\n"), "a.ply: line 13: a face has 4 corners"),
        ("a.ply", ply("0 0 0\n1 0 0\n0 1\n3 0 1 2\n"), "a.ply: line 12: property 'z' expected, but the line ends"),
        ("a.ply", ply("0 0 0\n1 0 0\n0 1 0\n       "), "the file ends before face 0 (counted from 0)"),
        ("a.ply", ply("0 0 0\n1 0 0\n0 1 0\n300 0 1 2\n"), "a.ply: line 13: property 'vertex_indices': '300' is not a \
            whole number from 0 to 255"),
        ("a.ply", "ply\nformat ascii 1.0\nelement vertex three\n".into(), "the header does not end"),
        ("a.ply", "ply\nformat ascii 1.0\nelement vertex \
            three\nend_header\n".into(), "a.ply: line 3: 'element vertex three' is not a line"),
        ("a.ply", "ply\nelement vertex 1\nproperty float \
            x\nend_header\n".into(), "the header has no valid line 'format"),
        ("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nelement vertex 1\nend_header\n0 \
            0\n".into(), "a.ply: line 5: the header declares element 'vertex' twice"),
        ("a.ply", "ply\rformat ascii 1.0\relement vertex 1\rproperty flot x\rend_header\r0 \
            0\r".into(), "a.ply: line 4: 'property flot x' is not a line"),
        ("a.ply", "ply\rformat binary_little_endian 1.0\relement vertex x\rend_header\r\n\n".into(), "a.ply: line 3: \
            'element vertex x' is not a line"),
        ("a.ply", "ply\nformat ascii 1.0\nelement vertex 1\nproperty float x\nproperty float y\nend_header\n0 \
            0\n".into(), "element 'vertex' has no number called 'z'"),
        ("a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 \
            x\n".into(), "a.stl: line 5: 'x' is not a number"),
        ("a.stl", "solid a\nfacet normal 0 0 1\nouter loop\nvertex 0 0 \
            0\n".into(), "a.stl: line 5: the file ends, 'vertex' or 'endloop' expected"),
    ];
    for (name, text, part) in cases {
        let message = refusal(name, text.as_bytes());
        assert!(
            message.contains(part) && message.starts_with(name),
            "\nwanted: {part}\ngot:    {message}\nfor: {text}"
        );
    }
}

#[test]
fn a_missing_file_is_named() {
    let e = read(Path::new("no/such.obj"), &ReadOptions::default()).unwrap_err();
    assert!(
        matches!(e, IoError::Read { .. })
            && e.to_string().starts_with("no/such.obj: cannot be read"),
        "{e}"
    );
    let e = write_bytes(Path::new("a.xyz"), &awkward(), &WriteOptions::default()).unwrap_err();
    assert!(
        e.to_string().contains("formats are obj, ply, off, stl"),
        "{e}"
    );
}

#[test]
fn obj_in_odd_spellings() {
    let text = b"\xef\xbb\xbf# c\r\n\r\n  v 0 0 0 1.0\r\nv\t1e0 0. .0 # x\r\nv +0 1 -0\r\nvp 1 2\r\ncurv 1\r\nvt \
        0.5\r\n\
f -3 \\\r\n -2 \\\r\n-1\r\nl 1 2\r\nf 1/1 2/1 4/1\r\nv 1 1 0\r\np 1\r\n";
    let l = read_as("a.obj", text).unwrap();
    assert_eq!(l.mesh.faces, [[0, 1, 2], [0, 1, 3]]);
    assert_eq!(
        l.warnings,
        ["2 lines and points ('l', 'p') are not kept, the first is on line 12"]
    );
    let layer = l.mesh.extras.corner_texcoords.unwrap();
    assert_eq!(layer.corners, [NO_VALUE, NO_VALUE, NO_VALUE, 0, 0, 0]);
    assert_eq!(layer.values, [0.5, 0.0]);
    let mac = read_as("a.obj", b"v 0 0 0\rv 1 0 0\rv 0 1 0\rf 1 2 3\r").unwrap();
    assert_eq!(mac.mesh.faces, [[0, 1, 2]]);
}

/// Keywords and orders as other programs write them: MeshLab's `NC` has colours before normals, the format's `CN`
/// after them.
#[test]
fn off_with_colours_and_normals_in_either_order() {
    let rows = |all: [&str; 3]| {
        let [a, b, c] = all;
        format!("\n3 1 0\n0 0 0 {a}\n1 0 0 {b}\n0 1 0 {c}\n3 0 1 2\n")
    };
    let colours_first = rows(["255 0 10 9 0 0 1", "0 0 10 9 -1 0 0", "5 0 10 9 0 -1 0"]);
    let normals_first = rows(["0 0 1 255 0 10 9", "-1 0 0 0 0 10 9", "0 -1 0 5 0 10 9"]);
    let unclear = rows(["1 0 0 0 0 1", "1 0 0 0 1 0", "1 0 0 1 0 0"]);
    let (black, red) = (vec![0, 0, 1, 0, 1, 0, 1, 0, 0], [1, 0, 0].repeat(3));
    for (keyword, rows, colours) in [
        ("NCOFF", &colours_first, None),
        ("NCOFF", &normals_first, None),
        ("CNOFF", &normals_first, None),
        ("CNOFF", &colours_first, None),
        ("ncoff", &colours_first, None),
        ("NCOFF", &unclear, Some(red)),
        ("CNOFF", &unclear, Some(black)),
    ] {
        let mesh = read_as("a.off", format!("{keyword}{rows}").as_bytes());
        let mesh = mesh.unwrap().mesh;
        let colour = mesh.extras.column(ElementKind::Vertex, "color").unwrap();
        let all = vec![255, 0, 10, 9, 0, 0, 10, 9, 5, 0, 10, 9];
        assert_eq!(
            colour.data,
            ColumnData::U8(colours.unwrap_or(all)),
            "{keyword}{rows}"
        );
        if colour.width == 4 {
            let normals = mesh.vertex_normals().unwrap();
            assert_eq!(normals, [Vec3::Z, Vec3::NEG_X, Vec3::NEG_Y], "{keyword}");
        }
        let again = read_as("a.off", &written("a.off", Encoding::Ascii, &mesh).0);
        assert_eq!(again.unwrap().mesh, mesh);
    }
    let text = "NCSTOFF\n3 1 0\n0 0 0 9 8 7 0 0 1 0.5 1\n1 0 0 9 8 7 0 0 1 0 1\n0 1 0 9 8 7 0 0 1 0 0\n3 0 1 2\n";
    let mesh = read_as("a.off", text.as_bytes()).unwrap().mesh;
    let s = mesh.extras.column(ElementKind::Vertex, "s").unwrap();
    assert_eq!(s.data, ColumnData::F32(vec![0.5, 0.0, 0.0]));
    assert_eq!(mesh.vertex_normals().unwrap(), [Vec3::Z; 3]);
}

#[test]
fn off_keywords_in_any_case_and_none() {
    let body = "3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    for keyword in ["OFF\n", "off\n", "Off ", "", "# made by hand\n"] {
        let loaded = read_as("a.off", format!("{keyword}{body}").as_bytes()).unwrap();
        assert_eq!(loaded.mesh.faces, [[0, 1, 2]], "{keyword:?}");
        assert!(loaded.warnings.is_empty());
    }
    let comments = |text: String| {
        read_as("a.off", text.as_bytes())
            .unwrap()
            .mesh
            .extras
            .comments
    };
    assert_eq!(comments(format!("# by hand\n{body}# more\n")), ["by hand"]);
    let normals = "noff\n3 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2\n";
    let mesh = read_as("a.off", normals.as_bytes()).unwrap().mesh;
    assert_eq!(mesh.vertex_normals().unwrap(), [Vec3::Z; 3]);
    for keyword in ["4OFF", "nOFF", "4nOFF", "STnOFF", "4off"] {
        let message = refusal("a.off", format!("{keyword}\n{body}").as_bytes());
        assert!(message.contains("more than three coordinates"), "{message}");
    }
}

#[test]
fn off_faces_over_lines_of_few_corners_and_too_many() {
    let head = "OFF\n4\n4 # of all kinds\n0\n0 0 0#first\n1 0 0\n0 1 0 # third\n\n0 0 1\n";
    let text =
        format!("{head}3 0\n# between\n1\n  2 255 0 0\n2 0 1\n1 3#a point\n3 1 2 3 0 255 0\n");
    let loaded = read_as("a.off", text.as_bytes()).unwrap();
    assert_eq!(loaded.mesh.faces, [[0, 1, 2], [1, 2, 3]]);
    let colour = loaded
        .mesh
        .extras
        .column(ElementKind::Face, "color")
        .unwrap();
    assert_eq!(colour.data, ColumnData::U8(vec![255, 0, 0, 0, 255, 0]));
    assert_eq!(
        loaded.warnings,
        ["2 of 4 faces have fewer than three corners and are left out"]
    );
    let more = read_as("a.off", format!("{text}3 0 2 3\n4 0 1 2 3\n").as_bytes()).unwrap();
    assert_eq!(more.mesh, loaded.mesh);
    assert_eq!(
        more.warnings[1],
        "2 lines after the last face are not read: the header states 4 faces"
    );
    let mut binary = b"OFF BINARY\n".to_vec();
    let words = [
        3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 3, 0, 1, 2, 0, 1, 2, 0u32,
    ];
    words.iter().for_each(|w| binary.extend(w.to_be_bytes()));
    let loaded = read_as("a.off", &binary).unwrap();
    assert_eq!(loaded.mesh.faces, [[0, 1, 2]]);
    assert_eq!(loaded.warnings.len(), 1, "{:?}", loaded.warnings);
    // A row that lacks a vertex takes the next one with it, and then there are too few.
    let message = refusal(
        "a.off",
        format!("{head}3 0 1\n3 0 1 2\n3 0 1 2\n3 1 2 3\n").as_bytes(),
    );
    assert!(
        message
            .contains("before face 3 of 4 (counted from 0); face 0 has fewer vertices on its line"),
        "{message}"
    );
}

#[test]
fn off_in_odd_spellings() {
    for text in [
        "OFF 3 1 3\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2",
        "# c\n\nOFF # c\n# c\n3 1\n0 0 0 # c\n\n1 0 0\n0 1 0\n3 0 1 2\n",
        "COFF\r\n3 1 0\r\n0 0 0 255 0 0 255\r\n1 0 0 0 255 0 255\r\n0 1 0 0 0 255 255\r\n3 0 1 2\r\n",
        "NOFF\n3 1 0\n0 0 0 0 0 1\n1 0 0 0 0 1\n0 1 0 0 0 1\n3 0 1 2 7\n",
        "STOFF\n3 1 0\n0 0 0 0 0\n1 0 0 0 1\n0 1 0 1 1\n3 0 1 2 0.5 0.5 1\n",
    ] {
        assert_eq!(
            read_as("a.off", text.as_bytes()).unwrap().mesh.faces,
            [[0, 1, 2]],
            "{text}"
        );
        assert_eq!(
            Format::of_content(text.as_bytes()),
            Some(Format::Off),
            "{text}"
        );
    }
}

#[test]
fn stl_in_odd_spellings() {
    let text = b"SOLID\nFacet Normal nan nan nan\n Outer Loop\n Vertex 0 0 0 Vertex 1 0 0\nVertex 0 1 0\nEndLoop \
        EndFacet\nEndSolid\n\
solid two\nendsolid two\n";
    let l = read_as("a.stl", text).unwrap();
    assert_eq!((l.mesh.vertex_count(), l.mesh.face_count()), (3, 1));
    // Binary that begins with "solid", with text after it, is still binary.
    let (mut bytes, _) = written("a.stl", Encoding::Binary, &awkward());
    bytes[..17].copy_from_slice(b"solid facet names");
    assert_eq!(read_as("a.stl", &bytes).unwrap().mesh.face_count(), 3);
    bytes.extend(b"tail");
    let l = read_as("a.stl", &bytes[..]);
    assert!(l.is_err() || l.unwrap().mesh.face_count() == 3);
}

#[test]
fn strips_and_foreign_elements_of_ply() {
    let text = "ply\nformat ascii 1.0\ncomment caf\u{e9}\nelement vertex 4\nproperty double x\nproperty double \
        y\nproperty double z\nproperty list uchar int odd\n\
element edge 1\nproperty int a\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n\
0 0 0 0\n1 0 0 1 5\n0 1 0 0\n1 1 0 0\n7\n7 0 1 2 3 -1 3 1\n";
    let l = read_as("a.ply", text.as_bytes()).unwrap();
    assert_eq!(l.mesh.faces, [[0, 1, 2], [2, 1, 3]]);
    assert_eq!(l.warnings.len(), 2, "{:?}", l.warnings);
}

#[test]
fn polygons_are_cut_with_all_that_hangs_on_them() {
    // An L of six corners, the reflex one at (1, 1), whose fan around the first corner would leave the L.
    let text = b"v 2 0 0\nv 2 1 0\nv 1 1 0\nv 1 2 0\nv 0 2 0\nv 0 0 0\nvt 0 0\nvt 1 1\n\
g a\nf 1/1 2/1 3/1 4/2 5/2 6/2\ng b\nf 1 2 3\n";
    let l = read_as("a.obj", text).unwrap();
    let m = &l.mesh;
    assert_eq!(m.face_count(), 5);
    let area = |f: &[u32; 3]| {
        let [a, b, c] = f.map(|v| m.positions[v as usize]);
        (b - a).cross(c - a).z / 2.0
    };
    assert!(m.faces[..4].iter().all(|f| area(f) > 0.0), "{:?}", m.faces);
    assert_eq!(m.faces[..4].iter().map(area).sum::<f32>(), 3.0);
    assert_eq!(
        m.extras.face_ranges(TagKind::Group, 5),
        [(0..4, "a"), (4..5, "b")]
    );
    let layer = m.extras.corner_texcoords.as_ref().unwrap();
    for (c, &v) in m.faces[..4].iter().flatten().enumerate() {
        assert_eq!(layer.corners[c], u32::from(v > 2));
    }
    let ply = b"ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float \
        z\nelement face 2\nproperty list uchar int vertex_index\nproperty uchar label\nend_header\n0 0 0\n1 0 0\n1 1 \
        0\n0 1 0\n4 0 1 2 3 9\n3 0 1 3 5\n";
    let m = read_as("a.ply", ply).unwrap().mesh;
    assert_eq!(m.faces, [[0, 1, 2], [0, 2, 3], [0, 1, 3]]);
    assert_eq!(m.extras.columns[0].data, ColumnData::U8(vec![9, 9, 5]));
}
