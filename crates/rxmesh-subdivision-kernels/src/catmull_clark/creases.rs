//! Sharpness of the parts of a base edge after some levels, and its effect on the points on it.
//!
//! By the uniform rule all parts of an edge have the same sharpness. By Chaikin's rule (DeRose et al. 1998, section
//! 3.3) they differ: a table holds them for all levels, for the edges of finite sharpness.

use crate::sharpness::{INFINITE, Sharpness, after};
use crate::topology::{NONE, Topology};
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::{args, kernel, kernel::FlatKernel};

kernel_list! {
    flat catmull_clark_chaikin: Chaikin;
}

/// Edges at a vertex at one level: the number of sharp ones, and the sum of the points along those.
#[derive(Clone, Copy)]
struct Sharp {
    count: u32,
    sum: f32,
}

impl Sharp {
    #[inline(always)]
    fn add(&mut self, sharpness: f32, point: f32) {
        if sharpness > 0.0 {
            self.count += 1;
            self.sum += point;
        }
    }

    /// Returns the point of the vertex by the rule that applies: of a corner, a crease, or neither.
    #[inline(always)]
    fn point(self, corner: bool, v: f32, smooth: f32) -> f32 {
        if corner || self.count > 2 {
            v
        } else if self.count == 2 {
            0.75 * v + 0.125 * self.sum
        } else {
            smooth
        }
    }

    /// Returns the rule that applies; smooth and dart are the same.
    #[inline(always)]
    fn rule(self, corner: bool) -> u32 {
        if corner || self.count > 2 {
            2
        } else {
            u32::from(self.count == 2)
        }
    }
}

args! {
    /// Sharpness at all levels.
    pub struct Creases {
        /// Sharpness at the base.
        pub base: Sharpness,
        /// 1 if no edge and no vertex is sharp and there is no boundary.
        pub smooth: u32,
        /// Number of levels of the table.
        pub depth: u32,
        /// Row of each edge in the table, [`NONE`] for those without one; empty with the uniform rule.
        pub rows: Global<u32>,
        /// A row has the 2^l parts of level l = 0 to `depth`, one level after the other, from the edge's first end on.
        pub table: Global<f32>,
    }
}

/// Returns the number of values in a row of [`Creases::table`].
#[inline(always)]
pub fn row_length(depth: u32) -> u32 {
    (2 << depth) - 1
}

/// Returns the weight of the crease rule at an edge point, from the edge's sharpness and that of its two parts. By
/// Chaikin's rule sharpness above 1 can end within a level: then the weight is above 1 and extrapolates beyond the
/// midpoint, as OpenSubdiv's refiners do.
#[inline(always)]
fn edge_weight(s: f32, parts: [f32; 2]) -> f32 {
    if s <= 0.0 {
        0.0
    } else if parts[0] > 0.0 && parts[1] > 0.0 {
        1.0
    } else {
        s
    }
}

/// Returns the weight of the crease rule (0 to 1) at a point between two parts of an edge.
#[inline(always)]
fn vertex_weight(before: [f32; 2], after: [f32; 2]) -> f32 {
    if before[0] <= 0.0 || before[1] <= 0.0 {
        return 0.0;
    }
    let (first, second) = (after[0] <= 0.0, after[1] <= 0.0);
    let mean = match (first, second) {
        (false, false) => return 1.0,
        (true, false) => before[0],
        (false, true) => before[1],
        _ => 0.5 * (before[0] + before[1]),
    };
    if mean < 1.0 { mean } else { 1.0 }
}

impl Creases {
    /// Returns the sharpness of part `i` of the 2^`level` parts of a half-edge, counted from its origin.
    #[inline(always)]
    pub fn part(&self, mesh: &Topology, h: u32, level: u32, i: u32) -> f32 {
        self.part_of(mesh, h, self.base.edge(mesh, h), level, i)
    }

    /// Returns [`Creases::part`] of a half-edge whose sharpness at the base is `s`.
    #[inline(always)]
    pub fn part_of(&self, mesh: &Topology, h: u32, s: f32, level: u32, i: u32) -> f32 {
        if s <= 0.0 || s >= INFINITE || self.rows.is_empty() {
            return after(s, level);
        }
        let parts = 1 << level;
        let at = if h < mesh.twin(h) { i } else { parts - 1 - i };
        let row = self.rows.get(mesh.edges.get(h)) * row_length(self.depth);
        self.table.get(row + parts - 1 + at)
    }

    /// Returns the weight of the crease rule (0 to 1, except as in `edge_weight`) at point `at` of the 2^(`level` + 1)
    /// - 1 inner points of a half-edge at the next level; `s` is the half-edge's sharpness at the base.
    #[inline(always)]
    pub fn weight(&self, mesh: &Topology, h: u32, s: f32, level: u32, at: u32) -> f32 {
        if s <= 0.0 {
            return 0.0;
        }
        if s >= INFINITE || self.rows.is_empty() {
            let rest = after(s, level);
            return if rest < 1.0 { rest } else { 1.0 };
        }
        let part = |level, i| self.part_of(mesh, h, s, level, i);
        let parts = [part(level + 1, at - 1), part(level + 1, at)];
        if at & 1 == 1 {
            edge_weight(part(level, at / 2), parts)
        } else {
            vertex_weight([part(level, at / 2 - 1), part(level, at / 2)], parts)
        }
    }

    /// Returns the weight of the crease rule at the first inner point of a half-edge at the next level, from its
    /// origin.
    #[inline(always)]
    pub fn first_weight(&self, mesh: &Topology, h: u32, level: u32) -> f32 {
        self.weight(mesh, h, self.base.edge(mesh, h), level, 1)
    }

    /// Returns [`Creases::first_weight`] from the half-edge's target.
    #[inline(always)]
    pub fn last_weight(&self, mesh: &Topology, h: u32, level: u32) -> f32 {
        let at = (2 << level) - 1;
        self.weight(mesh, h, self.base.edge(mesh, h), level, at)
    }

    /// Returns the argument `sharp` of [`Creases::vertex`], from the mesh itself.
    #[inline(always)]
    pub fn of_corner(&self, mesh: &Topology, h: u32, side: u32) -> f32 {
        if side == 0 {
            self.base.edge(mesh, h)
        } else if mesh.twin(mesh.prev(h)) == NONE {
            INFINITE
        } else {
            0.0
        }
    }

    /// Computes the next level's point of a base vertex at `here`; `smooth` is its point by the smooth rule. For corner
    /// h at index `place` of the vertex's row, `sharp(place, h, side)` is the base sharpness of the half-edge (side 0),
    /// or that of the one before if this is a boundary (side 1; otherwise 0); `point(place, h, side)` is the nearest
    /// point along that, from the vertex on.
    #[inline(always)]
    #[expect(
        clippy::too_many_arguments,
        reason = "a vertex with what is known of it"
    )]
    pub fn vertex(
        &self,
        mesh: &Topology,
        v: u32,
        level: u32,
        here: f32,
        smooth: f32,
        sharp: impl Fn(u32, u32, u32) -> f32,
        point: impl Fn(u32, u32, u32) -> f32,
    ) -> f32 {
        let (first, end) = mesh.row(v);
        let none = Sharp { count: 0, sum: 0.0 };
        let (mut now, mut then) = (none, none);
        // Sharpness that ends at this level.
        let (mut ending, mut endings) = (0.0, 0);
        let s = self.base.vertex(v);
        let corner = [after(s, level) > 0.0, after(s, level + 1) > 0.0];
        if corner[0] && !corner[1] {
            (ending, endings) = (after(s, level), 1);
        }
        let last = (1 << level) - 1;
        for at in first..end {
            let h = mesh.entries.get(at);
            let place = at - first;
            for side in 0..2 {
                let base = sharp(place, h, side);
                if base <= 0.0 {
                    continue;
                }
                let (half, i, j) = if side == 0 {
                    (h, 0, 0)
                } else {
                    (mesh.prev(h), last, 2 * last + 1)
                };
                let a = self.part_of(mesh, half, base, level, i);
                if a > 0.0 {
                    let b = self.part_of(mesh, half, base, level + 1, j);
                    let x = point(place, h, side);
                    now.add(a, x);
                    then.add(b, x);
                    if b <= 0.0 {
                        ending += a;
                        endings += 1;
                    }
                }
            }
        }
        let rule = now.rule(corner[0]);
        let parent = now.point(corner[0], here, smooth);
        if rule == 0 || rule == then.rule(corner[1]) {
            return parent;
        }
        let weight = if endings == 0 {
            0.0
        } else {
            (ending / endings as f32).min(1.0)
        };
        let child = then.point(corner[1], here, smooth);
        child + weight * (parent - child)
    }
}

kernel! {
    /// Computes one level of the table from the one before: one index per part.
    pub struct Chaikin: Flat {
        /// Mesh.
        pub mesh: Topology,
        /// Sharpness at the base.
        pub base: Sharpness,
        /// Edges that have rows.
        pub edges: Global<u32>,
        /// Rows of edges, as [`Creases::rows`].
        pub rows: Global<u32>,
        /// Number of levels, as [`Creases::depth`].
        pub depth: u32,
        /// Known level.
        pub level: u32,
        /// Table, as [`Creases::table`].
        pub table: GlobalMut<f32>,
    }
}

impl Chaikin {
    /// Returns the sharpness of the part of a half-edge at its origin, or at its target.
    #[inline(always)]
    fn end(&self, h: u32, target: bool) -> f32 {
        let known = Creases {
            base: self.base,
            smooth: 0,
            depth: self.depth,
            rows: self.rows,
            table: self.table.read(),
        };
        let i = if target { (1 << self.level) - 1 } else { 0 };
        known.part(&self.mesh, h, self.level, i)
    }

    /// Returns sum and number of the finite sharpness values at the origin of a half-edge.
    #[inline(always)]
    fn around(&self, h: u32) -> (f32, u32) {
        let m = &self.mesh;
        let (first, end) = m.row(m.origin(h));
        let (mut sum, mut count) = (0.0, 0);
        let mut add = |s: f32| {
            if s > 0.0 && s < INFINITE {
                sum += s;
                count += 1;
            }
        };
        for at in first..end {
            let g = m.entries.get(at);
            add(self.end(g, false));
            let before = m.prev(g);
            if m.twin(before) == NONE {
                add(self.end(before, true));
            }
        }
        (sum, count)
    }
}

/// Sharpness below which a part counts as smooth.
const ROUNDING: f32 = 1e-5;

/// Returns the sharpness of a part one level later, from its own sharpness, and the sum and number of those that meet
/// at one end of it, including its own.
#[inline(always)]
pub fn worn(own: f32, (sum, count): (f32, u32)) -> f32 {
    if own <= 0.0 {
        return 0.0;
    }
    let s = if count > 1 {
        0.75 * own + 0.25 * (sum - own) / (count - 1) as f32
    } else {
        own
    };
    let rest = after(s, 1);
    // Rounding residue of sums that are 1: rules change where sharpness ends.
    if rest < ROUNDING { 0.0 } else { rest }
}

// SAFETY: an index writes two values of the next level, which no other index reads in this launch; reads are of the
// level before (contracts U3, U4).
unsafe impl FlatKernel for Chaikin {
    #[inline(always)]
    fn run(&self, index: u32) {
        let m = &self.mesh;
        let (e, i) = (
            self.edges.get(index >> self.level),
            index & ((1 << self.level) - 1),
        );
        let h = m.halves.get(e);
        let row = self.rows.get(e) * row_length(self.depth);
        let parts = 1 << self.level;
        let here = row + parts - 1;
        let own = self.table.get(here + i);
        let pair = |other: f32| (own + other, if other > 0.0 { 2 } else { 1 });
        let first = if i == 0 {
            self.around(h)
        } else {
            pair(self.table.get(here + i - 1))
        };
        let second = if i + 1 == parts {
            // Sharpness at the other end: the edge is interior, because boundary edges have no row.
            self.around(m.twin(h))
        } else {
            pair(self.table.get(here + i + 1))
        };
        let there = row + 2 * parts - 1 + 2 * i;
        self.table.set(there, worn(own, first));
        self.table.set(there + 1, worn(own, second));
    }
}
