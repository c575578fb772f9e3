//! Implicit steps: the energy falls, and bodies behave as analysis predicts, in the tests that users of other
//! simulators require.

use super::bars::{RUBBER, at_x, bar, mean, momentum, random, settle, weightless};
use super::oracle::{ALL, SOLIDS};
use glam::{DQuat, DVec3};
use rxmesh_host::Vec3;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::TetMesh;
use rxmesh_simulation::solve::{Damping, Implicit, ImplicitOptions};
use rxmesh_simulation::{Body, Elasticity, Forces, Material, Surroundings};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, suited};

conformance! {
    energy_falls, free_fall_and_momentum, inverted_bodies_recover, slivers, the_same_bits, one_step_is_a_minimum
}

const EXACT: ImplicitOptions = ImplicitOptions {
    elasticity: Elasticity::NeoHookean,
    damping: Damping {
        mass: 0.0,
        stiffness: 0.0,
    },
    newton: 10,
    tolerance: 1e-4,
    linear: 400,
    linear_tolerance: 1e-4,
    trials: 10,
};

fn small(engine: &Engine) -> TetMesh {
    bar(
        suited(engine, [[4, 2, 2], [2, 1, 1], [1; 3]]),
        [0.4, 0.2, 0.2],
    )
}

fn energy_falls(engine: &Engine) {
    let mesh = small(engine);
    for elasticity in ALL {
        let mut body = Body::new(engine, &mesh, RUBBER).unwrap();
        body.pin(&at_x(&mesh, 0.0)).unwrap();
        body.set_velocities(&random(mesh.vertex_count(), 3, 2.0))
            .unwrap();
        body.pin(&at_x(&mesh, 0.0)).unwrap();
        let damping = Damping {
            mass: 0.5,
            stiffness: 1e-3,
        };
        let options = ImplicitOptions {
            elasticity,
            damping,
            ..EXACT
        };
        let mut solver = Implicit::new(&body, options).unwrap();
        let around = Surroundings::new(engine).unwrap();
        for step in 0..suited(engine, [5, 2, 1]) {
            solver.step(&mut body, &around, 0.02).unwrap();
            let report = solver.report().unwrap();
            let [before, after] = report.energy;
            assert!(after < before, "{elasticity:?} {step}: {report:?}");
            assert!(report.residual < 1e-3, "{elasticity:?} {step}: {report:?}");
        }
    }
}

/// Residual forces vanish: inertia and elasticity, by other kernels than the solver's.
fn one_step_is_a_minimum(engine: &Engine) {
    let mesh = small(engine);
    let mut body = Body::new(engine, &mesh, RUBBER).unwrap();
    let (x0, v0) = (mesh.positions.clone(), random(mesh.vertex_count(), 4, 1.0));
    body.set_velocities(&v0).unwrap();
    let options = ImplicitOptions {
        tolerance: 1e-5,
        ..EXACT
    };
    let mut solver = Implicit::new(&body, options).unwrap();
    let dt = 0.01f32;
    solver.step(&mut body, &weightless(engine), dt).unwrap();
    let (x, v) = (body.positions().unwrap(), body.velocities().unwrap());
    let mut f = body.mesh().attribute().unwrap();
    let forces = Forces::new(&body, options.elasticity).unwrap();
    forces.forces(&body, &mut f).unwrap();
    let (f, m) = (f.to_input(body.mesh()).unwrap(), body.masses().unwrap());
    let most = f.iter().map(|f| f.length()).fold(0.0, f32::max);
    for k in 0..x.len() {
        assert!((x[k] - x0[k] - v[k] * dt).length() < 1e-6, "{k}");
        let left = f[k] - (v[k] - v0[k]) * (m[k] / dt);
        assert!(left.length() < 1e-3 * most, "vertex {k}: {left} of {most}");
    }
}

fn free_fall_and_momentum(engine: &Engine) {
    let mesh = small(engine);
    let mut body = Body::new(engine, &mesh, RUBBER).unwrap();
    let mut solver = Implicit::new(&body, EXACT).unwrap();
    let around = Surroundings::new(engine).unwrap();
    let dt = 0.01;
    for _ in 0..5 {
        solver.step(&mut body, &around, dt).unwrap();
    }
    // Implicit Euler falls dt^2 g (1 + 2 + 3 + 4 + 5).
    let fall = Vec3::new(0.0, 0.0, -9.81) * (15.0 * dt * dt);
    for (x, rest) in body.positions().unwrap().iter().zip(&mesh.positions) {
        assert!((*x - *rest - fall).length() < 1e-6, "{x} from {rest}");
    }
    body.set_velocities(&random(mesh.vertex_count(), 3, 1.0))
        .unwrap();
    let before = momentum(&mut body)[0];
    let around = weightless(engine);
    for _ in 0..3 {
        solver.step(&mut body, &around, dt).unwrap();
    }
    let (after, masses) = (momentum(&mut body)[0], body.masses().unwrap());
    let scale: f64 = masses.iter().map(|&m| f64::from(m)).sum();
    assert!(
        (after - before).length() < 2e-6 * scale,
        "{before} to {after}"
    );
}

/// From random positions, from a point, and inverted, a body returns to its shape.
fn inverted_bodies_recover(engine: &Engine) {
    let mesh = bar(suited(engine, [[3, 2, 2], [1; 3], [1; 3]]), [0.3, 0.2, 0.2]);
    let n = mesh.vertex_count();
    let starts = [
        random(n, 8, 0.2),
        vec![Vec3::ZERO; n],
        mesh.positions
            .iter()
            .map(|p| *p * Vec3::new(1.0, -1.0, 1.0))
            .collect(),
    ];
    let around = weightless(engine);
    for (k, start) in starts.iter().enumerate() {
        if is_slow(engine) && k > 0 {
            return;
        }
        let mut body = Body::new(engine, &mesh, RUBBER).unwrap();
        body.set_positions(start).unwrap();
        // In a point there is no direction in which to leave it.
        let kick = random(n, 9, 0.01);
        body.set_velocities(&kick).unwrap();
        let options = ImplicitOptions {
            linear: 60,
            linear_tolerance: 1e-2,
            ..EXACT
        };
        let solver = settle(&mut body, &around, options, 60, 0.05);
        solver.report().unwrap();
        let forces = Forces::new(&body, options.elasticity).unwrap();
        let left = forces.energy(&body).unwrap();
        // At a strain of 1 %.
        let most = 0.5 * RUBBER.young * 1e-4 * mesh.volume();
        assert!(
            left < most,
            "start {k}: {left} J are left, more than {most}"
        );
    }
}

/// Cells of almost no volume at rest, in a body that is thrown about: in free flight they would have a million times
/// the body's energy, which no step may add.
fn slivers(engine: &Engine) {
    let mut mesh = small(engine);
    for p in &mut mesh.positions {
        // Two layers of vertices nearly meet.
        if p.x > 0.0 && p.x < 0.15 {
            p.x = 1e-4;
        }
    }
    let around = weightless(engine);
    let options = ImplicitOptions {
        linear: 100,
        newton: 5,
        ..EXACT
    };
    for seed in [3, 8, 9, 31] {
        let mut body = Body::new(engine, &mesh, RUBBER).unwrap();
        body.set_velocities(&random(mesh.vertex_count(), seed, 3.0))
            .unwrap();
        let before = body.kinetic_energy().unwrap();
        let steps = suited(engine, [10, 3, 2]);
        let solver = settle(&mut body, &around, options, steps, 0.02);
        let report = solver.report().unwrap();
        assert!(
            report.energy[1] <= report.energy[0],
            "seed {seed}: {report:?}"
        );
        let forces = Forces::new(&body, options.elasticity).unwrap();
        let after = body.kinetic_energy().unwrap() + forces.energy(&body).unwrap();
        assert!(after < before, "seed {seed}: {after} J from {before} J");
        let places = body.positions().unwrap();
        let far = places.iter().map(|x| x.length()).fold(0.0, f32::max);
        assert!(far < 1.0, "seed {seed}: {far} m away");
    }
}

fn the_same_bits(engine: &Engine) {
    let mesh = small(engine);
    let run = || {
        let mut body = Body::new(engine, &mesh, RUBBER).unwrap();
        body.set_velocities(&random(mesh.vertex_count(), 3, 1.0))
            .unwrap();
        let around = Surroundings::new(engine).unwrap();
        settle(
            &mut body,
            &around,
            ImplicitOptions { newton: 2, ..EXACT },
            3,
            0.02,
        );
        body.positions().unwrap()
    };
    assert_eq!(run(), run());
}

/// A bar of 6 by 1 by 1 is pulled: in its middle the transverse strain is Poisson's ratio times the axial one.
#[test]
fn a_pulled_bar_becomes_thin_by_poissons_ratio() {
    let engine = Engine::cpu();
    let mesh = bar([18, 3, 3], [6.0, 1.0, 1.0]);
    for (elasticity, poisson) in [
        (Elasticity::NeoHookean, 0.3),
        (Elasticity::Corotated, 0.45),
        (Elasticity::Linear, 0.2),
        // Without resistance to volume change there is no transverse strain.
        (Elasticity::Arap, 0.3),
    ] {
        let material = Material { poisson, ..RUBBER };
        let mut body = Body::new(&engine, &mesh, material).unwrap();
        let ends = [at_x(&mesh, 0.0), at_x(&mesh, 6.0)];
        body.pin(&ends.concat()).unwrap();
        let target = |&v: &u32| (v, mesh.positions[v as usize] + Vec3::X * 0.06);
        let targets: Vec<(u32, Vec3)> = ends[1].iter().map(target).collect();
        let options = ImplicitOptions {
            elasticity,
            ..EXACT
        };
        body.move_pins(&targets, 100.0).unwrap();
        settle(&mut body, &weightless(&engine), options, 1, 100.0);
        body.pin(&ends.concat()).unwrap();
        settle(&mut body, &weightless(&engine), options, 2, 100.0);
        let x = body.positions().unwrap();
        let strain = |a: usize, b: usize| {
            let now = f64::from(x[a].distance(x[b]));
            now / f64::from(mesh.positions[a].distance(mesh.positions[b])) - 1.0
        };
        let find = |p: Vec3| {
            mesh.positions
                .iter()
                .position(|q| q.distance(p) < 1e-4)
                .unwrap()
        };
        let along = strain(
            find(Vec3::new(2.0, 0.0, 0.0)),
            find(Vec3::new(4.0, 0.0, 0.0)),
        );
        let across = strain(
            find(Vec3::new(3.0, 0.0, 0.0)),
            find(Vec3::new(3.0, 1.0, 0.0)),
        );
        let ratio = -across / along;
        let want = if elasticity == Elasticity::Arap {
            0.0
        } else {
            poisson
        };
        assert!((along - 0.01).abs() < 1e-3, "{elasticity:?}: {along}");
        assert!(
            (ratio - want).abs() < 0.02,
            "{elasticity:?}: {ratio} for {want}"
        );
    }
}

/// A bar hangs from its end: its own weight makes it longer by density g L^2 / 2E.
#[test]
fn a_hanging_bar_becomes_longer_by_its_weight() {
    let engine = Engine::cpu();
    let mesh = bar([16, 2, 2], [2.0, 0.25, 0.25]);
    let material = Material {
        young: 1e7,
        poisson: 0.0,
        ..RUBBER
    };
    for elasticity in SOLIDS {
        let mut body = Body::new(&engine, &mesh, material).unwrap();
        body.pin(&at_x(&mesh, 0.0)).unwrap();
        let mut around = Surroundings::new(&engine).unwrap();
        around.set_gravity(Vec3::X * 9.81).unwrap();
        settle(
            &mut body,
            &around,
            ImplicitOptions {
                elasticity,
                ..EXACT
            },
            2,
            100.0,
        );
        let end = at_x(&mesh, 2.0);
        let longer = mean(&body.positions().unwrap(), &end).x - 2.0;
        let want = 1000.0 * 9.81 * 4.0 / (2.0 * 1e7);
        assert!(
            (longer / want - 1.0).abs() < 0.02,
            "{elasticity:?}: {longer} for {want}"
        );
    }
}

/// A beam bends under its own weight. Linear cells are too stiff; with each refinement they approach the prediction of
/// Timoshenko's theory.
#[test]
fn a_beam_bends_as_it_should_when_refined() {
    let engine = Engine::cpu();
    let material = Material {
        young: 1e7,
        poisson: 0.3,
        ..RUBBER
    };
    let (length, height) = (1.0, 0.2);
    let weight = 1000.0 * 9.81;
    // w L^4 / 8 E I and w L^2 / 2 k G A, per unit of width.
    let bend = weight * length * length * length * length / (8.0 * 1e7 * height * height / 12.0);
    let shear = weight * length * length / (2.0 * (5.0 / 6.0) * 1e7 / 2.6);
    let want = bend + shear;
    let mut parts = Vec::new();
    for n in [1, 2, 4] {
        let mesh = bar([5 * n, n, n], [1.0, 0.2, 0.2]);
        let mut body = Body::new(&engine, &mesh, material).unwrap();
        body.pin(&at_x(&mesh, 0.0)).unwrap();
        let around = Surroundings::new(&engine).unwrap();
        let options = ImplicitOptions {
            elasticity: Elasticity::Corotated,
            linear: 600,
            ..EXACT
        };
        settle(&mut body, &around, options, 1, 100.0);
        let end = at_x(&mesh, 1.0);
        let sunk = 0.1 - mean(&body.positions().unwrap(), &end).z;
        parts.push(sunk / want);
    }
    assert!(
        parts[0] < parts[1] && parts[1] < parts[2] && parts[2] < 1.02,
        "{parts:?}"
    );
    // Linear cells add to the stiffness, asymptotically by the square of their size.
    let stiffness = [1.0 / parts[1], 1.0 / parts[2]];
    let limit = 1.0 / (stiffness[1] - (stiffness[0] - stiffness[1]) / 3.0);
    assert!((limit - 1.0).abs() < 0.1, "{parts:?} tend to {limit}");
}

/// One end of a bar is rotated by half a turn: nothing breaks, and it turns back.
#[test]
fn a_twisted_bar_turns_back() {
    let engine = Engine::cpu();
    let mesh = bar([8, 2, 2], [1.0, 0.25, 0.25]);
    let mut body = Body::new(&engine, &mesh, RUBBER).unwrap();
    let ends = [at_x(&mesh, 0.0), at_x(&mesh, 1.0)];
    body.pin(&ends.concat()).unwrap();
    let mut solver = Implicit::new(&body, EXACT).unwrap();
    let around = weightless(&engine);
    let middle = DVec3::new(0.0, 0.125, 0.125);
    let steps = 12;
    for k in 1..=steps {
        let turn = DQuat::from_rotation_x(std::f64::consts::PI * f64::from(k) / f64::from(steps));
        let target = |&v: &u32| {
            let rest = mesh.positions[v as usize].as_dvec3();
            (v, (turn * (rest - middle) + middle).as_vec3())
        };
        let targets: Vec<(u32, Vec3)> = ends[1].iter().map(target).collect();
        body.move_pins(&targets, 0.1).unwrap();
        solver.step(&mut body, &around, 0.1).unwrap();
        solver.report().unwrap();
    }
    let x = body.positions().unwrap();
    // In the middle it has rotated by half of that: corners of the section lie on the midpoints of its sides.
    let half: Vec<u32> = at_x(&mesh, 0.5);
    let corner = half.iter().find(|&&v| {
        let p = mesh.positions[v as usize];
        p.y == 0.0 && p.z == 0.0
    });
    let at = x[*corner.unwrap() as usize];
    let want = Vec3::new(0.5, 0.25, 0.0);
    assert!((at - want).length() < 0.03, "{at} for {want}");
    let forces = Forces::new(&body, EXACT.elasticity).unwrap();
    let twisted = forces.energy(&body).unwrap();
    body.pin(&ends[0]).unwrap();
    for _ in 0..40 {
        solver.step(&mut body, &around, 0.1).unwrap();
    }
    let left = forces.energy(&body).unwrap();
    assert!(left < 1e-3 * twisted, "{left} of {twisted}");
}

#[test]
fn bad_options_are_refused() {
    let engine = Engine::cpu();
    let body = Body::new(&engine, &bar([1; 3], [1.0; 3]), RUBBER).unwrap();
    let good = ImplicitOptions::default();
    for (options, says) in [
        (
            ImplicitOptions { newton: 0, ..good },
            "Newton iterations is 0",
        ),
        (
            ImplicitOptions { linear: 0, ..good },
            "conjugate gradients is 0",
        ),
        (ImplicitOptions { trials: 0, ..good }, "trials is 0"),
        (
            ImplicitOptions {
                tolerance: f64::NAN,
                ..good
            },
            "the tolerance is NaN",
        ),
        (
            ImplicitOptions {
                linear_tolerance: 1.0,
                ..good
            },
            "linear tolerance is 1",
        ),
        (
            ImplicitOptions {
                damping: Damping {
                    mass: -1.0,
                    stiffness: 0.0,
                },
                ..good
            },
            "damping by mass is -1",
        ),
    ] {
        let why = Implicit::new(&body, options)
            .map(drop)
            .unwrap_err()
            .to_string();
        assert!(why.contains(says), "{why}");
    }
}
