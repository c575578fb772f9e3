//! Flat arrays into patches: the end of an edit session, on the engine (Dynamic RXMesh 2024, section 5.3, cuts patches
//! in place; here all are packed again).
//!
//! Input: faces, edges and vertices in *session ids*, where some slots are free, and a label per face. Faces of one
//! label become one patch. Output: the layout that [`crate::topo`] describes, and the linear id of every session id.
//! The steps:
//!
//! 0. `relabel`, `recut`: on request, and if labels have too many or too few faces, better labels.
//! 1. `faces`: a counting sort of the faces by label, by session id within a label: their linear ids. On the way each
//!    edge and each vertex learns its *first* side or corner in this order. It belongs to the patch of that face, which
//!    is the lowest among its faces.
//! 2. `elements`: linear ids of edges and vertices, in the order in which the faces first meet them; and each face at
//!    the border of its patch is told to the patches that need it in their ribbon (the rule of `rxmesh_host::patch`).
//! 3. `extra`: the same for edges with more than two faces.
//! 4. `ribbon`: a patch sorts the faces that it received, and collects the edges and vertices of these faces that it
//!    does not
//!    own.
//! 5. `write`: headers, then sections, masks and lists.
//!
//! Atomics decide places only where a sort follows, so the result is the same on every engine and every run.

pub mod elements;
pub mod extra;
pub mod faces;
pub mod permute;
pub mod recut;
pub mod relabel;
pub mod ribbon;
pub mod write;

use crate::args;
use crate::mem::{Global, GlobalMut};

kernel_list! {
    of [
        relabel::KERNELS,
        recut::KERNELS,
        faces::KERNELS,
        elements::KERNELS,
        extra::KERNELS,
        ribbon::KERNELS,
        write::KERNELS,
        permute::KERNELS,
    ];
}

/// No element: in the first slot of a dead face or edge, in EF where there is no face, in VE of an isolated vertex.
pub const NONE: u32 = u32::MAX;
/// Value in VE of a dead vertex.
pub const DEAD: u32 = u32::MAX - 1;

/// Words that a block handles at a time in a longer list.
pub const CHUNK: u32 = 512;

args! {
    /// A mesh as flat arrays in session ids.
    pub struct RepackMesh {
        /// Three sides per face, `edge << 1 | d`, as [`crate::topo::PatchHeader::fe_section`] says; [`NONE`] first in a
        /// dead face.
        pub fe: Global<u32>,
        /// Source and target of each edge; [`NONE`] first in a dead edge.
        pub ev: Global<u32>,
        /// Two faces of each edge, any two if there are more, [`NONE`] if there are fewer.
        pub ef: Global<u32>,
        /// Distance from one face in EF to the next.
        pub step: u32,
        /// An edge of each vertex; [`NONE`] for an isolated vertex, [`DEAD`] for a dead one.
        pub ve: Global<u32>,
        /// Label of each live face.
        pub label: Global<u32>,
    }
}

/// Session ids of a face's three sides (`edge << 1 | d`) and corners.
#[derive(Clone, Copy)]
pub(crate) struct FaceSides {
    pub(crate) side: [u32; 3],
    pub(crate) corner: [u32; 3],
}

impl RepackMesh {
    /// Returns the number of slots for faces.
    #[inline(always)]
    pub fn faces(&self) -> u32 {
        self.fe.len() / 3
    }

    /// Returns `true` if a slot holds a face.
    #[inline(always)]
    pub fn is_face(&self, f: u32) -> bool {
        self.fe.get(3 * f) != NONE
    }

    /// Returns the sides and corners of a face.
    #[inline(always)]
    pub(crate) fn sides(&self, f: u32) -> FaceSides {
        let side = [
            self.fe.get(3 * f),
            self.fe.get(3 * f + 1),
            self.fe.get(3 * f + 2),
        ];
        FaceSides {
            side,
            // A side starts at the edge's source, or at its target if the side runs against it.
            corner: [
                self.ev.get(side[0]),
                self.ev.get(side[1]),
                self.ev.get(side[2]),
            ],
        }
    }

    /// Returns the other face of an edge, [`NONE`] if there is none; `None` if `f` is not among the two that EF holds.
    #[inline(always)]
    pub(crate) fn across(&self, edge: u32, f: u32) -> Option<u32> {
        let first = 2 * self.step * edge;
        let (a, b) = (self.ef.get(first), self.ef.get(first + self.step));
        if a == f {
            Some(b)
        } else if b == f {
            Some(a)
        } else {
            None
        }
    }
}

args! {
    /// Arrays that the kernels of a repack share. All zero at first.
    pub struct RepackArrays {
        /// Counters, indexed by [`Stat`].
        pub stats: GlobalMut<u32>,
        /// Number of faces of each label; then the start of its faces.
        pub label_faces: GlobalMut<u32>,
        /// Patch of each label.
        pub label_patch: GlobalMut<u32>,
        /// Linear id of each face.
        pub face_linear: GlobalMut<u32>,
        /// Session id of each linear face.
        pub face_session: GlobalMut<u32>,
        /// Bits of each linear face: the sides and corners that are the first of their edge or vertex (bits 0 to 2 and
        /// 3 to 5), and 1 in bit 6 if a corner belongs to another patch.
        pub marks: GlobalMut<u8>,
        /// Complement of each edge's first side, `!(3 * linear face + k)`; 0 for none.
        pub first_side: GlobalMut<u32>,
        /// Complement of each vertex's first corner.
        pub first_corner: GlobalMut<u32>,
        /// Linear id of each edge.
        pub edge_linear: GlobalMut<u32>,
        /// Session id of each linear edge.
        pub edge_session: GlobalMut<u32>,
        /// Linear id of each vertex.
        pub vertex_linear: GlobalMut<u32>,
        /// Start of each patch's faces; the end of the last.
        pub patch_face: GlobalMut<u32>,
        /// Number of edges that each patch owns; then their start.
        pub patch_edge: GlobalMut<u32>,
        /// Number of vertices that each patch owns; then their start.
        pub patch_vertex: GlobalMut<u32>,
        /// Faces that each patch is told, not all distinct; counted down as they are written.
        pub told_count: GlobalMut<u32>,
        /// Start of these in the list.
        pub told_start: GlobalMut<u32>,
        /// Start of the table of each patch with a long list, in words.
        pub table_start: GlobalMut<u32>,
    }
}

impl RepackArrays {
    /// Returns the patch of a linear face.
    #[inline(always)]
    pub(crate) fn patch_of(&self, flat: &RepackMesh, linear: u32) -> u32 {
        let label = flat.label.get(self.face_session.get(linear));
        self.label_patch.get(label)
    }

    /// Returns the first linear face and the number of faces of a patch.
    #[inline(always)]
    pub(crate) fn faces_of(&self, patch: u32) -> (u32, u32) {
        let first = self.patch_face.get(patch);
        (first, self.patch_face.get(patch + 1) - first)
    }

    /// Returns a counter.
    #[inline(always)]
    pub(crate) fn stat(&self, stat: Stat) -> u32 {
        self.stats.get(stat as u32)
    }
}

/// Counters of a repack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum Stat {
    /// Patches with faces.
    Patches = 1,
    /// Live faces.
    Faces,
    /// Edges that a face names.
    Edges,
    /// Vertices that a face names.
    Vertices,
    /// Faces told to patches.
    Told,
    /// Most faces told to one patch.
    MostTold,
    /// Words of the tables of patches with long lists.
    TableWords,
    /// Sides that are not among the two that EF holds for their edge.
    Extra,
    /// Sides of the edges that these belong to, counted down again as they are listed.
    Records,
    /// Live vertices that no face names.
    Isolated,
    /// A face whose label is out of range, plus one.
    BadLabel,
    /// Nonzero when the list of told faces would not fit 32 bits.
    Overflow,
    /// A patch with too many local elements, plus one.
    TooLarge,
    /// Nonzero when a section's offset would not fit 32 bits.
    Offsets,
    /// Most faces of one label.
    Largest,
    /// Pairs of neighbouring faces with different labels.
    Pairs,
    /// Regions that are cut.
    Cuts,
    /// Faces of these.
    CutFaces,
    /// Most faces of one of them.
    LargestRegion,
    /// New labels.
    Labels,
}

/// Number of words for [`Stat`]. (Word 0 is not used: see [`crate::mem::FAULT_WORDS`].)
pub const STATS: u32 = 24;
