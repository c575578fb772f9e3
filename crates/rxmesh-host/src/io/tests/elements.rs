//! Surfaces and pieces in the formats of elements: MSH, MEDIT, VTK, VTU and VTP.

use super::*;
use crate::mesh::{Faces, TetMesh, generate};
use std::fmt::Write as _;
use std::time::Instant;

const VERTEX: ElementKind = ElementKind::Vertex;
const FACE: ElementKind = ElementKind::Face;

fn surface(name: &str, bytes: impl AsRef<[u8]>) -> Result<Loaded<PolyMesh>, IoError> {
    read_poly_bytes(bytes.as_ref(), Path::new(name), &ReadOptions::default())
}

fn volume(name: &str, bytes: impl AsRef<[u8]>) -> Result<Loaded<TetMesh>, IoError> {
    read_tets_bytes(bytes.as_ref(), Path::new(name), &ReadOptions::default())
}

/// Returns an array of a VTU file.
fn array(kind: &str, name: &str, width: usize, values: &str) -> String {
    format!(
        "<DataArray type=\"{kind}\" Name=\"{name}\" NumberOfComponents=\"{width}\" format=\"ascii\">{values}\
            </DataArray>\n"
    )
}

/// Returns a VTU file of pieces.
fn vtu(head: &str, pieces: &str) -> String {
    format!(
        "<VTKFile type=\"UnstructuredGrid\" byte_order=\"LittleEndian\" {head}>\n<UnstructuredGrid>\n{pieces}\
            </UnstructuredGrid>\n</VTKFile>\n"
    )
}

const POINTS: &str = "0 0 0 1 0 0 0 1 0 0 0 1 1 1 1";

/// Returns a piece of two tetrahedra; the points are in the given array.
fn piece(points: &str, data: &str) -> String {
    format!(
        "<Piece NumberOfPoints=\"5\" NumberOfCells=\"2\">\n{data}<Points>{points}</Points>\n<Cells>{}{}{}</Cells>\n\
            </Piece>\n",
        array("Int64", "connectivity", 1, "0 1 2 3 1 2 3 4"),
        array("Int64", "offsets", 1, "4 8"),
        array("UInt8", "types", 1, "10 10")
    )
}

/// Returns each part encoded as base64, one after the other.
fn coded(parts: &[&[u8]]) -> String {
    let mut out = Vec::new();
    for part in parts {
        base64::encode(part, &mut out);
    }
    String::from_utf8(out).unwrap()
}

fn floats() -> Vec<f32> {
    let values = POINTS.split_whitespace();
    values.map(|x| x.parse().unwrap()).collect()
}

#[test]
fn elements_inside_of_arrays_are_passed_over() {
    let key = "<InformationKey name=\"L2_NORM_RANGE\" location=\"vtkDataArray\" length=\"2\"><Value index=\"0\">\
        0</Value><Value index=\"1\">1.7</Value><!-- 4 --></InformationKey>";
    let bytes: Vec<u8> = floats().iter().flat_map(|x| x.to_le_bytes()).collect();
    let length = (bytes.len() as u32).to_le_bytes();
    let inline = coded(&[&[&length[..], &bytes].concat()]);
    let tag = "<DataArray type=\"Float32\" NumberOfComponents=\"3\"";
    let (half, rest) = POINTS.split_at(14);
    let forms = [
        format!("{tag} format=\"ascii\">\n{POINTS}\n{key}</DataArray>"),
        format!("{tag} format=\"ascii\">{key}{half}<!-- 7 8 -->{rest}</DataArray>"),
        format!("{tag} format=\"binary\">\n{inline}\n{key}</DataArray>"),
    ];
    for form in &forms {
        let loaded = volume("a.vtu", vtu("", &piece(form, ""))).unwrap();
        assert_eq!(loaded.mesh.cell_count(), 2, "{form}");
        assert_eq!(loaded.mesh.positions[4], Vec3::ONE);
        assert!((loaded.mesh.volume() - 0.5).abs() < 1e-6);
    }
    // Appended: the offset counts from the end of the mark.
    let form = format!("{tag} format=\"appended\" offset=\"2\">{key}</DataArray>");
    let file = vtu("", &piece(&form, ""));
    let (head, tail) = file.split_at(file.find("</VTKFile>").unwrap());
    let mut raw = format!("{head}<AppendedData encoding=\"raw\">\n_xx").into_bytes();
    raw.extend([&length[..], &bytes, tail.as_bytes()].concat());
    assert_eq!(volume("a.vtu", raw).unwrap().mesh.positions[4], Vec3::ONE);
}

#[test]
fn blocks_of_lz4_and_lzma() {
    // Sixty bytes that LZ4 takes as they are, and the same packed by xz with a checksum of 32 bits.
    let bytes: Vec<u8> = floats().iter().flat_map(|x| x.to_le_bytes()).collect();
    let lz4 = [&[0xf0, 60 - 15][..], &bytes].concat();
    let xz: [u8; 68] = [
        253, 55, 122, 88, 90, 0, 0, 1, 105, 34, 222, 54, 2, 0, 33, 1, 22, 0, 0, 0, 116, 47, 229,
        163, 224, 0, 59, 0, 12, 93, 0, 0, 108, 206, 80, 187, 0, 51, 94, 154, 251, 224, 0, 0, 253,
        18, 168, 230, 0, 1, 36, 60, 10, 40, 1, 254, 144, 66, 153, 13, 1, 0, 0, 0, 0, 1, 89, 90,
    ];
    for (compressor, block) in [("LZ4", &lz4[..]), ("LZMA", &xz[..])] {
        for (kind, wide) in [("UInt32", false), ("UInt64", true)] {
            let head: Vec<u8> = [1, 60, 0, block.len() as u64]
                .iter()
                .flat_map(|n| match wide {
                    true => n.to_le_bytes().to_vec(),
                    false => (*n as u32).to_le_bytes().to_vec(),
                })
                .collect();
            let file = |block: &[u8]| {
                let inline = coded(&[&head, block]);
                let points = format!(
                    "<DataArray type=\"Float32\" NumberOfComponents=\"3\" format=\"binary\">{inline}</DataArray>"
                );
                let head =
                    format!("header_type=\"{kind}\" compressor=\"vtk{compressor}DataCompressor\"");
                vtu(&head, &piece(&points, ""))
            };
            let loaded = volume("a.vtu", file(block)).unwrap();
            assert_eq!(loaded.mesh.positions[4], Vec3::ONE, "{compressor} {kind}");
            let mut broken = block.to_vec();
            broken[block.len() / 2..].fill(0xff);
            broken[1] ^= 0x40;
            assert!(
                volume("a.vtu", file(&broken)).is_err(),
                "{compressor} {kind}"
            );
        }
    }
    // Text is not packed, whatever packs the rest.
    let points = array("Float64", "Points", 3, POINTS);
    let text = vtu("compressor=\"vtkLZ4DataCompressor\"", &piece(&points, ""));
    assert_eq!(volume("a.vtu", text).unwrap().mesh.cell_count(), 2);
}

#[test]
fn pieces_are_joined() {
    let points = array("Float32", "Points", 3, POINTS);
    let data = |heat: &str, more: &str| {
        format!(
            "<PointData>{}{more}</PointData><CellData>{}<Array type=\"String\" Name=\"words\" format=\"ascii\">97 0 \
                98 0</Array></CellData>",
            array("Float32", "heat", 1, heat),
            array("Int32", "part", 1, "7 8")
        )
    };
    let more = array("Float32", "more", 1, "0 0 0 0 0");
    let empty = "<Piece NumberOfPoints=\"0\" NumberOfCells=\"0\"><Points></Points></Piece>\n";
    let pieces = [
        piece(&points, &data("1 2 3 4 5", &more)),
        empty.to_owned(),
        piece(&points, &data("6 7 8 9 10", "")),
    ];
    let loaded = volume("a.vtu", vtu("", &pieces.concat())).unwrap();
    let mesh = &loaded.mesh;
    assert_eq!((mesh.vertex_count(), mesh.cell_count()), (10, 4));
    assert_eq!(mesh.cells[3].map(|v| v > 4), [true; 4]);
    let heat = &mesh.extras.column(VERTEX, "heat").unwrap().data;
    assert_eq!(*heat, ColumnData::F32((1..=10).map(|x| x as f32).collect()));
    let part = &mesh.extras.column(ElementKind::Cell, "part").unwrap().data;
    assert_eq!(*part, ColumnData::I32(vec![7, 8, 7, 8]));
    let said = loaded.warnings.join("\n");
    for word in [
        "'more' is not kept",
        "'words' holds strings",
        "2 pieces are joined",
    ] {
        assert!(said.contains(word), "{said}");
    }
    assert_eq!(loaded.warnings.len(), 3, "{said}");
}

#[test]
fn pieces_come_from_files_beside_the_list() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("a")).unwrap();
    let points = array("Float32", "Points", 3, POINTS);
    let file = vtu("", &piece(&points, ""));
    std::fs::write(path("a/a_0.vtu"), &file).unwrap();
    std::fs::write(path("a/a_1.vtu"), &file).unwrap();
    let list = |sources: &[&str]| {
        let pieces: String = sources
            .iter()
            .map(|s| format!("<Piece Source=\"{s}\"/>\n"))
            .collect();
        format!(
            "<VTKFile type=\"PUnstructuredGrid\">\n<PUnstructuredGrid GhostLevel=\"0\">\n<PPointData>\n<PDataArray \
                type=\"Float32\" Name=\"a\"/>\n</PPointData>\n{pieces}</PUnstructuredGrid>\n</VTKFile>\n"
        )
    };
    let read = |sources: &[&str]| {
        std::fs::write(path("a.pvtu"), list(sources)).unwrap();
        read_tets(&path("a.pvtu"), &ReadOptions::default())
    };
    let mesh = read(&["a/a_0.vtu", "a/a_1.vtu"]).unwrap().mesh;
    assert_eq!((mesh.vertex_count(), mesh.cell_count()), (10, 4));
    let wrong = |sources: &[&str]| read(sources).unwrap_err().to_string();
    let said = wrong(&["a/a_0.vtu", "a/a_2.vtu"]);
    assert!(
        said.contains("line 7: the piece 'a/a_2.vtu' is missing"),
        "{said}"
    );
    assert!(wrong(&["a/a_0.vtu", "a/a_0.vtu"]).contains("is there twice"));
    assert!(wrong(&["a.pvtu"]).contains("is a list of pieces itself"));
    std::fs::write(path("a/a_1.vtu"), file.replace("Float32", "Float33")).unwrap();
    let said = wrong(&["a/a_0.vtu", "a/a_1.vtu"]);
    assert!(
        said.contains("a_1.vtu") && said.contains("not known"),
        "{said}"
    );
    // A list is not written.
    let said = write(&path("b.pvtu"), &mesh, &WriteOptions::default()).unwrap_err();
    assert!(said.to_string().contains("b.vtu"), "{said}");
}

#[test]
fn ghosts_are_left_out() {
    let data = format!(
        "<CellData>{}{}</CellData>",
        array("UInt8", "vtkGhostType", 1, "0 1"),
        array("Int32", "part", 1, "7 8")
    );
    let points = array("Float32", "Points", 3, POINTS);
    let loaded = volume("a.vtu", vtu("", &piece(&points, &data))).unwrap();
    assert_eq!(loaded.mesh.cells, [[0, 1, 2, 3]]);
    assert_eq!(loaded.mesh.extras.columns.len(), 1);
    assert!(
        loaded.warnings[0].contains("1 ghost cells"),
        "{:?}",
        loaded.warnings
    );
}

#[test]
fn strings_and_bits_of_vtk_are_passed_over() {
    let ascii = "# vtk DataFile Version 5.1\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nFIELD FieldData 2\nnames 1 3 string\n\
        a\n\nPOINTS 3\n\nw 1 2 float\n0 1\nMETADATA\nINFORMATION 0\n\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n\
        METADATA\nINFORMATION 1\nNAME L2 LOCATION vtkDataArray\nDATA 2 0 1\n\nCELLS 2 4\nOFFSETS vtktypeint64\n0 4\n\
        CONNECTIVITY vtktypeint64\n0 1 2 3\nCELL_TYPES 1\n10\nCELL_DATA 1\nFIELD FieldData 4\nNULL_ARRAY\n\
        lab 1 1 string\ntwo words\nbits 2 1 bit\n0 1\nshort 1 7 int\n1 2 3 4 5 6 7\nPOINT_DATA 4\nSCALARS flags bit 1\n\
        LOOKUP_TABLE default\n0 1 0 1\nSCALARS heat float\nLOOKUP_TABLE default\n1 2 3 4\n";
    let mut bytes =
        b"# vtk DataFile Version 4.2\nx\nBINARY\nDATASET UNSTRUCTURED_GRID\nFIELD FieldData 1\n\
        names 1 2 string\n\xc1a\x80\x46"
            .to_vec();
    bytes.extend([b'\n'; 70]);
    bytes.extend(b"\nPOINTS 4 float\n");
    let points = [0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1].map(|x| (x as f32).to_be_bytes());
    bytes.extend(points.as_flattened());
    bytes.extend(b"\nMETADATA\nINFORMATION 0\n\nCELLS 1 5\n");
    bytes.extend([4u32, 0, 1, 2, 3].map(u32::to_be_bytes).as_flattened());
    bytes.extend(b"\nCELL_TYPES 1\n\0\0\0\x0a\n");
    bytes.extend(b"POINT_DATA 4\nFIELD FieldData 2\nbits 3 4 bit\n\xa0\xb0\nheat 1 4 float\n");
    bytes.extend([1f32, 2., 3., 4.].map(f32::to_be_bytes).as_flattened());
    for (file, warnings) in [(ascii.as_bytes(), 6), (&bytes, 2)] {
        let loaded = volume("a.vtk", file).unwrap();
        assert_eq!(loaded.mesh.cells, [[0, 1, 2, 3]]);
        let [heat] = &loaded.mesh.extras.columns[..] else {
            panic!("{:?}", loaded.mesh.extras.columns);
        };
        assert_eq!(heat.data, ColumnData::F32(vec![1., 2., 3., 4.]));
        assert_eq!(loaded.warnings.len(), warnings, "{:?}", loaded.warnings);
        let said = loaded.warnings.join("\n");
        assert!(said.contains("'bits' holds bits"), "{said}");
        assert!(said.contains("'names' of the whole data set"), "{said}");
    }
    let cut = &ascii[..ascii.find("two words").unwrap()];
    assert!(volume("a.vtk", cut).is_err());
}

/// Returns a cube of quadrilaterals and triangles, with all the columns that surfaces have.
pub(super) fn laden_surface(pentagon: bool) -> PolyMesh {
    let mut positions: Vec<Vec3> = (0..8)
        .map(|i| Vec3::new((i & 1) as f32, (i >> 1 & 1) as f32, (i >> 2) as f32 / 3.0))
        .collect();
    let mut sizes = vec![4, 4, 4, 4, 4, 3, 3];
    let mut corners = vec![
        0, 2, 3, 1, 4, 5, 7, 6, 0, 1, 5, 4, 2, 6, 7, 3, 0, 4, 6, 2, 1, 3, 7, 1, 7, 5,
    ];
    if pentagon {
        positions.push(Vec3::new(0.5, 0.0, 0.0));
        positions.push(Vec3::new(0.5, -1.0, 0.2));
        sizes.push(5);
        corners.extend([1, 0, 4, 9, 8]);
    }
    let mut mesh = PolyMesh::new(positions, &sizes, corners).unwrap();
    let (n, m) = (mesh.vertex_count(), mesh.face_count());
    let wave = |i: usize| (i as f32 * 1.7).sin() / 3.0;
    mesh.extras.columns = vec![
        column(
            "region",
            FACE,
            1,
            ColumnData::I32((0..m as i32).map(|i| i / 3).collect()),
        ),
        column(
            "normal",
            VERTEX,
            3,
            ColumnData::F32((0..3 * n).map(wave).collect()),
        ),
        column("s", VERTEX, 1, ColumnData::F32((0..n).map(wave).collect())),
        column("t", VERTEX, 1, ColumnData::F32((1..=n).map(wave).collect())),
        column(
            "color",
            VERTEX,
            3,
            ColumnData::U8((0..3 * n as u8).map(|i| 7 * (i % 30)).collect()),
        ),
        column(
            "heat",
            VERTEX,
            1,
            ColumnData::F64((0..n).map(|i| f64::from(wave(i))).collect()),
        ),
        column(
            "flux",
            FACE,
            3,
            ColumnData::F32((0..3 * m).map(wave).collect()),
        ),
    ];
    mesh.validate().unwrap();
    mesh
}

/// Returns every form of a surface in the formats of elements.
pub(super) fn surface_forms() -> Vec<(&'static str, Format, Encoding)> {
    use Encoding::{Ascii, Base64, Binary};
    let poly_data = [Ascii, Base64, Binary].map(|encoding| ("a.vtp", Format::Vtp, encoding));
    super::volumes::forms()
        .into_iter()
        .chain(poly_data)
        .collect()
}

#[test]
fn surfaces_come_back_from_every_format_of_elements() {
    for (name, format, encoding) in surface_forms() {
        let vtk = matches!(format, Format::Vtk | Format::Vtu | Format::Vtp);
        let mesh = laden_surface(vtk);
        let options = WriteOptions {
            format: Some(format),
            encoding,
        };
        let case = format!("{format} {encoding:?}");
        let (bytes, report) = write_bytes(Path::new(name), &mesh, &options).unwrap();
        assert_eq!(
            report.warnings.is_empty(),
            format != Format::Medit,
            "{case}"
        );
        let loaded = surface(name, &bytes).unwrap_or_else(|e| panic!("{case}: {e}"));
        assert_eq!(loaded.format, format);
        assert!(loaded.warnings.is_empty(), "{case}: {:?}", loaded.warnings);
        let read = loaded.mesh;
        assert_eq!(read.positions, mesh.positions, "{case}");
        if format == Format::Medit {
            assert_eq!(read.face_count(), mesh.face_count());
        } else {
            assert_eq!(
                (&read.faces, &read.corners),
                (&mesh.faces, &mesh.corners),
                "{case}"
            );
        }
        for c in &mesh.extras.columns {
            let kept = format != Format::Medit || ["region", "normal"].contains(&&c.name[..]);
            let same = read.extras.column(c.element, &c.name);
            assert_eq!(same.is_some(), kept, "{case}: {}", c.name);
            let Some(same) = same else {
                continue;
            };
            assert_eq!(same.width, c.width, "{case}: {}", c.name);
            if vtk {
                assert_eq!(same, c, "{case}");
            }
            if format == Format::Medit && c.element == FACE {
                // Triangles come before quadrilaterals.
                assert_eq!(same.data, ColumnData::I32(vec![1, 2, 0, 0, 0, 1, 1]));
                continue;
            }
            // MSH holds doubles; floats in text are the shortest that read back as the same float.
            let single = matches!(c.data, ColumnData::F32(_));
            let rounded = |x: f64| if single { f64::from(x as f32) } else { x };
            let (a, b) = (&c.data, &same.data);
            assert_eq!(a.len(), b.len(), "{case}: {}", c.name);
            for i in 0..a.len() {
                assert_eq!(a.get(i), rounded(b.get(i)), "{case}: {}", c.name);
            }
        }
        assert!(!is_volume_bytes(&bytes, Path::new(name), &ReadOptions::default()).unwrap());
        let refused = volume(name, &bytes).unwrap_err().to_string();
        assert!(
            refused.contains("surfaces") || refused.contains("no tetrahedra"),
            "{refused}"
        );
        // The content alone tells, and data that a surface lacks are no error.
        assert_eq!(
            surface("a", &bytes).unwrap().mesh.face_count(),
            mesh.face_count()
        );
    }
}

#[test]
fn larger_polygons_are_cut_where_a_format_holds_none() {
    let mesh = laden_surface(true);
    for (name, format) in [("a.msh", Format::Msh), ("a.mesh", Format::Medit)] {
        let options = WriteOptions {
            format: Some(format),
            ..WriteOptions::default()
        };
        let (bytes, report) = write_bytes(Path::new(name), &mesh, &options).unwrap();
        assert!(!report.warnings.is_empty());
        let read = surface(name, &bytes).unwrap().mesh;
        assert_eq!(
            (read.face_size(), read.face_count()),
            (Some(3), 5 * 2 + 2 + 3)
        );
    }
}

#[test]
fn a_mesh_with_cells_is_a_volume() {
    let nodes = "$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n";
    let file = |elements: &str| {
        let n = elements.lines().count();
        format!(
            "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n{nodes}$Elements\n{n}\n{elements}$EndElements\n"
        )
    };
    let both = file("1 2 2 5 1 1 3 2\n2 15 2 0 1 1\n3 4 2 9 1 1 2 3 4\n");
    let loaded = volume("a.msh", &both).unwrap();
    assert_eq!(loaded.mesh.cells, [[0, 1, 2, 3]]);
    let said = loaded.warnings.join("\n");
    assert!(
        said.contains("1 points, 1 triangles are not kept"),
        "{said}"
    );
    let region = loaded
        .mesh
        .extras
        .column(ElementKind::Cell, "region")
        .unwrap();
    assert_eq!(region.data, ColumnData::I32(vec![9]));
    let refused = surface("a.msh", &both).unwrap_err().to_string();
    assert!(
        refused.contains("holds a volume (1 points, 1 tetrahedra"),
        "{refused}"
    );
    let flat = file("1 2 2 5 1 1 3 2\n2 15 2 0 1 1\n3 2 2 7 1 1 2 4\n");
    let loaded = surface("a.msh", &flat).unwrap();
    assert_eq!(loaded.mesh.corners, [0, 2, 1, 0, 1, 3]);
    let region = loaded.mesh.extras.column(FACE, "region").unwrap();
    assert_eq!(region.data, ColumnData::I32(vec![5, 7]));
    let hexahedron = "MeshVersionFormatted 1\nDimension 3\nVertices\n1\n0 0 0 0\nHexahedra\n1\n1 1 1 1 1 1 1 1 0\n";
    let refused = surface("a.mesh", hexahedron).unwrap_err().to_string();
    assert!(refused.contains("1 hexahedra"), "{refused}");
    let dangling = file("1 2 2 5 1 1 3 9\n");
    let refused = surface("a.msh", &dangling).unwrap_err().to_string();
    assert!(
        refused.contains("line 13: element 1 names node 9"),
        "{refused}"
    );
}

#[test]
fn msh_of_version_1() {
    let file = "$NOD\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n7 0 0 1\n$ENDNOD\n$ELM\n3\n1 15 0 1 1 1\n2 2 4 1 3 1 2 3\n\
        3 3 5 1 4 1 2 7 3\n$ENDELM\n";
    let loaded = surface("a.msh", file).unwrap();
    assert_eq!(loaded.mesh.corners, [0, 1, 2, 0, 1, 3, 2]);
    let region = loaded.mesh.extras.column(FACE, "region").unwrap();
    assert_eq!(region.data, ColumnData::I32(vec![4, 5]));
    let solid = file.replace("3 3 5 1 4 1 2 7 3", "3 4 5 1 4 1 2 3 7");
    assert_eq!(volume("a.msh", &solid).unwrap().mesh.cells, [[0, 1, 2, 3]]);
    let wrong = surface("a.msh", file.replace("$ENDELM", ""))
        .unwrap_err()
        .to_string();
    assert!(wrong.contains("'$ENDELM' expected"), "{wrong}");
    let wrong = surface(
        "a.msh",
        file.replace("2 2 4 1 3 1 2 3", "2 2 4 1 4 1 2 3 1"),
    );
    let wrong = wrong.unwrap_err().to_string();
    assert!(wrong.contains("has 3 nodes, and has 4"), "{wrong}");
}

#[test]
fn medit_in_bytes_and_in_two_dimensions() {
    for version in [1i32, 2, 3, 4] {
        for little in [true, false] {
            let int = |out: &mut Vec<u8>, n: i32| {
                out.extend(if little {
                    n.to_le_bytes()
                } else {
                    n.to_be_bytes()
                });
            };
            let long = |out: &mut Vec<u8>, n: i64| {
                out.extend(if little {
                    n.to_le_bytes()
                } else {
                    n.to_be_bytes()
                });
            };
            let whole = |out: &mut Vec<u8>, n: i32| match version {
                4 => long(out, n.into()),
                _ => int(out, n),
            };
            let real = |out: &mut Vec<u8>, x: f64| match (version, little) {
                (1, true) => out.extend((x as f32).to_le_bytes()),
                (1, false) => out.extend((x as f32).to_be_bytes()),
                (_, true) => out.extend(x.to_le_bytes()),
                (_, false) => out.extend(x.to_be_bytes()),
            };
            let mut file = Vec::new();
            int(&mut file, 1);
            int(&mut file, version);
            let section = |file: &mut Vec<u8>, keyword: i32, body: &[u8]| {
                int(file, keyword);
                let wide = if version > 2 { 8 } else { 4 };
                let next = file.len() + wide + body.len();
                match version > 2 {
                    true => long(file, next as i64),
                    false => int(file, next as i32),
                }
                file.extend(body);
            };
            let mut body = Vec::new();
            int(&mut body, 3);
            section(&mut file, 3, &body);
            body.clear();
            whole(&mut body, 4);
            for i in 0..4 {
                (0..3).for_each(|k| real(&mut body, f64::from(u8::from(i == k + 1)) / 2.0));
                whole(&mut body, 10 + i);
            }
            section(&mut file, 4, &body);
            let mut passed = Vec::new();
            whole(&mut passed, 1);
            whole(&mut passed, 3);
            section(&mut file, 13, &passed);
            body.clear();
            whole(&mut body, 2);
            [1, 2, 3, 5, 1, 3, 4, 6]
                .iter()
                .for_each(|n| whole(&mut body, *n));
            section(&mut file, 6, &body);
            int(&mut file, 54);
            let case = format!("{version} {little}");
            let loaded = surface("a.meshb", &file).unwrap_or_else(|e| panic!("{case}: {e}"));
            assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
            assert_eq!(loaded.mesh.corners, [0, 1, 2, 0, 2, 3]);
            assert_eq!(loaded.mesh.positions[3], Vec3::new(0.0, 0.0, 0.5));
            let columns = &loaded.mesh.extras.columns;
            assert_eq!(columns[0].data, ColumnData::I32(vec![10, 11, 12, 13]));
            assert_eq!(columns[1].data, ColumnData::I32(vec![5, 6]));
            for cut in 0..file.len() - 4 {
                assert!(surface("a.meshb", &file[..cut]).is_err(), "{case}: {cut}");
            }
        }
    }
    let flat = "MeshVersionFormatted 2\nDimension\n2\nVertices\n3\n0 0 1\n1 0 1\n0 2 1\n\
        Edges\n1\n1 2 3\nTriangles\n1\n1 2 3 4\nEnd\n";
    let loaded = surface("a.mesh", flat).unwrap();
    assert_eq!(loaded.mesh.positions[2], Vec3::new(0.0, 2.0, 0.0));
    assert!(
        loaded.warnings[0].contains("1 edges are not kept"),
        "{:?}",
        loaded.warnings
    );
}

#[test]
fn poly_data_of_strips_lines_and_polygons() {
    let points = "POINTS 5 float\n0 0 0 1 0 0 0 1 0 1 1 0 2 2 0\n";
    let old = format!(
        "# vtk DataFile Version 2.0\nx\nASCII\nDATASET POLYDATA\n{points}LINES 1 3\n2 0 1\nTRIANGLE_STRIPS 1 5\n\
            4 0 1 2 3\nPOLYGONS 2 7\n3 1 4 3\n2 0 1\nCELL_DATA 4\nSCALARS part int 1\nLOOKUP_TABLE default\n9 5 6 7\n\
            POINT_DATA 5\nNORMALS n float\n0 0 1 0 0 1 0 0 1 0 0 1 0 0 1\nTEXTURE_COORDINATES uv 2 float\n\
            0 0 1 0 0 1 1 1 2 2\nCOLOR_SCALARS c 3\n0 0 0 1 1 1 0.2 0.4 0.6 0 1 0 1 0 0\n"
    );
    let new = format!(
        "# vtk DataFile Version 5.1\nx\nASCII\nDATASET POLYDATA\n{points}LINES 2 2\nOFFSETS vtktypeint64\n0 2\n\
            CONNECTIVITY vtktypeint64\n0 1\nPOLYGONS 3 5\nOFFSETS vtktypeint64\n0 3 5\nCONNECTIVITY vtktypeint64\n\
            1 4 3 0 1\nTRIANGLE_STRIPS 2 4\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n0 1 2 3\n\
            CELL_DATA 4\nSCALARS part int 1\nLOOKUP_TABLE default\n9 5 6 7\n"
    );
    for file in [&old, &new] {
        let loaded = surface("a.vtk", file).unwrap();
        let mesh = &loaded.mesh;
        assert_eq!(mesh.faces, Faces::Same(3));
        assert_eq!(mesh.corners, [1, 4, 3, 0, 1, 2, 2, 1, 3]);
        let part = mesh.extras.column(FACE, "part").unwrap();
        assert_eq!(part.data, ColumnData::I32(vec![5, 7, 7]));
        let said = loaded.warnings.join("\n");
        assert!(
            said.contains("1 lines, 1 polygons of fewer than three corners"),
            "{said}"
        );
    }
    let mesh = surface("a.vtk", &old).unwrap().mesh;
    let names: Vec<&str> = mesh.extras.columns.iter().map(|c| &c.name[..]).collect();
    assert_eq!(names, ["part", "normal", "s", "t", "color"]);
    assert_eq!(mesh.extras.columns[4].data.get(7), 102.0);
    // The same parts in VTP, where strips come first and their values last.
    let part = |tag: &str, nodes: &str, ends: &str| {
        let arrays = array("Int64", "connectivity", 1, nodes) + &array("Int64", "offsets", 1, ends);
        format!("<{tag}>{arrays}</{tag}>")
    };
    let file = format!(
        "<VTKFile type=\"PolyData\"><PolyData><Piece NumberOfPoints=\"5\" NumberOfVerts=\"0\" NumberOfLines=\"1\" \
            NumberOfStrips=\"1\" NumberOfPolys=\"1\"><PointData Normals=\"n\" TCoords=\"uv\">{}{}</PointData>\
            <CellData>{}</CellData><Points>{}</Points><Verts/>{}{}{}</Piece></PolyData></VTKFile>",
        array("Float32", "n", 3, "0 0 1 0 0 1 0 0 1 0 0 1 0 0 1"),
        array("Float32", "uv", 2, "0 0 1 0 0 1 1 1 2 2"),
        array("Int32", "part", 1, "9 5 7"),
        array("Float32", "Points", 3, "0 0 0 1 0 0 0 1 0 1 1 0 2 2 0"),
        part("Lines", "0 1", "2"),
        part("Strips", "0 1 2 3", "4"),
        part("Polys", "1 4 3", "3")
    );
    let mesh = surface("a.vtp", &file).unwrap().mesh;
    assert_eq!(mesh.corners, [1, 4, 3, 0, 1, 2, 2, 1, 3]);
    let part = mesh.extras.column(FACE, "part").unwrap();
    assert_eq!(part.data, ColumnData::I32(vec![5, 7, 7]));
    let names: Vec<&str> = mesh.extras.columns.iter().map(|c| &c.name[..]).collect();
    assert_eq!(names, ["normal", "s", "t", "part"]);
}

#[test]
fn faces_of_grids_of_every_type() {
    let file = "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 9 float\n0 0 0 1 0 0 0 1 0 \
        1 1 0 .5 0 0 .5 .5 0 0 .5 0 9 9 9 8 8 8\nCELLS 5 25\n3 0 1 2\n4 0 1 2 3\n4 0 1 3 2\n6 0 1 2 4 5 6\n3 1 3 2\n\
        CELL_TYPES 5\n5 8 9 22 7\nCELL_DATA 5\nFIELD f 1\np 1 5 int\n1 2 3 4 5\nPOINT_DATA 9\nFIELD f 1\n\
        q 1 9 int\n0 1 2 3 4 5 6 7 8\n";
    let loaded = surface("a.vtk", file).unwrap();
    let mesh = &loaded.mesh;
    // The nodes on edges go, vertices of no face stay.
    assert_eq!(mesh.vertex_count(), 6);
    assert_eq!(
        mesh.corners,
        [0, 1, 2, 0, 1, 3, 2, 0, 1, 3, 2, 0, 1, 2, 1, 3, 2]
    );
    let q = mesh.extras.column(VERTEX, "q").unwrap();
    assert_eq!(q.data, ColumnData::I32(vec![0, 1, 2, 3, 7, 8]));
    assert!(
        loaded.warnings[0].contains("1 faces are of higher order"),
        "{:?}",
        loaded.warnings
    );
}

#[test]
fn far_away_surfaces_keep_their_digits() {
    let mut mesh: PolyMesh = generate::icosphere(1).unwrap().into();
    mesh.placement.origin = glam::DVec3::new(4.5e6, -2.25e6, 1e5);
    for name in ["a.msh", "a.mesh", "a.vtk", "a.vtu", "a.vtp"] {
        for encoding in [Encoding::Ascii, Encoding::Binary] {
            let (bytes, _) = written(name, encoding, &mesh);
            let read = surface(name, &bytes).unwrap().mesh;
            for (p, q) in mesh.positions.iter().zip(&read.positions) {
                let (p, q) = (mesh.placement.world(*p), read.placement.world(*q));
                assert!(
                    (p - q).abs().max_element() < 1e-6,
                    "{name} {encoding:?}: {p} {q}"
                );
            }
        }
    }
}

#[test]
fn equal_names_take_linear_time() {
    const N: usize = 4000;
    let mut arrays = String::new();
    let mut fields = format!("POINT_DATA 4\nFIELD f {N}\n");
    let mut views = String::new();
    for _ in 0..N {
        arrays += &array("Int32", "a", 1, "1 2 3 4 5");
        fields += "a 1 4 int\n1 2 3 4\n";
        views += "$NodeData\n1\n\"a\"\n1\n0\n3\n0\n1\n1\n1 7\n$EndNodeData\n";
    }
    let points = array("Float32", "Points", 3, POINTS);
    let xml = vtu(
        "",
        &piece(&points, &format!("<PointData>{arrays}</PointData>")),
    );
    let legacy = format!(
        "# vtk DataFile Version 3.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 0 0 1\n\
            CELLS 1 5\n4 0 1 2 3\nCELL_TYPES 1\n10\n{fields}"
    );
    let msh = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n1\n\
            1 4 2 0 1 1 2 3 4\n$EndElements\n{views}"
    );
    for (name, file) in [("a.vtu", xml), ("a.vtk", legacy), ("a.msh", msh)] {
        let start = Instant::now();
        let loaded = volume(name, &file).unwrap();
        // Seconds for each name that has to ask all others; some milliseconds else.
        assert!(
            start.elapsed().as_secs() < 8,
            "{name}: {:?}",
            start.elapsed()
        );
        let columns = &loaded.mesh.extras.columns;
        assert_eq!((columns.len(), &columns[N - 1].name[..]), (N, "a_4000"));
    }
}

#[test]
fn arrays_over_the_same_bytes_have_a_budget() {
    // Each array is a megabyte of zeroes, packed to a kilobyte; all name the same.
    const CELLS: usize = 1 << 17;
    let zeroes = vec![0; 8 * CELLS];
    let block = miniz_oxide::deflate::compress_to_vec_zlib(&zeroes, 9);
    let head = [1, zeroes.len() as u32, 0, block.len() as u32].map(u32::to_le_bytes);
    let file = |arrays: usize| {
        let mut data = String::from("<PointData>");
        for i in 0..arrays {
            write!(
                data,
                "<DataArray type=\"Int64\" Name=\"a{i}\" format=\"appended\" offset=\"0\"/>"
            )
            .unwrap();
        }
        let text = format!(
            "<VTKFile type=\"PolyData\" compressor=\"vtkZLibDataCompressor\"><PolyData><Piece \
                NumberOfPoints=\"{CELLS}\" NumberOfPolys=\"0\">{data}</PointData><Points><DataArray \
                type=\"Int8\" NumberOfComponents=\"3\" format=\"appended\" \
                offset=\"{}\"/></Points></Piece></PolyData><AppendedData encoding=\"raw\">_",
            16 + block.len()
        );
        let points = miniz_oxide::deflate::compress_to_vec_zlib(&vec![0; 3 * CELLS], 9);
        let more = [1, 3 * CELLS as u32, 0, points.len() as u32].map(u32::to_le_bytes);
        let all = [
            text.as_bytes(),
            head.as_flattened(),
            &block,
            more.as_flattened(),
            &points,
            b"</AppendedData></VTKFile>",
        ];
        all.concat()
    };
    assert_eq!(
        surface("a.vtp", file(2)).unwrap().mesh.vertex_count(),
        CELLS
    );
    let refused = surface("a.vtp", file(40)).unwrap_err().to_string();
    assert!(refused.contains("made to fill memory"), "{refused}");
    // A view of one row is a column of all.
    let n = 1 << 12;
    let mut msh = format!("$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n{n}\n");
    (1..=n).for_each(|i| writeln!(msh, "{i} 0 0 {i}").unwrap());
    msh += "$EndNodes\n$Elements\n1\n1 2 2 0 1 1 2 3\n$EndElements\n";
    for i in 0..200 {
        write!(
            msh,
            "$NodeData\n1\n\"a{i}\"\n1\n0\n3\n0\n9\n1\n1 7 7 7 7 7 7 7 7 7\n$EndNodeData\n"
        )
        .unwrap();
    }
    let refused = surface("a.msh", &msh).unwrap_err().to_string();
    assert!(refused.contains("made to fill memory"), "{refused}");
}
