//! `mcf` and `normals`.

use crate::support::{Sandbox, bunny, faces, length, positions};
use serde_json::Value;

#[test]
fn mcf_smooths_and_says_where_it_wrote() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    let said = b.ok("mcf bunny.obj --engine cpu --time-step 1.46");
    assert!(said.contains("wrote bunny_mcf.obj"), "{said}");
    assert_eq!(b.names(), ["bunny.obj", "bunny_mcf.obj"]);
    let (before, after) = (bunny(), b.text("bunny_mcf.obj"));
    assert_eq!(faces(&before), faces(&after));
    assert_eq!(positions(&before).len(), positions(&after).len());
    assert!(length(&after) < 0.9 * length(&before));
    assert!(length(&after) > 0.3 * length(&before));
}

#[test]
fn mcf_keeps_order_and_extras() {
    let b = Sandbox::new();
    b.ok("generate grid --nx 30 --ny 20 --noise 0.2 --shuffle -o grid.obj -q");
    let text = b.text("grid.obj");
    let corners = "vt 0.5 0.25\nvt 1 0\nvt 0 1\ng left\n".to_owned();
    let faced = |l: &str| {
        let Some(rest) = l.strip_prefix("f ") else {
            return format!("{l}\n");
        };
        let words: Vec<&str> = rest.split_whitespace().collect();
        format!("f {}/1 {}/2 {}/3\n", words[0], words[1], words[2])
    };
    let (vertices, rest): (Vec<_>, Vec<_>) = text.lines().partition(|l| l.starts_with("v "));
    let all =
        vertices.join("\n") + "\n" + &corners + &rest.iter().map(|l| faced(l)).collect::<String>();
    b.put("textured.obj", &all);
    b.ok("mcf textured.obj -o out.obj --time-step 1e-12 -q");
    let out = b.text("out.obj");
    assert_eq!(faces(&out), faces(&text));
    for (p, q) in positions(&text).iter().zip(positions(&out)) {
        assert!((0..3).all(|k| (p[k] - q[k]).abs() < 1e-5), "{p:?} {q:?}");
    }
    let of = |text: &str, word: &str| {
        text.lines()
            .filter(|l| l.starts_with(word))
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    assert_eq!(of(&out, "vt "), of(&all, "vt "));
    assert_eq!(of(&out, "g "), ["g left"]);
    assert_eq!(of(&out, "f "), of(&all, "f "));
}

#[test]
fn mcf_computes_stale_normals_anew() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 2 -o plain.obj -q");
    b.ok("mcf plain.obj -o smooth.obj -q");
    assert!(!b.text("smooth.obj").contains("vn "));
    b.ok("normals plain.obj -q");
    assert!(b.text("plain_normals.obj").contains("vn "));
    b.ok("mcf plain_normals.obj -o smooth.obj -q");
    let out = b.text("smooth.obj");
    assert_eq!(out.matches("vn ").count(), out.matches("v ").count());
    b.put(
        "creased.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nvn 1 0 0\nvn 0 1 0\nf 1//1 2//2 3//1\n",
    );
    let record = b.record("mcf creased.obj -o smooth.obj");
    assert!(
        record["warnings"][0]
            .as_str()
            .unwrap()
            .contains("normals of corners")
    );
    assert!(b.text("smooth.obj").contains("vn 0 0 1"));
}

#[test]
fn mcf_that_does_not_converge_exits_with_3() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    let out = b.run("mcf bunny.obj --max-iter 3 --json r.json");
    assert_eq!(out.status.code(), Some(3));
    assert!(
        String::from_utf8_lossy(&out.stderr)
            .starts_with("warning: not converged: after 3 iterations")
    );
    let record: Value = serde_json::from_str(&b.text("r.json")).unwrap();
    assert_eq!(
        (record["converged"].clone(), record["iterations"].clone()),
        (false.into(), 3.into())
    );
    assert!(record["residual"].as_f64().unwrap() > 1e-6);
    assert_eq!(faces(&b.text("bunny_mcf.obj")).len(), 3674);
}

#[test]
fn record_of_mcf_is_complete() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    let out = b.run("mcf bunny.obj --time-step 1.46 --json -");
    let r: Value = serde_json::from_slice(&out.stdout).unwrap();
    assert!(String::from_utf8_lossy(&out.stderr).contains("wrote bunny_mcf.obj"));
    assert_eq!(r["command"], "mcf");
    assert_eq!(r["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(r["input"]["format"], "OBJ");
    assert_eq!(r["input"]["bytes"], bunny().len());
    assert_eq!(
        (
            &r["input"]["vertices"],
            &r["input"]["edges"],
            &r["input"]["faces"]
        ),
        (&1839.into(), &5511.into(), &3674.into())
    );
    assert_eq!(r["converged"], true);
    assert!(r["iterations"].as_u64().unwrap() > 10);
    assert!(r["residual"].as_f64().unwrap() < 1e-6);
    assert!(r["time_step"].as_f64().unwrap() > 0.0);
    assert_eq!(r["output"]["path"], "bunny_mcf.obj");
    assert!(r["patches"]["count"].as_u64().unwrap() >= 8);
    assert!(r["patches"]["bytes_per_face"]["total"].as_f64().unwrap() < 22.0);
    assert!(r["engine"]["units"].as_u64().unwrap() > 0);
    assert_eq!(
        r["engine"]["why_not_gpu"].is_null(),
        r["engine"]["engine"] == "cuda"
    );
    for stage in [
        "read", "patch", "upload", "run", "download", "write", "total",
    ] {
        assert!(r["timings_ms"][stage].is_number(), "{stage}");
    }
    assert_eq!(r["warnings"], Value::Array(vec![]));
    let file = b.ok("mcf bunny.obj --quiet --json r.json");
    assert_eq!(file, "");
    let r: Value = serde_json::from_str(&b.text("r.json")).unwrap();
    assert_eq!(r["command"], "mcf");
}

#[test]
fn results_do_not_depend_on_threads() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    b.ok("mcf bunny.obj --engine cpu --threads 1 -o one.obj -q");
    b.ok("mcf bunny.obj --engine cpu --threads 3 -o three.obj -q");
    assert_eq!(b.text("one.obj"), b.text("three.obj"));
    let r = b.record("info bunny.obj --engine cpu --threads 3");
    assert_eq!(r["engine"]["units"], 3);
}

#[test]
fn normals_are_unit_and_point_outwards() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 3 -o ball.obj -q");
    let said = b.ok("normals ball.obj");
    assert!(said.contains("wrote ball_normals.obj"), "{said}");
    let out = b.text("ball_normals.obj");
    let normal = |l: &str| {
        let mut n = l
            .split_whitespace()
            .skip(1)
            .map(|w| w.parse::<f64>().unwrap());
        [0; 3].map(|_| n.next().unwrap())
    };
    let normals: Vec<[f64; 3]> = out
        .lines()
        .filter(|l| l.starts_with("vn "))
        .map(normal)
        .collect();
    let p = positions(&out);
    assert_eq!(normals.len(), p.len());
    for (n, p) in normals.iter().zip(&p) {
        assert!((0..3).all(|k| (n[k] - p[k]).abs() < 0.01), "{n:?} at {p:?}");
    }
    let r = b.record("normals ball.obj -o ball.ply --ascii");
    assert_eq!(r["normals"]["zero"], 0);
    assert!(b.text("ball.ply").contains("property float nx"));
}

#[test]
fn output_may_be_the_input() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    b.ok("mcf bunny.obj -o bunny.obj --time-step 1.46 -q");
    assert_eq!(b.names(), ["bunny.obj"]);
    assert!(length(&b.text("bunny.obj")) < 0.9 * length(&bunny()));
}

#[test]
fn mcf_gives_the_same_with_and_without_matrix_and_preconditioner() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    let run = |flags: &str| {
        let r = b.record(&format!("mcf bunny.obj -o out.obj {flags}"));
        (positions(&b.text("out.obj")), r)
    };
    let (want, r) = run("");
    assert_eq!(
        (&r["matrix_free"], &r["preconditioner"]),
        (&false.into(), &true.into())
    );
    let few = r["iterations"].as_u64().unwrap();
    for flags in [
        "--matrix-free",
        "--no-preconditioner",
        "--matrix-free --no-preconditioner",
    ] {
        let (got, r) = run(flags);
        let plain = flags.contains("--no-preconditioner");
        assert_eq!(r["matrix_free"], flags.contains("--matrix-free"));
        assert_eq!(r["preconditioner"], !plain);
        assert!(!plain || r["iterations"].as_u64().unwrap() > few, "{flags}");
        for (p, q) in want.iter().zip(&got) {
            assert!(
                (0..3).all(|k| (p[k] - q[k]).abs() < 1e-3),
                "{flags}: {p:?} {q:?}"
            );
        }
    }
}
