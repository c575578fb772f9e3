//! `--conflicts` of the commands that change the connectivity.

use crate::support::{Sandbox, faces, positions};
use serde_json::Value;

/// A sandbox with a noisy torus of 3840 faces, `t.obj`: 15 patches or more on the speculative scheduler.
fn torus() -> Sandbox {
    let b = Sandbox::new();
    b.ok("generate torus --nu 64 --nv 30 --noise 0.3 -o t.obj -q");
    b
}

fn count(r: &Value, path: &str) -> u64 {
    r.pointer(path)
        .and_then(Value::as_u64)
        .unwrap_or_else(|| panic!("{path} in {r}"))
}

#[test]
fn both_engines_make_a_mesh_delaunay() {
    let b = torus();
    let claims = b.record("delaunay t.obj --engine cpu --validate -o c.obj");
    let r = b.record(
        "delaunay t.obj --engine cpu --validate --conflicts speculative --threads 4 -o s.obj",
    );
    assert_eq!(claims["edit"]["conflicts"], "claims");
    assert!(claims["edit"].get("speculation").is_none(), "{claims}");
    assert_eq!(claims["patches"]["patch_size"], 512);
    assert_eq!(r["edit"]["conflicts"], "speculative");
    assert_eq!(r["edit"]["validated"], true);
    assert_eq!(r["patches"]["patch_size"], 256);
    assert_eq!(
        r["edit"]["report"]["left"],
        claims["edit"]["report"]["left"]
    );
    assert_eq!(r["edit"]["before"], claims["edit"]["before"]);
    // Delaunay meshes of one set of points on a surface differ little.
    let mean = |r: &Value| {
        r["edit"]["after"]["smallest_angle"]["mean"]
            .as_f64()
            .unwrap()
    };
    assert!((mean(&r) - mean(&claims)).abs() < 0.1, "{r}");
    // Every patch is visited at least once, and wasted visits are a part of all visits.
    let did = "/edit/speculation";
    let visits = count(&r, &format!("{did}/visits"));
    assert!(visits >= count(&r, "/patches/count"), "{r}");
    let idle = count(&r, &format!("{did}/turned")) + count(&r, &format!("{did}/wasted"));
    let percent = r["edit"]["speculation"]["wasted_percent"].as_f64().unwrap();
    assert!((percent - 100.0 * idle as f64 / visits as f64).abs() < 1e-9);
    assert!(count(&r, &format!("{did}/moved")) > 0, "{r}");
}

#[test]
fn the_outcome_says_which_engine_ran() {
    let b = torus();
    let text = b.ok("delaunay t.obj --engine cpu -o d.obj");
    assert!(text.contains("\nconflicts: claims\n"), "{text}");
    let text =
        b.ok("delaunay t.obj --engine cpu --conflicts speculative --patch-size 100 -o d.obj");
    assert!(text.contains("\nconflicts: speculative, "), "{text}");
    assert!(text.contains("% wasted") && text.contains("vertices moved"));
    let r =
        b.record("delaunay t.obj --engine cpu --conflicts speculative --patch-size 100 -o d.obj");
    assert_eq!(r["patches"]["patch_size"], 100);
    assert!(count(&r, "/patches/count") >= 38, "{r}");
}

#[test]
fn remesh_on_the_speculative_scheduler() {
    let b = torus();
    let r = b.record(
        "remesh t.obj --no-features --engine cpu --validate --conflicts speculative -o e.obj",
    );
    let edit = &r["edit"];
    assert_eq!(edit["validated"], true);
    for what in ["split", "collapse", "flip"] {
        assert!(count(&r, &format!("/edit/report/{what}/done")) > 0, "{r}");
    }
    let over = edit["edge_length_over_target"]["after"]["mean"].as_f64();
    assert!(over.is_some_and(|x| (0.9..1.15).contains(&x)), "{r}");
    let angle = edit["after"]["smallest_angle"]["mean"].as_f64();
    assert!(angle > Some(48.0), "{r}");
    // A torus still: as many faces as twice the vertices.
    let obj = b.text("e.obj");
    assert_eq!(faces(&obj).len(), 2 * positions(&obj).len());
}

#[test]
fn track_on_the_speculative_scheduler() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 3 -o s.obj -q");
    let r =
        b.record("track s.obj --engine cpu --frames 4 --validate --conflicts speculative -o f.obj");
    assert_eq!(count(&r, "/edit/report/frames"), 4);
    assert_eq!(r["edit"]["conflicts"], "speculative");
    assert!(count(&r, "/edit/speculation/launches") > 0);
    // A sphere still.
    let obj = b.text("f.obj");
    assert_eq!(faces(&obj).len() + 4, 2 * positions(&obj).len());
}

#[test]
fn simplify_has_no_speculative_scheduler_and_says_so_first() {
    let b = Sandbox::new();
    // The error comes before the search for the mesh.
    let error = b.fails("simplify none.obj --ratio 0.5 --conflicts speculative -o s.obj");
    assert!(error.contains("no order"), "{error}");
    assert!(error.contains("--conflicts at claims"), "{error}");
    let error = b.fails("simplify none.obj --ratio 0.5 --conflicts claims -o s.obj");
    assert!(error.contains("none.obj"), "{error}");
    let wrong = b.run("delaunay none.obj --conflicts both -o s.obj");
    assert_eq!(wrong.status.code(), Some(2));
}
