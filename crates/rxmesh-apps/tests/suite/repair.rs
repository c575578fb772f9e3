//! `repair`, and `--repair` of edits.

use crate::support::{Sandbox, faces, positions};

/// Three triangles at an edge, a fourth one twice, one that names a vertex twice, and a vertex of no face.
const BOOK: &str = "v 0 0 0\nv 0 0 1\nv 1 0 0.5\nv -1 0 0.5\nv 0 1 0.5\nv 5 5 5\n\
    f 1 2 3\nf 2 1 4\nf 1 2 5\nf 5 1 2\nf 1 1 2\n";

/// A cube of six quads without its lid.
const OPEN_BOX: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\n\
    f 1 3 2\nf 1 4 3\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n";

/// A cube of twelve faces at a place, whose vertices come after `first` others.
fn cube([x, y, z]: [i32; 3], first: u32) -> String {
    let corner = |i: i32| format!("v {} {} {}\n", x + (i & 1), y + (i >> 1 & 1), z + (i >> 2));
    let mut obj: String = (0..8).map(corner).collect();
    let sides = [
        [0, 2, 3, 1],
        [4, 5, 7, 6],
        [0, 1, 5, 4],
        [2, 6, 7, 3],
        [0, 4, 6, 2],
        [1, 3, 7, 5],
    ];
    for [a, b, c, d] in sides {
        for face in [[a, b, c], [a, c, d]] {
            let [a, b, c] = face.map(|v: u32| v + first + 1);
            obj += &format!("f {a} {b} {c}\n");
        }
    }
    obj
}

#[test]
fn what_is_broken_is_mended_and_told() {
    let b = Sandbox::new();
    b.put("book.obj", BOOK);
    let r = b.record("repair book.obj -o out.obj");
    let (repair, after) = (&r["repair"], &r["repair"]["after"]);
    assert_eq!(repair["before"]["non_manifold_edges"], 1);
    assert_eq!(repair["degenerate"]["repeated"], 1);
    assert_eq!(repair["duplicates"]["faces"], 1);
    assert_eq!(repair["split"]["copies"], 2);
    assert_eq!(repair["unused"], 1);
    for key in [
        "non_manifold_edges",
        "non_manifold_vertices",
        "inconsistent_edges",
        "duplicate_faces",
    ] {
        assert_eq!(after[key], 0, "{key}");
    }
    assert_eq!(r["undone"].as_array().unwrap().len(), 0);
    let out = b.text("out.obj");
    // The flat pair stays together; the face that is perpendicular to it has copies of the edge's ends.
    assert_eq!(faces(&out), [vec![1, 2, 3], vec![2, 1, 4], vec![6, 7, 5]]);
    assert_eq!(positions(&out).len(), 7);
    let check = b.record("check out.obj");
    assert_eq!(
        (
            &check["check"]["manifold"],
            &check["check"]["consistently_oriented"]
        ),
        (&true.into(), &true.into())
    );
    // The same file comes back when there is nothing to do.
    let said = b.ok("repair out.obj -o again.obj");
    assert!(
        said.contains("after: 7 vertices, 3 faces, 2 components"),
        "{said}"
    );
    assert_eq!(b.text("again.obj"), out);
    b.ok("repair book.obj -q");
    assert_eq!(b.text("book_repair.obj"), out);
}

#[test]
fn passes_can_be_chosen() {
    let b = Sandbox::new();
    b.put("book.obj", BOOK);
    let r = b.record("repair book.obj -o out.obj --skip split,unused");
    assert_eq!(r["repair"]["after"]["non_manifold_edges"], 1);
    assert_eq!(
        (&r["repair"]["split"], &r["repair"]["unused"]),
        (&().into(), &().into())
    );
    let r = b.record("repair book.obj -o out.obj --only duplicates");
    assert_eq!(
        (&r["repair"]["after"]["faces"], &r["repair"]["weld"]),
        (&4.into(), &().into())
    );
    b.put(
        "near.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1.001 0 0\nv 0 1.001 0\nv 1 1 0\nf 1 2 3\nf 5 4 6\n",
    );
    assert_eq!(
        b.record("repair near.obj -o out.obj --weld=0.01")["repair"]["weld"]["vertices"],
        2
    );
    assert_eq!(
        b.record("repair near.obj -o out.obj --weld=1%")["repair"]["weld"]["vertices"],
        2
    );
    assert_eq!(
        b.record("repair near.obj -o out.obj --weld")["repair"]["weld"]["vertices"],
        0
    );
    // Lengths are the user's, wherever the mesh lies.
    let far = "v 500000 5400000 0\nv 500001 5400000 0\nv 500000 5400001 0\nv 500001.001 5400000 0\n\
        v 500000 5400001.001 0\nv 500001 5400001 0\nf 1 2 3\nf 5 4 6\n";
    b.put("far.obj", far);
    assert_eq!(
        b.record("repair far.obj -o out.obj --weld=0.01")["repair"]["weld"]["vertices"],
        2
    );
    assert_eq!(
        b.record("repair far.obj -o out.obj --weld=0.0001")["repair"]["weld"]["vertices"],
        0
    );
}

#[test]
fn holes_are_filled_on_request() {
    let b = Sandbox::new();
    b.put("box.obj", OPEN_BOX);
    assert_eq!(
        b.record("repair box.obj -o out.obj")["repair"]["after"]["boundary_loops"],
        1
    );
    let r = b.record("repair box.obj -o out.obj --fill-holes --fill flat");
    assert_eq!(
        (
            &r["repair"]["after"]["boundary_edges"],
            &r["repair"]["holes"]["filled"]
        ),
        (&0.into(), &1.into())
    );
    assert_eq!(b.record("check out.obj")["check"]["closed"], true);
    // A hole that is larger than was requested is left, and that is right.
    let said = b.ok("repair box.obj -o out.obj --fill-holes --max-hole-edges 3");
    assert!(
        said.contains("hole left: 4 edges at vertex 4, too large"),
        "{said}"
    );
}

#[test]
fn what_cannot_be_closed_is_written_and_refused() {
    let b = Sandbox::new();
    b.put("one.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    let out = b.run("repair one.obj -o out.obj --watertight");
    let message = String::from_utf8(out.stderr).unwrap();
    assert_eq!(out.status.code(), Some(3), "{message}");
    assert!(
        message.contains("not repaired: 3 boundary edges"),
        "{message}"
    );
    assert_eq!(faces(&b.text("out.obj")).len(), 1);
}

#[test]
fn nothing_is_written_where_nothing_would_be_left() {
    let b = Sandbox::new();
    b.put("flat.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 2\nf 1 2 3\n");
    let message = b.fails("repair flat.obj -o out.obj");
    assert!(
        message.contains("flat.obj: no face would be left: none of the 2 has an area"),
        "{message}"
    );
    b.put("points.obj", "v 0 0 0\nv 1 0 0\n");
    let message = b.fails("repair points.obj -o out.obj");
    assert!(message.contains("there is nothing to repair"), "{message}");
    for args in [
        "--only all",
        "--only weld --skip split",
        "--weld=-1",
        "--weld=far",
        "--min-size 2",
        "--gap -1",
    ] {
        b.misused(&format!("repair flat.obj -o out.obj {args}"));
    }
}

#[test]
fn stl_unites_what_was_split() {
    let b = Sandbox::new();
    b.put("two.obj", cube([0, 0, 0], 0) + &cube([1, 1, 0], 8));
    let out = b.run("repair two.obj -o two.stl");
    let message = String::from_utf8(out.stderr).unwrap();
    assert!(
        out.status.success() && message.contains("STL names no vertices"),
        "{message}"
    );
}

#[test]
fn edits_repair_on_request() {
    let b = Sandbox::new();
    // Two cubes that share an edge.
    b.put("two.obj", cube([0, 0, 0], 0) + &cube([1, 1, 0], 8));
    let welded = b.record("repair two.obj -o welded.obj --only weld");
    assert_eq!(welded["repair"]["after"]["non_manifold_edges"], 1);
    let message = b.fails("remesh welded.obj --target-length 0.4 -o no.obj");
    assert!(
        message.contains("repair the mesh first (--repair)"),
        "{message}"
    );
    let message = b.fails("track welded.obj -o no.obj");
    assert!(message.contains("repair it first (--repair)"), "{message}");
    for command in [
        "remesh --target-length 0.4",
        "track --frames 2 --time-step 0.001 --target-length 0.4",
        "simplify --ratio 0.9",
        "delaunay",
    ] {
        let r = b.record(&format!(
            "{command} welded.obj --repair --validate -o out.obj --engine cpu"
        ));
        assert_eq!(r["edit"]["frozen_faces"], 0, "{command}");
        assert_eq!(r["repair"]["split"]["copies"], 2, "{command}");
        let check = &b.record("check out.obj")["check"];
        assert_eq!(
            (&check["manifold"], &check["closed"]),
            (&true.into(), &true.into()),
            "{command}"
        );
        assert_eq!(check["face_components"], 2, "{command}");
    }
    let said = b.ok("delaunay welded.obj --repair -o out.obj");
    assert!(said.contains("split: 2 copies of vertices"), "{said}");
    b.misused("delaunay welded.obj --repair --map map.txt -o out.obj");
}

/// Two holes that share one vertex, in a sphere: both are closed without a fold, by every way to request it.
#[test]
fn holes_that_touch_are_closed_one_by_one() {
    let b = Sandbox::new();
    b.ok("generate icosphere --levels 3 -o whole.obj");
    let text = b.text("whole.obj");
    let all = faces(&text);
    // Two faces with a common vertex and no common edge, and a neighbour of each.
    let shared = |f: &[usize], g: &[usize]| f.iter().filter(|v| g.contains(v)).count();
    let first = 0;
    let second = (1..all.len())
        .find(|&g| {
            let near = |f: usize| shared(&all[f], &all[g]);
            near(first) == 1
                && (0..all.len()).all(|f| !(near(f) == 2 && shared(&all[f], &all[first]) == 2))
        })
        .unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let mut count = 0;
    let kept = lines.into_iter().filter(|l| {
        let is_face = l.starts_with("f ");
        count += usize::from(is_face);
        !is_face || (count - 1 != first && count - 1 != second)
    });
    b.put(
        "holed.obj",
        kept.map(|l| format!("{l}\n")).collect::<String>(),
    );
    for args in [
        "--watertight",
        "--watertight --fill flat",
        "--fill-holes --fill refined",
    ] {
        let r = b.record(&format!("repair holed.obj {args} -o closed.obj"));
        assert_eq!(r["output"]["faces"], all.len(), "{args}: {r}");
        assert_eq!(r["output"]["vertices"], r["input"]["vertices"], "{args}");
        assert_eq!(r["repair"]["holes"]["filled"], 2, "{args}");
        assert_eq!(r["self_intersections"]["count"], 0, "{args}");
        let r = b.record("check closed.obj --strict");
        assert_eq!(r["check"]["closed"], true, "{args}");
    }
}

/// Faces that intersect are counted, named and left.
#[test]
fn faces_that_intersect() {
    let b = Sandbox::new();
    b.put(
        "crossed.obj",
        "v 0 0 0\nv 2 0 0\nv 0 2 0\nv .5 .5 -1\nv .5 .5 1\nv 3 3 0\nf 1 2 3\nf 4 5 6\n",
    );
    let r = b.record("check crossed.obj --strict");
    assert_eq!(r["check"]["self_intersections"]["count"], 1);
    assert_eq!(
        r["check"]["self_intersections"]["first"][0],
        serde_json::json!([0, 1])
    );
    let said = b.ok("check crossed.obj");
    assert!(
        said.contains("pairs of faces that intersect: 1 ([0, 1]; counted from 0)"),
        "{said}"
    );
    let r = b.record("check crossed.obj --no-self-intersections");
    assert!(r["check"].get("self_intersections").is_none(), "{r}");
    let said = b.ok("repair crossed.obj -o out.obj");
    assert!(
        said.contains("left: 1 pairs of faces that intersect"),
        "{said}"
    );
    b.ok("generate icosphere --levels 2 -o sphere.obj");
    let r = b.record("check sphere.obj");
    assert_eq!(r["check"]["self_intersections"]["count"], 0);
}
