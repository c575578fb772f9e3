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
fn remesh_leaves_what_is_not_manifold() {
    let b = Sandbox::new();
    // Three triangles at one edge.
    b.put(
        "fins.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 -1 0\nv 0 0 1\nf 1 2 3\nf 2 1 4\nf 1 2 5\n",
    );
    let out = b.run("remesh fins.obj --engine cpu --target-length 1.5 -o kept.obj");
    let said = String::from_utf8(out.stderr).unwrap();
    // All of it stays: that is not what was asked for.
    assert_eq!(out.status.code(), Some(3), "{said}");
    let warning = "3 faces touch a place that is not manifold";
    assert!(
        said.contains(warning) && said.contains("--repair"),
        "{said}"
    );
    let mut before = positions(&b.text("fins.obj"));
    let mut after = positions(&b.text("kept.obj"));
    before.sort_by(|p, q| p.partial_cmp(q).unwrap());
    after.sort_by(|p, q| p.partial_cmp(q).unwrap());
    assert_eq!(after, before);
    assert_eq!(faces(&b.text("kept.obj")).len(), 3);
    let error = b.fails("remesh fins.obj --engine cpu --target-length 0.1 -o no.obj");
    assert!(
        error.contains("14.14 times as long") && error.contains("--repair"),
        "{error}"
    );
    let r = b.record("remesh fins.obj --engine cpu --target-length 0.1 --repair -o cut.obj");
    assert_eq!(r["edit"]["frozen_faces"], 0);
    assert!(faces(&b.text("cut.obj")).len() > 100);
}

#[test]
fn remesh_refuses_what_it_cannot_do() {
    let b = Sandbox::new();
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
    // 6 pi, less what 120 sides cut off, over the triangle of 0.2. Sides of 0.2 cut off a little more.
    let triangles = |key: &str| number(&r, key) / (0.01 * 3f64.sqrt());
    let of_input = triangles("/edit/report/area_before");
    assert!((of_input - 1088.0).abs() < 2.0, "{of_input}");
    let of_result = triangles("/edit/report/area_after");
    assert!(
        (0.995 * of_input..of_input).contains(&of_result),
        "{of_result}"
    );
    let expected = number(&r, "/edit/report/expected_faces");
    assert!((expected - of_result).abs() < 0.51, "{expected}");
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

/// The sides of a strip are finer than the target: the result is written, with a warning and a nonzero exit code.
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
    assert!(warning.contains("misses the request"), "{warning}");
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

/// A tube around the z axis with round ends: `n` vertices around, `k` rings an end.
fn capsule(radius: f64, length: f64, n: usize, k: usize) -> String {
    let angle = |i: usize| std::f64::consts::FRAC_PI_2 * i as f64 / k as f64;
    let rings: Vec<(f64, f64)> = (1..=k)
        .map(|i| (angle(i).sin(), -length / 2.0 - radius * angle(i).cos()))
        .chain((0..k).map(|i| (angle(i).cos(), length / 2.0 + radius * angle(i).sin())))
        .collect();
    let mut text = String::new();
    for &(part, z) in &rings {
        for i in 0..n {
            let (sin, cos) = (std::f64::consts::TAU * i as f64 / n as f64).sin_cos();
            text += &format!("v {} {} {z}\n", radius * part * cos, radius * part * sin);
        }
    }
    let last = n * rings.len();
    let top = length / 2.0 + radius;
    text += &format!("v 0 0 {}\nv 0 0 {top}\n", -top);
    for i in 0..n {
        let j = (i + 1) % n;
        text += &format!("f {} {} {}\n", last + 1, j + 1, i + 1);
        let (a, b) = (last - n + i + 1, last - n + j + 1);
        text += &format!("f {} {a} {b}\n", last + 2);
        for ring in 0..rings.len() - 1 {
            let [a, b] = [ring * n + i + 1, ring * n + j + 1];
            text += &format!("f {a} {b} {}\nf {a} {} {}\n", b + n, b + n, a + n);
        }
    }
    text
}

/// Volumes of the parts of an OBJ file's mesh, largest first.
fn volumes(obj: &str) -> Vec<f64> {
    let (x, faces) = (positions(obj), faces(obj));
    let mut part: Vec<usize> = (0..=x.len()).collect();
    fn root(part: &mut [usize], mut i: usize) -> usize {
        while part[i] != i {
            part[i] = part[part[i]];
            i = part[i];
        }
        i
    }
    for f in &faces {
        for k in 1..3 {
            let (a, b) = (root(&mut part, f[0]), root(&mut part, f[k]));
            part[a] = b;
        }
    }
    let mut sums = std::collections::BTreeMap::<usize, f64>::new();
    for f in &faces {
        let [a, b, c] = [0, 1, 2].map(|k| x[f[k] - 1]);
        let cone = a[0] * (b[1] * c[2] - b[2] * c[1])
            + a[1] * (b[2] * c[0] - b[0] * c[2])
            + a[2] * (b[0] * c[1] - b[1] * c[0]);
        *sums.entry(root(&mut part, f[0])).or_default() += cone / 6.0;
    }
    let mut sums: Vec<f64> = sums.into_values().collect();
    sums.sort_by(|a, b| b.total_cmp(a));
    sums
}

/// Parts that are thinner than an edge is long, and small ones beside a large one, keep their shape; what this costs is
/// said.
#[test]
fn remesh_keeps_thin_and_small_parts() {
    let b = Sandbox::new();
    b.put("rod.obj", capsule(0.05, 3.0, 16, 8));
    let rod = volumes(&b.text("rod.obj"))[0];
    for engine in ["claims", "speculative"] {
        for (length, least) in [(0.1, 0.775), (0.2, 0.656)] {
            let out = b.run(&format!(
                "remesh rod.obj --target-length {length} --conflicts {engine} --engine cpu -o out.obj"
            ));
            assert!(matches!(out.status.code(), Some(0 | 3)));
            let part = volumes(&b.text("out.obj"))[0] / rod;
            assert!(part >= least && part < 1.02, "{engine} {length}: {part}");
            if out.status.code() == Some(3) {
                let warning = String::from_utf8_lossy(&out.stderr).into_owned();
                assert!(warning.contains("--max-deviation"), "{warning}");
            }
        }
    }
    // Three balls, of radius 1, 0.1 and 0.05.
    b.ok("generate icosphere --levels 3 -o ball.obj -q");
    let ball = b.text("ball.obj");
    let (x, f) = (positions(&ball), faces(&ball));
    let mut text = String::new();
    for (i, (radius, at)) in [(1.0, 0.0), (0.1, 2.0), (0.05, 2.5)].iter().enumerate() {
        for p in &x {
            text += &format!(
                "v {} {} {}\n",
                radius * p[0] + at,
                radius * p[1],
                radius * p[2]
            );
        }
        for c in &f {
            let n = i * x.len();
            text += &format!("f {} {} {}\n", c[0] + n, c[1] + n, c[2] + n);
        }
    }
    b.put("balls.obj", text);
    let before = volumes(&b.text("balls.obj"));
    for engine in ["claims", "speculative"] {
        b.run(&format!(
            "remesh balls.obj --target-length 0.15 --conflicts {engine} --engine cpu -o out.obj"
        ));
        let after = volumes(&b.text("out.obj"));
        assert_eq!(after.len(), 3, "{after:?}");
        for (k, least) in [0.98, 0.388, 0.057].into_iter().enumerate() {
            assert!(
                after[k] >= least * before[k],
                "{engine}: {after:?} of {before:?}"
            );
        }
    }
    for (count, least) in [(8, 0.3), (12, 0.3)] {
        let out = b.run(&format!(
            "remesh ball.obj --faces {count} --engine cpu -o out.obj"
        ));
        let part = volumes(&b.text("out.obj"))[0] / before[0];
        assert!(part >= least, "{count}: {part}, {:?}", out.status);
    }
}

/// The rule that keeps thin parts does not stop a round surface whose edges can follow it: the target length is
/// reached.
#[test]
fn remesh_coarsens_round_surfaces() {
    let b = Sandbox::new();
    for (mesh, length, factors) in [
        ("icosphere --levels 2", 0.30, [1.7, 2.0, 2.5]),
        ("icosphere --levels 3", 0.15, [1.7, 3.0, 5.0]),
        ("torus --nu 96 --nv 32", 0.077, [1.7, 3.0, 5.0]),
    ] {
        b.ok(&format!("generate {mesh} -o m.obj -q"));
        for factor in factors {
            for engine in ["claims", "speculative"] {
                let length = factor * length;
                let r = b.record(&format!(
                    "remesh m.obj --target-length {length} --conflicts {engine} --engine cpu -o out.obj"
                ));
                let part =
                    number(&r, "/edit/report/faces") / number(&r, "/edit/report/expected_faces");
                assert!(
                    (0.75..1.25).contains(&part),
                    "{mesh} {length} {engine}: {part}"
                );
                let area =
                    number(&r, "/edit/report/area_after") / number(&r, "/edit/report/area_before");
                assert!(
                    (0.6..1.02).contains(&area),
                    "{mesh} {length} {engine}: {area}"
                );
            }
        }
    }
}

#[test]
fn edits_say_area_and_volume_before_and_after() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 3 -o s.obj -q");
    let exact = volumes(&b.text("s.obj"))[0];
    let r = b.record("remesh s.obj --target-length 0.2 --engine cpu -o out.obj");
    let after = volumes(&b.text("out.obj"))[0];
    for (key, value) in [
        ("/edit/before/volume", exact),
        ("/edit/report/volume_before", exact),
        ("/edit/after/volume", after),
        ("/edit/report/volume_after", after),
    ] {
        assert!((number(&r, key) / value - 1.0).abs() < 1e-5, "{key}: {r}");
    }
    let area = number(&r, "/edit/report/area_after");
    assert!((area / number(&r, "/edit/after/area") - 1.0).abs() < 1e-5);
    let text = b.ok("remesh s.obj --target-length 0.2 --engine cpu -o out.obj");
    assert_eq!(text.matches(", volume ").count(), 2, "{text}");
    // With several meshes each has its own volume.
    b.ok("generate torus -o t.obj -q");
    let r = b.record("remesh s.obj t.obj --engine cpu");
    for (k, name) in [(0, "s"), (1, "t")] {
        let key = |when: &str| format!("/edit/report/meshes/{k}/volume_{when}");
        let before = volumes(&b.text(&format!("{name}.obj")))[0];
        let after = volumes(&b.text(&format!("{name}_remesh.obj")))[0];
        assert!((number(&r, &key("before")) / before - 1.0).abs() < 1e-4);
        assert!((number(&r, &key("after")) / after - 1.0).abs() < 1e-4);
    }
    // A mesh with a boundary encloses nothing.
    b.ok("generate grid --nx 9 --ny 9 -o g.obj -q");
    let text = b.ok("remesh g.obj --engine cpu -o out.obj");
    assert!(
        text.contains(", area 1\n") && !text.contains("volume"),
        "{text}"
    );
}

/// The sharp edges of a round shape that is coarse here and there are no features: a number of faces is reached.
#[test]
fn remesh_reaches_a_number_of_faces_on_a_round_shape() {
    let b = Sandbox::with_data();
    for faces in [400, 100, 30] {
        let command = format!("remesh data/spot.ply --faces {faces} --engine cpu -o out.obj");
        let got = number(&b.record(&command), "/edit/report/faces");
        let part = got / f64::from(faces);
        assert!((0.9..1.1).contains(&part), "{faces}: {got}");
        assert!(volumes(&b.text("out.obj"))[0] > 0.0);
    }
}

/// Features that stop a number of faces are named with the flag, the count that was reached with them is said, and the
/// flag reaches it.
#[test]
fn remesh_names_the_flag_that_lifts_what_stops_it() {
    let b = Sandbox::new();
    b.ok("generate cylinder --nu 160 --nv 20 -o c.obj -q");
    let out = b.run("remesh c.obj --faces 12 --engine cpu -o out.obj");
    assert_eq!(out.status.code(), Some(3));
    let warning = String::from_utf8_lossy(&out.stderr).into_owned();
    let reached = faces(&b.text("out.obj")).len();
    assert!(
        warning.contains("--no-features") && warning.contains(&format!("{reached} faces")),
        "{warning}"
    );
}
