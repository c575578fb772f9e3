//! The plane in which a polygon is cut.

use super::super::polygon::{largest_turn, newell};
use glam::{DVec3, Vec3};
use robust::{Coord, orient2d};

/// Steps of the direction of projection for a unit: few enough bits that sheared coordinates are exact.
const STEPS: f64 = 256.0;

/// Corners of a polygon, in space and in a plane where it runs counter-clockwise.
#[derive(Default)]
pub(super) struct Plane {
    space: Vec<DVec3>,
    flat: Vec<Coord<f64>>,
    local: Vec<DVec3>,
    has_normal: bool,
}

impl Plane {
    /// Sets the corners. They are projected along their Newell normal, or that of the largest triangle at the first
    /// corner if that is 0, onto the coordinate plane that is nearest to theirs. The direction is rounded (by less than
    /// a quarter of a degree), and the projection then is a shear whose results are exact in double precision unless
    /// coordinates differ by a factor of a million: points on a line stay on it.
    pub(super) fn set(&mut self, points: impl Iterator<Item = Vec3>) {
        self.space.clear();
        self.space.extend(points.map(|p| p.as_dvec3()));
        let origin = self.space.first().copied().unwrap_or_default();
        self.local.clear();
        self.local.extend(self.space.iter().map(|p| p - origin));
        let normal = match newell(&self.local) {
            DVec3::ZERO => largest_turn(&self.local),
            normal => normal,
        };
        self.has_normal = normal != DVec3::ZERO;
        self.flat.clear();
        if !self.has_normal {
            return;
        }
        let size = normal.abs();
        let k = if size.z >= size.x && size.z >= size.y {
            2
        } else if size.y >= size.x {
            1
        } else {
            0
        };
        let (i, j) = if normal[k] > 0.0 {
            ((k + 1) % 3, (k + 2) % 3)
        } else {
            ((k + 2) % 3, (k + 1) % 3)
        };
        let shear = |axis: usize| (normal[axis] / normal[k] * STEPS).round() / STEPS;
        let (si, sj) = (shear(i), shear(j));
        let seen = |p: &DVec3| Coord {
            x: p[i] - p[k] * si,
            y: p[j] - p[k] * sj,
        };
        self.flat.extend(self.space.iter().map(seen));
    }

    /// Returns `true` if the polygon has an area, or one of its triangles at the first corner.
    pub(super) fn has_normal(&self) -> bool {
        self.has_normal
    }

    /// Returns a corner in the plane.
    pub(super) fn at(&self, k: u32) -> Coord<f64> {
        self.flat[k as usize]
    }

    /// Returns a positive number if the triangle runs counter-clockwise in the plane, 0 if it has no area there. The
    /// sign is exact.
    pub(super) fn turn(&self, t: [u32; 3]) -> f64 {
        let [a, b, c] = t.map(|k| self.at(k));
        orient2d(a, b, c)
    }

    /// Returns the tangent of the least angle of a triangle in space; 0 without area.
    pub(super) fn quality(&self, t: [u32; 3]) -> f64 {
        let [a, b, c] = t.map(|k| self.space[k as usize]);
        let twice = (b - a).cross(c - a);
        if twice == DVec3::ZERO {
            return 0.0;
        }
        let sides = [b - a, c - b, a - c].map(|s| s.length_squared());
        let least = sides[0].min(sides[1]).min(sides[2]);
        2.0 * twice.length() / (sides[0] + sides[1] + sides[2] - 2.0 * least)
    }
}
