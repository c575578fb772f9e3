//! Names in any code page, marks before text, UTF-16, zeros after it, gzip, and wrong names of files.

use super::*;
use crate::mesh::{TetMesh, generate};

/// A mesh as a file.
struct EncodedFile {
    name: String,
    bytes: Vec<u8>,
    is_volume: bool,
}

/// Returns every form of a surface and of a volume.
fn files() -> Vec<EncodedFile> {
    let file = |name: &str, format, encoding, model: Model, is_volume| {
        let options = WriteOptions { format, encoding };
        let bytes = write_bytes(Path::new(name), model, &options).unwrap().0;
        let name = name.to_owned();
        EncodedFile {
            name,
            bytes,
            is_volume,
        }
    };
    let surface = generate::grid(2, 1).unwrap();
    let volume = generate::tet_box([1, 1, 1], [1.0, 2.0, 3.0]).unwrap();
    let mut files = Vec::new();
    for (name, encoding) in forms() {
        files.push(file(name, None, encoding, (&surface).into(), false));
    }
    for (name, format, encoding) in elements::surface_forms() {
        files.push(file(name, Some(format), encoding, (&surface).into(), false));
    }
    for (name, format, encoding) in super::volumes::forms() {
        files.push(file(name, Some(format), encoding, (&volume).into(), true));
    }
    files
}

enum EncodedMesh {
    Surface(TriMesh),
    Volume(TetMesh),
}

impl EncodedFile {
    fn load(&self) -> Result<(EncodedMesh, Vec<String>), IoError> {
        let path = Path::new(&self.name);
        let options = ReadOptions::default();
        match self.is_volume {
            true => read_tets_bytes(&self.bytes, path, &options)
                .map(|l| (EncodedMesh::Volume(l.mesh), l.warnings)),
            false => read_bytes(&self.bytes, path, &options)
                .map(|l| (EncodedMesh::Surface(l.mesh), l.warnings)),
        }
    }

    /// Returns the file with other bytes.
    fn with(&self, bytes: Vec<u8>) -> EncodedFile {
        EncodedFile {
            name: self.name.clone(),
            bytes,
            is_volume: self.is_volume,
        }
    }

    /// Reads the same mesh of other bytes, without a warning.
    fn same(&self, bytes: Vec<u8>) {
        self.same_named(&self.name, bytes);
    }

    fn same_named(&self, name: &str, bytes: Vec<u8>) {
        let other = EncodedFile {
            name: name.to_owned(),
            ..self.with(bytes)
        };
        let (a, _) = self.load().unwrap();
        let (b, warnings) = other.load().unwrap_or_else(|e| panic!("{name}: {e}"));
        assert!(warnings.is_empty(), "{name}: {warnings:?}");
        match (a, b) {
            (EncodedMesh::Surface(a), EncodedMesh::Surface(b)) => assert_same_shape(&a, &b),
            (EncodedMesh::Volume(a), EncodedMesh::Volume(b)) => assert!(a == b, "{name}"),
            _ => panic!("{name}"),
        }
    }

    fn refused(&self, bytes: Vec<u8>) -> String {
        self.with(bytes).load().err().unwrap().to_string()
    }
}

fn text_files() -> Vec<EncodedFile> {
    let files = files().into_iter();
    files.filter(|f| f.bytes.is_ascii()).collect()
}

fn utf16(text: &[u8], order: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let text = std::str::from_utf8(text).unwrap();
    text.encode_utf16().flat_map(order).collect()
}

#[test]
fn marks_and_utf16_before_every_text_format() {
    assert!(text_files().len() >= 14);
    for file in text_files() {
        let text = &file.bytes[..];
        file.same([b"\xef\xbb\xbf", text].concat());
        for order in [u16::to_le_bytes, u16::to_be_bytes] {
            let plain = utf16(text, order);
            file.same(plain.clone());
            let marked = [&order(0xFEFF)[..], &plain].concat();
            file.same(marked.clone());
            // A line feed of one byte, as some editors add.
            file.same([&marked[..], b"\n"].concat());
        }
        let why = file.refused([b"\xff\xfe\0\0", text].concat());
        assert!(why.contains("UTF-32"), "{why}");
    }
}

#[test]
fn zeros_and_ctrl_z_behind_every_text_format() {
    for file in text_files() {
        for end in [&b"\0"[..], b"\x1a", b"\r\n\x1a\0\0\0\0", &[0; 5000]] {
            file.same([&file.bytes[..], end].concat());
        }
        let mut wide = utf16(&file.bytes, u16::to_le_bytes);
        wide.extend([0x1a, 0, 0, 0]);
        file.same(wide);
    }
}

#[test]
fn lines_of_carriage_returns_in_every_text_format() {
    for file in text_files().into_iter().filter(|f| f.name != "a.ply") {
        let old = file.bytes.iter();
        let old = old.map(|&b| if b == b'\n' { b'\r' } else { b });
        file.same(old.collect());
    }
}

#[test]
fn gzip_in_every_format() {
    for file in files() {
        let (name, bytes) = (&file.name, &file.bytes);
        let packed = gzip::pack(std::slice::from_ref(bytes));
        file.same(packed.clone());
        file.same_named(&format!("{name}.gz"), packed.clone());
        let (front, back) = bytes.split_at(bytes.len() / 2);
        let two = [gzip::pack(&[front.to_vec()]), gzip::pack(&[back.to_vec()])].concat();
        file.same(two);
        for (packed, part) in [
            (packed[..packed.len() / 2].to_vec(), "cut off"),
            ([&packed[..12], &[0xff; 40]].concat(), "gzip"),
        ] {
            let why = file.refused(packed);
            assert!(why.starts_with(name) && why.contains(part), "{why}");
        }
        assert_eq!(Format::of_content(&packed), Format::of_content(bytes));
    }
}

#[test]
fn names_that_end_in_gz_are_written_packed() {
    let folder = tempfile::tempdir().unwrap();
    let mesh = generate::grid(2, 2).unwrap();
    for name in ["a.obj.gz", "a.ply.gz", "a.stl.GZ"] {
        let path = folder.path().join(name);
        let report = write(&path, &mesh, &WriteOptions::default()).unwrap();
        let bytes = std::fs::read(&path).unwrap();
        assert!(gzip::is_packed(&bytes) && report.bytes == bytes.len() as u64);
        let back = read(&path, &ReadOptions::default()).unwrap();
        assert_eq!(back.mesh.face_count(), mesh.face_count());
        assert_eq!(back.format, report.format);
    }
    let volume = generate::tet_box([1, 1, 1], [1.0; 3]).unwrap();
    let path = folder.path().join("v.node.gz");
    write(&path, &volume, &WriteOptions::default()).unwrap();
    for name in ["v.node.gz", "v.ele.gz"] {
        let back = read_tets(&folder.path().join(name), &ReadOptions::default()).unwrap();
        assert_eq!(back.mesh.cells, volume.cells);
    }
    // One of the pair packed, the other not.
    let cells = gzip::unpack(&std::fs::read(folder.path().join("v.ele.gz")).unwrap()).unwrap();
    std::fs::write(folder.path().join("v.ele"), cells.0).unwrap();
    std::fs::remove_file(folder.path().join("v.ele.gz")).unwrap();
    assert!(read_tets(&path, &ReadOptions::default()).is_ok());
}

#[test]
fn a_wrong_name_does_not_matter_where_the_content_is_clear() {
    let surface: Vec<_> = forms()
        .into_iter()
        .map(|(name, e)| (name, written(name, e, &awkward()).0))
        .collect();
    for (right, bytes) in &surface {
        for (wrong, _) in &surface {
            // Both forms of glTF have one reader.
            if right == wrong || [right, wrong].iter().all(|name| name.starts_with("a.gl")) {
                continue;
            }
            let read = read_as(wrong, bytes).unwrap_or_else(|e| panic!("{right}: {e}"));
            let format = Format::of_name(Path::new(right)).unwrap();
            assert_eq!(read.format, format);
            assert!(
                read.warnings[0].contains("and is read as such"),
                "{:?}",
                read.warnings
            );
        }
        // A name of volumes: no surface is asked of it.
        if right.ends_with("ply") {
            let why = read_tets_bytes(bytes, Path::new("a.vtk"), &ReadOptions::default());
            let why = why.unwrap_err().to_string();
            assert!(
                why.contains("the name says VTK, the content is PLY"),
                "{why}"
            );
        }
    }
    let options = ReadOptions {
        format: Some(Format::Stl),
        ..ReadOptions::default()
    };
    let why = read_bytes(&surface[1].1, Path::new("a.stl"), &options).unwrap_err();
    assert!(why.to_string().contains("looks like PLY"), "{why}");
}

/// Latin-1, GBK with a backslash as its second byte, Shift-JIS, UTF-8, and bytes that are no text at all.
const NAMES: [&[u8]; 6] = [
    b"Geh\xe4use",
    b"\xd5\x5c\xd2\x5c",
    b"\x83\x5c\x95\x5c",
    "\u{6750}\u{6599} Gehäuse".as_bytes(),
    b"\xc2\x85\xa0\xff\xfe",
    b"\xee\xbe\x80 tab\there",
];

#[test]
fn names_keep_their_bytes_in_obj() {
    for name in NAMES {
        let mut text = b"# ".to_vec();
        text.extend(
            [
                name,
                b"\nmtllib ",
                name,
                b"\nv 0 0 0\nv 1 0 0\nv 0 1 0\no ",
                name,
            ]
            .concat(),
        );
        text.extend([b"\ng ", name, b" x\nusemtl ", name, b"\nf 1 2 3\n"].concat());
        let read = read_as("a.obj", &text).unwrap();
        assert_eq!(read.mesh.face_count(), 1);
        assert_eq!(
            written("a.obj", Encoding::Ascii, &read.mesh).0,
            text,
            "{name:x?}"
        );
    }
}

#[test]
fn materials_with_other_bytes_are_others() {
    let mut text = b"v 0 0 0\nv 1 0 0\nv 0 1 0\n".to_vec();
    for name in [b"T\xfcr", b"T\xf6r", b"T\xe4r"] {
        text.extend([b"usemtl ", &name[..], b"\nf 1 2 3\n"].concat());
    }
    let mesh = read_as("a.obj", &text).unwrap().mesh;
    let ranges = mesh.extras.face_ranges(TagKind::Material, 3);
    let mut names: Vec<&str> = ranges.into_iter().map(|r| r.1).collect();
    names.dedup();
    assert_eq!(names.len(), 3);
}

#[test]
fn solids_and_comments_keep_their_bytes() {
    for name in NAMES {
        let solid = [
            b"solid ",
            name,
            b"\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 \
              0\nendloop\nendfacet\nendsolid ",
            name,
            b"\n",
        ]
        .concat();
        let mesh = read_as("a.stl", &solid).unwrap().mesh;
        assert_eq!(
            written("a.stl", Encoding::Ascii, &mesh).0,
            solid,
            "{name:x?}"
        );
        // As the group of an OBJ file, and its comment.
        let mut mesh = mesh;
        mesh.extras.comments = vec![names::from_bytes(name)];
        for (form, encoding) in forms().into_iter().filter(|f| f.0 != "a.stl") {
            let (bytes, _) = written(form, encoding, &mesh);
            // JSON has its own escapes.
            let found = memchr::memmem::find(&bytes, name).is_some();
            assert!(found || form.starts_with("a.gl"), "{form}");
            let back = read_as(form, &bytes).unwrap().mesh;
            assert_eq!(back.extras.comments, mesh.extras.comments, "{form}");
        }
        let mut volume = generate::tet_box([1, 1, 1], [1.0; 3]).unwrap();
        volume.extras.comments = mesh.extras.comments;
        for (form, format, encoding) in super::volumes::forms() {
            let options = WriteOptions {
                format: Some(format),
                encoding,
            };
            let (bytes, _) = write_bytes(Path::new(form), &volume, &options).unwrap();
            let kept = memchr::memmem::find(&bytes, name).is_some();
            assert_eq!(kept, format != Format::Vtu, "{form}");
            let back = read_tets_bytes(&bytes, Path::new(form), &ReadOptions::default()).unwrap();
            if kept {
                assert_eq!(back.mesh.extras.comments, volume.extras.comments, "{form}");
            }
        }
    }
}

#[test]
fn names_of_solids_may_be_long() {
    let facet = "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
    for length in [70, 80, 5000, 100_000] {
        let name = "p".repeat(length);
        let text = format!("solid {name}\n{facet}endsolid {name}\n");
        let read = read_as("a.stl", text.as_bytes()).unwrap();
        assert!(read.warnings.is_empty());
        assert_eq!(read.mesh.extras.tags[0].text, name);
        assert_eq!(Format::of_content(text.as_bytes()), Some(Format::Stl));
        let binary = written("a.stl", Encoding::Binary, &read.mesh).0;
        assert_eq!(read_as("a.stl", &binary).unwrap().mesh.face_count(), 1);
    }
}
