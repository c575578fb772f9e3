//! Contact in the solvers that are not Newton's: bodies fall on a plane and come to rest there.

use crate::solver_support::*;
use glam::Vec3;
use rxmesh_host::engine::Engine;
use rxmesh_host::patch::PatchOptions;
use rxmesh_simulation::solve::{
    ClothMaterial, Projective, ProjectiveOptions, VbdOptions, VertexBlockDescent, XpbdCells,
    XpbdCloth, XpbdOptions,
};
use rxmesh_simulation::{Body, Collider, Material, Solver, World};
use rxmesh_tests::conformance;
use rxmesh_tests::engines::suited;

conformance! { @steps bodies_come_to_rest_on_a_plane, cloth_falls_on_a_plane }

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
