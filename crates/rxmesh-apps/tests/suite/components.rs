//! `components`.

use crate::support::{Sandbox, TRIANGLE, bunny, faces, positions};
use std::fs;

/// A triangle, a pair of triangles that another one touches at a vertex, and a vertex of no face; with all that a PLY
/// file can hold of them.
const PARTS: &str = "ply
format ascii 1.0
comment three parts
element vertex 10
property float x
property float y
property float z
property uchar red
property uchar green
property uchar blue
property float heat
element face 4
property list uchar int vertex_indices
property int part
end_header
0 0 0 1 0 0 0.5
1 0 0 2 0 0 1.5
0 1 0 3 0 0 2.5
9 9 9 4 0 0 3.5
4 0 0 5 0 0 4.5
5 0 0 6 0 0 5.5
4 1 0 7 0 0 6.5
5 1 0 8 0 0 7.5
6 2 0 9 0 0 8.5
7 2 0 10 0 0 9.5
3 0 1 2 70
3 4 5 6 71
3 5 7 6 72
3 7 9 8 73
";

fn body(ply: &str) -> Vec<&str> {
    ply.split_once("end_header\n").unwrap().1.lines().collect()
}

#[test]
fn parts_are_counted_and_numbered() {
    let b = Sandbox::new();
    b.put("parts.ply", PARTS);
    let r = b.record("components parts.ply -o out.ply --ascii --labels");
    assert_eq!((&r["components"], &r["kept"]), (&3.into(), &3.into()));
    let listed = |key: &str| -> Vec<f64> {
        let list = r["listed"].as_array().unwrap();
        list.iter().map(|c| c[key].as_f64().unwrap()).collect()
    };
    assert_eq!(listed("label"), [1.0, 0.0, 2.0]);
    assert_eq!(listed("faces"), [2.0, 1.0, 1.0]);
    assert_eq!(listed("vertices"), [4.0, 3.0, 3.0]);
    assert_eq!(listed("area"), [1.0, 0.5, 0.5]);
    assert_eq!(
        (&r["faces_left_out"], &r["vertices_left_out"]),
        (&0.into(), &0.into())
    );
    // Nothing is lost, and the numbers are a column.
    let out = b.text("out.ply");
    assert!(out.contains("property uint component"), "{out}");
    let rows = body(&out);
    assert_eq!(rows.len(), 14);
    let labels: Vec<&str> = rows[10..]
        .iter()
        .map(|l| l.rsplit(' ').next().unwrap())
        .collect();
    assert_eq!(labels, ["0", "1", "1", "2"]);
    let said = b.ok("components parts.ply --through vertices -o out.ply");
    assert!(said.contains("components: 2 found, 2 kept"), "{said}");
    assert!(
        said.contains("component 1: 3 faces, 6 vertices, area 1.5"),
        "{said}"
    );
}

#[test]
fn what_is_kept_keeps_its_columns() {
    let b = Sandbox::new();
    b.put("parts.ply", PARTS);
    let r = b.record("components parts.ply --largest -o out.ply --ascii");
    assert_eq!((&r["kept"], &r["largest"]), (&1.into(), &true.into()));
    assert_eq!(
        (&r["faces_left_out"], &r["vertices_left_out"]),
        (&2.into(), &6.into())
    );
    let out = b.text("out.ply");
    assert_eq!(
        body(&out),
        [
            "4 0 0 5 0 0 4.5",
            "5 0 0 6 0 0 5.5",
            "4 1 0 7 0 0 6.5",
            "5 1 0 8 0 0 7.5",
            "3 0 1 2 71",
            "3 1 3 2 72",
        ]
    );
    assert!(out.contains("comment three parts"));
    // Among components of the same size the first ones are kept.
    b.ok("components parts.ply --keep 2 -o two.ply --ascii -q");
    assert_eq!(
        body(&b.text("two.ply"))[7..],
        ["3 0 1 2 70", "3 3 4 5 71", "3 4 6 5 72"]
    );
    b.ok("components parts.ply --through vertices --min-faces 2 -o three.ply --ascii -q");
    assert_eq!(body(&b.text("three.ply")).len(), 6 + 3);
}

#[test]
fn groups_and_texture_coordinates_stay_with_their_faces() {
    let b = Sandbox::new();
    b.put(
        "two.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 5 0 0\nv 6 0 0\nv 5 1 0\nv 6 1 0\nvt 0 0\nvt 1 0\nvt 0 1\nvt 0.5 0.5\n\
         g small\nf 1/1 2/2 3/3\ng large\nusemtl wood\nf 4/4 5/2 6/1\nusemtl stone\nf 5/2 7/4 6/1\n",
    );
    b.ok("components two.obj --min-faces 2 -o large.obj -q");
    let out = b.text("large.obj");
    assert_eq!(faces(&out), [[1, 2, 3], [2, 4, 3]]);
    assert_eq!(positions(&out).len(), 4);
    let of = |word: &str| -> Vec<String> {
        let lines = out.lines().filter(|l| l.starts_with(word));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(of("g "), ["g large"]);
    assert_eq!(of("usemtl "), ["usemtl wood", "usemtl stone"]);
    assert_eq!(of("vt "), ["vt 0 0", "vt 1 0", "vt 0.5 0.5"]);
    assert_eq!(of("f "), ["f 1/3 2/2 3/1", "f 2/2 4/3 3/1"]);
}

#[test]
fn a_mesh_in_one_piece_goes_out_as_it_came() {
    let b = Sandbox::new();
    b.put("bunny.obj", bunny());
    let r = b.record("components bunny.obj --largest --patch-size 64 -o out.obj");
    assert_eq!(r["components"], 1);
    assert_eq!(faces(&b.text("out.obj")), faces(&bunny()));
    assert_eq!(positions(&b.text("out.obj")), positions(&bunny()));
    let teapot = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/teapot.obj");
    b.put("teapot.obj", fs::read(teapot).unwrap());
    let check = b.record("check teapot.obj");
    let r = b.record("components teapot.obj -o out.obj");
    assert_eq!(r["components"], check["check"]["face_components"]);
    assert!(
        b.ok("components teapot.obj -o out.obj")
            .contains("and 22 more")
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    let b = Sandbox::new();
    b.put("one.obj", TRIANGLE);
    b.put("points.obj", "v 0 0 0\nv 1 2 3\n");
    for args in [
        "--keep 0",
        "--keep 1 --largest",
        "--through faces",
        "--min-faces -1",
    ] {
        b.misused(&format!("components one.obj {args} -o no.obj"));
    }
    let message = b.fails("components one.obj --min-faces 2 -o no.obj");
    assert!(message.contains("nothing would be left"), "{message}");
    let message = b.fails("components one.obj --labels -o no.obj");
    assert!(message.contains("cannot hold labels of faces"), "{message}");
    // Without a name for the output it is of a format that holds them.
    b.ok("components one.obj --labels -q");
    assert!(b.names().contains(&"one_components.ply".to_owned()));
    let r = b.record("components points.obj --largest -o out.obj");
    assert_eq!(
        (&r["components"], &r["output"]["vertices"]),
        (&0.into(), &2.into())
    );
}
