//! The end of a hole: slots that were not reused, and edges of the loop.

use super::Hole;
use crate::cavity::record::{BORDER, LOSES_EDGE};
use crate::cavity::site::Site;
use crate::edit::{HalfEdgeMesh, HalfEdgeMeshMut, NO_FACE, NONE};

impl<S: Site> Hole<'_, S> {
    /// Deletes the elements whose slots were not reused, and gives the loop vertices edges.
    #[inline(always)]
    pub fn close<const LEAVES_HOLE: bool>(self) {
        let (cavity, mesh) = (&self.cavity, self.mesh());
        let mut k = self.edges;
        while k < cavity.edges() {
            mesh.bury_edge(cavity.edge(k));
            k += 1;
        }
        k = self.vertices;
        while k < cavity.vertices() {
            mesh.bury_vertex(cavity.vertex(k));
            k += 1;
        }
        let filled = if LEAVES_HOLE {
            self.leave_open();
            true
        } else {
            self.repair()
        };
        if self.broken || !filled {
            self.cavity.site().broken();
        }
    }

    /// Assigns a loop edge to loop vertices whose edge was deleted. Returns `true` if every loop edge has a face.
    #[inline(always)]
    fn repair(&self) -> bool {
        let (cavity, mesh) = (&self.cavity, self.mesh());
        let mut filled = true;
        let mut i = 0;
        while i < cavity.corners() {
            let v = cavity.marked_corner(i);
            let half = cavity.rim_half(if i < cavity.rim() { i } else { i - 1 });
            if mesh.lost_face(half) != NONE {
                mesh.leave_face(half);
                filled = false;
            }
            if v & LOSES_EDGE != 0 {
                mesh.store_edge_at(cavity.corner(i), half >> 1);
            }
            i += 1;
        }
        filled
    }

    /// Works like [`Hole::repair`], if loop edges may have no face: those without any face are deleted, and vertices
    /// may end up alone.
    #[inline(always)]
    fn leave_open(&self) {
        let (cavity, mesh) = (&self.cavity, self.mesh());
        let rim = cavity.rim();
        let mut i = 0;
        while i < rim {
            if mesh.lost_face(cavity.rim_half(i)) != NONE {
                mesh.leave_face(cavity.rim_half(i));
            }
            i += 1;
        }
        let goes = |i: u32| {
            cavity.marked_corner(i) & BORDER != 0 && mesh.face(cavity.rim_half(i)) == NO_FACE
        };
        i = 0;
        while i < cavity.corners() {
            let v = cavity.corner(i);
            let before = if i > 0 { i - 1 } else { rim - 1 };
            let has_before = i > 0 || cavity.is_closed();
            let (stays_before, stays) = (has_before && !goes(before), i < rim && !goes(i));
            let edge = mesh.load_edge_at(v);
            let loses = cavity.marked_corner(i) & LOSES_EDGE != 0
                || has_before && !stays_before && cavity.rim_half(before) >> 1 == edge
                || i < rim && !stays && cavity.rim_half(i) >> 1 == edge;
            if loses {
                let new = if stays {
                    cavity.rim_half(i) >> 1
                } else if stays_before {
                    cavity.rim_half(before) >> 1
                } else {
                    NONE
                };
                mesh.store_edge_at(v, new);
            }
            i += 1;
        }
        i = 0;
        while i < rim {
            if goes(i) {
                mesh.bury_edge(cavity.rim_half(i) >> 1);
            }
            i += 1;
        }
    }
}
