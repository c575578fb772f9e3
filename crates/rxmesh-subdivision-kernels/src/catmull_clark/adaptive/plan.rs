//! Quadtrees and the list of patches: each level's cells are classified, counted, and written.

use super::cells::{Cell, NODE, OUTSIDE, Rules};
use crate::topology::NONE;
use rxmesh_kernels::kernel;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::mem::{Global, GlobalMut};

kernel_list! {
    flat catmull_clark_adaptive_kept: MarkKept;
    flat catmull_clark_adaptive_corners: MarkCorners;
    flat catmull_clark_adaptive_look: LookAtCells;
    flat catmull_clark_adaptive_list: ListCells;
}

/// Words of a node: its face, its cell ([`Cell::place`]), and the node whose block has its points, [`NONE`] for roots.
pub const NODE_WORDS: u32 = 3;
/// Words of a patch: its face, its cell ([`Cell::place`]), its kind ([`Rules::kind`]), and the node whose block has its
/// points, [`NONE`] for roots.
pub const PATCH_WORDS: u32 = 4;
/// Flag of a reference in a tree: it refers to a patch and not to a node.
pub const IS_PATCH: u32 = 1 << 31;

kernel! {
    /// Marks the quads that are part of the surface. One index per such quad.
    pub struct MarkKept: Flat {
        /// Quads.
        pub quads: Global<u32>,
        /// 1 for each of them.
        pub marks: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own quad (contracts U3, U4).
unsafe impl FlatKernel for MarkKept {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.marks.set(self.quads.get(i), 1);
    }
}

kernel! {
    /// Marks the corners whose vertex is irregular at the base.
    pub struct MarkCorners: Flat {
        /// Classification of cells.
        pub rules: Rules,
        /// 0 or 1 for each corner.
        pub marks: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl FlatKernel for MarkCorners {
    #[inline(always)]
    fn run(&self, h: u32) {
        let v = self.rules.mesh.corners.get(h);
        self.marks.set(h, u32::from(self.rules.is_irregular(v, 0)));
    }
}

kernel! {
    /// Classifies the cells of a level. One index per cell: a quad at level 0, else a quarter of a node of the level
    /// before.
    pub struct LookAtCells: Flat {
        /// Classification of cells.
        pub rules: Rules,
        /// Level.
        pub level: u32,
        /// First node of the level before.
        pub first: u32,
        /// Nodes, as [`ListCells::nodes`].
        pub nodes: Global<u32>,
        /// Marks of the quads that are part of the surface; empty when all are.
        pub kept: Global<u32>,
        /// Kind of each cell.
        pub kinds: GlobalMut<u32>,
        /// 1 for each cell that is a node.
        pub node: GlobalMut<u32>,
        /// 1 for each cell that is a patch.
        pub patch: GlobalMut<u32>,
    }
}

/// Returns the cell of an index at a level, and the node of which it is a quarter.
#[inline(always)]
fn cell_of(nodes: Global<u32>, level: u32, first: u32, index: u32) -> (Cell, u32) {
    if level == 0 {
        return (Cell::root(index), NONE);
    }
    let node = first + index / 4;
    let at = |k| nodes.get(NODE_WORDS * node + k);
    (Cell::at(at(0), at(1)).child(index & 3), node)
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl FlatKernel for LookAtCells {
    #[inline(always)]
    fn run(&self, index: u32) {
        let (cell, _) = cell_of(self.nodes, self.level, self.first, index);
        let mut kind = self.rules.kind(&cell);
        // Nodes outside shape the surface beside them.
        if !self.kept.is_empty() && self.kept.get(cell.face) == 0 {
            kind |= OUTSIDE;
        }
        let node = kind & NODE != 0;
        self.kinds.set(index, kind);
        self.node.set(index, u32::from(node));
        let patch = !node && kind & OUTSIDE == 0;
        self.patch.set(index, u32::from(patch));
    }
}

kernel! {
    /// Lists the cells that [`LookAtCells`] has classified, with the same indices.
    pub struct ListCells: Flat {
        /// Classification of cells.
        pub rules: Rules,
        /// Level.
        pub level: u32,
        /// First node of the level before.
        pub first: u32,
        /// Kind of each cell.
        pub kinds: Global<u32>,
        /// Number of nodes among the cells before each.
        pub nodes_before: Global<u32>,
        /// Number of patches among the cells before each.
        pub patches_before: Global<u32>,
        /// First node of the level.
        pub first_node: u32,
        /// First patch of the level.
        pub first_patch: u32,
        /// [`NODE_WORDS`] words per node.
        pub nodes: GlobalMut<u32>,
        /// [`PATCH_WORDS`] words per patch.
        pub patches: GlobalMut<u32>,
        /// Reference of each quad: a node, a patch with [`IS_PATCH`], or [`NONE`].
        pub roots: GlobalMut<u32>,
        /// References of the quarters of each node, as in `roots`; four per node.
        pub quarters: GlobalMut<u32>,
        /// Row of each corner with an irregular vertex.
        pub rows: Global<u32>,
        /// Node at the corner for each such row and each level but the last.
        pub chains: GlobalMut<u32>,
    }
}

impl ListCells {
    /// Stores the node of a cell for the corners at which it is.
    #[inline(always)]
    fn chain(&self, cell: &Cell, node: u32) {
        let set = |h: u32| {
            let row = self.rows.get(h);
            self.chains.set(row * self.rules.depth + self.level, node);
        };
        if self.level > 0 {
            let h = cell.corner();
            if h != NONE {
                set(h);
            }
            return;
        }
        for h in 4 * cell.face..4 * cell.face + 4 {
            // A corner has a row when the row of the next corner differs.
            if self.rows.get(h) != self.rows.get(h + 1) {
                set(h);
            }
        }
    }
}

// SAFETY: each index writes the elements of its cell, which prefix sums have assigned; one cell of a level is at a
// corner of the mesh (contracts U3, U4).
unsafe impl FlatKernel for ListCells {
    #[inline(always)]
    fn run(&self, index: u32) {
        let (cell, from) = cell_of(self.nodes.read(), self.level, self.first, index);
        let kind = self.kinds.get(index);
        let reference = if kind & NODE != 0 {
            let node = self.first_node + self.nodes_before.get(index);
            let at = NODE_WORDS * node;
            self.nodes.set(at, cell.face);
            self.nodes.set(at + 1, cell.place());
            self.nodes.set(at + 2, from);
            self.chain(&cell, node);
            node
        } else if kind & OUTSIDE != 0 {
            NONE
        } else {
            let patch = self.first_patch + self.patches_before.get(index);
            self.patches
                .set4(patch, [cell.face, cell.place(), kind, from]);
            patch | IS_PATCH
        };
        if self.level == 0 {
            self.roots.set(index, reference);
        } else {
            self.quarters.set(4 * from + (index & 3), reference);
        }
    }
}
