//! XPBD of tetrahedra: against the step of implicit Euler; more iterations do not make it stiffer.

use crate::solver_support::*;
use glam::{DVec3, Vec3};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::TetMesh;
use rxmesh_simulation::Body;
use rxmesh_simulation::solve::{XpbdCells, XpbdOptions, XpbdOrder};
use rxmesh_tests::conformance;
use rxmesh_tests::elastic::{Density, Elastic, farthest};
use rxmesh_tests::engines::{same_rounding, suited};

conformance! {
    steps_converge_to_implicit_euler, momentum_is_kept, inverted_cells_stay_finite, steps_have_the_same_bits
}

const BOTH: [XpbdOrder; 2] = [XpbdOrder::Jacobi, XpbdOrder::PatchColours];

fn mesh(engine: &Engine) -> TetMesh {
    beam(suited(engine, [[6, 2, 2], [3, 2, 1], [2, 1, 1]]))
}

/// Makes a body that is held at one end, slightly deformed.
fn bent(engine: &Engine, mesh: &TetMesh) -> (Body, Elastic, Vec<Vec3>, Vec<Vec3>) {
    let mut body = body(engine, mesh, soft(), 64);
    body.pin(&low_end(mesh)).unwrap();
    let elastic = elastic(&mut body, mesh);
    let x: Vec<Vec3> = (mesh.positions.iter())
        .map(|p| Vec3::new(p.x, p.y + 0.02 * p.x * p.x, p.z * (1.0 + 0.02 * p.x)))
        .collect();
    let v = vec![Vec3::ZERO; x.len()];
    body.set_positions(&x).unwrap();
    (body, elastic, x, v)
}

fn after(
    engine: &Engine,
    mesh: &TetMesh,
    options: XpbdOptions,
    dt: f32,
) -> (Vec<DVec3>, Elastic, Vec<DVec3>) {
    let (mut body, elastic, x, v) = bent(engine, mesh);
    let s = targets(&x, &v, &elastic.held, GRAVITY, dt.into());
    let mut solver = XpbdCells::new(&body, options).unwrap();
    solver.step(&mut body, &air(engine, GRAVITY), dt).unwrap();
    (doubles(&body.positions().unwrap()), elastic, s)
}

fn steps_converge_to_implicit_euler(engine: &Engine) {
    let mesh = mesh(engine);
    let dt = 0.02;
    for order in BOTH {
        let [few, many, more] = match order {
            XpbdOrder::Jacobi => {
                suited(engine, [[50, 2000, 4000], [50, 1000, 2000], [20, 400, 800]])
            }
            XpbdOrder::PatchColours => {
                suited(engine, [[5, 300, 600], [5, 200, 400], [5, 100, 200]])
            }
        };
        let run = |iterations| {
            let options = XpbdOptions {
                iterations,
                order,
                ..XpbdOptions::default()
            };
            after(engine, &mesh, options, dt)
        };
        let (first, ..) = run(few);
        let (second, elastic, s) = run(many);
        let (third, ..) = run(more);
        let want = elastic.minimum(Density::NeoHookean, s.clone(), &s, dt.into(), 1e-7);
        let moved = farthest(&s, &want);
        let errors = [&first, &second, &third].map(|x| farthest(x, &want) / moved);
        println!("{order:?} {errors:?} of {moved:e}");
        assert!(errors[1] < 2e-3, "{engine:?} {order:?}: {errors:?}");
        assert!(
            errors[1] < 0.5 * errors[0],
            "{engine:?} {order:?}: {errors:?}"
        );
        // Twice as many iterations are not stiffer.
        assert!(
            farthest(&second, &third) < 2e-3 * moved,
            "{engine:?} {order:?}: {errors:?}"
        );
    }
}

/// Tests a free body: impulses that constraints give to one vertex they take from others.
fn momentum_is_kept(engine: &Engine) {
    let mesh = mesh(engine);
    for order in BOTH {
        let options = XpbdOptions {
            order,
            ..XpbdOptions::default()
        };
        let mut body = body(engine, &mesh, soft(), 64);
        let elastic = elastic(&mut body, &mesh);
        let (x, v) = disturbed(&mesh, &elastic.held);
        body.set_positions(&x).unwrap();
        body.set_velocities(&v).unwrap();
        let mut solver = XpbdCells::new(&body, options).unwrap();
        for _ in 0..3 {
            solver
                .step(&mut body, &air(engine, Vec3::ZERO), 0.01)
                .unwrap();
        }
        let total = |v: &[Vec3]| -> DVec3 {
            v.iter()
                .zip(&elastic.mass)
                .map(|(v, m)| v.as_dvec3() * *m)
                .sum()
        };
        let scale: f64 = v
            .iter()
            .zip(&elastic.mass)
            .map(|(v, m)| v.as_dvec3().length() * m)
            .sum();
        let (before, now) = (total(&v), total(&body.velocities().unwrap()));
        assert!(
            before.distance(now) < 2e-5 * scale,
            "{order:?}: {before} to {now}"
        );
    }
}

fn inverted_cells_stay_finite(engine: &Engine) {
    let mesh = mesh(engine);
    for order in BOTH {
        for flat in [0.0, -0.7] {
            let options = XpbdOptions {
                damping: 5.0,
                iterations: 10,
                order,
                ..XpbdOptions::default()
            };
            let mut body = body(engine, &mesh, soft(), 64);
            let x: Vec<Vec3> = (mesh.positions.iter())
                .map(|p| Vec3::new(p.x, p.y, flat * p.z))
                .collect();
            body.set_positions(&x).unwrap();
            let mut solver = XpbdCells::new(&body, options).unwrap();
            for _ in 0..suited(engine, [200, 60, 20]) {
                solver
                    .step(&mut body, &air(engine, Vec3::ZERO), 0.01)
                    .unwrap();
            }
            let now = body.positions().unwrap();
            assert!(
                now.iter().all(|p| p.is_finite() && p.length() < 3.0),
                "{order:?} {flat}"
            );
            // All in one point: no direction is defined.
            body.set_positions(&vec![Vec3::ONE; x.len()]).unwrap();
            solver
                .step(&mut body, &air(engine, Vec3::ZERO), 0.01)
                .unwrap();
            assert!(
                body.positions().unwrap().iter().all(|p| p.is_finite()),
                "{order:?}"
            );
        }
    }
}

fn steps_have_the_same_bits(engine: &Engine) {
    let mesh = mesh(engine);
    for order in BOTH {
        let run = |engine: &Engine| {
            let options = XpbdOptions {
                order,
                ..XpbdOptions::default()
            };
            after(engine, &mesh, options, 0.01).0
        };
        assert_eq!(run(engine), run(engine), "two runs");
        assert_eq!(run(engine), run(&same_rounding(engine)));
    }
}

#[test]
fn senseless_options_are_refused() {
    let (engine, mesh) = (Engine::cpu(), beam([2, 1, 1]));
    let new = |options| {
        let body = body(&engine, &mesh, soft(), 64);
        XpbdCells::new(&body, options)
            .map(drop)
            .unwrap_err()
            .to_string()
    };
    let usual = XpbdOptions::default();
    for (options, says) in [
        (
            XpbdOptions {
                iterations: 0,
                ..usual
            },
            "iteration",
        ),
        (
            XpbdOptions {
                relaxation: 0.0,
                ..usual
            },
            "relaxation",
        ),
        (
            XpbdOptions {
                relaxation: 2.0,
                ..usual
            },
            "relaxation",
        ),
        (
            XpbdOptions {
                damping: -1.0,
                ..usual
            },
            "damping",
        ),
    ] {
        let why = new(options);
        assert!(why.contains(says), "{why}");
    }
}
