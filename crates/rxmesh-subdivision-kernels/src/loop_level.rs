//! One level of a Loop surface, from points in global memory.

use crate::barycentric::{TriangleGrid, inside, inside_point};
use crate::catmull_clark::creases::Creases;
use crate::columns::{Columns, One, Rows, RowsMut, Three, Two};
use crate::loop_rings::RingTable;
use crate::topology::{NONE, Topology};
use rxmesh_kernels::args;
use rxmesh_kernels::kernel::FlatKernel;

kernel_list! {
    flat loop_level_1: Level<One>;
    flat loop_level_2: Level<Two>;
    flat loop_level_3: Level<Three>;
}

args! {
    /// Computes a level from the one before: one column of a point per index, points in the order of their ids. Base
    /// vertices are not among them: [`Rings`](crate::loop_rings::Rings) computes those.
    pub struct Level<Q: Columns> {
        /// Mesh.
        pub mesh: Topology,
        /// Sharpness of the mesh.
        pub creases: Creases,
        /// Points of the level before.
        pub grid: TriangleGrid,
        /// Base vertices at the intermediate levels.
        pub rings: RingTable<Q>,
        /// Values of the level before.
        pub x: Rows<Q>,
        /// Values of the new level.
        pub y: RowsMut<Q>,
    }
}

// SAFETY: each index writes its own (contracts U3, U4).
unsafe impl<Q: Columns> FlatKernel for Level<Q> {
    #[inline(always)]
    fn run(&self, i: u32) {
        let (id, c) = (self.grid.vertices + i / Q::N, i % Q::N);
        let next = TriangleGrid {
            level: self.grid.level + 1,
            ..self.grid
        };
        let n = next.parts();
        let value = if id < next.face_start(0) {
            let at = id - next.vertices;
            // Not 0, for the compiler's range analysis.
            let points = (n - 1).max(1);
            let e = at / points;
            self.on_line(e, at - e * points + 1, c)
        } else {
            let at = id - next.face_start(0);
            let points = inside(n).max(1);
            let f = at / points;
            let (x, y) = inside_point(n, at - f * points);
            self.inside(f, x, y, c)
        };
        self.y.set(id, c, value);
    }
}

impl<Q: Columns> Level<Q> {
    /// Returns a point of the level before.
    #[inline(always)]
    fn get(&self, id: u32, c: u32) -> f32 {
        if id < self.grid.vertices && self.grid.level > 0 {
            self.rings.vertex(self.grid.level, id, c)
        } else {
            self.x.get(id, c)
        }
    }

    /// Computes the point `s` steps along an edge.
    #[inline(always)]
    fn on_line(&self, e: u32, s: u32, c: u32) -> f32 {
        let (g, n) = (self.grid, self.grid.parts());
        let h = self.mesh.halves.get(e);
        let twin = self.mesh.twin(h);
        let get = |h: u32, s: u32, r: u32| self.get(g.beside(h, s, r), c);
        let sharpness = self.creases.base.edge(&self.mesh, h);
        let w = self.creases.weight(&self.mesh, h, sharpness, g.level, s);
        let at = s >> 1;
        if s & 1 == 1 {
            let ends = get(h, at, 0) + get(h, at + 1, 0);
            if w == 1.0 || twin == NONE {
                return 0.5 * ends;
            }
            let sides = get(h, at, 1) + get(twin, n - at - 1, 1);
            return w * 0.5 * ends + (1.0 - w) * (0.375 * ends + 0.125 * sides);
        }
        let (here, ends) = (get(h, at, 0), get(h, at - 1, 0) + get(h, at + 1, 0));
        let line = 0.75 * here + 0.125 * ends;
        if w == 1.0 || twin == NONE {
            return line;
        }
        let left = get(h, at - 1, 1) + get(h, at, 1);
        let right = get(twin, n - at - 1, 1) + get(twin, n - at, 1);
        w * line + (1.0 - w) * (0.625 * here + 0.0625 * (ends + left + right))
    }

    /// Computes a point inside a face.
    #[inline(always)]
    fn inside(&self, f: u32, x: u32, y: u32, c: u32) -> f32 {
        let (px, py) = (x >> 1, y >> 1);
        let get = |x: u32, y: u32| self.get(self.grid.id(f, x, y), c);
        let edge = |ends: f32, sides: f32| 0.375 * ends + 0.125 * sides;
        match (x & 1, y & 1) {
            (0, 0) => {
                let ring = (get(px + 1, py) + get(px - 1, py))
                    + (get(px, py + 1) + get(px, py - 1))
                    + (get(px + 1, py - 1) + get(px - 1, py + 1));
                0.625 * get(px, py) + 0.0625 * ring
            }
            (1, 0) => edge(
                get(px, py) + get(px + 1, py),
                get(px, py + 1) + get(px + 1, py - 1),
            ),
            (0, 1) => edge(
                get(px, py) + get(px, py + 1),
                get(px + 1, py) + get(px - 1, py + 1),
            ),
            _ => edge(
                get(px + 1, py) + get(px, py + 1),
                get(px, py) + get(px + 1, py + 1),
            ),
        }
    }
}
