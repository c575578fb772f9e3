//! Energies, forces and Hessians of cells against plain code in double precision.

use super::oracle::{ALL, Oracle, off, wide};
use glam::{DMat3, DQuat, DVec3};
use rxmesh_host::Vec3;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{Rng, TetMesh, generate};
use rxmesh_host::patch::VolumeOptions;
use rxmesh_simulation::{Body, Elasticity, Forces, Material, Materials, Stiffness};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, suited};

conformance! {
    energies_and_forces, products, rigid_motions, momentum_and_bits, extremes, patches_of_any_size
}

/// Makes a box with its vertices moved, and cells of three materials.
fn case(n: [u32; 3], seed: u64) -> (TetMesh, Vec<Material>) {
    let mut mesh = generate::tet_box(n, [1.0, 0.7, 1.3]).unwrap();
    let mut rng = Rng::new(seed);
    for p in &mut mesh.positions {
        *p += vector(&mut rng).as_vec3() * (0.1 / n[0] as f32);
    }
    let kinds = [(1e5, 0.3), (3e4, 0.45), (2e5, 0.1)];
    let materials = (0..mesh.cell_count()).map(|c| {
        let (young, poisson) = kinds[c % 3];
        Material {
            young,
            poisson,
            density: 1000.0,
        }
    });
    let materials = materials.collect();
    (mesh, materials)
}

fn vector(rng: &mut Rng) -> DVec3 {
    DVec3::new(rng.signed_unit(), rng.signed_unit(), rng.signed_unit())
}

fn body(engine: &Engine, mesh: &TetMesh, materials: &[Material], patch_size: u32) -> Body {
    let options = VolumeOptions {
        patch_size: Some(patch_size),
        ..VolumeOptions::default()
    };
    let materials = Materials::of_cells(materials).unwrap();
    Body::with(engine, mesh, materials, &options).unwrap()
}

/// Returns positions after a map and noise.
fn moved(mesh: &TetMesh, map: DMat3, noise: f64, seed: u64) -> Vec<Vec3> {
    let mut rng = Rng::new(seed);
    (mesh.positions.iter())
        .map(|p| (map * p.as_dvec3() + vector(&mut rng) * noise).as_vec3())
        .collect()
}

/// Returns maps that rotate, stretch a little and much, mirror, flatten.
fn maps() -> Vec<(&'static str, DMat3, f64)> {
    let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(0.3, -0.8, 0.5)));
    let stretch = |x, y, z| turn * DMat3::from_diagonal(DVec3::new(x, y, z));
    vec![
        ("at rest and a little more", DMat3::IDENTITY, 1e-3),
        ("stretched", stretch(1.5, 0.8, 1.1), 0.03),
        ("crushed", stretch(0.3, 0.4, 0.3), 0.2),
        ("mirrored", stretch(1.0, -0.9, 1.2), 0.02),
    ]
}

fn forces_of(forces: &Forces, body: &Body) -> Vec<Vec3> {
    let mut f = body.mesh().attribute().unwrap();
    forces.forces(body, &mut f).unwrap();
    f.to_input(body.mesh()).unwrap()
}

fn energies_and_forces(engine: &Engine) {
    let n = suited(engine, [[4, 3, 4], [2; 3], [1, 2, 1]]);
    let (mesh, materials) = case(n, 1);
    let mut body = body(engine, &mesh, &materials, 64);
    // Larger cells move by more: strains, and so what rounding does to them, are those of the finest mesh.
    let larger = f64::from(4 / n[0]);
    for kind in ALL {
        let forces = Forces::new(&body, kind).unwrap();
        let oracle = Oracle::new(kind, &mesh, materials.clone());
        for (what, map, noise) in maps() {
            let x = moved(&mesh, map, noise * larger, 7);
            body.set_positions(&x).unwrap();
            let x = wide(&x);
            let (got, want) = (forces.energy(&body).unwrap(), oracle.energy(&x));
            // Parameters are rounded to 32 bits.
            let error = (got - want).abs() / want;
            assert!(error < 5e-7, "{kind:?} {what}: {got} J for {want} J");
            let mut cells = forces.cell_energies(&body).unwrap();
            let cells = cells.to_input(body.mesh()).unwrap();
            for (c, got) in cells.iter().enumerate() {
                let want = oracle.cell_energy(c, &x);
                let error = (f64::from(*got) - want).abs();
                assert!(
                    error <= 1e-6 * want + 1e-9,
                    "{kind:?} {what} {c}: {got} for {want}"
                );
            }
            let error = off(&forces_of(&forces, &body), &oracle.forces(&x));
            // Edges are rounded to 32 bits: 6e-8 of them is 6e-6 of strains of 1 %. Corotated strains are differences
            // of matrices near one, whose entries are rounded as much. Springs between corners 1 to 3 are differences
            // of two rounded edges.
            let most = match (map == DMat3::IDENTITY, kind) {
                (false, _) => 3e-6,
                (true, Elasticity::Corotated | Elasticity::Arap) => 5e-5,
                (true, Elasticity::Springs) => 2e-5,
                (true, _) => 1e-5,
            };
            assert!(error < most, "{kind:?} {what}: forces are off by {error}");
        }
    }
}

fn dot(a: &[Vec3], b: &[Vec3]) -> f64 {
    (a.iter().zip(b))
        .map(|(a, b)| a.as_dvec3().dot(b.as_dvec3()))
        .sum()
}

fn product(stiffness: &mut Stiffness, body: &Body, d: &[Vec3]) -> Vec<Vec3> {
    let d = body.mesh().attribute_from(d).unwrap();
    let mut q = body.mesh().attribute().unwrap();
    stiffness.times(body, &d, &mut q).unwrap();
    q.to_input(body.mesh()).unwrap()
}

fn products(engine: &Engine) {
    let (mesh, materials) = case(suited(engine, [[3, 3, 2], [2, 1, 2], [1; 3]]), 2);
    let mut body = body(engine, &mesh, &materials, 32);
    let mut rng = Rng::new(3);
    let mut random = || -> Vec<Vec3> {
        (0..mesh.vertex_count())
            .map(|_| vector(&mut rng).as_vec3())
            .collect()
    };
    let (a, b) = (random(), random());
    let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(0.3, -0.8, 0.5)));
    for kind in ALL {
        let mut stiffness = Stiffness::new(&body, kind).unwrap();
        let oracle = Oracle::new(kind, &mesh, materials.clone());
        // Stretched a little everywhere: nothing is indefinite, and nothing is projected. Linear elasticity never is.
        let x = moved(&mesh, turn * 1.05, 0.001, 8);
        body.set_positions(&x).unwrap();
        stiffness.update(&body).unwrap();
        let got = product(&mut stiffness, &body, &a);
        let error = off(&got, &oracle.product(&wide(&x), &wide(&a)));
        assert!(error < 2e-5, "{kind:?}: products are off by {error}");
        for (what, map, noise) in maps() {
            body.set_positions(&moved(&mesh, map, noise, 9)).unwrap();
            stiffness.update(&body).unwrap();
            let [ka, kb] = [&a, &b].map(|d| product(&mut stiffness, &body, d));
            let size = dot(&a, &ka).max(dot(&b, &kb));
            let error = (dot(&a, &kb) - dot(&b, &ka)).abs() / size;
            assert!(error < 1e-5, "{kind:?} {what}: not symmetric by {error}");
            // Also along the directions of steepest descent.
            let forces = Forces::new(&body, kind).unwrap();
            let f = forces_of(&forces, &body);
            let most = f.iter().map(|f| f.length()).fold(0.0, f32::max);
            let f: Vec<Vec3> = f.iter().map(|f| *f / most).collect();
            for d in [&a, &b, &f] {
                let least = dot(d, &product(&mut stiffness, &body, d));
                assert!(least >= -1e-6 * size, "{kind:?} {what}: {least} of {size}");
            }
        }
    }
}

fn rigid_motions(engine: &Engine) {
    let (mesh, materials) = case(suited(engine, [[3; 3], [2; 3], [1; 3]]), 4);
    let mut body = body(engine, &mesh, &materials, 64);
    let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(1.0, 2.0, -0.5)));
    for kind in ALL {
        let forces = Forces::new(&body, kind).unwrap();
        body.set_positions(&mesh.positions).unwrap();
        assert_eq!(forces.energy(&body).unwrap(), 0.0, "{kind:?}");
        let none = forces_of(&forces, &body);
        assert!(none.iter().all(|f| *f == Vec3::ZERO), "{kind:?}: {none:?}");
        // As large as forces are at a strain of one.
        body.set_positions(&moved(&mesh, DMat3::IDENTITY * 2.0, 0.0, 1))
            .unwrap();
        let size = forces_of(&forces, &body)
            .iter()
            .map(|f| f.length())
            .fold(0.0, f32::max);
        let shift = [Vec3::new(8.0, -4.0, 2.0), Vec3::new(300.0, 20.0, -100.0)];
        for (shift, most) in shift.into_iter().zip([1e-5, 3e-4]) {
            let turned = moved(
                &mesh,
                if kind == Elasticity::Linear {
                    DMat3::IDENTITY
                } else {
                    turn
                },
                0.0,
                1,
            );
            let x: Vec<Vec3> = turned.iter().map(|x| *x + shift).collect();
            body.set_positions(&x).unwrap();
            let worst = forces_of(&forces, &body)
                .iter()
                .map(|f| f.length())
                .fold(0.0, f32::max);
            assert!(worst < most * size, "{kind:?}: {worst} of {size}");
        }
    }
}

fn momentum_and_bits(engine: &Engine) {
    let (mesh, materials) = case(suited(engine, [[5, 4, 6], [2; 3], [1; 3]]), 5);
    let mut body = body(engine, &mesh, &materials, 64);
    let x = moved(&mesh, maps()[1].1, 0.05, 3);
    body.set_positions(&x).unwrap();
    for kind in ALL {
        let forces = Forces::new(&body, kind).unwrap();
        let f = forces_of(&forces, &body);
        let size: f64 = f.iter().map(|f| f.as_dvec3().length()).sum();
        let sum: DVec3 = f.iter().map(|f| f.as_dvec3()).sum();
        assert!(sum.length() < 1e-6 * size, "{kind:?}: {sum} of {size}");
        let turn: DVec3 = (f.iter().zip(&x))
            .map(|(f, x)| x.as_dvec3().cross(f.as_dvec3()))
            .sum();
        // Linear elasticity applies to small rotations only.
        if kind != Elasticity::Linear {
            assert!(turn.length() < 1e-6 * size, "{kind:?}: {turn} of {size}");
        }
        assert_eq!(forces_of(&forces, &body), f, "{kind:?}: the same bits");
        let energy = forces.energy(&body).unwrap();
        assert_eq!(forces.energy(&body).unwrap(), energy, "{kind:?}");
    }
}

/// Cells of an edge of 1e-10 to 1e9, all in one point, on a line, in a plane, inverted.
fn extremes(engine: &Engine) {
    let unit = generate::tet_box([1, 2, 1], [1.0; 3]).unwrap();
    let squash = |x, y, z| DMat3::from_diagonal(DVec3::new(x, y, z));
    for size in [1e-10, 1e-5, 1.0, 1e9] {
        let mut mesh = unit.clone();
        mesh.positions.iter_mut().for_each(|p| *p *= size);
        let mut body = Body::new(engine, &mesh, Material::default()).unwrap();
        for map in [
            squash(0.0, 0.0, 0.0),
            squash(1.0, 0.0, 0.0),
            squash(1.0, 1.0, 0.0),
            squash(-1.0, -1.0, -1.0),
            squash(1.0, 1.0, -1e-7),
            squash(1e4, 1e-4, -1.0),
            squash(1.0, 1.0, 1.0),
        ] {
            let x = moved(&mesh, map, 0.0, 1);
            body.set_positions(&x).unwrap();
            let d: Vec<Vec3> = x.iter().map(|x| Vec3::new(x.y, x.z, -x.x)).collect();
            for kind in ALL {
                let forces = Forces::new(&body, kind).unwrap();
                let mut stiffness = Stiffness::new(&body, kind).unwrap();
                stiffness.update(&body).unwrap();
                let what = format!("{kind:?} of size {size} under {map}");
                assert!(forces.energy(&body).unwrap().is_finite(), "{what}");
                let f = forces_of(&forces, &body);
                assert!(f.iter().all(|f| f.is_finite()), "{what}: {f:?}");
                let q = product(&mut stiffness, &body, &d);
                assert!(q.iter().all(|q| q.is_finite()), "{what}: {q:?}");
                if map == DMat3::IDENTITY {
                    assert!(f.iter().all(|f| *f == Vec3::ZERO), "{what}: {f:?}");
                }
            }
        }
    }
    // A cell that is flat at rest has no stiffness and no mass; the others are unaffected.
    let mut mesh = unit.clone();
    mesh.positions.push(Vec3::new(0.5, 0.0, 0.5));
    let on = |x: f32, z: f32| {
        let at = unit
            .positions
            .iter()
            .position(|p| *p == Vec3::new(x, 0.0, z));
        at.unwrap() as u32
    };
    mesh.cells
        .push([on(0.0, 0.0), on(1.0, 0.0), on(0.0, 1.0), 12]);
    let mut body = Body::new(engine, &mesh, Material::default()).unwrap();
    assert_eq!(body.masses().unwrap()[12], 0.0);
    let x = moved(&mesh, squash(1.1, 0.9, 1.2), 0.1, 2);
    body.set_positions(&x).unwrap();
    let mut alone = Body::new(engine, &unit, Material::default()).unwrap();
    alone.set_positions(&x[..12]).unwrap();
    for kind in ALL {
        let [with, without] = [&body, &alone].map(|b| forces_of(&Forces::new(b, kind).unwrap(), b));
        assert_eq!(with[12], Vec3::ZERO);
        let error = off(&with[..12], &wide(&without));
        assert!(error < 1e-6, "{kind:?}: {error}");
    }
}

/// A network that grows by the same strain on all sides has the energy of a solid whose Poisson's ratio is 1/4,
/// whatever its cells' shapes and the material's own ratio.
#[test]
fn springs_resist_growth_as_a_solid_does() {
    let (mesh, materials) = case([3, 2, 2], 8);
    let mut body = body(&Engine::cpu(), &mesh, &materials, 64);
    let forces = Forces::new(&body, Elasticity::Springs).unwrap();
    for strain in [-0.3, 0.01, 0.5] {
        let x = moved(&mesh, DMat3::IDENTITY * (1.0 + strain), 0.0, 1);
        body.set_positions(&x).unwrap();
        let of = |c: usize| 3.0 * materials[c].young * mesh.cell_volume(c) * strain * strain;
        let want: f64 = (0..mesh.cell_count()).map(of).sum();
        let got = forces.energy(&body).unwrap();
        assert!(
            (got / want - 1.0).abs() < 2e-5,
            "{strain}: {got} J for {want}"
        );
    }
}

/// Patches whose cells come in several parts, and patches of a few cells.
fn patches_of_any_size(engine: &Engine) {
    if is_slow(engine) {
        return;
    }
    let (mesh, materials) = case([9, 9, 9], 6);
    let x = moved(&mesh, maps()[1].1, 0.02, 5);
    let forces = |size: u32| {
        let mut body = body(engine, &mesh, &materials, size);
        body.set_positions(&x).unwrap();
        let forces = forces_of(&Forces::new(&body, Elasticity::NeoHookean).unwrap(), &body);
        let mut stiffness = Stiffness::new(&body, Elasticity::NeoHookean).unwrap();
        stiffness.update(&body).unwrap();
        (forces, product(&mut stiffness, &body, &x))
    };
    let (f, q) = forces(300);
    for size in [7, 1024, 4096] {
        let (f2, q2) = forces(size);
        assert!(off(&f2, &wide(&f)) < 3e-6, "forces in patches of {size}");
        assert!(off(&q2, &wide(&q)) < 3e-6, "products in patches of {size}");
    }
}
