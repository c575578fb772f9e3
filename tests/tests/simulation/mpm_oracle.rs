//! One step on a grid in `f64`, without blocks and without sorting.

use glam::{DMat3, DVec3};
use std::collections::HashMap;

/// Particles, and forces on them.
pub(super) struct Particles {
    pub(super) spacing: f64,
    pub(super) low: DVec3,
    pub(super) x: Vec<DVec3>,
    pub(super) v: Vec<DVec3>,
    pub(super) force: Vec<DVec3>,
    pub(super) mass: Vec<f64>,
    pub(super) pinned: Vec<bool>,
    pub(super) gradient: Vec<DMat3>,
}

/// Evaluates the quadratic B-spline of a distance in nodes.
fn spline(d: f64) -> f64 {
    let d = d.abs();
    if d < 0.5 {
        0.75 - d * d
    } else if d < 1.5 {
        0.5 * (1.5 - d) * (1.5 - d)
    } else {
        0.0
    }
}

impl Particles {
    /// Returns the nodes for which a position has weights: their positions and the weights.
    fn nodes(&self, x: DVec3) -> Vec<([i64; 3], DVec3, f64)> {
        let place = (x - self.low) / self.spacing;
        let near = place.round().to_array().map(|c| c as i64);
        let mut all = Vec::new();
        for i in -2..=2 {
            for j in -2..=2 {
                for k in -2..=2 {
                    let node = [near[0] + i, near[1] + j, near[2] + k];
                    let at = DVec3::from(node.map(|c| c as f64));
                    let d = place - at;
                    let w = spline(d.x) * spline(d.y) * spline(d.z);
                    if w > 0.0 {
                        all.push((node, at * self.spacing + self.low, w));
                    }
                }
            }
        }
        all
    }

    /// Advances by one step of `dt` seconds.
    pub(super) fn step(&mut self, dt: f64, gravity: DVec3) {
        let mut grid: HashMap<[i64; 3], (f64, DVec3)> = HashMap::new();
        for p in 0..self.x.len() {
            let free = if self.pinned[p] { 0.0 } else { 1.0 };
            for (node, at, w) in self.nodes(self.x[p]) {
                let sum = grid.entry(node).or_default();
                let v = self.v[p] + self.gradient[p] * (at - self.x[p]) * free;
                sum.0 += w * self.mass[p];
                sum.1 += (v * self.mass[p] + self.force[p] * dt * free) * w;
            }
        }
        for p in 0..self.x.len() {
            if !self.pinned[p] {
                let (mut v, mut gradient) = (DVec3::ZERO, DMat3::ZERO);
                for (node, at, w) in self.nodes(self.x[p]) {
                    let (mass, momentum) = grid[&node];
                    let there = (momentum / mass + gravity * dt) * w;
                    let d = (at - self.x[p]) * (4.0 / (self.spacing * self.spacing));
                    v += there;
                    gradient += DMat3::from_cols(there * d.x, there * d.y, there * d.z);
                }
                (self.v[p], self.gradient[p]) = (v, gradient);
            }
            self.x[p] += self.v[p] * dt;
        }
    }
}
