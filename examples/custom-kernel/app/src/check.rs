//! The same by naive code over the input's faces.

use std::collections::{BTreeSet, HashMap};

use rxmesh_host::Vec3;
use rxmesh_host::mesh::TriMesh;

use crate::{RunResult, STEP, STEPS, STIFFNESS};

/// Largest differences.
pub(crate) struct Errors {
    pub(crate) energy: f32,
    pub(crate) position: f32,
}

/// Computes energies and positions again, and compares.
pub(crate) fn compare(mesh: &TriMesh, outcome: &RunResult) -> Errors {
    let mut faces_of: HashMap<[u32; 2], Vec<[u32; 3]>> = HashMap::new();
    let mut ring: Vec<BTreeSet<u32>> = vec![BTreeSet::new(); mesh.vertex_count()];
    for &f in &mesh.faces {
        for k in 0..3 {
            let (a, b) = (f[k], f[(k + 1) % 3]);
            faces_of.entry([a.min(b), a.max(b)]).or_default().push(f);
            ring[a as usize].insert(b);
            ring[b as usize].insert(a);
        }
    }
    let at = |v: u32| mesh.positions[v as usize];
    let normal = |f: [u32; 3]| {
        (at(f[1]) - at(f[0]))
            .cross(at(f[2]) - at(f[0]))
            .normalize_or_zero()
    };
    let mut errors = Errors {
        energy: 0.0,
        position: 0.0,
    };
    assert_eq!(outcome.energies.len(), faces_of.len(), "one energy an edge");
    for (&[a, b], &got) in outcome.edges.iter().zip(&outcome.energies) {
        let want = match faces_of[&[a.min(b), a.max(b)]][..] {
            [f, g] => STIFFNESS * (1.0 - normal(f).dot(normal(g))),
            _ => 0.0,
        };
        errors.energy = errors.energy.max((got - want).abs());
    }
    let mut x = mesh.positions.clone();
    for _ in 0..STEPS {
        let mean = |(v, ring): (usize, &BTreeSet<u32>)| {
            let sum: Vec3 = ring.iter().map(|&w| x[w as usize] - x[v]).sum();
            x[v] + sum * (STEP / ring.len().max(1) as f32)
        };
        x = ring.iter().enumerate().map(mean).collect();
    }
    for (got, want) in outcome.positions.iter().zip(&x) {
        errors.position = errors.position.max(got.distance(*want));
    }
    errors
}
