//! Edits keep attributes on the surface, seams, borders of groups and split vertices.

use crate::support::{Sandbox, faces, positions};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;

/// A sheet of `n` by `n` cells over the unit square, jittered inside, lifted by `height`.
fn sheet(n: usize, height: impl Fn(f64, f64) -> f64) -> (Vec<[f64; 3]>, Vec<[usize; 3]>) {
    let mut state = 5u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f64::from(state >> 8) / f64::from(1 << 24) - 0.5
    };
    let (mut points, mut faces) = (Vec::new(), Vec::new());
    for j in 0..=n {
        for i in 0..=n {
            let inner = |k: usize| {
                if k == 0 || k == n || 2 * k == n {
                    0.0
                } else {
                    0.6
                }
            };
            let at = |k: usize, r: f64| (k as f64 + inner(k) * r) / n as f64;
            let (x, y) = (at(i, random()), at(j, random()));
            points.push([x, y, height(x, y)].map(|x| f64::from(x as f32)));
        }
    }
    for j in 0..n {
        for i in 0..n {
            let (a, c) = (j * (n + 1) + i, (j + 1) * (n + 1) + i);
            faces.extend([[a, a + 1, c + 1], [a, c + 1, c]]);
        }
    }
    (points, faces)
}

/// A PLY file whose columns are the positions, and a whole number that is the left or the right half.
fn with_places((points, faces): &(Vec<[f64; 3]>, Vec<[usize; 3]>)) -> String {
    let mut out = format!("ply\nformat ascii 1.0\nelement vertex {}\n", points.len());
    for name in ["x", "y", "z", "cx", "cy", "cz"] {
        writeln!(out, "property float {name}").unwrap();
    }
    writeln!(out, "element face {}", faces.len()).unwrap();
    out += "property list uchar int vertex_indices\nproperty int label\nend_header\n";
    for [x, y, z] in points {
        writeln!(out, "{x} {y} {z} {x} {y} {z}").unwrap();
    }
    for f in faces {
        let right = f.iter().map(|&v| points[v][0]).sum::<f64>() > 1.5;
        writeln!(out, "3 {} {} {} {}", f[0], f[1], f[2], 3 + i32::from(right)).unwrap();
    }
    out
}

/// The rows of a PLY file: vertices, then faces.
fn rows(ply: &str) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let (head, body) = ply.split_once("end_header\n").unwrap();
    let n = head.split_once("element vertex ").unwrap().1;
    let n: usize = n.lines().next().unwrap().parse().unwrap();
    let row = |l: &str| l.split(' ').map(|w| w.parse().unwrap()).collect();
    let mut all: Vec<Vec<f64>> = body.lines().map(row).collect();
    let faces = all.split_off(n);
    (all, faces)
}

fn distance(a: &[f64], b: &[f64]) -> f64 {
    a.iter()
        .zip(b)
        .map(|(a, b)| (a - b).powi(2))
        .sum::<f64>()
        .sqrt()
}

#[test]
fn columns_are_those_of_the_surface_at_the_new_place() {
    let b = Sandbox::new();
    b.put("flat.ply", with_places(&sheet(12, |_, _| 0.0)));
    let hill = |x: f64, y: f64| 0.1 * (3.0 * x).sin() * (4.0 * y).cos();
    b.put("hill.ply", with_places(&sheet(24, hill)));
    for edit in [
        "remesh --target-length 0.1",
        "remesh --target-length 0.1 --conflicts speculative",
        "track --frames 4 --speed 0",
        "track --frames 4 --speed 0 --conflicts speculative",
        "simplify --ratio 0.3",
    ] {
        for (name, most) in [("flat", 1e-5), ("hill", 0.02)] {
            if name == "hill" && !edit.starts_with("remesh") {
                continue;
            }
            b.ok(&format!("{edit} {name}.ply -o out.ply --ascii -q"));
            let (vertices, faces) = rows(&b.text("out.ply"));
            let sides = faces.iter().flat_map(|f| {
                let f: Vec<usize> = f[1..4].iter().map(|v| *v as usize).collect();
                [(f[0], f[1]), (f[1], f[2]), (f[2], f[0])]
            });
            let lengths = sides.map(|(u, v)| distance(&vertices[u][..3], &vertices[v][..3]));
            let mean = lengths.sum::<f64>() / (3 * faces.len()) as f64;
            for v in &vertices {
                let off = distance(&v[..3], &v[3..]) / mean;
                assert!(off < most, "{edit} {name}: {v:?} is off by {off} edges");
            }
        }
    }
}

/// An OBJ file of a sheet that is bent in the middle, or flat: two charts and two materials meet there.
fn two_charts(n: usize, bent: bool) -> String {
    let (points, faces) = sheet(n, |_, _| 0.0);
    let mut out = String::new();
    for [x, y, _] in &points {
        let right = (x - 0.5).max(0.0);
        match bent {
            true => writeln!(out, "v {} {y} {right}", x.min(0.5)).unwrap(),
            false => writeln!(out, "v {x} {y} 0").unwrap(),
        }
    }
    for shift in [0.0, 10.0] {
        for [x, y, _] in &points {
            writeln!(out, "vt {} {y}", x + shift).unwrap();
        }
    }
    for side in [false, true] {
        writeln!(out, "usemtl {}", if side { "right" } else { "left" }).unwrap();
        let of = |f: &&[usize; 3]| (f.iter().map(|&v| points[v][0]).sum::<f64>() > 1.5) == side;
        for f in faces.iter().filter(of) {
            let t = |v: usize| v + 1 + if side { points.len() } else { 0 };
            let [a, b, c] = f.map(|v| format!("{}/{}", v + 1, t(v)));
            writeln!(out, "f {a} {b} {c}").unwrap();
        }
    }
    out
}

/// The corners of the faces of an OBJ file with texture coordinates, and each face's material.
type Corner = ([f64; 3], Option<[f64; 2]>);

fn corners(obj: &str) -> Vec<(String, [Corner; 3])> {
    let p = positions(obj);
    let numbers = |l: &str| {
        l.split(' ')
            .map(|w| w.parse().unwrap())
            .collect::<Vec<f64>>()
    };
    let t: Vec<Vec<f64>> = obj
        .lines()
        .filter_map(|l| Some(numbers(l.strip_prefix("vt ")?)))
        .collect();
    let (mut material, mut all) = (String::new(), Vec::new());
    for line in obj.lines() {
        if let Some(name) = line.strip_prefix("usemtl ") {
            material = name.to_owned();
        }
        if let Some(face) = line.strip_prefix("f ") {
            let corner = |w: &str| {
                let mut parts = w.split('/').map(|n| n.parse::<usize>().ok());
                let v = parts.next().flatten().unwrap();
                let uv = parts.next().flatten().map(|i| [t[i - 1][0], t[i - 1][1]]);
                (p[v - 1], uv)
            };
            let of: Vec<Corner> = face.split(' ').map(corner).collect();
            all.push((material.clone(), of.try_into().unwrap()));
        }
    }
    all
}

#[test]
fn charts_keep_their_texture() {
    let b = Sandbox::new();
    for (name, bent) in [("bent", true), ("flat", false)] {
        b.put(&format!("{name}.obj"), two_charts(16, bent));
        for edit in [
            "remesh --target-length 0.05",
            "remesh --target-length 0.05 --conflicts speculative",
            "simplify --ratio 0.4",
            "simplify --error 0.001",
            "delaunay",
            "delaunay --conflicts speculative",
            "track --frames 2 --speed 0",
            "track --frames 2 --speed 0 --conflicts speculative",
        ] {
            let said = b.ok(&format!("{edit} {name}.obj --validate -o out.obj"));
            assert!(said.contains("validated: no finding"), "{edit} {name}");
            let all = corners(&b.text("out.obj"));
            if edit.contains("--error") {
                assert_eq!(all.len(), 4, "{name}: two squares of one material each");
            }
            for (material, face) in &all {
                let shift = if material == "right" { 10.0 } else { 0.0 };
                for ([x, y, z], uv) in face {
                    let [u, v] = uv.unwrap_or_else(|| panic!("{edit} {name}: a face without UV"));
                    let off = (u - (x + z) - shift).abs().max((v - y).abs());
                    assert!(off < 1e-4, "{edit} {name}: {x} {y} {z} has {u} {v}");
                }
            }
        }
    }
}

#[test]
fn a_seam_inside_one_chart_stays_one() {
    // A tube around z: one chart, whose seam has 0 on one side and 1 on the other.
    let (around, along) = (24, 12);
    let mut text = String::new();
    for j in 0..=along {
        for i in 0..around {
            let a = f64::from(i) / f64::from(around) * std::f64::consts::TAU;
            writeln!(text, "v {} {} {}", a.cos(), a.sin(), f64::from(j) / 4.0).unwrap();
        }
    }
    for j in 0..=along {
        for i in 0..=around {
            let (u, v) = (f64::from(i) / f64::from(around), f64::from(j) / 4.0);
            writeln!(text, "vt {u} {v}").unwrap();
        }
    }
    for j in 0..along {
        for i in 0..around {
            let corner = |i: i32, j: i32| {
                format!(
                    "{}/{}",
                    j * around + i % around + 1,
                    j * (around + 1) + i + 1
                )
            };
            let (p, q) = (corner(i, j), corner(i + 1, j));
            let (r, s) = (corner(i + 1, j + 1), corner(i, j + 1));
            writeln!(text, "f {p} {q} {r}\nf {p} {r} {s}").unwrap();
        }
    }
    let b = Sandbox::new();
    b.put("tube.obj", text);
    for edit in [
        "remesh --target-length 0.2",
        "remesh --target-length 0.2 --conflicts speculative",
        "simplify --ratio 0.5",
        "delaunay",
    ] {
        b.ok(&format!("{edit} tube.obj -o out.obj"));
        for (_, face) in corners(&b.text("out.obj")) {
            let uv = face.map(|(_, uv)| uv.expect("UV of every face"));
            let u = uv.map(|[u, _]| u);
            let width = u.iter().fold(0.0, |m: f64, x| m.max(*x))
                - u.iter().fold(1.0, |m: f64, x| m.min(*x));
            assert!(width < 0.5, "{edit}: a face runs around the tube: {uv:?}");
            for ([x, y, z], [u, v]) in face.map(|(p, uv)| (p, uv.unwrap())) {
                let turn = (y.atan2(x) / std::f64::consts::TAU - u).rem_euclid(1.0);
                let off = turn.min(1.0 - turn);
                assert!(
                    off < 0.01 && (v - z).abs() < 0.02,
                    "{edit}: {x} {y} {z} has {u} {v}"
                );
            }
        }
    }
}

/// The area of each material.
fn areas(obj: &str) -> BTreeMap<String, f64> {
    let mut all = BTreeMap::new();
    for (material, face) in corners(obj) {
        let [a, b, c] = face.map(|(p, _)| p);
        let (u, w) = (
            [0, 1, 2].map(|k| b[k] - a[k]),
            [0, 1, 2].map(|k| c[k] - a[k]),
        );
        let n =
            [0, 1, 2].map(|k| u[(k + 1) % 3] * w[(k + 2) % 3] - u[(k + 2) % 3] * w[(k + 1) % 3]);
        *all.entry(material).or_insert(0.0) += 0.5 * distance(&n, &[0.0; 3]);
    }
    all
}

#[test]
fn simplification_keeps_materials_and_labels_apart() {
    let b = Sandbox::new();
    // Without texture coordinates nothing but the materials tells the halves apart.
    let text: String = two_charts(16, false)
        .lines()
        .filter(|l| !l.starts_with("vt"))
        .map(|l| match l.strip_prefix("f ") {
            Some(f) => {
                let v = f.split(' ').map(|w| w.split('/').next().unwrap());
                format!("f {}\n", v.collect::<Vec<&str>>().join(" "))
            }
            None => format!("{l}\n"),
        })
        .collect();
    b.put("plate.obj", text);
    for (goal, count) in [("--error 0.1%", 4), ("--ratio 0.2", 102)] {
        b.ok(&format!("simplify plate.obj {goal} -o out.obj"));
        let out = b.text("out.obj");
        assert!(faces(&out).len() <= count, "{goal}: {}", faces(&out).len());
        for (material, area) in areas(&out) {
            assert!((area - 0.5).abs() < 1e-4, "{goal}: {material} has {area}");
        }
    }
    b.ok("simplify plate.obj --error 0.1% --no-keep-seams -o out.obj");
    assert_eq!(faces(&b.text("out.obj")).len(), 2);

    b.put("plate.ply", with_places(&sheet(16, |_, _| 0.0)));
    b.ok("simplify plate.ply --error 0.1% --groups-from label -o out.ply --ascii");
    let (_, labels) = rows(&b.text("out.ply"));
    let labels: Vec<f64> = labels.iter().map(|f| f[4]).collect();
    assert_eq!(labels.len(), 4);
    assert_eq!(labels.iter().filter(|&&l| l == 3.0).count(), 2);
    let said = b.fails("simplify plate.ply --ratio 0.5 --groups-from lable -o out.ply");
    assert!(
        said.contains("no column 'lable'") && said.contains("are label"),
        "{said}"
    );
}

/// A sphere of six grids, like a cube's sides, whose vertices at the sides' edges are there once for each side.
fn split_sphere(n: usize, colours: bool) -> String {
    let mut out = String::new();
    let mut corners = String::new();
    for side in 0..6 {
        let first = side * (n + 1) * (n + 1) + 1;
        for j in 0..=n {
            for i in 0..=n {
                let at = |k: usize| 2.0 * k as f64 / n as f64 - 1.0;
                let (sign, axis) = (if side % 2 == 0 { 1.0 } else { -1.0 }, side / 2);
                let mut p = [0.0; 3];
                (p[axis], p[(axis + 1) % 3], p[(axis + 2) % 3]) = (sign, sign * at(i), at(j));
                let length = distance(&p, &[0.0; 3]);
                let [x, y, z] = p.map(|x| x / length);
                writeln!(out, "v {x:.6} {y:.6} {z:.6}").unwrap();
                if colours {
                    writeln!(out, "vt {} {}", at(i) + 4.0 * side as f64, at(j)).unwrap();
                }
            }
        }
        for j in 0..n {
            for i in 0..n {
                let a = first + j * (n + 1) + i;
                let [a, b, c, d] = [a, a + 1, a + n + 2, a + n + 1].map(|v| match colours {
                    true => format!("{v}/{v}"),
                    false => v.to_string(),
                });
                writeln!(corners, "f {a} {b} {c}\nf {a} {c} {d}").unwrap();
            }
        }
    }
    out + &corners
}

/// The places of boundary edges, each with how often it is there.
fn borders(obj: &str) -> HashMap<[[u64; 3]; 2], usize> {
    let p = positions(obj);
    let mut sides: HashMap<[usize; 2], usize> = HashMap::new();
    for f in faces(obj) {
        for k in 0..3 {
            let (a, b) = (f[k], f[(k + 1) % 3]);
            *sides.entry([a.min(b), a.max(b)]).or_insert(0) += 1;
        }
    }
    let mut places = HashMap::new();
    for ends in sides
        .into_iter()
        .filter(|(_, n)| *n == 1)
        .map(|(ends, _)| ends)
    {
        let mut key = ends.map(|v| p[v - 1].map(|x| (x + 0.0).to_bits()));
        key.sort_unstable();
        *places.entry(key).or_insert(0) += 1;
    }
    places
}

#[test]
fn split_vertices_open_no_crack() {
    let b = Sandbox::new();
    b.put("sphere.obj", split_sphere(8, false))
        .put("uv.obj", split_sphere(8, true));
    for name in ["sphere", "uv"] {
        let before = borders(&b.text(&format!("{name}.obj"))).len();
        for edit in [
            "simplify --ratio 0.4",
            "remesh --target-length 0.3",
            "remesh --target-length 0.3 --conflicts speculative",
            "delaunay",
            "track --frames 3",
            "mcf",
            "smooth",
            "filter",
        ] {
            let r = b.record(&format!("{edit} {name}.obj -o out.obj"));
            let warnings = r["warnings"].to_string();
            // Flips move no vertex and need no partner across a seam.
            assert_eq!(
                warnings.contains("share their place with others"),
                edit != "delaunay",
                "{edit}: {warnings}"
            );
            let text = b.text("out.obj");
            let open = borders(&text);
            assert!(open.values().all(|&n| n == 2), "{edit} {name}: a crack");
            // It has the form that it came in: six sides that are split from each other.
            assert!(
                !open.is_empty() && open.len() <= 4 * before,
                "{edit} {name}"
            );
            assert_eq!(pieces(&text), 6, "{edit} {name}");
            if name == "uv" {
                assert!(
                    corners(&text)
                        .iter()
                        .all(|(_, f)| f.iter().all(|c| c.1.is_some()))
                );
            }
        }
    }
    // Several at a time.
    b.ok("simplify sphere.obj uv.obj --ratio 0.4 -o both");
    b.ok("smooth sphere.obj uv.obj -o smoothed");
    for file in [
        "both/sphere.obj",
        "both/uv.obj",
        "smoothed/sphere.obj",
        "smoothed/uv.obj",
    ] {
        let text = b.text(file);
        assert!(borders(&text).values().all(|&n| n == 2), "{file}: a crack");
        assert_eq!(pieces(&text), 6, "{file}");
    }
}

/// Parts of the surface by shared vertices.
fn pieces(obj: &str) -> usize {
    let faces = faces(obj);
    let mut of: HashMap<usize, Vec<usize>> = HashMap::new();
    for (i, f) in faces.iter().enumerate() {
        f.iter().for_each(|&v| of.entry(v).or_default().push(i));
    }
    let (mut seen, mut count) = (HashSet::new(), 0);
    for first in 0..faces.len() {
        let mut open = vec![first];
        count += usize::from(!seen.contains(&first));
        while let Some(f) = open.pop() {
            if seen.insert(f) {
                faces[f].iter().for_each(|v| open.extend(&of[v]));
            }
        }
    }
    count
}

#[test]
fn what_has_a_vertex_for_each_corner_is_simplified() {
    let sphere = split_sphere(6, false);
    let p = positions(&sphere);
    let mut text = String::new();
    let all = faces(&sphere);
    for [x, y, z] in all.iter().flatten().map(|&v| p[v - 1]) {
        writeln!(text, "v {x} {y} {z}").unwrap();
    }
    for i in 0..all.len() {
        writeln!(text, "f {} {} {}", 3 * i + 1, 3 * i + 2, 3 * i + 3).unwrap();
    }
    let b = Sandbox::new();
    b.put("soup.obj", text);
    b.ok("simplify soup.obj --ratio 0.25 -o out.obj");
    let out = b.text("out.obj");
    assert_eq!(faces(&out).len(), all.len() / 4);
    assert_eq!(
        positions(&out).len(),
        3 * faces(&out).len(),
        "a vertex for each corner"
    );
    assert!(borders(&out).values().all(|&n| n == 2), "a crack");
}

/// Attributes of a torus in an OBJ file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Carries {
    Nothing,
    /// Texture coordinates of vertices that are split at the seam of the chart.
    SplitUv,
    /// Texture coordinates of corners.
    CornerUv,
    /// A group for each quarter.
    Groups,
}

/// A torus of `n` by `m` cells with radii 1 and .4, around z.
fn torus([n, m]: [usize; 2], carries: Carries) -> String {
    let mut out = String::new();
    let split = carries == Carries::SplitUv;
    let [rows, columns] = [n, m].map(|k| k + usize::from(split));
    for i in 0..rows {
        for j in 0..columns {
            let a = (i % n) as f64 / n as f64 * std::f64::consts::TAU;
            let b = (j % m) as f64 / m as f64 * std::f64::consts::TAU;
            let r = 1.0 + 0.4 * b.cos();
            writeln!(out, "v {} {} {}", r * a.cos(), r * a.sin(), 0.4 * b.sin()).unwrap();
        }
    }
    let textured = split || carries == Carries::CornerUv;
    if textured {
        for i in 0..=n {
            for j in 0..=m {
                writeln!(out, "vt {} {}", i as f64 / n as f64, j as f64 / m as f64).unwrap();
            }
        }
    }
    for i in 0..n {
        if carries == Carries::Groups && i % (n / 4) == 0 {
            writeln!(out, "g quarter{}", i / (n / 4)).unwrap();
        }
        for j in 0..m {
            let corner = |i: usize, j: usize| {
                let v = i % rows * columns + j % columns + 1;
                match textured {
                    true => format!("{v}/{}", i * (m + 1) + j + 1),
                    false => v.to_string(),
                }
            };
            let (a, b) = (corner(i, j), corner(i + 1, j));
            let (c, d) = (corner(i + 1, j + 1), corner(i, j + 1));
            writeln!(out, "f {a} {b} {c}\nf {a} {c} {d}").unwrap();
        }
    }
    out
}

#[test]
fn coarse_faces_keep_to_their_side_of_a_seam() {
    let b = Sandbox::new();
    for carries in [Carries::SplitUv, Carries::CornerUv] {
        b.put("torus.obj", torus([36, 18], carries));
        for edit in [
            "simplify --ratio 0.05",
            "simplify --ratio 0.04",
            "simplify --ratio 0.03",
            "simplify --error 2%",
            "simplify --faces 60 --seed 3",
            "simplify --faces 40 --seed 1",
            "remesh --target-length 0.5",
        ] {
            let what = format!("{edit} {carries:?}");
            b.ok(&format!("{edit} torus.obj -o out.obj"));
            for (_, face) in corners(&b.text("out.obj")) {
                let uv = face.map(|(_, uv)| uv.expect("UV of every face"));
                for k in 0..2 {
                    let most = uv.iter().fold(0.0, |m: f64, uv| m.max(uv[k]));
                    let least = uv.iter().fold(1.0, |m: f64, uv| m.min(uv[k]));
                    assert!(most - least < 0.6, "{what}: around the torus: {uv:?}");
                }
            }
        }
    }
}

/// The Hausdorff distance of `out.obj` from a file, as a part of the diagonal.
fn off(b: &Sandbox, file: &str) -> f64 {
    let r = b.record(&format!("distance out.obj {file}"));
    let number = |at: &str| r.pointer(at).and_then(serde_json::Value::as_f64).expect(at);
    number("/distance/hausdorff") / number("/distance/diagonal")
}

#[test]
fn an_error_bounds_the_surface_beside_lines_too() {
    let b = Sandbox::new();
    b.put("whole.obj", torus([36, 18], Carries::Nothing));
    for percent in [0.5, 2.0] {
        let simplify = format!("simplify --error {percent}%");
        b.ok(&format!("{simplify} whole.obj -o out.obj"));
        let most = off(&b, "whole.obj");
        for carries in [Carries::SplitUv, Carries::CornerUv, Carries::Groups] {
            b.put("torus.obj", torus([36, 18], carries));
            b.ok(&format!("{simplify} torus.obj -o out.obj"));
            let off = off(&b, "torus.obj");
            assert!(off < 1.5 * most, "{percent} {carries:?}: {off} and {most}");
        }
    }
}
