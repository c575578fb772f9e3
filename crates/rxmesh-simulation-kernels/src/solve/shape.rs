//! Linear tetrahedra: gradients of their shape functions, deformation gradients.

use rxmesh_kernels::Vec3;

/// Rest shape of a cell: the gradients of its four shape functions (1/m) and its volume (m^3). All zero for a cell
/// whose volume is zero or NaN: it exerts no force.
#[derive(Clone, Copy, Debug)]
pub struct RestShape {
    /// Gradients of the shape functions of corners 1, 2 and 3; that of corner 0 is minus their sum.
    pub g: [Vec3; 3],
    /// Volume, positive whatever the orientation.
    pub volume: f32,
}

impl RestShape {
    /// Computes the shape from the corners at rest.
    #[inline(always)]
    pub fn new(p: [Vec3; 4]) -> RestShape {
        let (a, b, c) = (p[1] - p[0], p[2] - p[0], p[3] - p[0]);
        // Edges are scaled to about one, so that products of three of them stay in range.
        let most = a.abs().max(b.abs()).max(c.abs()).max_element();
        let scale = if most > 0.0 { 1.0 / most } else { 0.0 };
        let (a, b, c) = (a * scale, b * scale, c * scale);
        let bc = b.cross(c);
        let det = a.dot(bc);
        let size = if det < 0.0 { -det } else { det };
        // A height of a millionth of the longest edge is lost in the rounding of the positions.
        let over = if size > FLAT { scale / det } else { 0.0 };
        let volume = if size > FLAT {
            size * most * most * most * (1.0 / 6.0)
        } else {
            0.0
        };
        RestShape {
            g: [bc * over, c.cross(a) * over, a.cross(b) * over],
            volume,
        }
    }

    /// Returns the gradient of the shape function of corner 0.
    #[inline(always)]
    pub fn g0(&self) -> Vec3 {
        -(self.g[0] + self.g[1] + self.g[2])
    }

    /// Returns the deformation gradient of the cell with these corners.
    #[inline(always)]
    pub fn deformation(&self, x: [Vec3; 4]) -> ColumnMatrix {
        let (a, b, c) = (x[1] - x[0], x[2] - x[0], x[3] - x[0]);
        let column = |i: Vec3| a * i.x + b * i.y + c * i.z;
        let [u, v, w] = self.g;
        ColumnMatrix {
            x: column(Vec3::new(u.x, v.x, w.x)),
            y: column(Vec3::new(u.y, v.y, w.y)),
            z: column(Vec3::new(u.z, v.z, w.z)),
        }
    }

    /// Returns `m g` for the four corners.
    #[inline(always)]
    pub fn apply(&self, m: ColumnMatrix) -> [Vec3; 4] {
        let [a, b, c] = self.g.map(|g| m.times(g));
        [-(a + b + c), a, b, c]
    }
}

/// Six times the volume below which a cell with a longest edge of one counts as flat: rounding alone makes that much.
const FLAT: f32 = 1e-7;

/// Matrix of three columns.
#[derive(Clone, Copy, Debug)]
pub struct ColumnMatrix {
    /// First column.
    pub x: Vec3,
    /// Second column.
    pub y: Vec3,
    /// Third column.
    pub z: Vec3,
}

impl ColumnMatrix {
    /// Returns the matrix times a vector.
    #[inline(always)]
    pub fn times(self, v: Vec3) -> Vec3 {
        self.x * v.x + self.y * v.y + self.z * v.z
    }

    /// Returns the transposed matrix times a vector.
    #[inline(always)]
    pub fn transposed_times(self, v: Vec3) -> Vec3 {
        Vec3::new(self.x.dot(v), self.y.dot(v), self.z.dot(v))
    }

    /// Returns the matrix of cofactors: the derivative of the determinant.
    #[inline(always)]
    pub fn cofactors(self) -> ColumnMatrix {
        ColumnMatrix {
            x: self.y.cross(self.z),
            y: self.z.cross(self.x),
            z: self.x.cross(self.y),
        }
    }

    /// Returns the sum of all squared entries.
    #[inline(always)]
    pub fn squared(self) -> f32 {
        self.x.dot(self.x) + self.y.dot(self.y) + self.z.dot(self.z)
    }

    /// Returns the determinant.
    #[inline(always)]
    pub fn determinant(self) -> f32 {
        self.x.dot(self.y.cross(self.z))
    }

    /// Returns the difference of two matrices.
    #[inline(always)]
    pub fn minus(self, other: ColumnMatrix) -> ColumnMatrix {
        ColumnMatrix {
            x: self.x - other.x,
            y: self.y - other.y,
            z: self.z - other.z,
        }
    }

    /// Returns the matrix times a number.
    #[inline(always)]
    pub fn scaled(self, by: f32) -> ColumnMatrix {
        ColumnMatrix {
            x: self.x * by,
            y: self.y * by,
            z: self.z * by,
        }
    }
}
