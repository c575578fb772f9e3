//! Explicit steps: momentum, energy, damping, pins.

use super::bars::{RUBBER, at_x, bar, momentum, random, weightless};
use rxmesh_host::Vec3;
use rxmesh_host::engine::Engine;
use rxmesh_host::patch::VolumeOptions;
use rxmesh_simulation::solve::{Damping, Explicit};
use rxmesh_simulation::{Body, Elasticity, Materials, Surroundings};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::suited;

conformance! { momentum_is_kept, energy_is_kept_or_lost, pins_move_by_themselves, the_same_bits }

fn body(engine: &Engine, n: [u32; 3]) -> Body {
    let options = VolumeOptions {
        patch_size: Some(40),
        ..VolumeOptions::default()
    };
    let mesh = bar(n, [0.4, 0.2, 0.2]);
    Body::with(engine, &mesh, Materials::uniform(RUBBER), &options).unwrap()
}

fn size(engine: &Engine) -> [u32; 3] {
    suited(engine, [[4, 2, 2], [2, 1, 1], [1; 3]])
}

fn momentum_is_kept(engine: &Engine) {
    for elasticity in [
        Elasticity::NeoHookean,
        Elasticity::Corotated,
        Elasticity::Arap,
    ] {
        let mut body = body(engine, size(engine));
        let n = body.vertex_count();
        body.set_velocities(&random(n, 3, 1.0)).unwrap();
        let before = momentum(&mut body);
        let masses = body.masses().unwrap();
        let scale: f64 = masses.iter().map(|&m| f64::from(m)).sum();
        let mut solver = Explicit::new(&body, elasticity, Damping::default()).unwrap();
        let around = weightless(engine);
        for _ in 0..suited(engine, [100, 20, 5]) {
            solver.step(&mut body, &around, 2e-4).unwrap();
        }
        let after = momentum(&mut body);
        for k in 0..2 {
            let off = (after[k] - before[k]).length();
            assert!(
                off < 1e-6 * scale,
                "{elasticity:?} {k}: {} to {}",
                before[k],
                after[k]
            );
        }
    }
}

fn energy_is_kept_or_lost(engine: &Engine) {
    let around = weightless(engine);
    for (damping, low, high) in [
        (Damping::default(), 0.97, 1.03),
        (
            Damping {
                mass: 0.0,
                stiffness: 2e-4,
            },
            0.0,
            0.9,
        ),
        (
            Damping {
                mass: 5.0,
                stiffness: 0.0,
            },
            0.0,
            0.9,
        ),
    ] {
        let mut body = body(engine, size(engine));
        let n = body.vertex_count();
        body.set_velocities(&random(n, 5, 0.5)).unwrap();
        let mut solver = Explicit::new(&body, Elasticity::NeoHookean, damping).unwrap();
        let energy = |body: &Body, solver: &Explicit| {
            body.kinetic_energy().unwrap() + solver.forces().energy(body).unwrap()
        };
        let before = energy(&body, &solver);
        for _ in 0..suited(engine, [400, 100, 50]) {
            solver.step(&mut body, &around, 1e-4).unwrap();
        }
        let part = energy(&body, &solver) / before;
        // Fewer steps lose less.
        let high = if low > 0.5 {
            high
        } else {
            suited(engine, [high, 0.995, 0.999])
        };
        assert!(part > low && part < high, "{damping:?}: {part} is left");
    }
}

fn pins_move_by_themselves(engine: &Engine) {
    let mut body = body(engine, [2, 1, 1]);
    let mesh = bar([2, 1, 1], [0.4, 0.2, 0.2]);
    let held = at_x(&mesh, 0.0);
    body.pin(&held).unwrap();
    let target = |v: u32| mesh.positions[v as usize] + Vec3::new(0.01, 0.0, -0.02);
    let targets: Vec<(u32, Vec3)> = held.iter().map(|&v| (v, target(v))).collect();
    body.move_pins(&targets, 0.01).unwrap();
    let mut solver = Explicit::new(&body, Elasticity::Corotated, Damping::default()).unwrap();
    let around = Surroundings::new(engine).unwrap();
    for _ in 0..100 {
        solver.step(&mut body, &around, 1e-4).unwrap();
    }
    let x = body.positions().unwrap();
    for &v in &held {
        assert!((x[v as usize] - target(v)).length() < 1e-6, "{v}");
    }
    assert!(solver.step(&mut body, &around, 0.0).is_err());
    assert!(solver.step(&mut body, &around, f32::NAN).is_err());
}

fn the_same_bits(engine: &Engine) {
    let run = || {
        let mut body = body(engine, size(engine));
        body.set_velocities(&random(body.vertex_count(), 3, 1.0))
            .unwrap();
        let damping = Damping {
            mass: 0.1,
            stiffness: 1e-5,
        };
        let mut solver = Explicit::new(&body, Elasticity::NeoHookean, damping).unwrap();
        let around = Surroundings::new(engine).unwrap();
        for _ in 0..20 {
            solver.step(&mut body, &around, 1e-4).unwrap();
        }
        body.positions().unwrap()
    };
    assert_eq!(run(), run());
}
