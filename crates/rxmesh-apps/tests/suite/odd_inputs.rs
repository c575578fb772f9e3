//! Files that are right and odd: far away, under another format's name, with comments and line ends of old, with crowds
//! of faces or of names, with vertices of no face.

use crate::support::{Sandbox, TRIANGLE, positions};
use std::fmt::Write;
use std::fs;
use std::process::{Output, Stdio};
use std::time::Instant;

/// Far from the origin, and exact as 32-bit floats.
const FAR: [[f64; 3]; 4] = [
    [1_000_012.125, 500_000.062_5, 0.0],
    [1_000_013.125, 500_000.062_5, 0.0],
    [1_000_013.187_5, 500_001.031_25, 0.0],
    [1_000_012.125, 500_001.375, 0.5],
];

fn far() -> String {
    let vertices = FAR.map(|[x, y, z]| format!("v {x} {y} {z}\n")).concat();
    vertices + "f 1 2 3\nf 1 3 4\n"
}

/// Runs a command with something on its stdin.
fn fed(b: &Sandbox, args: &str, stdin: &str) -> Output {
    b.put("stdin", stdin);
    let file = fs::File::open(b.path().join("stdin")).unwrap();
    let mut command = b.command(args);
    command.stdin(Stdio::from(file)).output().unwrap()
}

/// Text that is read with 64 bits holds the 32-bit floats, in every format and after every kind of command.
#[test]
fn text_far_away_has_the_digits_of_its_floats() {
    let b = Sandbox::new();
    b.put("far.obj", far());
    for name in [
        "a.obj", "a.off", "a.ply", "a.stl", "a.mesh", "a.msh", "a.vtk", "a.vtu", "a.vtp",
    ] {
        b.ok(&format!("convert far.obj --ascii -o {name} -q"));
        let text = b.text(name);
        for point in FAR {
            let [x, y, z] = point;
            assert!(text.contains(&format!("{x} {y} {z}")), "{name}: {point:?}");
        }
    }
    b.ok("convert far.obj --ascii --format msh2 -o a.msh -q");
    assert!(b.text("a.msh").contains("1000013.1875 500001.03125 0"));
    // A binary file of floats has no other digits.
    b.ok("convert far.obj -o far.stl -q");
    for command in [
        "convert far.stl",
        "repair far.stl",
        "delaunay far.obj",
        "repair far.obj",
    ] {
        b.ok(&format!("{command} -o o.obj -q"));
        assert_eq!(positions(&b.text("o.obj")), FAR, "{command}");
    }
    // Boundaries stay in place.
    b.ok("smooth far.obj -o o.obj -q");
    assert_eq!(positions(&b.text("o.obj")).len(), FAR.len());
    b.put(
        "t.node",
        "4 3 0 0\n0 1000012.125 0 0\n1 1000013.0625 0 0\n2 1000012.125 1 0\n3 1000012.125 0 1\n",
    );
    b.put("t.ele", "1 4 0\n0 0 1 2 3\n");
    b.ok("convert t.node -o u.node -q");
    assert!(b.text("u.node").contains("1000012.125 0 1"));
    let shown = b.record("check far.obj")["check"]["bounding_box"].clone();
    assert_eq!(shown[1][0], 1_000_013.187_5);
}

/// Other text stays as short as it was.
#[test]
fn text_near_the_origin_stays_short() {
    let b = Sandbox::new();
    let text = "v 0.1 100.3 0\nv 82345.67 0.2 0\nv 0.3 99999.9 1e-7\nf 1 2 3\n";
    b.put("a.obj", text);
    b.ok("convert a.obj -o o.obj -q");
    assert_eq!(b.text("o.obj"), text);
}

#[test]
fn the_content_decides_under_the_name_of_another_kind() {
    let b = Sandbox::new();
    b.put("a.obj", TRIANGLE);
    for format in ["obj", "ply", "off", "stl"] {
        for name in ["s.mesh", "s.vtk", "s.vtu", "s.msh"] {
            b.ok(&format!("convert a.obj --ascii --format {format} -o t -q"));
            fs::rename(b.path().join("t"), b.path().join(name)).unwrap();
            let said = b.ok(&format!("check {name}"));
            assert!(said.contains("3 vertices"), "{format} {name}: {said}");
            b.ok(&format!("info {name} -q"));
            b.ok(&format!("smooth {name} -o o.obj -q"));
            b.ok(&format!("cloth {name} --steps 1 -q"));
            let why = b.fails(&format!("soft {name} --steps 1"));
            assert!(why.contains("a surface, but must be a volume"), "{why}");
        }
    }
    for format in ["msh", "msh2", "medit", "vtk", "vtu"] {
        for encoding in ["", "--ascii"] {
            for name in ["v.obj", "v.ply", "v.off", "v.stl"] {
                b.ok(&format!(
                    "generate box -n 2 --format {format} {encoding} -o t -q"
                ));
                fs::rename(b.path().join("t"), b.path().join(name)).unwrap();
                let said = b.ok(&format!("check {name}"));
                assert!(said.contains("48 cells"), "{format} {name}: {said}");
                b.ok(&format!("convert {name} -o o.vtk -q"));
                b.ok(&format!("soft {name} --steps 1 -q"));
                let why = b.fails(&format!("cloth {name} --steps 1"));
                assert!(why.contains("holds a volume (48 tetrahedra)"), "{why}");
            }
        }
    }
}

#[test]
fn bodies_come_from_streams() {
    let b = Sandbox::new();
    let out = fed(&b, "cloth - --steps 2", TRIANGLE);
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    b.ok("generate box -n 1 --format medit -o box.mesh -q");
    let out = fed(&b, "soft - --steps 2", &b.text("box.mesh"));
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    let out = fed(&b, "soft - --steps 2", TRIANGLE);
    assert!(String::from_utf8_lossy(&out.stderr).contains("must be a volume"));
    let out = fed(&b, "cloth - --print-scene", TRIANGLE);
    assert!(String::from_utf8_lossy(&out.stderr).contains("stdin: a scene names the file"));
}

/// A pipe is read to its end once, even if several readers inspect it.
#[cfg(unix)]
#[test]
fn pipes_of_the_caller_are_read() {
    let b = Sandbox::new();
    b.put("a.obj", TRIANGLE);
    for command in [
        "check /dev/stdin",
        "info /dev/stdin",
        "cloth /dev/stdin --steps 1",
    ] {
        let mut cat = std::process::Command::new("cat");
        let mut cat = cat
            .arg(b.path().join("a.obj"))
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut run = b.command(command);
        let out = run.stdin(cat.stdout.take().unwrap()).output().unwrap();
        cat.wait().unwrap();
        assert_eq!(out.status.code(), Some(0), "{command}: {out:?}");
    }
}

#[test]
fn texture_index_0_names_nothing() {
    let b = Sandbox::new();
    let text = |face: &str| format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\nf {face}\n");
    for face in ["1/0/0 2/0/0 3/0/0", "1/0 2/0 3/0", "1//0 2//0 3//0"] {
        b.put("a.obj", text(face));
        let out = b.run("convert a.obj -o o.obj");
        let said = String::from_utf8(out.stderr).unwrap();
        assert_eq!(out.status.code(), Some(0), "{said}");
        assert!(said.contains('3'), "{face}: {said}");
        assert!(
            b.text("o.obj").ends_with("f 1 2 3\n"),
            "{}",
            b.text("o.obj")
        );
    }
    b.put("a.obj", text("0 2 3"));
    assert!(b.fails("check a.obj").contains("OBJ counts from 1"));
}

/// Comments, blank lines and carriage returns come before all that tells a format.
#[test]
fn formats_are_told_behind_comments_and_blank_lines() {
    let b = Sandbox::new();
    b.put("a.obj", TRIANGLE);
    let long = format!("#{}\n", " a licence".repeat(2000));
    for format in ["obj", "off", "medit"] {
        b.ok(&format!("convert a.obj --format {format} -o t -q"));
        for head in ["# made by hand\n", "\n\n# a\n\n# b\n", &long] {
            for end in ["\n", "\r", "\r\n"] {
                let text = (head.to_owned() + &b.text("t")).replace('\n', end);
                let out = fed(&b, "check -", &text);
                assert_eq!(out.status.code(), Some(0), "{format} {end:?}: {out:?}");
            }
        }
    }
    for format in ["ply", "msh", "msh2", "vtk", "vtu", "vtp", "stl"] {
        b.ok(&format!("convert a.obj --ascii --format {format} -o t -q"));
        for end in ["\n", "\r", "\r\n"] {
            let text = format!("\n\n{}", b.text("t")).replace('\n', end);
            let out = fed(&b, "check -", &text);
            assert_eq!(out.status.code(), Some(0), "{format} {end:?}: {out:?}");
        }
    }
    b.ok("convert a.obj --ascii -o t.vtk -q");
    let tabs =
        b.text("t.vtk")
            .replacen("# vtk DataFile Version ", "#\tvtk\tDataFile\tVersion\t", 1);
    b.put("t.vtk", &tabs);
    b.ok("check t.vtk -q");
    assert_eq!(fed(&b, "check -", &tabs).status.code(), Some(0));
}

#[test]
fn many_names_alike_are_one_warning() {
    let b = Sandbox::new();
    let properties = "property float a\n".repeat(3000);
    let rows = format!("0 0 0{}\n", " 1".repeat(3000)).repeat(3);
    b.put(
        "a.ply",
        format!(
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
             {properties}element face 0\nproperty list uchar int vertex_indices\nend_header\n{rows}"
        ),
    );
    let out = b.run("convert a.ply -o o.obj");
    let said = String::from_utf8(out.stderr).unwrap();
    assert_eq!(said.lines().count(), 2, "{said}");
    assert!(said.contains("2999 properties of element 'vertex'") && said.contains("'a_2', 'a_3'"));
    assert!(said.contains("3000 columns are left out"));
}

/// Isolated vertices have no curvature, and no sum counts them.
#[test]
fn unused_vertices_have_no_curvature() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 2 -o s.obj -q");
    let with = format!("v 9 9 9\nv 8 8 8\n{}", b.text("s.obj"));
    let moved: String = with
        .lines()
        .map(|l| match l.strip_prefix("f ") {
            None => format!("{l}\n"),
            Some(f) => {
                let corners = f.split(' ').map(|c| c.parse::<u32>().unwrap() + 2);
                corners.fold("f".to_owned(), |s, c| s + &format!(" {c}")) + "\n"
            }
        })
        .collect();
    b.put("u.obj", moved);
    let [plain, unused] =
        ["s.obj", "u.obj"].map(|name| b.record(&format!("curvature {name} --ascii -o {name}.ply")));
    assert_eq!(unused["euler_characteristic"], 2);
    let total = |r: &serde_json::Value| r["total_gaussian_curvature"].as_f64().unwrap();
    assert!((total(&plain) - total(&unused)).abs() < 1e-3);
    let text = b.text("u.obj.ply");
    let mut rows = text.split("end_header\n").nth(1).unwrap().lines();
    for row in rows.by_ref().take(2) {
        let values: Vec<f64> = row.split(' ').skip(3).map(|w| w.parse().unwrap()).collect();
        assert!(values.iter().all(|x| *x == 0.0), "{row}");
    }
}

/// The time for many faces at a vertex, an edge or one point does not grow with the square of their number.
#[test]
fn crowds_of_faces_end_soon() {
    const COUNT: usize = 6000;
    let b = Sandbox::new();
    let turn = |i: usize| (i as f64 / COUNT as f64 * std::f64::consts::TAU).sin_cos();
    let mut vertex_fan = String::from("v 0 0 0\n");
    let mut edge_fan = String::from("v 0 0 0\nv 0 0 1\n");
    for i in 0..COUNT {
        let (s, c) = turn(i);
        writeln!(vertex_fan, "v {c:.6} {s:.6} 0").unwrap();
        writeln!(edge_fan, "v {c:.6} {s:.6} 0").unwrap();
    }
    for i in 0..COUNT {
        writeln!(vertex_fan, "f 1 {} {}", i + 2, (i + 1) % COUNT + 2).unwrap();
        writeln!(edge_fan, "f 1 2 {}", i + 3).unwrap();
    }
    b.put("vertex.obj", vertex_fan).put("edge.obj", edge_fan);
    b.put(
        "same.obj",
        TRIANGLE.to_owned() + &"f 1 2 3\n".repeat(40_000),
    );
    let start = Instant::now();
    for (name, least) in [("vertex.obj", 0), ("edge.obj", 0), ("same.obj", 1_000_000)] {
        let found = b.record(&format!("check {name}"))["check"]["self_intersections"].clone();
        let count = found["count"].as_u64().unwrap();
        assert_eq!(found["at_least"].is_null(), least == 0, "{name}: {found}");
        assert!(
            count >= least && (least > 0 || count == 0),
            "{name}: {found}"
        );
    }
    assert!(b.ok("check same.obj").contains("intersect: at least"));
    let why = b.fails("subdivide same.obj -o o.obj");
    assert!(why.contains("the surface cannot be made"), "{why}");
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}
