//! Control points of patches: 4 x 4 of a uniform bicubic B-spline each, row by row from (-1, -1) of the cell on.
//!
//! Across an infinitely sharp side they are reflections. An irregular vertex of the last level does not have four
//! faces, and no point (-1, -1) relative to it: this point is chosen such that the patch interpolates the limit surface
//! there. The other 15 are points of the surface's level, so that such a patch joins its neighbours: with two
//! derivatives along sides away from the vertex, without a gap along sides at the vertex.

use super::blocks::{Blocks, FanSums, SIDE};
use super::cells::{CAP, CORNER_SHIFT, Cell, Rules, around};
use crate::catmull_clark::{ComponentCount, ComponentRows, LevelGrid, Output, prev};
use crate::sharpness::after;
use crate::topology::NONE;
use rxmesh_kernels::args;
use rxmesh_kernels::kernel::FlatKernel;
use rxmesh_kernels::mem::Global;

kernel_list! {
    flat catmull_clark_adaptive_points3: ControlPoints<crate::catmull_clark::Three>;
    flat catmull_clark_adaptive_points1: ControlPoints<crate::catmull_clark::One>;
}

/// Number of control points of a patch.
pub const POINTS: u32 = 16;

args! {
    /// Computes control points. One index per patch, point and component.
    pub struct ControlPoints<N: ComponentCount> {
        /// Blocks of all nodes.
        pub blocks: Blocks,
        /// Values of the quads' vertices.
        pub base: ComponentRows,
        /// Patches, as [`ListCells::patches`](super::plan::ListCells::patches).
        pub patches: Global<u32>,
        /// Result: [`POINTS`] rows per patch.
        pub out: Output,
        /// Number of components.
        pub components: N,
    }
}

/// Patch: its cell, its kind, and the node whose block has its points.
#[derive(Clone, Copy)]
struct CellPatch {
    cell: Cell,
    kind: u32,
    from: u32,
}

impl CellPatch {
    #[inline(always)]
    fn is_sharp(&self, side: u32) -> bool {
        self.kind >> side & 1 != 0
    }
}

/// Returns the value at one end of four as the reflection of the next two if the flag is set, and `at(i)` otherwise.
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

impl<N: ComponentCount> ControlPoints<N> {
    /// Returns a component of the point at (a, b), 0 to 3, at the level of a patch.
    #[inline(always)]
    fn own(&self, patch: &CellPatch, a: u32, b: u32, k: u32) -> f32 {
        let cell = &patch.cell;
        if patch.from != NONE {
            let point = ((cell.j & 1) + b) * SIDE + (cell.i & 1) + a;
            return self.blocks.get(N::N, patch.from, point, k);
        }
        let grid = LevelGrid {
            mesh: self.blocks.rules.mesh,
            level: 0,
        };
        match around(&grid, cell.face, a as i32 - 1, b as i32 - 1) {
            NONE => 0.0,
            v => self.base.get(v, k),
        }
    }

    /// Returns the point of [`ControlPoints::own`], reflected across sharp sides.
    #[inline(always)]
    fn point(&self, patch: &CellPatch, a: u32, b: u32, k: u32) -> f32 {
        let sharp = |side| patch.is_sharp(side);
        reflected(b, [sharp(0), sharp(2)], |b| {
            reflected(a, [sharp(3), sharp(1)], |a| self.own(patch, a, b, k))
        })
    }

    /// Returns the point beyond an irregular corner.
    #[inline(always)]
    fn beyond(&self, patch: &CellPatch, k: u32) -> f32 {
        let h = 4 * patch.cell.face + (patch.kind >> CORNER_SHIFT);
        // Relative to the corner, of a cell of side 1.
        let at = |p: i32, q: i32| {
            let [x, y] = match h & 3 {
                0 => [p, q],
                1 => [1 - q, p],
                2 => [1 - p, 1 - q],
                _ => [q, 1 - p],
            };
            self.point(patch, (x + 1) as u32, (y + 1) as u32, k)
        };
        // The other eight of the nine points around the corner, by the mask of the limit: a loop, so that the code of a
        // point is inlined once.
        let mut rest = 0.0;
        for i in 1..9 {
            let (p, q) = (i % 3 - 1, i / 3 - 1);
            let weight = |x: i32| if x == 0 { 4.0 } else { 1.0 };
            rest += weight(p) * weight(q) * at(p, q);
        }
        36.0 * self.end(self.blocks.rules.mesh.corners.get(h), patch.cell.level, k) - rest
    }

    /// Returns the limit position of an irregular vertex of the last level.
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

    /// Returns the limit position of the end of a crease that leaves along `start`: by the left eigenvector of
    /// eigenvalue 1 of the rules. Weights of the smooth edges follow 7 w(k) - w(k - 1) - w(k + 1) = 20 / n^2 from the
    /// crease around to it, with 0 for the crease's; that of the vertex is 1.
    #[inline(always)]
    fn dart(&self, fan: &FanSums, start: u32, level: u32, k: u32) -> f32 {
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

/// Returns the power `-i` of the larger solution of r + 1 / r = 7; negligible values are 0.
#[inline(always)]
fn decay(i: u32) -> f32 {
    let mut x = 1.0;
    for _ in 0..i.min(24) {
        x *= 0.145_898_03;
    }
    x
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl<N: ComponentCount> FlatKernel for ControlPoints<N> {
    #[inline(always)]
    fn run(&self, index: u32) {
        let (row, k) = (index / N::N, index % N::N);
        let (id, point) = (row / POINTS, row % POINTS);
        let [face, place, kind, from] = self.patches.get4(id);
        let cell = Cell::at(face, place);
        let patch = CellPatch { cell, kind, from };
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
