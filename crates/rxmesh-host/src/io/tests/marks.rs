//! Sharpness and holes as files have them, good ones and bad ones.

use super::polygons::read_poly_as;
use super::*;
use crate::mesh::{SharpEdge, SharpVertex};

fn message(name: &str, text: &str) -> String {
    read_poly_as(name, text.as_bytes()).unwrap_err().to_string()
}

const CUBE: &str = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nf 1 4 3 2\nf 5 6 7 8\n\
    f 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

#[test]
fn tags_of_obj() {
    let read = |tags: &str| read_poly_as("a.obj", format!("{CUBE}{tags}").as_bytes()).unwrap();
    let chain = read("t crease 5/1/0 0 1 2 3 0 2.5\n").mesh;
    assert_eq!(chain.sharp_edges.len(), 4);
    assert_eq!(chain.sharp_edges[3].ends, [3, 0]);
    assert!(chain.sharp_edges.iter().all(|e| e.sharpness == 2.5));
    let varied =
        read("t crease 3/2/0 0 1 2 2.5 0\nt corner 2/2/0 7 4 1 2\nt hole 2/0/0 5 0\n").mesh;
    assert_eq!(varied.sharp_edges.len(), 1);
    assert_eq!(varied.sharp_vertices[1].vertex, 4);
    assert_eq!(varied.sharp_vertices[1].sharpness, 2.0);
    assert_eq!(varied.holes, [0, 5]);
    let other = read("t interpolateboundary 1/0/0 1\nt creasemethod 0/0/1 chaikin\n");
    assert!(other.mesh.sharp_edges.is_empty());
    assert_eq!(
        other.warnings,
        [
            "2 tags ('t') are neither creases, corners nor holes and are not kept, the first is on line 15"
        ]
    );
    // Triangles read the same file, and report their losses.
    let tri = read_as("a.obj", format!("{CUBE}t crease 2/1/0 0 1 1\n").as_bytes()).unwrap();
    assert!(
        tri.warnings.iter().any(|w| w.contains("no sharp edges: 1")),
        "{:?}",
        tri.warnings
    );
}

#[test]
fn bad_tags_are_named_with_their_line() {
    let cases = [
        (
            "t crease 2/1/0 0 8 1\n",
            "line 15: a tag names vertex 8 (counted from 0, as tags do), but the file has 8",
        ),
        ("t hole 1/0/0 6\n", "line 15: a tag names face 6"),
        ("\nt corner 1/1/0 9 2\n", "line 16: a tag names vertex 9"),
        (
            "t crease 2/1/0 0 1\n",
            "line 15: a number of the tag expected, but the line ends",
        ),
        (
            "t crease 2/1/0 0 1 1 1\n",
            "line 15: '1' is more than the tag's counts say",
        ),
        (
            "t crease 2/1 0 1 1\n",
            "line 15: '2/1' is not the counts of a tag",
        ),
        (
            "t crease 1/1/0 0 1\n",
            "line 15: a crease needs two vertices or more",
        ),
        (
            "t crease 2/1/0 0 -1 1\n",
            "line 15: '-1' is no vertex or face",
        ),
        ("t crease 2/1/0 0 1 -2\n", "line 15: a sharpness is -2"),
        (
            "t crease 2/1/0 0 1 nan\n",
            "line 15: 'nan' is not a finite number",
        ),
        (
            "t crease 2/1/0 3 3 1\n",
            "line 15: a crease goes from vertex 3 (counted from 0) to itself",
        ),
        (
            "t crease 3/0/0 0 1 2\n",
            "line 15: 0 numbers for the sharpness of 2 edges",
        ),
        (
            "t corner 3/2/0 0 1 2 1 1\n",
            "line 15: 2 numbers for the sharpness of 3 vertices",
        ),
        (
            "t crease 4000000000/1/0 0 1 1\n",
            "line 15: a whole number of the tag expected",
        ),
    ];
    for (tags, part) in cases {
        let text = message("a.obj", &format!("{CUBE}{tags}"));
        assert!(text.contains(part), "{tags}: {text}");
    }
}

#[test]
fn bad_edges_of_ply_are_named() {
    let ply = |edges: &str, row: &str| {
        format!(
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
                element face 1\nproperty list uchar int vertex_indices\nelement edge 1\n{edges}end_header\n\
                0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n{row}\n"
        )
    };
    let ends = "property int vertex1\nproperty int vertex2\n";
    let crease = format!("{ends}property float crease\n");
    let mesh = read_poly_as("a.ply", ply(&crease, "2 1 0.5").as_bytes())
        .unwrap()
        .mesh;
    let edge = SharpEdge {
        ends: [2, 1],
        sharpness: 0.5,
    };
    assert_eq!(mesh.sharp_edges, [edge]);
    let smooth = read_poly_as("a.ply", ply(&crease, "2 1 0").as_bytes()).unwrap();
    assert!(smooth.mesh.sharp_edges.is_empty() && smooth.warnings.is_empty());
    let more = format!("property uchar red\n{crease}");
    let more = read_poly_as("a.ply", ply(&more, "9 2 1 0.5").as_bytes()).unwrap();
    assert_eq!(more.mesh.sharp_edges, [edge]);
    assert_eq!(
        more.warnings,
        ["property 'red' of element 'edge' is not kept"]
    );
    let other = read_poly_as("a.ply", ply(ends, "2 1").as_bytes()).unwrap();
    assert_eq!(other.warnings, ["element 'edge' (1 rows) is not kept"]);
    for (row, part) in [
        (
            "2 3 1",
            "edge 0 (counted from 0) names vertex 3, but the file has 3",
        ),
        ("-1 2 1", "edge 0 (counted from 0) names vertex -1"),
        (
            "2 2 1",
            "edge 0 (counted from 0) goes from vertex 2 to itself",
        ),
        ("1 2 -1", "the sharpness of edge 0 (counted from 0) is -1"),
        ("1 2 nan", "the sharpness of edge 0 (counted from 0) is NaN"),
        ("1 2", "property 'crease' expected, but the line ends"),
    ] {
        let text = message("a.ply", &ply(&crease, row));
        assert!(
            text.contains("line 18: ") && text.contains(part),
            "{row}: {text}"
        );
    }
}

#[test]
fn columns_of_ply_that_say_how_sharp_vertices_are() {
    let ply = |name: &str, value: &str| {
        format!(
            "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
                property double {name}\nelement face 1\nproperty list uchar int vertex_indices\nproperty uchar hole\n\
                end_header\n0 0 0 0\n1 0 0 {value}\n0 1 0 0\n3 0 1 2 1\n"
        )
    };
    for name in ["sharpness", "crease"] {
        let mesh = read_poly_as("a.ply", ply(name, "1.5").as_bytes())
            .unwrap()
            .mesh;
        assert_eq!(
            mesh.sharp_vertices,
            [SharpVertex {
                vertex: 1,
                sharpness: 1.5
            }]
        );
        assert_eq!(mesh.holes, [0]);
        assert!(mesh.extras.columns.is_empty());
        // Triangle meshes keep the columns as they are.
        let tri = read_as("a.ply", ply(name, "-1").as_bytes()).unwrap().mesh;
        assert!(tri.extras.column(ElementKind::Vertex, name).is_some());
        for bad in ["-1", "nan"] {
            let text = message("a.ply", &ply(name, bad));
            assert!(
                text.contains(&format!("property '{name}' of vertex 1")),
                "{text}"
            );
        }
    }
}
