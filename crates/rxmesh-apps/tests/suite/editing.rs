//! `delaunay`, `remesh`, `track`.

use crate::support::{Sandbox, faces, positions};
use serde_json::Value;

fn number(r: &Value, path: &str) -> f64 {
    r.pointer(path)
        .and_then(Value::as_f64)
        .unwrap_or_else(|| panic!("{path} in {r}"))
}

#[test]
fn remesh_evens_a_noisy_torus() {
    let b = Sandbox::new();
    b.ok("generate torus --nu 48 --nv 20 --noise 0.3 -o t.obj -q");
    let r = b.record("remesh t.obj --no-features --engine cpu --validate -o even.obj");
    let (before, after) = (
        number(&r, "/edit/before/smallest_angle/mean"),
        number(&r, "/edit/after/smallest_angle/mean"),
    );
    assert!(after > before + 5.0 && after > 48.0, "{before} {after}");
    let over = number(&r, "/edit/edge_length_over_target/after/mean");
    assert!((0.9..1.15).contains(&over), "{over}");
    assert_eq!(r["edit"]["validated"], true);
    let done = |what: &str| number(&r, &format!("/edit/report/{what}/done"));
    assert!(done("split") > 0.0 && done("collapse") > 0.0 && done("flip") > 0.0);
    let obj = b.text("even.obj");
    // A torus still: as many faces as twice the vertices.
    assert_eq!(faces(&obj).len(), 2 * positions(&obj).len());
    // The same seed, the same bytes; the text names the target.
    let text = b.ok("remesh t.obj --no-features --project --engine cpu --threads 2 -o again.obj");
    assert!(text.contains("over the target"), "{text}");
    assert_eq!(b.text("again.obj"), obj);
}

#[test]
fn remesh_refuses_what_it_cannot_do() {
    let b = Sandbox::new();
    // Three triangles at one edge.
    b.put(
        "fins.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nf 1 2 3\nf 2 1 4\nf 1 2 5\n",
    );
    let error = b.fails("remesh fins.obj --engine cpu -o out.obj");
    assert!(error.contains("manifold"), "{error}");
    b.ok("generate grid --nx 4 --ny 4 -o g.obj -q");
    for length in ["0", "-1", "nan", "short"] {
        let wrong = b.run(&format!("remesh g.obj --target-length={length} -o out.obj"));
        assert_eq!(wrong.status.code(), Some(2), "{length}");
    }
    assert!(!b.names().contains(&"out.obj".to_owned()));
}

#[test]
fn remesh_of_needles_has_as_many_faces_as_the_area_asks_for() {
    let b = Sandbox::new();
    b.ok("generate cylinder --nu 120 --nv 1 -o c.obj -q");
    let r = b.record("remesh c.obj --target-length 0.2 --engine cpu --validate -o even.obj");
    // 6 pi, less what 120 sides cut off, over the triangle of 0.2.
    let expected = number(&r, "/edit/report/expected_faces");
    assert!((expected - 1088.0).abs() < 2.0, "{expected}");
    let part = number(&r, "/edit/report/faces") / expected;
    assert!((0.75..1.25).contains(&part), "{part}");
    assert_eq!(r["edit"]["report"]["on_target"], true);
    let r = b.record("remesh c.obj --faces 700 --engine cpu -o even.obj");
    let faces = number(&r, "/edit/report/faces");
    assert!((630.0..=770.0).contains(&faces), "{faces}");
    let r = b.record("remesh c.obj --adaptive 0.01 --target-length 0.2 --engine cpu -o even.obj");
    assert_eq!(r["edit"]["report"]["on_target"], true);
    assert_eq!(r["edit"]["options"]["project"], true);
    assert_eq!(r["edit"]["options"]["keep_features"], 30.0);
}

#[test]
fn too_many_faces_are_refused_before_any_work() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 3 -o s.obj -q");
    for command in [
        "remesh s.obj --target-length 0.0001",
        "remesh s.obj --target-length 0.01 --max-faces 1000",
        "remesh s.obj --faces 1001 --max-faces 1000",
        "track s.obj --target-length 0.0001",
    ] {
        let out = b.run(&format!("{command} --engine cpu -o out.obj"));
        assert_eq!(out.status.code(), Some(1), "{command}");
        let error = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(
            error.contains("faces") && error.contains("max-faces"),
            "{error}"
        );
    }
    assert!(!b.names().contains(&"out.obj".to_owned()));
}

/// The sides of a strip are finer than the target: what comes is written, a warning says so, and the exit code too.
#[test]
fn remesh_says_when_the_target_is_not_reached() {
    let b = Sandbox::new();
    b.put(
        "strip.obj",
        "v 0 0 0\nv 1 0 0\nv 1 0.001 0\nv 0 0.001 0\nf 1 2 3\nf 1 3 4\n",
    );
    let out = b.run("remesh strip.obj --target-length 0.05 --engine cpu -o out.obj");
    assert_eq!(out.status.code(), Some(3));
    let warning = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(warning.contains("not what was asked for"), "{warning}");
    assert!(b.names().contains(&"out.obj".to_owned()));
}

#[test]
fn track_writes_the_last_frame_or_all() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 2 -o s.obj -q");
    let r = b.record("track s.obj --engine cpu --frames 5 --validate --sequence -o flow.obj");
    assert_eq!(number(&r, "/edit/report/frames"), 5.0);
    for k in 1..=5 {
        assert!(!positions(&b.text(&format!("flow_000{k}.obj"))).is_empty());
    }
    assert_eq!(b.text("flow_0005.obj"), b.text("flow.obj"));
    assert_ne!(b.text("flow_0001.obj"), b.text("flow.obj"));
    let before = b.names().len();
    b.ok("track s.obj --engine cpu --frames 2 -o last.obj");
    assert_eq!(b.names().len(), before + 1);
}

#[test]
fn delaunay_leaves_no_edge_of_a_jittered_grid() {
    let b = Sandbox::new();
    b.ok("generate torus --nu 40 --nv 20 --noise 0.3 -o t.obj -q");
    let r = b.record("delaunay t.obj --engine cpu --validate -o d.obj");
    assert_eq!(number(&r, "/edit/report/left"), 0.0);
    assert!(number(&r, "/edit/report/run/done") > 0.0);
    assert!(
        number(&r, "/edit/after/smallest_angle/mean")
            > number(&r, "/edit/before/smallest_angle/mean")
    );
}
