//! Wherever a mesh lies and however large it is, a command's result is the one at the origin, moved and scaled.

use crate::support::{Sandbox, faces, length, positions};
use serde_json::Value;

/// A mesh as an OBJ file of 64-bit numbers.
fn obj(places: &[[f64; 3]], triangles: &[Vec<usize>]) -> String {
    let vertices = places
        .iter()
        .map(|p| format!("v {} {} {}\n", p[0], p[1], p[2]));
    let face = |f: &Vec<usize>| format!("f {} {} {}\n", f[0], f[1], f[2]);
    vertices.chain(triangles.iter().map(face)).collect()
}

/// A noisy torus whose coordinates have twenty digits after the binary point, and copies of it.
struct TorusCopies {
    folder: Sandbox,
    places: Vec<[f64; 3]>,
    triangles: Vec<Vec<usize>>,
}

impl TorusCopies {
    fn new() -> TorusCopies {
        let folder = Sandbox::new();
        folder.ok("generate torus --nu 30 --nv 16 --noise 0.15 --shuffle -o made.obj");
        let made = folder.text("made.obj");
        let digits = |x: f64| (x * (1u64 << 20) as f64).round() / (1u64 << 20) as f64;
        let meshes = TorusCopies {
            places: positions(&made).iter().map(|p| p.map(digits)).collect(),
            triangles: faces(&made),
            folder,
        };
        meshes.put("mesh.obj", 1.0, [0.0; 3]);
        meshes
    }

    fn put(&self, name: &str, scale: f64, by: [f64; 3]) {
        let place = |p: &[f64; 3]| [0, 1, 2].map(|k| p[k] * scale + by[k]);
        let places: Vec<_> = self.places.iter().map(place).collect();
        self.folder.put(name, obj(&places, &self.triangles));
    }

    /// Runs a command on a mesh and returns the positions and triangles of the result.
    fn result(&self, command: &str, mesh: &str) -> (Vec<[f64; 3]>, Vec<Vec<usize>>) {
        let (name, flags) = command.split_once(' ').unwrap_or((command, ""));
        self.folder.ok(&format!(
            "{name} {mesh} {flags} --quiet --engine cpu -o out.obj"
        ));
        let text = self.folder.text("out.obj");
        (positions(&text), faces(&text))
    }
}

/// Commands that write positions, for a mesh that is `s` times as large.
fn commands(s: f64) -> Vec<String> {
    vec![
        "mcf".into(),
        format!("mcf --time-step {}", 0.003 * s * s),
        "smooth --iterations 5".into(),
        "smooth --taubin --weights cotangent".into(),
        "filter --iterations 2".into(),
        format!("filter --sigma-c {} --sigma-s {}", 0.2 * s, 0.04 * s),
        "normals".into(),
        "components".into(),
        "delaunay".into(),
        "simplify --ratio 0.4".into(),
        "simplify --ratio 0.4 --cost length".into(),
        "remesh --no-features".into(),
        format!("remesh --no-features --target-length {}", 0.2 * s),
        format!("track --frames 3 --time-step 0.05 --speed {s} --noise-scale {s}"),
        format!("spring --gravity=0,0,{} --pin-top 10", -9.81 * s),
    ]
}

/// Sizes of powers of two lead to the same numbers inside, so that the results are the same to the last bit.
#[test]
fn powers_of_two_scale_results_to_the_last_bit() {
    let meshes = TorusCopies::new();
    let wanted: Vec<_> = commands(1.0)
        .iter()
        .map(|command| meshes.result(command, "mesh.obj"))
        .collect();
    for power in [-50, 20, 50] {
        let s = (2f64).powi(power);
        meshes.put("scaled.obj", s, [0.0; 3]);
        for ((want, triangles), scaled) in wanted.iter().zip(commands(s)) {
            let (got, same) = meshes.result(&scaled, "scaled.obj");
            assert_eq!(*triangles, same, "{scaled}");
            let floats = |p: &[[f64; 3]], s: f64| -> Vec<[f32; 3]> {
                let float = |x: f64| x as f32 * s as f32;
                p.iter().map(|p| p.map(float)).collect()
            };
            // Moved by an option that a shorter text rounds, or by none.
            assert_eq!(floats(&got, 1.0), floats(want, s), "{scaled}");
        }
    }
}

/// A mesh far away whose file has the digits is the mesh at the origin.
#[test]
fn results_far_away_are_those_at_the_origin_moved_back() {
    let meshes = TorusCopies::new();
    let by = [500_000.0, 5_400_000.0, 0.0];
    meshes.put("far.obj", 1.0, by);
    for command in commands(1.0) {
        let (want, triangles) = meshes.result(&command, "mesh.obj");
        let (got, same) = meshes.result(&command, "far.obj");
        if command.starts_with("track") {
            // The field is that of the local frame, whose origin is another point.
            assert!(
                got.len().abs_diff(want.len()) < want.len() / 20,
                "{command}"
            );
            continue;
        }
        assert_eq!(triangles, same, "{command}");
        for (g, w) in got.iter().zip(&want) {
            let away = [0, 1, 2].map(|k| (g[k] - by[k] - w[k]).abs());
            assert!(away.iter().all(|a| *a < 1.3e-7), "{command}: {g:?}, {w:?}");
        }
    }
}

/// Coordinates that are 32-bit floats where they are, such as half metres far away, get no fewer digits in results.
#[test]
fn far_coordinates_that_fit_32_bits_get_results_that_do_not() {
    let meshes = TorusCopies::new();
    let half = |x: f64| (2000.0 * x).round() / 2.0;
    let by = [500_000.0, 5_400_000.0, 100.0];
    let near: Vec<[f64; 3]> = meshes.places.iter().map(|p| p.map(half)).collect();
    let far: Vec<_> = near
        .iter()
        .map(|p| [0, 1, 2].map(|k| p[k] + by[k]))
        .collect();
    assert!(far.iter().flatten().all(|x| f64::from(*x as f32) == *x));
    let b = &meshes.folder;
    // With a hole to fill.
    let open = &meshes.triangles[8..];
    b.put("near.obj", obj(&near, open))
        .put("far.obj", obj(&far, open));
    b.ok("convert far.obj -o far.ply -q");
    b.ok("convert far.obj -o far.off -q");
    let mut all = commands(1000.0);
    all.retain(|c| !c.starts_with("track") && !c.starts_with("components"));
    let with_engine = all.len();
    for command in [
        "subdivide --levels 1",
        "subdivide --levels 2 --limit --normals",
        "subdivide --scheme loop --levels 1",
        "subdivide --scheme loop --levels 1 --limit",
        "subdivide --scheme sqrt3 --levels 2",
        "subdivide --adaptive --levels 2",
        "subdivide --levels 1 --triangles",
    ] {
        all.insert(0, command.into());
    }
    let with_engine = with_engine + 7;
    for command in [
        "sample --points 200",
        "repair --fill-holes --fill fair",
        "repair --fill-holes --fill refined",
        "repair --weld=0.1%",
        "transform --translate 0.1,0.2,0.3",
        "convert",
    ] {
        all.push(command.into());
    }
    for (k, command) in all.iter().enumerate() {
        let (name, flags) = command.split_once(' ').unwrap_or((command, ""));
        let engine = if k < with_engine { "--engine cpu" } else { "" };
        let result = |mesh: &str, out: &str| {
            b.ok(&format!("{name} {mesh} {flags} --quiet {engine} -o {out}"));
            if out != "out.obj" {
                b.ok(&format!("convert {out} -o out.obj -q"));
            }
            let text = b.text("out.obj");
            (positions(&text), faces(&text))
        };
        let (want, triangles) = result("near.obj", "out.obj");
        for (mesh, out) in [
            ("far.obj", "out.obj"),
            ("far.ply", "out.ply"),
            ("far.off", "out.off"),
        ] {
            let (got, same) = result(mesh, out);
            // The order of equal costs hangs on the last bit.
            let edits = ["simplify", "remesh", "delaunay"].contains(&name);
            if edits && triangles != same {
                let (a, b) = (triangles.len() as f64, same.len() as f64);
                assert!((a - b).abs() <= 0.03 * a, "{command} {mesh}: {a}, {b}");
                continue;
            }
            assert_eq!(triangles, same, "{command} {mesh}");
            for (g, w) in got.iter().zip(&want) {
                let away = [0, 1, 2].map(|k| (g[k] - by[k] - w[k]).abs());
                // Rounding adds up over the steps of a motion.
                let most = if name == "spring" { 4e-3 } else { 1e-3 };
                assert!(
                    away.iter().all(|a| *a < most),
                    "{command} {mesh}: {g:?}, {w:?}"
                );
            }
        }
    }
    // Two meshes as one, and several in one run.
    b.put("right.obj", b.text("far.obj"));
    b.ok("merge far.obj right.obj -o merged.obj -q");
    assert_eq!(positions(&b.text("merged.obj"))[..far.len()], far[..]);
    b.ok("smooth far.obj right.obj --engine cpu -q -o both");
    let (want, _) = meshes.result("smooth", "near.obj");
    for (g, w) in positions(&b.text("both/right.obj")).iter().zip(&want) {
        let away = [0, 1, 2].map(|k| (g[k] - by[k] - w[k]).abs());
        assert!(away.iter().all(|a| *a < 1e-3), "{g:?}, {w:?}");
    }
}

#[test]
fn results_of_any_size_are_the_same_but_for_rounding() {
    let meshes = TorusCopies::new();
    let result = |command: String| {
        let (want, triangles) = meshes.result(&command, "mesh.obj");
        (command, want, triangles)
    };
    let wanted: Vec<_> = commands(1.0).into_iter().map(result).collect();
    for s in [1e-15, 1e-5, 1e6, 1e15] {
        meshes.put("scaled.obj", s, [0.0; 3]);
        for ((command, want, triangles), scaled) in wanted.iter().zip(commands(s)) {
            let (got, others) = meshes.result(&scaled, "scaled.obj");
            let (a, b) = (triangles.len() as f64, others.len() as f64);
            assert!((a - b).abs() <= 0.03 * a, "{scaled}: {a} faces, {b} at {s}");
            if *triangles == others {
                let near =
                    |w: &[f64; 3], g: &[f64; 3]| (0..3).all(|k| (g[k] / s - w[k]).abs() < 2e-3);
                let all = want.iter().zip(&got).all(|(w, g)| near(w, g));
                assert!(all || command.starts_with("track"), "{scaled} at {s}");
            }
            let whole = length(&obj(want, triangles));
            let other = length(&obj(&got, &others)) / s;
            assert!(
                (whole - other).abs() < 0.03 * whole,
                "{scaled}: {whole}, {other} at {s}"
            );
        }
    }
}

/// Numbers in records and columns are in the file's unit of length.
#[test]
fn records_and_columns_have_the_users_units() {
    let meshes = TorusCopies::new();
    let s = (2f64).powi(-30);
    meshes.put("scaled.obj", s, [0.0; 3]);
    let number = |record: &Value, key: &str| -> f64 {
        record
            .pointer(key)
            .and_then(Value::as_f64)
            .unwrap_or_else(|| panic!("{key}: {record}"))
    };
    for (command, keys) in [
        ("mcf", &[("/time_step", 2)][..]),
        (
            "curvature",
            &[
                ("/total_area", 2),
                ("/mean_range/1", -1),
                ("/gaussian_range/0", -2),
            ],
        ),
        ("geodesic --source 3", &[("/max_distance", 1)]),
        ("components", &[("/listed/0/area", 2)]),
        (
            "check",
            &[
                ("/check/edge_length/mean", 1),
                ("/check/bounding_box/1/0", 1),
            ],
        ),
        (
            "info",
            &[("/mesh/edge_length/max", 1), ("/mesh/bounding_box/0/2", 1)],
        ),
        (
            "remesh --no-features",
            &[
                ("/edit/report/target_length", 1),
                ("/edit/before/edge_length/min", 1),
                ("/edit/after/edge_length/mean", 1),
                ("/edit/edge_length_over_target/after/mean", 0),
            ],
        ),
    ] {
        let (name, flags) = command.split_once(' ').unwrap_or((command, ""));
        let record = |mesh: &str| meshes.folder.record(&format!("{name} {mesh} {flags}"));
        let (one, scaled) = (record("mesh.obj"), record("scaled.obj"));
        for (key, power) in keys {
            let (a, b) = (number(&one, key), number(&scaled, key));
            let want = a * s.powi(*power);
            assert!(
                (b - want).abs() <= 1e-6 * want.abs(),
                "{command} {key}: {b}, {want}"
            );
        }
    }
    let gravity = |mesh: &str, g: f64| {
        let record = meshes
            .folder
            .record(&format!("spring {mesh} --gravity=0,0,{g} --pin-top 10"));
        number(&record, "/energy/total")
    };
    let (one, scaled) = (gravity("mesh.obj", -9.81), gravity("scaled.obj", -9.81 * s));
    assert!(
        (scaled - one * s * s).abs() < 1e-5 * (one * s * s).abs(),
        "{one} {scaled}"
    );
    let column = |mesh: &str, command: &str, name: &str| -> Vec<f64> {
        meshes
            .folder
            .ok(&format!("{command} {mesh} --ascii -o out.ply"));
        column(&meshes.folder.text("out.ply"), name)
    };
    for (command, name, power) in [
        ("geodesic --source 3", "distance", 1),
        ("geodesic --source 3", "quality", 1),
        ("curvature", "gaussian_curvature", -2),
        ("curvature", "mean_curvature", -1),
        ("curvature", "quality", -1),
        ("curvature --quality gaussian", "quality", -2),
        ("curvature", "angle_defect", 0),
    ] {
        let (one, scaled) = (
            column("mesh.obj", command, name),
            column("scaled.obj", command, name),
        );
        let same = |(a, b): (&f64, &f64)| {
            (b - a * s.powi(power)).abs() <= 1e-6 * (a * s.powi(power)).abs()
        };
        assert!(one.iter().zip(&scaled).all(same), "{command} {name}");
        assert!(one.iter().any(|x| *x != 0.0), "{command} {name}");
    }
}

/// A column of the vertices of a PLY file in text.
fn column(ply: &str, name: &str) -> Vec<f64> {
    let (header, body) = ply.split_once("end_header\n").unwrap();
    let vertex = header
        .split("element ")
        .find(|e| e.starts_with("vertex"))
        .unwrap();
    let properties: Vec<&str> = vertex
        .lines()
        .filter(|l| l.starts_with("property"))
        .collect();
    let at = properties
        .iter()
        .position(|p| p.ends_with(&format!(" {name}")))
        .unwrap();
    let n: usize = vertex.split_whitespace().nth(1).unwrap().parse().unwrap();
    let value = |l: &str| l.split(' ').nth(at).unwrap().parse().unwrap();
    body.lines().take(n).map(value).collect()
}

/// A conversion between formats loses nothing, and a warning names the content that STL loses.
#[test]
fn converting_keeps_64_bits() {
    let meshes = TorusCopies::new();
    let by = [500_003.25, 5_400_017.5, 211.0];
    meshes.put("far.obj", 1.0, by);
    let run = |args: &str| {
        let out = meshes.folder.run(args);
        assert_eq!(out.status.code(), Some(0), "{args}");
        String::from_utf8(out.stderr).unwrap()
    };
    run("convert far.obj -o direct.obj");
    let direct = meshes.folder.text("direct.obj");
    let near = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).all(|k| (a[k] - b[k]).abs() < 2e-7);
    let far = positions(&meshes.folder.text("far.obj"));
    assert!(positions(&direct).iter().zip(&far).all(near));
    for form in ["out.off", "out.ply", "out.ply --ascii", "out.obj"] {
        assert_eq!(run(&format!("convert far.obj -o {form}")), "");
        let file = form.split(' ').next().unwrap();
        assert_eq!(run(&format!("convert {file} -o back.obj")), "");
        assert!(meshes.folder.text("back.obj") == direct, "{form}");
    }
    let said = run("convert far.obj -o out.stl");
    assert!(
        said.contains("STL holds 32-bit floats: positions are rounded, by 2."),
        "{said}"
    );
}

/// A field in another unit of length carries a small mesh beyond the numbers: an error, not four faces at one place.
#[test]
fn a_field_of_another_size_is_refused() {
    let meshes = TorusCopies::new();
    meshes.put("scaled.obj", (2f64).powi(-50), [0.0; 3]);
    let message = meshes
        .folder
        .fails("track scaled.obj --frames 3 -o out.obj");
    assert!(
        message.contains("the field carries the surface"),
        "{message}"
    );
    meshes
        .folder
        .ok("track scaled.obj --frames 3 --speed 1e-15 --noise-scale 1e-15 -o out.obj");
}

/// A few vertices far away from the rest: an end, and the rest as it would be without them.
#[test]
fn vertices_far_outside_do_not_stop_anything() {
    let meshes = TorusCopies::new();
    for outliers in [1, 40] {
        let mut places = meshes.places.clone();
        for v in 0..outliers {
            places[7 * v + 3] = [1e8, v as f64, 0.0];
        }
        meshes
            .folder
            .put("wild.obj", obj(&places, &meshes.triangles));
        for command in [
            "smooth",
            "mcf",
            "filter",
            "normals",
            "components",
            "delaunay",
            "simplify --ratio 0.5",
        ] {
            let (name, flags) = command.split_once(' ').unwrap_or((command, ""));
            let out = meshes
                .folder
                .run(&format!("{name} wild.obj {flags} -o out.obj"));
            assert!(
                matches!(out.status.code(), Some(0 | 1 | 3)),
                "{command}: {out:?}"
            );
            let said = String::from_utf8(out.stderr).unwrap();
            assert!(!said.contains("bug"), "{command}: {said}");
        }
    }
}
