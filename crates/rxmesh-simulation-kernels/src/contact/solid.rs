//! Solids: signed distance of a point, and its gradient.

use glam::{Quat, Vec3};
use rxmesh_kernels::math::sqrt;
use rxmesh_kernels::mem::Global;

/// Shapes of solids.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum SolidKind {
    /// The half space below `z = 0`.
    Plane = 0,
    /// A ball around the origin with radius `size.x`.
    Sphere = 1,
    /// A box around the origin with half the lengths `size`.
    Box = 2,
    /// Distances on a grid whose first point is at `size`.
    Grid = 3,
}

/// Solid in the form that kernels take: a shape in a local frame, which rotates and moves.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, bytemuck::Pod, bytemuck::Zeroable)]
pub struct Solid {
    /// Shape: a [`SolidKind`].
    pub kind: u32,
    /// 1, or -1 for a hollow shape: bodies are kept inside.
    pub side: f32,
    /// Lengths of the shape in metres; for a grid, the position of its first point.
    pub size: [f32; 3],
    /// Rotation of the frame in the world: `x y z w`.
    pub turn: [f32; 4],
    /// Position of the frame's origin.
    pub at: [f32; 3],
    /// Velocity of the frame's origin.
    pub velocity: [f32; 3],
    /// Angular velocity, in radians per second.
    pub spin: [f32; 3],
    /// Penalty stiffness: acceleration divided by depth, in one over squared seconds.
    pub stiffness: f32,
    /// Thickness of the layer in which contact begins, in metres.
    pub thickness: f32,
    /// Coulomb's coefficient.
    pub friction: f32,
    /// 1 if edges touch it as well as vertices, else 0.
    pub edges: u32,
    /// For a grid, the offset of its distances.
    pub first: u32,
    /// For a grid, the number of its points along x, y and z.
    pub points: [u32; 3],
    /// For a grid, the distance of neighbouring points.
    pub spacing: f32,
}

impl Solid {
    /// Returns the solid's velocity at a point.
    #[inline(always)]
    pub fn speed(&self, x: Vec3) -> Vec3 {
        let arm = x - Vec3::from_array(self.at);
        Vec3::from_array(self.velocity) + Vec3::from_array(self.spin).cross(arm)
    }

    /// Returns the signed distance of a point, and its gradient.
    #[inline(always)]
    pub fn distance(&self, x: Vec3, grids: Global<f32>) -> (f32, Vec3) {
        let turn = Quat::from_array(self.turn);
        let back = Quat::from_xyzw(-turn.x, -turn.y, -turn.z, turn.w);
        let p = rotate(back, x - Vec3::from_array(self.at));
        let size = Vec3::from_array(self.size);
        let (d, n) = if self.kind == SolidKind::Plane as u32 {
            (p.z, Vec3::Z)
        } else if self.kind == SolidKind::Sphere as u32 {
            let (l, n) = direction(p);
            (l - size.x, n)
        } else if self.kind == SolidKind::Box as u32 {
            cuboid(p, size)
        } else {
            self.grid(p, grids)
        };
        (d * self.side, rotate(turn, n) * self.side)
    }

    /// Interpolates linearly between the points of the grid; outside of it, the distance from it is added.
    #[inline(always)]
    fn grid(&self, p: Vec3, grids: Global<f32>) -> (f32, Vec3) {
        let last = Vec3::new(
            (self.points[0] - 1) as f32,
            (self.points[1] - 1) as f32,
            (self.points[2] - 1) as f32,
        );
        let place = (p - Vec3::from_array(self.size)) * (1.0 / self.spacing);
        let inside = place.max(Vec3::ZERO).min(last);
        let below = |x: f32, last: f32| {
            let cell = x as u32;
            let most = last as u32 - 1;
            if cell < most { cell } else { most }
        };
        let (i, j, k) = (
            below(inside.x, last.x),
            below(inside.y, last.y),
            below(inside.z, last.z),
        );
        let f = inside - Vec3::new(i as f32, j as f32, k as f32);
        let (row, plane) = (self.points[0], self.points[0] * self.points[1]);
        let at = self.first + i + j * row + k * plane;
        let get = |o: u32| grids.get(at + o);
        let mix = |a: f32, b: f32, t: f32| a + (b - a) * t;
        let (a, b, c, d) = (get(0), get(1), get(row), get(row + 1));
        let (e, g, h, l) = (
            get(plane),
            get(plane + 1),
            get(plane + row),
            get(plane + row + 1),
        );
        let (near_y, far_y) = (mix(a, b, f.x), mix(c, d, f.x));
        let (near_y2, far_y2) = (mix(e, g, f.x), mix(h, l, f.x));
        let (near, far) = (mix(near_y, far_y, f.y), mix(near_y2, far_y2, f.y));
        let slope = Vec3::new(
            mix(mix(b - a, d - c, f.y), mix(g - e, l - h, f.y), f.z),
            mix(far_y - near_y, far_y2 - near_y2, f.z),
            far - near,
        );
        let (beyond, _) = direction((place - inside) * self.spacing);
        (mix(near, far, f.z) + beyond, direction(slope).1)
    }
}

/// Rotates a vector by a unit quaternion.
#[inline(always)]
fn rotate(q: Quat, v: Vec3) -> Vec3 {
    let axis = Vec3::new(q.x, q.y, q.z);
    let t = axis.cross(v) * 2.0;
    v + t * q.w + axis.cross(t)
}

/// Returns length and direction of a vector; an arbitrary direction for zero.
#[inline(always)]
fn direction(v: Vec3) -> (f32, Vec3) {
    let most = v.abs().max_element();
    if most > 0.0 {
        let unit = v * (1.0 / most);
        let length = sqrt(unit.dot(unit));
        (length * most, unit * (1.0 / length))
    } else {
        (0.0, Vec3::Z)
    }
}

/// Returns the signed distance from a box around the origin, and its gradient.
#[inline(always)]
fn cuboid(p: Vec3, half: Vec3) -> (f32, Vec3) {
    let sign = |x: f32| if x < 0.0 { -1.0 } else { 1.0 };
    let signs = Vec3::new(sign(p.x), sign(p.y), sign(p.z));
    let q = p.abs() - half;
    let out = q.max(Vec3::ZERO);
    if out.max_element() > 0.0 {
        let (l, n) = direction(out);
        return (l, n * signs);
    }
    if q.x >= q.y && q.x >= q.z {
        (q.x, Vec3::X * signs)
    } else if q.y >= q.z {
        (q.y, Vec3::Y * signs)
    } else {
        (q.z, Vec3::Z * signs)
    }
}
