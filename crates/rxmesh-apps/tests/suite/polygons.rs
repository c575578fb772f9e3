//! Polygon meshes: generated, converted, checked and described.

use crate::support::Sandbox;
use serde_json::{Value, json};

/// A cube with creases around its top, a sharp corner and a hole.
const CREASED: &str = "v -1 -1 -1\nv 1 -1 -1\nv -1 1 -1\nv 1 1 -1\nv -1 -1 1\nv 1 -1 1\nv -1 1 1\nv 1 1 1\n\
    f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 4 3 7 8\nf 3 1 5 7\nf 2 4 8 6\n\
    t crease 5/1/0 4 5 7 6 4 2.5\nt corner 1/1/0 0 10\nt hole 1/0/0 0\n";

#[test]
fn shapes_of_quads() {
    let b = Sandbox::new();
    for (args, vertices, faces, closed) in [
        ("cube", 8, 6, true),
        ("cube -n 3", 56, 54, true),
        (
            "quad-sphere -n 5 --shuffle --noise 0.1 --seed 3",
            152,
            150,
            true,
        ),
        ("quad-torus --nu 5 --nv 4", 20, 20, true),
        ("quad-grid --nx 3 --ny 2", 12, 6, false),
    ] {
        for name in ["m.ply", "m.obj", "m.off"] {
            let r = b.record(&format!("generate {args} -o {name}"));
            let counts = (&r["output"]["faces"], &r["output"]["vertices"]);
            assert_eq!(counts, (&faces.into(), &vertices.into()), "{args}");
            let r = b.record(&format!("check {name} --strict"));
            let check = &r["check"];
            assert_eq!(check["polygons"]["quads"], faces, "{args} {name}");
            assert_eq!(check["polygons"]["crossing_faces"]["count"], 0);
            assert_eq!(check["closed"], closed);
            assert_eq!(r["warnings"], json!([]));
        }
    }
    let out = b.run("generate cube -o m.stl");
    let text = String::from_utf8(out.stderr).unwrap();
    assert_eq!(
        text,
        "warning: m.stl: 6 of 6 faces were polygons and are now triangles: 12 faces\n"
    );
    b.ok("generate quad-sphere --noise 0.1 --shuffle --seed 5 -o a.obj");
    b.ok("generate quad-sphere --noise 0.1 --shuffle --seed 5 -o b.obj");
    assert_eq!(b.text("a.obj"), b.text("b.obj"));
    assert!(
        b.misused("generate cube -n 0 -o d.obj")
            .contains("n = 0 is not possible")
    );
    assert!(
        b.misused("generate cube -n 99999 -o d.obj")
            .contains("at most")
    );
    b.misused("generate cube --subdivide 1 -o d.obj");
}

#[test]
fn converting_keeps_what_a_format_holds() {
    let b = Sandbox::new();
    b.put("a.obj", CREASED);
    let r = b.record("convert a.obj -o b.ply");
    assert_eq!(r["warnings"], json!([]));
    assert_eq!(
        (&r["input"]["faces"], &r["output"]["faces"]),
        (&6.into(), &6.into())
    );
    b.ok("convert b.ply --ascii -o c.ply");
    let text = b.text("c.ply");
    for part in [
        "property uchar hole\n",
        "element edge 4\nproperty int vertex1\nproperty int vertex2\nproperty float sharpness\n",
        "\n4 5 2.5\n",
        "\n-1 -1 -1 10\n",
    ] {
        assert!(text.contains(part), "'{part}' is not in:\n{text}");
    }
    b.ok("convert c.ply -o d.obj");
    let text = b.text("d.obj");
    assert!(
        text.contains("f 1 3 4 2\n") && text.ends_with("t corner 1/1/0 0 10\nt hole 1/0/0 0\n"),
        "{text}"
    );
    assert_eq!(text.matches("t crease 2/1/0 ").count(), 4);
    let words = |r: &Value| r["warnings"].to_string();
    let off = words(&b.record("convert a.obj -o e.off"));
    assert!(
        off.contains("OFF holds no sharp edges: 4") && off.contains("holes: 1"),
        "{off}"
    );
    let cut = b.record("convert a.obj --triangles -o f.ply");
    assert_eq!(cut["output"]["faces"], 12);
    assert!(words(&cut).contains("no sharp edges: 4"), "{cut}");
    let stl = b.record("convert d.obj -o g.stl");
    assert!(
        words(&stl).contains("g.stl: 6 of 6 faces were polygons"),
        "{stl}"
    );
    // A mesh that comes from a stream, and one that goes to one.
    let piped = b.ok("convert a.obj --format off -o -");
    assert!(
        piped.contains("8 6 0\n") && piped.contains("\n4 0 2 3 1\n"),
        "{piped}"
    );
}

#[test]
fn what_info_tells_of_polygons() {
    let b = Sandbox::new();
    b.put("a.obj", CREASED);
    let r = b.record("info a.obj --engine cpu");
    assert_eq!(
        r["polygons"],
        json!({
            "triangles": 0, "quads": 6, "larger": 0, "largest": 4, "sharp_edges": 4, "sharp_vertices": 1, "holes": 1
        })
    );
    assert_eq!(
        (&r["input"]["faces"], &r["input"]["edges"]),
        (&6.into(), &12.into())
    );
    assert_eq!(r["mesh"]["edge_length"]["max"], 2.0);
    assert_eq!(r["mesh"]["volume"], 8.0);
    let text = b.ok("info a.obj --engine cpu");
    assert!(
        text.contains(
            "8 vertices, 12 edges, 6 faces\n0 triangles, 6 quads, 0 larger polygons; at most 4 corners\n\
                4 sharp edges, 1 sharp vertices, 1 holes\n"
        ),
        "{text}"
    );
    // Triangles alone have no such line.
    b.put("t.obj", crate::support::TRIANGLE);
    assert!(
        b.record("info t.obj --engine cpu")
            .get("polygons")
            .is_none()
    );
    assert!(b.record("check t.obj")["check"].get("polygons").is_none());
}

#[test]
fn defects_of_polygons() {
    let b = Sandbox::new();
    b.put("good.obj", CREASED);
    b.ok("check good.obj --strict");
    b.put("loose.obj", format!("{CREASED}t crease 2/1/0 0 7 1\n"));
    assert!(
        b.ok("check loose.obj")
            .contains("sharp edges that are no edges: 1 ([0, 7]; counted from 0)")
    );
    b.put(
        "tie.obj",
        "v 0 0 0\nv 1 1 0\nv 1 0.5 0\nv 0 1 0\nf 1 2 3 4\n",
    );
    let out = b.run("check loose.obj --strict");
    assert_eq!(out.status.code(), Some(1));
    let text = String::from_utf8(out.stderr).unwrap();
    assert!(
        text.contains("loose.obj: 1 sharp edges that are no edges"),
        "{text}"
    );
    // A strongly non-planar polygon seems to intersect itself, and is not a defect.
    let tie = b.ok("check tie.obj --strict");
    assert!(
        tie.contains("faces that cross themselves: 1 (0; counted from 0)"),
        "{tie}"
    );
    b.put("bad.obj", format!("{CREASED}t crease 2/1/0 0 8 1\n"));
    for command in [
        "check bad.obj",
        "info bad.obj",
        "convert bad.obj -o o.ply",
        "mcf bad.obj -o o.ply",
    ] {
        let text = b.fails(command);
        assert!(
            text.contains("bad.obj: line 18: a tag names vertex 8"),
            "{text}"
        );
    }
}

/// A cube whose sides are of eight corners, four of which lie on them.
fn cube_of_octagons() -> String {
    let mut points: Vec<[i32; 3]> = Vec::new();
    let mut faces = String::new();
    for axis in 0..3 {
        for side in [0, 2] {
            let mut ring = [
                (0, 0),
                (1, 0),
                (2, 0),
                (2, 1),
                (2, 2),
                (1, 2),
                (0, 2),
                (0, 1),
            ];
            if side == 0 {
                ring.reverse();
            }
            faces += "f";
            for (a, b) in ring {
                let mut p = [side; 3];
                (p[(axis + 1) % 3], p[(axis + 2) % 3]) = (a, b);
                let v = points.iter().position(|q| *q == p).unwrap_or_else(|| {
                    points.push(p);
                    points.len() - 1
                });
                faces += &format!(" {}", v + 1);
            }
            faces += "\n";
        }
    }
    let half = |x: i32| f64::from(x) / 2.0;
    let lines = points
        .iter()
        .map(|&[x, y, z]| format!("v {} {} {}\n", half(x), half(y), half(z)));
    lines.collect::<String>() + &faces
}

/// Corners on the sides of polygons: nothing without area is made of them, in no format and by no command.
#[test]
fn corners_on_sides() {
    let b = Sandbox::new();
    b.put("cube.obj", cube_of_octagons());
    for name in ["cube.obj", "cube.ply", "cube.off"] {
        if name != "cube.obj" {
            b.ok(&format!("convert cube.obj -o {name}"));
        }
        let r = b.record(&format!("check {name} --triangles --strict"));
        let check = &r["check"];
        assert_eq!(
            (&check["faces"], &check["closed"]),
            (&36.into(), &true.into()),
            "{check}"
        );
        b.ok(&format!("convert {name} -o cube.stl"));
        let r = b.record("check cube.stl --strict");
        assert_eq!(
            (&r["check"]["faces"], &r["check"]["closed"]),
            (&36.into(), &true.into())
        );
    }
    let r = b.record("info cube.obj");
    assert_eq!(
        r["mesh"]["volume"].as_f64().map(|v| (v * 1e4).round()),
        Some(1e4),
        "{r}"
    );
    b.ok("simplify cube.obj --faces 12 -o small.obj");
    let r = b.record("info small.obj");
    assert_eq!(
        r["mesh"]["volume"].as_f64().map(|v| (v * 1e4).round()),
        Some(1e4),
        "{r}"
    );
    b.ok("remesh cube.obj --target-length 0.25 -o even.obj");
}

/// A polygon that names a corner again right after it, or the first at its end, is that polygon without it.
#[test]
fn repeated_corners() {
    let b = Sandbox::new();
    let corners = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
    b.put("plain.obj", format!("{corners}f 1 2 3 4\n"));
    let plain = b.record("subdivide plain.obj -o plain_out.obj");
    assert_eq!(plain["warnings"], json!([]));
    for (i, face) in ["1 2 3 4 1", "1 2 2 3 4 4", "1 1 1 2 3 4"]
        .iter()
        .enumerate()
    {
        let name = format!("m{i}.obj");
        b.put(&name, format!("{corners}f {face}\n"));
        let r = b.record(&format!("subdivide {name} -o out.obj"));
        assert_eq!(b.text("out.obj"), b.text("plain_out.obj"), "{face}");
        let warned = r["warnings"].to_string();
        assert!(warned.contains("1 faces name a corner again"), "{warned}");
        let r = b.record(&format!("check {name} --triangles --strict"));
        assert_eq!(r["check"]["faces"], 2, "{face}");
    }
}

/// Simulation takes polygons as other commands do.
#[test]
fn cloth_of_quads() {
    let b = Sandbox::new();
    b.ok("generate quad-grid --nx 4 --ny 4 -o quads.obj");
    b.put(
        "scene.toml",
        "[time]\nstep = 0.001\nsteps = 2\n[[body]]\nname = 'sheet'\nmesh = 'quads.obj'\n\
         cloth = { density = 0.2, material = { stretch = 1e-6, bending = 5.0 } }\n\
         solver.xpbd = { iterations = 5, order = 'patch-colours' }\n",
    );
    let warning = "16 of 16 faces were polygons and are now triangles: 32 faces";
    for command in ["cloth quads.obj --steps 2", "simulate scene.toml"] {
        let r = b.record(&format!("{command} --engine cpu"));
        assert!(
            r["warnings"].to_string().contains(warning),
            "{command}: {r}"
        );
    }
}
