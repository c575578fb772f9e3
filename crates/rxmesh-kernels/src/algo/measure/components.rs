//! Connected components of faces, through edges or through vertices.
//!
//! Every face begins as the root of its own tree. Each edge, or vertex, joins the trees of its faces: it hangs the root
//! of higher id below the other by compare-and-swap, and continues from the value found there if another thread was
//! first (Jaiganesh and Burtscher 2018, "A High-Performance Connected Components Implementation for GPUs", ECL-CC).
//! Then each face looks up its root. Parents have lower ids than their children, at all times: every walk ends, and the
//! root of a component is its face of lowest id, whichever thread came first.
//!
//! Components are numbered by their first face in the input's order, which depends neither on patches nor on the
//! engine.

use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel;
use crate::kernel::{FlatKernel, PatchKernel};
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::query::{EF, Relation, Row, VF};
use crate::topo::{Face, Patch, PatchHeader};
use core::marker::PhantomData;

kernel_list! {
    flat components_start: ComponentsStart;
    patch join_through_edges: JoinFaces<EF>;
    patch join_through_vertices: JoinFaces<VF>;
    flat components_roots: ComponentsRoots;
    flat components_mark: ComponentsMark;
    flat components_label: ComponentsLabel;
}

/// No face, and no component.
pub const NO_FACE: u32 = u32::MAX;

/// Returns the root of a face's tree; `parent` has the parent of each face, itself for a root.
#[inline(always)]
fn root(parent: GlobalMut<u32>, mut face: u32) -> u32 {
    loop {
        let up = parent.load(face);
        if up >= face {
            return face;
        }
        // Halves the path for later walks. The root stays the same, whichever thread wins.
        let above = parent.load(up);
        if above < up {
            parent.fetch_min(face, above);
        }
        face = up;
    }
}

/// Makes one tree of those of two faces.
#[inline(always)]
fn join(parent: GlobalMut<u32>, a: u32, b: u32) {
    let (mut a, mut b) = (root(parent, a), root(parent, b));
    // The higher of the two sinks with every turn.
    while a != b {
        let (low, high) = if a < b { (a, b) } else { (b, a) };
        let found = parent.compare_exchange(high, high, low);
        if found == high {
            return;
        }
        (a, b) = (root(parent, found), root(parent, low));
    }
}

kernel! {
    /// Makes every face a tree.
    pub struct ComponentsStart: Flat {
        /// Parent of each face.
        pub parent: GlobalMut<u32>,
        /// First face of each tree in the input's order, at its root.
        pub first: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for ComponentsStart {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.parent.set(i, i);
        self.first.set(i, NO_FACE);
    }
}

crate::args! {
    /// Joins the faces of each row of a relation: of edges, or of vertices.
    pub struct JoinFaces<R> {
        /// Parent of each face.
        pub parent: GlobalMut<u32>,
        /// Type of the relation.
        pub relation: PhantomData<R>,
    }
}

/// Shared memory of [`JoinFaces`].
#[derive(Clone, Copy)]
pub struct JoinTables<T> {
    scratch: Shared<u32>,
    relation: T,
}

// SAFETY: parents are changed by atomics alone, and faces that rows name have one (contracts U1 to U4).
unsafe impl<R: Relation<Target = Face>> PatchKernel for JoinFaces<R> {
    type Tables = JoinTables<R::Tables>;

    #[inline(always)]
    fn carve(&mut self, h: &PatchHeader, plan: &mut Plan) -> Self::Tables {
        JoinTables {
            scratch: plan.take(SCRATCH_WORDS),
            relation: R::carve(h, plan),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, patch: &Patch, tables: &Self::Tables) {
        b.phase(|p| R::prepare(p, patch, &tables.relation));
        R::build(b, patch, &tables.relation, tables.scratch);
        let map = patch.map::<Face>();
        b.last_phase(|p| {
            p.each(patch.owned::<R::Source>(), |i| {
                let row = R::row(patch, &tables.relation, i);
                let mut k = 1;
                while k < row.len() {
                    join(self.parent, map.linear(row.get(0)), map.linear(row.get(k)));
                    k += 1;
                }
            });
        });
    }
}

kernel! {
    /// Finds each face's root, and the first face of each tree.
    pub struct ComponentsRoots: Flat {
        /// Parent of each face.
        pub parent: GlobalMut<u32>,
        /// Input's index of each linear id; [`NO_FACE`] if there is no face.
        pub source: Global<u32>,
        /// First face of each tree in the input's order, at its root.
        pub first: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for ComponentsRoots {
    #[inline(always)]
    fn run(&self, i: u32) {
        let source = self.source.get(i);
        if source == NO_FACE {
            return;
        }
        let root = root(self.parent, i);
        // A smaller number on the way to the root: others find it in fewer steps.
        self.parent.fetch_min(i, root);
        if self.first.load(root) > source {
            self.first.fetch_min(root, source);
        }
    }
}

kernel! {
    /// Marks the first face of each component, in the input's order.
    pub struct ComponentsMark: Flat {
        /// Parent of each face.
        pub parent: Global<u32>,
        /// First face of each tree in the input's order, at its root.
        pub first: Global<u32>,
        /// 1 for each face of the input that is the first of its component, else 0; zeroed before.
        pub mark: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for ComponentsMark {
    #[inline(always)]
    fn run(&self, i: u32) {
        let first = self.first.get(i);
        if self.parent.get(i) == i && first != NO_FACE {
            self.mark.set(first, 1);
        }
    }
}

kernel! {
    /// Numbers the faces by their component.
    pub struct ComponentsLabel: Flat {
        /// Parent of each face: its root.
        pub parent: Global<u32>,
        /// First face of each tree in the input's order, at its root.
        pub first: Global<u32>,
        /// Number of marks before each face of the input.
        pub rank: Global<u32>,
        /// Component of each face.
        pub label: GlobalMut<u32>,
    }
}

// SAFETY: indices of one launch write apart or atomically; the host launches no more of them than the views hold
// (contracts U3, U4).
unsafe impl FlatKernel for ComponentsLabel {
    #[inline(always)]
    fn run(&self, i: u32) {
        let first = self.first.get(self.parent.get(i));
        if first != NO_FACE {
            self.label.set(i, self.rank.get(first));
        }
    }
}
