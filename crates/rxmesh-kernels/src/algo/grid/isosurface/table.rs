//! Triangles of cells: a list for each set of corners that are inside and each way in which faces and the interior
//! connect them. The host makes the table.

use crate::args;
use crate::mem::Global;

/// Sets of corners of a cell.
pub const CORNER_SETS: u32 = 256;

/// Lists for each way in which the faces of a cell connect its corners: the usual one, one with a tunnel through the
/// inside between two parts of the outside, and the other way round.
pub const LISTS: u32 = 3;

/// Label of the first vertex in the interior of a cell; edges have the labels below.
pub const FIRST_CENTRE: u32 = 12;

/// List whose inside parts are connected through the interior.
pub const INSIDE_CONNECTED: u32 = 1;

/// List whose outside parts are connected through the interior.
pub const OUTSIDE_CONNECTED: u32 = 2;

/// Positions of the number of triangles, of the vertices in the interior and of the tests in a word of a list; the
/// first triangle is below.
const COUNT_SHIFT: u32 = 18;
const CENTRES_SHIFT: u32 = COUNT_SHIFT + 5;
const TESTS_SHIFT: u32 = CENTRES_SHIFT + 3;

/// Position of the faces that connect corners in one of two ways, in the word of a set of corners; its first list is
/// below.
const FACES_SHIFT: u32 = 16;

args! {
    /// Triangles of cells: a word for each set of corners, a word a list, a word a triangle.
    pub struct CellTable {
        /// Words of all.
        pub words: Global<u32>,
    }
}

/// Set of corners of a cell, as its word in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CornerSet(pub u32);

impl CornerSet {
    /// Makes the word of a set by the number of its first list and the faces that connect corners in one of two ways.
    pub const fn new(first: u32, faces: u32) -> CornerSet {
        CornerSet(first | faces << FACES_SHIFT)
    }

    /// Returns the number of the first list.
    #[inline(always)]
    pub fn first(self) -> u32 {
        self.0 & ((1 << FACES_SHIFT) - 1)
    }

    /// Returns the faces that connect corners in one of two ways, a bit each.
    #[inline(always)]
    pub fn faces(self) -> u32 {
        self.0 >> FACES_SHIFT
    }
}

/// List of the triangles of a cell, as its word in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellTriangles(pub u32);

impl CellTriangles {
    /// Makes the word of a list by its first triangle, the number of them and of vertices in the interior, and the
    /// tests whether the interior connects inside (bit 0) or outside parts (bit 1).
    pub const fn new(first: u32, count: u32, centres: u32, tests: u32) -> CellTriangles {
        CellTriangles(
            first | count << COUNT_SHIFT | centres << CENTRES_SHIFT | tests << TESTS_SHIFT,
        )
    }

    /// Returns the number of the first triangle.
    #[inline(always)]
    pub fn first(self) -> u32 {
        self.0 & ((1 << COUNT_SHIFT) - 1)
    }

    /// Returns the number of triangles.
    #[inline(always)]
    pub fn count(self) -> u32 {
        self.0 >> COUNT_SHIFT & 0x1f
    }

    /// Returns the number of vertices in the interior.
    #[inline(always)]
    pub fn centres(self) -> u32 {
        self.0 >> CENTRES_SHIFT & 7
    }

    /// Returns the tests whether the interior connects parts, as bits.
    #[inline(always)]
    pub fn tests(self) -> u32 {
        self.0 >> TESTS_SHIFT
    }
}

/// Returns the word of a triangle by the labels of its corners.
pub const fn pack_triangle([a, b, c]: [u32; 3]) -> u32 {
    a | b << 4 | c << 8
}

impl CellTable {
    /// Returns a set of corners.
    #[inline(always)]
    pub fn set(&self, corners: u32) -> CornerSet {
        CornerSet(self.words.get(corners))
    }

    /// Returns a list.
    #[inline(always)]
    pub fn list(&self, list: u32) -> CellTriangles {
        CellTriangles(self.words.get(CORNER_SETS + list))
    }

    /// Returns the labels of a triangle's corners. Triangles count from the beginning of the table.
    #[inline(always)]
    pub fn triangle(&self, triangle: u32) -> [u32; 3] {
        let word = self.words.get(triangle);
        [word & 15, word >> 4 & 15, word >> 8 & 15]
    }
}
