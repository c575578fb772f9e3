//! The bunny, simplified and cut into patches.

use std::fmt::Write as _;
use std::path::Path;

use anyhow::Result;
use glam::Vec3;
use rxmesh_host::algo::simplify::{SimplifyOptions, Target, simplify};
use rxmesh_host::edit::Session;
use rxmesh_host::engine::Engine;
use rxmesh_host::io::{self, ReadOptions};
use rxmesh_host::mesh::TriMesh;
use rxmesh_host::patch::{PatchOptions, build};
use rxmesh_host::store::RxMesh;
use rxmesh_kernels::topo::Vertex;

use super::{View, begin, triangles};

const BUNNY: &[u8] = include_bytes!("../../../../data/bunny.obj");

const VIEWER: Vec3 = Vec3::new(-0.35, 0.25, 1.0);
/// Middle of the mesh, which stands on its feet.
const CENTRE: Vec3 = Vec3::new(0.0, 4.82, 0.0);
const LIGHT: Vec3 = Vec3::new(0.4, 0.86, 0.3);
const SIZE: f32 = 320.0;
const SCALE: f32 = 27.0;
/// Height of the line of words below a mesh.
const WORDS: f32 = 24.0;

const PLAIN: [f32; 3] = [205.0, 218.0, 240.0];
/// Colours that differ for every kind of sight (Okabe and Ito), and grey.
const COLORS: [[f32; 3]; 9] = [
    [230.0, 159.0, 0.0],
    [86.0, 180.0, 233.0],
    [0.0, 158.0, 115.0],
    [240.0, 228.0, 66.0],
    [0.0, 114.0, 178.0],
    [213.0, 94.0, 0.0],
    [204.0, 121.0, 167.0],
    [150.0, 110.0, 70.0],
    [190.0, 190.0, 190.0],
];

fn bunny() -> Result<TriMesh> {
    let options = ReadOptions::default();
    Ok(io::read_bytes(BUNNY, Path::new("bunny.obj"), &options)?.mesh)
}

fn view(left: f32) -> View {
    View {
        centre: CENTRE,
        light: LIGHT,
        ..View::new(VIEWER, Vec3::Y, [left + SIZE / 2.0, SIZE / 2.0], SCALE)
    }
}

fn words(out: &mut String, left: f32, text: &str) {
    let _ = writeln!(
        out,
        "<text x=\"{}\" y=\"{}\" text-anchor=\"middle\" font-family=\"sans-serif\" font-size=\"14\">{text}</text>",
        left + SIZE / 2.0,
        SIZE + 14.0
    );
}

/// Draws the mesh before and after a simplification to a tenth of its faces.
pub(super) fn simplified() -> Result<String> {
    let before = bunny()?;
    let rx = RxMesh::from_mesh(&Engine::cpu(), &before)?;
    let positions = rx.attribute_from::<Vertex, _>(&before.positions)?;
    let mut session = Session::open(&rx)?;
    let x = session.attach(&positions)?;
    simplify(&mut session, x, &SimplifyOptions::new(Target::Ratio(0.1)))?;
    let (after, _) = session.to_mesh(x)?;
    let mut out = begin(2.0 * SIZE, SIZE + WORDS);
    for (mesh, left) in [(&before, 0.0), (&after, SIZE)] {
        triangles(&mut out, &mesh.positions, &mesh.faces, &view(left), |_| {
            PLAIN
        });
        words(&mut out, left, &format!("{} faces", mesh.face_count()));
    }
    Ok(out + "</svg>\n")
}

/// Draws the mesh with a colour for each patch.
pub(super) fn patches() -> Result<String> {
    let mesh = bunny()?;
    let set = build(mesh.vertex_count(), &mesh.faces, &PatchOptions::default())?;
    let faces = 2; // place of faces among the kinds of elements
    let patch = |f: usize| {
        let linear = set.face_linear[f];
        set.headers.partition_point(|h| h.base[faces] <= linear) - 1
    };
    let mut out = begin(SIZE, SIZE + WORDS);
    triangles(&mut out, &mesh.positions, &mesh.faces, &view(0.0), |f| {
        COLORS[patch(f) % COLORS.len()]
    });
    let text = format!(
        "{} faces in {} patches",
        mesh.face_count(),
        set.headers.len()
    );
    words(&mut out, 0.0, &text);
    Ok(out + "</svg>\n")
}
