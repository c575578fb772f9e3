//! `delaunay`, `simplify`.

use crate::support::{Sandbox, bunny, faces};

#[test]
fn delaunay_leaves_no_edge() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    let r = b.record("delaunay bunny.obj -o d.obj --validate");
    let edit = &r["edit"];
    assert_eq!(edit["validated"], true);
    assert_eq!(edit["report"]["left"], 0, "{r}");
    assert_eq!(edit["before"]["faces"], edit["after"]["faces"]);
    assert!(edit["report"]["run"]["done"].as_u64() > Some(100), "{r}");
    // What is Delaunay stays as it is.
    let again = b.record("delaunay d.obj -o e.obj");
    assert_eq!(again["edit"]["report"]["run"]["done"], 0, "{again}");
}

#[test]
fn simplify_reaches_the_number() {
    let b = Sandbox::new();
    b.ok("generate torus --nu 60 --nv 30 -o torus.obj -q");
    let r = b.record("simplify torus.obj --ratio 0.1 --validate -o s.obj");
    assert_eq!(faces(&b.text("s.obj")).len(), 360, "{r}");
    let report = &r["edit"]["report"];
    assert_eq!(
        (&report["faces"], &report["end"]),
        (&360.into(), &"reached".into())
    );
    assert_eq!(report["run"]["done"], (3600 - 360) / 2, "{r}");
    let text = b.ok("simplify torus.obj --faces 500 --cost length -o t.obj");
    assert!(text.contains("3600 to 500 faces"), "{text}");
    assert_eq!(faces(&b.text("t.obj")).len(), 500);
    // The seed decides between edges of the same cost, and nothing else does.
    for (seed, same) in [(1, true), (2, false)] {
        b.ok(&format!(
            "simplify torus.obj --ratio 0.1 --seed {seed} -o u.obj"
        ));
        assert_eq!(b.text("u.obj") == b.text("s.obj"), same, "seed {seed}");
    }
}

#[test]
fn simplify_says_why_it_stops() {
    let b = Sandbox::new();
    b.ok("generate torus --nu 8 --nv 6 -o torus.obj -q");
    let out = b.run("simplify torus.obj --faces 2 --validate -o s.obj");
    assert_eq!(out.status.code(), Some(3));
    let warning = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        warning.contains("every edge that is left is refused"),
        "{warning}"
    );
    assert!(b.text("s.obj").starts_with("#") || b.text("s.obj").starts_with("v "));
}

#[test]
fn simplify_refuses_what_makes_no_sense() {
    let b = Sandbox::new();
    b.ok("generate torus --nu 8 --nv 6 -o torus.obj -q");
    for (args, code, words) in [
        ("--ratio 1.5", 2, "the ratio is 1.5"),
        ("--ratio 0", 2, "the ratio is 0"),
        ("--faces 0", 2, "0 faces are wanted"),
        ("--ratio 0.5 --quantile 2", 2, "the quantile is 2"),
        ("--ratio 0.5 --faces 7", 2, "cannot be used with"),
        ("", 2, "--faces"),
    ] {
        let out = b.run(&format!("simplify torus.obj {args} -o no.obj"));
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(code), "{args}: {error}");
        assert!(error.contains(words), "{args}: {error}");
        assert!(!b.path().join("no.obj").exists(), "{args}");
    }
}
