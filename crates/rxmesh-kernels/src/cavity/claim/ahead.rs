//! Prefetching for blocks of one thread.

use super::Claim;
use crate::cavity::claims::by_ends;
use crate::cavity::round::is_at_hand;
use crate::cavity::{CavityShape, Operator, Template};
use crate::edit::{HalfEdgeMesh, NONE};

/// Number of seeds ahead for which a block of one thread prefetches the half-edges around a vertex that the operator
/// reads.
pub(super) const AHEAD: u32 = 6;

/// Number of seeds ahead for which it prefetches the ends of edges.
pub(super) const FAR_AHEAD: u32 = 16;

/// Walks around the ends of the next seeds, a step for each while one seed is examined, so that the data there are at
/// hand when its turn comes: a walk finds its way only step by step.
pub(super) struct Ahead<'a, O> {
    claim: &'a Claim<O>,
    /// Current half-edges of the walks around both ends of each of the next seeds; [`NONE`] at their end.
    at: [[u32; 2]; AHEAD as usize],
    seeds: [u32; AHEAD as usize],
    /// `true` if the paths of walks are known, and the mesh is too large for the caches.
    pub(super) walks: bool,
}

impl<'a, O: Operator> Ahead<'a, O> {
    #[inline(always)]
    pub(super) fn of(claim: &'a Claim<O>) -> Self {
        Ahead {
            claim,
            at: [[NONE; 2]; AHEAD as usize],
            seeds: [NONE; AHEAD as usize],
            walks: !matches!(O::Template::SHAPE, CavityShape::Any) && !is_at_hand(&claim.mesh),
        }
    }

    /// Prefetches the data that the walks of a seed begin with.
    #[inline(always)]
    pub(super) fn announce(&self, seed: u32) {
        if self.walks {
            self.claim.mesh.ask_edge(seed);
        }
    }

    /// Begins the walks of a seed, in place of those of the seed that is [`AHEAD`] before it.
    #[inline(always)]
    pub(super) fn enter(&mut self, k: u32, seed: u32) {
        if self.walks {
            let k = (k % AHEAD) as usize;
            (self.seeds[k], self.at[k]) = (seed, [2 * seed, 2 * seed + 1]);
        }
    }

    /// Runs a step of all walks.
    #[inline(always)]
    pub(super) fn step(&mut self) {
        if !self.walks {
            return;
        }
        let (mesh, op) = (&self.claim.mesh, &self.claim.op);
        for (at, seed) in self.at.iter_mut().zip(self.seeds) {
            for h in at {
                if *h == NONE {
                    continue;
                }
                let (tip, of_seed) = (mesh.tip(*h), *h >> 1 == seed);
                op.ask(tip, of_seed);
                let (face, before) = (mesh.face(*h), mesh.before(*h));
                if by_ends::<O>() && of_seed {
                    self.claim.claims.ends.ask(tip);
                }
                if before == NONE {
                    *h = NONE;
                    continue;
                }
                if !by_ends::<O>() {
                    self.claim.claims.faces.ask(face);
                }
                // Around the vertex, or, where faces alone count, around the face.
                *h = match O::Template::SHAPE {
                    CavityShape::Ends => before ^ 1,
                    _ => before,
                };
                if *h >> 1 == seed {
                    *h = NONE;
                } else {
                    mesh.ask_edge(*h >> 1);
                }
            }
        }
    }
}
