//! Triangles that are divided into n^2 each, n a power of two: their points, and the ids of these.
//!
//! A point of a face is (x, y) with x + y <= n: x steps along the face's first half-edge, y steps along the third one
//! backwards. Ids have a closed form: first the base vertices; then the n - 1 inner points of each base edge, from the
//! origin of its lower half-edge on; then the (n - 1)(n - 2) / 2 inner points of each base face, row (y) after row.

use rxmesh_kernels::math::sqrt;
use rxmesh_kernels::mem::{Global, GlobalMut};
use rxmesh_kernels::{args, kernel, kernel::FlatKernel};

kernel_list! {
    flat barycentric_faces: WriteFaces;
}

/// Returns the number of inner points of a face whose sides have `n` parts.
#[inline(always)]
pub const fn inside(n: u32) -> u32 {
    (n - 1) * n.saturating_sub(2) / 2
}

/// Returns the `j`-th inner point of a face.
#[inline(always)]
pub fn inside_point(n: u32, j: u32) -> (u32, u32) {
    // Rows counted from the last one have 1, 2, 3, ... points.
    let back = inside(n) - 1 - j;
    let row = (sqrt((8 * back + 1) as f32) as u32 - 1) / 2;
    let y = n - 2 - row;
    (n - 1 - y - (back - row * (row + 1) / 2), y)
}

args! {
    /// Points of a mesh of triangles at one level.
    pub struct TriangleGrid {
        /// log2 of the number of parts of an edge.
        pub level: u32,
        /// Number of base vertices.
        pub vertices: u32,
        /// Number of base edges.
        pub edge_count: u32,
        /// Vertex of each base corner.
        pub corners: Global<u32>,
        /// 2 e for the lower half-edge of base edge e, 2 e + 1 for the other.
        pub lines: Global<u32>,
    }
}

impl TriangleGrid {
    /// Returns the number of parts of an edge.
    #[inline(always)]
    pub fn parts(&self) -> u32 {
        1 << self.level
    }

    /// Returns the id of the point `s` steps along half-edge `h`, 0 < s < n.
    #[inline(always)]
    pub fn on_line(&self, h: u32, s: u32) -> u32 {
        let (n, line) = (self.parts(), self.lines.get(h));
        let s = if line & 1 == 0 { s } else { n - s };
        self.line_start(line >> 1) + s - 1
    }

    /// Returns the id of the first inner point of an edge.
    #[inline(always)]
    pub fn line_start(&self, e: u32) -> u32 {
        self.vertices + e * (self.parts() - 1)
    }

    /// Returns the id of the first inner point of a face.
    #[inline(always)]
    pub fn face_start(&self, f: u32) -> u32 {
        self.line_start(self.edge_count) + f * inside(self.parts())
    }

    /// Returns the id of a point of a face.
    #[inline(always)]
    pub fn id(&self, f: u32, x: u32, y: u32) -> u32 {
        let n = self.parts();
        if x != 0 && y != 0 && x + y != n {
            // Rows before this one have n - 2, n - 3, ... points.
            return self.face_start(f) + (y - 1) * (n - 1) - y * (y - 1) / 2 + x - 1;
        }
        let h = 3 * f;
        if x == n {
            self.corners.get(h + 1)
        } else if y == n {
            self.corners.get(h + 2)
        } else if x + y == 0 {
            self.corners.get(h)
        } else if y == 0 {
            self.on_line(h, x)
        } else if x == 0 {
            self.on_line(h + 2, n - y)
        } else {
            self.on_line(h + 1, y)
        }
    }

    /// Returns the id of the point `s` steps along half-edge `h` in row `r` of its face, row 0 being the half-edge.
    #[inline(always)]
    pub fn beside(&self, h: u32, s: u32, r: u32) -> u32 {
        let (n, f) = (self.parts(), h / 3);
        match h - 3 * f {
            0 => self.id(f, s, r),
            1 => self.id(f, n - s - r, s),
            _ => self.id(f, r, n - s - r),
        }
    }
}

kernel! {
    /// Writes the faces: one vertex id per index. The n^2 faces of a base face are contiguous, row after row; in a row
    /// upright faces, oriented as the base face, alternate with inverted ones.
    pub struct WriteFaces: Flat {
        /// Points.
        pub grid: TriangleGrid,
        /// Base faces that are divided; empty when all are.
        pub faces: Global<u32>,
        /// Three ids per face.
        pub out: GlobalMut<u32>,
    }
}

// SAFETY: each index writes its own; base faces and their corners are in range (contracts U3, U4).
unsafe impl FlatKernel for WriteFaces {
    #[inline(always)]
    fn run(&self, i: u32) {
        let (face, k) = (i / 3, i % 3);
        let g = self.grid;
        let n = g.parts();
        let base = face >> (2 * g.level);
        // Rows from the last one on have 1, 3, 5, ... faces.
        let back = n * n - 1 - (face & (n * n - 1));
        let row = sqrt(back as f32) as u32;
        let y = n - 1 - row;
        let at = 2 * row - (back - row * row);
        let (x, tip) = (at >> 1, at & 1);
        let (dx, dy) = match (tip, k) {
            (0, 0) => (0, 0),
            (0, 1) | (1, 0) => (1, 0),
            (1, 1) => (1, 1),
            _ => (0, 1),
        };
        let f = if self.faces.is_empty() {
            base
        } else {
            self.faces.get(base)
        };
        self.out.set(i, g.id(f, x + dx, y + dy));
    }
}
