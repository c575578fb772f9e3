//! Files as other programs write them: small liberties of text, kinds of points alone, formats that are not ours.

use super::*;
use crate::mesh::TetMesh;

fn tets(name: &str, bytes: &[u8]) -> Result<Loaded<TetMesh>, IoError> {
    read_tets_bytes(bytes, Path::new(name), &ReadOptions::default())
}

fn all<M>(loaded: &Loaded<M>) -> String {
    loaded.warnings.join("; ")
}

fn points(n: usize) -> TriMesh {
    let at = |i| Vec3::new(i as f32, 0.5, -1.0);
    let mut mesh = TriMesh::new((0..n).map(at).collect(), vec![]).unwrap();
    let heat = ColumnData::F32((0..n).map(|i| i as f32 / 3.0).collect());
    mesh.add_column(column("heat", ElementKind::Vertex, 1, heat))
        .unwrap();
    mesh
}

#[test]
fn points_alone_are_written_to_vtk_without_a_list_of_polygons() {
    let mesh = points(5);
    for encoding in [Encoding::Ascii, Encoding::Binary] {
        let (bytes, _) = written("a.vtk", encoding, &mesh);
        let text = String::from_utf8_lossy(&bytes);
        assert!(!text.contains("POLYGONS"), "{text}");
        assert!(text.contains("\nPOINT_DATA 5\n"), "{text}");
        let back = read_as("a.vtk", &bytes).unwrap();
        assert_same_shape(&back.mesh, &mesh);
        assert_eq!(back.mesh.extras.columns, mesh.extras.columns);
        assert!(back.warnings.is_empty(), "{:?}", back.warnings);
    }
    let (with_faces, _) = written("a.vtk", Encoding::Ascii, &awkward());
    assert!(String::from_utf8_lossy(&with_faces).contains("\nPOLYGONS 3 12\n"));
}

#[test]
fn points_without_cells_are_a_surface_without_faces() {
    let vtk = |cells: &str| {
        format!(
            "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 2 float\n0 0 0 1 2 3\n{cells}\
            POINT_DATA 2\nSCALARS heat float\nLOOKUP_TABLE default\n5 6\n"
        )
    };
    let vtu = |n: usize, cells: &str| {
        format!(
            "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"2\" NumberOfCells=\"{n}\">\
            <PointData><DataArray type=\"Float32\" Name=\"heat\">5 6</DataArray></PointData>\
            <Points><DataArray type=\"Float64\" NumberOfComponents=\"3\">0 0 0 1 2 3</DataArray></Points>\
            <Cells>{cells}</Cells></Piece></UnstructuredGrid></VTKFile>"
        )
    };
    let vertices = "<DataArray type=\"Int32\" Name=\"connectivity\">0 1</DataArray>\
        <DataArray type=\"Int32\" Name=\"offsets\">1 2</DataArray>\
        <DataArray type=\"UInt8\" Name=\"types\">1 1</DataArray>";
    for (name, text) in [
        ("a.vtk", vtk("CELLS 0 0\nCELL_TYPES 0\n")),
        ("a.vtk", vtk("CELLS 2 4\n1 0 1 1\nCELL_TYPES 2\n1 1\n")),
        ("a.vtu", vtu(0, "")),
        ("a.vtu", vtu(2, vertices)),
    ] {
        let loaded = read_as(name, text.as_bytes()).unwrap_or_else(|e| panic!("{e}: {text}"));
        assert_eq!(
            loaded.mesh.positions,
            [Vec3::ZERO, Vec3::new(1.0, 2.0, 3.0)]
        );
        assert_eq!(loaded.mesh.face_count(), 0);
        let heat = loaded.mesh.extras.column(ElementKind::Vertex, "heat");
        let heat = heat.map(|c| c.data.clone());
        assert_eq!(heat, Some(ColumnData::F32(vec![5.0, 6.0])), "{name}");
        assert!(
            !is_volume_bytes(text.as_bytes(), Path::new(name), &ReadOptions::default()).unwrap()
        );
        let error = tets(name, text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains("holds no tetrahedra"), "{error}");
    }
    // Lines are no faces, and no points either.
    let lines = vtk("CELLS 1 3\n2 0 1\nCELL_TYPES 1\n3\n");
    let error = read_as("a.vtk", lines.as_bytes()).unwrap_err().to_string();
    assert!(error.ends_with("holds no faces, only 1 lines"), "{error}");
}

#[test]
fn versions_of_msh_are_numbers() {
    let of = |version: &str| {
        format!(
            "$MeshFormat\n{version} 0 8\n$EndMeshFormat\n$Nodes\n3\n1 0 0 0\n2 1 0 0\n3 0 1 0\n$EndNodes\n\
            $Elements\n1\n1 2 2 0 1 1 2 3\n$EndElements\n"
        )
    };
    for version in [
        "2",
        "2.0",
        "2.1",
        "2.2",
        "2.20",
        "2.200000",
        "2.1000000000000001",
        "02.2",
        "22e-1",
    ] {
        let loaded = read_as("a.msh", of(version).as_bytes()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((loaded.format, loaded.mesh.face_count()), (Format::Msh2, 1));
    }
    let blocks = |version: &str, head: &str, block: &str, elements: &str| {
        format!(
            "$MeshFormat\n{version} 0 8\n$EndMeshFormat\n$Nodes\n{head}\n{block}\n$EndNodes\n\
            $Elements\n{elements}\n$EndElements\n"
        )
    };
    let tags = "2 1 0 3\n1\n2\n3\n0 0 0\n1 0 0\n0 1 0";
    for version in ["4.1", "4.10", "4.100000"] {
        let text = blocks(version, "1 3 1 3", tags, "1 1 1 1\n2 1 2 1\n1 1 2 3");
        let loaded = read_as("a.msh", text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!((loaded.format, loaded.mesh.face_count()), (Format::Msh, 1));
    }
    for version in ["4", "4.0", "4.000"] {
        let rows = "1 2 0 3\n1 0 0 0\n2 1 0 0\n3 0 1 0";
        let text = blocks(version, "1 3", rows, "1 1\n1 2 2 1\n1 1 2 3");
        let loaded = read_as("a.msh", text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(loaded.mesh.face_count(), 1);
    }
    for version in ["1", "2.3", "2.25", "3", "4.2", "5", "nan", "x"] {
        let error = read_as("a.msh", of(version).as_bytes()).unwrap_err();
        let want = format!(
            "a.msh: line 2: version '{version}' is not read; 1, 2.0, 2.1, 2.2, 4.0 and 4.1 are"
        );
        assert_eq!(error.to_string(), want);
    }
}

#[test]
fn parametric_nodes_of_msh_2_are_nodes() {
    let elements = "$Elements\n1\n1 4 2 7 1 10 20 30 40\n$EndElements\n";
    let nodes = "$ParametricNodes\n4\n10 0 0 0 0 1\n20 1 0 0 1 3 0.25\n30 0 1 0 2 5 0.5 0.75\n40 0 0 1 3 1\n\
        $EndParametricNodes\n";
    let head = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";
    let first = "$ELM\n1\n1 4 7 1 4 10 20 30 40\n$ENDELM\n";
    for text in [
        format!("{head}{nodes}{elements}"),
        format!("{nodes}{first}"),
    ] {
        let loaded = tets("a.msh", text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(loaded.format, Format::Msh2);
        assert_eq!(loaded.mesh.cells, [[0, 1, 2, 3]]);
        assert_eq!(
            loaded.mesh.positions,
            [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]
        );
        assert!(loaded.warnings.is_empty(), "{:?}", loaded.warnings);
    }
    let mut binary =
        b"$MeshFormat\n2.2 1 8\n\x01\0\0\0\n$EndMeshFormat\n$ParametricNodes\n4\n".to_vec();
    let rows: [(i32, [f64; 3], i32, &[f64]); 4] = [
        (10, [0.0, 0.0, 0.0], 0, &[]),
        (20, [1.0, 0.0, 0.0], 1, &[0.25]),
        (30, [0.0, 1.0, 0.0], 2, &[0.5, 0.75]),
        (40, [0.0, 0.0, 1.0], 3, &[]),
    ];
    for (tag, place, dimension, parameters) in rows {
        binary.extend(tag.to_le_bytes());
        place.iter().for_each(|x| binary.extend(x.to_le_bytes()));
        binary.extend(dimension.to_le_bytes());
        binary.extend(7i32.to_le_bytes());
        parameters
            .iter()
            .for_each(|x| binary.extend(x.to_le_bytes()));
    }
    binary.extend(b"\n$EndParametricNodes\n$Elements\n1\n");
    for n in [4i32, 1, 2, 1, 7, 1, 10, 20, 30, 40] {
        binary.extend(n.to_le_bytes());
    }
    binary.extend(b"\n$EndElements\n");
    let loaded = tets("a.msh", &binary).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(loaded.mesh.cells, [[0, 1, 2, 3]]);
    assert_eq!(
        loaded.mesh.positions,
        [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z]
    );
}

const FACET: &str =
    "facet normal 0 0 1\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";

#[test]
fn solids_of_stl_end_in_several_ways() {
    for (end, warned) in [
        ("endsolid a b", false),
        ("end solid a b", false),
        ("End Solid", false),
        ("end", false),
        ("", true),
    ] {
        for more in ["", "\nsolid next\n"] {
            let facets = if more.is_empty() { "" } else { FACET };
            let text = format!("solid a b\n{FACET}{end}{more}{facets}");
            let loaded =
                read_as("a.stl", text.as_bytes()).unwrap_or_else(|e| panic!("{e}: {text}"));
            assert_eq!(loaded.mesh.face_count(), 1 + usize::from(!more.is_empty()));
            let unended = warned || !more.is_empty();
            assert_eq!(
                all(&loaded).contains("without 'endsolid'"),
                unended,
                "{text}"
            );
        }
    }
    let divided = FACET
        .replace("endloop", "end loop")
        .replace("endfacet", "END facet");
    let text = format!("solid\n{divided}{divided}endsolid\n");
    assert_eq!(
        read_as("a.stl", text.as_bytes()).unwrap().mesh.face_count(),
        2
    );
    let text = format!("solid\n{FACET}end of file\n");
    let error = read_as("a.stl", text.as_bytes()).unwrap_err().to_string();
    assert!(
        error.contains("line 9: 'facet' or 'endsolid' expected, 'end' found"),
        "{error}"
    );
}

#[test]
fn facets_of_stl_may_have_no_normal() {
    let bare = FACET.replace(" normal 0 0 1", "");
    let half = FACET.replace(" 0 0 1\nouter", "\nouter");
    let text = format!("solid a\n{FACET}{bare}{half}endsolid a\n");
    let loaded = read_as("a.stl", text.as_bytes()).unwrap();
    assert_eq!(loaded.mesh.face_count(), 3);
    assert_eq!(
        loaded.warnings,
        ["2 facets have no normal, which is not needed, the first is on line 9"]
    );
}

#[test]
fn formats_that_are_not_read_are_named() {
    let freefem =
        "4 2 4\n0 0 1\n1 0 1\n1 1 1\n0 1 1\n1 2 3 0\n1 3 4 0\n1 2 1\n2 3 1\n3 4 1\n4 1 1\n";
    let mfem = "MFEM mesh v1.0\n\ndimension\n2\n\nelements\n1\n1 2 0 1 2\n\nvertices\n3\n2\n0 0\n1 0\n0 1\n";
    for (name, text, program) in [
        ("a.mesh", mfem, "MFEM"),
        (
            "a.mesh",
            "MFEM INLINE mesh v1.0\n\ntype = tet\nnx = 2\n",
            "MFEM",
        ),
        ("a.mesh", "MFEM NURBS mesh v1.0\n\ndimension\n3\n", "MFEM"),
        (
            "a.mesh",
            "BEGIN POINTS LIST\nPOINT 0 0 0\nEND POINTS LIST\n",
            "GetFEM",
        ),
        ("a.msh", freefem, "FreeFem"),
        ("a.msh", "(0 \"grid\")\n(2 3)\n(10 (0 1 4 0 3))\n", "Fluent"),
        ("a.msh", "*NODE\n1, 0, 0, 0\n", "Abaqus"),
        (
            "a.msh",
            "MESH dimension 3 ElemType Tetrahedra Nnode 4\nCoordinates\n",
            "GiD",
        ),
        ("a", mfem, "MFEM"),
    ] {
        let want =
            format!("{name}: this is a file of {program}, whose format is not read; obj, ply, ");
        let errors = [
            read_as(name, text.as_bytes()).unwrap_err(),
            tets(name, text.as_bytes()).unwrap_err(),
        ];
        for error in errors {
            assert!(error.to_string().starts_with(&want), "{want}: {error}");
        }
    }
    let broken = "MeshVersionFormatted 1\nDimension 3\nVertices 1\n0 0\n";
    let error = read_as("a.mesh", broken.as_bytes())
        .unwrap_err()
        .to_string();
    assert!(!error.contains("this is a file of"), "{error}");
}

#[test]
fn arrays_of_vtu_of_another_length_are_left_out() {
    let text = |points: &str, cells: &str, types: &str| {
        format!(
            "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\
            <PointData><DataArray type=\"Int32\" Name=\"good\">1 2 3 4</DataArray>{points}</PointData>\
            <CellData>{cells}</CellData>\
            <Points><DataArray type=\"Float32\" NumberOfComponents=\"3\">0 0 0 1 0 0 0 1 0 0 0 1</DataArray></Points>\
            <Cells><DataArray type=\"Int32\" Name=\"connectivity\">0 1 2 3</DataArray>\
            <DataArray type=\"Int32\" Name=\"offsets\">4</DataArray>\
            <DataArray type=\"UInt8\" Name=\"types\">{types}</DataArray>\
            </Cells></Piece></UnstructuredGrid></VTKFile>"
        )
    };
    // Base64 of a length of four bytes and as many bytes.
    let short = "<DataArray type=\"UInt8\" Name=\"uv\" format=\"binary\">AgAAAAEC</DataArray>";
    for (points, cells, want) in [
        (
            short,
            "",
            "array 'uv' does not have 4 rows of 1 numbers and is not kept",
        ),
        (
            "",
            short,
            "array 'uv' does not have 1 rows of 1 numbers and is not kept",
        ),
        (
            "<DataArray type=\"Int8\" Name=\"a\">1 2 3</DataArray>",
            "",
            "array 'a' does not have 4 rows of 1 numbers",
        ),
        (
            "<DataArray type=\"Int8\" Name=\"a\">1 2 3 4 5</DataArray>",
            "",
            "array 'a' does not have 4 rows",
        ),
        (
            "",
            "<DataArray type=\"Int8\" Name=\"a\" NumberOfComponents=\"3\">1</DataArray>",
            "not have 1 rows of 3 numbers",
        ),
        (
            "",
            "<DataArray type=\"Int8\" Name=\"vtkGhostType\">1 1</DataArray>",
            "ghost cells are kept",
        ),
    ] {
        let loaded =
            tets("a.vtu", text(points, cells, "10").as_bytes()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(loaded.mesh.cells, [[0, 1, 2, 3]]);
        let names: Vec<&str> = loaded
            .mesh
            .extras
            .columns
            .iter()
            .map(|c| &c.name[..])
            .collect();
        assert_eq!(names, ["good"]);
        assert_eq!(loaded.warnings.len(), 1, "{:?}", loaded.warnings);
        assert!(
            loaded.warnings[0].contains(want),
            "{want}: {:?}",
            loaded.warnings
        );
    }
    // A number that is none, and the arrays that the mesh is made of.
    let bad = "<DataArray type=\"Int8\" Name=\"a\">1 2 x 4</DataArray>";
    for (points, types, want) in [
        (bad, "10", "'x'"),
        ("", "10 10", "array 'types' has more than 1"),
    ] {
        let error = tets("a.vtu", text(points, "", types).as_bytes())
            .unwrap_err()
            .to_string();
        assert!(error.contains(want), "{want}: {error}");
    }
    // The other forms: raw appended and base64, of points of a surface.
    for encoding in [Encoding::Binary, Encoding::Base64, Encoding::Ascii] {
        let (bytes, _) = written("a.vtp", encoding, &points(6));
        let one = b"Name=\"heat\" NumberOfComponents=\"1\"";
        let at = memchr::memmem::find(&bytes, one).unwrap();
        let mut wide = bytes.clone();
        wide[at + one.len() - 2] = b'2';
        let loaded = read_as("a.vtp", &wide);
        let loaded = loaded.unwrap();
        assert!(loaded.mesh.extras.columns.is_empty());
        assert!(
            all(&loaded).contains("'heat' does not have 6 rows of 2 numbers"),
            "{encoding:?}: {}",
            all(&loaded)
        );
    }
}

/// Corners that are above the plane of the other three by 1e-7 in doubles, and below it by more as floats: the high
/// corner is rounded up.
const THIN: [&str; 4] = ["0 0 30.000001", "1 0 -28", "0.5 1 1", "0.5 0 1.0000006"];

#[test]
fn cells_are_turned_by_the_doubles_of_the_file() {
    let plain = ["10 0 0", "11 0 0", "10 1 0", "10 0 1"];
    let points: Vec<&str> = THIN.into_iter().chain(plain).collect();
    let numbers: Vec<f64> = points
        .iter()
        .flat_map(|p| p.split(' ').map(|x| x.parse().unwrap()))
        .collect();
    // As it is in the file, the other way round, a plain one, a plain one the other way round.
    let cells = [[0, 1, 2, 3], [0, 1, 3, 2], [4, 5, 6, 7], [4, 6, 5, 7]];
    let rows = |cell: &dyn Fn(usize, [u32; 4]) -> String| {
        let all: Vec<String> = cells.iter().enumerate().map(|(i, c)| cell(i, *c)).collect();
        all.concat()
    };
    let counted = |i: usize, first: usize| i + first;
    let nodes = |first: usize, behind: &str| -> String {
        let all = points.iter().enumerate();
        all.map(|(i, p)| format!("{} {p}{behind}\n", counted(i, first)))
            .collect()
    };
    let plain_rows: String = points.iter().map(|p| format!("{p}\n")).collect();
    let with_zero: String = points.iter().map(|p| format!("{p} 0\n")).collect();
    let words = |c: [u32; 4], first: u32| c.map(|v| (v + first).to_string()).join(" ");
    let msh = format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n8\n{}$EndNodes\n$Elements\n4\n{}$EndElements\n",
        nodes(1, ""),
        rows(&|i, c| format!("{} 4 2 0 1 {}\n", i + 1, words(c, 1))),
    );
    let medit = format!(
        "MeshVersionFormatted 2\nDimension 3\nVertices 8\n{with_zero}Tetrahedra 4\n{}End\n",
        rows(&|_, c| format!("{} 0\n", words(c, 1))),
    );
    let types = "10 10 10 10";
    let vtk = format!(
        "# vtk DataFile Version 3.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 double\n{plain_rows}CELLS 4 20\n{}\
        CELL_TYPES 4\n{types}\n",
        rows(&|_, c| format!("4 {}\n", words(c, 0))),
    );
    let vtu = format!(
        "<VTKFile type=\"UnstructuredGrid\"><UnstructuredGrid><Piece NumberOfPoints=\"8\" NumberOfCells=\"4\">\
        <Points><DataArray type=\"Float64\" NumberOfComponents=\"3\">{plain_rows}</DataArray></Points>\
        <Cells><DataArray type=\"Int32\" Name=\"connectivity\">{}</DataArray>\
        <DataArray type=\"Int32\" Name=\"offsets\">4 8 12 16</DataArray>\
        <DataArray type=\"UInt8\" Name=\"types\">{types}</DataArray>\
        </Cells></Piece></UnstructuredGrid></VTKFile>",
        rows(&|_, c| format!("{} ", words(c, 0))),
    );
    let mut binary =
        b"# vtk DataFile Version 3.0\n\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 double\n"
            .to_vec();
    numbers.iter().for_each(|x| binary.extend(x.to_be_bytes()));
    binary.extend(b"\nCELLS 4 20\n");
    for c in cells {
        [4].iter()
            .chain(&c)
            .for_each(|v: &u32| binary.extend(v.to_be_bytes()));
    }
    binary.extend(b"\nCELL_TYPES 4\n");
    (0..4).for_each(|_| binary.extend(10u32.to_be_bytes()));
    let tetgen = [
        format!("8 3 0 0\n{}", nodes(0, "")),
        format!("4 4 0\n{}", rows(&|i, c| format!("{i} {}\n", words(c, 0)))),
    ];
    let [nodes, elements] = &tetgen;
    let files = [
        tets("a.msh", msh.as_bytes()),
        tets("a.mesh", medit.as_bytes()),
        tets("a.vtk", vtk.as_bytes()),
        tets("a.vtk", &binary),
        tets("a.vtu", vtu.as_bytes()),
        read_tetgen_bytes(nodes.as_bytes(), elements.as_bytes(), Path::new("a.node")),
    ];
    for loaded in files {
        let loaded = loaded.unwrap_or_else(|e| panic!("{e}"));
        let mesh = &loaded.mesh;
        assert_eq!(
            mesh.cells,
            [[0, 1, 2, 3], [0, 1, 2, 3], [4, 5, 6, 7], [4, 6, 7, 5]],
            "{}",
            loaded.format
        );
        assert!(
            mesh.cell_volume(0) < 0.0 && mesh.cell_volume(2) > 0.0 && mesh.cell_volume(3) > 0.0
        );
        let said = all(&loaded);
        for part in [
            "2 of 4 tetrahedra were inverted and are reoriented",
            "2 of 4 tetrahedra have a volume in the file and none, or a negative one, where positions are rounded",
            "the first is cell 0 (counted from 0)",
        ] {
            assert!(said.contains(part), "{}: {part}: {said}", loaded.format);
        }
    }
    // A cell without volume in the file is turned as its floats have it, without a word.
    let flat = msh.replace("30.000001", "30").replace("1.0000006", "1");
    let loaded = tets("a.msh", flat.as_bytes()).unwrap();
    assert_eq!(loaded.mesh.cells[..2], [[0, 1, 2, 3], [0, 1, 3, 2]]);
    assert_eq!(
        loaded.warnings,
        ["1 of 4 tetrahedra were inverted and are reoriented"]
    );
}

#[test]
fn arrays_of_vtk_of_unknown_types_are_left_out() {
    let text = "# vtk DataFile Version 3.0\n\nASCII\nDATASET POLYDATA\nPOINTS 3 float\n0 0 0 1 0 0 0 1 0\n\
        POLYGONS 1 4\n3 0 1 2\n\
        CELL_DATA 1\nScalars Label int1\nLOOKUP_TABLE a_table\n7\nFIELD more 2\nodd 2 1 complex\n(1,2) (3,4)\n\
        kept 1 1 vtkIdType\n5\n\
        POINT_DATA 3\nSCALARS wide vtktypeint64\nLOOKUP_TABLE default\n1 2 3\nSCALARS u unsigned_long 1\n4 5 6\n\
        VECTORS v quad\n1 2 3 4 5 6 7 8 9\nSCALARS f float64\n0.5 1 2\nSCALARS s int16_t\n-1 0 1\n";
    let text = text.replace("Scalars", "SCALARS");
    let loaded = read_as("a.vtk", text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
    let columns = &loaded.mesh.extras.columns;
    let names: Vec<(&str, ElementKind)> =
        columns.iter().map(|c| (&c.name[..], c.element)).collect();
    let v = ElementKind::Vertex;
    assert_eq!(
        names,
        [
            ("kept", ElementKind::Face),
            ("wide", v),
            ("u", v),
            ("f", v),
            ("s", v)
        ]
    );
    assert_eq!(columns[0].data, ColumnData::I32(vec![5]));
    assert_eq!(columns[4].data, ColumnData::I16(vec![-1, 0, 1]));
    assert_eq!(
        loaded.warnings,
        [
            "array 'Label' holds values of the unknown type 'int1' and is not kept",
            "array 'odd' holds values of the unknown type 'complex' and is not kept",
            "array 'v' holds values of the unknown type 'quad' and is not kept",
        ]
    );
    let cut = &text[..text.find("4 5 6 7 8 9").unwrap()];
    let error = read_as("a.vtk", cut.as_bytes()).unwrap_err().to_string();
    assert!(
        error.contains("9 values expected, but the file ends"),
        "{error}"
    );
    let (mut binary, _) = written("a.vtk", Encoding::Binary, &points(2));
    let at = memchr::memmem::find(&binary, b" float\n").unwrap();
    let heat = memchr::memmem::find(&binary[at + 1..], b" float\n").unwrap() + at + 1;
    binary.splice(heat..heat + 6, *b" quad1");
    let error = read_as("a.vtk", &binary).unwrap_err().to_string();
    assert!(
        error.contains("the type 'quad1' is not known, so neither is the size"),
        "{error}"
    );
}

#[test]
fn vertices_of_obj_may_have_two_coordinates() {
    let flat = "v 1 1\nv -1 1 # a corner\nv -1 -1\n\nf 1 2 3\n";
    let loaded = read_as("a.obj", flat.as_bytes()).unwrap();
    let expected = [[1.0, 1.0], [-1.0, 1.0], [-1.0, -1.0]].map(|[x, y]| Vec3::new(x, y, 0.0));
    assert_eq!(loaded.mesh.positions, expected);
    assert_eq!(
        loaded.warnings,
        [
            "3 vertices, all of the file, have two coordinates: they are put in the plane z = 0, the first is on line 1"
        ]
    );
    for (text, line) in [
        ("v 0 0 0\nv 1 0\nv 0 1 0\nf 1 2 3\n", 2),
        ("v 1 0\nv 0 0 0\nv 0 1 1\n", 1),
    ] {
        let error = read_as("a.obj", text.as_bytes()).unwrap_err().to_string();
        let want = format!("a.obj: line {line}: z expected, but the line ends: other vertices");
        assert!(error.starts_with(&want), "{error}");
    }
    let error = read_as("a.obj", b"v 1\nv 2\n").unwrap_err().to_string();
    assert_eq!(error, "a.obj: line 1: y expected, but the line ends");
}

#[test]
fn values_of_ply_beyond_the_header_are_passed_over() {
    let text = "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\n\
        element face 1\nproperty list uchar int vertex_indices\nend_header\n\
        0 0 0\n1 0 0 255 0 0\n0 1 0\n3 0 1 2 9 1 1 1\n";
    let loaded = read_as("a.ply", text.as_bytes()).unwrap();
    assert_eq!(loaded.mesh.faces, [[0, 1, 2]]);
    assert_eq!(loaded.mesh.positions[2], Vec3::Y);
    assert_eq!(
        loaded.warnings,
        [
            "2 lines have more values than the header declares, which are passed over, the first is on line 11"
        ]
    );
    // A header with a strange line is not believed then.
    let strange = text.replace("element face", "propertee uchar red\nelement face");
    let error = read_as("a.ply", strange.as_bytes())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("line 12") || error.contains("propertee"),
        "{error}"
    );
}

#[test]
fn lists_of_cells_of_a_wrong_size_are_read_by_rows() {
    let text = |cells: &str| {
        format!(
            "# vtk DataFile Version 2.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n\
            0 0 0 1 0 0 0 1 0 0 0 1 1 1 1\n{cells}\nCELL_TYPES 2\n10 10\n"
        )
    };
    for size in [1, 8, 9, 11, 12] {
        let text = text(&format!("CELLS 2 {size}\n4 0 1 2 3\n4 1 2 3 4\n"));
        let loaded = tets("a.vtk", text.as_bytes()).unwrap_or_else(|e| panic!("{size}: {e}"));
        assert_eq!(loaded.mesh.cell_count(), 2);
        let want = format!(
            "2 lists of cells are said to have {size} numbers and have 10: they are read unchanged"
        );
        assert!(all(&loaded).contains(&want), "{size}: {}", all(&loaded));
    }
    // Numbers that belong to no row, or too few.
    for cells in [
        "CELLS 2 1\n4 0 1 2 3\n4 1 2 3 4 7",
        "CELLS 2 1\n4 0 1 2 3\n4 1 2",
        "CELLS 2 1\n4 0 1 2 3",
    ] {
        let error = tets("a.vtk", text(cells).as_bytes())
            .unwrap_err()
            .to_string();
        assert!(
            error.contains("does not fit into the 1 numbers of all cells"),
            "{error}"
        );
    }
}

#[test]
fn kinds_of_cells_that_are_left_out_have_names() {
    let text = |n: usize, kind: u32| {
        let nodes: Vec<String> = (0..n).map(|i| i.to_string()).collect();
        let points = "0 0 0 ".repeat(n);
        format!(
            "# vtk DataFile Version 2.0\n\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS {n} float\n{points}\n\
            CELLS 1 {}\n{n} {}\nCELL_TYPES 1\n{kind}\n",
            n + 1,
            nodes.join(" ")
        )
    };
    for (n, kind, want) in [
        (10, 15, "holds no tetrahedra, only 1 pentagonal prisms"),
        (12, 16, "holds no tetrahedra, only 1 hexagonal prisms"),
        (6, 41, "holds no tetrahedra, only 1 convex point sets"),
        (
            4,
            200,
            "holds no tetrahedra, only 1 cells of type 200, which VTK does not name",
        ),
    ] {
        let error = tets("a.vtk", text(n, kind).as_bytes())
            .unwrap_err()
            .to_string();
        assert!(error.ends_with(want), "{error}");
    }
    // Version 1: a keyword, the place of the next, its data.
    const ONE: i32 = 1f32.to_bits() as i32;
    let words = [
        &[1, 1, 3, 20, 3][..],
        &[4, 80, 3, 0, 0, 0, 0, ONE, 0, 0, 0, 0, ONE, 0, 0],
        &[6, 108, 1, 1, 2, 3, 0],
        &[131, 120, 0],
        &[54, 0],
    ];
    let binary: Vec<u8> = words
        .concat()
        .into_iter()
        .flat_map(i32::to_le_bytes)
        .collect();
    let loaded = read_as("a.meshb", &binary).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(loaded.warnings, ["'QuadrilateralsQ2Ordering' is not kept"]);
}
