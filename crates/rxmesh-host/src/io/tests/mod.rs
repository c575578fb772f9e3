//! Tests of all readers and writers together.

mod elements;
mod encodings;
mod gltf;
mod hostile;
mod kept;
mod lenient;
mod marks;
mod messages;
mod oracles;
mod places;
mod polygons;
mod properties;
mod real;
mod round_trip;
mod solids;
mod speed;
mod volumes;
mod volumes_hostile;
mod volumes_odd;
mod written_elsewhere;

use super::*;
use crate::mesh::{Column, ColumnData, CornerLayer, ElementKind, NO_VALUE, Tag, TagKind};
use glam::Vec3;
use std::path::PathBuf;

/// Reads from memory with the options most tests use.
fn read_as(name: &str, bytes: &[u8]) -> Result<Loaded, IoError> {
    read_bytes(
        bytes,
        Path::new(name),
        &ReadOptions {
            triangulate: true,
            format: None,
        },
    )
}

/// Returns five vertices and three faces at awkward places: every float here needs all its digits or an exponent.
fn awkward() -> TriMesh {
    let positions = [
        [0.1, 1.0 / 3.0, -0.0],
        [f32::MIN_POSITIVE / 8.0, f32::MAX, -f32::MAX],
        [1.0, -2.0, 16_777_217.0],
        [1e-7, 1.234_567_9e20, -7e-45],
        [123_456.79, 0.000_012_345_679, 3.0],
    ];
    let faces = vec![[0, 1, 2], [2, 1, 3], [0, 2, 4]];
    TriMesh::new(positions.map(Vec3::from_array).to_vec(), faces).unwrap()
}

fn column(name: &str, element: ElementKind, width: usize, data: ColumnData) -> Column {
    Column {
        name: name.into(),
        element,
        width,
        data,
    }
}

/// Returns the same with one of everything that can hang on a mesh.
fn laden() -> TriMesh {
    let mut mesh = awkward();
    let x = f32::EPSILON;
    mesh.set_vertex_normals((0..5).map(|i| Vec3::new(i as f32 / 3.0, x, -1.0)).collect())
        .unwrap();
    let v = ElementKind::Vertex;
    let f = ElementKind::Face;
    for c in [
        column(
            "color",
            v,
            4,
            ColumnData::U8((0..20).map(|i| i * 12).collect()),
        ),
        column(
            "distance",
            v,
            1,
            ColumnData::F32(vec![0.5, -1.0 / 3.0, 1e-30, 3e30, 0.0]),
        ),
        column(
            "precise",
            v,
            1,
            ColumnData::F64(vec![0.1, 1.0 / 3.0, 1e-300, -5e-324, 7.0]),
        ),
        column("i8", v, 1, ColumnData::I8(vec![-128, 127, 0, 1, 2])),
        column("i16", f, 1, ColumnData::I16(vec![-32768, 32767, 0])),
        column("u16", f, 1, ColumnData::U16(vec![65535, 1, 0])),
        column("i32", f, 1, ColumnData::I32(vec![i32::MIN, i32::MAX, 0])),
        column("u32", f, 1, ColumnData::U32(vec![u32::MAX, 1, 0])),
        column("color", f, 3, ColumnData::U8((0..9).collect())),
    ] {
        mesh.add_column(c).unwrap();
    }
    let values = vec![0.0, 0.25, 1.0 / 3.0, 1.0, 0.5, 0.5];
    let corners = vec![0, 1, 2, NO_VALUE, NO_VALUE, NO_VALUE, 2, 1, 0];
    mesh.extras.corner_texcoords = Some(CornerLayer {
        width: 2,
        values,
        corners,
    });
    let tag = |face, kind, text: &str| Tag {
        face,
        kind,
        text: text.into(),
    };
    mesh.extras.tags = vec![
        tag(0, TagKind::Library, "a b.mtl"),
        tag(0, TagKind::Object, "thing"),
        tag(0, TagKind::Material, ""),
        tag(1, TagKind::Group, "left right"),
        tag(2, TagKind::Material, "wire#1"),
        tag(3, TagKind::Smoothing, "off"),
    ];
    mesh.validate().unwrap();
    mesh
}

/// Asserts that meshes are equal to the last bit: `==` takes 0 and -0 for the same.
fn assert_same_shape(a: &TriMesh, b: &TriMesh) {
    let bits = |m: &TriMesh| {
        m.positions
            .iter()
            .map(|p| p.to_array().map(f32::to_bits))
            .collect::<Vec<_>>()
    };
    assert_eq!(bits(a), bits(b));
    assert_eq!(a.faces, b.faces);
}

/// Returns every format with every encoding it has.
fn forms() -> Vec<(&'static str, Encoding)> {
    use Encoding::*;
    vec![
        ("a.obj", Binary),
        ("a.ply", Ascii),
        ("a.ply", Binary),
        ("a.ply", BinaryBigEndian),
        ("a.off", Ascii),
        ("a.glb", Binary),
        ("a.gltf", Base64),
        ("a.stl", Ascii),
        ("a.stl", Binary),
    ]
}

fn written<'a>(
    name: &str,
    encoding: Encoding,
    mesh: impl Into<Model<'a>>,
) -> (Vec<u8>, WriteReport) {
    write_bytes(
        Path::new(name),
        mesh,
        &WriteOptions {
            format: None,
            encoding,
        },
    )
    .unwrap()
}
