//! Polygons, their sharpness and their holes: out and in again.

use super::*;
use crate::mesh::{Faces, PolyMesh, SharpEdge, SharpVertex};

pub(super) fn read_poly_as(name: &str, bytes: &[u8]) -> Result<Loaded<PolyMesh>, IoError> {
    read_poly_bytes(bytes, Path::new(name), &ReadOptions::default())
}

/// Returns a cube of four quads, a square of two triangles and a pentagon that bends over one side, all numbers
/// awkward.
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

/// Returns the same with one of everything that files hold beside it.
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
    let cut = ["a.stl", "a.glb", "a.gltf"];
    forms().into_iter().filter(move |f| !cut.contains(&f.0))
}

#[test]
fn polygons_survive_every_format_that_has_them() {
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
    // A sharpness without end cannot be read as text, and is not needed to be forever.
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
