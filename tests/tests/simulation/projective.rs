//! Projective dynamics against exact rounds in `f64`, the energy of a frame, and rest.

use crate::solver_support::*;
use glam::{DVec3, Vec3};
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{Rng, TetMesh};
use rxmesh_simulation::Body;
use rxmesh_simulation::solve::{GlobalSolver, Projective, ProjectiveOptions};
use rxmesh_tests::conformance;
use rxmesh_tests::elastic::{Density, farthest};
use rxmesh_tests::engines::{same_rounding, suited};

conformance! {
    rounds_are_those_of_a_direct_solver, the_energy_of_a_frame_falls, bodies_at_rest_stay,
    pins_move_and_attachments_give, inverted_cells_recover, a_random_start_recovers, frames_have_the_same_bits
}

const DT: f32 = 0.03;
const BOTH: [GlobalSolver; 2] = [GlobalSolver::ConjugateGradients, GlobalSolver::Chebyshev];

fn mesh(engine: &Engine) -> TetMesh {
    beam(suited(engine, [[10, 3, 3], [5, 2, 2], [3, 1, 1]]))
}

fn rounds_are_those_of_a_direct_solver(engine: &Engine) {
    let mesh = mesh(engine);
    for solver in BOTH {
        // Enough iterations to solve each global step.
        let options = ProjectiveOptions {
            rounds: 4,
            iterations: 80,
            solver,
            ..ProjectiveOptions::default()
        };
        let (mut body, elastic, x, v) = moving(engine, &mesh);
        let s = targets(&x, &v, &elastic.held, GRAVITY, DT.into());
        let want = elastic.projective(s.clone(), &s, DT.into(), options.rounds);
        let mut solver = Projective::new(&body, DT, options).unwrap();
        solver.step(&mut body, &air(engine, GRAVITY), DT).unwrap();
        let got = doubles(&body.positions().unwrap());
        let error = farthest(&got, &want);
        assert!(error < 2e-6, "{engine:?} {options:?}: {error:e}");
        let faster = body.velocities().unwrap();
        for (i, v) in doubles(&faster).iter().enumerate() {
            let want = (want[i] - x[i].as_dvec3()) / f64::from(DT);
            assert!(elastic.held[i] || v.distance(want) < 1e-3, "{v} for {want}");
        }
    }
}

fn the_energy_of_a_frame_falls(engine: &Engine) {
    let mesh = mesh(engine);
    let rounds = suited(engine, [12, 4, 3]);
    for solver in BOTH {
        let (_, elastic, x, v) = moving(engine, &mesh);
        let s = targets(&x, &v, &elastic.held, GRAVITY, DT.into());
        let value = |x: &[_]| elastic.objective(Density::AsRigidAsPossible, x, &s, DT.into());
        let mut before = value(&s);
        let exact = elastic.projective(s.clone(), &s, DT.into(), 100);
        let (least, start) = (value(&exact), before);
        for rounds in 1..=rounds {
            let (mut body, ..) = moving(engine, &mesh);
            let options = ProjectiveOptions {
                rounds,
                solver,
                ..ProjectiveOptions::default()
            };
            let mut solver = Projective::new(&body, DT, options).unwrap();
            solver.step(&mut body, &air(engine, GRAVITY), DT).unwrap();
            let now = value(&doubles(&body.positions().unwrap()));
            assert!(
                now < before + 1e-6 * start,
                "round {rounds}: {before} to {now}"
            );
            before = now;
        }
        if rounds == 12 {
            assert!(
                before - least < 1e-3 * (start - least),
                "{start}, {before}, {least}"
            );
        }
    }
}

fn bodies_at_rest_stay(engine: &Engine) {
    let mesh = mesh(engine);
    let options = ProjectiveOptions::default();
    let mut body = body(engine, &mesh, soft(), 64);
    let mut solver = Projective::new(&body, DT, options).unwrap();
    for _ in 0..3 {
        solver
            .step(&mut body, &air(engine, Vec3::ZERO), DT)
            .unwrap();
    }
    let error = farthest(
        &doubles(&body.positions().unwrap()),
        &doubles(&mesh.positions),
    );
    assert!(error < 1e-6, "{error:e}");
    // A freely falling body falls like a point; steps of other lengths are allowed.
    let mut solver = Projective::new(&body, DT, options).unwrap();
    let (mut v, mut x) = (0.0, 0.0);
    for dt in [DT, DT, 0.5 * DT] {
        solver.step(&mut body, &air(engine, GRAVITY), dt).unwrap();
        v += GRAVITY.z * dt;
        x += v * dt;
    }
    let drop = Vec3::new(0.0, 0.0, x);
    let want: Vec<Vec3> = mesh.positions.iter().map(|p| *p + drop).collect();
    let error = farthest(&doubles(&body.positions().unwrap()), &doubles(&want));
    assert!(error < 2e-6, "{error:e}");
}

fn pins_move_and_attachments_give(engine: &Engine) {
    let mesh = mesh(engine);
    let (mut body, elastic, x, _) = moving(engine, &mesh);
    let pins = low_end(&mesh);
    let lift = Vec3::new(0.0, 0.0, 0.02);
    let target = |p: &u32| (*p, x[*p as usize] + lift);
    let all: Vec<(u32, Vec3)> = pins.iter().map(target).collect();
    body.move_pins(&all, DT).unwrap();
    let mut solver = Projective::new(&body, DT, ProjectiveOptions::default()).unwrap();
    solver.step(&mut body, &air(engine, GRAVITY), DT).unwrap();
    let now = body.positions().unwrap();
    for (p, want) in all {
        assert!(
            now[p as usize].distance(want) < 1e-6,
            "{} for {want}",
            now[p as usize]
        );
    }
    // A spring yields: the force of the body on it is its stiffness times the displacement.
    let (mut body, ..) = moving(engine, &mesh);
    let k = 2e3;
    let options = ProjectiveOptions {
        attachment: Some(k),
        rounds: 60,
        ..ProjectiveOptions::default()
    };
    let mut solver = Projective::new(&body, DT, options).unwrap();
    solver.step(&mut body, &air(engine, GRAVITY), DT).unwrap();
    let now = doubles(&body.positions().unwrap());
    let forces = elastic.forces(Density::AsRigidAsPossible, &now);
    let mut most = 0.0f64;
    for p in pins {
        let (force, way) = (
            forces[p as usize],
            now[p as usize] - x[p as usize].as_dvec3(),
        );
        let (left, size) = ((force - way * k).length(), force.length());
        most = most.max(size);
        assert!(left < 0.02 * size + 1e-2, "{force} for {}", way * k);
    }
    assert!(most > 0.1, "the attachments are pulled");
}

/// From a body that was pushed through itself: cells are inverted, and turn back.
fn inverted_cells_recover(engine: &Engine) {
    let mesh = mesh(engine);
    let mut body = body(engine, &mesh, soft(), 64);
    let elastic = elastic(&mut body, &mesh);
    let x: Vec<Vec3> = mesh
        .positions
        .iter()
        .map(|p| Vec3::new(p.x, p.y, -0.5 * p.z))
        .collect();
    body.set_positions(&x).unwrap();
    let options = ProjectiveOptions {
        damping: 5.0,
        rounds: suited(engine, [3, 2, 2]),
        iterations: suited(engine, [12, 10, 8]),
        ..ProjectiveOptions::default()
    };
    let mut solver = Projective::new(&body, DT, options).unwrap();
    for _ in 0..suited(engine, [200, 60, 40]) {
        solver
            .step(&mut body, &air(engine, Vec3::ZERO), DT)
            .unwrap();
    }
    let now = doubles(&body.positions().unwrap());
    let inverted = |x: &[_]| {
        let turned = |c: &usize| elastic.deformation(*c, x).determinant() <= 0.0;
        (0..mesh.cells.len()).filter(turned).count()
    };
    assert_eq!(inverted(&doubles(&x)), mesh.cells.len());
    assert!(now.iter().all(|p| p.is_finite()));
    let density = Density::AsRigidAsPossible;
    let (before, after) = (
        elastic.energy(density, &doubles(&x)),
        elastic.energy(density, &now),
    );
    assert!(after < 1e-2 * before, "{before} to {after}");
    assert_eq!(inverted(&now), 0);
}

/// From vertices at random places in the box of the body (MeshTaichi 2022, section 8.4): back to the rest shape, up to
/// a motion of the whole.
fn a_random_start_recovers(engine: &Engine) {
    let mesh = mesh(engine);
    let (low, high) =
        (mesh.positions.iter()).fold((Vec3::MAX, Vec3::MIN), |(a, b), p| (a.min(*p), b.max(*p)));
    let mut rng = Rng::new(17);
    let start: Vec<Vec3> = (mesh.positions.iter())
        .map(|_| {
            low + (high - low) * Vec3::from([(); 3].map(|()| 0.5 + 0.5 * rng.signed_unit() as f32))
        })
        .collect();
    for solver in BOTH {
        let mut body = body(engine, &mesh, soft(), 64);
        let elastic = elastic(&mut body, &mesh);
        body.set_positions(&start).unwrap();
        let options = ProjectiveOptions {
            damping: 5.0,
            rounds: 4,
            iterations: suited(engine, [30, 20, 12]),
            solver,
            ..ProjectiveOptions::default()
        };
        let mut solver = Projective::new(&body, DT, options).unwrap();
        for _ in 0..suited(engine, [200, 100, 60]) {
            solver
                .step(&mut body, &air(engine, Vec3::ZERO), DT)
                .unwrap();
        }
        let inverted = |x: &[DVec3]| {
            let turned = |c: &usize| elastic.deformation(*c, x).determinant() <= 0.0;
            (0..mesh.cells.len()).filter(turned).count()
        };
        let now = doubles(&body.positions().unwrap());
        assert!(inverted(&doubles(&start)) > mesh.cells.len() / 4);
        assert_eq!(inverted(&now), 0, "{options:?}");
        // All distances inside cells are those at rest.
        let rest = doubles(&mesh.positions);
        let mut worst = 0.0f64;
        for cell in &mesh.cells {
            for (k, &a) in cell.iter().enumerate() {
                for &b in &cell[..k] {
                    let [a, b] = [a, b].map(|v| v as usize);
                    let length = rest[a].distance(rest[b]);
                    worst = worst.max((now[a].distance(now[b]) / length - 1.0).abs());
                }
            }
        }
        assert!(
            worst < 1e-2,
            "{options:?}: an edge is off by {worst} of its length"
        );
    }
}

fn frames_have_the_same_bits(engine: &Engine) {
    let mesh = mesh(engine);
    let run = |engine: &Engine| {
        let (mut body, ..) = moving(engine, &mesh);
        let mut solver = Projective::new(&body, DT, ProjectiveOptions::default()).unwrap();
        for _ in 0..2 {
            solver.step(&mut body, &air(engine, GRAVITY), DT).unwrap();
        }
        body.positions().unwrap()
    };
    assert_eq!(run(engine), run(engine), "two runs");
    if !engine.name().starts_with("team") && engine.name() != "shuffled" {
        assert_eq!(run(engine), run(&same_rounding(engine)));
    }
}

#[test]
fn senseless_options_are_refused() {
    let (engine, mesh) = (Engine::cpu(), beam([2, 1, 1]));
    let body = body(&engine, &mesh, soft(), 64);
    let usual = ProjectiveOptions::default();
    let refused = |options, dt, says: &str| {
        let why = Projective::new(&body, dt, options)
            .map(drop)
            .unwrap_err()
            .to_string();
        assert!(why.contains(says), "{why}");
    };
    refused(ProjectiveOptions { rounds: 0, ..usual }, DT, "round");
    refused(
        ProjectiveOptions {
            iterations: 0,
            ..usual
        },
        DT,
        "iteration",
    );
    refused(
        ProjectiveOptions {
            damping: -1.0,
            ..usual
        },
        DT,
        "damping",
    );
    refused(
        ProjectiveOptions {
            attachment: Some(0.0),
            ..usual
        },
        DT,
        "attachment",
    );
    refused(usual, 0.0, "time step");
    refused(usual, f32::NAN, "time step");
    // A mesh without edges.
    let body = Body::new(&engine, &mesh, soft()).unwrap();
    let why = Projective::new(&body, DT, usual)
        .map(drop)
        .unwrap_err()
        .to_string();
    assert!(why.contains("edges"), "{why}");
}
