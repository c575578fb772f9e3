//! Filling with a star by several threads.

use super::{Corner, SeedQueue, Side};
use crate::cavity::Operator;
use crate::cavity::operator::Spoke;
use crate::cavity::record::{BORDER, Cavity, LOSES_EDGE};
use crate::cavity::site::Site;
use crate::edit::{HalfEdgeMesh, HalfEdgeMeshMut};
use core::marker::PhantomData;

/// A hole that is filled with a star by several threads, each for some corners of its boundary loop, with the same ids
/// as [`Hole::add_star_of`](super::Hole::add_star_of) gives between its cut and its close. For operators with
/// [`Operator::STAR`], of which no face has more than one side on the boundary loop.
pub(in crate::cavity) struct Star<S> {
    /// Cavity that is filled.
    pub cavity: Cavity<S>,
    /// Id of the new vertex.
    pub centre: u32,
    /// Patch of the new faces.
    pub patch: u32,
}

impl<S: Site> Star<S> {
    /// Returns `true` if there are slots for all elements that it adds.
    #[inline(always)]
    pub(in crate::cavity) fn fits(cavity: &Cavity<S>) -> bool {
        cavity.corners() <= cavity.edges() && cavity.vertices() > 0
    }

    /// Deletes faces `i`, `i + step` and so on. Before any is added.
    #[inline(always)]
    pub(in crate::cavity) fn cut(&self, mut i: u32, step: u32) {
        while i < self.cavity.faces() {
            self.cavity.mesh().bury_face(self.cavity.face(i));
            i += step;
        }
    }

    /// Adds the edges and faces of corners `i`, `i + step` and so on, and buries the slots that no corner needs.
    #[inline(always)]
    pub(in crate::cavity) fn fill<O: Operator>(&self, op: &O, told: u32, mut i: u32, step: u32) {
        let (cavity, mesh) = (&self.cavity, self.cavity.mesh());
        let first = i;
        while i < cavity.corners() {
            self.add(op, told, i);
            i += step;
        }
        i = first + cavity.corners();
        while i < cavity.edges() {
            mesh.bury_edge(cavity.edge(i));
            i += step;
        }
        i = first + 1;
        while i < cavity.vertices() {
            mesh.bury_vertex(cavity.vertex(i));
            i += step;
        }
    }

    /// Adds the edge to corner `i` and the face at the loop edge that leaves it.
    #[inline(always)]
    fn add<O: Operator>(&self, op: &O, told: u32, i: u32) {
        let (cavity, mesh) = (&self.cavity, self.cavity.mesh());
        let (rim, closed) = (cavity.rim(), cavity.is_closed());
        let marked = cavity.marked_corner(i);
        let (v, e) = (marked & !(LOSES_EDGE | BORDER), cavity.edge(i));
        mesh.set_ends(e, [self.centre, v]);
        if i + 1 == cavity.corners() {
            mesh.set_edge_at(self.centre, e);
        }
        // The first and the last spoke of an open loop have a face on one side only.
        if !closed && (i == 0 || i == rim) {
            mesh.leave_face(2 * e + u32::from(i == 0));
        }
        let corner = |id, new| Corner {
            id,
            new,
            brand: PhantomData,
        };
        let spoke = Spoke {
            number: i,
            side: Side {
                half: 2 * e,
                from: self.centre,
                to: v,
                brand: PhantomData,
            },
            centre: corner(self.centre, true),
            corner: corner(v, false),
        };
        op.spoke(spoke, told, SeedQueue(cavity.site(), PhantomData));
        let half = cavity.rim_half(if i < rim { i } else { i - 1 });
        if i < rim {
            let next = cavity.edge(if closed && i + 1 == rim { 0 } else { i + 1 });
            let f = mesh.face(half);
            mesh.set_sides(f, [half, 2 * next + 1, 2 * e]);
            mesh.set_label(f, self.patch);
        }
        if marked & LOSES_EDGE != 0 {
            mesh.store_edge_at(v, half >> 1);
        }
    }
}
