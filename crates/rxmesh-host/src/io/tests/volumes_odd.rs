//! Volumes as other programs write them: mixed elements, higher order, other versions, packed data.

use super::*;
use crate::mesh::TetMesh;

fn read(name: &str, text: &str) -> Loaded<TetMesh> {
    bytes(name, text.as_bytes()).unwrap_or_else(|e| panic!("{e}"))
}

fn bytes(name: &str, bytes: &[u8]) -> Result<Loaded<TetMesh>, IoError> {
    read_tets_bytes(bytes, Path::new(name), &ReadOptions::default())
}

fn refused(name: &str, text: &str) -> String {
    bytes(name, text.as_bytes()).unwrap_err().to_string()
}

/// Returns the values of a column.
fn values(mesh: &TetMesh, element: ElementKind, name: &str) -> Vec<f64> {
    let column = mesh
        .extras
        .column(element, name)
        .unwrap_or_else(|| panic!("no {name}: {:?}", mesh.extras.columns));
    (0..column.data.len()).map(|i| column.data.get(i)).collect()
}

const CELL: ElementKind = ElementKind::Cell;
const VERTEX: ElementKind = ElementKind::Vertex;

/// As Gmsh writes it: names, tags with gaps, points, lines, triangles, an inverted cell, data of some elements.
#[test]
fn gmsh_2() {
    let loaded = read(
        "a.msh",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 7 \"steel\"\n$EndPhysicalNames\n\
        $Nodes\n5\n10 0 0 0\n3 1 0 0\n7 0 1 0\n4 0 0 1\n100 1 1 1\n$EndNodes\n\
        $Elements\n5\n1 15 2 0 1 10\n2 2 2 1 1 10 3 7\n3 4 2 7 1 10 3 7 4\n9 4 2 8 1 100 3 7 4\n5 1 2 0 1 3 4\n\
        $EndElements\n\
        $NodeData\n1\n\"the heat\"\n1\n0.5\n3\n0\n1\n2\n3 1.5\n100 -2e-300\n$EndNodeData\n\
        $ElementData\n1\n\"stress\"\n1\n0\n3\n0\n3\n3\n2 1 2 3\n9 4 5 6\n3 7 8 9\n$EndElementData\n",
    );
    assert_eq!(loaded.format, Format::Msh2);
    let mesh = &loaded.mesh;
    assert_eq!(mesh.vertex_count(), 5);
    assert_eq!(mesh.cells, [[0, 1, 2, 3], [4, 1, 3, 2]]);
    assert_eq!(values(mesh, CELL, "region"), [7.0, 8.0]);
    assert_eq!(values(mesh, CELL, "stress"), [7.0, 8.0, 9.0, 4.0, 5.0, 6.0]);
    let heat = values(mesh, VERTEX, "the_heat");
    assert!(heat[0].is_nan() && heat[1] == 1.5 && heat[4] == -2e-300);
    let all = loaded.warnings.join("; ");
    for part in [
        "1 lines, 1 points, 1 triangles are not kept",
        "1 of 2 tetrahedra were inverted",
        "'the heat' has 2 rows for 5 vertices",
        "'the heat' is now called 'the_heat'",
        "section 'PhysicalNames' is not kept",
    ] {
        assert!(all.contains(part), "{part}: {all}");
    }
}

/// Entities with physical groups, parametric nodes, blocks of several dimensions.
#[test]
fn gmsh_4_1() {
    let loaded = read(
        "a.msh",
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n\
        $Entities\n1 0 1 2\n1 0 0 0 0\n5 0 0 0 1 1 1 1 40 2 1 -2\n\
        1 0 0 0 1 1 1 2 7 9 1 5\n2 0 0 0 1 1 1 0 0\n$EndEntities\n\
        $Nodes\n2 5 1 5\n2 5 1 2\n1\n2\n0 0 0 .5 .5\n1 0 0 .1 .2\n3 1 0 3\n5\n4\n3\n1 1 1\n0 0 1\n0 1 0\n$EndNodes\n\
        $Elements\n3 3 1 3\n2 5 2 1\n1 1 2 3\n3 2 4 1\n2 1 2 3 4\n3 1 4 1\n3 5 2 4 3\n$EndElements\n",
    );
    let mesh = &loaded.mesh;
    assert_eq!(mesh.cells, [[0, 1, 4, 3], [2, 1, 3, 4]]);
    assert_eq!(mesh.positions[2], Vec3::ONE);
    assert_eq!(values(mesh, CELL, "region"), [0.0, 7.0]);
    assert_eq!(values(mesh, CELL, "entity"), [2.0, 1.0]);
    assert!(
        loaded
            .warnings
            .iter()
            .any(|w| w.contains("several physical groups")),
        "{:?}",
        loaded.warnings
    );
}

#[test]
fn gmsh_4_0() {
    let loaded = read(
        "a.msh",
        "$MeshFormat\n4 0 8\n$EndMeshFormat\n\
        $Entities\n1 0 0 1\n1 0 0 0 0 0 0 0\n9 0 0 0 1 1 1 1 3 0\n$EndEntities\n\
        $Nodes\n1 4\n9 3 0 4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n\
        $Elements\n1 1\n9 3 4 1\n1 1 2 3 4\n$EndElements\n$Surface\n1 2 3\n$EndSurface\n",
    );
    assert_eq!(loaded.mesh.cells, [[0, 1, 2, 3]]);
    assert_eq!(values(&loaded.mesh, CELL, "region"), [3.0]);
    assert_eq!(values(&loaded.mesh, CELL, "entity"), [9.0]);
    assert_eq!(loaded.warnings, ["section 'Surface' is not kept"]);
}

/// Cells of second order: corners stay, nodes on edges go, with their rows.
#[test]
fn second_order_is_cut_to_corners() {
    let loaded = read(
        "a.msh",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$Nodes\n10\n1 .5 0 0\n2 0 0 0\n3 1 0 0\n4 0 1 0\n5 0 0 1\n6 .5 .5 0\n\
        7 0 .5 0\n8 0 0 .5\n9 .5 0 .5\n10 0 .5 .5\n$EndNodes\n$Elements\n1\n1 11 0 2 3 4 5 1 6 7 8 10 9\n$EndElements\n\
        $NodeData\n1\n\"n\"\n0\n3\n0\n1\n10\n1 1\n2 2\n3 3\n4 4\n5 5\n6 6\n7 7\n8 8\n9 9\n10 10\n$EndNodeData\n",
    );
    assert_eq!(loaded.mesh.cells, [[0, 1, 2, 3]]);
    assert_eq!(values(&loaded.mesh, VERTEX, "n"), [2.0, 3.0, 4.0, 5.0]);
    assert_eq!(
        loaded.warnings,
        ["1 tetrahedra are of higher order: only their corners are kept"]
    );
}

#[test]
fn medit_with_all_sorts_of_things() {
    let loaded = read(
        "a.mesh",
        "# of TetWild\nMeshVersionFormatted 2\n\nDimension\n3\n Vertices 4\n0 0 0 1\n1 0 0 1 0 1 0 1\n0 0 1 2 # top\n\
        Triangles\n1\n1 2 3 5\nRequiredVertices\n2\n1 2\nHexahedra 1\n1 2 3 4 1 2 3 4 0\n\
        Tetrahedra\n2\n1 3 2 4 -3\n1 2 3 4 0\nEdges\n0\n End",
    );
    assert_eq!(loaded.mesh.cells, [[0, 2, 3, 1], [0, 1, 2, 3]]);
    assert_eq!(values(&loaded.mesh, VERTEX, "marker"), [1.0, 1.0, 1.0, 2.0]);
    assert_eq!(values(&loaded.mesh, CELL, "region"), [-3.0, 0.0]);
    assert_eq!(loaded.mesh.extras.comments, ["of TetWild"]);
    assert_eq!(
        loaded.warnings,
        [
            "1 hexahedra, 1 triangles are not kept: a volume is of tetrahedra",
            "1 of 2 tetrahedra were inverted and are reoriented",
        ]
    );
    let flat = refused("a.mesh", "MeshVersionFormatted 1\nDimension 4\n");
    assert!(
        flat.contains("line 2: a mesh has two or three dimensions"),
        "{flat}"
    );
    let none = refused(
        "a.mesh",
        "MeshVersionFormatted 1\nDimension 3\nVertices 3 0 0 0 0 1 0 0 0 0 1 0 0\nTriangles 1\n1 2 3 0\n",
    );
    assert_eq!(none, "a.mesh: holds no tetrahedra, only 1 triangles");
    let out = refused(
        "a.mesh",
        "MeshVersionFormatted 1\nDimension 3\nVertices 1\n0 0 0 0\nTetrahedra 1\n1 1 1 2 0\n",
    );
    assert!(
        out.contains("line 6: a tetrahedron names vertex 2"),
        "{out}"
    );
}

/// Mixed cells, attributes of all kinds, a second-order cell.
#[test]
fn vtk_with_mixed_cells() {
    let text = "# vtk DataFile Version 2.0\nof a solver\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 5 double\n\
        0 0 0 1 0 0 0 1 0\n0 0 1 1 1 1\nCELLS 3 14\n4 0 1 2 3\n3 0 1 2\n4 4 1\n3 2\nCELL_TYPES 3\n10 5 10\n\
        CELL_DATA 3\nSCALARS part int\nLOOKUP_TABLE default\n7 8 9\nLOOKUP_TABLE mine 1\n0 0 0 1\n\
        FIELD FieldData 2\nids 1 3 vtkIdType\n5 6 7\nMETADATA\nINFORMATION 0\n\nlong%20one 1 3 long\n\
        1 2 9007199254740993\n\
        POINT_DATA 5\nVECTORS v float\n1 2 3 4 5 6 7 8 9 10 11 12 13 14 nan\nTEXTURE_COORDINATES uv 2 float\n\
        1 2 3 4 5 6 7 8 9 10\nNORMALS n float\n1 0 0 1 0 0 1 0 0 1 0 0 1 0 0\n";
    let loaded = read("a.vtk", text);
    let mesh = &loaded.mesh;
    assert_eq!(mesh.cells, [[0, 1, 2, 3], [4, 1, 3, 2]]);
    assert_eq!(values(mesh, CELL, "part"), [7.0, 9.0]);
    assert_eq!(values(mesh, CELL, "ids"), [5.0, 7.0]);
    assert_eq!(values(mesh, VERTEX, "uv").len(), 10);
    assert!(values(mesh, VERTEX, "v")[14].is_nan());
    assert_eq!(mesh.extras.comments, ["of a solver"]);
    let all = loaded.warnings.join("; ");
    assert!(all.contains("cell column 'long one' is not kept"), "{all}");
    assert!(all.contains("1 triangles are not kept"), "{all}");
    assert_eq!(
        mesh.extras.column(CELL, "part").unwrap().data,
        ColumnData::I32(vec![7, 9])
    );
    let kind = refused("a.vtk", &text.replace("UNSTRUCTURED", "STRUCTURED"));
    assert!(kind.contains("line 4: 'STRUCTURED_GRID'"), "{kind}");
    let index = refused("a.vtk", &text.replace("4 4 1\n3 2", "4 4 1\n3 5"));
    assert!(index.contains("line 8: cell 2 names vertex 5"), "{index}");
}

/// As newer versions have it: offsets and nodes, in 64 bits.
#[test]
fn vtk_5() {
    let text = "# vtk DataFile Version 5.1\n\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 float\n";
    let mut file = text.as_bytes().to_vec();
    let points: [f32; 12] = [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0];
    points.iter().for_each(|x| file.extend(x.to_be_bytes()));
    file.extend(
        b"\nMETADATA\nINFORMATION 1\nNAME L2_NORM LOCATION vtkDataArray\nDATA 2 0 1\n\n\
        CELLS 3 5\nOFFSETS vtktypeint64\n",
    );
    [0i64, 4, 5]
        .iter()
        .for_each(|x| file.extend(x.to_be_bytes()));
    file.extend(b"\nCONNECTIVITY vtktypeint64\n");
    [0i64, 1, 2, 3, 2]
        .iter()
        .for_each(|x| file.extend(x.to_be_bytes()));
    file.extend(b"\nCELL_TYPES 2\n");
    [10i32, 1].iter().for_each(|x| file.extend(x.to_be_bytes()));
    let loaded = bytes("a.vtk", &file).unwrap();
    assert_eq!(loaded.mesh.cells, [[0, 1, 2, 3]]);
    assert_eq!(
        loaded.warnings,
        ["1 points are not kept: a volume is of tetrahedra"]
    );
    let cut = bytes("a.vtk", &file[..file.len() - 1])
        .unwrap_err()
        .to_string();
    assert!(
        cut.contains("byte ") && cut.contains("types of cells"),
        "{cut}"
    );
}

/// Data packed by zlib in several blocks, inline as base64 and appended raw; lengths of 32 bits; the other order.
#[test]
fn vtu_packed() {
    let points: [f64; 15] = [
        0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0,
    ];
    let nodes: [i64; 11] = [0, 1, 2, 3, 4, 2, 1, 4, 1, 3, 2];
    let heat: [u16; 5] = [1, 2, 3, 4, 5];
    for big in [false, true] {
        for raw in [false, true] {
            let number = |b: &[u8]| {
                if big {
                    b.iter().rev().copied().collect()
                } else {
                    b.to_vec()
                }
            };
            let word = |n: usize| number(&(n as u32).to_le_bytes());
            let packed = |data: &[u8]| {
                let blocks: Vec<Vec<u8>> = data
                    .chunks(16)
                    .map(|b| miniz_oxide::deflate::compress_to_vec_zlib(b, 6))
                    .collect();
                let last = data.len() % 16;
                let mut head = [word(blocks.len()), word(16), word(last)].concat();
                blocks.iter().for_each(|b| head.extend(word(b.len())));
                (head, blocks.concat())
            };
            let (mut tags, mut appended) = (String::new(), Vec::new());
            let mut array = |name: &str, kind: &str, width: usize, data: Vec<u8>| {
                let (head, blocks) = packed(&data);
                if raw {
                    let offset = appended.len();
                    appended.extend(head.iter().chain(&blocks));
                    return format!(
                        "<DataArray Name='{name}' type='{kind}' NumberOfComponents='{width}' \
                            format='appended' offset='{offset}'/>"
                    );
                }
                let mut text = Vec::new();
                super::super::base64::encode(&head, &mut text);
                super::super::base64::encode(&blocks, &mut text);
                let text = String::from_utf8(text).unwrap();
                format!(
                    "<DataArray Name='{name}' type='{kind}' NumberOfComponents='{width}' \
                        format='binary'>\n {text}\n</DataArray>"
                )
            };
            let order = if big { "BigEndian" } else { "LittleEndian" };
            tags += &format!(
                "<VTKFile type='UnstructuredGrid' byte_order='{order}' \
                    compressor='vtkZLibDataCompressor'>\n<!-- a > b -->\n"
            );
            tags += "<UnstructuredGrid><Piece NumberOfPoints='5' NumberOfCells='3'><PointData>";
            tags += &array(
                "the &lt;heat&gt;",
                "UInt16",
                1,
                heat.iter().flat_map(|x| number(&x.to_le_bytes())).collect(),
            );
            tags += "</PointData><Points>";
            tags += &array(
                "",
                "Float64",
                3,
                points
                    .iter()
                    .flat_map(|x| number(&x.to_le_bytes()))
                    .collect(),
            );
            tags += "</Points><Cells>";
            tags += &array(
                "connectivity",
                "Int64",
                1,
                nodes
                    .iter()
                    .flat_map(|x| number(&x.to_le_bytes()))
                    .collect(),
            );
            tags += &array(
                "offsets",
                "Int32",
                1,
                [4i32, 7, 11]
                    .iter()
                    .flat_map(|x| number(&x.to_le_bytes()))
                    .collect(),
            );
            tags += &array("types", "UInt8", 1, vec![10, 5, 10]);
            tags += "</Cells></Piece></UnstructuredGrid>";
            let mut file = tags.into_bytes();
            if raw {
                file.extend(b"<AppendedData encoding='raw'>_");
                file.extend(&appended);
                file.extend(b"</AppendedData>");
            }
            file.extend(b"</VTKFile>");
            let loaded = bytes("a.vtu", &file).unwrap_or_else(|e| panic!("{big} {raw}: {e}"));
            assert_eq!(loaded.mesh.cells, [[0, 1, 2, 3], [4, 1, 3, 2]]);
            assert_eq!(loaded.mesh.positions[4], Vec3::ONE);
            let heat = loaded.mesh.extras.column(VERTEX, "the_<heat>").unwrap();
            assert_eq!(heat.data, ColumnData::U16(vec![1, 2, 3, 4, 5]));
        }
    }
}

#[test]
fn what_is_wrong_with_a_vtu_is_named() {
    let good = "<VTKFile type=\"UnstructuredGrid\">\n<UnstructuredGrid>\n\
        <Piece NumberOfPoints=\"4\" NumberOfCells=\"1\">\n\
        <Points><DataArray type=\"Float32\" NumberOfComponents=\"3\">\n0 0 0 1 0 0 0 1 0 0 0 1\n</DataArray></Points>\n\
        <Cells><DataArray type=\"Int32\" Name=\"connectivity\">0 1 2 3</DataArray>\n\
        <DataArray type=\"Int32\" Name=\"offsets\">4</DataArray>\n\
        <DataArray type=\"UInt8\" Name=\"types\">10</DataArray>\n\
        </Cells></Piece></UnstructuredGrid></VTKFile>\n";
    assert_eq!(read("a.vtu", good).mesh.cells, [[0, 1, 2, 3]]);
    for (from, to, want) in [
        ("1 0 0 0 1 0", "1 0 0 0 x 0", "line 5: 'x' is no number"),
        ("0 1 2 3", "0 1 2 4", "line 7: cell 0 names vertex 4"),
        (
            "0 1 2 3",
            "0 1 2",
            "line 7: array 'connectivity': 4 numbers expected in 5",
        ),
        (">4<", ">5<", "line 7: array 'connectivity'"),
        (">4<", ">-1<", "line 8: an offset"),
        (
            "NumberOfPoints=\"4\"",
            "NumberOfPoints=\"99999999999999\"",
            "line 4: array '': 299999999999997 numbers",
        ),
        (
            "NumberOfPoints=\"4\"",
            "NumberOfPoints=\"many\"",
            "line 3: 'NumberOfPoints'",
        ),
        (
            "UnstructuredGrid\"",
            "ImageData\"",
            "line 1: files of 'ImageData'",
        ),
        (
            "type=\"UnstructuredGrid\"",
            "type=\"UnstructuredGrid\" compressor=\"vtkNewDataCompressor\"",
            "line 1: data packed by",
        ),
        ("</Piece>", "</Peace>", "line 10: not XML"),
        ("</Piece>", "</P\n1 2\neace>", "line 10: not XML"),
        (
            "<Points>",
            "<Dots>",
            "line 4: an array that belongs to nothing",
        ),
    ] {
        let text = good.replacen(from, to, 1);
        assert_ne!(text, good, "{from}");
        let error = refused("a.vtu", &text);
        assert!(
            error.starts_with(&format!("a.vtu: {want}")),
            "{want}: {error}"
        );
        assert!(!error.contains('\n'), "{error}");
    }
}
