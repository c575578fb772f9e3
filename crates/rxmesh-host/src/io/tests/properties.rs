//! Properties of PLY under any name and of any type, and those that are colours and texture coordinates.

use super::*;
use crate::mesh::{COLOR, NORMAL, name_of_bytes};

/// Returns a triangle whose vertices have more properties, in text.
fn triangle(properties: &str, rows: [&str; 3]) -> Vec<u8> {
    let [a, b, c] = rows;
    format!(
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n{properties}\
        element face 1\nproperty list uchar int vertex_indices\nend_header\n0 0 0 {a}\n1 0 0 {b}\n0 1 0 {c}\n3 0 1 2\n"
    )
    .into_bytes()
}

fn names(mesh: &TriMesh) -> Vec<&str> {
    let columns = mesh.extras.columns.iter();
    columns.map(|c| c.name.as_str()).collect()
}

#[test]
fn a_name_is_any_word_and_comes_out_as_it_came_in() {
    let words: [&[u8]; 10] = [
        b"scalar_Roughness_(0.1)",
        b"scalar_Intensity_(dB)",
        b"0abc",
        b"a.b",
        b"a:b",
        b"#[1]\"<&>'%20",
        "\u{e9}t\u{e9}_\u{6e29}\u{5ea6}".as_bytes(),
        b"Temp\xe9rature",
        b"T\xe4r",
        b"T\xf6r",
    ];
    let lines: Vec<u8> = words
        .iter()
        .flat_map(|w| [b"property float ", *w, b"\n"].concat())
        .collect();
    let marked = triangle("HERE\n", ["1 2 3 4 5 6 7 8 9 10"; 3]);
    let at = memchr::memmem::find(&marked, b"HERE\n").unwrap();
    let file = [&marked[..at], &lines[..], &marked[at + 5..]].concat();
    let loaded = read_as("a.ply", &file).unwrap();
    assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    assert_eq!(names(&loaded.mesh), words.map(name_of_bytes).each_ref());
    for encoding in [Encoding::Ascii, Encoding::Binary, Encoding::BinaryBigEndian] {
        let (out, _) = written("a.ply", encoding, &loaded.mesh);
        assert!(memchr::memmem::find(&out, &lines).is_some(), "{encoding:?}");
        assert_eq!(read_as("a.ply", &out).unwrap().mesh, loaded.mesh);
    }
}

#[test]
fn names_of_ply_survive_in_volumes() {
    let mut mesh = crate::mesh::generate::tet_box([1; 3], [1.0; 3]).unwrap();
    for name in ["a.b(1)", "0<&>\"'%41", "\u{e9}"] {
        let data = ColumnData::F64(vec![0.5; mesh.vertex_count()]);
        let column = column(name, ElementKind::Vertex, 1, data);
        mesh.extras.columns.push(column);
    }
    let last = column(
        &name_of_bytes(b"T\xfcr"),
        ElementKind::Vertex,
        1,
        ColumnData::F64(vec![0.0; mesh.vertex_count()]),
    );
    mesh.extras.columns.push(last);
    for name in ["a.vtk", "a.vtu", "a.msh"] {
        let (bytes, _) = written(name, Encoding::Binary, &mesh);
        let back = read_tets_bytes(&bytes, Path::new(name), &ReadOptions::default()).unwrap();
        let names = |m: &crate::mesh::TetMesh| -> Vec<String> {
            let columns = m.extras.columns.iter();
            columns.map(|c| c.name.replace('"', "_")).collect()
        };
        assert_eq!(names(&back.mesh), names(&mesh), "{name}");
    }
}

#[test]
fn whole_numbers_of_64_bits_are_exact_or_named() {
    let file = triangle(
        "property int64 small\nproperty uint64 large\nproperty long huge\nproperty ulonglong most\n",
        [
            "-7 4294967295 9007199254740993 18446744073709551615",
            "5 0 1 0",
            "0 1 -2 4611686018427387904",
        ],
    );
    let loaded = read_as("a.ply", &file).unwrap();
    let data = |i: usize| &loaded.mesh.extras.columns[i].data;
    assert_eq!(*data(0), ColumnData::I32(vec![-7, 5, 0]));
    assert_eq!(*data(1), ColumnData::U32(vec![u32::MAX, 0, 1]));
    assert_eq!(
        *data(2),
        ColumnData::F64(vec![9007199254740992.0, 1.0, -2.0])
    );
    assert_eq!(
        *data(3),
        ColumnData::F64(vec![18446744073709551616.0, 0.0, 4611686018427387904.0])
    );
    assert_eq!(loaded.warnings.len(), 2, "{:?}", loaded.warnings);
    assert!(loaded.warnings[0].contains("'huge' of element 'vertex'"));
    assert!(loaded.warnings[0].contains("1 are rounded"));
    // Beyond 2^53, and exact all the same.
    let exact = triangle("property int64 id\n", ["4611686018427387904", "0", "1"]);
    let loaded = read_as("a.ply", &exact).unwrap();
    assert!(loaded.warnings.is_empty());
    let refused = triangle("property int64 id\n", ["9223372036854775808", "0", "1"]);
    let message = read_as("a.ply", &refused).unwrap_err().to_string();
    assert!(
        message.contains("line 11: property 'id': '9223372036854775808' is not"),
        "{message}"
    );
}

#[test]
fn binary_rows_of_all_types() {
    for big in [false, true] {
        let order = if big { "big" } else { "little" };
        let mut file = format!(
            "ply\nformat binary_{order}_endian 1.0\nelement vertex 3\nproperty double x\nproperty double y\nproperty \
                double z\nproperty float16 h\nproperty int64 i\nproperty uint64_t u\nelement face 1\nproperty list \
                uint64 int64 vertex_indices\nend_header\n"
        )
        .into_bytes();
        let mut put = |mut raw: Vec<u8>| {
            if big {
                raw.reverse();
            }
            file.extend(raw);
        };
        let halves = [0x3c00u16, 0xc500, 0x0001];
        for (v, half) in halves.into_iter().enumerate() {
            for x in [f64::from(v == 1), f64::from(v == 2), 0.0] {
                put(x.to_le_bytes().to_vec());
            }
            put(half.to_le_bytes().to_vec());
            put((-(v as i64)).to_le_bytes().to_vec());
            put(u64::MAX.to_le_bytes().to_vec());
        }
        for n in [3u64, 0, 1, 2] {
            put(n.to_le_bytes().to_vec());
        }
        let loaded = read_as("a.ply", &file).unwrap();
        assert_eq!(loaded.mesh.faces, [[0, 1, 2]]);
        let data = |i: usize| &loaded.mesh.extras.columns[i].data;
        assert_eq!(*data(0), ColumnData::F32(vec![1.0, -5.0, 2f32.powi(-24)]));
        assert_eq!(*data(1), ColumnData::I32(vec![0, -1, -2]));
        assert_eq!(*data(2), ColumnData::F64(vec![18446744073709551616.0; 3]));
        assert_eq!(loaded.warnings.len(), 1, "{:?}", loaded.warnings);
    }
}

#[test]
fn a_property_that_is_there_twice_is_kept_twice() {
    let file = triangle(
        "property float a\nproperty int a_2\nproperty float a\nproperty uchar a\nproperty float x\nproperty float two \
            words\n",
        ["1 2 3 4 5 6"; 3],
    );
    let loaded = read_as("a.ply", &file).unwrap();
    assert_eq!(
        names(&loaded.mesh),
        ["a", "a_2", "a_3", "a_4", "x_2", "two_words"]
    );
    assert_eq!(loaded.mesh.positions[1], Vec3::X);
    let third = loaded
        .mesh
        .extras
        .column(ElementKind::Vertex, "a_3")
        .unwrap();
    assert_eq!(third.data, ColumnData::F32(vec![3.0; 3]));
    let words = loaded.warnings.join("\n");
    assert_eq!(loaded.warnings.len(), 4, "{words}");
    assert!(
        words.contains("'two words' of element 'vertex' is now called 'two_words'"),
        "{words}"
    );
    assert!(
        words.contains("property 'x' more than once: another is now called 'x_2'"),
        "{words}"
    );
    // In linear time.
    let many = "property uchar a\n".repeat(5000);
    let row = "0 ".repeat(5000);
    let start = std::time::Instant::now();
    let loaded = read_as("a.ply", &triangle(&many, [&row; 3])).unwrap();
    assert_eq!(loaded.mesh.extras.columns.len(), 5000);
    assert!(start.elapsed().as_secs() < 20);
}

#[test]
fn headers_end_their_lines_as_they_like() {
    for end in ["\r", "\r\n", "\n"] {
        let header = "ply\nformat binary_little_endian 1.0\ncomment made by a\nelement vertex 3\nproperty float x\n\
            property float y\nproperty float z\nelement face 1\nproperty list uchar int vertex_indices\nend_header\n";
        let mut file = header.replace('\n', end).into_bytes();
        // The first byte of the rows is a line feed.
        let first = f32::from_le_bytes([b'\n', b'\r', b'\n', 0x40]);
        for p in [[first, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]] {
            p.iter().for_each(|x| file.extend(x.to_le_bytes()));
        }
        file.extend([3, 0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0]);
        let loaded = read_as("a.ply", &file).unwrap();
        assert_eq!(loaded.mesh.positions[0].x, first, "{end:?}");
        assert_eq!(loaded.mesh.faces, [[0, 1, 2]]);
        assert_eq!(loaded.mesh.extras.comments, ["made by a"]);
        // Text after a comment that is longer than the part examined for a format elsewhere.
        let long = format!("ply\ncomment {}\nformat", "long ".repeat(99));
        let text = String::from_utf8(triangle("", [""; 3])).unwrap();
        let text = text.replace("ply\nformat", &long).replace('\n', end);
        assert_eq!(
            read_as("a.ply", text.as_bytes()).unwrap().mesh.faces,
            [[0, 1, 2]]
        );
    }
}

#[test]
fn elements_come_in_any_order() {
    let file = "ply\nformat ascii 1.0\nelement face 1\nproperty uchar flags\nproperty list uchar uint vertex_index\n\
        element camera 1\nproperty float fov\nproperty list int float k\nelement vertex 3\nproperty list uchar int \
        ring\nproperty float z\nproperty float y\nproperty float x\nend_header\n7 3 0 1 2\n60 2 1 2\n0 0 0 \
        0\n2 1 2 0 0 1\n1 0 0 1 0\n";
    let loaded = read_as("a.ply", file.as_bytes()).unwrap();
    assert_eq!(loaded.mesh.faces, [[0, 1, 2]]);
    assert_eq!(loaded.mesh.positions, [Vec3::ZERO, Vec3::X, Vec3::Y]);
    assert_eq!(names(&loaded.mesh), ["flags"]);
    assert_eq!(loaded.warnings.len(), 2, "{:?}", loaded.warnings);
}

/// Returns the lines `v` and `vt` of the mesh in OBJ, and the first words of OFF.
fn in_obj_and_off(mesh: &TriMesh) -> (String, String, String) {
    let text = |name: &str| String::from_utf8(written(name, Encoding::Ascii, mesh).0).unwrap();
    let (obj, off) = (text("a.obj"), text("a.off"));
    let line = |word: &str| {
        obj.lines()
            .find(|l| l.starts_with(word))
            .unwrap_or("")
            .to_owned()
    };
    (
        line("v "),
        line("vt "),
        off.lines().next().unwrap_or("").to_owned(),
    )
}

#[test]
fn colours_under_all_their_names_go_into_obj_and_off() {
    let bytes = "255 51 0";
    let fractions = "1 0.2 0";
    for (names, kind, row) in [
        ("red green blue", "uchar", bytes),
        ("r g b", "uchar", bytes),
        ("r g b", "float", fractions),
        ("r g b", "double", bytes),
        ("r g b", "int", bytes),
        ("red green blue", "int64", bytes),
        ("red green blue", "ushort", bytes),
        ("diffuse_red diffuse_green diffuse_blue", "uchar", bytes),
        ("diffuse_red diffuse_green diffuse_blue", "float", fractions),
    ] {
        let lines: String = names
            .split(' ')
            .map(|n| format!("property {kind} {n}\n"))
            .collect();
        let mesh = read_as("a.ply", &triangle(&lines, [row; 3])).unwrap().mesh;
        let colour = mesh.extras.column(ElementKind::Vertex, COLOR).unwrap();
        assert_eq!(
            colour.data,
            ColumnData::U8([255, 51, 0].repeat(3)),
            "{names} {kind}"
        );
        let (v, _, off) = in_obj_and_off(&mesh);
        assert_eq!(
            (v.as_str(), off.as_str()),
            ("v 0 0 0 1 0.2 0", "COFF"),
            "{names} {kind}"
        );
    }
    // With an alpha, and apart from each other.
    let lines = "property uchar b\nproperty uchar a\nproperty float nx\nproperty uchar r\nproperty uchar g\n";
    let mesh = read_as("a.ply", &triangle(lines, ["3 4 0.5 1 2"; 3]))
        .unwrap()
        .mesh;
    let colour = mesh.extras.column(ElementKind::Vertex, COLOR).unwrap();
    assert_eq!(colour.data, ColumnData::U8([1, 2, 3, 4].repeat(3)));
    assert_eq!(names(&mesh), [COLOR, "nx"]);
    // The format's own names come first, and the others keep their meaning.
    let lines = "property uchar r\nproperty uchar g\nproperty uchar b\nproperty uchar red\nproperty uchar green\n\
        property uchar blue\n";
    let mesh = read_as("a.ply", &triangle(lines, ["1 2 3 4 5 6"; 3]))
        .unwrap()
        .mesh;
    assert_eq!(names(&mesh), ["r", "g", "b", COLOR]);
    // Radii are no colours.
    let lines = "property float r\nproperty float g\nproperty float b\n";
    let mesh = read_as("a.ply", &triangle(lines, ["1 2 300.5"; 3]))
        .unwrap()
        .mesh;
    assert_eq!(names(&mesh), ["r", "g", "b"]);
}

#[test]
fn packed_colours_are_taken_apart() {
    let packed = 0x00c8_3264u32;
    for (kind, row) in [
        ("float rgb", format!("{:e}", f32::from_bits(packed))),
        ("float rgb", format!("{:e}", packed as f32)),
        ("uint rgb", packed.to_string()),
        ("int rgb", ((packed | 0xff00_0000) as i32).to_string()),
        ("uint rgba", (packed | 0x8000_0000).to_string()),
    ] {
        let lines = format!("property {kind}\n");
        let mesh = read_as("a.ply", &triangle(&lines, [&row; 3])).unwrap().mesh;
        let colour = mesh.extras.column(ElementKind::Vertex, COLOR).unwrap();
        let want = match kind {
            "uint rgba" => [200, 50, 100, 128].repeat(3),
            _ => [200, 50, 100].repeat(3),
        };
        assert_eq!(colour.data, ColumnData::U8(want), "{kind}");
        assert!(in_obj_and_off(&mesh).2 == "COFF");
    }
    // In binary an alpha of 255 makes floats that are not numbers, which a processor may change when it loads them.
    let mut file = b"ply\nformat binary_little_endian 1.0\nelement vertex 1\nproperty float x\nproperty float y\n\
        property float z\nproperty float rgb\nend_header\n"
        .to_vec();
    file.extend([0; 12]);
    file.extend(0xff80_0102u32.to_le_bytes());
    let mesh = read_as("a.ply", &file).unwrap().mesh;
    let colour = mesh.extras.column(ElementKind::Vertex, COLOR).unwrap();
    assert_eq!(colour.data, ColumnData::U8(vec![0x80, 1, 2]));
    // A plain number keeps its name and its type.
    let mesh = read_as(
        "a.ply",
        &triangle("property float rgb\n", ["0.25", "1", "0"]),
    );
    let mesh = mesh.unwrap().mesh;
    assert_eq!(names(&mesh), ["rgb"]);
    assert_eq!(
        mesh.extras.columns[0].data,
        ColumnData::F32(vec![0.25, 1.0, 0.0])
    );
}

#[test]
fn texture_coordinates_under_all_their_names_go_into_obj_and_off() {
    for names in ["s t", "u v", "texture_u texture_v", "tx ty"] {
        let (s, t) = names.split_once(' ').unwrap();
        let lines = format!("property float {s}\nproperty double extra\nproperty float {t}\n");
        let mesh = read_as("a.ply", &triangle(&lines, ["0.25 7 0.75"; 3]))
            .unwrap()
            .mesh;
        let (_, vt, off) = in_obj_and_off(&mesh);
        assert_eq!(
            (vt.as_str(), off.as_str()),
            ("vt 0.25 0.75", "STOFF"),
            "{names}"
        );
    }
    for (lines, row) in [("u v w", "1 2 3"), ("tx ty tz", "0 0 1"), ("u s", "0 1")] {
        let properties: String = lines
            .split(' ')
            .map(|n| format!("property float {n}\n"))
            .collect();
        let mesh = read_as("a.ply", &triangle(&properties, [row; 3]))
            .unwrap()
            .mesh;
        assert_eq!(names(&mesh).join(" "), lines);
    }
    // One of two pairs is the texture coordinates.
    let lines = "property float u\nproperty float v\nproperty float s\nproperty float t\n";
    let mesh = read_as("a.ply", &triangle(lines, ["1 2 3 4"; 3]))
        .unwrap()
        .mesh;
    assert_eq!(names(&mesh), ["u", "v", "s", "t"]);
    // Normals of the Point Cloud Library.
    let lines = "property float normal_x\nproperty float normal_y\nproperty float normal_z\n";
    let mesh = read_as("a.ply", &triangle(lines, ["0 0 1"; 3]))
        .unwrap()
        .mesh;
    assert_eq!(names(&mesh), [NORMAL]);
}
