//! `filter`, `geodesic`, `curvature`, `smooth`, `spring`.

use crate::support::{Sandbox, TRIANGLE, bunny, columns, faces, length, positions};
use serde_json::Value;

fn number(r: &Value, key: &str) -> f64 {
    r[key].as_f64().unwrap_or_else(|| panic!("{key} in {r}"))
}

/// A sphere of radius 3 around (1, 2, 3), numbered at random.
fn sphere(b: &Sandbox, levels: u32) -> Vec<[f64; 3]> {
    b.ok(&format!(
        "generate icosphere --levels {levels} --shuffle -o unit.obj -q"
    ));
    let unit = b.text("unit.obj");
    let moved = |l: &str| match l.strip_prefix("v ") {
        Some(rest) => {
            let p: Vec<f64> = rest.split(' ').map(|w| w.parse().unwrap()).collect();
            format!(
                "v {} {} {}\n",
                3.0 * p[0] + 1.0,
                3.0 * p[1] + 2.0,
                3.0 * p[2] + 3.0
            )
        }
        None => format!("{l}\n"),
    };
    b.put("sphere.obj", unit.lines().map(moved).collect::<String>());
    positions(&unit)
}

#[test]
fn geodesic_is_near_great_circles_on_a_sphere() {
    let b = Sandbox::new();
    let p = sphere(&b, 5);
    for (args, sources) in [
        ("--source 17", vec![17]),
        ("--source 5 --source 900", vec![5, 900]),
    ] {
        let r = b.record(&format!("geodesic sphere.obj {args} -o d.ply --ascii"));
        let d = &columns(&b.text("d.ply"))["distance"];
        let exact = |v: usize| {
            let angle = |s: usize| {
                let dot: f64 = (0..3).map(|k| p[v][k] * p[s][k]).sum();
                3.0 * dot.clamp(-1.0, 1.0).acos()
            };
            sources
                .iter()
                .map(|&s: &usize| angle(s))
                .fold(f64::INFINITY, f64::min)
        };
        let errors: Vec<f64> = (0..p.len())
            .filter(|&v| exact(v) > 0.0)
            .map(|v| (d[v] - exact(v)).abs() / exact(v))
            .collect();
        let mean = errors.iter().sum::<f64>() / errors.len() as f64;
        let worst = errors.iter().copied().fold(0.0, f64::max);
        println!(
            "sphere, {args}: mean error {:.3} %, largest {:.3} %",
            100.0 * mean,
            100.0 * worst
        );
        assert!(mean < 0.005 && worst < 0.05, "{mean} {worst}");
        assert!(sources.iter().all(|&s| d[s] == 0.0));
        let farthest = d.iter().copied().fold(0.0, f64::max);
        assert!((number(&r, "max_distance") - farthest).abs() < 1e-5 * farthest);
        assert_eq!(
            (&r["reached"], &r["unreached"]),
            (&p.len().into(), &0.into())
        );
        assert_eq!(r["converged"], true);
        assert_eq!(r["sources"].as_array().unwrap().len(), sources.len());
    }
}

#[test]
fn geodesic_is_near_straight_lines_on_a_plane() {
    let b = Sandbox::new();
    b.ok("generate grid --nx 80 --ny 80 --shuffle -o grid.obj -q");
    b.ok("geodesic grid.obj --source 1234 -o d.ply --ascii -q");
    let (p, d) = (positions(&b.text("grid.obj")), columns(&b.text("d.ply")));
    let d = &d["distance"];
    let mut errors = vec![];
    for (p_v, &d_v) in p.iter().zip(d) {
        let exact = (0..3)
            .map(|k| (p_v[k] - p[1234][k]).powi(2))
            .sum::<f64>()
            .sqrt();
        if exact > 0.0 {
            errors.push((d_v - exact).abs() / exact);
        }
    }
    let mean = errors.iter().sum::<f64>() / errors.len() as f64;
    let worst = errors.iter().copied().fold(0.0, f64::max);
    println!(
        "plane: mean error {:.3} %, largest {:.3} %",
        100.0 * mean,
        100.0 * worst
    );
    assert!(mean < 0.001 && worst < 0.01, "{mean} {worst}");
}

#[test]
fn geodesic_begins_at_points_of_the_surface() {
    let b = Sandbox::new();
    b.ok("generate grid --nx 20 --ny 20 -o near.obj -q");
    // The second one is far away: the point is in the file's coordinates, whatever frame the mesh is worked on in.
    b.ok("transform near.obj --translate 500000,5400000,100 -o far.obj -q");
    for (file, offset) in [("near.obj", [0.0; 3]), ("far.obj", [5e5, 5.4e6, 100.0])] {
        let source = [0.517, 0.233, 0.25];
        let [x, y, z] = [0, 1, 2].map(|k| source[k] + offset[k]);
        let r = b.record(&format!(
            "geodesic {file} --source-point {x},{y},{z} -o d.ply --ascii"
        ));
        assert!((number(&r, "off_surface") - 0.25).abs() < 1e-6, "{r}");
        let d = &columns(&b.text("d.ply"))["distance"];
        for (p, d) in positions(&b.text("near.obj")).iter().zip(d) {
            let exact = (p[0] - source[0]).hypot(p[1] - source[1]);
            assert!(
                (d - exact).abs() < 0.002 * (0.05 + exact),
                "{p:?}: {d} {exact}"
            );
        }
    }
    for bad in ["1,2", "1,2,x", "1,2,nan", ""] {
        let message = b.misused(&format!("geodesic near.obj --source-point={bad}"));
        assert!(message.contains("--source-point"), "{message}");
    }
    let message = b.misused("geodesic near.obj");
    assert!(message.contains("--source"), "{message}");
}

#[test]
fn geodesic_tells_what_is_out_of_reach() {
    let b = Sandbox::new();
    b.put(
        "two.obj",
        TRIANGLE.to_owned() + "v 5 0 0\nv 6 0 0\nv 5 1 0\nf 4 5 6\n",
    );
    let out = b.run("geodesic two.obj --source 1 -o d.ply --ascii --json r.json");
    assert_eq!(out.status.code(), Some(0));
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        said.contains("3 vertices are not connected to a source"),
        "{said}"
    );
    let d = &columns(&b.text("d.ply"))["distance"];
    assert!(
        d[0] == 1.0 && d[1] == 0.0 && (d[2] - 2f64.sqrt()).abs() < 1e-6,
        "{d:?}"
    );
    assert!(d[3..].iter().all(|d| *d == f64::INFINITY));
    let r: Value = serde_json::from_str(&b.text("r.json")).unwrap();
    assert_eq!((&r["reached"], &r["unreached"]), (&3.into(), &3.into()));
    // The written file can be read.
    assert_eq!(b.record("info d.ply")["input"]["vertices"], 6);
    assert_eq!(b.names(), ["d.ply", "r.json", "two.obj"]);
}

#[test]
fn values_need_a_format_that_holds_them() {
    let b = Sandbox::new();
    b.put("one.obj", TRIANGLE);
    for command in ["geodesic one.obj --source 0", "curvature one.obj"] {
        for name in ["a.obj", "a.stl", "a.off"] {
            let message = b.fails(&format!("{command} -o {name}"));
            assert!(
                message.contains("cannot hold values of vertices"),
                "{message}"
            );
        }
    }
    b.ok("geodesic one.obj --source 0 -q");
    b.ok("curvature one.obj -q");
    assert_eq!(
        b.names(),
        ["one.obj", "one_curvature.ply", "one_geodesic.ply"]
    );
    // A second run replaces the first one's column, with a warning.
    let r = b.record("geodesic one_geodesic.ply --source 1 -o again.ply --ascii");
    assert!(
        r["warnings"][0]
            .as_str()
            .unwrap()
            .contains("'distance' is replaced")
    );
    assert_eq!(columns(&b.text("again.ply"))["distance"][1], 0.0);
}

#[test]
fn sources_that_are_no_vertices_are_named() {
    let b = Sandbox::new();
    b.put("one.obj", TRIANGLE);
    let message = b.fails("geodesic one.obj --source 0 --source 3");
    assert!(
        message.contains("one.obj: source 3 is no vertex: there are 3"),
        "{message}"
    );
    let message = b.fails("spring one.obj --pin 3");
    assert!(
        message.contains("--pin 3 is no vertex: there are 3"),
        "{message}"
    );
}

#[test]
fn geodesic_that_does_not_converge_exits_with_3() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    let out = b.run("geodesic bunny.obj --source 0 --max-iter 2 --json r.json");
    assert_eq!(out.status.code(), Some(3));
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(said.starts_with("warning: not converged"), "{said}");
    assert!(b.text("r.json").contains("\"converged\": false"));
    assert_eq!(b.names(), ["bunny.obj", "bunny_geodesic.ply", "r.json"]);
}

#[test]
fn curvature_is_that_of_a_sphere_and_adds_up() {
    let b = Sandbox::new();
    let p = sphere(&b, 4);
    let r = b.record("curvature sphere.obj -o c.ply --ascii");
    let c = columns(&b.text("c.ply"));
    assert_eq!(c["gaussian_curvature"].len(), p.len());
    let near = |values: &[f64], want: f64| values.iter().all(|v| (v - want).abs() < 0.05 * want);
    assert!(near(&c["gaussian_curvature"], 1.0 / 9.0));
    assert!(near(&c["mean_curvature"], 1.0 / 3.0));
    let total = number(&r, "total_gaussian_curvature");
    assert!((total - 4.0 * std::f64::consts::PI).abs() < 1e-3, "{total}");
    assert!((c["angle_defect"].iter().sum::<f64>() - total).abs() < 1e-3);
    assert_eq!(r["euler_characteristic"], 2);
    let difference = number(&r, "gauss_bonnet_difference");
    assert!((difference - (total - 4.0 * std::f64::consts::PI)).abs() < 1e-9);
    let said = b.ok("curvature sphere.obj");
    assert!(
        said.contains("total Gaussian curvature: 12.566") && said.contains("difference"),
        "{said}"
    );
}

#[test]
fn curvature_warns_where_gauss_bonnet_does_not_hold() {
    let b = Sandbox::new();
    let wings = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nv 0 -1 0\nf 1 2 3\nf 1 2 4\nf 1 2 5\n";
    b.put("wings.obj", wings);
    let r = b.record("curvature wings.obj");
    let expected = std::f64::consts::TAU * number(&r, "euler_characteristic");
    let off = number(&r, "total_gaussian_curvature") - expected;
    let warned = r["warnings"].to_string().contains("not a manifold");
    assert_eq!(warned, off.abs() > 0.1);
    b.put(
        "tiny.obj",
        TRIANGLE.replace('1', "1e-25").replace("f 1e-25", "f 1"),
    );
    // In one over its unit of length squared such a triangle's curvature needs 64 bits, and gets them.
    let r = b.record("curvature tiny.obj --ascii -o tiny.ply");
    assert!((number(&r, "total_area") - 0.5e-50).abs() < 1e-56);
    let tiny = b.text("tiny.ply");
    assert!(
        tiny.contains("property double gaussian_curvature"),
        "{tiny}"
    );
    let k = columns(&tiny)["gaussian_curvature"][0];
    assert!((1e50..1e53).contains(&k), "{k}");
}

#[test]
fn filter_removes_noise_and_keeps_the_shape() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 4 -o clean.obj -q");
    b.ok("generate icosphere --levels 4 --noise 0.2 --seed 3 -o noisy.obj -q");
    let r = b.record("filter noisy.obj -o out.obj");
    assert_eq!(r["scheme"], "normals");
    assert!(number(&r, "iterations") >= 1.0 && number(&r, "iterations") <= 20.0);
    // The recipe's noise is uniform in a ball of a fifth of an edge.
    let noise = number(&r, "noise_over_edge");
    assert!(noise > 0.05 && noise < 0.15, "{noise}");
    let kept = number(&r, "volume_after") / number(&r, "volume_before");
    assert!((kept - 1.0).abs() < 0.01, "{kept}");
    // Deviation of the radii from their mean: the filter may shrink the sphere a little.
    let distance = |name: &str| {
        let p = positions(&b.text(name));
        let radius = |p: &[f64; 3]| p.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mean = p.iter().map(radius).sum::<f64>() / p.len() as f64;
        let squares: f64 = p.iter().map(|p| (radius(p) - mean).powi(2)).sum();
        (squares / p.len() as f64).sqrt()
    };
    let (noisy, out) = (distance("noisy.obj"), distance("out.obj"));
    assert!(out < 0.6 * noisy, "{noisy} {out}");
    assert_eq!(faces(&b.text("out.obj")), faces(&b.text("noisy.obj")));
    let r = b.record("filter noisy.obj --sigma-c 0.1 --sigma-s 0.02 --iterations 1 -o out.obj");
    assert_eq!((number(&r, "sigma_c"), number(&r, "sigma_s")), (0.1, 0.02));
    // A length of one scheme selects that scheme.
    assert_eq!(r["scheme"], "vertices");
    for rule in ["shortest-edge", "mesh-mean-edge"] {
        let r = b.record(&format!("filter noisy.obj --sigma-c {rule} -o other.obj"));
        assert_eq!(r["sigma_c"], rule);
        assert_ne!(b.text("other.obj"), b.text("out.obj"));
    }
}

#[test]
fn smooth_shortens_and_taubin_shrinks_less() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    let run = |args: &str| {
        b.ok(&format!("smooth bunny.obj {args} -o out.obj -q"));
        length(&b.text("out.obj"))
    };
    let (before, laplace) = (length(&bunny()), run("--iterations 20"));
    let taubin = run("--iterations 20 --taubin");
    assert!(laplace < 0.9 * before, "{before} {laplace}");
    assert!(
        taubin < before && taubin > laplace,
        "{before} {taubin} {laplace}"
    );
    assert_eq!(run("--iterations 20 --lambda 0.33 --mu -0.34"), taubin);
    assert_ne!(run("--iterations 20 --weights cotangent"), laplace);
    let r = b.record("smooth bunny.obj --taubin --iterations 3 --weights cotangent");
    assert_eq!((number(&r, "lambda"), number(&r, "mu")), (0.33, -0.34));
    assert_eq!(
        (&r["steps"], &r["weights"]),
        (&6.into(), &"cotangent".into())
    );
    for (args, words) in [("--lambda 1.5", "lambda is 1.5"), ("--mu 0.5", "mu is 0.5")] {
        assert!(
            b.misused(&format!("smooth bunny.obj {args} -o no.obj"))
                .contains(words)
        );
    }
}

#[test]
fn smooth_keeps_the_boundary_unless_told() {
    let b = Sandbox::new();
    b.ok("generate grid --nx 10 --ny 10 --noise 0.3 -o grid.obj -q");
    let before = positions(&b.text("grid.obj"));
    let moved = |args: &str| {
        b.ok(&format!("smooth grid.obj {args} -o out.obj -q"));
        let after = positions(&b.text("out.obj"));
        before.iter().zip(&after).filter(|(p, q)| p != q).count()
    };
    assert_eq!(moved(""), 81);
    assert_eq!(moved("--move-boundary"), 121);
}

/// A cloth upright in the x-z plane.
fn cloth(b: &Sandbox) {
    b.ok("generate grid --nx 12 --ny 12 -o flat.obj -q");
    let upright = |l: &str| match l.strip_prefix("v ") {
        Some(rest) => {
            let p: Vec<&str> = rest.split(' ').collect();
            format!("v {} {} {}\n", p[0], p[2], p[1])
        }
        None => format!("{l}\n"),
    };
    b.put(
        "cloth.obj",
        b.text("flat.obj").lines().map(upright).collect::<String>(),
    );
}

#[test]
fn a_pinned_cloth_hangs_and_a_free_one_falls() {
    let b = Sandbox::new();
    cloth(&b);
    let before = positions(&b.text("cloth.obj"));
    for method in ["explicit", "scatter", "implicit"] {
        let r = b.record(&format!(
            "spring cloth.obj --pin-top 1 --steps 200 --method {method} -o out.obj"
        ));
        assert_eq!((&r["pinned"], &r["method"]), (&13.into(), &method.into()));
        assert!(r["warnings"].as_array().unwrap().is_empty(), "{r}");
        let after = positions(&b.text("out.obj"));
        for (p, q) in before.iter().zip(&after) {
            if p[2] > 0.99 {
                assert_eq!(p, q, "a pinned vertex moved");
            } else {
                assert!(q[2] < p[2] && q[2] > p[2] - 0.3, "{p:?} to {q:?}");
            }
        }
        assert!(number(&r["energy"], "elastic") > 0.0 && number(&r["energy"], "gravity") < 0.0);
        assert_eq!(r["last_solve"].is_null(), method != "implicit");
    }
    let r = b.record("spring cloth.obj --damping 0 --steps 100 --gravity=0,-2,0 -o out.obj");
    assert!(r["warnings"][0].as_str().unwrap().contains("falls freely"));
    let fallen = 2.0 * 0.001f64.powi(2) * 100.0 * 101.0 / 2.0;
    for (p, q) in before.iter().zip(positions(&b.text("out.obj"))) {
        assert!((p[1] - fallen - q[1]).abs() < 1e-5 && (p[2] - q[2]).abs() < 1e-5);
    }
}

#[test]
fn pins_by_vertex_and_boundary() {
    let b = Sandbox::new();
    cloth(&b);
    let pinned =
        |args: &str| b.record(&format!("spring cloth.obj {args} --steps 3"))["pinned"].clone();
    assert_eq!(pinned("--pin 3 --pin 7 --pin 3"), 2);
    assert_eq!(pinned("--pin-boundary"), 48);
    assert_eq!(pinned("--pin 0 --pin-boundary --pin-top 100"), 169);
    assert!(
        b.fails("spring flat.obj --pin-top 1")
            .contains("no height against gravity")
    );
}

#[test]
fn springs_that_explode_say_so() {
    let b = Sandbox::new();
    cloth(&b);
    let message = b.fails("spring cloth.obj --pin 0 --time-step 1 --steps 200");
    assert!(
        message.contains("cloth.obj: the motion left the numbers: take a shorter --time-step"),
        "{message}"
    );
    let r = b.record("spring cloth.obj --pin 0 --time-step 0.01 --steps 12");
    assert!(r["warnings"].to_string().contains("the energy grew"), "{r}");
    b.ok("spring cloth.obj --pin 0 --time-step 0.1 --steps 50 --method implicit");
}

#[test]
fn moved_meshes_keep_what_they_carry_but_stale_normals() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    b.ok("normals bunny.obj -o n.ply -q");
    for command in ["filter", "smooth", "spring --pin 0 --steps 50"] {
        b.ok(&format!("{command} n.ply -o out.ply --ascii -q"));
        b.ok("normals out.ply -o fresh.ply --ascii -q");
        let (out, fresh) = (columns(&b.text("out.ply")), columns(&b.text("fresh.ply")));
        assert_eq!(out["nx"].len(), 1839);
        let off = |k: &str| {
            out[k]
                .iter()
                .zip(&fresh[k])
                .map(|(a, b)| (a - b).abs())
                .fold(0.0, f64::max)
        };
        assert!(
            off("nx") < 1e-5 && off("ny") < 1e-5 && off("nz") < 1e-5,
            "{command}"
        );
    }
}
