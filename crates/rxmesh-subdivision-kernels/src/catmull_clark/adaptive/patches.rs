//! Control points of patches: 4 x 4 of a uniform bicubic B-spline each, row by row from (-1, -1) of the cell on.
//!
//! Across a side that is sharp for ever they are reflections. At an irregular vertex of the last level there are not
//! four faces, and no point (-1, -1) seen from it: it is put where it makes the patch end where the surface does. The
//! other 15 are points of the surface's level, so that such a patch meets its neighbours: along sides away from the
//! vertex with two derivatives, along sides from the vertex without a gap.

use super::blocks::{Blocks, Fan, SIDE};
use super::cells::{CAP, CORNER_SHIFT, Cell, Rules, around};
use crate::catmull_clark::{Components, Grid, Output, Rows, prev};
use crate::sharpness::after;
use crate::topology::NONE;
use rxmesh_kernels::args;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::mem::Global;

kernel_list! {
    flat catmull_clark_adaptive_points3: ControlPoints<crate::catmull_clark::Three>;
    flat catmull_clark_adaptive_points1: ControlPoints<crate::catmull_clark::One>;
}

/// Control points of a patch.
pub const POINTS: u32 = 16;

args! {
    /// Control points. An index a patch, point and component.
    pub struct ControlPoints<N: Components> {
        /// Blocks of all nodes.
        pub blocks: Blocks,
        /// Values of the quads' vertices.
        pub base: Rows,
        /// As [`ListCells::patches`](super::plan::ListCells::patches).
        pub patches: Global<u32>,
        /// The result: [`POINTS`] rows a patch.
        pub out: Output,
        /// How many components.
        pub components: N,
    }
}

/// A patch: its cell, its kind, and the node whose block has its points.
#[derive(Clone, Copy)]
struct Patch {
    cell: Cell,
    kind: u32,
    from: u32,
}

impl Patch {
    #[inline(always)]
    fn is_sharp(&self, side: u32) -> bool {
        self.kind >> side & 1 != 0
    }
}

/// The value at one end of four where the next two say so by reflection, and where it is `at` otherwise.
#[inline(always)]
fn reflected(i: u32, [low, high]: [bool; 2], at: impl Fn(u32) -> f32) -> f32 {
    if i == 0 && low {
        2.0 * at(1) - at(2)
    } else if i == 3 && high {
        2.0 * at(2) - at(1)
    } else {
        at(i)
    }
}

impl<N: Components> ControlPoints<N> {
    /// A component of the point at place (a, b), 0 to 3, of the level that a patch is of.
    #[inline(always)]
    fn own(&self, patch: &Patch, a: u32, b: u32, k: u32) -> f32 {
        let cell = &patch.cell;
        if patch.from != NONE {
            let point = ((cell.j & 1) + b) * SIDE + (cell.i & 1) + a;
            return self.blocks.get(N::N, patch.from, point, k);
        }
        let grid = Grid {
            mesh: self.blocks.rules.mesh,
            level: 0,
        };
        match around(&grid, cell.face, a as i32 - 1, b as i32 - 1) {
            NONE => 0.0,
            v => self.base.get(v, k),
        }
    }

    /// As [`ControlPoints::own`], reflected across what is sharp.
    #[inline(always)]
    fn point(&self, patch: &Patch, a: u32, b: u32, k: u32) -> f32 {
        let sharp = |side| patch.is_sharp(side);
        reflected(b, [sharp(0), sharp(2)], |b| {
            reflected(a, [sharp(3), sharp(1)], |a| self.own(patch, a, b, k))
        })
    }

    /// The point beyond an irregular corner.
    #[inline(always)]
    fn beyond(&self, patch: &Patch, k: u32) -> f32 {
        let h = 4 * patch.cell.face + (patch.kind >> CORNER_SHIFT);
        // Seen from the corner, of a cell of side 1.
        let at = |p: i32, q: i32| {
            let [x, y] = match h & 3 {
                0 => [p, q],
                1 => [1 - q, p],
                2 => [1 - p, 1 - q],
                _ => [q, 1 - p],
            };
            self.point(patch, (x + 1) as u32, (y + 1) as u32, k)
        };
        // The other eight of the nine points round the corner, by the mask of the limit: a loop, so that there is one
        // place to inline what a point takes.
        let mut rest = 0.0;
        for i in 1..9 {
            let (p, q) = (i % 3 - 1, i / 3 - 1);
            let weight = |x: i32| if x == 0 { 4.0 } else { 1.0 };
            rest += weight(p) * weight(q) * at(p, q);
        }
        36.0 * self.end(self.blocks.rules.mesh.corners.get(h), patch.cell.level, k) - rest
    }

    /// Where an irregular vertex ends, of the last level.
    #[inline(always)]
    fn end(&self, v: u32, level: u32, k: u32) -> f32 {
        let blocks = &self.blocks;
        let Rules { mesh, creases, .. } = &blocks.rules;
        let fan = blocks.fan(N::N, v, level, k);
        let n = fan.corners as f32;
        let smooth = (n * n * fan.here + 4.0 * fan.edges + fan.across) / (n * (n + 5.0));
        if creases.smooth != 0 {
            return smooth;
        }
        let last = (1 << level) - 1;
        let (mut count, mut sum, mut start) = (0, 0.0, NONE);
        let (first, end) = mesh.row(v);
        for at in first..end {
            let h = mesh.entries.get(at);
            if creases.part(mesh, h, level, 0) > 0.0 {
                count += 1;
                sum += blocks.along(N::N, h, false, level, k);
                start = h;
            }
            let before = prev(h);
            if mesh.twin(before) == NONE && creases.part(mesh, before, level, last) > 0.0 {
                count += 1;
                sum += blocks.along(N::N, before, true, level, k);
            }
        }
        if count > 2 || after(creases.base.vertex(v), level) > 0.0 {
            fan.here
        } else if count == 2 {
            (4.0 * fan.here + sum) / 6.0
        } else if count == 1 {
            self.dart(&fan, start, level, k)
        } else {
            smooth
        }
    }

    /// Where the end of a crease goes, which leaves along `start`: by the left eigenvector of eigenvalue 1 of the
    /// rules. Weights of the smooth edges follow 7 w(k) - w(k - 1) - w(k + 1) = 20 / n^2 from the crease round to it,
    /// where 0 stands for its own; that of the vertex is 1.
    #[inline(always)]
    fn dart(&self, fan: &Fan, start: u32, level: u32, k: u32) -> f32 {
        let (m, n) = (&self.blocks.rules.mesh, fan.corners);
        let each = 1.0 / (n * n) as f32;
        let far = 1.0 + decay(n);
        let weight = |i: u32| 4.0 * each * (1.0 - (decay(i) + decay(n - i)) / far);
        let beside = weight(1) + weight(n - 1);
        let (mut sum, mut total) = (fan.here, 1.0);
        let mut h = start;
        for i in 0..n {
            let edge = if i == 0 {
                10.0 / 3.0 * each + beside / 6.0
            } else {
                weight(i)
            };
            let own = |i| if i == 0 || i == n { 0.0 } else { weight(i) };
            let face = each / 3.0 + (own(i) + own(i + 1)) / 12.0;
            sum += edge * self.blocks.along(N::N, h, false, level, k);
            sum += face * self.blocks.across(N::N, h, level, k);
            total += edge + face;
            h = m.twin(prev(h));
        }
        sum / total
    }
}

/// The power `-i` of the larger solution of r + 1 / r = 7; what is too small to count is 0.
#[inline(always)]
fn decay(i: u32) -> f32 {
    let mut x = 1.0;
    for _ in 0..i.min(24) {
        x *= 0.145_898_03;
    }
    x
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl<N: Components> FlatKernel for ControlPoints<N> {
    #[inline(always)]
    fn run(&self, index: u32) {
        let (row, k) = (index / N::N, index % N::N);
        let (id, point) = (row / POINTS, row % POINTS);
        let [face, place, kind, from] = self.patches.get4(id);
        let cell = Cell::at(face, place);
        let patch = Patch { cell, kind, from };
        let (a, b) = (point % 4, point / 4);
        let beyond = match kind >> CORNER_SHIFT {
            0 => [0, 0],
            1 => [3, 0],
            2 => [3, 3],
            _ => [0, 3],
        };
        let value = if kind & CAP != 0 && [a, b] == beyond {
            self.beyond(&patch, k)
        } else {
            self.point(&patch, a, b, k)
        };
        self.out.set(row, k, value);
    }
}
