//! `delaunay`, `simplify`.

use crate::support::{Sandbox, bunny, faces, positions};

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
    // A Delaunay mesh is not changed.
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

/// The numbers of a map: for vertices and for faces, and how many there are afterwards.
fn map(text: &str) -> [(Vec<i64>, usize); 2] {
    let mut lines = text.lines();
    ["vertices", "faces"].map(|name| {
        let header: Vec<&str> = lines.next().unwrap().split(' ').collect();
        assert_eq!(header[0], name);
        let [before, after] = [1, 2].map(|k| header[k].parse::<usize>().unwrap());
        let numbers = lines.by_ref().take(before).map(|n| n.parse().unwrap());
        let numbers: Vec<i64> = numbers.collect();
        assert_eq!(numbers.len(), before);
        assert!(numbers.iter().all(|&n| n >= -1 && n < after as i64));
        (numbers, after)
    })
}

#[test]
fn delaunay_keeps_every_number() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    for who in ["claims", "speculative"] {
        let line = format!("delaunay bunny.obj -o d.obj --map d.txt --conflicts {who}");
        let flips = b.record(&line)["edit"]["report"]["run"]["done"]
            .as_u64()
            .unwrap();
        let (before, after) = (b.text("bunny.obj"), b.text("d.obj"));
        assert_eq!(positions(&before), positions(&after), "{who}");
        let [(vertices, _), (of_faces, _)] = map(&b.text("d.txt"));
        assert!(
            vertices.iter().enumerate().all(|(i, &v)| v == i as i64),
            "{who}"
        );
        assert!(
            of_faces.iter().enumerate().all(|(i, &f)| f == i as i64),
            "{who}"
        );
        // Two faces a flip change, in their places.
        let (old, new) = (faces(&before), faces(&after));
        let changed = old.iter().zip(&new).filter(|(f, g)| f != g);
        let changed = changed.count() as u64;
        assert!(
            changed > 0 && changed <= 2 * flips,
            "{who}: {changed} of {flips}"
        );
    }
}

#[test]
fn simplify_tells_where_vertices_went() {
    let b = Sandbox::new();
    b.ok("generate torus --nu 60 --nv 30 -o torus.obj -q");
    b.ok("simplify torus.obj --ratio 0.2 -o s.obj --map s.txt");
    let (before, after) = (positions(&b.text("torus.obj")), positions(&b.text("s.obj")));
    let [(vertices, now), (of_faces, faces_now)] = map(&b.text("s.txt"));
    assert_eq!((vertices.len(), now), (before.len(), after.len()));
    assert_eq!(faces_now, faces(&b.text("s.obj")).len());
    // Each vertex went into one, none is new, and none went farther than that one's edges reach.
    let far = |p: [f64; 3], q: [f64; 3]| (0..3).map(|k| (p[k] - q[k]).powi(2)).sum::<f64>().sqrt();
    let mut reach = vec![0f64; now];
    for face in faces(&b.text("s.obj")) {
        for k in 0..3 {
            // Vertices of a file count from 1.
            let (v, w) = (face[k] - 1, face[(k + 1) % 3] - 1);
            let length = far(after[v], after[w]);
            reach[v] = reach[v].max(length);
            reach[w] = reach[w].max(length);
        }
    }
    let mut met = vec![0; now];
    for (v, &to) in vertices.iter().enumerate() {
        assert!(to >= 0, "{v}");
        let to = to as usize;
        met[to] += 1;
        assert!(far(before[v], after[to]) <= reach[to], "{v} to {to}");
    }
    assert!(met.iter().all(|&n| n > 0));
    // Each kept face has one origin.
    let mut kept: Vec<i64> = of_faces.into_iter().filter(|&f| f >= 0).collect();
    kept.sort_unstable();
    assert_eq!(kept, (0..faces_now as i64).collect::<Vec<_>>());
    // After an edit that adds elements, remaining ones have their numbers and deleted ones have none.
    b.ok("remesh torus.obj --target-length 0.1 -o r.obj --map r.txt");
    let [(vertices, _), _] = map(&b.text("r.txt"));
    let mut last = -1;
    for &v in vertices.iter().filter(|&&v| v >= 0) {
        assert!(v > last);
        last = v;
    }
}
