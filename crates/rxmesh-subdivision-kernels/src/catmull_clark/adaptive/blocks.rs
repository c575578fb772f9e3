//! Values of blocks: the 5 x 5 points around the quarters of each node, level by level.
//!
//! A node at level l has its own 4 x 4 points in the block of the node of which it is a quarter; its block, one level
//! deeper, follows by the regular masks, with the crease rules on edges of the mesh. Only the points next to an
//! irregular vertex need those of the other nodes there, which chains find.

use super::cells::{Cell, Rules, around};
use super::plan::NODE_WORDS;
use crate::catmull_clark::rings::{ACROSS, IN, OUT};
use crate::catmull_clark::taps::{Taps, creased};
use crate::catmull_clark::{ComponentCount, ComponentRows, LevelGrid, next, prev};
use crate::topology::NONE;
use rxmesh_kernels::args;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::mem::{Global, GlobalMut};

kernel_list! {
    flat catmull_clark_adaptive_first3: FirstBlocks<crate::catmull_clark::Three>;
    flat catmull_clark_adaptive_first1: FirstBlocks<crate::catmull_clark::One>;
    flat catmull_clark_adaptive_blocks3: RefineBlocks<crate::catmull_clark::Three>;
    flat catmull_clark_adaptive_blocks1: RefineBlocks<crate::catmull_clark::One>;
}

/// Number of points of a block.
pub const POINTS: u32 = 25;
/// Number of points on a side of a block.
pub const SIDE: u32 = 5;

args! {
    /// Blocks of the nodes, as far as they have been computed.
    pub struct Blocks {
        /// Classification of cells.
        pub rules: Rules,
        /// Row of each corner with an irregular vertex.
        pub rows: Global<u32>,
        /// Node at the corner for each such row and each level but the last.
        pub chains: Global<u32>,
        /// [`POINTS`] points per node, row by row.
        pub values: Global<f32>,
    }
}

/// Neighbourhood of a vertex.
#[derive(Clone, Copy)]
pub struct FanSums {
    /// Value of the vertex.
    pub here: f32,
    /// Number of its corners.
    pub corners: u32,
    /// Sum of the first points along their half-edges.
    pub edges: f32,
    /// Sum of the points across their cells.
    pub across: f32,
    /// Sum of the face points of their cells.
    pub faces: f32,
}

/// Returns the coordinates in a block of 5 x 5 points, -1 to 3, of point (p, q) relative to corner `c` of its cell: p
/// along the corner's half-edge, q along the one before it.
#[inline(always)]
pub fn from_corner(c: u32, p: i32, q: i32) -> [i32; 2] {
    match c & 3 {
        0 => [p, q],
        1 => [2 - q, p],
        2 => [2 - p, 2 - q],
        _ => [q, 2 - p],
    }
}

/// Returns the inverse of [`from_corner`].
#[inline(always)]
fn to_corner(c: u32, x: i32, y: i32) -> [i32; 2] {
    match c & 3 {
        0 => [x, y],
        1 => [y, 2 - x],
        2 => [2 - x, 2 - y],
        _ => [2 - y, x],
    }
}

/// Returns the coordinates of a point next to a corner, relative to it.
#[inline(always)]
fn beside(point: u32) -> (i32, i32) {
    match point {
        OUT => (1, 0),
        ACROSS => (1, 1),
        _ => (0, 1),
    }
}

impl Blocks {
    /// Returns a component of a point of a node's block, of which `n` components are stored.
    #[inline(always)]
    pub fn get(&self, n: u32, node: u32, point: u32, k: u32) -> f32 {
        self.values.get((node * POINTS + point) * n + k)
    }

    /// Returns the node whose block has the points around a corner with an irregular vertex, at a level from 1 on.
    #[inline(always)]
    fn node_at(&self, h: u32, level: u32) -> u32 {
        let row = self.rows.get(h);
        self.chains.get(row * self.rules.depth + level - 1)
    }

    /// Returns a component of the point at (p, q), -1 to 2, relative to a corner with an irregular vertex.
    #[inline(always)]
    fn near(&self, n: u32, h: u32, level: u32, (p, q): (i32, i32), k: u32) -> f32 {
        let [x, y] = from_corner(h, p, q);
        let point = (y + 1) as u32 * SIDE + (x + 1) as u32;
        self.get(n, self.node_at(h, level), point, k)
    }

    /// Returns the neighbourhood of an irregular vertex at a level from 1 on.
    #[inline(always)]
    pub fn fan(&self, n: u32, v: u32, level: u32, k: u32) -> FanSums {
        let m = &self.rules.mesh;
        let (first, end) = m.row(v);
        let here = self.near(n, m.entries.get(first), level, (0, 0), k);
        let (mut edges, mut across, mut faces) = (0.0, 0.0, 0.0);
        for at in first..end {
            let h = m.entries.get(at);
            let point = |point| self.near(n, h, level, beside(point), k);
            let (out, far, into) = (point(OUT), point(ACROSS), point(IN));
            edges += out;
            across += far;
            faces += 0.25 * (here + out + far + into);
        }
        FanSums {
            here,
            corners: end - first,
            edges,
            across,
            faces,
        }
    }

    /// Returns the nearest point along a half-edge from its origin or from its target, which is irregular.
    #[inline(always)]
    pub fn along(&self, n: u32, h: u32, target: bool, level: u32, k: u32) -> f32 {
        let (h, point) = if target { (next(h), IN) } else { (h, OUT) };
        self.near(n, h, level, beside(point), k)
    }

    /// Returns the point across the cell at a corner with an irregular vertex.
    #[inline(always)]
    pub fn across(&self, n: u32, h: u32, level: u32, k: u32) -> f32 {
        self.near(n, h, level, beside(ACROSS), k)
    }

    /// Computes the next level's point of an irregular vertex.
    #[inline(always)]
    fn vertex(&self, n: u32, v: u32, level: u32, k: u32) -> f32 {
        let fan = self.fan(n, v, level, k);
        let (here, count) = (fan.here, fan.corners as f32);
        let smooth = ((count - 2.0) * here + (fan.edges + fan.faces) / count) / count;
        let Rules { mesh, creases, .. } = &self.rules;
        if creases.smooth != 0 {
            return smooth;
        }
        let sharp = |_, h, side| creases.of_corner(mesh, h, side);
        let point = |_, h, side| {
            let half = if side == 0 { h } else { prev(h) };
            self.along(n, half, side == 1, level, k)
        };
        creases.vertex(mesh, v, level, here, smooth, sharp, point)
    }

    /// Computes the next level's point at (a, b), 0 to 4, of a cell, whose points are in the block of `node`; not of a
    /// vertex of the mesh, and not beyond one.
    #[inline(always)]
    fn point(&self, n: u32, cell: &Cell, node: u32, [a, b]: [u32; 2], k: u32) -> f32 {
        let (x0, y0) = (cell.i & 1, cell.j & 1);
        let at = |x: u32, y: u32| self.get(n, node, (y0 + y) * SIDE + x0 + x, k);
        let (across, down) = (Taps::new(a), Taps::new(b));
        let smooth = down.sum(|y| across.sum(|x| at(x, y)));
        let Rules { mesh, creases, .. } = &self.rules;
        let side = if creases.smooth != 0 {
            NONE
        } else if a == 1 && cell.is_on(3) {
            3
        } else if a == 3 && cell.is_on(1) {
            1
        } else if b == 1 && cell.is_on(0) {
            0
        } else if b == 3 && cell.is_on(2) {
            2
        } else {
            NONE
        };
        if side == NONE {
            return smooth;
        }
        let h = 4 * cell.face + side;
        let s = creases.base.edge(mesh, h);
        let far = 2 << cell.level;
        let along = match side {
            0 => 2 * cell.i + a - 1,
            1 => 2 * cell.j + b - 1,
            2 => far + 1 - 2 * cell.i - a,
            _ => far + 1 - 2 * cell.j - b,
        };
        let weight = creases.weight(mesh, h, s, cell.level, along);
        creased([&across, &down], side, weight, smooth, at)
    }

    /// Computes the next level's point next to a corner with an irregular vertex.
    #[inline(always)]
    fn beside(&self, n: u32, h: u32, level: u32, point: u32, k: u32) -> f32 {
        let (p, q) = beside(point);
        let [x, y] = from_corner(h, p, q);
        let place = [(x + 1) as u32, (y + 1) as u32];
        let cell = Cell::at_corner(h, level);
        self.point(n, &cell, self.node_at(h, level), place, k)
    }

    /// Computes the next level's point at (a, b), 0 to 4, of a node; 0 if there is none. Where a vertex does not have
    /// four faces, the point diagonally beyond it is meaningless and never read.
    #[inline(always)]
    fn any(&self, n: u32, cell: &Cell, node: u32, [a, b]: [u32; 2], k: u32) -> f32 {
        let h = cell.corner();
        if h == NONE {
            return self.point(n, cell, node, [a, b], k);
        }
        let m = &self.rules.mesh;
        match to_corner(h, a as i32 - 1, b as i32 - 1) {
            [0, 0] => self.vertex(n, m.corners.get(h), cell.level, k),
            [0, -1] => match m.twin(h) {
                NONE => 0.0,
                other => self.beside(n, next(other), cell.level, OUT, k),
            },
            [-1, 0] => match m.twin(prev(h)) {
                NONE => 0.0,
                other => self.beside(n, other, cell.level, IN, k),
            },
            _ => self.point(n, cell, node, [a, b], k),
        }
    }
}

args! {
    /// Copies blocks of roots from the first level. One index per node, point and component.
    pub struct FirstBlocks<N: ComponentCount> {
        /// First level.
        pub grid: LevelGrid,
        /// Values of the first level.
        pub first: ComponentRows,
        /// Nodes, as [`ListCells::nodes`](super::plan::ListCells::nodes).
        pub nodes: Global<u32>,
        /// Values of blocks, as [`Blocks::values`].
        pub values: GlobalMut<f32>,
        /// Number of components.
        pub components: N,
    }
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl<N: ComponentCount> FlatKernel for FirstBlocks<N> {
    #[inline(always)]
    fn run(&self, index: u32) {
        let (at, k) = (index / N::N, index % N::N);
        let (node, point) = (at / POINTS, at % POINTS);
        let (x, y) = ((point % SIDE) as i32 - 1, (point / SIDE) as i32 - 1);
        let f = self.nodes.get(NODE_WORDS * node);
        let value = match around(&self.grid, f, x, y) {
            NONE => 0.0,
            id => self.first.get(id, k),
        };
        self.values.set(index, value);
    }
}

args! {
    /// Computes blocks of the nodes of a level from 1 on. One index per node of the level, point and component.
    pub struct RefineBlocks<N: ComponentCount> {
        /// Classification of cells.
        pub rules: Rules,
        /// Rows of corners, as [`Blocks::rows`].
        pub rows: Global<u32>,
        /// Chains of nodes, as [`Blocks::chains`].
        pub chains: Global<u32>,
        /// Nodes, as [`ListCells::nodes`](super::plan::ListCells::nodes).
        pub nodes: Global<u32>,
        /// First node of the level.
        pub first: u32,
        /// Values of blocks, as [`Blocks::values`].
        pub values: GlobalMut<f32>,
        /// Number of components.
        pub components: N,
    }
}

// SAFETY: each index writes its own element, of the level's nodes, and reads blocks of the level before (contracts U3,
// U4).
unsafe impl<N: ComponentCount> FlatKernel for RefineBlocks<N> {
    #[inline(always)]
    fn run(&self, index: u32) {
        let (at, k) = (index / N::N, index % N::N);
        let (node, point) = (self.first + at / POINTS, at % POINTS);
        let word = |w| self.nodes.get(NODE_WORDS * node + w);
        let cell = Cell::at(word(0), word(1));
        let known = Blocks {
            rules: self.rules,
            rows: self.rows,
            chains: self.chains,
            values: self.values.read(),
        };
        let place = [point % SIDE, point / SIDE];
        let value = known.any(N::N, &cell, word(2), place, k);
        self.values.set((node * POINTS + point) * N::N + k, value);
    }
}
