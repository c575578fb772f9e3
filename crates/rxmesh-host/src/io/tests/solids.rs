//! STL as other programs write it: heads, attributes with a payload, several solids; and files of many groups.

use super::*;

/// Returns a binary file of two triangles that share an edge.
fn binary(head: &[u8], count: u32, attributes: [u16; 2], payload: bool) -> Vec<u8> {
    let mut file = head.to_vec();
    file.resize(80, b' ');
    file.extend(count.to_le_bytes());
    let [a, b, c, d] = [
        [0.0f32, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [1.0, 1.0, 0.0],
        [0.0, 1.0, 0.0],
    ];
    for (corners, attribute) in [[a, b, c], [a, c, d]].into_iter().zip(attributes) {
        file.extend([0; 12]);
        corners
            .iter()
            .flatten()
            .for_each(|x| file.extend(x.to_le_bytes()));
        file.extend(attribute.to_le_bytes());
        if payload {
            file.extend((0..attribute).map(|i| i as u8));
        }
    }
    file
}

#[test]
fn an_attribute_is_the_length_of_what_follows_where_the_file_comes_out_even() {
    for attributes in [[4, 4], [0, 100], [7, 0]] {
        let loaded = read_as("a.stl", &binary(b"x", 2, attributes, true)).unwrap();
        assert_eq!(loaded.mesh.faces, [[0, 1, 2], [0, 2, 3]], "{attributes:?}");
        assert!(loaded.mesh.extras.columns.is_empty());
        let bytes = attributes[0] + attributes[1];
        let want = format!("{bytes} bytes of attributes after triangles are not kept");
        assert_eq!(loaded.warnings, [want]);
    }
    // Without a payload they are kept, and so they are where bytes are left over.
    for tail in [&b""[..], b"tail"] {
        let file = [&binary(b"x", 2, [4, 40000], false)[..], tail].concat();
        let loaded = read_as("a.stl", &file).unwrap();
        let column = loaded
            .mesh
            .extras
            .column(ElementKind::Face, "stl_attribute")
            .unwrap();
        assert_eq!(column.data, ColumnData::U16(vec![4, 40000]));
        assert_eq!(loaded.warnings.len(), usize::from(!tail.is_empty()));
    }
}

#[test]
fn the_head_of_a_binary_file_is_kept() {
    let magics =
        b"COLOR=\xff\x0a\x00\x80,MATERIAL=\x01\x02\x03\xff\x0d\x0e\x0f\xff\x80\x81\x82\xff";
    for (head, comment) in [
        (
            &b"Exported from Blender-4.2"[..],
            Some("Exported from Blender-4.2"),
        ),
        (
            magics,
            Some("COLOR=#ff0a0080,MATERIAL=#010203ff0d0e0fff808182ff"),
        ),
        (b"Geh\xe4use COLOR=abcd", Some("Geh\u{efe4}use COLOR=abcd")),
        (b"binary rxmesh", None),
        (b"", None),
    ] {
        let file = binary(head, 2, [1, 2], false);
        let mesh = read_as("a.stl", &file).unwrap().mesh;
        assert_eq!(mesh.extras.comments.first().map(String::as_str), comment);
        let (again, report) = written("a.stl", Encoding::Binary, &mesh);
        assert!(report.warnings.is_empty(), "{:?}", report.warnings);
        let head = if head.is_empty() {
            b"binary rxmesh"
        } else {
            head
        };
        assert_eq!(again[..80], binary(head, 2, [0; 2], false)[..80]);
        assert_eq!(read_as("a.stl", &again).unwrap().mesh, mesh);
        // Through a format that has comments.
        let ply = written("a.ply", Encoding::Binary, &mesh).0;
        let back = read_as("a.ply", &ply).unwrap().mesh;
        assert_eq!(
            written("a.stl", Encoding::Binary, &back).0[..80],
            again[..80]
        );
    }
    // Other programs treat a file that begins with "solid" as text.
    let file = binary(b"solid part", 2, [0; 2], false);
    let mesh = read_as("a.stl", &file).unwrap().mesh;
    assert_eq!(mesh.extras.comments, ["solid part"]);
    let (again, _) = written("a.stl", Encoding::Binary, &mesh);
    assert!(again.starts_with(b"binary solid part "));
    // A comment that is too long stays away, with a word.
    let mut mesh = mesh;
    mesh.extras.comments = vec!["long ".repeat(17)];
    let (again, report) = written("a.stl", Encoding::Binary, &mesh);
    assert!(again.starts_with(b"binary rxmesh "));
    assert_eq!(report.warnings, ["STL holds no comments (1 lines)"]);
}

#[test]
fn a_count_that_was_never_written_is_that_of_the_size() {
    for count in [0, u32::MAX] {
        let loaded = read_as("a.stl", &binary(b"x", count, [0; 2], false)).unwrap();
        assert_eq!(loaded.mesh.face_count(), 2);
        assert_eq!(loaded.warnings.len(), 1, "{:?}", loaded.warnings);
        let mut odd = binary(b"x", count, [0; 2], false);
        odd.push(0);
        assert!(read_as("a.stl", &odd).is_err());
    }
}

fn solid_names(mesh: &TriMesh) -> Vec<(std::ops::Range<u32>, &str)> {
    mesh.extras.face_ranges(TagKind::Object, mesh.face_count())
}

#[test]
fn several_solids_stay_several() {
    let facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
    let solid =
        |name: &str, n: usize| format!("solid {name}\n{}endsolid {name}\n", facet.repeat(n));
    let text = [solid("part one", 2), solid("", 1), solid("T\u{fc}r", 1)].concat();
    let mesh = read_as("a.stl", text.as_bytes()).unwrap().mesh;
    let want = [(0..2, "part one"), (2..3, ""), (3..4, "T\u{fc}r")];
    assert_eq!(solid_names(&mesh), want);
    let (again, report) = written("a.stl", Encoding::Ascii, &mesh);
    assert!(report.warnings.is_empty(), "{:?}", report.warnings);
    assert_eq!(
        String::from_utf8(again.clone())
            .unwrap()
            .matches("endsolid")
            .count(),
        3
    );
    assert_eq!(read_as("a.stl", &again).unwrap().mesh, mesh);
    let obj = read_as("a.obj", &written("a.obj", Encoding::Ascii, &mesh).0)
        .unwrap()
        .mesh;
    assert_eq!(solid_names(&obj), want);
    assert_eq!(written("a.stl", Encoding::Ascii, &obj).0, again);
    let (_, report) = written("a.stl", Encoding::Binary, &mesh);
    assert!(
        report
            .warnings
            .iter()
            .any(|w| w.contains("3 objects become one"))
    );
    // A single solid without a name says nothing.
    let one = read_as("a.stl", solid("", 1).as_bytes()).unwrap().mesh;
    assert!(one.extras.tags.is_empty());
    // Whole binary files one after the other.
    let file = [
        binary(b"one", 2, [3, 4], false),
        binary(b"", 2, [5, 6], false),
    ]
    .concat();
    let loaded = read_as("a.stl", &file).unwrap();
    assert!(loaded.warnings.is_empty());
    assert_eq!(
        solid_names(&loaded.mesh),
        [(0..2, "one"), (2..4, "solid_2")]
    );
    let column = loaded
        .mesh
        .extras
        .column(ElementKind::Face, "stl_attribute")
        .unwrap();
    assert_eq!(column.data, ColumnData::U16(vec![3, 4, 5, 6]));
}

#[test]
fn many_groups_take_memory_for_what_is_written_only() {
    let n = 100_000u32;
    let mut mesh = TriMesh::new(
        vec![Vec3::ZERO, Vec3::X, Vec3::Y],
        vec![[0, 1, 2]; n as usize],
    )
    .unwrap();
    let tag = |face| Tag {
        face,
        kind: TagKind::Object,
        text: format!("g{face}"),
    };
    mesh.extras.tags = (0..n).map(tag).collect();
    let options = WriteOptions {
        format: None,
        encoding: Encoding::Ascii,
    };
    for format in [Format::Obj, Format::Stl] {
        let (name, mesh) = (Path::new("a"), MeshRef::Triangles(&mesh));
        let pieces = write::surface(name, mesh, format, &options, &mut Vec::new()).unwrap();
        let written: usize = pieces.iter().map(|piece| piece.len()).sum();
        let pieces: Vec<Vec<u8>> = pieces.into_iter().map(Cow::into_owned).collect();
        let held: usize = pieces.iter().map(Vec::capacity).sum();
        assert!(
            written > 14 * n as usize && pieces.len() < 200,
            "{}",
            pieces.len()
        );
        assert!(held < 3 * written, "{held} bytes for {written}");
    }
    let (bytes, _) = written("a.obj", Encoding::Ascii, &mesh);
    assert_eq!(read_as("a.obj", &bytes).unwrap().mesh, mesh);
}
