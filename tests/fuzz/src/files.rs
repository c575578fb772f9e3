//! Files to begin with: real ones, and one of each form.

use std::path::Path;

use glam::Vec3;
use rxmesh_host::io::{Encoding, Format, WriteOptions, write_bytes};
use rxmesh_host::mesh::TriMesh;
use rxmesh_tests::fixtures;

/// A file's bytes and the extension of its name.
pub(crate) type Seed = (String, Vec<u8>);

/// Larger files make cases slow and find nothing more.
const MOST: u64 = 200_000;

/// The forms in which meshes are written.
pub(crate) const FORMS: [(&str, Encoding); 7] = [
    ("obj", Encoding::Ascii),
    ("off", Encoding::Ascii),
    ("ply", Encoding::Ascii),
    ("ply", Encoding::Binary),
    ("ply", Encoding::BinaryBigEndian),
    ("stl", Encoding::Ascii),
    ("stl", Encoding::Binary),
];

/// The real files of a folder, and meshes in every form.
pub(crate) fn seeds(data: &Path) -> std::io::Result<Vec<Seed>> {
    let mut all = real(data)?;
    for mesh in meshes() {
        for (extension, encoding) in FORMS {
            let options = WriteOptions::default().with(|o| {
                o.encoding = encoding;
            });
            let name = format!("seed.{extension}");
            if let Ok((bytes, _)) = write_bytes(Path::new(&name), &mesh, &options) {
                all.push((extension.to_owned(), bytes));
            }
        }
    }
    Ok(all)
}

/// Real files that are not too large, in the order of their names.
pub(crate) fn real(data: &Path) -> std::io::Result<Vec<Seed>> {
    let mut paths: Vec<_> = std::fs::read_dir(data)?
        .map(|entry| entry.map(|e| e.path()))
        .collect::<Result<_, _>>()?;
    paths.sort();
    let mut all = Vec::new();
    for path in paths {
        if Format::of_name(&path).is_some() && path.metadata()?.len() <= MOST {
            let extension = path.extension().unwrap_or_default().to_string_lossy();
            all.push((extension.into_owned(), std::fs::read(&path)?));
        }
    }
    Ok(all)
}

fn meshes() -> [TriMesh; 4] {
    let mut coloured = fixtures::with_boundary(3, 2);
    let (v, f) = (coloured.vertex_count(), coloured.face_count());
    let columns = [
        coloured.set_vertex_normals(vec![Vec3::Z; v]),
        coloured.add_vertex_column("heat", vec![0.5; v]),
        coloured.add_face_column("stress", vec![0.25; f]),
    ];
    assert!(columns.iter().all(Result::is_ok), "a value each");
    [
        fixtures::one_triangle(),
        fixtures::components(5),
        fixtures::degenerate_faces(),
        coloured,
    ]
}
