//! Comments and digits: kept, or named.

use super::*;

const HEAD: &str = "property float x\nproperty float y\nproperty float z\nelement face 1\nproperty list uchar int \
    vertex_indices\nend_header\n";
const BODY: &str = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";

fn commented() -> TriMesh {
    let mut mesh = awkward();
    mesh.extras.comments = ["by hand", "", "  indented # twice"]
        .map(String::from)
        .to_vec();
    mesh
}

#[test]
fn comments_survive_where_a_format_has_them() {
    let mesh = commented();
    for (name, encoding) in forms() {
        let (bytes, report) = written(name, encoding, &mesh);
        let back = read_as(name, &bytes).unwrap();
        let stl = report.format == Format::Stl;
        let want = if stl {
            &[][..]
        } else {
            &mesh.extras.comments[..]
        };
        assert_eq!(back.mesh.extras.comments, want, "{name}");
        let told = report
            .warnings
            .iter()
            .any(|w| w == "STL holds no comments (3 lines)");
        assert_eq!(told, stl, "{name}: {:?}", report.warnings);
        assert_same_shape(&back.mesh, &read_as(name, &bytes).unwrap().mesh);
    }
}

#[test]
fn comments_of_every_kind_are_found() {
    let ply = format!(
        "ply\r\nformat ascii 1.0\r\ncomment made by x\r\ncommentary\r\nobj_info 3 scans\r\nelement vertex \
            3\r\ncomment\r\n{}{BODY}",
        HEAD.replace('\n', "\r\n")
    );
    let comments =
        |name: &str, text: &str| read_as(name, text.as_bytes()).unwrap().mesh.extras.comments;
    // A word that only begins like one is no comment, and no header line either.
    let warnings = read_as("a.ply", ply.as_bytes()).unwrap().warnings;
    assert!(
        warnings[0].starts_with("line 4: 'commentary' is not a line"),
        "{warnings:?}"
    );
    assert_eq!(comments("a.ply", &ply), ["made by x", "3 scans", ""]);
    let obj = "\u{feff}# one\n\n#two\nv 0 0 0\n# not at the head\nv 1 0 0\nv 0 1 0\nf 1 2 3\n";
    assert_eq!(comments("a.obj", obj), ["one", "two"]);
    let off = "# one\nOFF\n# two\n3 1 0\n# not at the head\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    assert_eq!(comments("a.off", off), ["one", "two"]);
    let off = "OFF 3 1 0\n# three\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    assert_eq!(comments("a.off", off), ["three"]);
}

#[test]
fn a_comment_of_two_lines_is_refused() {
    let mut mesh = commented();
    for bad in ["a\nelement vertex 9", "a\rb"] {
        mesh.extras.comments = vec![bad.into()];
        let refused = write_bytes(Path::new("a.ply"), &mesh, &WriteOptions::default());
        let message = refused.unwrap_err().to_string();
        assert!(message.contains("a comment is one line"), "{message}");
    }
}

/// A loss of 64-bit positions is named once, with the largest difference; no loss is silent.
#[test]
fn digits_that_are_lost_are_named() {
    let third = 1.0f64 / 3.0;
    let texts = |x: &str| {
        [
            ("a.obj", format!("v {x} 0 0\nv 1 {x} 0\nv 0 1 0\nf 1 2 3\n")),
            (
                "a.off",
                format!("OFF\n3 1 0\n{x} 0 0\n1 {x} 0\n0 1 0\n3 0 1 2\n"),
            ),
            (
                "a.stl",
                format!(
                    "solid a\nfacet normal 0 0 1\nouter loop\nvertex {x} 0 0\nvertex 1 {x} 0\nvertex 0 1 \
                        0\nendloop\nendfacet\nendsolid a\n"
                ),
            ),
            (
                "a.ply",
                format!(
                    "ply\nformat ascii 1.0\nelement vertex 3\n{}{}",
                    HEAD.replace("float", "double"),
                    BODY.replace("1 0 0", &format!("1 {x} 0"))
                ),
            ),
        ]
    };
    for (name, text) in texts(&third.to_string()) {
        let warnings = read_as(name, text.as_bytes()).unwrap().warnings;
        let lost = format!("{:.1e}", (third - f64::from(third as f32)).abs());
        assert_eq!(warnings.len(), 1, "{name}: {warnings:?}");
        assert!(
            warnings[0].contains(&format!("rounded, by {lost} at most")),
            "{warnings:?}"
        );
    }
    for fine in [
        "0.1",
        "0.33333334",
        "0.3333333433",
        "-1.5000000000000",
        "16777217e-7",
        "0.333333343267440796",
    ] {
        for (name, text) in texts(fine) {
            let warnings = read_as(name, text.as_bytes()).unwrap().warnings;
            assert_eq!(warnings, Vec::<String>::new(), "{name} {fine}");
        }
    }
}
