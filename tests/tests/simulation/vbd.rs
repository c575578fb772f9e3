//! Vertex block descent against the minimum of the step's energy, and properties that every iteration preserves.

use crate::solver_support::*;
use glam::Vec3;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::TetMesh;
use rxmesh_simulation::Body;
use rxmesh_simulation::solve::{VbdOptions, VbdOrder, VertexBlockDescent};
use rxmesh_tests::conformance;
use rxmesh_tests::elastic::{Density, farthest};
use rxmesh_tests::engines::{same_rounding, suited};

conformance! {
    steps_converge_to_the_minimum, the_energy_falls_with_every_turn, free_bodies_fall_as_points,
    flattened_cells_recover, steps_have_the_same_bits
}

const DT: f32 = 0.03;
const BOTH: [VbdOrder; 2] = [VbdOrder::Vertices, VbdOrder::Patches];
const DENSITY: Density = Density::NeoHookean;

fn mesh(engine: &Engine) -> TetMesh {
    beam(suited(engine, [[7, 3, 2], [4, 2, 2], [3, 1, 1]]))
}

fn steps_converge_to_the_minimum(engine: &Engine) {
    let mesh = mesh(engine);
    for order in BOTH {
        let options = VbdOptions {
            iterations: suited(engine, [150, 80, 60]),
            order,
            ..VbdOptions::default()
        };
        let (mut body, elastic, x, v) = moving(engine, &mesh);
        let s = targets(&x, &v, &elastic.held, GRAVITY, DT.into());
        let mut solver = VertexBlockDescent::new(&body, options).unwrap();
        solver.step(&mut body, &air(engine, GRAVITY), DT).unwrap();
        let got = doubles(&body.positions().unwrap());
        // Starts where the solver is: at the minimum, if it has found it.
        let want = elastic.minimum(DENSITY, got.clone(), &s, DT.into(), 1e-4);
        let moved = farthest(&s, &want);
        let error = farthest(&got, &want);
        assert!(
            error < 3e-5 * moved + 1e-6,
            "{engine:?} {order:?}: {error:e} of {moved:e}"
        );
        let (left, start) = (
            elastic.residual(DENSITY, &got, &s, DT.into()),
            elastic.residual(DENSITY, &s, &s, DT.into()),
        );
        let size = |r: &[glam::DVec3]| r.iter().map(|r| r.length_squared()).sum::<f64>().sqrt();
        assert!(
            size(&left) < 1e-3 * size(&start),
            "{} of {}",
            size(&left),
            size(&start)
        );
    }
}

fn the_energy_falls_with_every_turn(engine: &Engine) {
    let mesh = mesh(engine);
    for order in BOTH {
        let (_, elastic, x, v) = moving(engine, &mesh);
        let s = targets(&x, &v, &elastic.held, GRAVITY, DT.into());
        let value = |x: &[_]| elastic.objective(DENSITY, x, &s, DT.into());
        let start = value(&s);
        let mut before = start;
        for iterations in 1..=suited(engine, [12, 4, 2]) {
            let (mut body, ..) = moving(engine, &mesh);
            let options = VbdOptions {
                iterations,
                order,
                ..VbdOptions::default()
            };
            let mut solver = VertexBlockDescent::new(&body, options).unwrap();
            solver.step(&mut body, &air(engine, GRAVITY), DT).unwrap();
            let now = value(&doubles(&body.positions().unwrap()));
            assert!(
                now < before + 1e-6 * start,
                "{iterations} of {order:?}: {before} to {now}"
            );
            before = now;
        }
    }
}

fn free_bodies_fall_as_points(engine: &Engine) {
    let mesh = mesh(engine);
    for order in BOTH {
        let options = VbdOptions {
            iterations: 10,
            order,
            ..VbdOptions::default()
        };
        let mut body = body(engine, &mesh, soft(), 64);
        let mut solver = VertexBlockDescent::new(&body, options).unwrap();
        let (mut v, mut x) = (0.0, 0.0);
        for _ in 0..3 {
            solver.step(&mut body, &air(engine, GRAVITY), DT).unwrap();
            v += GRAVITY.z * DT;
            x += v * DT;
        }
        let drop = Vec3::new(0.0, 0.0, x);
        let want: Vec<Vec3> = mesh.positions.iter().map(|p| *p + drop).collect();
        let error = farthest(&doubles(&body.positions().unwrap()), &doubles(&want));
        assert!(error < 5e-6, "{engine:?} {order:?}: {error:e}");
    }
}

/// From a body that was squeezed flat: all numbers stay finite, and the cells open again.
fn flattened_cells_recover(engine: &Engine) {
    let mesh = mesh(engine);
    let mut body = body(engine, &mesh, soft(), 64);
    let elastic = elastic(&mut body, &mesh);
    let x: Vec<Vec3> = mesh
        .positions
        .iter()
        .map(|p| Vec3::new(p.x, p.y, 0.0))
        .collect();
    body.set_positions(&x).unwrap();
    let options = VbdOptions {
        damping: 5.0,
        iterations: 10,
        ..VbdOptions::default()
    };
    let mut solver = VertexBlockDescent::new(&body, options).unwrap();
    for _ in 0..suited(engine, [150, 60, 30]) {
        solver
            .step(&mut body, &air(engine, Vec3::ZERO), DT)
            .unwrap();
    }
    let now = doubles(&body.positions().unwrap());
    assert!(now.iter().all(|p| p.is_finite()));
    let (before, after) = (
        elastic.energy(DENSITY, &doubles(&x)),
        elastic.energy(DENSITY, &now),
    );
    assert!(after < 0.3 * before, "{before} to {after}");
}

fn steps_have_the_same_bits(engine: &Engine) {
    let mesh = mesh(engine);
    for order in BOTH {
        let run = |engine: &Engine| {
            let (mut body, ..) = moving(engine, &mesh);
            let options = VbdOptions {
                order,
                iterations: 3,
                ..VbdOptions::default()
            };
            let mut solver = VertexBlockDescent::new(&body, options).unwrap();
            for _ in 0..2 {
                solver.step(&mut body, &air(engine, GRAVITY), DT).unwrap();
            }
            body.positions().unwrap()
        };
        assert_eq!(run(engine), run(engine), "two runs");
        // The block sums nothing: its width does not matter.
        assert_eq!(run(engine), run(&same_rounding(engine)));
    }
}

#[test]
fn senseless_options_are_refused() {
    let (engine, mesh) = (Engine::cpu(), beam([2, 1, 1]));
    let mut body = body(&engine, &mesh, soft(), 64);
    let usual = VbdOptions::default();
    let refused = |body: &Body, options, says: &str| {
        let why = VertexBlockDescent::new(body, options)
            .map(drop)
            .unwrap_err()
            .to_string();
        assert!(why.contains(says), "{why}");
    };
    refused(
        &body,
        VbdOptions {
            iterations: 0,
            ..usual
        },
        "iteration",
    );
    refused(
        &body,
        VbdOptions {
            damping: f64::NAN,
            ..usual
        },
        "damping",
    );
    let mut solver = VertexBlockDescent::new(&body, usual).unwrap();
    let why = solver
        .step(&mut body, &air(&engine, GRAVITY), -1.0)
        .unwrap_err()
        .to_string();
    assert!(why.contains("time step"), "{why}");
    assert_eq!(
        body.positions().unwrap(),
        mesh.positions,
        "nothing has moved"
    );
}
