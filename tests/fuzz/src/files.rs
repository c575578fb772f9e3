//! Initial files: real ones, and one of each format.

use std::fmt;
use std::path::Path;

use glam::Vec3;
use rxmesh_host::io::{Encoding, Format, WriteOptions, write_bytes};
use rxmesh_host::mesh::TriMesh;
use rxmesh_tests::fixtures;

/// Bytes of a file and the extension of its name.
pub(crate) type Seed = (String, Vec<u8>);

/// Most bytes of a file: larger ones make cases slow and find nothing more.
const MOST: u64 = 200_000;

/// Format in one of its encodings.
#[derive(Clone, Copy)]
pub(crate) struct Form {
    pub(crate) format: Format,
    pub(crate) encoding: Encoding,
}

impl Form {
    /// Returns the extension of file names.
    pub(crate) fn extension(self) -> &'static str {
        self.format.extension()
    }

    pub(crate) fn options(self) -> WriteOptions {
        WriteOptions::default().with(|o| {
            o.format = Some(self.format);
            o.encoding = self.encoding;
        })
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {:?}", self.format, self.encoding)
    }
}

/// Returns every encoding of the formats that `which` chooses.
pub(crate) fn forms(which: impl Fn(Format) -> bool) -> Vec<Form> {
    let formats = Format::ALL.into_iter().filter(|f| which(*f));
    let forms = |format: Format| {
        // Quantised positions are others than before.
        let exact = |e: &&Encoding| !matches!(e, Encoding::Quantised | Encoding::Packed);
        let encodings = format.encodings().iter().filter(exact);
        encodings.map(move |&encoding| Form { format, encoding })
    };
    formats.flat_map(forms).collect()
}

/// Returns the forms of formats for surfaces only.
pub(crate) fn surfaces() -> Vec<Form> {
    forms(|f| !f.holds_volumes())
}

/// Returns the real files of a folder, and meshes in every format.
pub(crate) fn seeds(data: &Path) -> std::io::Result<Vec<Seed>> {
    let mut all = real(data)?;
    for mesh in meshes() {
        for form in surfaces() {
            let name = format!("seed.{}", form.extension());
            if let Ok((bytes, _)) = write_bytes(Path::new(&name), &mesh, &form.options()) {
                all.push((form.extension().to_owned(), bytes));
            }
        }
    }
    Ok(all)
}

/// Returns the real files that are not too large, sorted by name.
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
