//! Vertices of no face or cell never count for the size of a mesh, nor for its fixed vertices.

use crate::support::{Sandbox, faces, positions};
use serde_json::Value;

/// Corners of all faces by their places.
fn triangles(obj: &str) -> Vec<Vec<[f64; 3]>> {
    let places = positions(obj);
    let corners = |f: Vec<usize>| f.iter().map(|v| places[v - 1]).collect();
    faces(obj).into_iter().map(corners).collect()
}

fn obj(places: &[[f64; 3]], faces: &[Vec<usize>]) -> String {
    let vertices = places
        .iter()
        .map(|p| format!("v {} {} {}\n", p[0], p[1], p[2]));
    let face = |f: &Vec<usize>| {
        let corners: Vec<String> = f.iter().map(usize::to_string).collect();
        format!("f {}\n", corners.join(" "))
    };
    vertices.chain(faces.iter().map(face)).collect()
}

/// A noisy torus with a hole, and the same with vertices of no face before and after the others.
fn meshes() -> Sandbox {
    let b = Sandbox::new();
    b.ok("generate torus --nu 40 --nv 20 --noise 0.1 -o whole.obj");
    let text = b.text("whole.obj");
    let (places, mut triangles) = (positions(&text), faces(&text));
    triangles.drain(100..104);
    b.put("mesh.obj", obj(&places, &triangles));
    let mut with = places;
    with.insert(0, [-70.0, 300.0, 100.0]);
    with.push([100.0; 3]);
    for v in triangles.iter_mut().flatten() {
        *v += 1;
    }
    b.put("with.obj", obj(&with, &triangles));
    b
}

#[test]
fn percentages_boxes_and_centres_are_those_of_the_faces() {
    let b = meshes();
    for format in ["obj", "ply", "off"] {
        if format != "obj" {
            b.ok(&format!("convert with.obj -o with.{format} -q"));
        }
        for command in [
            "repair --weld=1.5%",
            "repair --weld=0.1% --fill-holes --max-hole-size 20%",
            "repair --fill-holes --max-hole-size 1%",
            "repair --close-gaps --gap 0.5%",
            "repair --min-size 0.5",
            "transform --center",
            "transform --normalize",
            "transform --up-axis y,z --normalize --translate 1,2,3",
            "subdivide --scheme loop --levels 1",
            "sample --points 50",
            "smooth",
            "mcf",
            "filter",
            "spring --pin-top 10 --steps 20",
        ] {
            let (name, flags) = command.split_once(' ').unwrap_or((command, ""));
            let result = |mesh: &str| {
                b.ok(&format!(
                    "{name} {mesh} {flags} --quiet -o out.obj{}",
                    match name {
                        "repair" | "transform" | "sample" => "",
                        _ => " --engine cpu",
                    }
                ));
                let text = b.text("out.obj");
                match name {
                    "sample" => vec![positions(&text)],
                    _ => triangles(&text),
                }
            };
            let (want, got) = (result("mesh.obj"), result(&format!("with.{format}")));
            assert_eq!(want.len(), got.len(), "{command} {format}");
            for (w, g) in want.iter().flatten().zip(got.iter().flatten()) {
                let near = (0..3).all(|k| (w[k] - g[k]).abs() < 2e-6);
                assert!(near, "{command} {format}: {w:?} {g:?}");
            }
        }
        // Patches, and with them the order of contractions, are others.
        let count = |mesh: &str| {
            b.ok(&format!(
                "simplify {mesh} --error 0.5% --engine cpu -q -o out.obj"
            ));
            faces(&b.text("out.obj")).len() as f64
        };
        let (want, got) = (count("mesh.obj"), count(&format!("with.{format}")));
        assert!((want - got).abs() < 0.04 * want, "{format}: {want} {got}");
    }
}

#[test]
fn measures_are_those_of_the_faces() {
    let b = meshes();
    let same = |command: &str, keys: &[&str]| {
        let record = |mesh: &str| b.record(&command.replace("MESH", mesh));
        let (one, other) = (record("mesh.obj"), record("with.obj"));
        for key in keys {
            let (a, b): (&Value, &Value) = (one.pointer(key).unwrap(), other.pointer(key).unwrap());
            assert!(!a.is_null(), "{command} {key}");
            assert_eq!(a, b, "{command} {key}");
        }
    };
    same(
        "info MESH --engine cpu",
        &["/mesh/bounding_box", "/mesh/area"],
    );
    same("check MESH", &["/check/bounding_box"]);
    same(
        "distance whole.obj MESH --engine cpu",
        &[
            "/distance/diagonal",
            "/distance/hausdorff",
            "/distance/forward/vertices/max",
        ],
    );
    same(
        "distance MESH whole.obj --engine cpu",
        &[
            "/distance/diagonal",
            "/distance/hausdorff",
            "/distance/forward/vertices/max",
        ],
    );
    // Several meshes at once: each has its own size.
    for (name, mesh) in [("one", "mesh.obj"), ("two", "with.obj")] {
        b.ok(&format!(
            "simplify {mesh} whole.obj --error 1% --engine cpu -q -o {name}"
        ));
    }
    let count = |file: &str| faces(&b.text(file)).len() as f64;
    let (want, got) = (count("one/mesh.obj"), count("two/with.obj"));
    assert!((want - got).abs() < 0.04 * want, "{want} {got}");
}

/// The highest part of the body is held, and not a vertex above it.
#[test]
fn what_is_held_is_part_of_the_body() {
    let b = Sandbox::new();
    b.ok("generate grid --nx 6 --ny 6 -o flat.obj -q");
    b.ok("transform flat.obj --rotate x,90 -o sheet.obj -q");
    let sheet = b.text("sheet.obj");
    b.put("with.obj", sheet.clone() + "v 0 0 50\nv 0.5 0 -80\n");
    let top = |obj: &str| {
        let heights = positions(obj).into_iter().take(49).map(|p| p[2]);
        heights.fold(f64::NEG_INFINITY, f64::max)
    };
    for mesh in ["sheet", "with"] {
        let record = b.record(&format!(
            "spring {mesh}.obj --pin-top 1 --method implicit --time-step 0.01 --steps 50 --engine cpu -o out.obj"
        ));
        assert_eq!(record["pinned"], 7, "{mesh}");
        assert_eq!(top(&b.text("out.obj")), top(&sheet), "{mesh}");
        b.ok(&format!(
            "cloth {mesh}.obj --steps 60 --every 60 --frames {mesh} --engine cpu -q"
        ));
        let frame = b.text(&format!("{mesh}/cloth_000060.obj"));
        assert!((top(&frame) - top(&sheet)).abs() < 1e-6, "{mesh}");
    }
    let frame = |mesh: &str| positions(&b.text(&format!("{mesh}/cloth_000060.obj")));
    assert_eq!(frame("sheet")[..], frame("with")[..49]);

    // A volume that hangs, and one that falls onto the ground half its size below.
    b.ok("generate ball -n 2 -o ball.mesh -q");
    let ball = b.text("ball.mesh");
    let (head, rest) = ball.split_once("Vertices\n").unwrap();
    let (count, rest) = rest.split_once('\n').unwrap();
    let count: usize = count.trim().parse().unwrap();
    let at = rest.match_indices('\n').nth(count - 1).unwrap().0;
    let (vertices, rest) = rest.split_at(at);
    b.put(
        "with.mesh",
        format!(
            "{head}Vertices\n{}\n{vertices}\n9 9 70 0\n-4 0 -60 0{rest}",
            count + 2
        ),
    );
    for flags in ["", "--pin-top", "--solver vbd"] {
        let scene = |mesh: &str| b.ok(&format!("soft {mesh} {flags} --print-scene"));
        let want = scene("ball.mesh").replace("ball.mesh", "with.mesh");
        assert_eq!(scene("with.mesh"), want, "{flags}");
    }
    let energies = |mesh: &str| {
        let command = format!("soft {mesh} --pin-top --steps 20 --every 20 --engine cpu");
        b.record(&command)["energies"][1]["elastic"]
            .as_f64()
            .unwrap()
    };
    let (want, got) = (energies("ball.mesh"), energies("with.mesh"));
    assert!(
        want > 0.0 && (want - got).abs() < 1e-3 * want,
        "{want} {got}"
    );
    let info = |mesh: &str| b.record(&format!("info {mesh}"))["mesh"]["bounding_box"].clone();
    assert_eq!(info("ball.mesh"), info("with.mesh"));
}

/// Far from the origin a vertex of no face at the origin takes no digits from the faces.
#[test]
fn far_away_the_frame_is_that_of_the_faces() {
    let b = meshes();
    let text = b.text("mesh.obj");
    let (places, triangles) = (positions(&text), faces(&text));
    let by = [500_000.0, 5_400_000.0, 100.0];
    let moved = |p: &[f64; 3]| [0, 1, 2].map(|k| p[k] + by[k]);
    let mut far: Vec<[f64; 3]> = places.iter().map(moved).collect();
    far.push([0.0; 3]);
    b.put("far.obj", obj(&far, &triangles));
    for command in [
        "convert",
        "smooth --engine cpu",
        "subdivide --engine cpu --scheme loop",
    ] {
        let (name, flags) = command.split_once(' ').unwrap_or((command, ""));
        let result = |mesh: &str| {
            b.ok(&format!("{name} {mesh} {flags} -o out.obj -q"));
            crate::extents::triangles(&b.text("out.obj"))
        };
        let (want, got) = (result("mesh.obj"), result("far.obj"));
        assert_eq!(want.len(), got.len(), "{command}");
        for (w, g) in want.iter().flatten().zip(got.iter().flatten()) {
            let near = (0..3).all(|k| (w[k] + by[k] - g[k]).abs() < 2e-6);
            assert!(near, "{command}: {w:?} {g:?}");
        }
    }
}
