//! Cases of cells of a grid: the pieces of surface in a cell, by the corners that are inside. The host makes the table.

use crate::args;
use crate::mem::Global;

/// Cases of a cell: one for each set of inside corners, then the same with the pieces at one of its faces joined the
/// other way.
pub const CASES: u32 = 512;

/// Edges of a cell. Edge `4 a + 2 t + s` is along axis `a`, and begins at the corner that is `s` cells along the axis
/// after `a`, and `t` along the one after that.
pub const EDGES: u32 = 12;

/// Bits of a word of the table: two for the piece of each edge, three for the number of pieces, three for the face.
const PIECES_SHIFT: u32 = 2 * EDGES;

/// Position of the face in a word of the table.
const FACE_SHIFT: u32 = PIECES_SHIFT + 3;

/// Face of a case without one that joins a piece with itself.
pub const NO_FACE: u32 = 7;

args! {
    /// Cases of cells. Corner `x + 2 y + 4 z` of a cell is bit `x + 2 y + 4 z` of its case: 1 for inside.
    pub struct CaseTable {
        /// A word a case.
        pub words: Global<u32>,
    }
}

/// Case of a cell, as its word in the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Case(pub u32);

impl Case {
    /// Makes a case of the piece of each edge, the number of pieces, and the face at which a piece meets itself: face
    /// `2 a + 1` is that at the high end of axis `a`.
    pub const fn new(pieces: [u32; EDGES as usize], count: u32, face: u32) -> Case {
        let (mut word, mut e) = (count << PIECES_SHIFT | face << FACE_SHIFT, 0);
        while e < EDGES {
            word |= pieces[e as usize] << (2 * e);
            e += 1;
        }
        Case(word)
    }

    /// Returns the piece of surface that crosses an edge.
    #[inline(always)]
    pub fn piece(self, edge: u32) -> u32 {
        self.0 >> (2 * edge) & 3
    }

    /// Returns the number of pieces.
    #[inline(always)]
    pub fn pieces(self) -> u32 {
        self.0 >> PIECES_SHIFT & 7
    }

    /// Returns the face at which a piece meets itself, or [`NO_FACE`].
    #[inline(always)]
    pub fn face(self) -> u32 {
        self.0 >> FACE_SHIFT
    }
}

impl CaseTable {
    /// Returns a case.
    #[inline(always)]
    pub fn case(&self, case: u32) -> Case {
        Case(self.words.get(case))
    }
}
