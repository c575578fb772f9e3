//! Pins and velocities at the start.

use super::super::spec::{BodySpec, Pins};
use crate::Body;
use glam::Vec3;
use rxmesh_host::Error;
use rxmesh_host::mesh::UsedVertices;
use rxmesh_host::store::Dimension;

/// Sets pins and velocities at the start.
pub(super) fn start<D: Dimension>(
    body: &mut Body<D>,
    spec: &BodySpec,
    positions: &[Vec3],
    used: &UsedVertices,
) -> Result<(), Error> {
    let mut velocities = vec![Vec3::from(spec.velocity); positions.len()];
    let mut pinned = Vec::new();
    for pins in &spec.pins {
        let all = pins.all(positions, used)?;
        for &v in &all {
            velocities[v as usize] = pins.velocity.into();
        }
        pinned.extend(all);
    }
    body.pin(&pinned)?;
    let mut told = vec![false; positions.len()];
    for &v in &pinned {
        told[v as usize] = true;
    }
    for (v, &held) in body.pinned()?.iter().enumerate() {
        // Vertices without mass stay in place.
        if held && !told[v] {
            velocities[v] = Vec3::ZERO;
        }
    }
    body.set_velocities(&velocities)
}

impl Pins {
    /// Returns the vertices; in a box only those that count for the body's size.
    fn all(&self, positions: &[Vec3], used: &UsedVertices) -> Result<Vec<u32>, Error> {
        let mut all = self.vertices.clone();
        if let Some(v) = all.iter().find(|v| **v as usize >= positions.len()) {
            return Err(Error::Options(format!(
                "pin {v} is no vertex: there are {}, counted from 0",
                positions.len()
            )));
        }
        if let Some([low, high]) = self.within {
            let (low, high) = (Vec3::from(low), Vec3::from(high));
            let inside = |p: &Vec3| p.cmpge(low).all() && p.cmple(high).all();
            let there = (0..).zip(positions);
            let there = there.filter(|(v, p)| inside(p) && used.contains(*v as usize));
            all.extend(there.map(|(v, _): (u32, _)| v));
        }
        all.sort_unstable();
        all.dedup();
        if all.is_empty() {
            return Err(Error::Options("pins that hold no vertex".into()));
        }
        Ok(all)
    }
}
