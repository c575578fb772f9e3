//! Several cloths in one mesh, each with its compliances: as each by itself.

use crate::solver_support::*;
use glam::Vec3;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{Rng, TriMesh};
use rxmesh_host::patch::PatchOptions;
use rxmesh_simulation::Body;
use rxmesh_simulation::solve::{ClothMaterial, XpbdCloth, XpbdOptions};
use rxmesh_tests::conformance;
use rxmesh_tests::elastic::farthest;
use rxmesh_tests::engines::suited;

conformance! { each_cloth_has_its_compliances }

/// Stretch compliances of the cloths, in metres a newton.
const STRETCH: [f64; 3] = [1e-6, 3e-3, 3e-2];

/// Makes an irregular mesh of a metre in the plane `z = 0`: vertices of a grid moved by up to a quarter of its spacing,
/// each square cut along the diagonal whose opposite angles sum to less.
fn irregular(n: u32, seed: u64) -> TriMesh {
    let mut rng = Rng::new(seed);
    let step = 1.0 / (n - 1) as f32;
    let mut positions = Vec::new();
    for j in 0..n {
        for i in 0..n {
            let inner = |k: u32| if k == 0 || k == n - 1 { 0.0 } else { 0.25 };
            let x = i as f32 + inner(i) * rng.signed_unit() as f32;
            let y = j as f32 + inner(j) * rng.signed_unit() as f32;
            positions.push(Vec3::new(x, y, 0.0) * step);
        }
    }
    let angle = |at: u32, a: u32, b: u32| {
        let x = |v: u32| positions[v as usize];
        (x(a) - x(at)).angle_between(x(b) - x(at))
    };
    let mut faces = Vec::new();
    for (j, i) in (0..n - 1).flat_map(|j| (0..n - 1).map(move |i| (j, i))) {
        let a = j * n + i;
        let (b, c, d) = (a + 1, a + n + 1, a + n);
        // The diagonal a-c is in Delaunay's triangulation if the angles at b and d sum to half a turn at most.
        if angle(b, a, c) + angle(d, a, c) <= angle(a, b, d) + angle(c, b, d) {
            faces.extend([[a, b, c], [a, c, d]]);
        } else {
            faces.extend([[a, b, d], [b, c, d]]);
        }
    }
    TriMesh::new(positions, faces).unwrap()
}

/// Hangs a mesh by the vertices at `y = 1` and returns the positions after some steps.
fn hang(
    engine: &Engine,
    mesh: &TriMesh,
    material: impl Fn([u32; 2]) -> ClothMaterial,
) -> Vec<Vec3> {
    let options = PatchOptions::default().with(|o| o.patch_size = 64);
    let mut body = Body::cloth(engine, mesh, 0.2, &options).unwrap();
    let top = |&v: &u32| mesh.positions[v as usize].y > 1.0 - 1e-6;
    let pins: Vec<u32> = (0..mesh.positions.len() as u32).filter(top).collect();
    body.pin(&pins).unwrap();
    let options = XpbdOptions {
        iterations: suited(engine, [20, 10, 8]),
        ..XpbdOptions::default()
    };
    let mut solver = XpbdCloth::new(&body, material, options).unwrap();
    let around = air(engine, Vec3::new(0.0, -9.81, 0.0));
    for _ in 0..suited(engine, [40, 20, 12]) {
        solver.step(&mut body, &around, 0.01).unwrap();
    }
    body.positions().unwrap()
}

fn material(cloth: usize) -> ClothMaterial {
    ClothMaterial {
        stretch: Some(STRETCH[cloth]),
        bending: Some(1.0),
    }
}

fn each_cloth_has_its_compliances(engine: &Engine) {
    let one = irregular(suited(engine, [12, 6, 5]), 3);
    let n = one.positions.len();
    let valence = |v: u32| one.faces.iter().filter(|f| f.contains(&v)).count();
    let valences: std::collections::BTreeSet<usize> = (0..n as u32).map(valence).collect();
    assert!(valences.len() > 4, "{valences:?}");
    let shift = |k: usize| Vec3::X * 1.5 * k as f32;
    let (mut positions, mut faces) = (Vec::new(), Vec::new());
    for k in 0..STRETCH.len() {
        positions.extend(one.positions.iter().map(|&p| p + shift(k)));
        faces.extend(one.faces.iter().map(|f| f.map(|v| v + (k * n) as u32)));
    }
    let all = TriMesh::new(positions, faces).unwrap();
    let got = hang(engine, &all, |[a, _]| material(a as usize / n));
    let mut lowest = Vec::new();
    for (k, got) in got.chunks(n).enumerate() {
        // Other patches, so that sums have other orders; coordinates of up to four metres.
        let want: Vec<Vec3> = hang(engine, &one, |_| material(k))
            .into_iter()
            .map(|p| p + shift(k))
            .collect();
        let error = farthest(&doubles(got), &doubles(&want));
        assert!(error < 2e-4, "cloth {k}: {error:e}");
        lowest.push(got.iter().map(|p| p.y).fold(f32::INFINITY, f32::min));
    }
    // A softer cloth hangs lower, each by a tenth of a millimetre at least.
    assert!(lowest.windows(2).all(|w| w[1] < w[0] - 1e-4), "{lowest:?}");
}
