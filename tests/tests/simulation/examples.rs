//! Final states of the examples' scenes, one per application, by numbers.

use rxmesh_host::Vec3;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::generate;
use rxmesh_simulation::scene::{RunningScene, Scene};
use std::path::Path;

/// Simulates a scene; its energy must not grow by more than a hundredth of the largest kinetic or potential one.
fn play(name: &str, steps: u32) -> RunningScene {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/scenes");
    let scene = Scene::read(&folder.join(name)).unwrap();
    let mut stage = RunningScene::new(&Engine::cpu(), scene).unwrap();
    let first = stage.world.energies().unwrap();
    let mut most = 0.0f64;
    for step in 1..=steps {
        stage.step().unwrap();
        if step % 5 == 0 {
            let now = stage.world.energies().unwrap();
            most = most
                .max(now.kinetic.max(now.gravity.abs()))
                .max(first.kinetic);
            let grown = now.total - first.total;
            assert!(
                grown < 0.01 * most,
                "{name} at step {step}: {now:?} from {first:?}"
            );
        }
    }
    stage
}

fn positions(stage: &mut RunningScene, body: usize) -> Vec<Vec3> {
    stage.world.body_mut(body).unwrap().positions().unwrap()
}

/// Returns the lowest height.
fn low(x: &[Vec3]) -> f32 {
    x.iter().map(|x| x.z).fold(f32::INFINITY, f32::min)
}

/// Checks that held vertices have not moved.
fn held_stay(stage: &mut RunningScene, body: usize) {
    let body = stage.world.body_mut(body).unwrap();
    let (rest, now, pins) = (
        body.rest_positions().unwrap(),
        body.positions().unwrap(),
        body.pinned().unwrap(),
    );
    let held = (0..pins.len()).filter(|&v| pins[v]);
    let moved = held.map(|v| rest[v].distance(now[v]));
    let (count, most) = moved.fold((0, 0.0f32), |(n, most), d| (n + 1, most.max(d)));
    assert!(count > 3 && most < 1e-6, "{count} held, by {most}");
}

#[test]
fn masses_and_springs_swing_about_their_rest() {
    let mut stage = play("springs.toml", 400);
    held_stay(&mut stage, 0);
    let x = positions(&mut stage, 0);
    // Pulled down from 0.6 with 1 m/s, against 1e5 Pa over 0.4 m of water's density: some centimetres.
    assert!((0.5..0.7).contains(&low(&x)), "{}", low(&x));
    assert!(x.iter().all(|x| x.abs().max_element() < 1.01));
}

#[test]
fn beams_hang_from_their_held_end() {
    let mut stage = play("beam.toml", 30);
    held_stay(&mut stage, 0);
    let z = low(&positions(&mut stage, 0));
    assert!((-0.6..-0.1).contains(&z), "{z}");
}

#[test]
fn bars_of_projective_dynamics_swing() {
    let mut stage = play("projective.toml", 30);
    held_stay(&mut stage, 0);
    let body = stage.world.body_mut(0).unwrap();
    let (rest, now) = (body.rest_positions().unwrap(), body.positions().unwrap());
    assert!(
        low(&now) < low(&rest) - 0.05,
        "{} {}",
        low(&now),
        low(&rest)
    );
}

#[test]
fn balls_lie_on_what_they_fell_on() {
    let mut stage = play("ball.toml", 80);
    let first = low(&positions(&mut stage, 0));
    assert!((-5e-3..0.2).contains(&first), "{first}");
    // On a box of 0.4 m, or beside it.
    let second = positions(&mut stage, 1);
    let inside = |x: &&Vec3| x.x.abs() < 0.19 && (x.y - 1.0).abs() < 0.19 && x.z < 0.39;
    assert_eq!(second.iter().find(inside), None);
    assert!(low(&second) < 0.6, "{}", low(&second));
}

#[test]
fn cloth_lies_over_the_ball_and_is_not_longer() {
    let mut stage = play("cloth.toml", 300);
    let x = stage.world.cloth_mut(0).unwrap().positions().unwrap();
    let centre = Vec3::new(0.0, 0.1, 0.3);
    let nearest = x.iter().map(|x| x.distance(centre)).fold(9.0, f32::min);
    // It comes down with up to 3 m/s, which the penalty stops within 3 / sqrt(1e5) = 9.5 mm.
    assert!((0.19..0.215).contains(&nearest), "{nearest}");
    assert!(low(&x) < 0.45, "{}", low(&x));
    let sheet = generate::grid(40, 40).unwrap();
    let longest = sheet.faces.iter().flat_map(|f| {
        [(0, 1), (1, 2), (2, 0)].map(|(i, j)| {
            let (a, b) = (f[i] as usize, f[j] as usize);
            let rest = sheet.positions[a].distance(sheet.positions[b]);
            x[a].distance(x[b]) / rest
        })
    });
    let (n, sum, most) = longest.fold((0, 0.0, 0.0f32), |(n, sum, most), r| {
        (n + 1, sum + r, most.max(r))
    });
    // The edges at the two corners bear the whole cloth.
    let mean = sum / n as f32;
    assert!(
        mean < 1.01 && most < 1.1,
        "edges are {mean} times as long as at rest, one {most}"
    );
}
