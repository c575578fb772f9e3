//! `subdivide`.

use crate::support::Sandbox;

const CUBE: &str = "v -1 -1 -1\nv 1 -1 -1\nv -1 1 -1\nv 1 1 -1\nv -1 -1 1\nv 1 -1 1\nv -1 1 1\nv 1 1 1\n\
    f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n";

#[test]
fn normals_of_corners_are_written() {
    let b = Sandbox::new();
    b.put("cube.obj", CUBE);
    b.ok("subdivide cube.obj --creases 30 --levels 2 --split-normals -o smooth.obj");
    let text = b.text("smooth.obj");
    let lines = |word: &str| text.lines().filter(|l| l.starts_with(word)).count();
    assert_eq!((lines("v "), lines("f ")), (98, 96));
    // Six flat sides.
    assert_eq!(lines("vn "), 6 * 25);
    assert!(
        text.lines()
            .any(|l| l.starts_with("f ") && l.contains("//"))
    );
    let r = b.record("subdivide cube.obj --creases 30 --split-normals -o smooth.ply");
    let warning = r["warnings"][0].as_str().unwrap();
    assert!(warning.contains("no normals of face corners"), "{warning}");
}

#[test]
fn edges_of_three_faces_are_refused_or_sharp() {
    let b = Sandbox::new();
    let fin = "v 0 0 3\nv 0 1 3\n";
    b.put("fin.obj", format!("{CUBE}{fin}f 5 6 10 9\n"));
    let out = b.run("subdivide fin.obj -o smooth.obj");
    assert_eq!(out.status.code(), Some(1));
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(said.contains("--sharpen-non-manifold"), "{said}");
    assert!(said.contains("the edge of face"), "{said}");
    let r = b.record("subdivide fin.obj --sharpen-non-manifold --levels 1 -o smooth.obj");
    let warning = r["warnings"][0].as_str().unwrap();
    assert!(
        warning.contains("1 edges of more than two faces"),
        "{warning}"
    );
    assert_eq!(r["output"]["faces"], 28);
}

#[test]
fn every_scheme_has_limits() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 1 -o ball.obj");
    for scheme in ["catmull-clark", "loop", "sqrt3"] {
        let flags = "--levels 1 --limit --normals --uv corners-plus2";
        b.ok(&format!(
            "subdivide ball.obj --scheme {scheme} {flags} -o {scheme}.obj"
        ));
        assert!(b.text(&format!("{scheme}.obj")).contains("\nvn "));
    }
}
