//! Polygons, their sharpness and their holes: out and in again.

use super::*;
use crate::mesh::{Faces, PolyMesh, SharpEdge, SharpVertex};

fn read_poly_as(name: &str, bytes: &[u8]) -> Result<Loaded<PolyMesh>, IoError> {
    read_poly_bytes(bytes, Path::new(name), &ReadOptions::default())
}

fn message(name: &str, text: &str) -> String {
    read_poly_as(name, text.as_bytes()).unwrap_err().to_string()
}

/// A cube of four quads, a square of two triangles and a pentagon that bends over one side, all numbers awkward.
fn prism() -> PolyMesh {
    let x = 1.0 / 3.0;
    let positions = [
        [0.1, 0.2, -0.0],
        [1.0 + x, 0.0, 0.0],
        [1.0, 1.0 + x, 0.0],
        [0.0, 1.0, 1e-7],
        [0.0, 0.0, 1.0],
        [1.0, 0.0, 1.0 + x],
        [1.0, 1.0, 1.0],
        [0.0, 1.0, 1.0],
        [0.5, 1.5, 1.0],
    ];
    let faces: [&[u32]; 7] = [
        &[0, 3, 2, 1],
        &[0, 1, 5, 4],
        &[1, 2, 6, 5],
        &[3, 0, 4, 7],
        &[4, 5, 6],
        &[4, 6, 7],
        &[2, 3, 7, 8, 6],
    ];
    let sizes: Vec<u32> = faces.iter().map(|f| f.len() as u32).collect();
    let positions = positions.map(Vec3::from_array).to_vec();
    PolyMesh::new(positions, &sizes, faces.concat()).unwrap()
}

/// The same with one of everything that files hold beside it.
fn laden() -> PolyMesh {
    let mut mesh = prism();
    let corner = |k: usize| if k % 5 == 4 { NO_VALUE } else { k as u32 % 3 };
    mesh.extras.corner_texcoords = Some(CornerLayer {
        width: 2,
        values: vec![0.0, 1.0 / 3.0, 0.5, 0.25, 1.0, 0.1],
        corners: (0..mesh.corners.len()).map(corner).collect(),
    });
    let (v, f) = (ElementKind::Vertex, ElementKind::Face);
    mesh.extras.columns = vec![
        column(
            "heat",
            v,
            1,
            ColumnData::F32((0..9).map(|i| i as f32 / 7.0).collect()),
        ),
        column("part", f, 1, ColumnData::U16((0..7).collect())),
    ];
    mesh.extras.comments = vec!["a prism".into()];
    let edge = |a, b, sharpness| SharpEdge {
        ends: [a, b],
        sharpness,
    };
    mesh.sharp_edges = vec![
        edge(0, 1, 2.5),
        edge(5, 1, PolyMesh::SHARP),
        edge(3, 7, 1.0 / 3.0),
    ];
    let vertex = |vertex, sharpness| SharpVertex { vertex, sharpness };
    mesh.sharp_vertices = vec![vertex(2, 0.1), vertex(8, 10.0)];
    mesh.holes = vec![1, 5];
    mesh.validate().unwrap();
    mesh
}

fn plain_forms() -> impl Iterator<Item = (&'static str, Encoding)> {
    forms().into_iter().filter(|f| f.0 != "a.stl")
}

#[test]
fn polygons_survive_every_format_but_stl() {
    let quads = PolyMesh::new(prism().positions, &[4, 4], vec![0, 1, 5, 4, 1, 2, 6, 5]).unwrap();
    assert_eq!(quads.faces, Faces::Same(4));
    let points = PolyMesh {
        faces: Faces::Same(3),
        positions: prism().positions,
        ..PolyMesh::default()
    };
    for mesh in [prism(), quads, points] {
        for (name, encoding) in plain_forms() {
            let (bytes, report) = written(name, encoding, &mesh);
            assert_eq!(report.warnings, Vec::<String>::new());
            let back = read_poly_as(name, &bytes).unwrap();
            assert_eq!(back.mesh, mesh, "{name}");
            assert!(back.warnings.is_empty(), "{name}: {:?}", back.warnings);
            let again = written(name, encoding, &back.mesh).0;
            assert_eq!(again, bytes, "{name}");
        }
    }
}

/// A triangle mesh is written to the same bytes, whichever type it has.
#[test]
fn triangles_are_written_alike() {
    let tri = super::laden();
    let poly = PolyMesh::from(tri.clone());
    for (name, encoding) in forms() {
        assert_eq!(
            written(name, encoding, &tri).0,
            written(name, encoding, &poly).0,
            "{name}"
        );
        let back = read_poly_as(name, &written(name, encoding, &tri).0).unwrap();
        let same = read_as(name, &written(name, encoding, &tri).0).unwrap();
        assert_eq!(back.mesh, PolyMesh::from(same.mesh), "{name}");
    }
}

#[test]
fn ply_keeps_what_surfaces_need() {
    for encoding in [Encoding::Ascii, Encoding::Binary, Encoding::BinaryBigEndian] {
        let (bytes, report) = written("a.ply", encoding, &laden());
        assert_eq!(report.warnings, Vec::<String>::new());
        let back = read_poly_as("a.ply", &bytes).unwrap();
        assert!(back.warnings.is_empty(), "{:?}", back.warnings);
        // Corners of a face with texture coordinates all have some in PLY.
        let mut filled = laden();
        let layer = filled.extras.corner_texcoords.as_mut().unwrap();
        layer.values.extend([0.0, 0.0]);
        let none = layer.corners.iter_mut().filter(|c| **c == NO_VALUE);
        none.for_each(|c| *c = 3);
        let values = |m: &PolyMesh| -> Vec<Vec<f32>> {
            let layer = m.extras.corner_texcoords.as_ref().unwrap();
            let value = |&c: &u32| layer.values[2 * c as usize..2 * c as usize + 2].to_vec();
            layer.corners.iter().map(value).collect()
        };
        assert_eq!(values(&back.mesh), values(&filled));
        filled.extras.corner_texcoords = back.mesh.extras.corner_texcoords.clone();
        assert_eq!(back.mesh, filled);
    }
}

#[test]
fn obj_keeps_what_surfaces_need() {
    let mut mesh = laden();
    mesh.extras.columns.clear();
    mesh.extras.tags = vec![Tag {
        face: 3,
        kind: TagKind::Material,
        text: "wood".into(),
    }];
    let (bytes, report) = written("a.obj", Encoding::Binary, &mesh);
    assert_eq!(report.warnings, Vec::<String>::new());
    let text = String::from_utf8(bytes.clone()).unwrap();
    assert!(text.contains("t crease 2/1/0 0 1 2.5\n"), "{text}");
    assert!(
        text.contains("t corner 1/1/0 8 10\nt hole 1/0/0 1\n"),
        "{text}"
    );
    assert_eq!(read_poly_as("a.obj", &bytes).unwrap().mesh, mesh);
    // A sharpness without end cannot be read as text, and is not needed to be for ever.
    mesh.sharp_edges[0].sharpness = f32::INFINITY;
    let back = read_poly_as("a.obj", &written("a.obj", Encoding::Binary, &mesh).0).unwrap();
    assert_eq!(back.mesh.sharp_edges[0].sharpness, PolyMesh::SHARP);
}

#[test]
fn off_and_stl_name_what_they_drop() {
    for (name, columns) in [("a.off", 2), ("a.stl", 4)] {
        let (bytes, report) = written(name, Encoding::Binary, &laden());
        let all = report.warnings.join("\n");
        let sharp = if name == "a.off" {
            "holds no sharp edges: 3"
        } else {
            "no sharp edges: 3"
        };
        assert!(all.contains(sharp), "{all}");
        assert_eq!(all.matches(" column '").count(), columns, "{all}");
        let back = read_poly_as(name, &bytes).unwrap().mesh;
        assert_eq!(back.face_size(), (name == "a.stl").then_some(3));
        assert!(back.sharp_edges.is_empty() && back.holes.is_empty());
    }
    let (_, report) = written("a.off", Encoding::Binary, &laden());
    let all = report.warnings.join("\n");
    assert!(
        all.contains("sharp vertices: 2") && all.contains("holes: 2"),
        "{all}"
    );
}

#[test]
fn cutting_is_what_reading_triangles_does() {
    for (name, encoding) in plain_forms() {
        let (bytes, _) = written(name, encoding, &prism());
        let (cut, warnings) = read_poly_as(name, &bytes)
            .unwrap()
            .mesh
            .triangulate()
            .unwrap();
        let read = read_as(name, &bytes).unwrap();
        assert_eq!(cut, read.mesh, "{name}");
        assert_eq!(warnings, read.warnings, "{name}");
        assert_eq!(
            warnings,
            ["5 of 7 faces were polygons and are now triangles: 13 faces"]
        );
    }
    let (bytes, _) = written("a.ply", Encoding::Binary, &laden());
    let (cut, warnings) = laden().triangulate().unwrap();
    let holes = cut.extras.column(ElementKind::Face, "hole").unwrap();
    assert_eq!(
        holes.data,
        ColumnData::U8(vec![0, 0, 1, 1, 0, 0, 0, 0, 0, 1, 0, 0, 0])
    );
    let part = cut.extras.column(ElementKind::Face, "part").unwrap();
    assert_eq!(
        part.data,
        ColumnData::U16(vec![0, 0, 1, 1, 2, 2, 3, 3, 4, 5, 6, 6, 6])
    );
    let sharp = cut.extras.column(ElementKind::Vertex, "sharpness").unwrap();
    assert_eq!(sharp.data.get(8), 10.0);
    assert!(warnings[1].contains("no sharp edges: 3"), "{warnings:?}");
    let read = read_as("a.ply", &bytes).unwrap();
    assert!(read.warnings.contains(&warnings[1]), "{:?}", read.warnings);
    assert_eq!(
        read.mesh.extras.column(ElementKind::Face, "hole"),
        Some(holes)
    );
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
    // Triangles read the same file, and say what they lose.
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
                element face 1\nproperty list uchar int vertex_indices\nelement edge 1\n{edges}end_header\n0 0 0\n1 0 0\n\
                0 1 0\n3 0 1 2\n{row}\n"
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

/// A face of more corners than a byte counts.
#[test]
fn large_polygons() {
    let n = 300u32;
    let ring = |i: u32| {
        let a = std::f32::consts::TAU * i as f32 / n as f32;
        Vec3::new(a.cos(), a.sin(), 0.0)
    };
    let mut mesh = PolyMesh::new((0..n).map(ring).collect(), &[n], (0..n).collect()).unwrap();
    let values = (0..2 * n).map(|k| k as f32).collect();
    mesh.extras.corner_texcoords = Some(CornerLayer {
        width: 2,
        values,
        corners: (0..n).collect(),
    });
    for encoding in [Encoding::Ascii, Encoding::Binary, Encoding::BinaryBigEndian] {
        let (bytes, _) = written("a.ply", encoding, &mesh);
        assert_eq!(read_poly_as("a.ply", &bytes).unwrap().mesh, mesh);
    }
    let (cut, _) = mesh.triangulate().unwrap();
    assert_eq!(cut.face_count(), n as usize - 2);
}

/// A polygon that cannot be cut is a fault of the file, at its place, when triangles are asked for alone.
#[test]
fn what_cannot_be_cut_is_named_with_its_line() {
    let n = 20_004;
    let mut text = String::from("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    for i in 0..n {
        let a = std::f64::consts::TAU * f64::from(i) / f64::from(n);
        let r = 1.0 + f64::from(i % 2);
        text += &format!("v {} {} 0\n", r * a.cos(), r * a.sin());
    }
    text += "f";
    (0..n).for_each(|i| text += &format!(" {}", i + 4));
    assert_eq!(
        read_poly_as("a.obj", text.as_bytes())
            .unwrap()
            .mesh
            .largest_face(),
        n as usize
    );
    let refused = read_as("a.obj", text.as_bytes()).unwrap_err().to_string();
    let line = format!("line {}: a polygon with {n} corners", 5 + n);
    assert!(refused.contains(&line), "{refused}");
}
