//! Costs of edges.

use super::super::{LineForm, NEW, QuadricSurface, REFUSED};
use crate::args;
use crate::edit::{FlatMesh, HalfEdgeMesh};
use crate::exec::Block;
use crate::lanes::four;
use crate::mem::{GlobalMut, Plan, Shared};

args! {
    /// Costs of the edges, and the data from which they are computed.
    pub struct EdgeCosts<L: LineForm> {
        /// Positions and quadrics.
        pub surface: QuadricSurface<L>,
        /// Mesh as flat arrays.
        pub mesh: FlatMesh,
        /// Costs, as bits.
        pub costs: GlobalMut<u32>,
    }
}

impl<L: LineForm> EdgeCosts<L> {
    /// Recomputes the cost of a live edge.
    #[inline(always)]
    pub(in super::super) fn renew(&self, e: u32) -> u32 {
        let (a, b) = (self.mesh.origin(2 * e), self.mesh.tip(2 * e));
        let cost = self.surface.cost_of(e, a, b);
        self.costs.set(e, cost);
        cost
    }

    /// Works like [`EdgeCosts::renew`], for one to four edges.
    #[inline(always)]
    pub(in super::super) fn renew_four(&self, edges: &[u32]) {
        let edge = |k: usize| edges[k.min(edges.len() - 1)];
        let a = four(|k| self.mesh.origin(2 * edge(k)));
        let b = four(|k| self.mesh.tip(2 * edge(k)));
        let costs = self.surface.cost_of_four(four(edge), a, b);
        for (&e, cost) in edges.iter().zip(costs) {
            self.costs.set(e, cost);
        }
    }

    /// Calls `look` in a block with the costs of `n` edges from `first` on, each with its number among them: first
    /// those that are known, then, by full warps, those of new edges, which it computes. `new` has been cleared.
    #[inline(always)]
    pub(in super::super) fn each<B: Block>(
        &self,
        b: B,
        first: u32,
        n: u32,
        new: NewEdges,
        look: impl Fn(u32, u32),
    ) {
        b.each(n, |i| match self.costs.get(first + i) {
            NEW => new.enter(i),
            cost => look(i, cost),
        });
        b.each(new.n.get(0), |k| {
            let i = u32::from(new.list.get(k));
            look(i, self.renew(first + i));
        });
    }
}

/// Edges of a block whose costs are to be computed.
#[derive(Clone, Copy)]
pub struct NewEdges {
    list: Shared<u16>,
    /// Number of them, and number of edges that are put off.
    pub(super) n: Shared<u32>,
}

impl NewEdges {
    /// Reserves space for the edges of `words` words of a set.
    #[inline(always)]
    pub(in super::super) fn carve(plan: &mut Plan, words: u32) -> Self {
        NewEdges {
            list: plan.take(32 * words),
            n: plan.take(2),
        }
    }

    /// Clears the list before the first is entered.
    #[inline(always)]
    pub(in super::super) fn clear(self) {
        self.n.set(0, 0);
        self.n.set(1, 0);
    }

    #[inline(always)]
    fn enter(self, i: u32) {
        self.list.set(self.n.fetch_add(0, 1), i as u16);
    }

    /// Notes an edge that is not new, in a block of one thread: from the end of the list on.
    #[inline(always)]
    pub(super) fn put_off(self, i: u32) {
        self.list
            .set(self.list.len() - 1 - self.n.fetch_add(1, 1), i as u16);
    }

    /// Returns edge `k` of those that were put off.
    #[inline(always)]
    pub(super) fn off(self, k: u32) -> u32 {
        u32::from(self.list.get(self.list.len() - 1 - k))
    }
}

/// Returns the cost of an edge after it was marked as refused, or forgiven.
#[inline(always)]
pub(in super::super) fn refused_or(
    costs: GlobalMut<u32>,
    e: u32,
    cost: u32,
    was_refused: bool,
    forgive: bool,
) -> u32 {
    let marked = if forgive {
        cost & !REFUSED
    } else {
        cost | if was_refused { REFUSED } else { 0 }
    };
    if marked != cost {
        costs.set(e, marked);
    }
    marked
}
