//! The quadtrees and the list of patches: each level's cells are looked at, counted, and written.

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

/// Words of a node: its face, its place ([`Cell::place`]), and the node whose block has its points, [`NONE`] for roots.
pub const NODE_WORDS: u32 = 3;
/// Words of a patch: its face, its place ([`Cell::place`]), its kind ([`Rules::kind`]), and the node whose block has
/// its points, [`NONE`] for roots.
pub const PATCH_WORDS: u32 = 4;
/// Of a reference in a tree: it is to a patch and not to a node.
pub const IS_PATCH: u32 = 1 << 31;

kernel! {
    /// Marks the quads that are part of the surface. An index one of them.
    pub struct MarkKept: Flat {
        /// The quads.
        pub quads: Global<u32>,
        /// 1 for each of them.
        pub marks: GlobalMut<u32>,
    }
}

// SAFETY: each index writes a quad of its own (contracts U3, U4).
unsafe impl FlatKernel for MarkKept {
    #[inline(always)]
    fn run(&self, i: u32) {
        self.marks.set(self.quads.get(i), 1);
    }
}

kernel! {
    /// Marks the corners whose vertex is irregular at the base.
    pub struct MarkCorners: Flat {
        /// What decides.
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
    /// Looks at the cells of a level. An index a cell: a quad at level 0, else a quarter of a node of the level before.
    pub struct LookAtCells: Flat {
        /// What decides.
        pub rules: Rules,
        /// The level.
        pub level: u32,
        /// The first node of the level before.
        pub first: u32,
        /// As [`ListCells::nodes`].
        pub nodes: Global<u32>,
        /// Marks of the quads that are part of the surface; nothing when all are.
        pub kept: Global<u32>,
        /// What each cell is.
        pub kinds: GlobalMut<u32>,
        /// 1 for each cell that is a node.
        pub node: GlobalMut<u32>,
        /// 1 for each cell that is a patch.
        pub patch: GlobalMut<u32>,
    }
}

/// The cell of an index at a level, and the node that it is a quarter of.
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
    /// Lists what [`LookAtCells`] has found, with the same indices.
    pub struct ListCells: Flat {
        /// What decides.
        pub rules: Rules,
        /// The level.
        pub level: u32,
        /// The first node of the level before.
        pub first: u32,
        /// What each cell is.
        pub kinds: Global<u32>,
        /// How many cells before each are nodes.
        pub nodes_before: Global<u32>,
        /// How many cells before each are patches.
        pub patches_before: Global<u32>,
        /// The level's first node.
        pub first_node: u32,
        /// The level's first patch.
        pub first_patch: u32,
        /// [`NODE_WORDS`] a node.
        pub nodes: GlobalMut<u32>,
        /// [`PATCH_WORDS`] a patch.
        pub patches: GlobalMut<u32>,
        /// What each quad is: a node, a patch with [`IS_PATCH`], or [`NONE`].
        pub roots: GlobalMut<u32>,
        /// What the quarters of each node are, as in `roots`; four a node.
        pub quarters: GlobalMut<u32>,
        /// A row for each corner with an irregular vertex.
        pub rows: Global<u32>,
        /// For each such row and each level but the last: the node at the corner.
        pub chains: GlobalMut<u32>,
    }
}

impl ListCells {
    /// Lists the node of a cell at the corners that it is at.
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
            // A corner has a row when the row of the next is another.
            if self.rows.get(h) != self.rows.get(h + 1) {
                set(h);
            }
        }
    }
}

// SAFETY: each index writes what is its cell's: scans have given it places; one cell of a level is at a corner of the
// mesh (contracts U3, U4).
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
