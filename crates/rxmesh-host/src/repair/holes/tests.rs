//! Tests of holes.

use super::*;
use crate::mesh::{check, generate};

/// The mesh without the faces that a rule names.
fn without(mesh: &TriMesh, gone: impl Fn([DVec3; 3]) -> bool) -> TriMesh {
    let at = |v: u32| mesh.positions[v as usize].as_dvec3();
    let keep: Vec<bool> = mesh.faces.iter().map(|f| !gone(f.map(at))).collect();
    mesh.with_faces(&keep)
}

fn flat() -> HoleOptions {
    HoleOptions::default().with(|o| o.method = HoleFill::Flat)
}

#[test]
fn a_capped_sphere_is_closed_again() {
    let sphere = generate::icosphere(4).unwrap();
    let mut open = without(&sphere, |x| x.iter().any(|p| p.z > 0.8));
    let report = fill_holes(&mut open, &flat()).unwrap();
    assert_eq!((report.found, report.filled, report.left.len()), (1, 1, 0));
    let after = check(&open);
    assert!(
        after.closed && after.manifold && after.consistently_oriented,
        "{after}"
    );
    assert_eq!(after.euler_characteristic, 2);
}
