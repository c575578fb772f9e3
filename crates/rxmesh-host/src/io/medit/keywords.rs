//! Kinds of elements of MEDIT, by their names in text and their numbers in bytes.

/// A kind of elements.
#[derive(Debug, Clone, Copy)]
pub(super) struct MeditElement {
    name: &'static str,
    /// Keyword's number in binary files.
    number: i32,
    /// Nodes of each.
    pub(super) nodes: usize,
    /// Corners of a face; 0 of a tetrahedron, `None` of elements that are not kept.
    pub(super) corners: Option<usize>,
    /// `true` for cells of a volume.
    pub(super) solid: bool,
    /// Plural name, for messages.
    pub(super) plural: &'static str,
}

const fn kept(name: &'static str, number: i32, nodes: usize, corners: usize) -> MeditElement {
    MeditElement {
        name,
        number,
        nodes,
        corners: Some(corners),
        solid: corners == 0,
        plural: name,
    }
}

const fn passed(
    name: &'static str,
    number: i32,
    nodes: usize,
    solid: bool,
    plural: &'static str,
) -> MeditElement {
    MeditElement {
        name,
        number,
        nodes,
        corners: None,
        solid,
        plural,
    }
}

/// Numbers as in libMeshb7.
const ELEMENTS: [MeditElement; 13] = [
    passed("Edges", 5, 2, false, "edges"),
    kept("Triangles", 6, 3, 3),
    kept("Quadrilaterals", 7, 4, 4),
    kept("Tetrahedra", 8, 4, 0),
    passed("Prisms", 9, 6, true, "prisms"),
    passed("Hexahedra", 10, 8, true, "hexahedra"),
    passed("Hexaedra", -1, 8, true, "hexahedra"),
    passed("EdgesP2", 25, 3, false, "edges"),
    kept("TrianglesP2", 24, 6, 3),
    kept("QuadrilateralsQ2", 27, 9, 4),
    kept("TetrahedraP2", 30, 10, 0),
    passed("HexahedraQ2", 33, 27, true, "hexahedra"),
    passed("Pyramids", 49, 5, true, "pyramids"),
];

/// Names of the keywords of binary files by their numbers, from 0, as in the header of libMeshb 7.
const NAMES: &str = "\
    Reserved1 MeshVersionFormatted Reserved2 Dimension Vertices Edges Triangles Quadrilaterals Tetrahedra Prisms \
    Hexahedra Reserved3 Reserved4 Corners Ridges RequiredVertices RequiredEdges RequiredTriangles \
    RequiredQuadrilaterals TangentAtEdgeVertices NormalAtVertices NormalAtTriangleVertices \
    NormalAtQuadrilateralVertices AngleOfCornerBound TrianglesP2 EdgesP2 SolAtPyramids QuadrilateralsQ2 \
    ISolAtPyramids SubDomainFromGeom TetrahedraP2 Fault_NearTri Fault_Inter HexahedraQ2 ExtraVerticesAtEdges \
    ExtraVerticesAtTriangles ExtraVerticesAtQuadrilaterals ExtraVerticesAtTetrahedra ExtraVerticesAtPrisms \
    ExtraVerticesAtHexahedra VerticesOnGeometricVertices VerticesOnGeometricEdges VerticesOnGeometricTriangles \
    VerticesOnGeometricQuadrilaterals EdgesOnGeometricEdges Fault_FreeEdge Polyhedra Polygons Fault_Overlap Pyramids \
    BoundingBox Reserved5 PrivateTable Fault_BadShape End TrianglesOnGeometricTriangles \
    TrianglesOnGeometricQuadrilaterals QuadrilateralsOnGeometricTriangles QuadrilateralsOnGeometricQuadrilaterals \
    Tangents Normals TangentAtVertices SolAtVertices SolAtEdges SolAtTriangles SolAtQuadrilaterals SolAtTetrahedra \
    SolAtPrisms SolAtHexahedra DSolAtVertices ISolAtVertices ISolAtEdges ISolAtTriangles ISolAtQuadrilaterals \
    ISolAtTetrahedra ISolAtPrisms ISolAtHexahedra Iterations Time Fault_SmallTri CoarseHexahedra Comments \
    PeriodicVertices PeriodicEdges PeriodicTriangles PeriodicQuadrilaterals PrismsP2 PyramidsP2 QuadrilateralsQ3 \
    QuadrilateralsQ4 TrianglesP3 TrianglesP4 EdgesP3 EdgesP4 IRefGroups DRefGroups TetrahedraP3 TetrahedraP4 \
    HexahedraQ3 HexahedraQ4 PyramidsP3 PyramidsP4 PrismsP3 PrismsP4 HOSolAtEdgesP1 HOSolAtEdgesP2 HOSolAtEdgesP3 \
    HOSolAtTrianglesP1 HOSolAtTrianglesP2 HOSolAtTrianglesP3 HOSolAtQuadrilateralsQ1 HOSolAtQuadrilateralsQ2 \
    HOSolAtQuadrilateralsQ3 HOSolAtTetrahedraP1 HOSolAtTetrahedraP2 HOSolAtTetrahedraP3 HOSolAtPyramidsP1 \
    HOSolAtPyramidsP2 HOSolAtPyramidsP3 HOSolAtPrismsP1 HOSolAtPrismsP2 HOSolAtPrismsP3 HOSolAtHexahedraQ1 \
    HOSolAtHexahedraQ2 HOSolAtHexahedraQ3 BezierBasis ByteFlow EdgesP2Ordering EdgesP3Ordering TrianglesP2Ordering \
    TrianglesP3Ordering QuadrilateralsQ2Ordering QuadrilateralsQ3Ordering TetrahedraP2Ordering TetrahedraP3Ordering \
    PyramidsP2Ordering PyramidsP3Ordering PrismsP2Ordering PrismsP3Ordering HexahedraQ2Ordering HexahedraQ3Ordering \
    EdgesP1Ordering EdgesP4Ordering TrianglesP1Ordering TrianglesP4Ordering QuadrilateralsQ1Ordering \
    QuadrilateralsQ4Ordering TetrahedraP1Ordering TetrahedraP4Ordering PyramidsP1Ordering PyramidsP4Ordering \
    PrismsP1Ordering PrismsP4Ordering HexahedraQ1Ordering HexahedraQ4Ordering FloatingPointPrecision HOSolAtEdgesP4 \
    HOSolAtTrianglesP4 HOSolAtQuadrilateralsQ4 HOSolAtTetrahedraP4 HOSolAtPyramidsP4 HOSolAtPrismsP4 \
    HOSolAtHexahedraQ4 HOSolAtEdgesP1NodesPositions HOSolAtEdgesP2NodesPositions HOSolAtEdgesP3NodesPositions \
    HOSolAtEdgesP4NodesPositions HOSolAtTrianglesP1NodesPositions HOSolAtTrianglesP2NodesPositions \
    HOSolAtTrianglesP3NodesPositions HOSolAtTrianglesP4NodesPositions HOSolAtQuadrilateralsQ1NodesPositions \
    HOSolAtQuadrilateralsQ2NodesPositions HOSolAtQuadrilateralsQ3NodesPositions \
    HOSolAtQuadrilateralsQ4NodesPositions HOSolAtTetrahedraP1NodesPositions HOSolAtTetrahedraP2NodesPositions \
    HOSolAtTetrahedraP3NodesPositions HOSolAtTetrahedraP4NodesPositions HOSolAtPyramidsP1NodesPositions \
    HOSolAtPyramidsP2NodesPositions HOSolAtPyramidsP3NodesPositions HOSolAtPyramidsP4NodesPositions \
    HOSolAtPrismsP1NodesPositions HOSolAtPrismsP2NodesPositions HOSolAtPrismsP3NodesPositions \
    HOSolAtPrismsP4NodesPositions HOSolAtHexahedraQ1NodesPositions HOSolAtHexahedraQ2NodesPositions \
    HOSolAtHexahedraQ3NodesPositions HOSolAtHexahedraQ4NodesPositions EdgesReferenceElement TriangleReferenceElement \
    QuadrilateralReferenceElement TetrahedronReferenceElement PyramidReferenceElement PrismReferenceElement \
    HexahedronReferenceElement BoundaryLayers ReferenceStrings Prisms9 Hexahedra12 Quadrilaterals6 \
    BoundaryPolygonHeaders BoundaryPolygonVertices InnerPolygonHeaders InnerPolygonVertices PolyhedraHeaders \
    PolyhedraFaces Domains VerticesGID EdgesGID TrianglesGID QuadrilateralsGID TetrahedraGID PyramidsGID PrismsGID \
    HexahedraGID";

/// Returns the keyword of a number, for messages: its name in text files, if it has one.
pub(super) fn name_of_number(number: i32) -> String {
    let name = usize::try_from(number)
        .ok()
        .and_then(|n| NAMES.split_ascii_whitespace().nth(n))
        .filter(|name| !name.starts_with("Reserved"));
    match name {
        Some(name) => format!("'{name}'"),
        None => format!("keyword {number}"),
    }
}

/// Returns the kind of elements that a word names.
pub(super) fn of_name(word: &[u8]) -> Option<MeditElement> {
    let is = |e: &&MeditElement| word.eq_ignore_ascii_case(e.name.as_bytes());
    ELEMENTS.iter().find(is).copied()
}

/// Returns the kind of elements that a number names.
pub(super) fn of_number(number: i32) -> Option<MeditElement> {
    ELEMENTS.iter().find(|e| e.number == number).copied()
}

/// Returns `true` for lists that are ignored without a warning.
pub(super) fn is_plain(name: &str) -> bool {
    ["Corners", "Ridges"].contains(&name)
        || ["Required", "Normal", "Tangent"]
            .iter()
            .any(|k| name.starts_with(k))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_elements_are_those_of_their_names() {
        for element in ELEMENTS.iter().filter(|e| e.number >= 0) {
            assert_eq!(
                name_of_number(element.number),
                format!("'{}'", element.name)
            );
        }
        assert_eq!(name_of_number(54), "'End'");
        assert_eq!(name_of_number(131), "'QuadrilateralsQ2Ordering'");
        assert_eq!(name_of_number(2), "keyword 2");
        assert_eq!(name_of_number(-1), "keyword -1");
        assert_eq!(name_of_number(9999), "keyword 9999");
    }
}
