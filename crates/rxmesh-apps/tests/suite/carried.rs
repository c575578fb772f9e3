//! Columns and other data of a file are kept by the commands that change the connectivity.

use crate::support::{Sandbox, faces, positions};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write;

/// The edit commands with what they need, on the meshes below; those that one engine alone has are once in the list.
const EDITS: [&str; 7] = [
    "delaunay",
    "delaunay --conflicts speculative",
    "remesh --iterations 2 --target-length 0.08",
    "remesh --iterations 2 --target-length 0.08 --conflicts speculative",
    "simplify --ratio 0.6",
    "track --frames 3 --speed 0.01",
    "track --frames 3 --speed 0.01 --conflicts speculative",
];

/// Cells a side of the sheet.
const N: usize = 16;

/// A sheet from -1 to 1 in both directions with a straight line of vertices at x = 0; elsewhere vertices are moved
/// about and diagonals point to either side.
struct Sheet {
    points: Vec<[f32; 2]>,
    faces: Vec<[usize; 3]>,
}

fn sheet() -> Sheet {
    let mut state = 7u32;
    let mut random = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 8) as f32 / (1 << 24) as f32 - 0.5
    };
    let step = 2.0 / N as f32;
    let mut points = Vec::new();
    for j in 0..=N {
        for i in 0..=N {
            let rim = |k: usize| k == 0 || k == N;
            let dx = if rim(i) || i == N / 2 { 0.0 } else { random() };
            let dy = if rim(j) { 0.0 } else { random() };
            let at = |k: usize, d: f32| -1.0 + step * (k as f32 + 0.7 * d);
            points.push([at(i, dx), at(j, dy)]);
        }
    }
    let mut faces = Vec::new();
    for j in 0..N {
        for i in 0..N {
            let (a, b) = (j * (N + 1) + i, j * (N + 1) + i + 1);
            let (c, d) = (a + N + 1, b + N + 1);
            if random() > 0.0 {
                faces.extend([[a, b, d], [a, d, c]]);
            } else {
                faces.extend([[a, b, c], [b, d, c]]);
            }
        }
    }
    // By group, so that there is one statement for each.
    let left = |f: &[usize; 3]| f.iter().map(|&v| points[v][0]).sum::<f32>() < 0.0;
    faces.sort_by_key(|f| !left(f));
    Sheet { points, faces }
}

impl Sheet {
    /// Two groups with a material each, left and right of the line; the texture has them apart: 10 is added on the
    /// right.
    fn obj(&self) -> String {
        let mut out = String::from("# a sheet\nmtllib m.mtl\n");
        for [x, y] in &self.points {
            writeln!(out, "v {x} {y} 0").unwrap();
        }
        for shift in [0.0, 10.0] {
            for [x, y] in &self.points {
                writeln!(out, "vt {} {y}", x + shift).unwrap();
            }
        }
        let mut side = None;
        for f in &self.faces {
            let right = self.centre(f) > 0.0;
            if side.replace(right) != Some(right) {
                let name = if right { "right" } else { "left" };
                write!(out, "g {name}\nusemtl of_{name}\n").unwrap();
            }
            let t = |v: usize| v + 1 + if right { self.points.len() } else { 0 };
            let [a, b, c] = f.map(|v| format!("{}/{}", v + 1, t(v)));
            writeln!(out, "f {a} {b} {c}").unwrap();
        }
        out
    }

    fn centre(&self, f: &[usize; 3]) -> f32 {
        f.iter().map(|&v| self.points[v][0]).sum()
    }

    /// Columns of every kind: colours, a label and a double linear in the position at vertices; the side and the number
    /// at faces.
    fn ply(&self) -> String {
        let (n, m) = (self.points.len(), self.faces.len());
        let mut out = format!(
            "ply\nformat ascii 1.0\ncomment a sheet\nelement vertex {n}\nproperty float x\nproperty float y\nproperty \
                float z\n\
             property uchar red\nproperty uchar green\nproperty uchar blue\nproperty int label\n\
             property double height\nproperty float nx\nproperty float ny\nproperty float nz\n\
             element face {m}\nproperty list uchar int vertex_indices\n\
             property uchar side\nproperty uint number\nend_header\n"
        );
        for (v, [x, y]) in self.points.iter().enumerate() {
            let byte = |x: f32| (127.5 * (x + 1.0)).round() as u8;
            let (r, g) = (byte(*x), byte(*y));
            writeln!(
                out,
                "{x} {y} 0 {r} {g} 255 {} {} 0 0 -1",
                1000 * v + 7,
                3.0 * x + y
            )
            .unwrap();
        }
        for (i, f) in self.faces.iter().enumerate() {
            let side = u8::from(self.centre(f) > 0.0);
            writeln!(out, "3 {} {} {} {side} {i}", f[0], f[1], f[2]).unwrap();
        }
        out
    }
}

/// Rows of an element of an ASCII PLY file, by property; lists are left out.
fn rows(ply: &str, element: &str) -> Vec<BTreeMap<String, f64>> {
    let (head, body) = ply.split_once("end_header\n").unwrap();
    let mut skipped = 0;
    for part in head.split("element ").skip(1) {
        let mut lines = part.lines();
        let (name, n) = lines.next().unwrap().split_once(' ').unwrap();
        let n: usize = n.parse().unwrap();
        if name != element {
            skipped += n;
            continue;
        }
        let properties: Vec<&str> = lines.filter(|l| l.starts_with("property")).collect();
        let row = |line: &str| {
            let mut words = line.split(' ');
            let mut values = BTreeMap::new();
            for p in &properties {
                let name = p.rsplit(' ').next().unwrap().to_owned();
                let value = words.next().unwrap();
                if p.contains("list") {
                    (0..value.parse().unwrap()).for_each(|k| {
                        values.insert(
                            format!("corner {k}"),
                            words.next().unwrap().parse().unwrap(),
                        );
                    });
                } else {
                    values.insert(name, value.parse().unwrap());
                }
            }
            values
        };
        return body.lines().skip(skipped).take(n).map(row).collect();
    }
    panic!("no {element}");
}

/// The group of each face of an OBJ file, with its material.
fn groups(obj: &str) -> Vec<String> {
    let (mut group, mut material) = (String::new(), String::new());
    let mut of_faces = Vec::new();
    for line in obj.lines() {
        match line.split_once(' ') {
            Some(("g", name)) => group = name.to_owned(),
            Some(("usemtl", name)) => material = name.to_owned(),
            Some(("f", _)) => of_faces.push(format!("{group} {material}")),
            _ => {}
        }
    }
    of_faces
}

/// The texture coordinates of each face of an OBJ file, if it has them.
fn texcoords(obj: &str) -> Vec<Option<[[f64; 2]; 3]>> {
    let vt: Vec<[f64; 2]> = obj
        .lines()
        .filter_map(|l| l.strip_prefix("vt "))
        .map(|l| {
            let mut n = l.split(' ').map(|w| w.parse().unwrap());
            [0; 2].map(|_| n.next().unwrap())
        })
        .collect();
    let corner = |w: &str| {
        let t = w.split('/').nth(1)?;
        t.parse::<usize>().ok().map(|t| vt[t - 1])
    };
    let face = |l: &str| {
        let found: Vec<Option<[f64; 2]>> = l.split(' ').skip(1).map(corner).collect();
        let all: Option<Vec<[f64; 2]>> = found.iter().copied().collect();
        assert!(all.is_some() || found.iter().all(Option::is_none), "{l}");
        all.map(|a| [a[0], a[1], a[2]])
    };
    obj.lines()
        .filter(|l| l.starts_with("f "))
        .map(face)
        .collect()
}

#[test]
fn what_is_delaunay_comes_back_as_it_was() {
    let b = Sandbox::new();
    let s = sheet();
    b.put("sheet.obj", s.obj()).put("sheet.ply", s.ply());
    for mesh in ["sheet.obj", "sheet.ply"] {
        for engine in ["claims", "speculative"] {
            let extension = &mesh[6..];
            let once = format!("once.{extension}");
            b.ok(&format!(
                "delaunay {mesh} --conflicts {engine} -o {once} --ascii -q"
            ));
            b.ok(&format!("convert {once} -o copy.{extension} --ascii -q"));
            let r = b.record(&format!(
                "delaunay {once} --conflicts {engine} -o twice.{extension} --ascii"
            ));
            assert_eq!(r["edit"]["report"]["run"]["done"], 0);
            assert_eq!(r["warnings"].as_array().unwrap().len(), 0, "{r}");
            assert!(b.text(&format!("copy.{extension}")) == b.text(&format!("twice.{extension}")));
        }
    }
}

#[test]
fn a_flip_leaves_each_face_with_one_side_of_the_old_ones() {
    let b = Sandbox::new();
    // The diagonal 0-2 is the long one.
    b.put(
        "kite.ply",
        "ply\nformat ascii 1.0\nelement vertex 4\nproperty float x\nproperty float y\nproperty float z\nproperty \
            uchar red\nproperty uchar green\nproperty uchar blue\n\
         element face 2\nproperty list uchar int vertex_indices\nproperty int number\nend_header\n\
         -2 0 0 1 2 3\n0 -1 0 4 5 6\n2 0 0 7 8 9\n0 1 0 10 11 12\n3 0 1 2 70\n3 0 2 3 80\n",
    );
    for engine in ["claims", "speculative"] {
        b.ok(&format!(
            "delaunay kite.ply --conflicts {engine} -o flipped.ply --ascii -q"
        ));
        let text = b.text("flipped.ply");
        let colours: Vec<[f64; 3]> = rows(&text, "vertex")
            .iter()
            .map(|r| ["red", "green", "blue"].map(|c| r[c]))
            .collect();
        assert_eq!(
            colours,
            [
                [1.0, 2.0, 3.0],
                [4.0, 5.0, 6.0],
                [7.0, 8.0, 9.0],
                [10.0, 11.0, 12.0]
            ]
        );
        let numbers: Vec<f64> = rows(&text, "face").iter().map(|r| r["number"]).collect();
        assert_eq!(numbers, [70.0, 80.0]);
    }
}

#[test]
fn vertices_that_stay_keep_their_values_and_new_ones_lie_between() {
    let b = Sandbox::new();
    b.put("sheet.ply", sheet().ply());
    let before = rows(&b.text("sheet.ply"), "vertex");
    let old_faces = rows(&b.text("sheet.ply"), "face");
    for edit in EDITS {
        b.ok(&format!("{edit} sheet.ply -o out.ply --ascii -q"));
        let text = b.text("out.ply");
        assert!(text.contains("comment a sheet"), "{edit}");
        let after = rows(&text, "vertex");
        let mut kept = Vec::new();
        for v in &after {
            // A mean of two labels would be none.
            let label = v["label"] as usize;
            assert_eq!(label % 1000, 7, "{edit}: {v:?}");
            let label = label / 1000;
            let old = &before[label];
            // In a sheet the recomputed normals point up.
            assert!(
                (v["nz"] - 1.0).abs() < 1e-3 && v["nx"].abs() < 0.1,
                "{edit}: {v:?}"
            );
            // Linear in the place, which tracking moves a little.
            let (x, y) = (v["x"], v["y"]);
            let most = if edit.starts_with("track") {
                2e-3
            } else {
                1e-5
            };
            assert!((v["height"] - 3.0 * x - y).abs() < most, "{edit}: {v:?}");
            let at = |c: &str| v[c] / 127.5 - 1.0;
            let off = (at("red") - x).abs().max((at("green") - y).abs());
            assert!(off < 1.5 / 127.5, "{edit}: {v:?}");
            assert_eq!(v["blue"], 255.0);
            if x == old["x"] && y == old["y"] {
                kept.push(label);
                let same = ["red", "green", "height"].iter().all(|c| v[*c] == old[*c]);
                assert!(same, "{edit}: {v:?}");
            }
        }
        assert!(kept.len() >= 4 || edit.starts_with("track"), "{edit}");
        // Order: those that stay are as they were.
        assert!(kept.is_sorted(), "{edit}");
        let faces = rows(&text, "face");
        assert!(
            faces
                .iter()
                .all(|f| f["side"] == old_faces[f["number"] as usize]["side"]),
            "{edit}"
        );
        assert!(
            faces.is_sorted_by(|a, b| a["number"] <= b["number"]),
            "{edit}"
        );
    }
}

#[test]
fn groups_and_their_borders_stay() {
    let b = Sandbox::new();
    b.put("sheet.obj", sheet().obj());
    for edit in EDITS {
        let said = b.ok(&format!(
            "{edit} sheet.obj --keep-groups --validate -o out.obj"
        ));
        assert!(said.contains("validated: no finding"), "{edit}");
        let text = b.text("out.obj");
        assert!(
            text.starts_with("# a sheet\n") && text.contains("mtllib m.mtl\n"),
            "{edit}"
        );
        let p = positions(&text);
        let changed = faces(&text).len() != 2 * N * N || edit.starts_with("delaunay");
        assert!(changed || edit.starts_with("track"), "{edit}");
        for (f, group) in faces(&text).iter().zip(groups(&text)) {
            let x: Vec<f64> = f.iter().map(|&v| p[v - 1][0]).collect();
            let name = if x.iter().sum::<f64>() > 0.0 {
                "right of_right"
            } else {
                "left of_left"
            };
            assert_eq!(group, name, "{edit}: {x:?}");
            // No face lies across the line (tracking moves it a little).
            let across = x.iter().any(|x| *x < -0.01) && x.iter().any(|x| *x > 0.01);
            assert!(!across, "{edit}: {x:?}");
        }
    }
}

#[test]
fn a_weight_holds_groups() {
    let b = Sandbox::new();
    b.put("sheet.obj", sheet().obj());
    // Distance of the vertices between the groups from the line between the groups.
    let off = |flags: &str| -> f64 {
        b.ok(&format!(
            "simplify sheet.obj --ratio 0.1 {flags} --validate -o out.obj"
        ));
        let text = b.text("out.obj");
        let (p, mut sides) = (positions(&text), HashMap::<usize, HashSet<String>>::new());
        for (f, group) in faces(&text).iter().zip(groups(&text)) {
            for &v in f {
                sides.entry(v).or_default().insert(group.clone());
            }
        }
        let between: Vec<f64> = sides
            .iter()
            .filter(|(_, groups)| groups.len() > 1)
            .map(|(&v, _)| p[v - 1][0].abs())
            .collect();
        assert!(between.len() > 2, "{flags}: {between:?}");
        between.into_iter().fold(0.0, f64::max)
    };
    let (free, held) = (
        off("--no-keep-seams"),
        off("--group-weight 100 --no-keep-seams"),
    );
    assert!(off("") < 1e-5);
    assert!(held < 0.01 && free > 0.05, "{free} {held}");
    let said = b.misused("simplify sheet.obj --ratio 0.1 --group-weight 1 --cost length");
    assert!(said.contains("groups are held by quadrics"), "{said}");
    let said = b.misused("simplify sheet.obj --ratio 0.1 --group-weight=-1");
    assert!(said.contains("the weight of groups"), "{said}");
}

#[test]
fn texture_coordinates_stay_in_their_part_of_the_texture() {
    let b = Sandbox::new();
    b.put("sheet.obj", sheet().obj());
    for edit in EDITS {
        for keep in ["", "--keep-groups"] {
            let r = b.record(&format!("{edit} sheet.obj {keep} -o out.obj"));
            let text = b.text("out.obj");
            let found = texcoords(&text);
            let (p, f) = (positions(&text), faces(&text));
            for (face, uv) in f.iter().zip(&found) {
                let Some(uv) = uv else { continue };
                let right = uv.iter().filter(|t| t[0] > 5.0).count();
                assert!(right == 0 || right == 3, "{edit} {keep}: {uv:?}");
                if edit.starts_with("delaunay") {
                    let shift = if right > 0 { 10.0 } else { 0.0 };
                    for (&v, t) in face.iter().zip(uv) {
                        let p = p[v - 1];
                        let off = (t[0] - p[0] - shift).abs() + (t[1] - p[1]).abs();
                        assert!(off < 1e-5, "{edit}: {p:?} {t:?}");
                    }
                }
            }
            let without = found.iter().filter(|t| t.is_none()).count();
            assert_eq!(without, 0, "{edit} {keep}");
            assert_eq!(
                r["warnings"].as_array().unwrap().len(),
                0,
                "{}",
                r["warnings"]
            );
        }
    }
}

#[test]
fn normals_of_corners_stay_with_their_sides() {
    let b = Sandbox::new();
    let text = "v -2 0 0\nv 0 -1 0\nv 2 0 0\nv 0 1 0\nvn 0 0 1\nvn 0 1 0\nf 1//1 2//1 3//1\nf 1//2 3//2 4//2\n";
    b.put("kite.obj", text);
    // The edge between is a crease, which no flip crosses.
    let r = b.record("delaunay kite.obj -o flipped.obj");
    assert_eq!(r["edit"]["report"]["run"]["done"], 0, "{r}");
    let r = b.record("delaunay kite.obj --no-keep-seams -o flipped.obj");
    assert_eq!(r["edit"]["report"]["run"]["done"], 1, "{r}");
    let out = b.text("flipped.obj");
    // One face comes from each side.
    for normal in ["vn 0 0 1", "vn 0 1 0"] {
        assert!(out.lines().any(|l| l == normal), "{out}");
    }
    // Facets stay facets.
    let facets = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 1\nv 2 1 1\nvn 0 0 1\nvn -0.70710678 0 0.70710678\n\
        f 1//1 2//1 3//1\nf 1//1 3//1 4//1\nf 2//2 5//2 6//2\nf 2//2 6//2 3//2\n";
    b.put("facets.obj", facets);
    b.ok("remesh facets.obj --target-length 0.4 -o out.obj");
    let out = b.text("out.obj");
    let normals: Vec<Vec<f64>> = out
        .lines()
        .filter_map(|l| l.strip_prefix("vn "))
        .map(|l| l.split(' ').map(|w| w.parse().unwrap()).collect())
        .collect();
    let p = positions(&out);
    let lines = out.lines().filter_map(|l| l.strip_prefix("f "));
    for face in lines.map(|l| l.split(' ').map(|w| w.split('/').collect::<Vec<&str>>())) {
        for corner in face.collect::<Vec<_>>().windows(3).flat_map(|f| f.to_vec()) {
            let n = &normals[corner[2].parse::<usize>().unwrap() - 1];
            let at = p[corner[0].parse::<usize>().unwrap() - 1];
            let expected = if at[0] > 1.001 {
                [-0.5f64.sqrt(), 0.0, 0.5f64.sqrt()]
            } else {
                [0.0, 0.0, 1.0]
            };
            let off = (0..3)
                .map(|k| (n[k] - expected[k]).abs())
                .fold(0.0, f64::max);
            assert!(off < 1e-4 || (at[0] - 1.0).abs() < 1e-3, "{at:?}: {n:?}");
        }
    }
}

#[test]
fn wrap_takes_texture_coordinates_groups_and_columns_over() {
    let b = Sandbox::new();
    let s = sheet();
    b.put("sheet.obj", s.obj()).put("sheet.ply", s.ply());
    let r = b.record("wrap sheet.obj --resolution 40 -o out.obj");
    assert_eq!(r["warnings"].as_array().unwrap().len(), 0, "{r}");
    let out = b.text("out.obj");
    let (p, faces, groups) = (positions(&out), faces(&out), groups(&out));
    let left = groups.iter().take_while(|g| *g == "left of_left").count() as f64;
    assert!((left / groups.len() as f64 - 0.5).abs() < 0.03, "{left}");
    for ((f, t), group) in faces.iter().zip(texcoords(&out)).zip(&groups) {
        let shift = if group == "right of_right" { 10.0 } else { 0.0 };
        for (&v, [x, y]) in f.iter().zip(t.unwrap()) {
            // The rim lies beside the sheet.
            let near = |a: f64, b: f64| (a - b).abs() < 0.06;
            assert!(
                near(x - shift, p[v - 1][0]) && near(y, p[v - 1][1]),
                "{x} {y} at {:?}",
                p[v - 1]
            );
        }
    }
    let r = b.record("wrap sheet.ply --resolution 40 -o out.ply --ascii");
    assert!(r["warnings"][0].as_str().unwrap().contains("normals"));
    let out = b.text("out.ply");
    assert!(rows(&out, "face").iter().all(|row| row["side"] <= 1.0));
    for row in rows(&out, "vertex") {
        let height = 3.0 * row["x"] + row["y"];
        assert!((row["height"] - height).abs() < 0.25, "{row:?}");
    }
}
