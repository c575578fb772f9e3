//! Kinds of elements of MEDIT, by their names in text and their numbers in bytes.

/// A kind of elements.
#[derive(Debug, Clone, Copy)]
pub(super) struct Element {
    name: &'static str,
    /// The keyword's number in binary files.
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

const fn kept(name: &'static str, number: i32, nodes: usize, corners: usize) -> Element {
    Element {
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
) -> Element {
    Element {
        name,
        number,
        nodes,
        corners: None,
        solid,
        plural,
    }
}

/// Numbers as in libMeshb7.
const ELEMENTS: [Element; 13] = [
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

/// The kind of elements that a word names.
pub(super) fn of_name(word: &[u8]) -> Option<Element> {
    let is = |e: &&Element| word.eq_ignore_ascii_case(e.name.as_bytes());
    ELEMENTS.iter().find(is).copied()
}

/// The kind of elements that a number names.
pub(super) fn of_number(number: i32) -> Option<Element> {
    ELEMENTS.iter().find(|e| e.number == number).copied()
}

/// `true` for lists that are passed over without a word.
pub(super) fn is_plain(name: &str) -> bool {
    ["Corners", "Ridges"].contains(&name)
        || ["Required", "Normal", "Tangent"]
            .iter()
            .any(|k| name.starts_with(k))
}
