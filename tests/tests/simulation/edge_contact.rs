//! Edges that lie on solids narrower than their length.

use glam::{DAffine3, DVec3};
use rxmesh_host::Vec3;
use rxmesh_host::engine::Engine;
use rxmesh_host::mesh::{TetMesh, generate};
use rxmesh_host::patch::{PatchOptions, VolumeKinds, VolumeOptions};
use rxmesh_simulation::solve::{
    ClothMaterial, Damping, Explicit, Implicit, ImplicitOptions, Projective, ProjectiveOptions,
    VbdOptions, VertexBlockDescent, XpbdCells, XpbdCloth, XpbdOptions,
};
use rxmesh_simulation::{
    Body, Collider, ColliderShape, DistanceGrid, Elasticity, Material, Materials, Solver, World,
};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::is_slow;

conformance! { edges_do_not_slip_through }

/// Makes a cell that comes down with a horizontal edge of a metre.
fn wedge() -> TetMesh {
    let at = |x: f32, y: f32, z: f32| Vec3::new(x, y, z + 0.005);
    let x = vec![
        at(-0.5, 0.0, 0.0),
        at(0.5, 0.0, 0.0),
        at(0.0, 0.5, 0.5),
        at(0.0, -0.5, 0.5),
    ];
    let mut mesh = TetMesh::new(x, vec![[0, 1, 2, 3]]).unwrap();
    mesh.orient();
    mesh
}

/// Returns solids of a few centimetres whose tops are at `z = 0`, in the middle of the edge.
fn solids() -> Vec<(&'static str, Collider)> {
    let lowered = |shape, depth: f32| Collider {
        position: Vec3::new(0.0, 0.0, -depth),
        friction: 0.3,
        ..Collider::new(shape)
    };
    let half = Vec3::new(0.02, 0.1, 0.05);
    let grid = DistanceGrid::of([17; 3], 0.0125, |p| (p - 0.1).length() - 0.05);
    vec![
        ("box", lowered(ColliderShape::Box { half }, 0.05)),
        (
            "ball",
            lowered(ColliderShape::Sphere { radius: 0.05 }, 0.05),
        ),
        (
            "grid",
            Collider {
                position: Vec3::new(-0.1, -0.1, -0.15),
                ..lowered(ColliderShape::Grid(grid), 0.0)
            },
        ),
    ]
}

fn solver(name: &str, body: &Body, dt: f32) -> Solver {
    match name {
        "explicit" => Solver::Explicit(Box::new(
            Explicit::new(body, Elasticity::NeoHookean, Damping::default()).unwrap(),
        )),
        "implicit" => Solver::Implicit(Box::new(
            Implicit::new(body, ImplicitOptions::default()).unwrap(),
        )),
        "projective" => Solver::Projective(Box::new(
            Projective::new(body, dt, ProjectiveOptions::default()).unwrap(),
        )),
        "vbd" => Solver::VertexBlockDescent(Box::new(
            VertexBlockDescent::new(body, VbdOptions::default()).unwrap(),
        )),
        _ => Solver::Xpbd(Box::new(
            XpbdCells::new(body, XpbdOptions::default()).unwrap(),
        )),
    }
}

/// Returns the height of the middle of the edge after a while.
fn height(engine: &Engine, name: &str, ground: Collider, seconds: f32) -> f32 {
    let dt = match name {
        "explicit" => 5e-4,
        "implicit" => 0.01,
        _ => 2e-3,
    };
    let material = Material {
        young: 1e5,
        poisson: 0.3,
        density: 500.0,
    };
    let options = VolumeOptions {
        kinds: VolumeKinds::Edges,
        ..VolumeOptions::default()
    };
    let body = Body::with(engine, &wedge(), Materials::uniform(material), &options).unwrap();
    let solver = solver(name, &body, dt);
    let mut world = World::new(engine).unwrap();
    world
        .surroundings_mut()
        .set_colliders(vec![ground])
        .unwrap();
    world.add(body, solver).unwrap();
    for step in 0..(seconds / dt).round() as u32 {
        world.step(dt).unwrap();
        let energies = world.energies();
        assert!(energies.is_ok(), "{name}: step {step}: {energies:?}");
    }
    let x = world.body_mut(0).unwrap().positions().unwrap();
    (x[0].z + x[1].z) * 0.5
}

fn edges_do_not_slip_through(engine: &Engine) {
    let slow = is_slow(engine);
    for name in ["implicit", "explicit", "projective", "vbd", "xpbd"] {
        for (what, ground) in solids() {
            if slow && (what != "ball" || !matches!(name, "implicit" | "explicit")) {
                continue;
            }
            let seconds = if slow { 0.1 } else { 0.4 };
            let caught = Collider {
                edges: true,
                ..ground.clone()
            };
            let z = height(engine, name, caught, seconds);
            assert!((-0.01..0.01).contains(&z), "{name} {what}: {z}");
            let z = height(engine, name, ground, seconds);
            let fallen = 0.005 - 0.5 * 9.81 * seconds * seconds;
            assert!((z - fallen).abs() < 0.02, "{name} {what}: {z}");
        }
    }
}

/// A cloth of two faces, held at one side, stops a ball that is smaller than a face.
#[test]
fn edges_of_cloth_touch() {
    let engine = Engine::cpu();
    let mut mesh = generate::grid(1, 1).unwrap();
    let centre = DVec3::new(-0.5, -0.5, 0.02);
    mesh.transform(&DAffine3::from_translation(centre)).unwrap();
    let ball = |edges| Collider {
        position: Vec3::new(0.0, 0.0, -0.05),
        edges,
        ..Collider::new(ColliderShape::Sphere { radius: 0.05 })
    };
    let mut lowest = [0.0; 2];
    for (z, edges) in lowest.iter_mut().zip([true, false]) {
        let mut around = rxmesh_simulation::Surroundings::new(&engine).unwrap();
        around.set_colliders(vec![ball(edges)]).unwrap();
        let mut body = Body::cloth(&engine, &mesh, 0.2, &PatchOptions::default()).unwrap();
        let options = XpbdOptions::default();
        let mut solver = XpbdCloth::new(&body, |_| ClothMaterial::default(), options).unwrap();
        for _ in 0..150 {
            solver.step(&mut body, &around, 0.002).unwrap();
        }
        let x = body.positions().unwrap();
        *z = mesh.faces[0]
            .iter()
            .flat_map(|&a| mesh.faces[0].map(|b| (x[a as usize].z + x[b as usize].z) * 0.5))
            .fold(f32::NEG_INFINITY, f32::max);
    }
    assert!(lowest[0] > -0.02 && lowest[1] < -0.3, "{lowest:?}");
}

/// Contact energies include those of edges, and exist before the first step.
#[test]
fn energies_know_edges() {
    let engine = Engine::cpu();
    let mesh = generate::tet_box([1; 3], [1.0; 3]).unwrap();
    let contact = |edges| {
        let mut world = World::new(&engine).unwrap();
        let ball = Collider {
            position: Vec3::new(0.5, 0.0, -0.04),
            edges,
            ..Collider::new(ColliderShape::Sphere { radius: 0.05 })
        };
        world.surroundings_mut().set_colliders(vec![ball]).unwrap();
        let body = Body::new(&engine, &mesh, Material::default()).unwrap();
        let solver = solver("explicit", &body, 1e-3);
        world.add(body, solver).unwrap();
        world.energies().unwrap().contact
    };
    assert_eq!(contact(false), 0.0);
    // 1 cm deep in a layer of 1 mm; the edge has the masses of its ends over their numbers of edges.
    let body = &mut Body::new(&engine, &mesh, Material::default()).unwrap();
    let masses = body.masses().unwrap();
    let depth = 0.011f64;
    let penalty = 0.5 * depth * (depth - 1e-3) + 1e-6 / 6.0;
    let got = contact(true) / (1e5 * penalty);
    let most = masses.iter().fold(0.0f32, |a, b| a.max(*b));
    assert!(
        got > 0.1 * f64::from(most) && got < f64::from(2.0 * most),
        "{got} kg of {masses:?}"
    );
}
