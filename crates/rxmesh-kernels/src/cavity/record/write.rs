//! Writing the record of a cavity.

use super::{BORDER, CLOSED, LOSES_EDGE, RECORD_HEADER};
use crate::cavity::round::faces;
use crate::cavity::site::{Holder, Site};
use crate::cavity::template::{Vertices, deletes};
use crate::cavity::{Operator, Template};
use crate::edit::{HalfEdgeMesh, NO_FACE};

/// Counts of the sides of a cavity's faces.
#[derive(Clone, Copy, Default)]
struct SideCounts {
    /// Edges that are deleted.
    edges: u32,
    /// Deleted edges of the mesh's boundary.
    borders: u32,
    /// Edges of the boundary loop.
    rim: u32,
    /// Half-edge of one of them.
    first: u32,
}

/// Writes the record of a winner's cavity.
pub struct Recorder<'a, O, S, H> {
    /// Operator that deletes the cavity.
    pub op: &'a O,
    /// Destination of the record.
    pub site: S,
    /// Holder of the cavity's faces.
    pub holder: H,
    /// Seed of the cavity.
    pub seed: u32,
}

impl<O: Operator, S: Site, H: Holder> Recorder<'_, O, S, H> {
    /// Writes the record. Returns `false` if the cavity is no disk.
    #[inline(always)]
    pub fn write(&self) -> bool {
        let faces = self.list_faces();
        let SideCounts {
            edges,
            borders,
            rim,
            first,
        } = self.list_edges(faces);
        if rim == 0 {
            return false;
        }
        let rim_at = RECORD_HEADER + faces + edges;
        let (walked, closed) = self.walk_rim(rim_at, rim, first, faces);
        let corners = walked + u32::from(!closed);
        let Some(vertices) = self.list_vertices(rim_at + 2 * corners) else {
            return false;
        };
        self.site.set_word(0, faces);
        self.site.set_word(1, edges);
        self.site.set_word(2, vertices);
        self.site
            .set_word(3, walked | if closed { CLOSED } else { 0 });
        // Euler's formula for a disk: closed loops around inner vertices, open ones with a stretch of the boundary.
        let disk = if closed {
            borders == 0 && faces + 2 == rim + 2 * vertices
        } else {
            faces + borders == rim + 2 * vertices
        };
        // Two edges around a hole leave nothing that could fill it.
        let holds = !closed || rim > 2 || O::LEAVES_HOLE;
        walked == rim
            && disk
            && holds
            && (O::RIM_IS_SIMPLE || self.rim_is_simple(rim_at, corners))
            && (!O::LEAVES_HOLE || self.keeps_fans(rim_at, rim, closed))
    }

    #[inline(always)]
    pub(in crate::cavity) fn mesh(&self) -> &S::Mesh {
        self.site.mesh()
    }

    #[inline(always)]
    fn is_inside(&self, f: u32) -> bool {
        f != NO_FACE && self.holder.holds(f)
    }

    #[inline(always)]
    fn deletes_border(&self, e: u32) -> bool {
        deletes(&self.op.template(), self.mesh(), self.seed, e)
    }

    /// Returns `true` if the cavity deletes an edge.
    #[inline(always)]
    fn deletes(&self, e: u32) -> bool {
        let (f, g) = (self.mesh().face(2 * e), self.mesh().face(2 * e + 1));
        let (in_f, in_g) = (self.is_inside(f), self.is_inside(g));
        in_f && in_g || (in_f && g == NO_FACE || in_g && f == NO_FACE) && self.deletes_border(e)
    }

    #[inline(always)]
    fn list_faces(&self) -> u32 {
        let mut n = 0;
        faces(&self.op.template(), self.mesh(), self.seed, |f| {
            if self.holder.list(f) {
                self.site.set_word(RECORD_HEADER + n, f);
                n += 1;
            }
            true
        });
        n
    }

    /// Lists the edges, and counts the kinds of sides of the faces.
    #[inline(always)]
    fn list_edges(&self, faces: u32) -> SideCounts {
        let mut sides = SideCounts::default();
        let mut i = 0;
        while i < faces {
            let [a, b, c] = self.mesh().sides(self.site.word(RECORD_HEADER + i));
            sides = self.side(faces, a, sides);
            sides = self.side(faces, b, sides);
            sides = self.side(faces, c, sides);
            i += 1;
        }
        sides
    }

    /// Records one side of a face. Counts are passed by value, so that they stay in registers.
    #[inline(always)]
    fn side(&self, faces: u32, h: u32, mut n: SideCounts) -> SideCounts {
        let across = self.mesh().face(h ^ 1);
        let inside = self.is_inside(across);
        let border = across == NO_FACE && self.deletes_border(h >> 1);
        // An edge between two faces of the cavity is met twice.
        if inside && h & 1 == 0 || border {
            self.site.set_word(RECORD_HEADER + faces + n.edges, h >> 1);
            n.edges += 1;
            n.borders += u32::from(border);
        } else if !inside {
            if n.rim == 0 {
                n.first = h;
            }
            n.rim += 1;
        }
        n
    }

    /// Returns the loop edge after `h`, or `None` if the loop ends at the boundary of the mesh. The path there leads
    /// across faces of the cavity, each at most once; in a broken mesh it may not end there, and `h` itself, which
    /// makes no boundary loop, is returned.
    #[inline(always)]
    fn rim_after(&self, h: u32, faces: u32) -> Option<u32> {
        let mut g = self.mesh().next(h);
        let mut left = faces;
        loop {
            if left == 0 {
                return Some(h);
            }
            left -= 1;
            let across = self.mesh().face(g ^ 1);
            if self.is_inside(across) {
                g = self.mesh().next(g ^ 1);
            } else if across == NO_FACE && self.deletes_border(g >> 1) {
                return None;
            } else {
                return Some(g);
            }
        }
    }

    /// Returns the loop edge before `h`, or `None` if the loop begins at the boundary of the mesh; otherwise as
    /// [`Recorder::rim_after`].
    #[inline(always)]
    fn rim_before(&self, h: u32, faces: u32) -> Option<u32> {
        let mut g = self.mesh().previous(h);
        let mut left = faces;
        loop {
            if left == 0 {
                return Some(h);
            }
            left -= 1;
            let across = self.mesh().face(g ^ 1);
            if self.is_inside(across) {
                g = self.mesh().previous(g ^ 1);
            } else if across == NO_FACE && self.deletes_border(g >> 1) {
                return None;
            } else {
                return Some(g);
            }
        }
    }

    /// Writes the boundary loop in order from `first`, or from the beginning of an open loop. Returns its length, at
    /// most `rim`, and `true` if it is closed.
    #[inline(always)]
    fn walk_rim(&self, at: u32, rim: u32, first: u32, faces: u32) -> (u32, bool) {
        let mut start = first;
        let mut open = false;
        loop {
            let mut h = start;
            let mut n = 0;
            let mut ends = false;
            while n < rim {
                let v = self.mesh().origin(h);
                let border = if self.mesh().face(h ^ 1) == NO_FACE {
                    BORDER
                } else {
                    0
                };
                self.site.set_word(at + 2 * n, h);
                self.site
                    .set_word(at + 2 * n + 1, v | border | self.loses_edge(v));
                n += 1;
                match self.rim_after(h, faces) {
                    Some(next) if next == start => return (n, true),
                    Some(next) => h = next,
                    None => {
                        ends = true;
                        break;
                    }
                }
            }
            if ends && !open {
                // Not closed: again from its beginning.
                open = true;
                start = self.rim_start(first, rim, faces);
                continue;
            }
            let v = self.mesh().tip(h);
            self.site.set_word(at + 2 * n, NO_FACE);
            self.site.set_word(at + 2 * n + 1, v | self.loses_edge(v));
            // Neither closed nor at its end: more than one boundary loop.
            return (if ends { n } else { 0 }, false);
        }
    }

    /// Returns the first edge of an open loop.
    #[inline(always)]
    fn rim_start(&self, first: u32, rim: u32, faces: u32) -> u32 {
        let mut start = first;
        let mut n = 0;
        while n < rim {
            match self.rim_before(start, faces) {
                Some(h) => start = h,
                None => break,
            }
            n += 1;
        }
        start
    }

    #[inline(always)]
    fn loses_edge(&self, v: u32) -> u32 {
        if self.deletes(self.mesh().edge_at(v)) {
            LOSES_EDGE
        } else {
            0
        }
    }

    /// Lists the vertices; `None` if one is named twice.
    #[inline(always)]
    fn list_vertices(&self, at: u32) -> Option<u32> {
        let mut n = 0;
        let all = self.op.template().elements(
            self.mesh(),
            self.seed,
            &mut Vertices(|v| {
                let mut i = 0;
                while i < n {
                    if self.site.word(at + i) == v {
                        return false;
                    }
                    i += 1;
                }
                self.site.set_word(at + n, v);
                n += 1;
                true
            }),
        );
        all.then_some(n)
    }

    /// Returns `true` if no vertex is on the boundary loop twice.
    #[inline(always)]
    pub(in crate::cavity) fn rim_is_simple(&self, at: u32, corners: u32) -> bool {
        let vertex = |i: u32| self.site.word(at + 2 * i + 1) & !(LOSES_EDGE | BORDER);
        let mut i = 1;
        while i < corners {
            let mut k = 0;
            while k < i {
                if vertex(i) == vertex(k) {
                    return false;
                }
                k += 1;
            }
            i += 1;
        }
        true
    }

    /// Returns `true` if the faces beyond the boundary loop stay one fan at each of its vertices when the hole stays
    /// open.
    #[inline(always)]
    fn keeps_fans(&self, at: u32, rim: u32, closed: bool) -> bool {
        let half = |i: u32| self.site.word(at + 2 * i);
        let mut i = u32::from(!closed);
        while i < rim {
            let (before, after) = (half(if i == 0 { rim - 1 } else { i - 1 }), half(i));
            let mut h = after ^ 1;
            if self.mesh().face(before ^ 1) != NO_FACE {
                // Around the vertex, from the loop edge that leaves it to the one that comes in.
                let mut left = self.mesh().turn_limit();
                while self.mesh().face(h) != NO_FACE && h != before {
                    if left == 0 {
                        return false;
                    }
                    left -= 1;
                    h = self.mesh().next(h) ^ 1;
                }
                if h != before && h != after ^ 1 {
                    return false;
                }
            }
            i += 1;
        }
        true
    }
}
