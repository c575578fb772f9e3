//! Contact in solvers other than Newton's: bodies fall on a plane and come to rest there.

use crate::solver_support::*;
use glam::Vec3;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::generate;
use rxmesh_host::patch::PatchOptions;
use rxmesh_simulation::solve::{
    ClothMaterial, Projective, ProjectiveOptions, VbdOptions, VertexBlockDescent, XpbdCells,
    XpbdCloth, XpbdOptions,
};
use rxmesh_simulation::{Body, Collider, Material, Solver, World};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::suited;

conformance! {
    bodies_come_to_rest_on_a_plane, cloth_falls_on_a_plane, long_steps_are_pressed_out
}

const DT: f32 = 0.003;

fn rubber() -> Material {
    Material {
        young: 1e5,
        poisson: 0.3,
        density: 1000.0,
    }
}

fn bodies_come_to_rest_on_a_plane(engine: &Engine) {
    let mesh = beam(suited(engine, [[3, 2, 2], [2, 1, 1], [1, 1, 1]]));
    let damping = 8.0;
    let make = |name: &str, body: &Body| match name {
        "projective" => {
            let options = ProjectiveOptions {
                damping,
                rounds: suited(engine, [5, 2, 1]),
                iterations: suited(engine, [30, 8, 6]),
                ..ProjectiveOptions::default()
            };
            Solver::Projective(Box::new(Projective::new(body, DT, options).unwrap()))
        }
        "vbd" => {
            let options = VbdOptions {
                damping,
                iterations: suited(engine, [20, 8, 4]),
                ..VbdOptions::default()
            };
            Solver::VertexBlockDescent(Box::new(VertexBlockDescent::new(body, options).unwrap()))
        }
        _ => {
            let options = XpbdOptions {
                damping,
                iterations: suited(engine, [10, 5, 4]),
                ..XpbdOptions::default()
            };
            Solver::Xpbd(Box::new(XpbdCells::new(body, options).unwrap()))
        }
    };
    for name in ["projective", "vbd", "xpbd"] {
        let mut world = World::new(engine).unwrap();
        let ground = Collider::plane(Vec3::new(0.0, 0.0, -0.05), Vec3::Z);
        world
            .surroundings_mut()
            .set_colliders(vec![ground])
            .unwrap();
        let body = body(engine, &mesh, rubber(), 64);
        let solver = make(name, &body);
        let number = world.add(body, solver).unwrap();
        for _ in 0..suited(engine, [400, 150, 100]) {
            world.step_n(1, DT).unwrap();
        }
        let moving = world.energies().unwrap().kinetic;
        let now = world.body_mut(number).unwrap().positions().unwrap();
        let lowest = now.iter().map(|p| p.z).fold(f32::INFINITY, f32::min);
        assert!(
            (-0.07..-0.04).contains(&lowest),
            "{engine:?} {name}: {lowest}"
        );
        assert!(moving < 1e-2, "{engine:?} {name}: {moving} J");
        assert!(now.iter().all(|p| p.z < 0.4), "{engine:?} {name}: it lies");
    }
}

fn cloth_falls_on_a_plane(engine: &Engine) {
    let n = suited(engine, [8, 5, 3]);
    let mesh = rxmesh_host::mesh::generate::grid(n, n).unwrap();
    let mut body = Body::cloth(engine, &mesh, 0.2, &PatchOptions::default()).unwrap();
    let top = mesh
        .positions
        .iter()
        .map(|p| p.z)
        .fold(f32::NEG_INFINITY, f32::max);
    let mut around = air(engine, GRAVITY);
    let ground = Collider::plane(Vec3::new(0.0, 0.0, top - 0.1), Vec3::Z);
    around.set_colliders(vec![ground]).unwrap();
    let options = XpbdOptions {
        damping: 8.0,
        ..XpbdOptions::default()
    };
    let mut solver = XpbdCloth::new(&body, |_| ClothMaterial::default(), options).unwrap();
    for _ in 0..suited(engine, [400, 350, 300]) {
        solver.step(&mut body, &around, DT).unwrap();
    }
    let now = body.positions().unwrap();
    let off = now
        .iter()
        .map(|p| (p.z - (top - 0.1)).abs())
        .fold(0.0, f32::max);
    assert!(off < 0.02, "{engine:?}: {off}");
    let mass: f32 = body.masses().unwrap().iter().sum();
    let moving = body.kinetic_energy().unwrap();
    assert!(
        moving < 1e-3 * f64::from(mass),
        "{engine:?}: {moving} J of {mass} kg"
    );
}

/// Makes a cube of 10 cm over the ground.
fn cube(engine: &Engine, name: &str, friction: f32, dt: f32) -> World {
    let mesh = generate::tet_box([1; 3], [0.1; 3]).unwrap();
    let body = body(engine, &mesh, rubber(), 64);
    let solver = if name == "projective" {
        let options = ProjectiveOptions {
            rounds: 10,
            ..ProjectiveOptions::default()
        };
        Solver::Projective(Box::new(Projective::new(&body, dt, options).unwrap()))
    } else {
        let options = XpbdOptions {
            iterations: 20,
            ..XpbdOptions::default()
        };
        Solver::Xpbd(Box::new(XpbdCells::new(&body, options).unwrap()))
    };
    let ground = Collider {
        friction,
        ..Collider::plane(Vec3::ZERO, Vec3::Z)
    };
    let mut world = World::new(engine).unwrap();
    world
        .surroundings_mut()
        .set_colliders(vec![ground])
        .unwrap();
    world.add(body, solver).unwrap();
    world
}

/// Steps of 20 ms, at which solvers that push out only at the start of a step are unstable: 1e5 / s^2 would eject a
/// vertex by 40 times its depth.
fn long_steps_are_pressed_out(engine: &Engine) {
    for name in ["projective", "xpbd"] {
        let mut world = cube(engine, name, 0.3, 0.02);
        let lift: Vec<Vec3> = (world.body_mut(0).unwrap().positions().unwrap().iter())
            .map(|x| *x + Vec3::Z * 0.1)
            .collect();
        world.body_mut(0).unwrap().set_positions(&lift).unwrap();
        let (mut lowest, mut highest) = (f32::INFINITY, f32::NEG_INFINITY);
        for step in 0..suited(engine, [60, 40, 30]) {
            world.step_n(1, 0.02).unwrap();
            let x = world.body_mut(0).unwrap().positions().unwrap();
            let low = x.iter().map(|x| x.z).fold(f32::INFINITY, f32::min);
            lowest = lowest.min(low);
            if step > 20 {
                highest = highest.max(low);
            }
        }
        assert!(
            lowest > -0.01 && highest < 2e-3,
            "{engine:?} {name}: {lowest} {highest}"
        );
    }
}

/// On a slope of 20 degrees (tangent 0.364) a cube stays with friction 0.5 and slides with 0.2, at the right speed.
#[test]
fn slopes_hold_or_not() {
    let (angle, dt) = (20f32.to_radians(), 0.01);
    for name in ["projective", "xpbd"] {
        for friction in [0.5, 0.2] {
            let mut world = cube(&Engine::cpu(), name, friction, dt);
            let down = Vec3::new(angle.sin(), 0.0, -angle.cos()) * 9.81;
            let around = world.surroundings_mut();
            around.set_gravity(Vec3::Z * down.z).unwrap();
            world.step_n(40, dt).unwrap();
            world.surroundings_mut().set_gravity(down).unwrap();
            let before = world.body_mut(0).unwrap().positions().unwrap();
            world.step_n(40, dt).unwrap();
            let after = world.body_mut(0).unwrap().positions().unwrap();
            let way: f32 = before.iter().zip(&after).map(|(a, b)| b.x - a.x).sum();
            let way = way / before.len() as f32;
            let pull = 9.81 * (angle.sin() - friction * angle.cos());
            let want = if pull < 0.0 {
                0.0
            } else {
                0.5 * pull * 0.4 * 0.4
            };
            let most = if pull < 0.0 { 4e-3 } else { 0.15 * want };
            assert!(
                (way - want).abs() < most,
                "{name} {friction}: {way} m for {want}"
            );
        }
    }
}

/// A run that is saved and resumed ends with the same bits: rotations are kept.
#[test]
fn projective_runs_go_on_where_they_stopped() {
    let engine = Engine::cpu();
    let name = format!("rxmesh-{}-projective", std::process::id());
    let file = std::env::temp_dir().join(name);
    let mut first = cube(&engine, "projective", 0.3, 0.01);
    let mut x = first.body_mut(0).unwrap().positions().unwrap();
    x.iter_mut()
        .for_each(|x| *x = Vec3::new(x.x * 1.3 + 0.4 * x.z, x.y - 0.2 * x.x, x.z));
    first.body_mut(0).unwrap().set_positions(&x).unwrap();
    first.step_n(3, 0.01).unwrap();
    first.save(&file).unwrap();
    first.step_n(3, 0.01).unwrap();
    let mut second = cube(&engine, "projective", 0.3, 0.01);
    second.restore(&file).unwrap();
    second.step_n(3, 0.01).unwrap();
    let state = |world: &mut World| {
        let body = world.body_mut(0).unwrap();
        (body.positions().unwrap(), body.velocities().unwrap())
    };
    assert_eq!(state(&mut first), state(&mut second));
    std::fs::remove_file(file).unwrap();
}
