//! `distance`, `transform`, `merge`, `sample`, and areas and volumes of `info`, `mcf` and `filter`.

use crate::support::{Sandbox, TRIANGLE, bunny, columns, faces, positions};
use serde_json::Value;

fn number(r: &Value, path: &str) -> f64 {
    r.pointer(path).and_then(Value::as_f64).unwrap_or(f64::NAN)
}

fn near(r: &Value, path: &str, want: f64, part: f64) {
    let got = number(r, path);
    assert!(
        (got - want).abs() <= part * want.abs(),
        "{path}: {got}, {want} is expected"
    );
}

#[test]
fn info_measures_a_solid_wherever_it_lies() {
    let b = Sandbox::new();
    b.ok("generate cylinder --nu 256 --nv 4 --radius 2 --height 3 -o c.obj -q");
    b.ok("transform c.obj --translate 1000,0,5 -o moved.obj -q");
    for (name, at) in [
        ("c.obj", [0.0, 0.0, 1.5]),
        ("moved.obj", [1000.0, 0.0, 6.5]),
    ] {
        let r = b.record(&format!("info {name}"));
        near(&r, "/mesh/volume", 12.0 * std::f64::consts::PI, 1e-3);
        near(&r, "/mesh/area", 20.0 * std::f64::consts::PI, 1e-3);
        assert_eq!(r["mesh"]["closed"], true);
        for (k, want) in at.into_iter().enumerate() {
            let off = number(&r, &format!("/mesh/centre/{k}")) - want;
            assert!(off.abs() < 1e-3, "{name}: {r}");
        }
    }
    b.put("one.obj", TRIANGLE);
    let text = b.ok("info one.obj");
    assert!(
        text.contains("area: 0.5\n") && text.contains("not closed"),
        "{text}"
    );
    assert!(text.contains("of the surface"), "{text}");
}

#[test]
fn distance_of_spheres_is_that_of_their_radii() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 5 -o a.obj -q");
    b.ok("transform a.obj --scale 1.25 -o b.obj -q");
    let r = b.record("distance a.obj b.obj --samples 5000 -o d.ply --ascii");
    for path in ["/distance/hausdorff", "/distance/mean", "/distance/rms"] {
        near(&r, path, 0.25, 0.01);
    }
    assert_eq!(r["distance"]["forward"]["surface"]["points"], 5000);
    assert_eq!(r["input"]["path"], "a.obj");
    assert_eq!(r["reference"]["path"], "b.obj");
    let ply = b.text("d.ply");
    assert!(ply.contains("property float distance\n"));
    let vertices = 10_242;
    let values = ply
        .split_once("end_header\n")
        .unwrap()
        .1
        .lines()
        .take(vertices);
    for line in values {
        let d: f64 = line.split(' ').next_back().unwrap().parse().unwrap();
        assert!((d - 0.25).abs() < 0.003, "{line}");
    }
    let same = b.record("distance a.obj a.obj --samples 1000");
    assert!(number(&same, "/distance/hausdorff") < 1e-6);
    let message = b.fails("distance a.obj b.obj -o d.obj");
    assert!(message.contains("cannot hold distances"), "{message}");
    b.put("nothing.obj", "# nothing\n");
    assert!(
        b.fails("distance a.obj nothing.obj")
            .contains("no vertices")
    );
    b.misused("distance a.obj b.obj --samples 0");
}

#[test]
fn distances_inside_are_negative() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 3 -o a.obj -q");
    b.ok("transform a.obj --scale 1.25 -o b.obj -q");
    for (from, to, wanted) in [("a", "b", -0.25), ("b", "a", 0.25)] {
        let call = format!("distance {from}.obj {to}.obj --signed --samples 100");
        let r = b.record(&format!("{call} -o d.ply --ascii"));
        near(&r, "/distance/forward/vertices/mean", 0.25, 0.05);
        let values = &columns(&b.text("d.ply"))["distance"];
        assert_eq!(values.len(), 642);
        assert!(
            values.iter().all(|d| (d - wanted).abs() < 0.02),
            "{values:?}"
        );
        b.misused(&call);
    }
    b.ok("sample a.obj --points 10 -o points.ply -q");
    let message = b.fails("distance a.obj points.ply --signed -o d.ply");
    assert!(message.contains("no faces"), "{message}");
}

/// Far from the origin, and far from each other, in files of 64 bits.
#[test]
fn distance_and_merge_see_meshes_where_they_lie() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 3 -o a.ply -q");
    b.ok("transform a.ply --translate 500000,5400000,0 -o far.ply -q");
    b.ok("transform far.ply --translate 0,0,0.5 -o up.ply -q");
    let r = b.record("distance far.ply up.ply --samples 2000");
    near(&r, "/distance/hausdorff", 0.5, 0.05);
    let r = b.record("distance far.ply a.ply --samples 100");
    near(&r, "/distance/mean", 500_000f64.hypot(5_400_000.0), 1e-5);
    b.ok("merge far.ply up.ply -o both.ply -q");
    let r = b.record("info both.ply");
    near(&r, "/mesh/volume", 2.0 * 4.1, 0.03);
    assert_eq!(r["input"]["faces"], 2 * 1280);
    b.ok("sample far.ply --points 500 -o points.ply -q");
    let r = b.record("distance points.ply far.ply");
    assert!(number(&r, "/distance/forward/vertices/max") < 1e-6, "{r}");
}

#[test]
fn transform_turns_axes_and_keeps_the_outside() {
    let b = Sandbox::new();
    b.put(
        "one.obj",
        "v 0 0 0\nv 1 0 0\nv 0 2 0\nvn 0 0 1\nf 1//1 2//1 3//1\n",
    );
    b.ok("transform one.obj --up-axis y,z --translate 0,0,1 -o turned.obj -q");
    assert_eq!(
        positions(&b.text("turned.obj")),
        [[0.0, 0.0, 1.0], [1.0, 0.0, 1.0], [0.0, 0.0, 3.0]]
    );
    assert!(
        b.text("turned.obj").contains("vn 0 -1 0"),
        "{}",
        b.text("turned.obj")
    );
    // A mirror turns the faces round.
    b.ok("transform one.obj --scale -1,1,1 -o mirrored.obj -q");
    assert_eq!(faces(&b.text("mirrored.obj")), [[1, 3, 2]]);
    assert!(b.text("mirrored.obj").contains("vn 0 0 1"));
    b.ok("transform one.obj --normalize -o unit.obj -q");
    let p = positions(&b.text("unit.obj"));
    assert_eq!(
        p,
        [[-0.25, -0.5, 0.0], [0.25, -0.5, 0.0], [-0.25, 0.5, 0.0]]
    );
    b.ok("transform one.obj --matrix 1,0,0,5,0,1,0,6,0,0,1,7 -o moved.obj -q");
    assert_eq!(positions(&b.text("moved.obj"))[0], [5.0, 6.0, 7.0]);
    for bad in [
        "",
        "--scale 0",
        "--scale 1,2",
        "--rotate w,90",
        "--up-axis y",
        "--matrix 1,2,3",
        "--translate nan",
    ] {
        b.misused(&format!("transform one.obj {bad} -o out.obj"));
    }
}

#[test]
fn merge_keeps_what_all_have() {
    let b = Sandbox::new();
    b.put("one.obj", TRIANGLE);
    b.put(
        "red.obj",
        TRIANGLE
            .replace("0\n", "0 1 0 0\n")
            .replace("f 1 2 3", "g part\nf 1 2 3"),
    );
    let r = b.record("merge one.obj red.obj one.obj -o out.obj");
    assert_eq!(faces(&b.text("out.obj")), [[1, 2, 3], [4, 5, 6], [7, 8, 9]]);
    assert_eq!(r["output"]["vertices"], 9);
    assert_eq!(r["left_out"], serde_json::json!(["vertex column 'color'"]));
    let warning = r["warnings"][0].as_str().unwrap();
    assert!(warning.contains("one.obj has none like it"), "{r}");
    // The second one's group ends with it.
    assert_eq!(b.text("out.obj").matches("g part").count(), 1);
    b.ok("merge red.obj red.obj -o red2.obj -q");
    let merged = b.text("red2.obj");
    let red = merged
        .lines()
        .filter(|l| l.starts_with("v ") && l.ends_with(" 1 0 0"));
    assert_eq!(red.count(), 6);
    b.misused("merge one.obj -o out.obj");
    assert!(
        b.fails("merge one.obj missing.obj -o out2.obj")
            .contains("no such file")
    );
}

#[test]
fn samples_lie_on_the_surface_and_are_the_same_again() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    b.ok("sample bunny.obj --points 3000 --seed 5 -o a.ply -q");
    b.ok("sample bunny.obj --points 3000 --seed 5 -o b.ply -q --threads 1");
    b.ok("sample bunny.obj --points 3000 --seed 6 -o c.ply -q");
    let file = |name: &str| std::fs::read(b.path().join(name)).unwrap();
    assert_eq!(file("a.ply"), file("b.ply"));
    assert_ne!(file("a.ply"), file("c.ply"));
    let r = b.record("distance a.ply bunny.obj");
    assert!(number(&r, "/distance/forward/vertices/max") < 1e-5, "{r}");
    let ply = String::from_utf8_lossy(&file("a.ply")).into_owned();
    assert!(ply.contains("element vertex 3000\n") && ply.contains("property float nx\n"));
    b.put("line.obj", "v 0 0 0\nv 1 0 0\nf 1 2 2\n");
    assert!(
        b.fails("sample line.obj -o out.ply")
            .contains("no face has an area")
    );
    assert!(
        b.fails("sample bunny.obj -o out.stl")
            .contains("STL cannot hold points")
    );
    b.misused("sample bunny.obj --points 0 -o out.ply");
}

/// By default the flow smooths and keeps the volume nearly; the record holds the loss of volume.
#[test]
fn mcf_says_how_much_volume_went() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    let r = b.record("mcf bunny.obj");
    let part = number(&r, "/volume_after") / number(&r, "/volume_before");
    assert!(part > 0.98 && part < 0.998, "{part}");
    near(
        &b.record("info bunny_mcf.obj"),
        "/mesh/volume",
        number(&r, "/volume_after"),
        1e-5,
    );
    // Ten squared mean edge lengths, a step that melts the mesh.
    let long = format!(
        "mcf bunny.obj --time-step {}",
        100.0 * number(&r, "/time_step")
    );
    let text = b.ok(&long);
    assert!(
        text.contains("volume: 194.288 before, 108.") && text.contains("(-44."),
        "{text}"
    );
}

/// A file in another unit of length is filtered in the same way, and the noise is reported in its unit.
#[test]
fn filter_goes_along_with_the_unit() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 4 --noise 0.2 -o one.obj -q");
    b.ok("transform one.obj --scale 1024 -o large.obj -q");
    let (one, large) = (b.record("filter one.obj"), b.record("filter large.obj"));
    near(&large, "/noise", 1024.0 * number(&one, "/noise"), 1e-3);
    assert_eq!(one["iterations"], large["iterations"]);
    let noise = 2.0 * number(&large, "/noise");
    let told = b.record(&format!("filter large.obj --noise {noise}"));
    near(&told, "/noise", noise, 1e-6);
    let message = b.misused("filter one.obj --scheme normals --sigma-s 0.1");
    assert!(message.contains("scheme of vertices"), "{message}");
}
