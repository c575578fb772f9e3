//! The walk around both ends of an edge.
//!
//! A CPU keeps the neighbours of both ends, for faces four at a time; a GPU would have to put them into memory, and
//! examines the faces as the walk comes to them.

use super::Collapse;
use super::folds::EndWalk;
use crate::algo::improve::simplify::{LineForm, QuadricSurface};
use crate::cavity::LinkWalk;
use crate::edit::{HalfEdgeMesh, NO_FACE, NONE};
use glam::Vec3;

/// Results of the walks around the ends of an edge.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    pub(super) walk: LinkWalk,
    /// `true` if an end or a neighbour is one of several in one place.
    pub(super) near_place: bool,
    /// Neighbours of each end.
    pub(super) rings: [FirstTips; 2],
    /// `true` if a face turns too far; `None` if the walks have not computed it.
    pub(super) folds: Option<bool>,
}

/// Neighbours of a vertex that a CPU keeps.
pub(super) const RING: usize = 16;

/// `true` to keep rings: a GPU would have to put them into memory.
pub(super) const KEEPS_RINGS: bool = cfg!(not(target_arch = "nvptx64"));

/// The first neighbours of a vertex as a walk comes to them, and their number.
#[derive(Clone, Copy)]
pub(super) struct FirstTips {
    tips: [u32; RING],
    n: usize,
}

impl FirstTips {
    const EMPTY: FirstTips = FirstTips {
        tips: [NONE; RING],
        n: 0,
    };

    #[inline(always)]
    fn enter(&mut self, tip: u32) {
        if self.n < RING {
            self.tips[self.n] = tip;
        }
        self.n += 1;
    }

    /// Returns all neighbours but the first, if they are kept.
    #[inline(always)]
    pub(super) fn others(&self) -> Option<&[u32]> {
        if !KEEPS_RINGS {
            return None;
        }
        self.tips.get(1..self.n).filter(|others| others.len() > 1)
    }
}

/// EndNeighbour of an end of an edge, as the walk comes to it.
#[derive(Clone, Copy)]
struct EndNeighbour {
    /// 0 or 1: the end.
    side: u32,
    /// The neighbour.
    tip: u32,
    /// `true` if there is no face behind it.
    is_border: bool,
}

/// State of the walk beside its counts.
trait VisitNeighbour {
    /// Adds a neighbour. Returns `false` to end the walk.
    fn add(&mut self, neighbour: EndNeighbour) -> bool;
}

impl VisitNeighbour for [FirstTips; 2] {
    #[inline(always)]
    fn add(&mut self, neighbour: EndNeighbour) -> bool {
        if KEEPS_RINGS {
            self[neighbour.side as usize].enter(neighbour.tip);
        }
        true
    }
}

/// FacesAtEnds at both ends as the walk comes to them.
struct FacesAtEnds<'a, L: LineForm> {
    surface: &'a QuadricSurface<L>,
    /// Place of the new vertex.
    to: Vec3,
    ends: [u32; 2],
    first: EndWalk,
    second: EndWalk,
    /// `true` if a face turns too far.
    folds: bool,
}

impl<L: LineForm> VisitNeighbour for FacesAtEnds<'_, L> {
    #[inline(always)]
    fn add(&mut self, n: EndNeighbour) -> bool {
        let [a, b] = self.ends;
        // Copies and no indices, so that both stay in registers.
        let (mut around, other) = if n.side == 0 {
            (self.first, b)
        } else {
            (self.second, a)
        };
        self.folds |= around.step(self.surface, self.to, [n.tip == other, n.is_border], n.tip);
        if n.side == 0 {
            self.first = around;
        } else {
            self.second = around;
        }
        !self.folds
    }
}

impl<L: LineForm> Collapse<L> {
    /// Walks around both ends, and keeps the neighbours.
    #[inline(always)]
    pub(super) fn ends(&self, mesh: &impl HalfEdgeMesh, e: u32) -> Ends {
        let mut rings = [FirstTips::EMPTY; 2];
        let (walk, near_place) = self.walk(mesh, e, &mut rings);
        Ends {
            walk,
            near_place,
            rings,
            folds: None,
        }
    }

    /// Walks both ends, and computes which faces there turn too far when the new vertex comes to `to`. One walk finds
    /// all that a thread needs to know about most edges; if the ends are walked first, and then the faces at one after
    /// the other, three walks wait for each other.
    #[inline(always)]
    pub(super) fn ends_with_folds(&self, mesh: &impl HalfEdgeMesh, e: u32, to: Vec3) -> Ends {
        let surface = &self.surface;
        let ends = [mesh.origin(2 * e), mesh.tip(2 * e)];
        let mut faces = FacesAtEnds {
            surface,
            to,
            ends,
            first: EndWalk::new(surface, ends[0]),
            second: EndWalk::new(surface, ends[1]),
            folds: false,
        };
        let (walk, near_place) = self.walk(mesh, e, &mut faces);
        let folds =
            faces.folds | (faces.first.turns(surface, to) || faces.second.turns(surface, to));
        Ends {
            walk,
            near_place,
            rings: [FirstTips::EMPTY; 2],
            folds: Some(folds),
        }
    }

    /// Walks around both ends. Also returns `true` if an end or a neighbour is one of several in one place.
    #[inline(always)]
    fn walk(
        &self,
        mesh: &impl HalfEdgeMesh,
        e: u32,
        visit: &mut impl VisitNeighbour,
    ) -> (LinkWalk, bool) {
        let s = &self.surface;
        let mut walk = LinkWalk::START;
        let mut near_place = s.is_placed(mesh.origin(2 * e)) || s.is_placed(mesh.tip(2 * e));
        mesh.each_spoke_of_ends(e, |side, h, face, tip| {
            walk.step(e, [side, h, face, tip]);
            near_place |= s.is_placed(tip);
            visit.add(EndNeighbour {
                side,
                tip,
                is_border: face == NO_FACE,
            })
        });
        (walk, near_place)
    }
}
