//! Bodies on a grid: transfers against a naive form, momentum, contact of bodies, walls, steps, and refused arguments.

use super::bars::{RUBBER, bar, random, weightless};
use super::mpm_oracle::Particles;
use glam::{DVec3, Vec3};
use rxmesh_host::engine::Engine;
use rxmesh_host::kernels::topo::Vertex;
use rxmesh_host::mesh::{TetMesh, generate};
use rxmesh_host::patch::VolumeOptions;
use rxmesh_host::store::Attribute;
use rxmesh_simulation::solve::{Damping, GridOptions, Hybrid, HybridOptions};
use rxmesh_simulation::{
    Body, Collider, ColliderShape, Elasticity, Forces, Materials, Solver, Surroundings, World,
};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::{is_slow, same_rounding, suited};

conformance! {
    steps_are_those_of_the_oracle, momentum_is_kept, free_fall_is_exact, the_same_bits, bodies_bounce_off,
    walls_hold, solids_hold, copies_are_bodies, checkpoints_go_on, steps_are_stable
}

const COROTATED: HybridOptions = HybridOptions {
    elasticity: Elasticity::Corotated,
    damping: Damping {
        mass: 0.0,
        stiffness: 0.0,
    },
};

fn grid(spacing: f32) -> GridOptions {
    GridOptions::new(spacing, Vec3::splat(-1.0), Vec3::splat(1.0))
}

fn body(engine: &Engine, mesh: &TetMesh) -> Body {
    let options = VolumeOptions {
        patch_size: Some(40),
        ..VolumeOptions::default()
    };
    Body::with(engine, mesh, Materials::uniform(RUBBER), &options).unwrap()
}

fn cube(engine: &Engine) -> TetMesh {
    bar(suited(engine, [[3; 3], [2; 3], [1; 3]]), [0.3; 3])
}

fn ball(radius: f32, at: Vec3) -> TetMesh {
    let mut mesh = generate::tet_ball(2).unwrap();
    for p in &mut mesh.positions {
        *p = *p * radius + at;
    }
    mesh
}

fn doubles(all: &[Vec3]) -> Vec<DVec3> {
    all.iter().map(|x| x.as_dvec3()).collect()
}

/// Returns the body, its state in `f64`, and its forces.
fn particles(body: &mut Body, spacing: f32, forces: &[Vec3], old: Option<Particles>) -> Particles {
    let n = body.vertex_count();
    Particles {
        spacing: spacing.into(),
        // The position of the grid's first node is irrelevant, as long as it is a whole number of nodes away.
        low: DVec3::splat(-1.0 - 0.5 * f64::from(spacing)),
        x: doubles(&body.positions().unwrap()),
        v: doubles(&body.velocities().unwrap()),
        force: doubles(forces),
        mass: body.masses().unwrap().iter().map(|&m| m.into()).collect(),
        pinned: body.pinned().unwrap(),
        gradient: old.map_or(vec![glam::DMat3::ZERO; n], |p| p.gradient),
    }
}

/// Several steps of a body that rotates, is bent and has a pin, one by one, compared with a form without blocks and
/// sorting.
fn steps_are_those_of_the_oracle(engine: &Engine) {
    let (spacing, dt) = (0.125, 1e-3);
    let mut body = body(engine, &cube(engine));
    let n = body.vertex_count();
    body.pin(&[0]).unwrap();
    let bent: Vec<Vec3> = (body.positions().unwrap().iter())
        .map(|p| *p + Vec3::new(0.3 * p.z * p.z, 0.1 * p.x, 0.0) - 0.1)
        .collect();
    body.set_positions(&bent).unwrap();
    let mut v = random(n, 5, 0.5);
    v[0] = Vec3::new(0.2, 0.0, 0.1);
    body.set_velocities(&v).unwrap();
    let around = Surroundings::new(engine).unwrap();
    let mut hybrid = Hybrid::new(engine, &[(&body, COROTATED)], grid(spacing)).unwrap();
    let forces = Forces::new(&body, Elasticity::Corotated).unwrap();
    let mut oracle: Option<Particles> = None;
    for step in 0..3 {
        let mut f: Attribute<Vertex, Vec3> = body.mesh().attribute().unwrap();
        forces.forces(&body, &mut f).unwrap();
        let f = f.to_input(body.mesh()).unwrap();
        let mut want = particles(&mut body, spacing, &f, oracle.take());
        want.step(dt.into(), around.gravity().as_dvec3());
        hybrid.step(&mut [&mut body], &around, dt).unwrap();
        assert_eq!(hybrid.report().steps, 1);
        let (x, v) = (body.positions().unwrap(), body.velocities().unwrap());
        let gradients = hybrid.gradients(0, &body).unwrap();
        for i in 0..n {
            let off = (x[i].as_dvec3() - want.x[i]).length();
            assert!(off < 3e-7, "step {step}: vertex {i} is {off} m off");
            let off = (v[i].as_dvec3() - want.v[i]).length();
            assert!(off < 2e-5, "step {step}: vertex {i} is {off} m/s off");
            let apart = gradients[i].as_dmat3() - want.gradient[i];
            let off = apart
                .to_cols_array()
                .iter()
                .fold(0f64, |a, x| a.max(x.abs()));
            assert!(off < 1e-3, "step {step}: the gradient at {i} is {off} off");
        }
        oracle = Some(want);
    }
}

/// Computes linear and angular momentum with the affine part.
fn momentum(hybrid: &mut Hybrid, bodies: &mut [&mut Body]) -> [DVec3; 2] {
    let inertia = f64::from(hybrid.options().spacing).powi(2) / 4.0;
    let mut sums = [DVec3::ZERO; 2];
    for (k, body) in bodies.iter_mut().enumerate() {
        let gradients = hybrid.gradients(k, body).unwrap();
        let (x, v) = (body.positions().unwrap(), body.velocities().unwrap());
        for (i, m) in body.masses().unwrap().into_iter().enumerate() {
            let (m, c) = (f64::from(m), gradients[i].as_dmat3());
            let own: DVec3 = (DVec3::AXES.iter().map(|&e| e.cross(c * e))).sum();
            sums[0] += v[i].as_dvec3() * m;
            sums[1] += (x[i].as_dvec3().cross(v[i].as_dvec3()) + own * inertia) * m;
        }
    }
    sums
}

fn momentum_is_kept(engine: &Engine) {
    let mut bodies = [Vec3::ZERO, Vec3::new(0.32, 0.1, 0.0)].map(|at| {
        let mut mesh = cube(engine);
        mesh.positions.iter_mut().for_each(|p| *p += at - 0.3);
        body(engine, &mesh)
    });
    for (k, body) in bodies.iter_mut().enumerate() {
        let x = body.positions().unwrap();
        let noise = random(x.len(), 8, 0.3);
        let toward = Vec3::X * (1.0 - 2.0 * k as f32);
        let v = x.iter().zip(noise);
        let v: Vec<Vec3> = v
            .map(|(x, n)| Vec3::Y.cross(*x) * 2.0 + n + toward)
            .collect();
        body.set_velocities(&v).unwrap();
    }
    let [a, b] = &mut bodies;
    let mut hybrid = Hybrid::new(engine, &[(a, COROTATED), (b, COROTATED)], grid(0.1)).unwrap();
    let mut bodies = [a, b];
    let before = momentum(&mut hybrid, &mut bodies);
    let masses: f32 = bodies.iter_mut().flat_map(|b| b.masses().unwrap()).sum();
    let around = weightless(engine);
    // Of coarse cells a step may be longer, and several are to be taken.
    let span = suited(engine, [5e-3, 5e-3, 2e-2]);
    for _ in 0..suited(engine, [10, 4, 2]) {
        hybrid.step(&mut bodies, &around, span).unwrap();
        let after = momentum(&mut hybrid, &mut bodies);
        for k in 0..2 {
            let off = (after[k] - before[k]).length();
            assert!(
                off < 1e-6 * f64::from(masses) * 2.0,
                "{k}: {} to {}",
                before[k],
                after[k]
            );
        }
    }
    assert!(hybrid.report().steps > 1);
}

/// A falling body keeps its shape, and its velocity depends only on the time, not on the steps.
fn free_fall_is_exact(engine: &Engine) {
    let mut body = body(engine, &cube(engine));
    let n = body.vertex_count();
    body.set_velocities(&vec![Vec3::new(0.5, -0.25, 1.0); n])
        .unwrap();
    let before = body.positions().unwrap();
    let mut hybrid = Hybrid::new(engine, &[(&body, COROTATED)], grid(0.1)).unwrap();
    let around = Surroundings::new(engine).unwrap();
    let span = 0.05;
    hybrid.step(&mut [&mut body], &around, span).unwrap();
    let report = hybrid.report();
    assert!(report.steps > 2 && report.least > 0.0 && report.least <= span / 2.0);
    let end = Vec3::new(0.5, -0.25, 1.0 - 9.81 * span);
    for v in body.velocities().unwrap() {
        assert!((v - end).length() < 2e-5, "{v}");
    }
    let after = body.positions().unwrap();
    let way = after[0] - before[0];
    // Symplectic Euler falls too far, by half a step's velocity at most.
    let want = end * span + Vec3::Z * (0.5 * 9.81 * span * span);
    assert!(
        (way - want).length() < 0.51 * 9.81 * span * span / 2.0,
        "{way}"
    );
    for (a, b) in before.iter().zip(&after) {
        assert!((*b - *a - way).length() < 2e-6);
    }
}

fn collision(engine: &Engine) -> (Vec<Body>, Vec<Vec3>) {
    let at = Vec3::new(0.16, 0.02, 0.01);
    let mut bodies: Vec<Body> = [(-1.0, 1.5), (1.0, -1.5)]
        .map(|(side, v)| {
            let mut body = body(engine, &ball(0.1, at * side));
            let n = body.vertex_count();
            body.set_velocities(&vec![Vec3::X * v; n]).unwrap();
            body
        })
        .into();
    let means = bodies.iter_mut().map(mean).collect();
    (bodies, means)
}

fn mean(body: &mut Body) -> Vec3 {
    let x = body.positions().unwrap();
    x.iter().sum::<Vec3>() / x.len() as f32
}

fn go(engine: &Engine, bodies: &mut [Body], spacing: f32, span: f32, frames: u32) -> Hybrid {
    let all: Vec<_> = bodies.iter().map(|b| (b, COROTATED)).collect();
    let mut hybrid = Hybrid::new(engine, &all, grid(spacing)).unwrap();
    let around = weightless(engine);
    let mut bodies: Vec<&mut Body> = bodies.iter_mut().collect();
    for _ in 0..frames {
        hybrid.step(&mut bodies, &around, span).unwrap();
    }
    hybrid
}

fn the_same_bits(engine: &Engine) {
    let frames = suited(engine, [5, 3, 2]);
    let run = |engine: &Engine| {
        let (mut bodies, _) = collision(engine);
        go(engine, &mut bodies, 0.06, 0.02, frames);
        let state = |b: &mut Body| (b.positions().unwrap(), b.velocities().unwrap());
        bodies.iter_mut().map(state).collect::<Vec<_>>()
    };
    let first = run(engine);
    assert!(first == run(engine), "another run has other bits");
    assert!(
        first == run(&same_rounding(engine)),
        "one thread has other bits"
    );
}

/// Two balls meet, come to rest against each other, and separate again; they never penetrate.
fn bodies_bounce_off(engine: &Engine) {
    if is_slow(engine) {
        return;
    }
    let (mut bodies, start) = collision(engine);
    let mut nearest = f32::INFINITY;
    let [a, b] = &mut bodies[..] else { panic!() };
    let mut hybrid = Hybrid::new(engine, &[(a, COROTATED), (b, COROTATED)], grid(0.05)).unwrap();
    let around = weightless(engine);
    for _ in 0..20 {
        hybrid.step(&mut [a, b], &around, 0.01).unwrap();
        let apart = mean(b).x - mean(a).x;
        nearest = nearest.min(apart);
        let high = a
            .positions()
            .unwrap()
            .iter()
            .map(|x| x.x)
            .fold(f32::MIN, f32::max);
        let low = b
            .positions()
            .unwrap()
            .iter()
            .map(|x| x.x)
            .fold(f32::MAX, f32::min);
        assert!(high < low + 0.025, "{high} of the left, {low} of the right");
    }
    // They have met, and reversed.
    assert!(nearest < start[1].x - start[0].x - 0.05, "{nearest}");
    let v = |b: &mut Body| b.velocities().unwrap().iter().map(|v| v.x).sum::<f32>();
    assert!(v(a) < 0.0 && v(b) > 0.0, "they go on into each other");
    assert!(mean(b).x - mean(a).x > nearest + 0.02);
}

/// A ball that is thrown into a corner stays in the box.
fn walls_hold(engine: &Engine) {
    let mut body = body(engine, &ball(0.1, Vec3::ZERO));
    let n = body.vertex_count();
    body.set_velocities(&vec![Vec3::new(20.0, -20.0, 20.0); n])
        .unwrap();
    let frames = suited(engine, [16, 10, 8]);
    let grid = GridOptions::new(0.05, Vec3::splat(-0.2), Vec3::new(0.3, 0.25, 0.21));
    let mut hybrid = Hybrid::new(engine, &[(&body, COROTATED)], grid).unwrap();
    let around = weightless(engine);
    for _ in 0..frames {
        hybrid.step(&mut [&mut body], &around, 2e-3).unwrap();
        for x in body.positions().unwrap() {
            let inside = x.min_element() > -0.2 && x.x < 0.3 && x.y < 0.25 && x.z < 0.25;
            assert!(inside, "{x}");
        }
    }
}

/// A ball that falls onto a sphere does not penetrate it, and one on a moving plane moves with it if there is friction.
fn solids_hold(engine: &Engine) {
    let spacing = 0.05;
    for friction in [0.0, 1.0] {
        let mut body = body(engine, &ball(0.1, Vec3::Z * 0.16));
        let mut around = Surroundings::new(engine).unwrap();
        let floor = Collider {
            position: Vec3::Z * -0.5,
            velocity: Vec3::X,
            friction,
            ..Collider::new(ColliderShape::Box {
                half: Vec3::new(2.0, 2.0, 0.5),
            })
        };
        around.set_colliders(vec![floor]).unwrap();
        let mut hybrid = Hybrid::new(engine, &[(&body, COROTATED)], grid(spacing)).unwrap();
        for _ in 0..suited(engine, [20, 12, 6]) {
            hybrid.step(&mut [&mut body], &around, 0.01).unwrap();
            let low = body
                .positions()
                .unwrap()
                .iter()
                .map(|x| x.z)
                .fold(1.0, f32::min);
            assert!(low > -0.5 * spacing, "{low}");
        }
        let v = body.velocities().unwrap();
        let along = v.iter().map(|v| v.x).sum::<f32>() / v.len() as f32;
        if friction == 0.0 {
            assert!(along.abs() < 1e-4, "{along} m/s without friction");
        } else if !is_slow(engine) {
            assert!(along > 0.3, "{along} m/s with friction");
        }
    }
}

/// Copies move like bodies that are made one by one.
fn copies_are_bodies(engine: &Engine) {
    let mesh = ball(0.1, Vec3::ZERO);
    let offsets = [
        Vec3::ZERO,
        Vec3::new(0.19, 0.02, 0.0),
        Vec3::new(-0.5, 0.0, 0.5),
    ];
    let options = VolumeOptions {
        patch_size: Some(40),
        ..VolumeOptions::default()
    };
    let materials = Materials::uniform(RUBBER);
    let mut many = Body::copies(engine, &mesh, &materials, &options, &offsets).unwrap();
    let n = mesh.vertex_count();
    assert_eq!(many.vertex_count(), 3 * n);
    let mut single: Vec<Body> = (offsets.iter())
        .map(|&o| {
            let mut body = body(engine, &mesh);
            let x: Vec<Vec3> = mesh.positions.iter().map(|&p| p + o).collect();
            body.set_positions(&x).unwrap();
            body
        })
        .collect();
    let v = [Vec3::X, -Vec3::X, Vec3::Y];
    for (body, &v) in single.iter_mut().zip(&v) {
        body.set_velocities(&vec![v; n]).unwrap();
    }
    let all: Vec<Vec3> = v.iter().flat_map(|&v| vec![v; n]).collect();
    many.set_velocities(&all).unwrap();
    let frames = suited(engine, [4, 2, 1]);
    go(engine, &mut single, 0.06, 0.02, frames);
    let mut many = [many];
    go(engine, &mut many, 0.06, 0.02, frames);
    let x: Vec<Vec3> = single
        .iter_mut()
        .flat_map(|b| b.positions().unwrap())
        .collect();
    assert!(x == many[0].positions().unwrap(), "copies go elsewhere");
}

/// A run that is saved and resumed ends with the same bits as an uninterrupted one.
fn checkpoints_go_on(engine: &Engine) {
    let name = format!("rxmesh-{}-{}-grid", std::process::id(), engine.name());
    let file = std::env::temp_dir().join(name);
    let make = || {
        let mut world = World::new(engine).unwrap();
        for at in [Vec3::ZERO, Vec3::new(0.02, 0.0, 0.21)] {
            world
                .add(body(engine, &ball(0.1, at)), Solver::Hybrid(COROTATED))
                .unwrap();
        }
        let why = world.step(1e-3).unwrap_err().to_string();
        assert!(why.contains("set_grid"), "{why}");
        world.set_grid(grid(0.06)).unwrap();
        world
    };
    let mut first = make();
    first.step_n(3, 5e-3).unwrap();
    first.save(&file).unwrap();
    first.step_n(2, 5e-3).unwrap();
    let mut second = make();
    second.restore(&file).unwrap();
    second.step_n(2, 5e-3).unwrap();
    for k in 0..2 {
        let state = |world: &mut World| {
            let body = world.body_mut(k).unwrap();
            (body.positions().unwrap(), body.velocities().unwrap())
        };
        assert_eq!(state(&mut first), state(&mut second));
    }
    std::fs::remove_file(file).unwrap();
}

/// The energy of a vibrating body does not grow: on grids that are finer and coarser than its cells, and with flat
/// cells.
fn steps_are_stable(engine: &Engine) {
    if is_slow(engine) {
        return;
    }
    for (spacing, flat) in [
        (0.03, 1.0),
        (0.07, 1.0),
        (0.25, 1.0),
        (0.25, 0.1),
        (0.07, 0.1),
    ] {
        let mut mesh = bar([4; 3], [0.2; 3]);
        mesh.positions.iter_mut().for_each(|p| p.z *= flat);
        let mut world = World::new(engine).unwrap();
        world.surroundings_mut().set_gravity(Vec3::ZERO).unwrap();
        world
            .add(body(engine, &mesh), Solver::Hybrid(COROTATED))
            .unwrap();
        world.set_grid(grid(spacing)).unwrap();
        let one = world.body_mut(0).unwrap();
        let n = one.vertex_count();
        let moved = random(n, 4, 0.002 * flat);
        let x: Vec<Vec3> = mesh
            .positions
            .iter()
            .zip(moved)
            .map(|(x, m)| *x + m)
            .collect();
        one.set_positions(&x).unwrap();
        one.set_velocities(&random(n, 6, 0.1)).unwrap();
        let before = world.energies().unwrap().total;
        for _ in 0..10 {
            world.step(0.01).unwrap();
            let now = world.energies().unwrap().total;
            assert!(
                now <= 1.01 * before,
                "grid of {spacing}, {flat}: {now} J of {before} J"
            );
        }
        let steps = world.hybrid().unwrap().report().steps;
        // Flat cells alone do not force the step down.
        assert!(
            steps < 40 || spacing < 0.2,
            "{steps} steps on a grid of {spacing}"
        );
    }
}

/// A body needs more blocks than the initial capacity.
#[test]
fn the_grid_grows() {
    let engine = Engine::cpu();
    let offsets: Vec<Vec3> = (0..60)
        .map(|k| Vec3::new((k % 4) as f32, (k / 4 % 4) as f32, (k / 16) as f32) * 0.5 - 0.8)
        .collect();
    let materials = Materials::uniform(RUBBER);
    let mesh = ball(0.05, Vec3::ZERO);
    let body = Body::copies(
        &engine,
        &mesh,
        &materials,
        &VolumeOptions::default(),
        &offsets,
    );
    let mut bodies = [body.unwrap()];
    let hybrid = go(&engine, &mut bodies, 0.02, 1e-3, 2);
    assert!(hybrid.report().blocks > 256, "{:?}", hybrid.report());
}

#[test]
fn what_cannot_be_is_refused() {
    let engine = Engine::cpu();
    let around = weightless(&engine);
    let cube = bar([2; 3], [0.2; 3]);
    let mut plain = body(&engine, &cube);
    let corners = (Vec3::splat(-1.0), Vec3::splat(1.0));
    for (options, says) in [
        (grid(0.0), "spacing is 0"),
        (grid(f32::NAN), "spacing is NaN"),
        (grid(1e-5), "a larger spacing"),
        (grid(1e-30), "spacing is"),
        (GridOptions::new(0.1, corners.1, corners.0), "corners are"),
        (
            GridOptions {
                cfl: 1.0,
                ..grid(0.1)
            },
            "`cfl` is 1",
        ),
        (
            GridOptions {
                elastic: 0.0,
                ..grid(0.1)
            },
            "`elastic` is 0",
        ),
    ] {
        let why = Hybrid::new(&engine, &[(&plain, COROTATED)], options).unwrap_err();
        assert!(why.to_string().contains(says), "{why}");
    }
    let mut hybrid = Hybrid::new(&engine, &[(&plain, COROTATED)], grid(0.1)).unwrap();
    for span in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let why = hybrid.step(&mut [&mut plain], &around, span).unwrap_err();
        assert!(why.to_string().contains("time step"), "{why}");
    }
    let why = hybrid.step(&mut [], &around, 0.1).unwrap_err();
    assert!(why.to_string().contains("other bodies"), "{why}");
    let before = plain.positions().unwrap();
    let refused = |x: Option<Vec3>, v: Vec3| {
        let mut all = before.clone();
        all[5] = x.unwrap_or(all[5]);
        let mut body = body(&engine, &cube);
        body.set_positions(&all).unwrap();
        let n = all.len();
        body.set_velocities(&vec![v; n]).unwrap();
        let mut hybrid = Hybrid::new(&engine, &[(&body, COROTATED)], grid(0.1)).unwrap();
        hybrid
            .step(&mut [&mut body], &around, 0.01)
            .unwrap_err()
            .to_string()
    };
    let why = refused(Some(Vec3::X * 7.0), Vec3::ZERO);
    assert!(why.contains("vertex 5 of body 0 is outside"), "{why}");
    let why = refused(None, Vec3::X * 1e9);
    assert!(why.contains("less than a millionth"), "{why}");
    let why = refused(None, Vec3::X * 3e38);
    assert!(why.contains("not a finite number"), "{why}");
    let crowd = bar([17; 3], [0.05; 3]);
    let mut body = body(&engine, &crowd);
    let mut hybrid = Hybrid::new(&engine, &[(&body, COROTATED)], grid(1.0)).unwrap();
    let why = hybrid.step(&mut [&mut body], &around, 1e-4).unwrap_err();
    assert!(why.to_string().contains("spacing is too large"), "{why}");
}
