//! Whatever the bytes are: an answer, no panic, no memory that the file cannot fill.

use super::*;
use proptest::prelude::*;

/// Returns small valid files of every kind, each with one of everything.
fn samples() -> Vec<(&'static str, Vec<u8>)> {
    let mut all: Vec<_> = forms()
        .into_iter()
        .map(|(name, e)| (name, written(name, e, &laden()).0))
        .collect();
    all.push((
        "a.obj",
        b"v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf -4//1 \\\n-3//-1 3//1 4//1\nl 1 2\n"
            .to_vec(),
    ));
    all.push((
        "a.off",
        b"OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3 1 2 3\n3 0 1 2 0.5 0 1\n".to_vec(),
    ));
    let mut binary = b"OFF BINARY\n".to_vec();
    for n in [3u32, 1, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 3, 0, 1, 2] {
        binary.extend(n.to_le_bytes());
    }
    all.push(("a.off", binary));
    let mut big = b"OFF BINARY\n".to_vec();
    for n in [3u32, 1, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 3, 0, 1, 2, 1, 0] {
        big.extend(n.to_be_bytes());
    }
    all.push(("a.off", big));
    let ply = b"ply\nformat binary_little_endian 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty \
        float z\nelement tristrips 1\nproperty list int int vertex_indices\nend_header\n";
    let mut strips = ply.to_vec();
    strips.extend([0u8; 36]);
    for n in [5i32, 0, 1, 2, -1, 0] {
        strips.extend(n.to_le_bytes());
    }
    all.push(("a.ply", strips));
    all
}

#[test]
fn samples_are_valid() {
    for (name, bytes) in samples() {
        let l = read_as(name, &bytes).unwrap();
        assert!(l.mesh.face_count() > 0, "{name}");
    }
}

#[test]
fn every_prefix_is_read_or_refused() {
    for (name, bytes) in samples() {
        for end in 0..bytes.len() {
            if let Ok(l) = read_as(name, &bytes[..end]) {
                l.mesh.validate().unwrap();
            }
            read_bytes(&bytes[..end], Path::new("unknown"), &ReadOptions::default()).ok();
        }
    }
}

/// Cut anywhere, these formats show that something is missing: nothing may pass for a whole file.
#[test]
fn cut_files_with_counts_are_refused() {
    for (name, bytes) in samples().into_iter().filter(|s| s.0 != "a.obj") {
        // The last number of a text may lose digits or its line end and still be a number.
        let last = if bytes.is_ascii() {
            bytes.len().saturating_sub(40)
        } else {
            bytes.len()
        };
        for end in 0..last {
            // STL as text has no counts: cut after a facet it is read, with a warning.
            let facet = name == "a.stl" && bytes[..end].trim_ascii_end().ends_with(b"endfacet");
            match read_as(name, &bytes[..end]) {
                Ok(l) if facet => assert!(l.warnings[0].contains("'endsolid'"), "{end}"),
                Ok(_) => panic!("{name} cut at {end} of {}", bytes.len()),
                Err(_) => {}
            }
        }
    }
}

#[test]
fn promises_beyond_the_file_are_refused_before_memory_is_taken() {
    let ply = |format: &str, v: &str, f: &str, list: &str| {
        format!(
            "ply\nformat {format} 1.0\nelement vertex {v}\nproperty float x\nproperty float y\nproperty float \
                z\nelement face {f}\nproperty list {list} int vertex_indices\nend_header\n0 0 0\n"
        )
    };
    let mut stl = vec![0u8; 90];
    stl[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    let mut off = b"OFF BINARY\n".to_vec();
    off.extend([0xff; 40]);
    let mut list = ply("binary_little_endian", "1", "1", "uint").into_bytes();
    list.truncate(list.len() - 6);
    list.extend([0; 12]);
    list.extend([0xff; 20]);
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("a.ply", ply("ascii", "4000000000", "0", "uchar").into()),
        (
            "a.ply",
            ply("ascii", "1", "18446744073709551615", "uchar").into(),
        ),
        (
            "a.ply",
            ply("ascii", "99999999999999999999999", "1", "uchar").into(),
        ),
        (
            "a.ply",
            ply("binary_little_endian", "4000000000", "1", "uchar").into(),
        ),
        (
            "a.ply",
            ply("binary_big_endian", "0", "4000000000", "uchar").into(),
        ),
        ("a.ply", list),
        ("a.stl", stl),
        ("a.off", b"OFF\n4000000000 1 0\n0 0 0\n".to_vec()),
        ("a.off", b"OFF\n1 9223372036854775807 0\n0 0 0\n".to_vec()),
        (
            "a.off",
            b"OFF\n9223372036854775807 9223372036854775807 0\n0 0 0\n".to_vec(),
        ),
        (
            "a.off",
            b"OFF\n1 1 0\n0 0 0\n9223372036854775807 0 0 0\n".to_vec(),
        ),
        ("a.off", off),
    ];
    let start = std::time::Instant::now();
    for (name, bytes) in cases {
        let refused = read_as(name, &bytes).unwrap_err();
        println!("{refused}");
    }
    assert!(start.elapsed().as_secs() < 2);
}

#[test]
fn an_endless_line_or_polygon_ends() {
    let mut text = String::from("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf");
    for i in 0..30_000 {
        text.push_str([" 1", " 2", " 4", " 3", " 1", " 4"][i % 6]);
    }
    // It has no right cut, and is cut in time that its length bounds.
    let mesh = read_as("a.obj", text.as_bytes()).unwrap().mesh;
    assert!(mesh.face_count() > 0 && mesh.validate().is_ok());
    read_as("a.obj", &[b'\\'; 100_000]).unwrap_err();
    read_as("a.obj", &b"\\\n".repeat(100_000)).unwrap_err();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for name in ["a.obj", "a.ply", "a.off", "a.stl", "a"] {
            read_as(name, &bytes).ok();
        }
    }

    #[test]
    fn random_words_are_read_or_refused(words in prop::collection::vec(
        prop::sample::select(vec![
            "v", "vt", "vn", "f", "g", "\n", "\n", "\\\n", "1", "2", "3", "-1", "1/1", "1//1", "0", "1e9", "nan", "#",
            "OFF", "COFF", "ply", "format ascii 1.0", "element vertex 1", "element face 1", "end_header",
            "property float x", "property list uchar int vertex_indices", "solid", "facet", "normal", "outer", "loop",
            "vertex", "endloop", "endfacet", "endsolid", "255", "4294967296", "-9223372036854775808",
        ]), 0..60)) {
        let text = words.join(" ").replace(" \n ", "\n");
        for name in ["a.obj", "a.ply", "a.off", "a.stl", "a"] {
            if let Ok(l) = read_as(name, text.as_bytes()) {
                l.mesh.validate().unwrap();
            }
        }
    }

    #[test]
    fn damaged_files_are_read_or_refused(
        which in any::<prop::sample::Index>(),
        blows in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0u8..4), 1..6),
    ) {
        let all = samples();
        let (name, mut bytes) = all[which.index(all.len())].clone();
        for (at, value, how) in blows {
            let at = at.index(bytes.len());
            match how {
                0 => bytes[at] = value,
                1 => bytes[at] ^= 1 << (value % 8),
                2 => bytes.insert(at, value),
                _ => { bytes.remove(at); }
            }
        }
        if let Ok(l) = read_as(name, &bytes) {
            l.mesh.validate().unwrap();
            // A mesh that was read can be written, in every format, and read again.
            for (name, encoding) in forms() {
                let options = WriteOptions { format: None, encoding };
                let out = match write_bytes(Path::new(name), &l.mesh, &options) {
                    Ok((out, _)) => out,
                    Err(e) => {
                        prop_assert!(name == "a.stl" && !l.mesh.placement.is_world(), "{name}: {e}");
                        continue;
                    }
                };
                if name != "a.stl" || l.mesh.face_count() > 0 {
                    prop_assert!(read_as(name, &out).is_ok(), "{}: {:?}", name, read_as(name, &out).err());
                }
            }
        }
    }
}

/// Strips in front of the faces or after them: the faces' polygons are where they are, and columns of theirs alone are
/// dropped by name.
#[test]
fn strips_beside_faces_with_polygons_and_columns() {
    let vertices = "element vertex 5\nproperty float x\nproperty float y\nproperty float z\n";
    let strips = "element tristrips 1\nproperty list uchar int vertex_indices\n";
    let faces = "element face 2\nproperty list uchar int vertex_indices\nproperty int flags\n";
    let points = "0 0 0\n1 0 0\n1 1 0\n0 1 0\n2 0 0\n";
    let (strip, rows) = ("4 0 1 3 2\n", "4 0 1 2 3 7\n3 1 4 2 8\n");
    for (elements, body) in [
        (format!("{strips}{faces}"), format!("{strip}{rows}")),
        (format!("{faces}{strips}"), format!("{rows}{strip}")),
    ] {
        let file = format!("ply\nformat ascii 1.0\n{vertices}{elements}end_header\n{points}{body}");
        let options = ReadOptions {
            triangulate: true,
            ..ReadOptions::default()
        };
        let loaded = read_bytes(file.as_bytes(), Path::new("a.ply"), &options).unwrap();
        let mut faces = loaded.mesh.faces.clone();
        faces.sort_unstable();
        assert!(
            faces.contains(&[1, 4, 2]) && faces.contains(&[0, 1, 3]),
            "{faces:?}"
        );
        assert_eq!(
            faces.len(),
            5,
            "two of the strip, two of the polygon, one triangle"
        );
        assert!(loaded.mesh.extras.columns.is_empty());
        let said = |w: &String| w.contains("'flags'") && w.contains("not kept");
        assert!(loaded.warnings.iter().any(said), "{:?}", loaded.warnings);
    }
}

/// A comment that ends in a backslash, as the name of a folder does, is a comment and no more: nothing is lost, here
/// and when it is written.
#[test]
fn comments_do_not_swallow_the_next_line() {
    for end in ["\n", "\r\n"] {
        let file = format!("# C:\\scans\\{end}v 1 2 3{end}v 4 5 6{end}");
        let mut mesh = read_as("a.obj", file.as_bytes()).unwrap().mesh;
        assert_eq!(mesh.vertex_count(), 2);
        for _ in 0..2 {
            let (bytes, _) =
                write_bytes(Path::new("b.obj"), &mesh, &WriteOptions::default()).unwrap();
            let again = read_as("b.obj", &bytes).unwrap().mesh;
            assert_eq!(again, mesh);
            mesh = again;
        }
    }
}
