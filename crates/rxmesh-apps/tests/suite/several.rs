//! Several meshes in one run, and simplification within an error.

use crate::support::{Sandbox, faces, positions};
use serde_json::Value;

fn number(r: &Value, path: &str) -> f64 {
    r.pointer(path)
        .and_then(Value::as_f64)
        .unwrap_or_else(|| panic!("{path} in {r}"))
}

/// A torus, a sphere far away and much larger, and a grid with a column, in three formats.
fn three() -> Sandbox {
    let b = Sandbox::new();
    b.ok("generate torus --nu 30 --nv 20 -o t.obj -q");
    b.ok("generate icosphere --levels 3 -o near.obj -q");
    b.ok("transform near.obj --scale 40 --translate 500000,5400000,0 -o s.ply -q");
    b.ok("generate grid --nx 16 --ny 16 -o g.off -q");
    b
}

#[test]
fn each_mesh_comes_to_its_own_target_and_into_its_own_file() {
    let b = three();
    let r = b.record("simplify t.obj s.ply g.off --ratio 0.25 --engine cpu --validate -o out");
    let meshes = r["edit"]["report"]["meshes"].as_array().unwrap();
    let of = |key: &str| -> Vec<&Value> { meshes.iter().map(|m| &m[key]).collect() };
    assert_eq!(of("path"), ["t.obj", "s.ply", "g.off"]);
    assert_eq!(of("faces_before"), [1200, 1280, 512]);
    assert_eq!(of("target"), [300, 320, 128]);
    assert_eq!(of("end"), ["reached"; 3]);
    assert_eq!(of("faces")[..2], [300, 320]);
    assert_eq!(number(&r, "/input/faces"), 2992.0);
    assert_eq!(
        number(&r, "/output/faces"),
        number(&r, "/edit/report/faces")
    );
    assert_eq!(r["output"]["path"], "out");
    let t = b.text("out/t.obj");
    // A torus still.
    assert_eq!((faces(&t).len(), positions(&t).len()), (300, 150));
    // Position and size are kept.
    b.ok("convert out/s.ply -o back.obj -q");
    let s = b.text("back.obj");
    assert_eq!((faces(&s).len(), positions(&s).len()), (320, 162));
    for [x, y, z] in positions(&s) {
        let radius = ((x - 5e5).powi(2) + (y - 5.4e6).powi(2) + z * z).sqrt();
        assert!((radius - 40.0).abs() < 2.0, "{x} {y} {z}");
    }
    assert!(b.text("out/g.off").starts_with("OFF"));
    // Another run over the same files has the same bytes.
    b.ok("simplify t.obj s.ply g.off --ratio 0.25 --engine cpu --threads 2 -o again -q");
    assert_eq!(b.text("again/t.obj"), t);
}

#[test]
fn other_edits_take_several_meshes_too() {
    let b = three();
    let text = b.ok("remesh t.obj g.off --engine cpu --validate");
    assert!(text.contains("2 meshes"), "{text}");
    assert!(b.text("g_remesh.off").starts_with("OFF"));
    let t = b.text("t_remesh.obj");
    assert_eq!(faces(&t).len(), 2 * positions(&t).len());
    b.ok("delaunay t.obj g.off --engine cpu -o flat --format ply -q");
    let info = b.ok("info flat/g.ply");
    assert!(info.contains("512 faces"), "{info}");
}

/// Defaults measured on the input, such as a mean length or a time step, are computed for each mesh alone.
#[test]
fn defaults_are_those_of_each_mesh() {
    let b = three();
    let names = ["t.obj", "s.ply", "g.off"];
    for (command, at, key) in [
        ("remesh", "/edit/report", "target_length"),
        ("mcf", "", "time_step"),
        ("filter", "", "noise"),
        ("filter", "", "noise_over_edge"),
    ] {
        let r = b.record(&format!(
            "{command} {} --engine cpu -o all",
            names.join(" ")
        ));
        for (i, name) in names.iter().enumerate() {
            let member = format!("{at}/meshes/{i}");
            assert_eq!(r.pointer(&format!("{member}/path")).unwrap(), name);
            let got = number(&r, &format!("{member}/{key}"));
            let alone = b.record(&format!("{command} {name} --engine cpu -o one.ply"));
            let want = number(&alone, &format!("{at}/{key}"));
            assert!(
                (got - want).abs() <= 1e-5 * want,
                "{command} {name}: {got}, {want} alone"
            );
        }
    }
}

/// Computations on vertices give each mesh the result that it has alone, for any place and size of the other meshes.
#[test]
fn computations_of_several_meshes_are_those_of_each() {
    let b = three();
    let near = |a: &str, b: &str, most: f64| {
        let (a, b) = (positions(a), positions(b));
        assert_eq!(a.len(), b.len());
        let off = |(a, b): (&[f64; 3], &[f64; 3])| {
            (0..3).map(|k| (a[k] - b[k]).abs()).fold(0.0, f64::max)
        };
        let off = a.iter().zip(&b).map(off).fold(0.0, f64::max);
        assert!(off < most, "{off}");
    };
    let r = b.record("smooth t.obj s.ply g.off --iterations 5 --engine cpu --format obj -o out");
    assert_eq!(number(&r, "/input/faces"), 2992.0);
    for (name, most) in [("t.obj", 1e-6), ("s.ply", 1e-4), ("g.off", 1e-6)] {
        b.ok(&format!(
            "smooth {name} --iterations 5 --engine cpu --format obj -o one.obj -q"
        ));
        let together = b.text(&format!("out/{}.obj", &name[..1]));
        near(&together, &b.text("one.obj"), most);
    }
    b.ok("mcf t.obj s.ply g.off --engine cpu --format obj -o flowed -q");
    for (name, most) in [("t.obj", 1e-5), ("s.ply", 1e-3), ("g.off", 1e-5)] {
        b.ok(&format!(
            "mcf {name} --engine cpu --format obj -o one.obj -q"
        ));
        let together = b.text(&format!("flowed/{}.obj", &name[..1]));
        near(&together, &b.text("one.obj"), most);
    }
    b.ok("normals t.obj s.ply --engine cpu -o n -q");
    b.ok("normals t.obj --engine cpu -o one.obj -q");
    assert_eq!(b.text("n/t.obj"), b.text("one.obj"));
    // The format holds no columns: another one takes its place.
    b.ok("curvature t.obj g.off --engine cpu -o c -q");
    let info = b.ok("info c/g.ply");
    assert!(info.contains("512 faces"), "{info}");
}

/// Batches of 1200, and of 1280 and 512 faces: each has the bytes of a run on its meshes.
#[test]
fn batches_have_the_results_of_their_meshes() {
    let b = three();
    for (command, limit) in [
        ("simplify --ratio 0.25 --validate", 1800),
        ("remesh", 1800),
        ("mcf", 1800),
        ("curvature --format ply", 1792),
    ] {
        let run =
            |names: &str, flags: &str| b.record(&format!("{command} {names} --engine cpu {flags}"));
        let r = run(
            "t.obj s.ply g.off",
            &format!("--batch-faces {limit} -o out"),
        );
        let batches = r["batches"].as_array().unwrap();
        assert_eq!(batches.len(), 2, "{command}");
        assert_eq!(batches[0]["input"]["path"], "mesh 1 of 3");
        assert_eq!(batches[1]["input"]["path"], "meshes 2 to 3 of 3");
        assert_eq!(batches[1]["input"]["faces"], 1792);
        assert_eq!(number(&r, "/input/faces"), 2992.0);
        assert_eq!(r["engine"]["engine"], "cpu");
        let sum = |key: &str| -> f64 { batches.iter().map(|r| number(r, key)).sum() };
        for key in ["/output/faces", "/output/vertices", "/output/bytes"] {
            assert_eq!(number(&r, key), sum(key), "{command} {key}");
        }
        let pair = run("s.ply g.off", "-o pair");
        assert_eq!(pair["edit"]["report"], batches[1]["edit"]["report"]);
        let written = |folder: &str| -> Vec<(String, Vec<u8>)> {
            let entries = std::fs::read_dir(b.path().join(folder)).unwrap();
            let name = |e: std::io::Result<std::fs::DirEntry>| e.unwrap().file_name();
            let mut names: Vec<String> = entries.map(|e| name(e).into_string().unwrap()).collect();
            names.sort();
            let bytes = |n: &String| std::fs::read(b.path().join(folder).join(n)).unwrap();
            names.iter().map(|n| (n.clone(), bytes(n))).collect()
        };
        let (out, pair) = (written("out"), written("pair"));
        assert_eq!((out.len(), pair.len()), (3, 2), "{command}");
        for file in pair {
            assert!(out.contains(&file), "{command}: {}", file.0);
        }
        // One batch is a run as before, and its record holds no list.
        let r = run("t.obj s.ply g.off", "--batch-faces 2992 -o all");
        assert!(r.get("batches").is_none(), "{command}");
        for folder in ["out", "pair", "all"] {
            std::fs::remove_dir_all(b.path().join(folder)).unwrap();
        }
    }
}

#[test]
fn batches_end_as_their_worst_and_stop_at_an_error() {
    let b = three();
    let flags = "--engine cpu --batch-faces 1 -o out";
    let out = b.run(&format!("simplify g.off s.ply t.obj --faces 8 {flags}"));
    let warning = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(3), "{warning}");
    assert!(
        warning.contains("faces are left, 8 were wanted"),
        "{warning}"
    );
    let said = String::from_utf8(out.stdout).unwrap();
    for words in ["3 meshes", "mesh 2 of 3", "3 batches, "] {
        assert!(said.contains(words), "{said}");
    }
    // The last mesh has no length.
    b.put("point.obj", "v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n");
    let error = b.fails(&format!("remesh t.obj point.obj {flags}"));
    assert!(error.contains("length"), "{error}");
    // The picture shows the meshes of all batches.
    b.ok(&format!("smooth t.obj g.off {flags} --picture both.png"));
    let png = std::fs::read(b.path().join("both.png")).unwrap();
    assert_eq!(png[16..24], [0, 0, 6, 64, 0, 0, 3, 32], "1600 x 800");
}

#[test]
fn all_gpus_share_meshes_where_there_are_any() {
    let b = three();
    let out = b.run("simplify t.obj s.ply g.off --ratio 0.5 --engine cuda:all -o out --batch-faces 1 --json r.json");
    let one = b.run("smooth t.obj --engine cuda:all -o one.obj");
    if out.status.success() {
        let r: Value = serde_json::from_str(&b.text("r.json")).unwrap();
        assert_eq!(r["engine"]["engine"], "cuda");
        b.ok("simplify t.obj s.ply g.off --ratio 0.5 --engine cuda -o same --batch-faces 1");
        assert_eq!(b.text("out/t.obj"), b.text("same/t.obj"));
        assert_eq!(b.text("out/g.off"), b.text("same/g.off"));
        assert!(one.status.success());
    } else {
        for out in [out, one] {
            let error = String::from_utf8(out.stderr).unwrap();
            assert!(error.contains("no GPU for --engine cuda:all"), "{error}");
        }
        assert_eq!(b.names(), ["g.off", "near.obj", "s.ply", "t.obj"]);
    }
}

#[test]
fn several_meshes_are_refused_where_they_cannot_go() {
    let b = three();
    let says = |args: &str, words: &[&str]| {
        let error = b.fails(args);
        for word in words {
            assert!(error.contains(word), "{args}: {error}");
        }
    };
    says("simplify t.obj - --ratio 0.5 -o out", &["stdin"]);
    says("simplify t.obj none.obj --ratio 0.5 -o out", &["none.obj"]);
    says(
        "simplify t.obj s.ply --ratio 0.5 -o g.off",
        &["g.off", "folder"],
    );
    says("simplify t.obj s.ply --ratio 0.5 -o no/such", &["no/such"]);
    says(
        "simplify t.obj t.obj --ratio 0.5 -o out",
        &["t.obj", "both"],
    );
    says("simplify t.obj s.ply --ratio 0.5 -o .", &["t.obj", "place"]);
    says("track t.obj s.ply -o out.obj", &["one mesh"]);
    b.put("bad.obj", "v 0 0 0\nv nan 0 0\nv 0 1 0\nf 1 2 3\n");
    says(
        "simplify t.obj bad.obj --ratio 0.5 --engine cpu -o out",
        &["bad.obj"],
    );
    for flag in ["--map m.txt", "--repair", "--cache"] {
        b.misused(&format!("simplify t.obj s.ply --ratio 0.5 {flag} -o out"));
    }
}

#[test]
fn one_mesh_that_stays_too_large_is_named() {
    let b = three();
    let out = b.run("simplify t.obj s.ply --faces 8 --engine cpu -o out");
    let message = String::from_utf8(out.stderr).unwrap();
    // A torus of eight faces is no manifold; a sphere of eight is.
    assert_eq!(out.status.code(), Some(3), "{message}");
    assert!(message.contains("t.obj: "), "{message}");
    let t = faces(&b.text("out/t.obj")).len();
    assert!((14..40).contains(&t), "{t}");
}

#[test]
fn an_error_ends_simplification() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 4 -o s.obj -q");
    let r = b.record("simplify s.obj --error 0.5% --engine cpu --validate -o p.obj");
    assert_eq!(r["edit"]["report"]["end"], "deviation");
    // The diagonal of the box around the unit sphere.
    let most = 0.005 * 12f64.sqrt();
    let deviation = number(&r, "/edit/report/deviation");
    assert!(
        deviation <= 1.001 * most && deviation > 0.5 * most,
        "{deviation}"
    );
    assert!(number(&r, "/edit/report/refused/deviation") > 0.0);
    // The same as a length, and of a sphere a thousand times as large.
    let q = b.record(&format!(
        "simplify s.obj --error {most} --engine cpu -o q.obj"
    ));
    let faces = number(&r, "/edit/report/faces");
    assert!((number(&q, "/edit/report/faces") - faces).abs() <= 4.0);
    b.ok("transform s.obj --scale 1000 -o l.obj -q");
    let l = b.record("simplify l.obj --error 17.3 --engine cpu -o m.obj");
    let large = number(&l, "/edit/report/deviation");
    assert!(large <= 17.31 && large > 8.0, "{large}");
    // The number of faces comes first.
    let r = b.record("simplify s.obj --error 5% --faces 4000 --engine cpu -o f.obj");
    assert_eq!(r["edit"]["report"]["end"], "reached");
    assert_eq!(number(&r, "/edit/report/faces"), 4000.0);
    let text = b.ok("simplify s.obj --error 1% --engine cpu -o e.obj");
    assert!(text.contains("deviation 0.0"), "{text}");
    for wrong in [
        "--error -1",
        "--error x",
        "--error 1%% ",
        "",
        "--error 1% --cost length",
    ] {
        b.misused(&format!("simplify s.obj {wrong} -o no.obj"));
    }
}
