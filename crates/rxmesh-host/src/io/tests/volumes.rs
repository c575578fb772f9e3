//! Volumes of every format: round trips with columns, real forms, mixed elements, bad files.

use super::*;
use crate::mesh::{TetMesh, generate};

/// Returns every form in which a volume is written, with its file name.
pub(super) fn forms() -> Vec<(&'static str, Format, Encoding)> {
    use Encoding::{Ascii, Base64, Binary};
    vec![
        ("a.msh", Format::Msh, Ascii),
        ("a.msh", Format::Msh, Binary),
        ("a.msh", Format::Msh2, Ascii),
        ("a.msh", Format::Msh2, Binary),
        ("a.mesh", Format::Medit, Ascii),
        ("a.vtk", Format::Vtk, Ascii),
        ("a.vtk", Format::Vtk, Binary),
        ("a.vtu", Format::Vtu, Ascii),
        ("a.vtu", Format::Vtu, Base64),
        ("a.vtu", Format::Vtu, Binary),
    ]
}

fn read(name: &str, bytes: &[u8]) -> Result<Loaded<TetMesh>, IoError> {
    read_tets_bytes(bytes, Path::new(name), &ReadOptions::default())
}

fn write(name: &str, format: Format, encoding: Encoding, mesh: &TetMesh) -> (Vec<u8>, Vec<String>) {
    let options = WriteOptions {
        format: Some(format),
        encoding,
    };
    let (bytes, report) = write_bytes(Path::new(name), mesh, &options).unwrap();
    (bytes, report.warnings)
}

/// Returns twelve cells at awkward places, shuffled.
fn awkward_tets() -> TetMesh {
    let mut mesh = generate::tet_box([2, 1, 1], [1.0 / 3.0, 1e-7, 12_345.679]).unwrap();
    generate::shuffle_tets(&mut mesh, 5);
    mesh
}

/// Returns the same with columns of every type and of both kinds.
pub(super) fn laden_tets() -> TetMesh {
    let mut mesh = awkward_tets();
    let (v, c) = (ElementKind::Vertex, ElementKind::Cell);
    let (n, m) = (mesh.vertex_count(), mesh.cell_count());
    let wave = |i: usize| (i as f32 * 1.7).sin() / 3.0;
    for column in [
        column("heat", v, 1, ColumnData::F32((0..n).map(wave).collect())),
        column(
            "force",
            v,
            3,
            ColumnData::F64((0..3 * n).map(|i| f64::from(wave(i)) / 7.0).collect()),
        ),
        column(
            "stress",
            c,
            9,
            ColumnData::F32((0..9 * m).map(wave).collect()),
        ),
        column(
            "energy",
            c,
            1,
            ColumnData::F64((0..m).map(|i| 1e-300 * i as f64).collect()),
        ),
        column(
            "i8",
            c,
            1,
            ColumnData::I8((0..m).map(|i| i as i8 - 6).collect()),
        ),
        column(
            "u8",
            v,
            3,
            ColumnData::U8((0..3 * n).map(|i| i as u8 * 6).collect()),
        ),
        column(
            "i16",
            v,
            1,
            ColumnData::I16((0..n).map(|i| i16::MIN + i as i16).collect()),
        ),
        column(
            "u16",
            c,
            1,
            ColumnData::U16((0..m).map(|i| 65535 - i as u16).collect()),
        ),
        column(
            "i32",
            c,
            1,
            ColumnData::I32((0..m).map(|i| i32::MIN + i as i32).collect()),
        ),
        column(
            "u32",
            v,
            1,
            ColumnData::U32((0..n).map(|i| u32::MAX - i as u32).collect()),
        ),
    ] {
        mesh.add_column(column).unwrap();
    }
    mesh
}

fn bits(mesh: &TetMesh) -> Vec<[u32; 3]> {
    mesh.positions
        .iter()
        .map(|p| p.to_array().map(f32::to_bits))
        .collect()
}

#[test]
fn positions_and_cells_come_back_to_the_last_bit() {
    let mesh = awkward_tets();
    for (name, format, encoding) in forms() {
        let (bytes, warnings) = write(name, format, encoding, &mesh);
        assert!(warnings.is_empty(), "{format}: {warnings:?}");
        let again = read(name, &bytes).unwrap_or_else(|e| panic!("{format} {encoding:?}: {e}"));
        assert_eq!(again.format, format);
        assert!(
            again.warnings.is_empty(),
            "{format} {encoding:?}: {:?}",
            again.warnings
        );
        assert_eq!(bits(&again.mesh), bits(&mesh), "{format} {encoding:?}");
        assert_eq!(again.mesh.cells, mesh.cells, "{format} {encoding:?}");
        assert!(
            again.mesh.extras.is_empty(),
            "{format}: {:?}",
            again.mesh.extras
        );
        // The content tells the format, too.
        let told = read_tets_bytes(&bytes, Path::new("unknown"), &ReadOptions::default()).unwrap();
        assert_eq!((told.format, told.mesh), (again.format, again.mesh));
    }
}

#[test]
fn columns_come_back() {
    let mesh = laden_tets();
    for (name, format, encoding) in forms() {
        let (bytes, warnings) = write(name, format, encoding, &mesh);
        let again = read(name, &bytes).unwrap().mesh;
        let columns = &mesh.extras.columns;
        match format {
            Format::Medit => {
                assert_eq!(warnings.len(), columns.len());
                assert!(again.extras.is_empty());
            }
            // Views are of doubles.
            Format::Msh | Format::Msh2 => {
                assert_eq!(again.extras.columns.len(), columns.len());
                for (a, b) in again.extras.columns.iter().zip(columns) {
                    assert_eq!((&a.name, a.element, a.width), (&b.name, b.element, b.width));
                    let values =
                        |c: &Column| (0..c.data.len()).map(|i| c.data.get(i)).collect::<Vec<_>>();
                    let single =
                        matches!(b.data, ColumnData::F32(_)) && encoding == Encoding::Ascii;
                    let round = |x: f64| if single { f64::from(x as f32) } else { x };
                    let back: Vec<f64> = values(a).into_iter().map(round).collect();
                    assert_eq!(back, values(b), "{format} {encoding:?} {}", a.name);
                }
            }
            _ => {
                assert!(warnings.is_empty(), "{warnings:?}");
                let of = |m: &TetMesh, element| -> Vec<Column> {
                    let columns = m.extras.columns.iter();
                    columns.filter(|c| c.element == element).cloned().collect()
                };
                for element in [ElementKind::Vertex, ElementKind::Cell] {
                    assert_eq!(
                        of(&again, element),
                        of(&mesh, element),
                        "{format} {encoding:?}"
                    );
                }
            }
        }
    }
}

/// Regions and markers go from format to format.
#[test]
fn regions_and_entities_come_back() {
    let mut mesh = awkward_tets();
    let (n, m) = (mesh.vertex_count(), mesh.cell_count());
    let numbers = |name: &str, element, v: Vec<i32>| column(name, element, 1, ColumnData::I32(v));
    let regions = numbers(
        "region",
        ElementKind::Cell,
        (0..m).map(|i| i as i32 / 4 % 2 * 7).collect(),
    );
    let markers = numbers(
        "marker",
        ElementKind::Vertex,
        (0..n).map(|i| i as i32 % 3).collect(),
    );
    let entities = numbers(
        "entity",
        ElementKind::Cell,
        (0..m).map(|i| i as i32 / 2).collect(),
    );
    for c in [&regions, &markers, &entities] {
        mesh.add_column(c.clone()).unwrap();
    }
    for (name, format, encoding) in forms() {
        let (bytes, _) = write(name, format, encoding, &mesh);
        let again = read(name, &bytes).unwrap().mesh;
        let back = |c: &Column| {
            let found = again.extras.column(c.element, &c.name).unwrap();
            (0..c.data.len()).all(|i| found.data.get(i) == c.data.get(i))
        };
        assert!(back(&regions), "{format} {encoding:?}");
        assert!(back(&markers), "{format} {encoding:?}");
        assert!(
            format == Format::Medit || back(&entities),
            "{format} {encoding:?}"
        );
    }
    // An entity of two regions cannot be: the regions then are the entities.
    mesh.add_column(numbers(
        "entity",
        ElementKind::Cell,
        (0..m).map(|i| i as i32 / 8).collect(),
    ))
    .unwrap();
    let (bytes, warnings) = write("a.msh", Format::Msh, Encoding::Ascii, &mesh);
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    let again = read("a.msh", &bytes).unwrap().mesh;
    assert_eq!(
        again.extras.column(ElementKind::Cell, "region"),
        Some(&regions)
    );
}

#[test]
fn tetgen_is_a_pair_of_files() {
    let folder = tempfile::tempdir().unwrap();
    let mut mesh = awkward_tets();
    let n = mesh.vertex_count();
    let markers = ColumnData::I32((0..n as i32).collect());
    let heat = ColumnData::F64((0..2 * n).map(|i| i as f64 / 3.0).collect());
    let regions = ColumnData::I32((0..mesh.cell_count() as i32).map(|i| i - 3).collect());
    for c in [
        column("attribute", ElementKind::Vertex, 2, heat),
        column("marker", ElementKind::Vertex, 1, markers),
        column("region", ElementKind::Cell, 1, regions),
    ] {
        mesh.add_column(c).unwrap();
    }
    let path = folder.path().join("a.1.node");
    let report = super::super::write(&path, &mesh, &WriteOptions::default()).unwrap();
    let cells = folder.path().join("a.1.ele");
    let size = |p: &Path| p.metadata().unwrap().len();
    assert_eq!(report.bytes, size(&path) + size(&cells));
    for name in [&path, &cells] {
        let again = read_tets(name, &ReadOptions::default()).unwrap();
        assert_eq!(again.mesh, mesh);
        assert!(again.warnings.is_empty());
    }
    std::fs::remove_file(&path).unwrap();
    let error = read_tets(&cells, &ReadOptions::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("a.1.node: cannot be read"), "{error}");
    let error = write_bytes(&path, &mesh, &WriteOptions::default())
        .unwrap_err()
        .to_string();
    assert!(error.contains("a pair of files"), "{error}");
}

/// Counted from 1, with comments, blank lines and ten nodes per cell.
#[test]
fn tetgen_counts_from_one_as_well() {
    let nodes = "# made by hand\n11 3 0 0\n1 0 0 0\n2 1 0 0\n\n3 0 1 0\n4 0 0 1 # top\n5 .5 0 0\n6 .5 .5 0\n7 0 .5 0\n\
        8 0 0 .5\n9 .5 0 .5\n10 0 .5 .5\n11 9 9 9\n";
    let cells = "1 10 1\n1  1 2 3 4  5 6 7 8 9 10  2.5\n";
    let name = Path::new("a.ele");
    let loaded = read_tetgen_bytes(nodes.as_bytes(), cells.as_bytes(), name).unwrap();
    assert_eq!(loaded.mesh.cells, [[0, 1, 2, 3]]);
    // The nodes on edges were removed; the vertex of no cell stays.
    assert_eq!(loaded.mesh.vertex_count(), 5);
    assert_eq!(loaded.mesh.positions[4], Vec3::splat(9.0));
    assert_eq!(loaded.mesh.extras.comments, ["made by hand"]);
    assert!(
        loaded.warnings[0].contains("higher order"),
        "{:?}",
        loaded.warnings
    );
    for (nodes, cells, want) in [
        ("2 3 0 0\n1 0 0 0\n3 1 0 0\n", "0 4 0\n", "a.node: line 3: "),
        (
            "1 3 0 0\n0 0 0 0\n",
            "1 4 0\n0 0 0 0 1\n",
            "a.ele: line 2: a tetrahedron names vertex 1",
        ),
        (
            "1 2 0 0\n0 0 0\n",
            "1 4 0\n",
            "a.node: line 1: a volume needs three dimensions",
        ),
        (
            "99999999999 3 0 0\n0 0 0 0\n",
            "1 4 0\n",
            "a.node: line 1: 99999999999 vertices",
        ),
        (
            "1 3 99999999999 0\n0 0 0 0\n",
            "1 4 0\n",
            "a.node: line 1: 1 vertices",
        ),
        (
            "1 3 0 0\n0 0 0 0\n0 0 0 0\n",
            "1 4 0\n",
            "a.node: line 3: more vertices",
        ),
    ] {
        let error = read_tetgen_bytes(nodes.as_bytes(), cells.as_bytes(), name).unwrap_err();
        assert!(error.to_string().starts_with(want), "{error}");
    }
}

#[test]
fn volumes_far_away_keep_their_shape() {
    let mut mesh = generate::tet_ball(2).unwrap();
    let by = glam::DVec3::new(500_000.0, 5_400_000.0, 0.0);
    mesh.transform(&glam::DAffine3::from_translation(by))
        .unwrap();
    assert!(!mesh.placement.is_world());
    for (name, format, encoding) in forms() {
        let (bytes, _) = write(name, format, encoding, &mesh);
        let again = read(name, &bytes).unwrap().mesh;
        assert_eq!(again.placement, mesh.placement, "{format} {encoding:?}");
        assert_eq!(bits(&again), bits(&mesh), "{format} {encoding:?}");
    }
}

#[test]
fn surfaces_and_volumes_are_told_apart() {
    let surface = generate::grid(2, 2).unwrap();
    let error = write_bytes(Path::new("a.node"), &surface, &WriteOptions::default()).unwrap_err();
    assert!(error.to_string().contains("this is a surface"), "{error}");
    let volume = awkward_tets();
    let error = write_bytes(Path::new("a.ply"), &volume, &WriteOptions::default()).unwrap_err();
    assert!(error.to_string().contains("this is a volume"), "{error}");
    let (bytes, _) = write("a.vtk", Format::Vtk, Encoding::Ascii, &volume);
    let error = read_bytes(&bytes, Path::new("a.vtk"), &ReadOptions::default()).unwrap_err();
    assert!(error.to_string().contains("a surface is needed"), "{error}");
    let error = read("a.obj", b"v 0 0 0\n").unwrap_err().to_string();
    assert!(error.contains("OBJ holds surfaces"), "{error}");
}
