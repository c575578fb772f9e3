//! Cells of the grids on quads, and their classification as nodes and patches.
//!
//! A vertex is *regular* for a cell when the surface beside it is a B-spline: four faces and nothing sharp; or, between
//! two infinitely sharp edges, two faces and a crease, or one face and a corner. Points across infinitely sharp edges
//! are reflections of those inside.

use crate::catmull_clark::creases::Creases;
use crate::catmull_clark::{LevelGrid, next, prev};
use crate::sharpness::{INFINITE, after};
use crate::topology::{NONE, Topology};
use rxmesh_kernels::args;

/// Flag of a cell's kind: it is divided further.
pub const NODE: u32 = 16;
/// Flag of a cell's kind: it is a patch with an irregular vertex.
pub const CAP: u32 = 32;
/// Flag of a cell's kind: it is not part of the surface.
pub const OUTSIDE: u32 = 64;
/// Bit offset in a cell's kind of the irregular corner of a [`CAP`].
pub const CORNER_SHIFT: u32 = 8;

/// Cell of a quad's grid.
#[derive(Clone, Copy)]
pub struct Cell {
    /// Quad.
    pub face: u32,
    /// Level of the grid.
    pub level: u32,
    /// Column, from the quad's corner 0 towards corner 1.
    pub i: u32,
    /// Row, from the quad's corner 0 towards corner 3.
    pub j: u32,
}

impl Cell {
    /// Returns the whole quad.
    #[inline(always)]
    pub fn root(face: u32) -> Cell {
        Cell {
            face,
            level: 0,
            i: 0,
            j: 0,
        }
    }

    /// Packs level, column and row into one word: 4, 10 and 10 bits.
    #[inline(always)]
    pub fn place(&self) -> u32 {
        self.level | self.i << 4 | self.j << 14
    }

    /// Returns the cell of a face with this packed level, column and row.
    #[inline(always)]
    pub fn at(face: u32, place: u32) -> Cell {
        Cell {
            face,
            level: place & 15,
            i: place >> 4 & 1023,
            j: place >> 14,
        }
    }

    /// Returns one of its quarters, 0 to 3, row by row.
    #[inline(always)]
    pub fn child(&self, quarter: u32) -> Cell {
        Cell {
            face: self.face,
            level: self.level + 1,
            i: 2 * self.i + (quarter & 1),
            j: 2 * self.j + (quarter >> 1),
        }
    }

    /// Returns the cell at a corner of the mesh, at a level from 1 on.
    #[inline(always)]
    pub fn at_corner(h: u32, level: u32) -> Cell {
        let last = (1 << level) - 1;
        Cell {
            face: h / 4,
            level,
            i: last * u32::from(h & 3 == 1 || h & 3 == 2),
            j: last * (h >> 1 & 1),
        }
    }

    /// Returns the corner of the mesh at which it is, from level 1 on; [`NONE`] if there is none.
    #[inline(always)]
    pub fn corner(&self) -> u32 {
        let last = (1 << self.level) - 1;
        let (right, top) = (self.i == last, self.j == last);
        if (self.i != 0 && !right) || (self.j != 0 && !top) {
            return NONE;
        }
        let corner = match (right, top) {
            (false, false) => 0,
            (true, false) => 1,
            (true, true) => 2,
            (false, true) => 3,
        };
        4 * self.face + corner
    }

    /// Returns `true` if a side lies on the quad's.
    #[inline(always)]
    pub fn is_on(&self, side: u32) -> bool {
        let last = (1 << self.level) - 1;
        match side {
            0 => self.j == 0,
            1 => self.i == last,
            2 => self.j == last,
            _ => self.i == 0,
        }
    }

    /// Returns its position along a side of the quad, from the origin of the side's half-edge.
    #[inline(always)]
    pub fn along(&self, side: u32) -> u32 {
        let last = (1 << self.level) - 1;
        match side {
            0 => self.i,
            1 => self.j,
            2 => last - self.i,
            _ => last - self.j,
        }
    }
}

/// Returns the point at (x, y) of a quad's grid, -1 to n + 1; [`NONE`] if there is none.
#[inline(always)]
pub fn around(grid: &LevelGrid, f: u32, x: i32, y: i32) -> u32 {
    let m = &grid.mesh;
    let n = grid.cells() as i32;
    let inside = |x: i32| x >= 0 && x <= n;
    if inside(x) && inside(y) {
        return grid.point(f, x as u32, y as u32);
    }
    let (side, s) = if y < 0 {
        (0, x)
    } else if x > n {
        (1, y)
    } else if y > n {
        (2, n - x)
    } else {
        (3, n - y)
    };
    if !inside(s) {
        // Across a corner: over the half-edge there, then over the one before it.
        let corner = match (x < 0, y < 0) {
            (true, true) => 0,
            (false, true) => 1,
            (false, false) => 2,
            (true, false) => 3,
        };
        let beside = m.twin(4 * f + corner);
        if beside == NONE {
            return NONE;
        }
        let across = m.twin(next(beside));
        return if across == NONE {
            NONE
        } else {
            grid.beside(next(across), 1)
        };
    }
    let other = m.twin(4 * f + side);
    if other == NONE {
        NONE
    } else {
        grid.beside(other, (n - s) as u32)
    }
}

args! {
    /// Input of the classification of cells.
    pub struct Rules {
        /// Mesh of quads.
        pub mesh: Topology,
        /// Sharpness of the mesh.
        pub creases: Creases,
        /// Last level, at which everything that is sharp is treated as infinitely sharp.
        pub depth: u32,
    }
}

impl Rules {
    /// Returns `true` if a sharpness at a level will end.
    #[inline(always)]
    fn ends(&self, sharpness: f32, level: u32) -> bool {
        sharpness > 0.0 && sharpness < INFINITE && level < self.depth
    }

    /// Returns the sharpness of a part of a half-edge, the `k`-th from its origin or from its target.
    #[inline(always)]
    fn part(&self, h: u32, target: bool, level: u32, k: u32) -> f32 {
        let last = (1 << level) - 1;
        let i = if target { last - k } else { k };
        self.creases.part(&self.mesh, h, level, i)
    }

    /// Returns `true` if the edge of a half-edge is sharp at its origin.
    #[inline(always)]
    fn out(&self, h: u32, level: u32) -> bool {
        self.part(h, false, level, 0) > 0.0
    }

    /// Returns `true` if the edge before a corner is sharp there.
    #[inline(always)]
    fn into(&self, h: u32, level: u32) -> bool {
        self.part(prev(h), true, level, 0) > 0.0
    }

    /// Returns `true` if the edge of a half-edge has sharpness that will end near its origin, or near its target.
    #[inline(always)]
    fn ends_near(&self, h: u32, target: bool, level: u32) -> bool {
        self.ends(self.part(h, target, level, 0), level)
            || (level > 0 && self.ends(self.part(h, target, level, 1), level))
    }

    /// Returns `true` if the surface at a vertex is no B-spline after some levels, on any side of the sharp edges
    /// there.
    #[inline(always)]
    pub fn is_irregular(&self, v: u32, level: u32) -> bool {
        let m = &self.mesh;
        let (first, end) = m.row(v);
        if self.creases.smooth != 0 {
            return end - first != 4;
        }
        let own = after(self.creases.base.vertex(v), level);
        if self.ends(own, level) {
            return true;
        }
        let mut count = 0;
        for at in first..end {
            let h = m.entries.get(at);
            let before = prev(h);
            if self.ends_near(h, false, level) {
                return true;
            }
            count += u32::from(self.out(h, level)) + u32::from(m.twin(before) == NONE);
        }
        if count == 0 && own <= 0.0 {
            return end - first != 4;
        }
        let corner = own > 0.0 || count > 2;
        if !corner && count < 2 {
            return true;
        }
        for at in first..end {
            if !self.is_regular_side(m.entries.get(at), corner, level) {
                return true;
            }
        }
        false
    }

    /// Returns `true` if the faces between the sharp edges beside a corner make a B-spline: one at a corner, two at a
    /// crease.
    #[inline(always)]
    fn is_regular_side(&self, h: u32, corner: bool, level: u32) -> bool {
        match (self.out(h, level), self.into(h, level)) {
            (true, true) => corner,
            (true, false) => !corner && self.into(self.mesh.twin(prev(h)), level),
            (false, true) => !corner && self.out(next(self.mesh.twin(h)), level),
            (false, false) => false,
        }
    }

    /// Classifies a cell: a bit for each sharp side, and flags.
    #[inline(always)]
    pub fn kind(&self, cell: &Cell) -> u32 {
        let level = cell.level;
        let (mut sides, mut irregular, mut at) = (0, false, 0);
        if level == 0 {
            for c in 0..4 {
                let v = self.mesh.corners.get(4 * cell.face + c);
                irregular |= self.is_irregular(v, 0);
            }
        } else {
            let h = cell.corner();
            if h != NONE {
                at = h & 3;
                irregular = self.is_irregular(self.mesh.corners.get(h), level);
            }
        }
        if self.creases.smooth == 0 {
            for side in 0..4 {
                if cell.is_on(side) {
                    let h = 4 * cell.face + side;
                    let s = cell.along(side);
                    let part = |i| self.creases.part(&self.mesh, h, level, i);
                    let own = part(s);
                    let last = (1 << level) - 1;
                    let before = if s > 0 { part(s - 1) } else { 0.0 };
                    let then = if s < last { part(s + 1) } else { 0.0 };
                    irregular |=
                        self.ends(own, level) || self.ends(before, level) || self.ends(then, level);
                    sides |= u32::from(own > 0.0) << side;
                }
            }
        }
        if !irregular {
            sides
        } else if level < self.depth {
            sides | NODE
        } else {
            sides | CAP | at << CORNER_SHIFT
        }
    }
}
