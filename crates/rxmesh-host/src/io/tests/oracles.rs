//! The readers of other crates must read the written values from our files.

use super::*;
use crate::mesh::generate;

fn sample() -> TriMesh {
    let mut mesh = generate::torus(20, 12, 2.0, 0.7).unwrap();
    generate::noise(&mut mesh, 0.2, 3).unwrap();
    mesh
}

#[test]
fn tobj_agrees_on_obj() {
    let mesh = sample();
    let bytes = written("a.obj", Encoding::Binary, &mesh).0;
    let none = |_: &Path| Err(tobj::LoadError::GenericFailure);
    let (models, _) =
        tobj::load_obj_buf(&mut &bytes[..], &tobj::LoadOptions::default(), none).unwrap();
    let theirs = &models[0].mesh;
    // It renumbers vertices by their first use, so corners are compared.
    assert_eq!(theirs.indices.len(), 3 * mesh.face_count());
    for (&t, &o) in theirs.indices.iter().zip(mesh.faces.iter().flatten()) {
        let at = 3 * t as usize;
        assert_eq!(
            theirs.positions[at..at + 3],
            mesh.positions[o as usize].to_array()
        );
    }
}

#[test]
fn stl_io_agrees_on_stl() {
    let mesh = sample();
    for encoding in [Encoding::Ascii, Encoding::Binary] {
        let bytes = written("a.stl", encoding, &mesh).0;
        let theirs = stl_io::read_stl(&mut std::io::Cursor::new(&bytes)).unwrap();
        let ours = read_as("a.stl", &bytes).unwrap().mesh;
        assert_eq!(
            (theirs.vertices.len(), theirs.faces.len()),
            (ours.vertex_count(), ours.face_count())
        );
        for (t, o) in theirs.faces.iter().zip(&ours.faces) {
            for (a, b) in t.vertices.iter().zip(o) {
                assert_eq!(
                    theirs.vertices[*a].0,
                    ours.positions[*b as usize].to_array()
                );
            }
        }
    }
}

#[test]
fn ply_rs_agrees_on_ply() {
    use ply_rs_bw::ply::{DefaultElement, Property};
    let mesh = laden();
    for encoding in [Encoding::Ascii, Encoding::Binary, Encoding::BinaryBigEndian] {
        let bytes = written("a.ply", encoding, &mesh).0;
        let parser = ply_rs_bw::parser::Parser::<DefaultElement>::new();
        let ply = parser.read_ply(&mut &bytes[..]).unwrap();
        for (row, p) in ply.payload["vertex"].iter().zip(&mesh.positions) {
            assert_eq!(
                [&row["x"], &row["y"], &row["z"]],
                [p.x, p.y, p.z].map(Property::Float).each_ref()
            );
        }
        for (row, f) in ply.payload["face"].iter().zip(&mesh.faces) {
            assert_eq!(
                row["vertex_indices"],
                Property::ListInt(f.map(|v| v as i32).to_vec())
            );
        }
        assert_eq!(
            ply.payload["vertex"][1]["precise"],
            Property::Double(1.0 / 3.0)
        );
    }
}
