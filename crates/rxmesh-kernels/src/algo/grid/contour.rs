//! A surface between the grid vertices that are outside and the others: dual contouring (Ju, Losasso, Schaefer and
//! Warren 2002) with a vertex for each piece of surface in a cell, so that it is manifold (Nielson 2004, "Dual marching
//! cubes"; Wenger 2013, "Isosurfaces", section 3.5: pieces that touch at a face of two cells are joined the other way).
//!
//! Cases of cells are in a table ([`CaseTable`]).

use super::cases::{CASES, CaseTable, EDGES, NO_FACE};
use super::planes::Planes;
use super::{OutsideView, SIDE, VERTICES, within};
use crate::algo::closest::closest_on_triangle;
use crate::algo::tree::IndexedTriangles;
use crate::exec::{Block, SCRATCH_WORDS};
use crate::kernel::BlockKernel;
use crate::math::{add_rounded, dot_rounded, product, sqrt};
use crate::mem::{Global, GlobalMut, Plan, Shared};
use crate::{args, kernel};
use glam::Vec3;

kernel_list! {
    block grid_cells: ContourCells;
    block grid_vertices: ContourVertices;
    block grid_faces: ContourFaces;
}

/// Returns coordinates moved up by some steps along axis `a`, and along the two that follow it.
#[inline(always)]
fn up([x, y, z]: [u32; 3], a: u32, steps: [u32; 3]) -> [u32; 3] {
    let [i, j, k] = steps;
    if a == 0 {
        [x + i, y + j, z + k]
    } else if a == 1 {
        [x + k, y + i, z + j]
    } else {
        [x + j, y + k, z + i]
    }
}

/// Returns coordinates moved down by some steps along the two axes that follow `a`.
#[inline(always)]
fn down([x, y, z]: [u32; 3], a: u32, [j, k]: [u32; 2]) -> [u32; 3] {
    if a == 0 {
        [x, y - j, z - k]
    } else if a == 1 {
        [x - k, y, z - j]
    } else {
        [x - j, y - k, z]
    }
}

/// Grid vertices along each axis of a brick with those around it that decide on the cases of its cells.
const AROUND: u32 = SIDE + 3;

/// Position of the case in a packed cell; its first vertex in the brick is below.
const CASE_SHIFT: u32 = 12;

kernel! {
    /// Finds the case of each cell of a brick, and counts vertices and quadrangles. A block a slot.
    pub struct ContourCells: Block {
        /// Grid vertices that are outside.
        pub outside: OutsideView,
        /// Cases of cells.
        pub table: CaseTable,
        /// First vertex of each cell in its brick, and its case; [`VERTICES`] a slot.
        pub cells: GlobalMut<u32>,
        /// Number of vertices of each slot.
        pub vertices: GlobalMut<u32>,
        /// Number of quadrangles of each slot.
        pub quads: GlobalMut<u32>,
    }
}

args! {
    /// Shared memory of [`ContourCells`].
    pub struct CellTables {
        /// 1 for each grid vertex in and around the brick that is inside.
        pub inside: Shared<u32>,
        /// Cases of cells, then their numbers of vertices.
        pub cases: Shared<u32>,
        /// Numbers of vertices.
        pub starts: Shared<u32>,
        /// For sums.
        pub scratch: Shared<u32>,
    }
}

impl CellTables {
    /// Returns 1 for a grid vertex that is inside. Coordinates are from one cell before the brick.
    #[inline(always)]
    fn at(&self, [x, y, z]: [u32; 3]) -> u32 {
        self.inside.get(x + AROUND * (y + AROUND * z))
    }

    /// Returns the corners of a cell that are inside.
    #[inline(always)]
    fn corners(&self, [x, y, z]: [u32; 3]) -> u32 {
        let pair = |y: u32, z: u32| self.at([x, y, z]) | self.at([x + 1, y, z]) << 1;
        let layer = |z: u32| pair(y, z) | pair(y + 1, z) << 2;
        layer(z) | layer(z + 1) << 4
    }

    /// Returns the case of a cell: if a piece meets itself at a face, and one of the cell behind the face does too,
    /// both are joined the other way there.
    #[inline(always)]
    fn case(&self, table: &CaseTable, at: [u32; 3]) -> u32 {
        let corners = self.corners(at);
        let face = table.case(corners).face();
        if face == NO_FACE {
            return corners;
        }
        let [x, y, z] = up(at, face / 2, [2 * (face % 2), 1, 1]);
        let behind = table.case(self.corners([x - 1, y - 1, z - 1])).face();
        if behind == face ^ 1 {
            corners + CASES / 2
        } else {
            corners
        }
    }
}

// SAFETY: blocks write apart, in phases that barriers part; indices are the launch's (contracts U1 to U4).
unsafe impl BlockKernel for ContourCells {
    type Tables = CellTables;

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> CellTables {
        CellTables {
            inside: plan.take(AROUND * AROUND * AROUND),
            cases: plan.take(VERTICES),
            starts: plan.take(VERTICES),
            scratch: plan.take(SCRATCH_WORDS),
        }
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, slot: u32, &tables: &CellTables) {
        let [x, y, z] = self.outside.active.first(slot);
        b.each(AROUND * AROUND * AROUND, |i| {
            let (u, v, w) = (i % AROUND, i / AROUND % AROUND, i / (AROUND * AROUND));
            // No brick at the border of the grid is active.
            let at = [x + u - 1, y + v - 1, z + w - 1];
            tables.inside.set(i, u32::from(!self.outside.contains(at)));
        });
        b.each(VERTICES, |i| {
            let [u, v, w] = within(i);
            let case = tables.case(&self.table, [u + 1, v + 1, w + 1]);
            tables.cases.set(i, case);
            tables.starts.set(i, self.table.case(case).pieces());
        });
        let vertices = b.scan(tables.starts, VERTICES, tables.scratch);
        let crossed = |i: u32| {
            let [u, v, w] = within(i);
            let here = [u + 1, v + 1, w + 1];
            let differs = |a: u32| tables.at(here) ^ tables.at(up(here, a, [1, 0, 0]));
            f64::from(differs(0) + differs(1) + differs(2))
        };
        let quads = b.sum(VERTICES, tables.scratch, crossed) as u32;
        b.last_phase(|p| {
            p.each(VERTICES, |i| {
                let cell = tables.starts.get(i) | tables.cases.get(i) << CASE_SHIFT;
                self.cells.set(slot * VERTICES + i, cell);
            });
            p.lead(|| {
                self.vertices.set(slot, vertices);
                self.quads.set(slot, quads);
            });
        });
    }
}

args! {
    /// Distances of the grid vertices of active bricks from the surface.
    pub struct GridDistances {
        /// Triangles of the surface.
        pub triangles: IndexedTriangles,
        /// Squared distance of each grid vertex.
        pub squares: Global<f32>,
        /// Nearest triangle of each grid vertex.
        pub nearest: Global<u32>,
    }
}

kernel! {
    /// Places the vertices of the contour. Each minimises the squared distances from planes through the crossings of
    /// its piece of surface with edges of its cell (Ju et al. 2002, section 2.1), moved with them from the level of the
    /// contour towards the surface. A block a slot.
    pub struct ContourVertices: Block {
        /// Grid vertices that are outside.
        pub outside: OutsideView,
        /// Cases of cells.
        pub table: CaseTable,
        /// Distances from the surface.
        pub distances: GridDistances,
        /// Distance of the contour from the surface.
        pub level: f32,
        /// Distance of the result from the surface.
        pub offset: f32,
        /// Steps that each vertex holds back; empty for none ([`STEPS`]).
        pub steps: Global<u32>,
        /// See [`ContourCells::cells`].
        pub cells: Global<u32>,
        /// First vertex of each slot.
        pub starts: Global<u32>,
        /// Place of each vertex.
        pub places: GlobalMut<Vec3>,
    }
}

/// Most steps that a vertex can hold back, so that faces do not intersect: one to the mean point of its planes, in two
/// more to that on the level of the contour, which is in its cell, and one to the mean of the middles of the edges.
pub const STEPS: u32 = 4;

impl ContourVertices {
    /// Returns the point of the surface that is closest to a point of an edge, by the triangles nearest to its ends.
    #[inline(always)]
    fn closest(&self, p: Vec3, triangles: [u32; 2]) -> Vec3 {
        let on = |triangle: u32| {
            let [a, b, c] = self.distances.triangles.corners(triangle);
            let q = closest_on_triangle(p, a, b, c);
            (q, dot_rounded(q - p, q - p))
        };
        let (first, second) = (on(triangles[0]), on(triangles[1]));
        if second.1 < first.1 {
            second.0
        } else {
            first.0
        }
    }

    /// Adds the plane of the crossing on an edge of the grid, relative to a place. Both ends have a nearest triangle.
    #[inline(always)]
    fn add(&self, planes: &mut Planes, [from, to]: [[u32; 3]; 2], centre: Vec3, steps: u32) {
        let active = &self.outside.active;
        let (p, q) = (active.grid.place(from), active.grid.place(to));
        if steps == STEPS {
            planes.add(add_rounded(p - centre, q - p, 0.5), Vec3::ZERO);
            return;
        }
        let offset = if steps < 2 {
            self.offset
        } else if steps == 2 {
            product(0.5, self.offset + self.level)
        } else {
            self.level
        };
        let number = |at: [u32; 3]| {
            let (_, slot, number) = active.find(at);
            slot * VERTICES + number
        };
        let (i, j) = (number(from), number(to));
        let distance = |i: u32| sqrt(self.distances.squares.get(i));
        let (d, e) = (distance(i), distance(j));
        // One end is beyond the level, the other is not.
        let part = (self.level - d) / (e - d);
        let at = add_rounded(p, q - p, part);
        let triangles = [self.distances.nearest.get(i), self.distances.nearest.get(j)];
        let nearest = self.closest(at, triangles);
        let off = at - nearest;
        let length = sqrt(dot_rounded(off, off));
        if length > 0.0 {
            let normal = off * (1.0 / length);
            planes.add(add_rounded(nearest - centre, normal, offset), normal);
        }
    }
}

// SAFETY: blocks write apart, because starts are prefix sums; indices are the launch's (contracts U1 to U4).
unsafe impl BlockKernel for ContourVertices {
    type Tables = ();

    #[inline(always)]
    fn carve(&mut self, _plan: &mut Plan) {}

    #[inline(always)]
    fn run<B: Block>(&self, b: B, slot: u32, (): &()) {
        let active = &self.outside.active;
        let first = active.first(slot);
        let start = self.starts.get(slot);
        b.last_phase(|p| {
            p.each(VERTICES, |i| {
                let cell = self.cells.get(slot * VERTICES + i);
                let case = self.table.case(cell >> CASE_SHIFT);
                if case.pieces() == 0 {
                    return;
                }
                let corners = cell >> CASE_SHIFT;
                let from = up(first, 0, within(i));
                let centre = active.grid.place(from);
                let mut piece = 0;
                while piece < case.pieces() {
                    let to = start + (cell & ((1 << CASE_SHIFT) - 1)) + piece;
                    let steps = if self.steps.is_empty() {
                        0
                    } else {
                        self.steps.get(to)
                    };
                    let (mut planes, mut edge) = (Planes::NONE, 0);
                    while edge < EDGES {
                        let axis = edge / 4;
                        let low = up([0; 3], axis, [0, edge % 2, edge / 2 % 2]);
                        let high = up(low, axis, [1, 0, 0]);
                        let bit = |[x, y, z]: [u32; 3]| corners >> (x + 2 * y + 4 * z) & 1;
                        if bit(low) != bit(high) && case.piece(edge) == piece {
                            let (low, high) = (up(from, 0, low), up(from, 0, high));
                            self.add(&mut planes, [low, high], centre, steps);
                        }
                        edge += 1;
                    }
                    let at = if planes.count == 0.0 {
                        centre
                    } else if steps == 0 {
                        centre + planes.solve(active.grid.cell)
                    } else {
                        add_rounded(centre, planes.points, 1.0 / planes.count)
                    };
                    self.places.set(to, at);
                    piece += 1;
                }
            });
        });
    }
}

kernel! {
    /// Writes two triangles for each edge of the grid that the contour crosses. A block a slot.
    pub struct ContourFaces: Block {
        /// Grid vertices that are outside.
        pub outside: OutsideView,
        /// Cases of cells.
        pub table: CaseTable,
        /// See [`ContourCells::cells`].
        pub cells: Global<u32>,
        /// First vertex of each slot.
        pub starts: Global<u32>,
        /// First quadrangle of each slot.
        pub quads: Global<u32>,
        /// Place of each vertex.
        pub places: Global<Vec3>,
        /// Corners of the triangles, three each.
        pub faces: GlobalMut<u32>,
    }
}

impl ContourFaces {
    /// Returns the axes along which the edge from a grid vertex is crossed, as bits.
    #[inline(always)]
    fn crossed(&self, at: [u32; 3]) -> u32 {
        let here = self.outside.contains(at);
        let differs = |a: u32| u32::from(self.outside.contains(up(at, a, [1, 0, 0])) != here) << a;
        differs(0) | differs(1) | differs(2)
    }

    /// Returns the vertex of a cell whose piece crosses one of its edges.
    #[inline(always)]
    fn vertex(&self, cell: [u32; 3], edge: u32) -> u32 {
        let (_, slot, number) = self.outside.active.find(cell);
        let cell = self.cells.get(slot * VERTICES + number);
        let piece = self.table.case(cell >> CASE_SHIFT).piece(edge);
        self.starts.get(slot) + (cell & ((1 << CASE_SHIFT) - 1)) + piece
    }

    /// Writes the triangles of an edge along an axis, from a grid vertex up.
    #[inline(always)]
    fn write(&self, quad: u32, at: [u32; 3], axis: u32) {
        let corner = |s: u32, t: u32| self.vertex(down(at, axis, [s, t]), 4 * axis + 2 * t + s);
        let (a, b, c, d) = (corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1));
        // Anticlockwise as seen from above; the outside may be below.
        let (b, d) = if self.outside.contains(at) {
            (d, b)
        } else {
            (b, d)
        };
        let square = |v: u32, w: u32| {
            let side = self.places.get(v) - self.places.get(w);
            dot_rounded(side, side)
        };
        let to = |k: u32, v: u32| self.faces.set(6 * quad + k, v);
        // Along the shorter diagonal.
        let (a, b, c, d) = if square(a, c) <= square(b, d) {
            (a, b, c, d)
        } else {
            (b, c, d, a)
        };
        to(0, a);
        to(1, b);
        to(2, c);
        to(3, a);
        to(4, c);
        to(5, d);
    }
}

// SAFETY: blocks write apart, because starts are prefix sums of the numbers of quadrangles, in phases that barriers
// part; indices are the launch's (contracts U1 to U4).
unsafe impl BlockKernel for ContourFaces {
    type Tables = (Shared<u32>, Shared<u32>);

    #[inline(always)]
    fn carve(&mut self, plan: &mut Plan) -> Self::Tables {
        (plan.take(VERTICES), plan.take(SCRATCH_WORDS))
    }

    #[inline(always)]
    fn run<B: Block>(&self, b: B, slot: u32, &(starts, scratch): &Self::Tables) {
        let first = self.outside.active.first(slot);
        b.each(VERTICES, |i| {
            starts.set(i, self.crossed(up(first, 0, within(i))).count_ones());
        });
        b.scan(starts, VERTICES, scratch);
        let from = self.quads.get(slot);
        b.last_phase(|p| {
            p.each(VERTICES, |i| {
                let at = up(first, 0, within(i));
                let (crossed, mut quad) = (self.crossed(at), from + starts.get(i));
                let mut axis = 0;
                while axis < 3 {
                    if crossed >> axis & 1 != 0 {
                        self.write(quad, at, axis);
                        quad += 1;
                    }
                    axis += 1;
                }
            });
        });
    }
}
