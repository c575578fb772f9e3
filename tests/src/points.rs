//! Random points in and around a mesh.

use glam::Vec3;
use rxmesh_host::mesh::{Rng, TriMesh};

/// Source of random points around a mesh.
pub struct PointsAround {
    middle: Vec3,
    half: Vec3,
    rng: Rng,
}

impl PointsAround {
    /// Takes the box of a mesh, `margin` wider on each side.
    pub fn new(mesh: &TriMesh, margin: f32, seed: u64) -> PointsAround {
        let extreme = |first: Vec3, of: fn(Vec3, Vec3) -> Vec3| {
            let positions = mesh.positions.iter().copied();
            positions.fold(first, of)
        };
        let (low, high) = (
            extreme(Vec3::INFINITY, Vec3::min),
            extreme(Vec3::NEG_INFINITY, Vec3::max),
        );
        PointsAround {
            middle: (low + high) * 0.5,
            half: (high - low) * 0.5 + margin,
            rng: Rng::new(seed),
        }
    }

    /// Returns a point of the box, scaled around its middle.
    pub fn place(&mut self, scale: f32) -> Vec3 {
        self.middle + self.half * scale * self.unit()
    }

    /// Returns three numbers between -1 and 1.
    pub fn unit(&mut self) -> Vec3 {
        let mut unit = || self.rng.signed_unit() as f32;
        Vec3::new(unit(), unit(), unit())
    }
}
