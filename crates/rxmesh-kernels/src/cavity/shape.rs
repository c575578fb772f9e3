//! Records of cavities whose shape is known: in one walk, where [`Recorder::write`] searches.

use super::Operator;
use super::record::{CLOSED, LOSES_EDGE, RECORD_HEADER, Recorder};
use super::site::{Holder, Site};
use super::template::{CavityShape, Template};
use crate::edit::{HalfEdgeMesh, NO_FACE, NONE};

/// Returns the number of words of the record of a cavity whose faces are met `met` times, if its shape is known; 0 if
/// it certainly is not.
#[inline(always)]
pub(super) fn known_words<O: Operator>(met: u32) -> u32 {
    match O::Template::SHAPE {
        _ if O::LEAVES_HOLE => 0,
        CavityShape::Edge if met == 2 => RECORD_HEADER + 2 + 1 + 2 * 4,
        // The faces at the edge are met twice.
        CavityShape::Ends if O::RIM_IS_SIMPLE && met >= 7 => {
            RECORD_HEADER + (met - 2) + (met - 1) + 2 * (met - 4) + 2
        }
        _ => 0,
    }
}

impl<O: Operator, S: Site, H: Holder> Recorder<'_, O, S, H> {
    /// Works like [`Recorder::write`], for a cavity that the seed is known to hold whole, whose faces are met `met`
    /// times; in one walk if the template has a [`CavityShape`] and the boundary is not near.
    #[inline(always)]
    pub fn write_shape(&self, met: u32) -> bool {
        self.write_known(met).unwrap_or_else(|| self.write())
    }

    /// Works like [`Recorder::write_shape`] if the shape is known, whether the seed holds the cavity or not; otherwise
    /// returns `None`.
    #[inline(always)]
    pub(super) fn write_known(&self, met: u32) -> Option<bool> {
        let known = known_words::<O>(met) != 0
            && match O::Template::SHAPE {
                CavityShape::Any => false,
                CavityShape::Edge => self.write_edge(),
                CavityShape::Ends => self.write_ends(met),
            };
        known.then(|| {
            O::RIM_IS_SIMPLE || {
                let [faces, edges] = [self.site.word(0), self.site.word(1)];
                self.rim_is_simple(RECORD_HEADER + faces + edges, self.corners())
            }
        })
    }

    /// Returns the number of corners of the closed loop that was written.
    #[inline(always)]
    fn corners(&self) -> u32 {
        self.site.word(3) & !CLOSED
    }

    #[inline(always)]
    fn write_counts(&self, faces: u32, edges: u32, vertices: u32, rim: u32) {
        self.site.set_word(0, faces);
        self.site.set_word(1, edges);
        self.site.set_word(2, vertices);
        self.site.set_word(3, rim | CLOSED);
    }

    /// Writes corner `i` of a boundary loop that begins at word `at`. The cavity deletes these two of the edges of
    /// vertex `v`.
    #[inline(always)]
    fn write_corner(&self, at: u32, i: u32, half: u32, v: u32, deleted: [u32; 2]) {
        let edge = self.mesh().edge_at(v);
        let loses = edge == deleted[0] || edge == deleted[1];
        self.site.set_word(at + 2 * i, half);
        let mark = if loses { LOSES_EDGE } else { 0 };
        self.site.set_word(at + 2 * i + 1, v | mark);
    }

    /// Writes the two faces of an edge: four edges around them, from the first that the first face names.
    #[inline(always)]
    fn write_edge(&self) -> bool {
        let (mesh, e) = (self.mesh(), self.seed);
        let (f, g) = (mesh.face(2 * e), mesh.face(2 * e + 1));
        if f == NO_FACE || g == NO_FACE || f == g {
            return false;
        }
        let (from_b, to_a) = mesh.around(2 * e);
        let (from_a, to_b) = mesh.around(2 * e + 1);
        let site = &self.site;
        site.set_word(RECORD_HEADER, f);
        site.set_word(RECORD_HEADER + 1, g);
        site.set_word(RECORD_HEADER + 2, e);
        let rim_at = RECORD_HEADER + 3;
        let turned = u32::from(mesh.sides(f)[1] == 2 * e);
        let corner = |i: u32, half: u32| {
            let at = (i + 4 - turned) % 4;
            self.write_corner(rim_at, at, half, mesh.origin(half), [e, e]);
        };
        corner(0, from_b);
        corner(1, to_a);
        corner(2, from_a);
        corner(3, to_b);
        self.write_counts(2, 1, 0, 4);
        true
    }

    /// Writes the stars of both ends of an edge, which together have `met` faces if those at the edge count twice.
    /// Returns `false`, and the record is not valid, if one of them is open, or both are all of a tetrahedron: then the
    /// edge between the vertices opposite lies inside.
    ///
    /// The boundary loop begins opposite the edge on its left. Around the first end it goes to the vertex opposite on
    /// the right, and around the second back.
    #[inline(always)]
    fn write_ends(&self, met: u32) -> bool {
        let all = ListLengths::of(met);
        let (mut side, mut from) = (0, ListLengths::default());
        while side < 2 {
            match self.write_end(side, met, from, all) {
                Some(to) => from = to,
                None => return false,
            }
            side += 1;
        }
        from == all
    }

    /// Writes the part of one end in the record of an edge whose ends are named, by one of two threads. Returns `true`
    /// if it has the number of faces that were counted. All faces are met `met` times, `first` of them at the first
    /// end.
    #[inline(always)]
    pub(super) fn write_side(&self, side: u32, met: u32, first: u32) -> bool {
        let (all, begin) = (ListLengths::of(met), ListLengths::default());
        let middle = ListLengths {
            faces: first,
            edges: first,
            corners: first.saturating_sub(2),
        };
        let (from, to) = if side == 0 {
            (begin, middle)
        } else {
            (middle, all)
        };
        self.write_end(side, met, from, to) == Some(to)
    }

    /// Writes the part of one end, between two places of each list. Returns the place where it ends; `None` if there is
    /// more, or a boundary.
    #[inline(always)]
    fn write_end(
        &self,
        side: u32,
        met: u32,
        from: ListLengths,
        to: ListLengths,
    ) -> Option<ListLengths> {
        let (mesh, e) = (self.mesh(), self.seed);
        let all = ListLengths::of(met);
        let edges_at = RECORD_HEADER + all.faces;
        let rim_at = edges_at + all.edges;
        let mut at = from;
        // The edge between the other end and the vertex opposite at which this end's part of the boundary loop begins.
        let mut opposite = NONE;
        let start = 2 * e + side;
        let mut h = start;
        let mut first = true;
        loop {
            let f = mesh.face(h);
            if f == NO_FACE {
                return None;
            }
            let (next, previous) = mesh.around(h);
            let after = previous ^ 1;
            let last = after == start;
            // The faces at the edge are in both stars.
            let shared = first || last;
            if side == 0 || !shared {
                if at.faces == to.faces {
                    return None;
                }
                self.site.set_word(RECORD_HEADER + at.faces, f);
                at.faces += 1;
            }
            if side == 0 || !first {
                if at.edges == to.edges {
                    return None;
                }
                self.site.set_word(edges_at + at.edges, h >> 1);
                at.edges += 1;
            }
            if first {
                opposite = next >> 1;
            }
            if !shared {
                if at.corners == to.corners {
                    return None;
                }
                let deleted = [h >> 1, opposite];
                self.write_corner(rim_at, at.corners, next, mesh.tip(h), deleted);
                at.corners += 1;
            }
            if last {
                break;
            }
            (h, first) = (after, false);
        }
        let vertices_at = rim_at + 2 * all.corners;
        self.site
            .set_word(vertices_at + side, mesh.origin(2 * e + side));
        if side == 0 {
            self.write_counts(all.faces, all.edges, 2, all.corners);
        }
        Some(at)
    }
}

/// Lengths of the lists in the record of an edge whose ends are named, or places in them.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct ListLengths {
    faces: u32,
    edges: u32,
    corners: u32,
}

impl ListLengths {
    /// Returns the lengths if faces are met `met` times.
    #[inline(always)]
    fn of(met: u32) -> ListLengths {
        ListLengths {
            faces: met - 2,
            edges: met - 1,
            corners: met - 4,
        }
    }
}
