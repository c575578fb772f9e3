//! Worlds: contact with friction, energies, checkpoints, and refused arguments.

use super::bars::{RUBBER, bar};
use rxmesh_host::Vec3;
use rxmesh_host::engine::Engine;
use rxmesh_simulation::solve::{Damping, Explicit, Implicit, ImplicitOptions};
use rxmesh_simulation::{
    Body, CheckpointError, Collider, ColliderShape, DistanceGrid, Elasticity, Solver, World,
};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::is_slow;

conformance! { a_cube_rests, slopes_hold_or_not, checkpoints_go_on }

const DT: f32 = 0.01;

/// Makes a world with a cube of 10 cm, which lies at `z = 0`.
fn world(engine: &Engine, implicit: bool, colliders: Vec<Collider>) -> World {
    let mesh = bar([1; 3], [0.1; 3]);
    let body = Body::new(engine, &mesh, RUBBER).unwrap();
    let solver = if implicit {
        let options = ImplicitOptions {
            tolerance: 1e-3,
            linear: 40,
            ..ImplicitOptions::default()
        };
        Solver::Implicit(Box::new(Implicit::new(&body, options).unwrap()))
    } else {
        let damping = Damping {
            mass: 0.0,
            stiffness: 5e-4,
        };
        Solver::Explicit(Box::new(
            Explicit::new(&body, Elasticity::NeoHookean, damping).unwrap(),
        ))
    };
    let mut world = World::new(engine).unwrap();
    world.surroundings_mut().set_colliders(colliders).unwrap();
    world.add(body, solver).unwrap();
    world
}

fn run(world: &mut World, implicit: bool, seconds: f32) {
    let dt = if implicit { DT } else { 5e-4 };
    world.step_n((seconds / dt).round() as u32, dt).unwrap();
}

/// Returns ground of each shape, at `z = 0` where the cube comes down.
fn grounds() -> Vec<(&'static str, Collider)> {
    let lowered = |shape, depth: f32| Collider {
        position: Vec3::new(0.05, 0.05, -depth),
        ..Collider::new(shape)
    };
    let points = [12, 12, 8];
    let grid = DistanceGrid::of(points, 0.1, |x| x.z - 0.35);
    vec![
        ("plane", Collider::plane(Vec3::ZERO, Vec3::Z)),
        (
            "box",
            lowered(
                ColliderShape::Box {
                    half: Vec3::new(1.0, 1.0, 0.5),
                },
                0.5,
            ),
        ),
        (
            "ball",
            lowered(ColliderShape::Sphere { radius: 100.0 }, 100.0),
        ),
        (
            "grid",
            Collider {
                position: Vec3::new(-0.5, -0.5, -0.35),
                ..Collider::new(ColliderShape::Grid(grid))
            },
        ),
        (
            "hollow box",
            Collider {
                hollow: true,
                ..lowered(
                    ColliderShape::Box {
                        half: Vec3::splat(1.0),
                    },
                    -1.0,
                )
            },
        ),
    ]
}

fn a_cube_rests(engine: &Engine) {
    for implicit in [true, false] {
        for (what, ground) in grounds() {
            if is_slow(engine) && what != "grid" {
                continue;
            }
            let mut world = world(engine, implicit, vec![ground]);
            run(&mut world, implicit, 0.7);
            let x = world.body_mut(0).unwrap().positions().unwrap();
            let low = x.iter().map(|x| x.z).fold(f32::INFINITY, f32::min);
            // Each of four vertices carries its own weight and that above: two layers on a layer of 1 mm.
            assert!(low > -2e-3 && low < 1e-3, "{what} {implicit}: {low}");
            let energies = world.energies().unwrap();
            assert!(
                energies.contact > 0.0 && energies.elastic > 0.0,
                "{energies:?}"
            );
            let rest = energies.contact + energies.elastic + energies.gravity.abs();
            assert!(
                energies.kinetic < 0.02 * rest,
                "{what} {implicit}: {energies:?}"
            );
        }
    }
}

/// On a slope of 20 degrees (tangent 0.364) a cube stays with friction 0.5 and slides with 0.2, at the right speed.
fn slopes_hold_or_not(engine: &Engine) {
    let angle = 20f32.to_radians();
    for implicit in [true, false] {
        for friction in [0.5, 0.2] {
            if is_slow(engine) && (friction == 0.5) != implicit {
                continue;
            }
            let ground = Collider {
                friction,
                thickness: 2e-3,
                ..Collider::plane(Vec3::ZERO, Vec3::Z)
            };
            let mut world = world(engine, implicit, vec![ground]);
            let down = Vec3::new(angle.sin(), 0.0, -angle.cos()) * 9.81;
            // First it comes to rest on the flat.
            world
                .surroundings_mut()
                .set_gravity(Vec3::Z * down.z)
                .unwrap();
            run(&mut world, implicit, 0.4);
            world.surroundings_mut().set_gravity(down).unwrap();
            let before = world.body_mut(0).unwrap().positions().unwrap();
            run(&mut world, implicit, 0.4);
            let after = world.body_mut(0).unwrap().positions().unwrap();
            let way: f32 = before.iter().zip(&after).map(|(a, b)| b.x - a.x).sum();
            let way = way / before.len() as f32;
            let pull = 9.81 * (angle.sin() - friction * angle.cos());
            if pull < 0.0 {
                assert!(
                    way.abs() < 4e-3,
                    "{implicit}: {way} m though it should stay"
                );
            } else {
                let want = 0.5 * pull * 0.4 * 0.4;
                assert!(
                    (way / want - 1.0).abs() < 0.15,
                    "{implicit}: {way} m for {want}"
                );
            }
        }
    }
}

fn path(engine: &Engine, name: &str) -> std::path::PathBuf {
    let name = format!("rxmesh-{}-{}-{name}", std::process::id(), engine.name());
    std::env::temp_dir().join(name)
}

/// A run that is saved and resumed ends with the same bits as an uninterrupted one.
fn checkpoints_go_on(engine: &Engine) {
    let file = path(engine, "checkpoint");
    for implicit in [true, false] {
        let moving = Collider {
            velocity: Vec3::new(0.1, 0.0, 0.05),
            spin: Vec3::Z,
            friction: 0.3,
            ..Collider::plane(Vec3::ZERO, Vec3::Z)
        };
        let make = || world(engine, implicit, vec![moving.clone()]);
        let mut first = make();
        first.body_mut(0).unwrap().pin(&[3]).unwrap();
        first.step_n(3, 1e-3).unwrap();
        first.save(&file).unwrap();
        first.step_n(3, 1e-3).unwrap();
        let mut second = make();
        second.restore(&file).unwrap();
        assert_eq!(second.steps(), 3);
        assert!((second.time() - 3e-3).abs() < 1e-9);
        assert!(second.body_mut(0).unwrap().pinned().unwrap()[3]);
        second.step_n(3, 1e-3).unwrap();
        let state = |world: &mut World| {
            let body = world.body_mut(0).unwrap();
            (body.positions().unwrap(), body.velocities().unwrap())
        };
        assert_eq!(state(&mut first), state(&mut second));
        assert_eq!(
            first.surroundings().colliders(),
            second.surroundings().colliders()
        );
    }
    std::fs::remove_file(file).unwrap();
}

#[test]
fn bad_checkpoints_are_refused() {
    let engine = Engine::cpu();
    let ground = || vec![Collider::plane(Vec3::ZERO, Vec3::Z)];
    let file = path(&engine, "bad");
    let mut world_ = world(&engine, false, ground());
    world_.step_n(2, 1e-3).unwrap();
    world_.save(&file).unwrap();
    let bytes = std::fs::read(&file).unwrap();
    let before = world_.body_mut(0).unwrap().positions().unwrap();
    let mut refused = |bytes: &[u8]| {
        std::fs::write(&file, bytes).unwrap();
        let why = world_.restore(&file).unwrap_err();
        assert_eq!(world_.body_mut(0).unwrap().positions().unwrap(), before);
        assert_eq!(world_.steps(), 2);
        why
    };
    for n in 16..bytes.len() {
        assert!(
            matches!(refused(&bytes[..n]), CheckpointError::Damaged { .. }),
            "{n} bytes"
        );
    }
    assert!(matches!(
        refused(&bytes[..9]),
        CheckpointError::Foreign { .. }
    ));
    assert!(matches!(
        refused(b"something else altogether"),
        CheckpointError::Foreign { .. }
    ));
    let longer = [&bytes[..], &[0]].concat();
    assert!(matches!(refused(&longer), CheckpointError::Damaged { .. }));
    for at in (16..bytes.len()).step_by(7) {
        let mut bad = bytes.clone();
        bad[at] ^= 4;
        assert!(
            matches!(refused(&bad), CheckpointError::Damaged { .. }),
            "byte {at}"
        );
    }
    std::fs::write(&file, &bytes).unwrap();
    let sphere = vec![Collider::new(ColliderShape::Sphere { radius: 1.0 })];
    for mut other in [
        world(&engine, false, sphere),
        world(&engine, false, Vec::new()),
    ] {
        let why = other.restore(&file).unwrap_err();
        assert!(matches!(why, CheckpointError::OtherScene { .. }), "{why}");
    }
    let mut other = world(&engine, false, ground());
    let body = Body::new(&engine, &bar([1, 1, 2], [0.1; 3]), RUBBER).unwrap();
    let solver = Explicit::new(&body, Elasticity::Linear, Damping::default()).unwrap();
    other.add(body, Solver::Explicit(Box::new(solver))).unwrap();
    let why = other.restore(&file).unwrap_err();
    assert!(matches!(why, CheckpointError::OtherScene { .. }), "{why}");
    std::fs::remove_file(&file).unwrap();
    let why = world_.restore(&file).unwrap_err();
    assert!(matches!(why, CheckpointError::Io { .. }), "{why}");
}

/// A file with a valid checksum whose second body contains an invalid state: nothing of the first one is restored.
#[test]
fn a_checkpoint_is_restored_whole_or_not_at_all() {
    let engine = Engine::cpu();
    let file = path(&engine, "whole");
    let mut world_ = world(&engine, false, vec![Collider::plane(Vec3::ZERO, Vec3::Z)]);
    let body = Body::new(&engine, &bar([1, 1, 2], [0.1; 3]), RUBBER).unwrap();
    let solver = Explicit::new(&body, Elasticity::Linear, Damping::default()).unwrap();
    world_
        .add(body, Solver::Explicit(Box::new(solver)))
        .unwrap();
    world_.step_n(2, 1e-3).unwrap();
    world_.save(&file).unwrap();
    let bytes = std::fs::read(&file).unwrap();
    world_.step_n(2, 1e-3).unwrap();
    let state = |world_: &mut World| {
        let numbers = 0..world_.len();
        let each = numbers.map(|k| {
            let body = world_.body_mut(k).unwrap();
            (
                body.positions().unwrap(),
                body.velocities().unwrap(),
                body.pinned().unwrap(),
            )
        });
        let each: Vec<_> = each.collect();
        (
            each,
            world_.surroundings().colliders().to_vec(),
            world_.time(),
            world_.steps(),
        )
    };
    let before = state(&mut world_);
    let mut refused = |at: usize, word: &[u8]| {
        let mut bad = bytes.clone();
        bad[at..at + word.len()].copy_from_slice(word);
        let content = bad.len() - 16;
        let sum = twox_hash::XxHash3_128::oneshot(&bad[..content]);
        bad[content..].copy_from_slice(&sum.to_le_bytes());
        std::fs::write(&file, &bad).unwrap();
        let why = world_.restore(&file).unwrap_err();
        assert!(matches!(why, CheckpointError::NoState { .. }), "{why}");
        assert_eq!(state(&mut world_), before, "byte {at}");
    };
    let (head, end) = (7 * 8, bytes.len() - 16);
    let first = world_vertices(&before.0);
    for bad in [f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
        // Every number of the second body and of the collider.
        for at in (head + 28 * first..end).step_by(4) {
            refused(at, &bad.to_le_bytes());
        }
    }
    // Its last pin, and the last of the collider's rotation.
    refused(end - 4 * 14, &0.5f32.to_le_bytes());
    for time in [f64::NAN, f64::INFINITY, -1e300, -1.0] {
        refused(4 * 8, &time.to_le_bytes());
    }
    std::fs::write(&file, &bytes).unwrap();
    world_.restore(&file).unwrap();
    assert_eq!(world_.steps(), 2);
    std::fs::remove_file(&file).unwrap();
}

/// Returns the number of vertices of the first body.
fn world_vertices<T, U>(bodies: &[(Vec<T>, Vec<T>, Vec<U>)]) -> usize {
    bodies[0].0.len()
}

#[test]
fn bad_settings_are_refused() {
    let engine = Engine::cpu();
    let mut world = world(&engine, true, Vec::new());
    let plane = || Collider::plane(Vec3::ZERO, Vec3::Z);
    let grid = DistanceGrid {
        points: [2, 2, 2],
        spacing: 1.0,
        origin: Vec3::ZERO,
        distances: vec![0.0; 7],
    };
    for (bad, says) in [
        (
            Collider {
                friction: -0.1,
                ..plane()
            },
            "friction is -0.1",
        ),
        (
            Collider {
                stiffness: f32::NAN,
                ..plane()
            },
            "stiffness is NaN",
        ),
        (
            Collider {
                thickness: 0.0,
                ..plane()
            },
            "thickness is 0",
        ),
        (
            Collider::new(ColliderShape::Sphere { radius: -1.0 }),
            "radius is -1",
        ),
        (Collider::new(ColliderShape::Grid(grid)), "with 7 distances"),
        (
            Collider {
                position: Vec3::NAN,
                ..plane()
            },
            "must be finite",
        ),
        (Collider::plane(Vec3::ZERO, Vec3::ZERO), "unit quaternion"),
    ] {
        let around = world.surroundings_mut();
        let why = around
            .set_colliders(vec![plane(), bad])
            .unwrap_err()
            .to_string();
        assert!(why.contains("collider 1") && why.contains(says), "{why}");
        assert!(around.colliders().is_empty());
    }
    for dt in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let why = world.step(dt).unwrap_err().to_string();
        assert!(why.contains("time step"), "{why}");
    }
    let around = world.surroundings_mut();
    assert!(around.set_gravity(Vec3::NAN).is_err());
    assert!(around.set_slip(0.0).is_err());
    assert!(world.body(7).unwrap_err().to_string().contains("no body 7"));
    let json = serde_json::to_value(world.energies().unwrap()).unwrap();
    assert_eq!(json["total"], 0.0);
}
