//! `info`, `check`, `convert`, `generate`, `completions`, and the cache of patches.

use crate::support::{Sandbox, TRIANGLE, bunny};
use std::fs;

#[test]
fn info_shows_counts_patches_and_engines() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    let said = b.ok("info bunny.obj");
    for words in [
        "5511 edges",
        "bounding box",
        "edge length",
        "ribbons:",
        "bytes a face",
        "patcher:",
        "memory on the engine",
    ] {
        assert!(said.contains(words), "no '{words}' in {said}");
    }
    let r = b.record("info bunny.obj --patch-size 100 --seed 7");
    assert!(r["patches"]["size_max"].as_u64().unwrap() <= 100);
    assert_eq!(r["patches"]["seed"], 7);
    assert!(r["patches"]["device_bytes"].as_u64().unwrap() > 0);
    assert!(r["mesh"]["edge_length"]["mean"].as_f64().unwrap() > 0.0);
    let said = b.ok("info --engines");
    assert!(
        said.lines().any(|l| l.starts_with("cpu ")) && said.lines().any(|l| l.starts_with("cuda ")),
        "{said}"
    );
    let r = b.record("info --engines");
    assert_eq!(
        (
            r["engines"][0]["engine"].clone(),
            r["engines"][0]["found"].clone()
        ),
        ("cpu".into(), true.into())
    );
    assert_eq!(
        r["engines"][1]["why_not"].is_null(),
        r["engines"][1]["found"] == true
    );
}

#[test]
fn check_reports_and_can_be_strict() {
    let b = Sandbox::new();
    b.put(
        "bow.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv -1 0 0\nv 0 -1 0\nf 1 2 3\nf 1 4 5\nf 1 1 2\n",
    );
    let said = b.ok("check bow.obj");
    assert!(
        said.contains("degenerate faces: 1 (2; counted from 0)"),
        "{said}"
    );
    let r = b.record("check bow.obj");
    assert_eq!(r["check"]["non_manifold_vertices"]["first"][0], 0);
    assert_eq!(r["check"]["faces"], 3);
    let out = b.run("check bow.obj --strict --json r.json");
    assert_eq!(out.status.code(), Some(1));
    assert!(
        String::from_utf8_lossy(&out.stderr).starts_with("error: bow.obj: 1 non-manifold vertices")
    );
    assert!(b.text("r.json").contains("degenerate_faces"));
    b.put("one.obj", TRIANGLE).ok("check one.obj --strict");
}

#[test]
fn convert_goes_through_every_format() {
    let b = Sandbox::new();
    b.ok("generate torus --nu 12 --nv 8 -o a.obj -q");
    b.ok("convert a.obj -o b.ply");
    b.ok("convert b.ply -o c.off");
    b.ok("convert c.off -o d.glb");
    b.ok("convert d.glb -o d.gltf");
    b.ok("convert d.gltf -o d.ply --ascii");
    b.ok("convert d.ply -o e.obj");
    assert_eq!(b.text("a.obj"), b.text("e.obj"));
    b.ok("convert a.obj -o f.stl");
    let r = b.record("convert f.stl -o g.obj");
    assert_eq!(
        (&r["input"]["vertices"], &r["output"]["faces"]),
        (&96.into(), &192.into())
    );
}

#[test]
fn convert_names_what_is_lost() {
    let b = Sandbox::new();
    b.put("a.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\ng wing\nf 1 2 3\n");
    let out = b.run("convert a.obj -o a.off");
    assert_eq!(out.status.code(), Some(0));
    let warning = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(
        warning.starts_with("warning: a.off: ") && warning.contains("groups"),
        "{warning}"
    );
    assert!(b.run("convert a.obj -o a.off --quiet").stderr.is_empty());
    assert_eq!(
        b.record("convert a.obj -o a.off")["warnings"]
            .as_array()
            .unwrap()
            .len(),
        1
    );
}

#[test]
fn polygons_are_cut_with_a_word_and_refused_when_strict() {
    let b = Sandbox::new();
    b.put("q.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
    // Those that take polygons as they are cut them when they are asked to.
    for command in ["convert q.obj -o o.obj", "check q.obj"] {
        for flag in ["--triangles", "--triangulate"] {
            let out = b.run(&format!("{command} {flag}"));
            assert_eq!(
                String::from_utf8(out.stderr).unwrap(),
                "warning: q.obj: 1 of 1 faces were polygons and are now triangles: 2 faces\n"
            );
        }
    }
    b.misused("convert q.obj -o o.obj --strict --triangles");
    fs::remove_file(b.path().join("o.obj")).unwrap();
    for command in [
        "mcf q.obj -o o.obj",
        "normals q.obj -o o.obj",
        "delaunay q.obj -o o.obj",
        "info q.obj",
    ] {
        for flag in ["", "--triangulate"] {
            let out = b.run(&format!("{command} {flag}"));
            assert_eq!(out.status.code(), Some(0), "{command} {flag}");
            assert_eq!(
                String::from_utf8(out.stderr).unwrap(),
                "warning: q.obj: 1 of 1 faces were polygons and are now triangles: 2 faces\n"
            );
        }
        let _ = fs::remove_file(b.path().join("o.obj"));
        let message = b.fails(&format!("{command} --strict"));
        assert!(
            message.contains("q.obj: line 5: a face has 4 corners")
                && message.contains("without --strict they are cut"),
            "{message}"
        );
    }
    assert!(
        b.fails("convert q.obj -o o.obj --strict")
            .contains("q.obj: line 5: a face has 4 corners")
    );
    b.misused("mcf q.obj --strict --triangulate");
}

#[test]
fn generate_makes_every_shape() {
    let b = Sandbox::new();
    for (args, vertices, faces) in [
        ("grid --nx 3 --ny 2", 12, 12),
        ("icosphere --levels 1", 42, 80),
        ("torus --nu 5 --nv 4", 20, 40),
        ("cylinder --nu 5 --nv 1", 12, 20),
        ("cylinder --nu 5 --nv 1 --open", 10, 10),
        ("fan --valence 7", 8, 7),
        (
            "fan --valence 7 --subdivide 2 --loop --noise 0.1 --shuffle --seed 5",
            71,
            112,
        ),
    ] {
        let r = b.record(&format!("generate {args} -o m.ply"));
        assert_eq!(
            (&r["output"]["faces"], &r["output"]["vertices"]),
            (&faces.into(), &vertices.into()),
            "{args}"
        );
    }
    b.ok("generate grid --noise 0.1 --shuffle --seed 5 -o a.obj");
    b.ok("generate grid --noise 0.1 --shuffle --seed 5 -o b.obj");
    b.ok("generate grid --noise 0.1 --shuffle --seed 6 -o c.obj");
    assert_eq!(b.text("a.obj"), b.text("b.obj"));
    assert_ne!(b.text("a.obj"), b.text("c.obj"));
    assert!(
        b.misused("generate grid --nx 0 -o d.obj")
            .contains("nx = 0 is not possible")
    );
    assert!(
        b.misused("generate torus --minor -1 -o d.obj")
            .contains("minor = -1")
    );
    assert!(
        b.misused("generate icosphere --levels 99 -o d.obj")
            .contains("at most")
    );
}

#[test]
fn completions_for_every_shell() {
    let b = Sandbox::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        assert!(
            b.ok(&format!("completions {shell}")).contains("patch-size"),
            "{shell}"
        );
    }
}

#[test]
fn patches_are_kept_beside_the_mesh() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    let cache = |args: &str| b.record(args)["patches"]["cache"].clone();
    assert_eq!(cache("info bunny.obj"), "off");
    assert_eq!(cache("info bunny.obj --cache"), "built");
    assert_eq!(b.names(), ["bunny.obj", "bunny.obj.rxpatch"]);
    assert_eq!(cache("info bunny.obj --cache"), "loaded");
    assert_eq!(cache("info bunny.obj --cache --patch-size 64"), "built");
    b.ok("mcf bunny.obj -o a.obj --engine cpu -q --cache");
    b.ok("mcf bunny.obj -o b.obj --engine cpu -q --cache");
    b.ok("mcf bunny.obj -o c.obj --engine cpu -q");
    assert_eq!(b.text("a.obj"), b.text("c.obj"));
    assert_eq!(b.text("b.obj"), b.text("c.obj"));
    let mut bytes = fs::read(b.path().join("bunny.obj.rxpatch")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    b.put("bunny.obj.rxpatch", bytes);
    assert_eq!(cache("info bunny.obj --cache"), "built");
}

#[test]
fn meshes_are_cut_where_the_user_says() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    let record = |place: &str| b.record(&format!("info bunny.obj --engine cpu {place}"));
    let of = |place: &str, key: &str| record(place)["patches"][key].clone();
    assert_eq!(of("", "cut_on"), "host");
    assert_eq!(of("--patches-on host", "cut_on"), "host");
    assert_eq!(of("--patches-on engine", "cut_on"), "engine");
    let [host, engine] =
        ["host", "engine"].map(|place| record(&format!("--patches-on {place}"))["input"].clone());
    assert_eq!(host, engine, "the same elements");
    for place in ["host", "engine"] {
        b.ok(&format!(
            "simplify bunny.obj --faces 500 --validate --patches-on {place} -o {place}.obj --engine cpu -q"
        ));
        b.ok(&format!(
            "quality bunny.obj --patches-on {place} -o {place}.ply --engine cpu -q"
        ));
        let faces = |line: &&str| line.starts_with("f ");
        assert_eq!(
            b.text(&format!("{place}.obj"))
                .lines()
                .filter(faces)
                .count(),
            500
        );
    }
    // Values of faces do not depend on the patches, and come in the file's order.
    let [host, engine] =
        ["host", "engine"].map(|place| fs::read(b.path().join(format!("{place}.ply"))).unwrap());
    assert!(host == engine, "the values differ");
    let out = b.run("info bunny.obj --cache --patches-on engine");
    assert_eq!(out.status.code(), Some(1));
    let said = String::from_utf8_lossy(&out.stderr);
    assert!(
        said.contains("--cache keeps patches that are cut on the host"),
        "{said}"
    );
}

/// A cache whose key and checksum are right, and whose patches are those of other faces.
#[test]
fn patches_of_another_mesh_are_not_believed() {
    let b = Sandbox::new();
    let faces = |turned: bool| {
        let mut text = String::new();
        for i in 0..20 {
            for j in 0..20 {
                text += &format!("v {i} {j} {}\n", (i * j) % 3);
            }
        }
        for i in 0..19 {
            for j in 0..19 {
                let [a, b, c, d] = [
                    20 * i + j + 1,
                    20 * i + j + 21,
                    20 * i + j + 22,
                    20 * i + j + 2,
                ];
                text += &match turned {
                    false => format!("f {a} {b} {c}\nf {a} {c} {d}\n"),
                    true => format!("f {a} {b} {d}\nf {b} {c} {d}\n"),
                };
            }
        }
        text
    };
    b.put("a.obj", faces(false)).put("b.obj", faces(true));
    b.ok("normals a.obj -o plain.obj --engine cpu -q");
    for name in ["a", "b"] {
        b.ok(&format!(
            "normals {name}.obj -o {name}_out.obj --engine cpu -q --cache"
        ));
    }
    // The key of one file in the other, and a checksum to go with it: words 2 and 3, and the last 16 bytes.
    let [own, mut other] =
        ["a", "b"].map(|n| fs::read(b.path().join(format!("{n}.obj.rxpatch"))).unwrap());
    other[16..32].copy_from_slice(&own[16..32]);
    let end = other.len() - 16;
    let sum = twox_hash::XxHash3_128::oneshot(&other[..end]);
    other[end..].copy_from_slice(&sum.to_le_bytes());
    b.put("a.obj.rxpatch", other);
    let r = b.record("normals a.obj -o out.obj --engine cpu --cache");
    assert_eq!(r["patches"]["cache"], "built");
    assert_eq!(b.text("out.obj"), b.text("plain.obj"));
    let r = b.record("normals a.obj -o out.obj --engine cpu --cache");
    assert_eq!(r["patches"]["cache"], "loaded");
}
